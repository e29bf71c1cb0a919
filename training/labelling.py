"""One pair after another, labelled by a person: what is asked next, what was answered, and how to take it back.

Nothing here knows of a terminal. An answer is on the disk before the next question is given, so that a process that is
killed loses nothing; taking one back writes the file anew in one step.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import InputError
from engine.explain import Bar
from engine.types import Operation
from training.manifest import settle
from training.pairs import LabelledPair, as_line, read_pairs

SOURCE = "label"
REASONS = 3
"""How many features are kept of a pair as its reasons: a large database has a hundred thousand pairs."""
_BEGINS = b'{"existing": "'
"""How each line begins that ``training.pairs.as_line`` writes."""


@dataclass(frozen=True, slots=True)
class Told:
    """A sentence that a statement came from, with what stood ``around`` it; ``sentence`` is empty where only the rest is
    known."""

    sentence: str
    speaker: str = ""
    at: str = ""
    around: str = ""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What the model makes of a pair: its most probable label, what is done in the end and why, and the ``REASONS``
    features with the greatest part in that label's log-odds."""

    predicted: Operation
    operation: Operation
    probabilities: Mapping[Operation, float]
    bars: tuple[Bar, ...] = ()
    reason: str = ""

    @property
    def margin(self) -> float:
        """By how much the most probable label leads the next one."""
        first, second = sorted(self.probabilities.values(), reverse=True)[:2]
        return round(first - second, 6)


@dataclass(frozen=True, slots=True)
class Question:
    """A pair to label, with what helps to judge it.

    ``waiting`` marks one that waits for review, ``proposal`` is somebody else's label.
    """

    existing: str
    candidate: str
    opinion: Opinion
    existing_told: tuple[Told, ...] = ()
    candidate_told: tuple[Told, ...] = ()
    waiting: bool = False
    proposal: Operation | None = None
    group: str = ""
    family: str = ""
    attribute: str = ""
    note: str = ""

    @property
    def key(self) -> tuple[str, str]:
        return self.existing, self.candidate

    @property
    def disagrees(self) -> bool:
        """Whether the most probable label is not what is done, or not what was proposed."""
        predicted = self.opinion.predicted
        return predicted is not self.opinion.operation or self.proposal not in (None, predicted)

    def labelled(self, label: Operation) -> LabelledPair:
        """The pair that an answer makes."""
        return LabelledPair(
            self.existing, self.candidate, label, group=self.group or group_of(self.candidate), family=self.family,
            attribute=self.attribute, reviewed=True, source=SOURCE, note=self.note,
        )  # fmt: skip


def group_of(candidate: str) -> str:
    """The group of all pairs of one new statement, whatever file they come from: a test on one must not have been
    trained on another."""
    return f"label:{hashlib.sha256(candidate.encode()).hexdigest()[:12]}"


def in_order(questions: Iterable[Question]) -> list[Question]:
    """Each pair once, the most telling first.

    What waits for review, then where the most probable label is not what is done or proposed, then the rest; the least
    margin first in each. Of a pair that was met several times the most telling one is kept, with the first proposal.
    """

    def rank(q: Question) -> tuple[object, ...]:
        return not q.waiting, not q.disagrees, q.opinion.margin, q.key, q.note

    found: dict[tuple[str, str], Question] = {}
    for question in sorted(questions, key=rank):
        held = found.setdefault(question.key, question)
        if held.proposal is None and question.proposal is not None:
            found[question.key] = replace(held, proposal=question.proposal)
    return sorted(found.values(), key=rank)


@dataclass(frozen=True, slots=True)
class Counts:
    """How far it is: ``labelled`` pairs of the queue, of which ``agreed`` with the model's most probable label,
    ``given`` in this session, ``skipped`` and ``left`` in it."""

    labelled: int
    left: int
    skipped: int
    given: int
    agreed: int
    labels: Mapping[str, int] = field(default_factory=dict)


class LabelFile:
    """A JSONL file of labelled pairs that grows line by line.

    Parameters
    ----------
    path : Path
        Made with the first line. A last line that a killed process left half written is dropped: it was never
        confirmed.

    Raises
    ------
    InputError
        F050: a line is no labelled pair. F852: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()  # the target of a link is rewritten, not the link
        content = self._content()
        whole, _, last = content.rpartition(b"\n")
        self.dropped = _is_torn(last)
        if self.dropped:
            content = whole + b"\n" if whole else b""
            self._replace(content)
        self.pairs = {pair.key: pair for pair in read_pairs([self.path])} if content else {}
        self.lines = [line for line in content.split(b"\n") if line.strip()]

    def append(self, pair: LabelledPair) -> bytes:
        """Puts a pair at the end and on the disk; returns its line."""
        line = as_line(pair).encode()
        size = None
        try:
            with self.path.open("ab+") as file:
                size = file.seek(0, os.SEEK_END)
                file.seek(max(0, size - 1))
                file.write(line if file.read(1) in (b"", b"\n") else b"\n" + line)
                file.flush()
                os.fsync(file.fileno())
            if size == 0:
                settle(self.path.parent)
        except OSError as error:
            if size is not None:
                with suppress(OSError):
                    os.truncate(self.path, size)  # a full disk: no half of a line stays
            raise self._unwritable(error) from error
        return line.rstrip(b"\n")

    def remove(self, line: bytes) -> None:
        """Takes the last line that reads so out of the file; everything else stays as it is, byte for byte."""
        lines = self._content().split(b"\n")
        places = [n for n, held in enumerate(lines) if held == line]
        if places:
            del lines[places[-1]]
            self._replace(b"\n".join(lines))

    def _content(self) -> bytes:
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return b""
        except OSError as error:
            raise self._unwritable(error) from error

    def _replace(self, content: bytes) -> None:
        """The whole file at once: whoever reads meanwhile finds the former lines or the new ones."""
        fresh = self.path.with_name(f".{self.path.name}.new")
        try:
            with fresh.open("wb") as file:
                shutil.copymode(self.path, fresh)  # before there is anything to read in it
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(fresh, self.path)
            settle(self.path.parent)
        except OSError as error:
            raise self._unwritable(error) from error
        finally:
            fresh.unlink(missing_ok=True)

    def _unwritable(self, error: OSError) -> InputError:
        return InputError("F852", f"cannot write {self.path}: {error.strerror or error}; give another file with --out")


def _is_torn(line: bytes) -> bool:
    """Whether the end of a file is the beginning of a line of ours, and not all of it."""
    if not line or not (line.startswith(_BEGINS) or _BEGINS.startswith(line)):
        return False
    try:
        json.loads(line)
    except ValueError:
        return True
    return False


@dataclass(frozen=True, slots=True)
class _Done:
    """What can be taken back: a pair and its line, None where it was skipped; ``is_new`` where it is of this session."""

    key: tuple[str, str]
    line: bytes | None
    is_new: bool = True


class Session:
    """Asks a queue of pairs and writes the answers.

    Parameters
    ----------
    questions : sequence of Question
        In the order in which they are asked; each pair once. Those that stand in the file are not asked.
    file : LabelFile
        Where the answers go.

    Examples
    --------
    >>> session = Session(questions, LabelFile(Path("mine.jsonl")))  # doctest: +SKIP
    >>> session.answer(Operation.UPDATE)  # doctest: +SKIP
    """

    def __init__(self, questions: Sequence[Question], file: LabelFile) -> None:
        self.file = file
        self._questions = {question.key: question for question in questions}
        self._order = list(self._questions)
        self._labels = {key: pair.label for key, pair in file.pairs.items() if key in self._questions}
        self._skipped: set[tuple[str, str]] = set()
        self._past = [done for done in _earlier(file.lines) if done.key in self._labels]
        self._again: list[tuple[str, str]] = []  # taken back, the last at the end
        self._next = 0

    def next(self) -> Question | None:
        """The pair that is to be answered now; None at the end."""
        while self._again:
            if self._is_open(self._again[-1]):
                return self._questions[self._again[-1]]
            self._again.pop()
        while self._next < len(self._order):
            if self._is_open(self._order[self._next]):
                return self._questions[self._order[self._next]]
            self._next += 1
        return None

    def answer(self, label: Operation) -> None:
        """Labels the pair that ``next`` gives. When this returns, the label is on the disk.

        Raises
        ------
        InputError
            F852: it could not be written; the pair is still to be answered.
        """
        question = self._current()
        line = self.file.append(question.labelled(label))
        self._labels[question.key] = label
        self._past.append(_Done(question.key, line))

    def skip(self) -> None:
        """Leaves the pair that ``next`` gives for another session."""
        question = self._current()
        self._skipped.add(question.key)
        self._past.append(_Done(question.key, None))

    def undo(self) -> Question | None:
        """Takes the last label or skip back, a label of an earlier session as well; the pair comes next.

        Returns
        -------
        Question or None
            The pair; None where there is nothing to take back.

        Raises
        ------
        InputError
            F852: the file could not be written; nothing was taken back.
        """
        if not self._past:
            return None
        done = self._past[-1]
        if done.line is None:
            self._skipped.discard(done.key)
        else:
            self.file.remove(done.line)
            del self._labels[done.key]
        self._past.pop()
        self._again.append(done.key)
        return self._questions[done.key]

    @property
    def counts(self) -> Counts:
        """How far it is."""
        labels = Counter(self._labels.values())
        return Counts(
            labelled=len(self._labels),
            left=len(self._order) - len(self._labels) - len(self._skipped),
            skipped=len(self._skipped),
            given=sum(done.is_new and done.line is not None for done in self._past),
            agreed=sum(self._questions[key].opinion.predicted is label for key, label in self._labels.items()),
            labels={str(o): labels[o] for o in Operation},
        )

    def _is_open(self, key: tuple[str, str]) -> bool:
        return key not in self._labels and key not in self._skipped

    def _current(self) -> Question:
        question = self.next()
        if question is None:
            raise ValueError("there is no pair left to answer")
        return question


def _earlier(lines: Iterable[bytes]) -> list[_Done]:
    """The labels of earlier sessions; of a pair that was labelled twice the last."""
    found: dict[tuple[str, str], _Done] = {}
    for line in lines:
        row = json.loads(line)
        key = row["existing"], row["candidate"]
        found.pop(key, None)
        if row.get("source") == SOURCE:
            found[key] = _Done(key, line, is_new=False)
    return list(found.values())
