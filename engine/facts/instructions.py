"""What somebody asks of the assistant for good: "call me Dina", "always answer in prose".

One-off requests leave nothing; these are wishes that last, and are kept as facts about who has them.
"""

from __future__ import annotations

from engine.facts.clauses import Clause
from engine.facts.people import Cast
from engine.facts.render import phrase, tidy
from engine.facts.tree import Tree
from engine.types import Fact, Modality, Sentence, Span

_LASTING = ("always", "never", "from now on", "in future", "in the future", "from here on", "going forward", "by default",
            "every time", "whenever", "henceforth", "from today", "for all", "in all")  # fmt: skip
_OF_THE_ASSISTANT = {"answer", "reply", "respond", "write", "use", "speak", "talk", "keep", "address", "format", "give",
                     "be", "avoid", "stick", "explain", "translate", "sign", "spell", "quote", "call", "include"}  # fmt: skip


def instruction_of(sentence: Sentence, tree: Tree, clause: Clause, cast: Cast) -> Fact | None:
    """The lasting wish that an order expresses, if it expresses one.

    Returns
    -------
    Fact or None
        A preferred name, or an instruction to the assistant.
    """
    said = sentence.message.timestamp
    span = Span(sentence.message.id, sentence.start, sentence.end, sentence.text)
    verb = clause.verb
    whom = tree.child(verb.i, "dobj") or tree.child(verb.i, "nsubj")
    name = tree.child(verb.i, "oprd", "attr") or next((c for c in tree.children(verb.i, "ccomp", "xcomp")), None)
    if verb.lemma == "call" and whom is not None and whom.low == "me" and name is not None:
        value = phrase(tree, name.i, cast, cast.speaker)
        text = f"{cast.speaker} wants to be called {value}"
        return Fact(cast.speaker, "want to be called", value, text, "nickname", span=span, said_at=said)
    words = f" {' '.join(t.low for t in tree.tokens)} "
    lasting = any(f" {cue} " in words for cue in _LASTING)
    vague = whom is not None and whom.low in ("that", "this", "it", "them", "those", "these")
    if not lasting or vague or verb.lemma not in _OF_THE_ASSISTANT:
        return None
    beside = {c.i for c in tree.tokens if c.dep in ("ccomp", "advcl", "mark", "nsubj") and c.head == verb.i}
    if any(c.dep == "ccomp" for c in tree.children(verb.i)):
        return None  # "note that …" tells, it does not ask
    skip = beside | {
        t.i for t in tree.tokens if t.pos in ("PUNCT", "INTJ") or t.low in ("please", "pls", "kindly", "so", "and")
    }
    start = min(tree.subtree(clause.top))
    body = " ".join(tree[i].text for i in tree.subtree(clause.top, skip) if i not in skip and i >= start)
    body = tidy(body.replace(" my ", f" {cast.speaker}'s ").replace(" me ", f" {cast.speaker} "))
    text = f"{cast.speaker} wants the assistant to {body[:1].lower() + body[1:]}"
    return Fact(
        cast.speaker, "want assistant", body, text, "preference", modality=Modality.ASSERTED, span=span, said_at=said
    )
