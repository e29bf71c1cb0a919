"""When each version of a memory was true: a pure fold over what was done to it.

Every write leaves one ``Step``. The valid time of all versions follows from the steps in the order of
recording, so taking a decision back is folding again without its steps, whatever was done since.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from engine.types import Instant, Kind

_BEGINNING = datetime.min.replace(tzinfo=UTC)


class StepKind(StrEnum):
    """What was done to a memory."""

    ADD = "add"
    CHANGED = "changed"
    CORRECTED = "corrected"
    REFINED = "refined"
    EARLIER = "earlier"
    END = "end"
    VOID = "void"
    NOOP = "noop"
    REVIVE = "revive"


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to a memory.

    ``number`` is the version that the step made (for ``noop`` the one it confirmed, 0 for ``end`` and
    ``void``), ``told`` the time of the message, ``target`` the version it touched where the caller knew.
    ``valid_to`` of an ``end`` is the moment of the end.
    """

    kind: StepKind
    number: int
    told: datetime
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    target: int | None = None
    fact_kind: Kind = Kind.STATE
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """The valid time of one version, ``[valid_from, valid_to)``; None is unbounded."""

    number: int
    valid_from: Instant | None
    valid_to: Instant | None
    void: bool = False
    reason: str | None = None

    @property
    def begins(self) -> datetime:
        return _BEGINNING if self.valid_from is None else self.valid_from.at

    @property
    def empty(self) -> bool:
        """True for an interval that holds no moment."""
        return self.valid_to is not None and self.valid_to.at <= self.begins

    def covers(self, moment: datetime) -> bool:
        """Whether the version is true at ``moment``."""
        return not self.void and self.begins <= moment and (self.valid_to is None or moment < self.valid_to.at)


@dataclass(frozen=True, slots=True)
class Timeline:
    """The valid time of all versions, by number, and the reason why the memory is over, if it is."""

    stretches: tuple[Stretch, ...] = ()
    tombstone: str | None = None

    def at(self, moment: datetime) -> Stretch | None:
        """The version that answers for ``moment``: of those that cover it the latest begun, then the
        latest recorded."""
        return max((s for s in self.stretches if s.covers(moment)), key=_order, default=None)

    def last(self) -> Stretch | None:
        """The version at the end of the line, whether or not that moment has come or gone."""
        return max((s for s in self.stretches if not s.void), key=_order, default=None)


def fold(steps: Iterable[Step]) -> Timeline:
    """The valid time of every version after ``steps``, which are in the order of recording.

    Args:
        steps: what was done to one memory, without what was taken back.

    Returns:
        The timeline; versions whose step is missing are missing in it.
    """
    return _fold(tuple(steps))


def forget() -> None:
    """Drops the remembered timelines, whose reasons may hold words of a purged message."""
    _fold.cache_clear()


@lru_cache(maxsize=256)
def _fold(steps: tuple[Step, ...]) -> Timeline:
    # Remembered: a write asks for the same memory's timeline before and after, and so does the next one.
    builder = _Builder()
    for step in steps:
        builder.take(step)
    return Timeline(tuple(builder.stretches[n] for n in sorted(builder.stretches)), builder.tombstone)


def _order(stretch: Stretch) -> tuple[datetime, int]:
    return stretch.begins, stretch.number


class _Builder:
    """The state of a fold. ``told`` holds the times at which each version was told and confirmed."""

    def __init__(self) -> None:
        self.stretches: dict[int, Stretch] = {}
        self.told: dict[int, list[datetime]] = {}
        self.tombstone: str | None = None

    def take(self, step: Step) -> None:
        match step.kind:
            case StepKind.ADD:
                self._put(step, step.valid_from, step.valid_to)
            case StepKind.CHANGED:
                self._change(step, self._touched(step))
            case StepKind.REVIVE:
                self._change(step, None)
            case StepKind.CORRECTED | StepKind.REFINED:
                self._correct(step)
            case StepKind.EARLIER:
                self._go_before(step)
            case StepKind.NOOP:
                self._confirm(step)
            case StepKind.END:
                for stretch in self._live():
                    self._close(stretch, step.valid_to or Instant(step.told))
                self.tombstone = step.reason
            case StepKind.VOID:
                for stretch in self._live():
                    self._annul(stretch, step)
                self.tombstone = step.reason

    def _live(self) -> list[Stretch]:
        return [s for _, s in sorted(self.stretches.items()) if not s.void]

    def _touched(self, step: Step) -> Stretch | None:
        """The version that an update is about: the named one, else the one true when it was told, else
        the last."""
        if step.target is not None and step.target in self.stretches and not self.stretches[step.target].void:
            return self.stretches[step.target]
        line = Timeline(tuple(self._live()))
        return line.at(step.told) or line.last()

    def _put(
        self, step: Step, begin: Instant | None, end: Instant | None, told: Iterable[datetime] = (), void: bool = False
    ) -> None:
        if begin is not None and end is not None and end.at < begin.at:
            end = begin  # an interval is never inside out, only empty
        self.stretches[step.number] = Stretch(step.number, begin, end, void, step.reason)
        self.told[step.number] = [*told, step.told]

    def _close(self, stretch: Stretch, at: Instant) -> None:
        if stretch.valid_to is not None and stretch.valid_to.at <= at.at:
            return
        begin = stretch.valid_from
        end = begin if begin is not None and begin.at > at.at else at
        self.stretches[stretch.number] = replace(stretch, valid_to=end)

    def _annul(self, stretch: Stretch, step: Step) -> None:
        self.stretches[stretch.number] = replace(stretch, void=True, reason=step.reason or str(step.kind))

    def _change(self, step: Step, touched: Stretch | None) -> None:
        """A new value from ``start``. What was touched, and all before it, ends there; a version that was
        already known to begin later stays, and the new one lasts until then."""
        start = step.valid_from or Instant(step.told)
        end = step.valid_to
        for stretch in self._live():
            before = touched is None or _order(stretch) <= _order(touched)
            if before or stretch.begins <= start.at:
                self._close(stretch, start)
            elif not stretch.empty and (end is None or stretch.begins < end.at):
                end = stretch.valid_from
        self._put(step, start, end)
        self.tombstone = None

    def _correct(self, step: Step) -> None:
        """The touched version was never true; the new one takes its place."""
        old = self._touched(step)
        if old is None:
            self._change(step, None)
            return
        begin = step.valid_from or old.valid_from
        if begin is None and step.fact_kind is not Kind.STATE:
            begin = Instant(step.told)
        end = step.valid_to or old.valid_to
        if step.valid_to is None and begin is not None and end is not None and end.at <= begin.at and not old.empty:
            end = None
        self._annul(old, step)
        for stretch in self._live():
            if begin is None or stretch.begins >= begin.at:
                continue
            if old.valid_from is not None and stretch.valid_to == old.valid_from:
                # it ended where the corrected one began, so it ends where the correction begins
                self.stretches[stretch.number] = replace(stretch, valid_to=begin)
            else:
                self._close(stretch, begin)
        self._put(step, begin, end, self.told[old.number])
        if end is None:
            self.tombstone = None

    def _go_before(self, step: Step) -> None:
        """A statement told before what is known: it lasts until the first thing told later begins."""
        live = self._live()
        if not live and self.tombstone is not None:
            self._put(step, step.valid_from, step.valid_to, void=True)  # the retraction covers it too
            return
        ends = [] if step.valid_to is None else [step.valid_to]
        older: list[Stretch] = []
        nested = False
        for stretch in live:
            told = self.told[stretch.number]
            if min(told) > step.told:
                ends.append(self._anchor(stretch, min(told)))
            elif max(told) > step.told:  # told before and confirmed after: the same value came back
                nested = True
                ends.append(Instant(min(t for t in told if t > step.told)))
            else:
                older.append(stretch)
        if self.tombstone is not None:
            ends.append(max((s.valid_to for s in live if s.valid_to is not None), key=lambda end: end.at))
        begin = step.valid_from
        if begin is None and (older or nested):
            begin = Instant(step.told)
        if begin is not None:
            for stretch in older:
                self._close(stretch, begin)
        self._put(step, begin, min(ends, key=lambda end: end.at, default=None))

    def _anchor(self, stretch: Stretch, told: datetime) -> Instant:
        """Where a version begins; an unbounded one is known to be true from when it was told."""
        if stretch.valid_from is not None:
            return stretch.valid_from
        begin = Instant(told)
        if stretch.valid_to is not None and stretch.valid_to.at < told:
            begin = stretch.valid_to
        self.stretches[stretch.number] = replace(stretch, valid_from=begin)
        return begin

    def _confirm(self, step: Step) -> None:
        stretch = self.stretches.get(step.number)
        if stretch is None:
            return
        told = self.told[step.number]
        begin = step.valid_from
        if (
            begin is not None
            and not stretch.void
            and stretch.valid_from is None
            and begin.at <= min(told)  # a later date would deny what was already told as true
            and (stretch.valid_to is None or begin.at < stretch.valid_to.at)
        ):
            self.stretches[step.number] = replace(stretch, valid_from=begin)
        told.append(step.told)
