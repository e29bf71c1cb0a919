"""The hand-written baseline: what one would write instead of training, as a scikit-learn estimator.

An ordered table; the first rule that holds of a comparison gives the label. ``fit`` learns nothing, so that
rules, cosine and model are scored by one harness. ``fired`` tells how often each rule spoke and how often it
was right (as snorkel does of labelling functions).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from engine.comparison import Comparison, is_past
from engine.types import Kind, Modality, Operation
from training.metrics import Part


@dataclass(frozen=True, slots=True)
class Rule:
    """A label and when it is given."""

    name: str
    label: Operation
    holds: Callable[[Comparison], bool]


def _another_subject(c: Comparison) -> bool:
    """The same is told of somebody else. Subjects that merely look unlike say little: one person has many names."""
    return not c.same_subject and (c.same_predicate or c.same_attribute) and c.object_shared > 0


def _hedged(c: Comparison) -> bool:
    return c.pair.candidate.modality is not Modality.ASSERTED and c.pair.existing.modality is Modality.ASSERTED


def _over(c: Comparison) -> bool:
    return (c.candidate_ends or c.candidate_negative) and not (c.existing_ends or c.existing_negative)


def _same_matter(c: Comparison) -> bool:
    return c.same_attribute or c.same_group or c.same_predicate or c.excluded


def _same_value(c: Comparison) -> bool:
    return c.object_equal or c.candidate_object_in_existing or c.object_shared > 0.5


def _meets(c: Comparison) -> bool:
    """Whether the values have something in common, or there is nothing to compare."""
    return not c.both_objects or c.object_shared > 0 or c.candidate_covers > 0.5


def _one_value(c: Comparison) -> bool:
    return c.same_attribute and c.cardinality == "one"


def _replaces(c: Comparison) -> bool:
    return c.correction or ("instead" in c.cues and not c.pair.candidate.bare)


def _dated_apart(c: Comparison) -> bool:
    return (c.numbers_differ or c.times_differ) and (c.object_shared > 0 or c.same_attribute)


RULES: tuple[Rule, ...] = (
    Rule("the same of another subject", Operation.ADD, _another_subject),
    Rule("only possible or wished for", Operation.ADD, _hedged),
    Rule("says that something took its place", Operation.UPDATE,
         lambda c: _replaces(c) and (_same_matter(c) or c.object_shared > 0)),
    Rule("ended or denied", Operation.DELETE, lambda c: _over(c) and _meets(c)),
    Rule("ended or denied, of something else", Operation.ADD, _over),
    Rule("affirmed where it was denied", Operation.UPDATE,
         lambda c: c.existing_negative and not c.candidate_negative and _meets(c)),
    Rule("opposites", Operation.UPDATE, lambda c: c.antonyms and not is_past(c.pair.candidate)),
    Rule("two events", Operation.ADD,
         lambda c: c.pair.candidate.kind is Kind.EVENT and c.pair.existing.kind is Kind.EVENT and c.jaccard < 0.5),
    Rule("counted or dated differently", Operation.UPDATE, lambda c: _same_matter(c) and _dated_apart(c)),
    Rule("the same words or fewer", Operation.NOOP, lambda c: c.new_words == 0),
    Rule("the same value", Operation.NOOP, lambda c: _same_matter(c) and _same_value(c)),
    Rule("the old value and more", Operation.UPDATE, lambda c: _same_matter(c) and c.existing_object_in_candidate),
    Rule("another value of what holds one", Operation.UPDATE,
         lambda c: (_one_value(c) or c.excluded) and not is_past(c.pair.candidate)),
    Rule("alike in meaning", Operation.NOOP, lambda c: c.pair.text_cosine > 0.7 and not c.names_differ),
    Rule("nothing in common", Operation.ADD, lambda c: True),
)  # fmt: skip


class RuleBaseline(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Says what the first rule that holds says.

    Attributes
    ----------
    classes_ : ndarray of str
    """

    def fit(self, comparisons: Sequence[Comparison], labels: npt.NDArray[np.str_] | None = None) -> Self:
        """Learns nothing; here for the harness."""
        self.classes_ = np.array(sorted(map(str, Operation)))
        return self

    def predict(self, comparisons: Sequence[Comparison]) -> npt.NDArray[np.str_]:
        """The label of each comparison, shape [n]."""
        return np.array([str(rule_of(c).label) for c in comparisons], dtype=np.str_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags


def rule_of(comparison: Comparison) -> Rule:
    """The first rule that holds; the last one always does."""
    return next(rule for rule in RULES if rule.holds(comparison))


def fired(comparisons: Sequence[Comparison], labels: npt.NDArray[np.str_]) -> tuple[Part, ...]:
    """How often each rule spoke and was right, in the order of ``RULES``."""
    spoke, right = Counter[str](), Counter[str]()
    for comparison, label in zip(comparisons, labels, strict=True):
        rule = rule_of(comparison)
        spoke[rule.name] += 1
        right[rule.name] += rule.label == label
    return tuple(Part(rule.name, spoke[rule.name], right[rule.name]) for rule in RULES)
