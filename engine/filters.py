"""Search filters as in mem0: a mapping of conditions that becomes one predicate over memories.

``{"kind": "state", "score": {"gte": 3}, "OR": [{"tag": "a"}, {"tag": {"in": ["b", "c"]}}]}``

A key names one of the memory's own fields (``FIELDS``) or else a key of its metadata. Its value is a mapping
of operators that must all hold, ``"*"`` for any value present, or a bare value for ``eq``. ``AND``, ``OR``
and ``NOT`` take a list of filters or a single one; ``NOT`` of a list holds where none of them does.

A key that is absent counts as null. Unlike types never compare: ``eq`` and the orderings are then false,
``ne`` and ``nin`` (their negations) true. A bool is no number. Strings are ordered by code points, which is
the order of time for ISO 8601 in UTC.
"""

from __future__ import annotations

import difflib
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from engine.errors import FilterError
from engine.types import Scope, Stored

Predicate = Callable[[Stored], bool]
Test = Callable[[Any], bool]

ANY = "*"
MAX_DEPTH = 32
"""How deep filters may be nested: they may come over the network."""
IDS = ("user_id", "agent_id", "run_id")

FIELDS: dict[str, Callable[[Stored], str | None]] = {
    "kind": lambda memory: str(memory.fact.kind),
    "attribute": lambda memory: memory.fact.attribute,
    "subject": lambda memory: memory.fact.subject,
    "polarity": lambda memory: str(memory.fact.polarity),
    "user_id": lambda memory: memory.scope.user_id,
    "agent_id": lambda memory: memory.scope.agent_id,
    "run_id": lambda memory: memory.scope.run_id,
}
"""The memory's own fields; they go before metadata keys of the same name."""


def compile(filters: Mapping[str, Any]) -> Predicate:
    """Turn filters into a predicate.

    Parameters
    ----------
    filters : mapping
        All of its conditions must hold; an empty one lets everything pass.

    Returns
    -------
    callable
        Takes a ``Stored`` and tells whether it passes; never raises.

    Raises
    ------
    FilterError
        F401 for a filter that is no mapping or a key that is no string; F402 for an unknown operator, naming
        the allowed ones; F403 for an operand of a type its operator cannot take; F404 for ``AND``, ``OR`` or
        ``NOT`` of something else than filters; F405 for filters nested too deep.
    """
    return _filter(filters, 0)


def scope_of(filters: Mapping[str, Any]) -> Scope:
    """The ids that filters demand, so that a scope may be given inside them.

    Only what must hold counts: plain equality at the top or within ``AND``, never below ``OR`` or ``NOT``.

    Raises
    ------
    FilterError
        F406 where two different values of one id are demanded.
    """
    found: dict[str, str] = {}
    pending: list[Any] = [filters]
    while pending:
        part = pending.pop()
        if not isinstance(part, Mapping):
            continue
        inner = part.get("AND", ())
        pending.extend(inner if isinstance(inner, list | tuple) else [inner])
        for name in IDS:
            value = part.get(name)
            if isinstance(value, Mapping):
                value = value.get("eq")
            elif value == ANY:
                continue
            if isinstance(value, str) and found.setdefault(name, value) != value:
                both = " and ".join(map(repr, sorted((found[name], value))))
                raise FilterError("F406", f"the filters demand two values of {name}: {both}; keep one")
    return Scope(**found)


def _filter(filters: Any, depth: int) -> Predicate:
    if depth > MAX_DEPTH:
        raise FilterError("F405", f"filters are nested more than {MAX_DEPTH} deep; flatten them")
    if not isinstance(filters, Mapping):
        raise FilterError("F401", f"a filter is a mapping of keys to conditions, not {_shown(filters)}")
    return _all([_entry(key, value, depth) for key, value in filters.items()])


def _entry(key: Any, value: Any, depth: int) -> Predicate:
    if not isinstance(key, str):
        raise FilterError("F401", f"a filter's keys are strings, not {_shown(key)}")
    if key in LOGIC:
        return LOGIC[key]([_filter(part, depth + 1) for part in _parts(key, value)])
    meant = key.lstrip("$").upper()
    if meant in LOGIC and isinstance(value, list | tuple) and value and all(isinstance(v, Mapping) for v in value):
        # Taken as a metadata key it would match nothing, in silence.
        raise FilterError("F402", f"unknown operator {key!r}; did you mean {meant!r}? Allowed: {', '.join(LOGIC)}")
    return _field(key, _condition(key, value))


def _parts(key: str, value: Any) -> Sequence[Any]:
    parts = [value] if isinstance(value, Mapping) else value
    if not isinstance(parts, list | tuple) or not parts:
        raise FilterError("F404", f"{key} takes a filter or a non-empty list of filters, not {_shown(value)}")
    return parts


def _field(key: str, test: Test) -> Predicate:
    own = FIELDS.get(key)
    if own is not None:
        return lambda memory: test(own(memory))
    return lambda memory: test(memory.metadata.get(key))


def _condition(key: str, value: Any) -> Test:
    if isinstance(value, str) and value == ANY:
        return lambda found: found is not None
    if not isinstance(value, Mapping):
        return _eq(key, "eq", value)
    if not value:
        raise FilterError("F402", f"no operator for {key!r}; allowed: {', '.join(OPERATORS)}, or '*' for any value")
    tests = []
    for name, operand in value.items():
        if name not in OPERATORS:
            near = difflib.get_close_matches(str(name).lower().lstrip("$"), OPERATORS, n=1)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise FilterError("F402", f"unknown operator {name!r} for {key!r}; {hint}Allowed: {', '.join(OPERATORS)}")
        tests.append(OPERATORS[name](key, name, operand))
    return lambda found: all(test(found) for test in tests)


def _kind(value: Any) -> str:
    """The type a value compares as; values of two kinds never compare."""
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    if isinstance(value, list | tuple):
        return "list"
    return "null" if value is None else "mapping" if isinstance(value, Mapping) else type(value).__name__


def _equal(one: Any, other: Any) -> bool:
    kind = _kind(one)
    if kind != _kind(other):
        return False
    if kind == "list":
        return len(one) == len(other) and all(map(_equal, one, other))
    if kind == "mapping":
        return one.keys() == other.keys() and all(_equal(one[key], other[key]) for key in one)
    return bool(one == other)


def _refuse(key: str, name: str, operand: Any, expected: str) -> FilterError:
    return FilterError("F403", f"{name} for {key!r} takes {expected}, not {_shown(operand)}")


def _eq(key: str, name: str, operand: Any) -> Test:
    if _kind(operand) not in ("bool", "number", "string", "list", "null", "mapping"):
        raise _refuse(key, name, operand, "a JSON value")
    return lambda found: _equal(found, operand)


def _in(key: str, name: str, operand: Any) -> Test:
    if not isinstance(operand, list | tuple | set | frozenset):
        raise _refuse(key, name, operand, "a list of values")
    allowed = [_eq(key, name, item) for item in operand]
    return lambda found: any(test(found) for test in allowed)


def _ordering(compare: Callable[[Any, Any], bool]) -> Callable[[str, str, Any], Test]:
    def build(key: str, name: str, operand: Any) -> Test:
        kind = _kind(operand)
        if kind not in ("number", "string"):
            raise _refuse(key, name, operand, "a number or a string")
        return lambda found: _kind(found) == kind and compare(found, operand)

    return build


def _contains(key: str, name: str, operand: Any) -> Test:
    """A part of a string, or a member of a list."""
    if _kind(operand) not in ("bool", "number", "string"):
        raise _refuse(key, name, operand, "a string (or, for lists, a number or bool)")

    def test(found: Any) -> bool:
        if isinstance(found, str):
            return isinstance(operand, str) and operand in found
        return isinstance(found, list | tuple) and any(_equal(item, operand) for item in found)

    return test


def _icontains(key: str, name: str, operand: Any) -> Test:
    if not isinstance(operand, str):
        raise _refuse(key, name, operand, "a string")
    wanted = operand.casefold()

    def test(found: Any) -> bool:
        if isinstance(found, str):
            return wanted in found.casefold()
        members = found if isinstance(found, list | tuple) else ()
        return any(isinstance(item, str) and item.casefold() == wanted for item in members)

    return test


def _negated(build: Callable[[str, str, Any], Test]) -> Callable[[str, str, Any], Test]:
    def negated(key: str, name: str, operand: Any) -> Test:
        test = build(key, name, operand)
        return lambda found: not test(found)

    return negated


OPERATORS: dict[str, Callable[[str, str, Any], Test]] = {
    "eq": _eq,
    "ne": _negated(_eq),
    "gt": _ordering(operator.gt),
    "gte": _ordering(operator.ge),
    "lt": _ordering(operator.lt),
    "lte": _ordering(operator.le),
    "in": _in,
    "nin": _negated(_in),
    "contains": _contains,
    "icontains": _icontains,
}
"""What may stand in a condition; each takes the key, its own name and the operand, and gives a test."""


def _all(parts: Iterable[Predicate]) -> Predicate:
    tests = tuple(parts)
    return lambda memory: all(test(memory) for test in tests)


def _any(parts: Iterable[Predicate]) -> Predicate:
    tests = tuple(parts)
    return lambda memory: any(test(memory) for test in tests)


def _none(parts: Iterable[Predicate]) -> Predicate:
    some = _any(parts)
    return lambda memory: not some(memory)


LOGIC: dict[str, Callable[[Iterable[Predicate]], Predicate]] = {"AND": _all, "OR": _any, "NOT": _none}


def _shown(value: Any) -> str:
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= 60 else text[:57] + '...'}"
