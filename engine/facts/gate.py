"""What is not worth keeping, and why.

Structure decides first (questions, requests, hypotheticals, talk of the other party), durability second.
Every reason is one of ``REASONS``.
"""

from __future__ import annotations

from engine.facts.arguments import arguments
from engine.facts.clauses import PAST_FORMS, SPEAKER, Clause
from engine.facts.people import FIRST, SECOND
from engine.facts.stance import Stance, control_names
from engine.facts.tree import Tree
from engine.facts.typing import Reading, is_time
from engine.lexicon import Lexicon, singular
from engine.types import Effect, Modality, Tense, Token

REASONS = {
    "question": "a question asserts nothing",
    "request": "a request or an order to the assistant",
    "hypothetical": "hypothetical or conditional, not asserted",
    "quotation": "a quotation, not the speaker's own words",
    "greeting": "a greeting, thanks or exclamation without a statement",
    "moment": "talk of the moment, not durable",
    "unresolved": "refers to somebody or something that is not told here",
    "about assistant": "about the assistant, not about a person",
    "fragment": "no statement with a verb was found",
    "circumstance": "only tells when or why something else happened",
    "obligation": "says what should be done, not what is",
    "role": "system and tool messages are never ingested",
    "assistant": "what the assistant says is no fact about the user",
    "language": "not in English; only English is read so far",
    "too long": "the message is longer than the limit; split it",
    "empty": "the message is empty",
    "joke": "taken back in the same message",
    "unknown target": "nothing in memory matches what should be forgotten",
}
_WH = {"what", "which", "who", "whom", "whose", "where", "when", "why", "how"}


def is_question(tree: Tree, clause: Clause) -> bool:
    """Whether a clause asks: by its place before a question mark, or by inversion.

    Subordinate clauses of a question still assert ("what can I eat, since I'm vegetarian?").
    """
    if clause.link not in ("main", "conj", "content"):
        return False
    asks = any(t.text.endswith("?") for t in tree.tokens[-3:])
    subject, top = clause.subject, tree[clause.top]
    auxiliaries = tree.children(clause.top, "aux", "auxpass")
    first = auxiliaries[0].i if auxiliaries else top.i
    inverted = subject is not None and subject != SPEAKER and first < subject < clause.top + (not auxiliaries) * 99
    inverted = (
        inverted
        and (auxiliaries != () or top.lemma in ("be", "have"))
        and tree[first].low not in ("is",)
        or (inverted and asks)
    )
    leading = [t.low for t in tree.tokens[: max(first, 0) + 1] if t.head in (clause.top, clause.head) or t.i == first]
    if any(w in _WH for w in leading[:2]) and (asks or inverted):
        return True
    if inverted and subject is not None and tree[subject].low in FIRST | SECOND | {"it", "he", "she", "they", "there"}:
        return True
    if not asks:
        return False
    later = [t for t in tree.tokens if t.dep in ("ROOT", "ccomp", "conj", "parataxis") and t.i > clause.top
             and t.pos in ("VERB", "AUX")]  # fmt: skip
    return inverted or not later or clause.link == "content"


def is_request(tree: Tree, clause: Clause, lexicon: Lexicon) -> bool:
    """Whether a clause is an imperative: a base form without a subject."""
    top = tree[clause.top]
    if clause.subject is not None and clause.subject != SPEAKER:
        return False
    if clause.link not in ("main", "conj", "content") or top.tag not in ("VB", "VBP") or is_past_form(top):
        return False
    if any(a.low in ("to", "will", "'ll", "might") for a in tree.children(clause.top, "aux")):
        return False
    return not is_elliptic(tree, clause, lexicon)


def is_expletive(tree: Tree, clause: Clause) -> bool:
    """Whether "it" stands for nothing that was named: "it was my niece's birthday", "it has been a long year".

    What "it" is on, in or at, how much it is and what it is called may be said of a thing; the rest is judged of
    the moment or the matter at hand.
    """
    subject = clause.subject
    if subject is None or subject == SPEAKER or tree[subject].low not in ("it", "that", "this"):
        return False
    if clause.verb.lemma not in ("be", "seem", "feel", "become", "get", "take", "turn", "happen", "mean", "depend"):
        return False
    complement = tree.child(clause.head, "attr", "acomp", "oprd")
    if complement is None:
        where = [tree.child(p.i, "pobj") for p in tree.children(clause.head, "prep")]
        dated = any(w is not None and (is_time(tree, w.i) or w.ent in ("GPE", "LOC", "FAC", "TIME", "DATE")) for w in where)
        return not dated and (clause.verb.lemma != "get" and clause.verb.lemma != "become")
    told = complement.pos in ("PROPN", "NUM") or tree.child(complement.i, "nummod") is not None
    return not (told or complement.ent in ("TIME", "DATE", "MONEY", "QUANTITY"))


def is_past_form(verb: Token) -> bool:
    """ "Got a new job", "Booked my eye test": a past that the tagger takes for a base form."""
    return verb.low in PAST_FORMS or verb.low != verb.lemma and verb.low.endswith("ed")


def is_elliptic(tree: Tree, clause: Clause, lexicon: Lexicon) -> bool:
    """Whether a base form without a subject is a clipped "I": "live in Tucson", "love horror films"."""
    top = tree[clause.top]
    if top.lemma not in lexicon.cues["stative"] or any(t.low in ("please", "pls") for t in tree.tokens):
        return False
    return all(t.pos in ("PUNCT", "ADV", "INTJ", "CCONJ") for t in tree.tokens[: clause.top])


def is_conditional(clause: Clause, all_clauses: list[Clause]) -> bool:
    """Whether a clause, or one that it hangs on or that hangs on it, begins with "if" or the like."""
    by_top = {c.top: c for c in all_clauses}
    at: Clause | None = clause
    while at is not None:
        if at.link == "conditional":
            return True
        at = by_top.get(at.parent) if at.parent is not None else None
    return any(c.link == "conditional" and c.parent == clause.top for c in all_clauses)


def reason_to_skip(
    tree: Tree,
    clause: Clause,
    stance: Stance,
    all_clauses: list[Clause],
    lexicon: Lexicon,
) -> str | None:
    """Why a clause asserts nothing about the world, judged by its structure alone; None where it does."""
    if is_question(tree, clause):
        return "question"
    if is_request(tree, clause, lexicon):
        return "request"
    if clause.verb.lemma in ("kid", "joke") and clause.verb.tag == "VBG":
        return "joke"
    if stance.hypothetical or is_conditional(clause, all_clauses):
        return "hypothetical"
    if clause.link in ("temporal", "purpose"):
        return "circumstance"
    if clause.link == "relcl" and clause.subject != tree[clause.top].head:
        return "circumstance"  # "the tree he used to fall out of": it says which tree is meant
    if clause.link == "content" and (reason := _content_reason(tree, clause, all_clauses, lexicon)):
        return reason
    if clause.subject is not None and clause.subject != SPEAKER and tree[clause.subject].low in SECOND:
        return "about assistant"
    if clause.subject is not None and clause.subject != SPEAKER and tree[clause.top].dep == "csubj":
        return "circumstance"  # "what I react to is …": the statement is the other clause
    if stance.obliged and stance.modality in (Modality.ASSERTED, Modality.POSSIBLE):
        return "obligation"
    if _reports_only(tree, clause, all_clauses, lexicon):
        return "circumstance"
    return None


def _content_reason(tree: Tree, clause: Clause, all_clauses: list[Clause], lexicon: Lexicon) -> str | None:
    """The object clause of a verb is asserted only after a verb of saying or thinking, without "whether"."""
    mark = tree.child(clause.top, "mark")
    if mark is not None and mark.low in ("if", "whether"):
        return "hypothetical"
    parent = next((c for c in all_clauses if c.top == clause.parent), None)
    if parent is None:
        return None
    names = control_names(tree, parent.head)
    if parent.subject is None and names & {"suppose", "imagine", "say", "assume", "pretend"}:
        return "hypothetical"  # "suppose I moved to Rome": an order to imagine it
    if is_request(tree, parent, lexicon) and (names & lexicon.cues["talk_verbs"] or parent.verb.lemma == "let"):
        return "request"
    if names & (lexicon.cues["consider_verbs"] | lexicon.cues["desire_verbs"] | {"hope", "wish", "pretend", "imagine"}):
        return "hypothetical"
    if any(t.low in _WH for t in tree.children(clause.top, "advmod", "dobj", "nsubj", "attr")):
        return "circumstance"
    return None


def _reports_only(tree: Tree, clause: Clause, all_clauses: list[Clause], lexicon: Lexicon) -> bool:
    """ "I think (that) …": the object clause is the statement."""
    if not control_names(tree, clause.head) & (lexicon.cues["report_verbs"] | lexicon.cues["consider_verbs"]):
        return False
    return any(c.parent == clause.top and c.link == "content" for c in all_clauses) or bool(
        clause.verb.lemma in ("guess", "think", "reckon", "suppose", "wonder") and not arguments(clause)
    )


def is_passing(clause: Clause, stance: Stance, reading: Reading, lexicon: Lexicon) -> bool:
    """Whether a statement is talk of the moment: a mood, a trifle of the day, something under way."""
    tree = clause.tree
    args = arguments(clause)
    heads = [tree[a.head] for a in args]
    verb = clause.verb
    names = control_names(tree, clause.head) | {verb.lemma}
    text = f" {' '.join(t.low for t in tree.tokens)} "
    momentary = any(f" {cue} " in text for cue in lexicon.cues["moment_adverbs"]) and " since " not in text
    frequent = any(f" {cue} " in text for cue in lexicon.cues["frequency"])
    moods = any(lexicon.in_class("mood", [t.low]) for t in heads if t.dep in ("acomp", "attr", "amod", "oprd"))
    if reading.attribute is not None:
        return moods and reading.attribute not in lexicon.attributes
    if moods and verb.lemma in ("be", "feel", "get", "look", "sound", "seem", "become"):
        return True
    if verb.lemma == "be" and tree.child(clause.head, "auxpass") is None:
        return _is_remark(tree, clause, heads, momentary, lexicon)
    if not args and not frequent:
        return not (names & lexicon.cues["durable_events"])
    if stance.progressive and not frequent and stance.tense is Tense.PRESENT and momentary:
        return True
    if names & lexicon.cues["durable_events"] or stance.aspect is not Effect.STATES:
        return False
    known = any(t.ent in ("PERSON", "GPE", "LOC", "ORG", "FAC", "EVENT", "WORK_OF_ART", "PRODUCT") for t in heads)
    if verb.lemma in lexicon.cues["weak_events"] and not frequent:
        return not known or momentary
    return momentary and not frequent and not known


def _is_remark(tree: Tree, clause: Clause, heads: list[Token], momentary: bool, lexicon: Lexicon) -> bool:
    """A copula says something durable of a person or a named thing, not of "it", "that" or the weather."""
    if not heads or momentary:
        return True
    subject = clause.subject
    if subject is None:
        return True
    if subject != SPEAKER and tree[subject].low in ("it", "that", "this", "there", "what", "everything", "all"):
        return True
    complement = heads[0]
    if complement.pos == "ADJ" and subject != SPEAKER and tree[subject].pos not in ("PROPN", "PRON"):
        return tree.child(subject, "poss") is None and singular(tree[subject].low) not in lexicon.roles
    return False
