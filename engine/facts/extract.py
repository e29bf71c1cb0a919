"""Parsed sentences → facts, commands and skips: the steps of extraction in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engine.facts import gate
from engine.facts.arguments import arguments
from engine.facts.clauses import SPEAKER, Clause, clauses
from engine.facts.commands import command_of
from engine.facts.copula import owned_by_having, possessive_copula, relations_in
from engine.facts.people import FIRST, SECOND, Cast, Party, introduce
from engine.facts.render import named, phrase, statement, tidy
from engine.facts.stance import Stance, stance_of
from engine.facts.tree import Tree
from engine.facts.typing import Reading, is_time, read, readings
from engine.lexicon import Lexicon
from engine.types import (
    Command,
    Effect,
    Extraction,
    Fact,
    Kind,
    Modality,
    Polarity,
    Qualifier,
    Role,
    Sentence,
    Skip,
    Span,
    Tense,
    Token,
)
from engine.when import TimePhrase, interval, time_phrases

MAX_WORDS = 25


@dataclass(frozen=True, slots=True)
class _Told:
    """A clause with all that was read off it, before it is written down."""

    clause: Clause
    stance: Stance
    reading: Reading
    party: Party
    subject_text: str
    plural: bool
    others: tuple[Clause, ...]
    further: tuple[Reading, ...] = ()


class Extractor:
    """Reads parsed sentences of one conversation.

    Parameters
    ----------
    lexicon : Lexicon
        Predicates, roles and cues.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    def read(
        self,
        turns: Sequence[tuple[Sentence, ...]],
        known: Iterable[Party] = (),
        *,
        judge: Callable[[Clause, Stance, Reading], bool] | None = None,
    ) -> Extraction:
        """Facts, commands and skips of several messages, pronouns resolved along the way.

        Parameters
        ----------
        turns : sequence of tuple of Sentence
            The sentences of each message, in the order of the conversation.
        known : iterable of Party
            Whom the conversation already knows, oldest first.
        judge : callable, optional
            Says whether a clause is passing talk; by default the rules of ``gate.is_passing``.

        Returns
        -------
        Extraction
            In the order of the text.
        """
        parties = list(known)
        facts: list[Fact] = []
        commands: list[Command] = []
        skipped: list[Skip] = []
        for sentences in turns:
            for sentence in sentences:
                cast = Cast(self.lexicon, sentence.message.speaker, parties)
                found = self.sentence(sentence, cast)
                facts += found.facts
                commands += found.commands
                skipped += found.skipped
                parties = cast.parties
        self.parties = parties
        return Extraction(tuple(_unique(facts)), tuple(commands), tuple(skipped))

    def sentence(self, sentence: Sentence, cast: Cast) -> Extraction:
        """What one sentence leaves behind; ``cast`` learns whom it speaks of."""
        command = command_of(sentence)
        if command is not None:
            return Extraction(commands=(command,))
        tree = Tree(sentence)
        found = clauses(tree, self.lexicon)
        facts: list[Fact] = []
        reasons: list[str] = []
        for clause in found:
            introduce(tree, cast, clause.top)
            told, reason = self._told(tree, clause, found, cast)
            if told is None:
                reasons.append(reason)
                continue
            facts += self._facts(told, cast, sentence)
        introduce(tree, cast, len(tree.tokens))
        facts += self._relations(tree, found, cast, sentence)
        if facts:
            return Extraction(facts=tuple(facts))
        reason = next((r for r in reasons if r != "circumstance"), reasons[0] if reasons else "")
        if not reason:
            words = [t for t in tree.tokens if t.pos != "PUNCT"]
            reason = "greeting" if len(words) < 4 else "fragment"
        return Extraction(skipped=(Skip(sentence.message.id, sentence.text, reason),))

    def statement(self, text: str, sentences: Sequence[Sentence]) -> Fact:
        """One fact for a statement that stands alone: nothing is skipped, nothing is split.

        Parameters
        ----------
        text : str
            The statement, kept as the fact's text.
        sentences : sequence of Sentence
            Its parse; the first clause with a subject counts.
        """
        for sentence in sentences:
            cast = Cast(self.lexicon, "user")
            tree = Tree(sentence)
            found = clauses(tree, self.lexicon)
            for clause in found:
                if clause.link in ("relcl", "temporal", "conditional") or clause.subject is None:
                    continue
                party, subject, plural = self._subject(tree, clause, cast)
                if party is None:
                    continue
                reading = read(clause, self.lexicon)
                stance = stance_of(clause, self.lexicon)
                told = _Told(clause, stance, reading, party, subject, plural, tuple(found))
                facts = self._facts(told, cast, sentence, whole=True)
                if facts:
                    cues = relation_cues(text.lower().replace(",", " ").replace(".", " ").split(), self.lexicon)
                    return facts[0].but(text=text, span=None, said_at=None, cues=cues)
        return unread(text)

    def _told(
        self, tree: Tree, clause: Clause, found: list[Clause], cast: Cast
    ) -> tuple[_Told | None, str]:
        """The clause with its readings, or None and the reason why it is left."""
        stance = stance_of(clause, self.lexicon)
        reason = gate.reason_to_skip(tree, clause, stance, found, self.lexicon)
        if reason:
            return None, reason
        if clause.subject is None and not gate.is_elliptic(tree, clause, self.lexicon):
            return None, "fragment"
        party, text, plural = self._subject(tree, clause, cast)
        if party is None:
            return None, "unresolved"
        reading, *further = readings(clause, self.lexicon)
        if gate.is_passing(clause, stance, reading, self.lexicon):
            return None, "moment"
        if any(tree[a.head].low in SECOND for a in arguments(clause) if a.role != "prep"):
            return None, "about assistant"
        if _empty(tree, clause, reading, cast):
            return None, "unresolved"
        for introduced in owned_by_having(clause, cast, party.text, self.lexicon):
            cast.mention(introduced)
        return _Told(clause, stance, reading, party, text, plural, tuple(found), tuple(further)), ""

    def _subject(self, tree: Tree, clause: Clause, cast: Cast) -> tuple[Party | None, str, bool]:
        """The party a clause is about, how the subject is written, and whether the verb stays plural."""
        if clause.subject is None or clause.subject == SPEAKER:
            return Party(cast.speaker), cast.speaker, False
        members = tree.conjuncts(clause.subject)
        if len(members) > 1 and any(m.low in FIRST for m in members):
            others = [cast.resolve(tree, m.i) for m in members if m.low not in FIRST]
            names = [p.text for p in others if p is not None]
            return Party(cast.speaker), " and ".join([cast.speaker, *names]), True
        party = cast.resolve(tree, clause.subject)
        if party is None:
            return None, "", False
        if party.text != cast.speaker:
            cast.mention(party)
        if len(members) > 1:
            texts = [p.text for p in (cast.resolve(tree, m.i) for m in members) if p is not None]
            return party, ", ".join(texts[:-1]) + " and " + texts[-1] if len(texts) > 1 else party.text, True
        token = tree[clause.subject]
        return party, party.text, party.plural or token.tag == "NNS" or token.low in ("they", "both")

    def _facts(self, told: _Told, cast: Cast, sentence: Sentence, *, whole: bool = False) -> list[Fact]:
        """One fact for each coordinated value of a clause, or for the clause as a ``whole``."""
        tree, reading = told.clause.tree, told.reading
        facts = possessive_copula(told.clause, cast, self.lexicon)
        if facts is not None:
            subject, attribute, value, text, plain = facts
            base = self._fact(told, cast, sentence, value_text=value, text=text)
            return [base.but(subject=subject, attribute=attribute, predicate=plain)]
        members = self._members(told)
        if whole:
            value = self._whole_value(told, members)
            return [self._fact(told, cast, sentence, value_text=value, text=sentence.text)]
        out = []
        apart = [r.argument.through[0] if r.argument.through else r.argument.head for r in told.further if r.argument]
        apart = [i for i in apart if i not in _shown(tree, members)]
        for member in members:
            only = {members[0].i: set(tree.subtree(member.i, _others(tree, member.i)))} if len(members) > 1 else {}
            text = statement(
                told.clause, cast, told.subject_text, plural=told.plural, only=only, drop=apart, others=told.others
            )
            text = named(tree, self.lexicon, text)
            if reading.borrowed and reading.attribute and self.lexicon.attributes[reading.attribute].render:
                rendered = self.lexicon.attributes[reading.attribute].render
                value = phrase(tree, member.i, cast, told.subject_text)
                text = f"{told.subject_text} {rendered.replace('*', value)}"
            value = self._value(told, cast, member.i, apart)
            if len(text.split()) <= MAX_WORDS:
                out.append(self._fact(told, cast, sentence, value_text=value, text=text))
            else:
                out.append(self._fact(told, cast, sentence, value_text=value, text=_shortened(told, cast, only)))
        if not members:
            text = statement(told.clause, cast, told.subject_text, plural=told.plural, others=told.others)
            text = text if len(text.split()) <= MAX_WORDS else _shortened(told, cast, {})
            out.append(self._fact(told, cast, sentence, value_text=reading.fixed, text=text))
        out += self._further(told, cast, sentence)
        return [f for f in out if len(f.text.split()) > 1]

    def _further(self, told: _Told, cast: Cast, sentence: Sentence) -> list[Fact]:
        """What a clause tells beside its main value, each as a statement of its own."""
        out = []
        for reading in told.further:
            assert reading.value is not None and reading.attribute is not None
            known = self.lexicon.attributes[reading.attribute]
            value = phrase(told.clause.tree, reading.value, cast, told.subject_text)
            own = _Told(told.clause, told.stance, reading, told.party, told.subject_text, told.plural, told.others)
            text = f"{told.subject_text} {known.render.replace('*', value)}"
            if told.stance.polarity is Polarity.NEGATIVE or reading.effect is Effect.ENDS or told.stance.former:
                continue
            out.append(self._fact(own, cast, sentence, value_text=self._value(own, cast, reading.value), text=text))
        return out

    def _members(self, told: _Told) -> list[Token]:
        """The coordinated values of a clause: several languages, two jobs, three hobbies."""
        tree, reading = told.clause.tree, told.reading
        if reading.value is None:
            return []
        members = tree.conjuncts(reading.value)
        if len(members) == 1 or is_time(tree, reading.value) or reading.modifiers:
            return members[:1]
        if any(t.low in ("or", "nor") for m in members for t in tree.children(m.i, "cc")):
            return members[:1]
        if any(m.pos in ("VERB", "AUX") and m.tag != "VBG" for m in members[1:]):
            return members[:1]
        return [m for m in members if m.low not in ("all", "so", "stuff", "everything")]

    def _whole_value(self, told: _Told, members: list[Token]) -> str:
        """All of a clause behind its verb that is no adverb: the value with what qualifies it."""
        tree, reading = told.clause.tree, told.reading
        if not members:
            return reading.fixed
        if reading.modifiers:
            return " ".join(tree[j].text for j in reading.modifiers)
        skip = {t.i for t in tree.tokens if t.dep in ("relcl", "advcl", "det", "punct") and t.text not in ("-", "/")}
        positions = [j for j in tree.subtree(members[0].i, skip) if j not in skip]
        return tidy(" ".join(tree[j].text for j in positions))

    def _value(self, told: _Told, cast: Cast, i: int, apart: Sequence[int] = ()) -> str:
        tree, reading = told.clause.tree, told.reading
        if reading.modifiers:
            return " ".join(tree[j].text for j in reading.modifiers)
        without = _others(tree, i) | set(apart) | {
            t.i for t in tree.tokens if t.dep in ("relcl", "advcl") or t.head == i and t.dep in ("punct", "det")
        }
        positions = [j for j in tree.subtree(i, without) if j not in without]
        return tidy(" ".join(tree[j].text for j in positions))

    def _fact(self, told: _Told, cast: Cast, sentence: Sentence, *, value_text: str, text: str) -> Fact:
        stance, reading = told.stance, told.reading
        effect = _effect(stance, reading)
        known = self.lexicon.attributes.get(reading.attribute or "")
        ahead = stance.tense is Tense.FUTURE or known is not None and known.kind is Kind.PLAN or _is_arranged(told)
        phrases = time_phrases(sentence, prefer="future" if ahead else "past")
        mine = [p for p in phrases if _belongs(told.clause, p.positions)]
        start, end = interval(mine, sentence.message.timestamp, stance.tense)
        if start and start.at > sentence.message.timestamp and _only_mentions(stance, mine):
            start = None  # "pregnant, due in April": the state is present, the date belongs to something in it
        kind = self._kind(told, effect, bool(start and start.at > sentence.message.timestamp))
        if kind in (Kind.STATE, Kind.EVENT) and _is_arranged(told) and (start is None or start.at > sentence.message.timestamp):
            kind = Kind.PLAN
        return Fact(
            subject=told.party.text,
            predicate=reading.predicate,
            object=value_text,
            text=text,
            attribute=reading.attribute,
            polarity=stance.polarity,
            modality=stance.modality,
            tense=stance.tense,
            kind=kind,
            effect=effect,
            qualifiers=_qualifiers(told, [p.positions for p in mine]),
            valid_from=start,
            valid_to=end,
            span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
            said_at=sentence.message.timestamp,
            correction=corrects(sentence, self.lexicon),
            bare=stance.bare,
            all_of=stance.all_of,
            cues=relation_cues(_own_words(told), self.lexicon),
        )

    def _kind(self, told: _Told, effect: Effect, dated_ahead: bool) -> Kind:
        stance, reading = told.stance, told.reading
        known = self.lexicon.attributes.get(reading.attribute or "")
        if stance.tense is Tense.FUTURE or stance.modality is Modality.INTENDED:
            stative = known is not None and known.kind is Kind.STATE and reading.effect is Effect.STATES
            return Kind.STATE if stative and dated_ahead and effect is Effect.STATES else Kind.PLAN
        if stance.modality in (Modality.POSSIBLE, Modality.DESIRED):
            return Kind.STATE
        if effect is Effect.ENDS:
            return Kind.STATE if stance.bare else Kind.EVENT
        if known is not None and known.kind is not Kind.STATE:
            return known.kind
        if stance.former:
            return Kind.STATE
        if stance.tense is Tense.PAST:
            return Kind.STATE if known is not None and (effect is Effect.STARTS or known.lasting) else Kind.EVENT
        if stance.tense is Tense.PERFECT and known is None and not stance.progressive:
            return Kind.EVENT if told.clause.verb.lemma not in ("be", "have") else Kind.STATE
        return Kind.STATE

    def _relations(self, tree: Tree, found: list[Clause], cast: Cast, sentence: Sentence) -> list[Fact]:
        """ "My sister Ana …" tells, whatever else is said, that the speaker has a sister of that name."""
        out = []
        for i, party, text, attribute in relations_in(tree, cast, self.lexicon):
            within = next((c for c in reversed(found) if i in tree.subtree(c.top)), None)
            if within is not None and gate.is_conditional(within, found):
                continue
            cast.mention(party)
            out.append(
                Fact(
                    subject=party.owner or cast.speaker,
                    predicate=f"have {party.role}",
                    object=party.name or "",
                    text=text,
                    attribute=attribute,
                    span=Span(sentence.message.id, sentence.start, sentence.end, sentence.text),
                    said_at=sentence.message.timestamp,
                )
            )
        return out


_ARRANGED = {"go", "fly", "travel", "move", "visit", "leave", "marry", "start", "run", "drive", "come", "head", "relocate"}


def _is_arranged(told: _Told) -> bool:
    """The present progressive of going and coming tells a plan: "we're flying to Oslo for Easter"."""
    return (
        told.stance.progressive
        and told.stance.tense is Tense.PRESENT
        and told.clause.verb.lemma in _ARRANGED
        and any(a.role == "prep" and a.prep in ("to", "for", "from") for a in arguments(told.clause))
    )


def relation_cues(words: Iterable[str], lexicon: Lexicon) -> tuple[str, ...]:
    """What the words say of the statement's relation to what was before: now, instead, also, again."""
    text = f" {' '.join(words)} "
    kinds = ("now", "instead", "also", "again")
    return tuple(k for k in kinds if any(f" {cue} " in text for cue in lexicon.cues[f"says_{k}"]))


def corrects(sentence: Sentence, lexicon: Lexicon) -> bool:
    """Whether a sentence says of itself that it corrects something said before."""
    text = f" {' '.join(t.low for t in sentence.tokens)} "
    return any(f" {cue} " in text for cue in lexicon.cues["correction"])


def _effect(stance: Stance, reading: Reading) -> Effect:
    """The control verb's aspect over the pattern's: "stopped living in", "started to leave"."""
    if stance.aspect is Effect.ENDS or stance.former:
        return Effect.ENDS
    if reading.effect is Effect.ENDS:
        return Effect.STATES if stance.polarity is Polarity.NEGATIVE else Effect.ENDS
    return stance.aspect if stance.aspect is Effect.STARTS else reading.effect


def _empty(tree: Tree, clause: Clause, reading: Reading, cast: Cast) -> bool:
    """Whether all that is said of the subject is a pronoun that stands for something not told."""
    if reading.value is None:
        return False
    token = tree[reading.value]
    if token.low in ("this", "that", "these", "those", "it", "them", "one", "so", "there", "something", "you"):
        if token.low in ("it", "them") and cast.resolve(tree, token.i) is not None:
            return False
        return len([a for a in arguments(clause) if tree[a.head].pos != "PRON"]) == 0
    return False


def _own_words(told: _Told) -> list[str]:
    """The words of a clause without those of the clauses that hang on it and are told on their own."""
    tree, clause = told.clause.tree, told.clause
    apart = {c.top for c in told.others if c.top != clause.top and c.link not in ("content", "purpose")}
    return [tree[i].low for i in tree.subtree(clause.top, apart) if i not in apart]


def _only_mentions(stance: Stance, phrases: Sequence[TimePhrase]) -> bool:
    """Whether a time ahead stands in a clause of the present that is no plan."""
    present = stance.tense in (Tense.PRESENT, Tense.PERFECT) and not stance.progressive
    return present and stance.modality is Modality.ASSERTED and all(p.relation != "since" for p in phrases)


def _shown(tree: Tree, members: Sequence[Token]) -> set[int]:
    """The positions of the values themselves, which are never left out."""
    return {m.i for m in members} | {a.i for m in members for a in tree.ancestors(m.i)}


def _others(tree: Tree, i: int) -> set[int]:
    return {c.i for c in tree.children(i, "conj", "cc", "preconj")}


def _belongs(clause: Clause, positions: Sequence[int]) -> bool:
    """Whether a time stands under the clause's verbs and under no other clause's."""
    tree = clause.tree
    verbs = {clause.top, clause.head, *clause.chain}
    for i in positions:
        if i in verbs:
            return True
        for above in tree.ancestors(i):
            if above.i in verbs:
                return True
            if above.pos in ("VERB", "AUX") and above.dep in ("ROOT", "conj", "relcl", "advcl", "ccomp"):
                return False
    return False


def _qualifiers(told: _Told, times: Sequence[Sequence[int]]) -> tuple[Qualifier, ...]:
    """What stands beside the value: times, places, amounts and the rest, verbatim."""
    tree, out = told.clause.tree, []
    timed = {i for positions in times for i in positions}
    for positions in times:
        out.append(Qualifier("time", " ".join(tree[i].text for i in positions)))
    for arg in arguments(told.clause):
        if arg.head == told.reading.value or arg.head in timed or arg.role != "prep":
            continue
        span = sorted({*arg.through, *tree.subtree(arg.head, _others(tree, arg.head))})
        place = tree[arg.head].ent in ("GPE", "LOC", "FAC", "ORG")
        role = "time" if is_time(tree, arg.head) else "place" if place else "other"
        out.append(Qualifier(role, " ".join(tree[i].text for i in span)))
    return tuple(out)


def _shortened(told: _Told, cast: Cast, only: dict[int, set[int]]) -> str:
    """A statement that would run on keeps its value and drops the prepositional phrases after it."""
    tree = told.clause.tree
    drop: list[int] = []
    text = statement(told.clause, cast, told.subject_text, plural=told.plural, only=only, others=told.others)
    for arg in reversed(arguments(told.clause)):
        if len(text.split()) <= MAX_WORDS:
            break
        if arg.role == "prep" and arg.head != told.reading.value and not is_time(tree, arg.head):
            drop.append(arg.through[0])
            text = statement(told.clause, cast, told.subject_text, plural=told.plural, only=only, drop=drop, others=told.others)
    return " ".join(text.split()[:MAX_WORDS])


def _unique(facts: Iterable[Fact]) -> list[Fact]:
    """The same statement of the same message counts once."""
    seen: set[tuple[str, str]] = set()
    out = []
    for fact in facts:
        key = (fact.span.message_id if fact.span else "", fact.text.lower())
        if key not in seen:
            seen.add(key)
            out.append(fact)
    return out


def assistant_skip(sentence: Sentence) -> Skip:
    """The receipt for what the assistant said."""
    reason = "assistant" if sentence.message.role is Role.ASSISTANT else "role"
    return Skip(sentence.message.id, sentence.text, reason)


def unread(text: str) -> Fact:
    """The fact of a text that has no clause: "user vegetarian"."""
    words = text.strip(" .").split()
    possessive = next((i for i, w in enumerate(words[:4]) if w.endswith("'s")), None)
    cut = 1 if possessive is None else possessive + 2
    negative = any(w.lower() in ("not", "no", "never", "without") for w in words)
    return Fact(
        subject=" ".join(words[:cut]),
        predicate="be",
        object=" ".join(words[cut:]),
        text=text,
        polarity=Polarity.NEGATIVE if negative else Polarity.POSITIVE,
        effect=Effect.STATES,
    )
