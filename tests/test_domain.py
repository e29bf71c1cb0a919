"""What own pairs bring: halves that split no group, own pairs that count more, figures of both."""

from __future__ import annotations

import numpy as np
from training_kit import prepared

from training.domain import gain, halves, joined
from training.fit import OWN_WEIGHT
from training.train import heavier, subset


def _two_parts():
    groups = sorted(set(prepared().groups))
    own = set(groups[: len(groups) // 3])
    inside = np.array([group in own for group in prepared().groups])
    return subset(prepared(), np.flatnonzero(~inside)), subset(prepared(), np.flatnonzero(inside))


def test_the_halves_split_no_group_and_hold_everything():
    one, other = halves(prepared())
    assert sorted([*one, *other]) == list(range(len(prepared().labels)))
    assert not set(prepared().groups[one]) & set(prepared().groups[other])
    assert list(halves(prepared())[0]) == list(one)


def test_own_pairs_are_as_heavy_as_several_shipped_ones():
    general, own = _two_parts()
    both = joined(general, own)
    n = len(general.labels)
    assert list(both.weights[n:]) == [w * OWN_WEIGHT for w in own.weights] and list(both.weights[:n]) == list(general.weights)
    keys = {own.pairs[0].key}
    changed = heavier(prepared(), keys)
    told = {p.key: w for p, w in zip(changed.pairs, changed.weights, strict=True)}
    assert told.pop(own.pairs[0].key) == OWN_WEIGHT and set(told.values()) <= {0.5, 1.0}


def test_the_gain_is_told_beside_what_the_others_lose():
    general, own = _two_parts()
    found = gain(general, own)
    assert found.pairs == len(own.labels) and found.groups == len(set(own.groups))
    for figure in (found.before, found.after, found.general_before, found.general_after):
        assert 0.0 <= figure <= 1.0
    assert f"{found.before:.3f} → {found.after:.3f}" in found.as_text()
