"""Neighbours → one decision: the classifier judges each pair, the policy makes one act of it.

The policy in words. A rule forces ADD where nothing can be compared. A destructive label counts only where
it is probable enough for its cost. Of several memories, one survives: what says the same is NOOP, the best
slot match is updated, further memories that the fact contradicts or ends are closed; nothing is merged
from one memory into the next. The order of the neighbours never matters.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from engine.classifier import Classifier, as_operations
from engine.comparison import Comparison, compare, words_of
from engine.endings import ENDED, ended_by_rule
from engine.exact import FORCED, apart, is_repetition, rule_of, same_slot
from engine.features import vectors
from engine.lexicon import Lexicon, singular
from engine.types import Decision, Fact, Kind, Operation, Pair, Verdict

DESTRUCTIVE = (Operation.UPDATE, Operation.DELETE)


@dataclass(frozen=True, slots=True)
class Policy:
    """What each mistake costs, a stale fact kept being 1.

    The operation with the least expected cost is done, not the most probable one (Elkan 2001, the
    foundations of cost-sensitive learning). ``overwrite_cost`` is the price of overwriting what should
    have stayed; rewriting a memory in words that say the same is less bad, losing a statement as if it were
    known lies between.
    """

    overwrite_cost: float = 5.0

    @property
    def costs(self) -> Mapping[Operation, Mapping[Operation, float]]:
        """Cost of doing the first where the second would be right."""
        add, update, delete, noop = Operation
        c = self.overwrite_cost
        return {
            add: {add: 0.0, update: 1.0, delete: 1.0, noop: DUPLICATE},
            update: {add: c, update: 0.0, delete: 1.0, noop: c * REWORDED},
            delete: {add: c, update: 1.0, delete: 0.0, noop: c},
            noop: {add: LOST, update: LOST, delete: LOST, noop: 0.0},
        }

    @property
    def threshold(self) -> float:
        """From which probability a destructive act is worth its risk, where all else is ADD."""
        return self.overwrite_cost / (1.0 + self.overwrite_cost)

    def expected(self, probabilities: Mapping[Operation, float]) -> dict[Operation, float]:
        """The expected cost of each operation."""
        return {
            done: sum(cost[right] * probabilities[right] for right in Operation) for done, cost in self.costs.items()
        }


DUPLICATE = 0.5  # the same fact twice
REWORDED = 0.4  # of an overwrite: the memory says the same in other words
SURE = 0.4  # the least probability of a destructive act outside the memory's own slot
LOST = 2.0  # a statement taken for known that was not


def judge(pairs: Sequence[Pair], model: Classifier, lexicon: Lexicon, policy: Policy) -> list[Verdict]:
    """The verdict on each pair by itself.

    Parameters
    ----------
    pairs : sequence of Pair
        ``n`` pairs of one candidate.
    model : Classifier
        The trained decision.
    lexicon : Lexicon
        For the comparison.
    policy : Policy
        The cost of overwriting.

    Returns
    -------
    list of Verdict
        ``n`` verdicts in the order of the pairs.
    """
    if not pairs:
        return []
    rows = vectors(pairs, lexicon)
    probabilities = model.probabilities(rows)
    verdicts = []
    for pair, row, p in zip(pairs, rows, probabilities, strict=True):
        named = as_operations(model, p)
        verdicts.append(verdict(compare(pair, lexicon), tuple(map(float, row)), named, policy, lexicon))
    return verdicts


def verdict(
    comparison: Comparison,
    row: tuple[float, ...],
    probabilities: Mapping[Operation, float],
    policy: Policy,
    lexicon: Lexicon,
) -> Verdict:
    """The verdict on one pair: rules, then the least expected cost of what is possible, then doubts.

    What exact comparison rules out has no probability (a logit with unavailable alternatives, Ben-Akiva and Lerman
    1985); what only speaks against an operation leaves its probability alone, but in that doubt both are kept.
    """
    ruled_out, doubts = apart(comparison, lexicon)
    told, probabilities = probabilities, possible(probabilities, ruled_out)
    predicted = max(sorted(probabilities), key=lambda o: probabilities[o])
    rule, operation = _by_rule(comparison, lexicon)
    if rule is not None:
        return Verdict(operation, predicted, probabilities, row, rule=rule, reasons=(RULES[rule],))
    expected = policy.expected(probabilities)
    cheapest = sorted(
        (o for o in expected if o not in ruled_out), key=lambda o: (round(expected[o], 9), -probabilities[o])
    )
    operation = cheapest[0]
    reason = f"{predicted} is most probable"
    if operation is not predicted:
        reason += (
            f" ({probabilities[predicted]:.2f}), but would cost {expected[predicted]:.2f} "
            f"where {operation} costs {expected[operation]:.2f}"
        )
    if operation in DESTRUCTIVE and told[operation] < SURE and not same_slot(comparison):
        # what is left over after ruling out is no reason by itself to overwrite
        operation, reason = Operation.ADD, f"{operation} is not probable enough where the slots differ"
    elif operation in doubts:
        reason = f"{doubts[operation]}, so {operation} is in doubt"
        operation = Operation.ADD if Operation.ADD in cheapest else next(o for o in cheapest if o not in doubts)
    return Verdict(
        operation,
        predicted,
        probabilities,
        row,
        destructive_blocked=not {predicted, cheapest[0]}.isdisjoint(DESTRUCTIVE) and operation not in DESTRUCTIVE,
        reasons=(reason,),
        costs=expected,
        ruled_out=ruled_out,
    )


def _by_rule(c: Comparison, lexicon: Lexicon) -> tuple[str | None, Operation]:
    """The rule that decides whatever the probabilities, and what it does."""
    if is_repetition(c.pair):
        return "same words", Operation.NOOP
    if (rule := ended_by_rule(c, lexicon)) is not None:
        return rule, Operation.DELETE
    return rule_of(c, lexicon), Operation.ADD


def possible(probabilities: Mapping[Operation, float], ruled_out: Container[Operation]) -> dict[Operation, float]:
    """The probabilities of what is not ruled out."""
    rest = max(sum(p for o, p in probabilities.items() if o not in ruled_out), 1e-9)
    return {o: 0.0 if o in ruled_out else p / rest for o, p in probabilities.items()}


RULES = {
    "same words": "it says the same in the same words",
    "no neighbour": "nothing stored is near enough to be touched",
    **FORCED,
    **ENDED,
}


def decide(
    candidate: Fact,
    pairs: Sequence[Pair],
    model: Classifier,
    lexicon: Lexicon,
    policy: Policy,
) -> Decision:
    """One decision for a fact against all its neighbours.

    Parameters
    ----------
    candidate : Fact
        What is new.
    pairs : sequence of Pair
        The candidate with each neighbour, nearest first.
    model, lexicon, policy
        As in ``judge``.

    Returns
    -------
    Decision
        ``operations`` hold the position of each memory that is touched.
    """
    verdicts = judge(pairs, model, lexicon, policy)
    if not verdicts:
        return _nothing_near(candidate)
    operations = _act(candidate, pairs, verdicts, lexicon)
    leading = operations[0] if operations else None
    nearest = min(range(len(pairs)), key=lambda i: (-round(pairs[i].text_cosine, 6), pairs[i].existing.text))
    shown = verdicts[leading[1]] if leading else verdicts[nearest]
    operation = leading[0] if leading else Operation.ADD
    blocked = any(v.destructive_blocked for v in verdicts) and operation not in DESTRUCTIVE
    return Decision(
        operation=operation,
        target=leading[1] if leading else None,
        operations=tuple(operations),
        predicted=verdicts[nearest].predicted,
        resolved_fact=candidate,
        confidence=float(shown.probabilities[operation]),
        probabilities={str(o): p for o, p in shown.probabilities.items()},
        reasons=shown.reasons,
        verdicts=tuple(verdicts),
        review=blocked,
    )


def _nothing_near(candidate: Fact) -> Decision:
    certain = {str(o): float(o is Operation.ADD) for o in Operation}
    return Decision(Operation.ADD, None, (), Operation.ADD, candidate, 1.0, certain, (RULES["no neighbour"],))


def _act(
    candidate: Fact, pairs: Sequence[Pair], verdicts: Sequence[Verdict], lexicon: Lexicon
) -> list[tuple[Operation, int]]:
    """A consistent set of operations, the leading one first; empty for a plain ADD."""

    def ranked(operation: Operation) -> list[int]:
        found = [i for i, v in enumerate(verdicts) if v.operation is operation]
        return sorted(found, key=lambda i: (-round(verdicts[i].probabilities[operation], 9),
                                            -round(pairs[i].text_cosine, 6), pairs[i].existing.text,
                                            _told_at(pairs[i])))  # fmt: skip

    def rivals_first(found: list[int]) -> list[int]:
        return sorted(found, key=lambda i: not _single_valued_rival(pairs[i], lexicon))

    same, ended = ranked(Operation.NOOP), ranked(Operation.DELETE)
    same.sort(key=lambda i: verdicts[i].rule is None)  # the same words before words that only mean the same
    changed = rivals_first(ranked(Operation.UPDATE))
    if any(verdicts[i].rule in ENDED for i in ended):
        changed = []  # what ended was named; nothing else takes its place
    if same and not (ended and verdicts[ended[0]].probabilities[Operation.DELETE]
                     > verdicts[same[0]].probabilities[Operation.NOOP]):  # fmt: skip
        rivals = [i for i in changed if _single_valued_rival(pairs[i], lexicon)]
        return [(Operation.NOOP, same[0]), *((Operation.DELETE, i) for i in rivals)]
    if changed:
        closed = {i for i in changed[1:] if _single_valued_rival(pairs[i], lexicon)} | {*ended}
        closed |= _said_with(changed[0], pairs, lexicon) - {changed[0]}
        return [(Operation.UPDATE, changed[0]), *((Operation.DELETE, i) for i in sorted(closed))]
    if candidate.all_of:
        ended = _of_the_kind(verdicts, ended)
    elif ended:
        ended = _the_one_named(candidate, pairs, verdicts, ended)
        ended = _what_is_meant(candidate, pairs, verdicts, ended, lexicon)
    more = {j for i in ended for j in _said_with(i, pairs, lexicon)} - {*ended} if ended else set()
    return [(Operation.DELETE, i) for i in (*ended, *sorted(more))]


def _told_at(pair: Pair) -> float:
    """When a memory was told: of two in the same words the one that was known first survives
    (mcp-memory-service#1180), in whatever order they were stored."""
    told = pair.existing.said_at
    return told.timestamp() if told is not None else 0.0


def _of_the_kind(verdicts: Sequence[Verdict], ended: list[int]) -> list[int]:
    """The end of every one of a kind ends its members alone: "gave away all the guitars" ends no playing of the
    guitar, "sold all my cars" no bike."""
    return [i for i in ended if verdicts[i].rule in ENDED] or ended


def _said_with(at: int, pairs: Sequence[Pair], lexicon: Lexicon) -> set[int]:
    """Memories of the same sentence that hold the value which is no longer so.

    "I am working at Nirvaan in Surat" leaves where somebody works and for whom; the new employer ends both.
    """
    gone, new = pairs[at].existing, pairs[at].candidate
    value = words_of(gone.object).names
    if (
        gone.span is None
        or not value
        or lexicon.cardinality(gone.attribute) != "one"
        or value & words_of(new.text).names
    ):
        return set()
    return {
        i
        for i, pair in enumerate(pairs)
        if pair.existing.span == gone.span
        and pair.existing.subject == gone.subject
        and pair.existing.kind is Kind.STATE
        and value <= words_of(pair.existing.text).names
    }


def _single_valued_rival(pair: Pair, lexicon: Lexicon) -> bool:
    """Whether two values of an attribute cannot both stand."""
    c = compare(pair, lexicon)
    only = "only now" in c.cues and c.same_attribute
    return c.same_subject and (c.excluded or only or c.same_attribute and c.cardinality == "one")


def _what_is_meant(
    candidate: Fact, pairs: Sequence[Pair], verdicts: Sequence[Verdict], ended: list[int], lexicon: Lexicon
) -> list[int]:
    """An ending that names its object ends what shares the name; one that names none ends the best match.

    The end of somebody (a death) ends what is said of them.
    """
    if len(ended) < 2:
        return ended
    comparisons = {i: compare(pairs[i], lexicon) for i in ended}
    thing = words_of(candidate.object).stems
    naming = [i for i in ended if thing & words_of(pairs[i].existing.object).stems or comparisons[i].names_equal
              or comparisons[i].excluded or _ends_party(comparisons[i]) or verdicts[i].rule in ENDED]  # fmt: skip
    return naming or ended[:1]


def _the_one_named(candidate: Fact, pairs: Sequence[Pair], verdicts: Sequence[Verdict], ended: list[int]) -> list[int]:
    """ "Sold the bike", where a mountain bike and a racing bike are known, names neither."""
    named = [
        i for i in ended if verdicts[i].rule == "named as over" and pairs[i].existing.attribute == candidate.attribute
    ]
    things = {words_of(pairs[i].existing.object).stems for i in named}
    if len(things) < 2 or _is_plural(candidate.object):
        return ended
    exact = [i for i in named if words_of(pairs[i].existing.object).stems == words_of(candidate.object).stems]
    return [i for i in ended if i not in named or i in exact]


def _is_plural(value: str) -> bool:
    last = value.split()[-1] if value else ""
    return singular(last.lower()) != last.lower()


def _ends_party(c: Comparison) -> bool:
    """Whether the statement is about a party that the memory names or is about: "Biscuit died"."""
    return c.subject_mentioned and not c.same_subject or c.pair.candidate.attribute == "death" and c.same_subject
