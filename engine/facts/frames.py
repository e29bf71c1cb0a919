"""Frames of the lexicon → facts: what an event does to what was known.

``engine.facts.surface`` finds where the forms stand; here is decided whether the sentence asserts them, whom they
are about, and what they come to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.facts import gate
from engine.facts.clauses import Clause
from engine.facts.matching import Matcher
from engine.facts.people import FIRST, SECOND, Cast, Party
from engine.facts.refusals import Match, Range, beside
from engine.facts.render import statement, third_person, tidy
from engine.facts.stance import AMBIGUOUS_PAST, stance_of
from engine.facts.surface import Surface
from engine.facts.told import relation_cues
from engine.facts.tree import Tree
from engine.lexicon import Lexicon, singular
from engine.lexicon.frames import Change
from engine.types import Effect, Fact, Instant, Kind, Modality, Polarity, Qualifier, Span, Tense, Token
from engine.when import TimePhrase, interval, time_phrases

_TENSES = {Effect.ENDS: Tense.PAST, Effect.STARTS: Tense.PERFECT, Effect.STATES: Tense.PRESENT}
_PLURALS = {"was": "were", "has": "have", "is": "are"}
_OWN = {"my": "their", "our": "their"}
_SLOT = re.compile(r"<=?([a-z_]+)(\??)>")
_ANY_SLOT = re.compile(r"\{subject\}|<=?[a-z_]+>")
_OPTIONAL = re.compile(r"\[([^\[\]]*)\]")
_PRESENT = ("now", "today", "these days", "nowadays")
_OPEN = ("given_up",)  # groups that a bare name may belong to in more than one way: a person, a company, an app
_VERBAL = ("question", "request", "hypothetical", "about assistant", "obligation")


@dataclass(frozen=True, slots=True)
class Framed:
    """A match that the sentence asserts, with the clauses whose verb lies in it, and all of the sentence."""

    surface: Surface
    match: Match
    clauses: tuple[Clause, ...]
    beside: tuple[Clause, ...]

    @property
    def names_party(self) -> bool:
        """Whether the words say themselves whom it is about."""
        return bool({"who", "whose"} & set(self.match.bound))

    def covers(self, clause: Clause) -> bool:
        return clause in self.clauses


def frames_in(tree: Tree, found: Sequence[Clause], cast: Cast) -> list[Framed]:
    """The frames that a sentence asserts.

    Parameters
    ----------
    tree : Tree
    found : sequence of Clause
        All clauses of the sentence; questions, orders, suppositions and denials are told by them.
    cast : Cast
        Whom the conversation knows.

    Returns
    -------
    list of Framed
        In the order of the text; none overlaps another.
    """
    surface = Surface(tree, cast.lexicon)
    out = []
    for match in Matcher(surface, cast).matches():
        inside = tuple(c for c in found if c.top in match.span or c.head in match.span)
        if _is_asserted(tree, match, inside, list(found), cast.lexicon):
            out.append(Framed(surface, match, inside, tuple(found)))
    return out


def _is_asserted(tree: Tree, match: Match, inside: Sequence[Clause], found: list[Clause], lexicon: Lexicon) -> bool:
    """Whether no clause of a match, nor the one around it, asks, orders, supposes, wishes or tells a time."""
    if not inside and tree.tokens[-1].text.endswith("?"):
        return False
    if any(t.low in SECOND for t in tree.tokens[match.start : match.stop]):
        return False
    around = [c for c in found if c not in inside and match.start in tree.subtree(c.top)][-1:]
    for clause in (*inside, *around):
        stance = stance_of(clause, lexicon)
        reason = gate.reason_to_skip(tree, clause, stance, found, lexicon)
        if reason == "request" and tree[clause.top].low in AMBIGUOUS_PAST:
            reason = None  # "quit my job": no order to anybody
        if reason == "circumstance" and clause in inside and clause.link not in ("temporal", "purpose", "relcl"):
            reason = None
        if reason and (clause in inside or reason in _VERBAL):
            return False
        if clause in around:
            continue
        if stance.former or stance.modality in (Modality.POSSIBLE, Modality.DESIRED):
            return False
        if not match.frame.plan and (stance.modality is Modality.INTENDED or stance.tense is Tense.FUTURE):
            return False
        if stance.aspect is not Effect.STATES and any(i not in match.span for i in clause.chain):
            return False
    return True


def framed_facts(framed: Framed, subject: Party | None, cast: Cast) -> list[Fact]:
    """The facts of a frame: what ended without a memory of its own, the main one, what else began.

    Parameters
    ----------
    framed : Framed
    subject : Party, optional
        Whom the clause is about, for a frame that names nobody itself.
    cast : Cast

    Returns
    -------
    list of Fact
        Empty where a pronoun stands for nobody known.
    """
    writer = _Writer(framed, cast)
    party = writer.party(subject)
    if party is None or party.kind in ("thing", "assistant"):
        return []
    if framed.match.frame.party and party.kind != framed.match.frame.party:
        return []
    if party.text != cast.speaker:
        cast.mention(party)
    main, *further = framed.match.frame.changes
    first = writer.fact(main, party, main=True)
    written = [writer.fact(change, party, main=False) for change in further]
    facts = [fact for fact in written if fact is not None and not _follows(fact, first, cast.lexicon)]
    # What ended is closed before its successor is told, so that neither is taken for the other.
    ended = [fact for fact in facts if fact.effect is Effect.ENDS]
    return [*ended, *([first] if first is not None else []), *(fact for fact in facts if fact not in ended)]


def _follows(ending: Fact, main: Fact | None, lexicon: Lexicon) -> bool:
    """Whether an ending goes without saying: the attribute holds one value, and the main fact starts another."""
    if main is None or ending.effect is not Effect.ENDS or main.effect is Effect.ENDS:
        return False
    return ending.attribute == main.attribute and lexicon.cardinality(main.attribute) == "one"


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes the facts of one match."""

    framed: Framed
    cast: Cast

    @property
    def lexicon(self) -> Lexicon:
        return self.cast.lexicon

    @property
    def match(self) -> Match:
        return self.framed.match

    @property
    def tree(self) -> Tree:
        return self.framed.surface.tree

    def party(self, subject: Party | None) -> Party | None:
        """Whom the frame is about: who it names, else the clause's subject, else the speaker."""
        span = self.match.bound.get("who") or self.match.bound.get("whose")
        if span is not None:
            return self.cast.resolve(self.tree, _head(self.tree, span))
        return subject or Party(self.cast.speaker)

    def fact(self, change: Change, party: Party, *, main: bool) -> Fact | None:
        """One change of the frame; None where a part of it was left out, or it cannot be written."""
        bound = self.match.bound
        template = _OPTIONAL.sub(lambda m: m[1] if self.holds(m[1]) else "", change.text)
        if not (self.holds(change.value) and self.holds(template)):
            return None
        value = tidy(_SLOT.sub(lambda m: self.value(bound[m[1]]) if m[1] in bound else "", change.value))
        attribute = self.attribute(change, value)
        text = self.text(change, template, attribute, value, party, main=main)
        if not text:
            return None
        phrases = self.phrases()
        start, end = self.times(change, phrases)
        if main and template and (behind := self.behind(text)):
            text = f"{text} {behind}"
        sentence = self.tree.sentence
        return Fact(
            subject=party.text,
            predicate=self.match.frame.name.replace("_", " ") if main else _predicate(text, party.text, value),
            object=value,
            text=text,
            attribute=attribute,
            polarity=Polarity.NEGATIVE if change.key == "denies" else Polarity.POSITIVE,
            tense=Tense.FUTURE if self.match.frame.plan else _TENSES[change.effect],
            kind=self.kind(change, attribute, main),
            effect=change.effect,
            qualifiers=tuple(Qualifier("time", p.text) for p in phrases),
            valid_from=start,
            valid_to=end,
            span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
            said_at=sentence.message.timestamp,
            correction=change.key == "denies",
            bare=change.effect is Effect.ENDS and self.is_bare(main),
            all_of=change.effect is Effect.ENDS and self.names_all(value),
            cues=relation_cues([*(t.low for t in self.tree.tokens), "|", *text.lower().split()], self.lexicon),
        )

    def holds(self, text: str) -> bool:
        """Whether the slots of a text are filled, but for those that may be left out."""
        return all(name in self.match.bound or may for name, may in _SLOT.findall(text))

    def attribute(self, change: Change, value: str) -> str | None:
        """The attribute of a change; of a group the one whose class the value, or the slot named, is of."""
        bound = self.match.bound
        if not change.attribute.startswith("@"):
            return _SLOT.sub(lambda m: self.value(bound[m[1]]).lower(), change.attribute)
        name, _, slot = change.attribute[1:].partition(" ")
        if slot:
            value = self.value(bound[slot.strip("<>")])
        low = value.lower()
        if name == "role":
            word = self.lexicon.roles.get(low) or self.lexicon.roles.get(singular(low))
            return word.attribute if word is not None else f"'s {low}"
        group = self.lexicon.frames.groups[name]
        is_a = self.framed.surface.in_class
        found = next((group[name] for name in group if is_a(name, low.split())), None)
        if found is not None:
            return found
        known = self.cast.by_name(value)
        role = self.lexicon.roles.get(known.role or "") if known is not None else None
        if role is not None:
            return role.attribute
        return None if value[:1].isupper() and name in _OPEN else group["else"]

    def is_bare(self, main: bool) -> bool:
        """Whether an ending leaves no memory of its own: what the main statement says already, or says nothing of."""
        return self.match.frame.bare or not main

    def kind(self, change: Change, attribute: str | None, main: bool) -> Kind:
        if self.match.frame.plan and change.effect is not Effect.ENDS:
            return Kind.PLAN
        if change.effect is Effect.ENDS:
            return Kind.STATE if self.is_bare(main) else Kind.EVENT
        known = self.lexicon.attributes.get(attribute or "")
        return known.kind if known is not None else Kind.STATE

    def phrases(self) -> tuple[TimePhrase, ...]:
        """The times beside the match, and the one that is its value."""
        near = {p.positions for p in beside(self.framed.surface, self.match)}
        slots = set(range(*self.match.bound.get("when", (0, 0))))
        found = time_phrases(self.tree.sentence, prefer="future" if self.match.frame.plan else "past")
        return tuple(p for p in found if p.positions in near or slots & set(p.positions))

    def times(self, change: Change, phrases: Sequence[TimePhrase]) -> tuple[Instant | None, Instant | None]:
        said = self.tree.sentence.message.timestamp
        tense = Tense.FUTURE if self.match.frame.plan else _TENSES[change.effect]
        start, end = interval(phrases, said, tense)
        if change.effect is Effect.ENDS:
            return start, None
        if start is None and change.effect is Effect.STARTS and not self.match.frame.plan:
            start = Instant(said)  # it had begun by the time it was told
        return start, end

    def names_all(self, value: str) -> bool:
        """Whether an ending without a value names every member: "none of my hobbies", "all my medication"."""
        words = {t.low for t in self.tree.tokens[self.match.start : self.match.stop]}
        return bool(words & {"all", "both", "none", "everything", "every"})

    def clause_text(self, party: Party) -> str:
        """The clause as it stands, where the frame has no words of its own for it."""
        clause = next(iter(self.framed.clauses), None)
        if clause is None:
            return ""
        return statement(clause, self.cast, party.text, plural=party.plural, others=self.framed.beside)

    def text(
        self, change: Change, template: str, attribute: str | None, value: str, party: Party, *, main: bool
    ) -> str:
        """The statement of a change: as the frame says, else as the attribute is written."""
        known = self.lexicon.attributes.get(attribute or "")
        if not template and main:
            return self.clause_text(party)
        if not template and known is not None and known.render and value:
            verb = "no longer " if change.effect is Effect.ENDS else ""
            template = f"{{subject}} {verb}{known.render.replace('*', change.value)}"
        if not template:
            return ""
        plain = _ANY_SLOT.sub(lambda m: self.written(m[0], party), template)
        if party.plural and plain.startswith(party.text):
            plain = _plural(plain, party.text)
        return tidy(plain)

    def written(self, slot: str, party: Party) -> str:
        """A slot of a text: ``{subject}``, ``<thing>`` as it stands, ``<=thing>`` without article."""
        if slot == "{subject}":
            return party.text
        span = self.match.bound[slot.strip("<>=")]
        return self.value(span) if slot.startswith("<=") else self.phrase(span, party)

    def phrase(self, span: Range, party: Party) -> str:
        """A noun phrase in the words of the message, possessors written out."""
        words: list[str] = []
        for i in range(*span):
            token = self.tree[i]
            if token.tag == "PRP$":
                words.append(self.possessor(i, party))
            elif token.tag == "POS" and words:
                words[-1] += token.text
            else:
                words.append(self.plain(token))
        return tidy(" ".join(words))

    def plain(self, token: Token) -> str:
        """A token without the capital that only the beginning of a sentence gives it ("Eggs", not "Tomasz")."""
        if token.i or not token.text.istitle() or token.ent:
            return token.text
        common = token.pos in ("DET", "ADJ", "NUM") or token.tag == "NNS"
        known = token.pos == "NOUN" and self.framed.surface.is_common(token.low)
        return token.low if common or known else token.text

    def possessor(self, i: int, party: Party) -> str:
        low = self.tree[i].low
        if low in FIRST:
            return _OWN[low] if party.text == self.cast.speaker else f"{self.cast.speaker}'s"
        owner = self.cast.resolve(self.tree, i)
        return low if owner is None or owner.text == party.text else f"{owner.text}'s"

    def value(self, span: Range) -> str:
        """A noun phrase without articles and pronouns before it."""
        start, stop = span
        while start < stop - 1 and (self.tree[start].pos == "DET" or self.tree[start].tag == "PRP$"):
            start += 1
        words: list[str] = []
        for i in range(start, stop):
            token = self.tree[i]
            if token.tag == "POS" and words:
                words[-1] += token.text
            else:
                words.append("their" if token.tag == "PRP$" and token.low in FIRST else self.plain(token))
        return tidy(" ".join(words))

    def behind(self, text: str) -> str:
        """The times beside the match, as they stand."""
        phrases = [" ".join(self.tree[i].text for i in p.positions) for p in beside(self.framed.surface, self.match)]
        return tidy(" ".join(p for p in phrases if p.lower() not in text.lower() and p.lower() not in _PRESENT))


def _head(tree: Tree, span: Range) -> int:
    """The position by which a noun phrase is resolved: what hangs on nothing else in it, else its last word."""
    own = range(*span)
    words = [i for i in own if tree[i].pos not in ("PUNCT", "PART", "DET") and tree[i].tag != "PRP$"] or list(own)
    return next((i for i in words if tree[i].head not in own), words[-1])


def _predicate(text: str, subject: str, value: str) -> str:
    """ "user works at Mendel" → "work at"."""
    words = text.removeprefix(subject).replace(value, "").split() if value else text.removeprefix(subject).split()
    if not words:
        return "be"
    first = words[0]
    stems = {third_person(v): v for v in ("be", "have", "do", "go")}
    base = stems.get(first) or next((b for b in (first[:-1], first[:-2]) if third_person(b) == first), first)
    return " ".join([base, *words[1:]])


def _plural(text: str, subject: str) -> str:
    """The statement of several: "user's parents were let go"."""
    first, _, rest = text.removeprefix(subject).strip().partition(" ")
    verb = _PLURALS.get(first) or next((b for b in (first[:-1], first[:-2]) if b and third_person(b) == first), first)
    return f"{subject} {verb} {rest}".strip()
