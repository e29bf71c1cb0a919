"""``label``: a person at a terminal says what pairs are, one key each. What is asked and kept is in ``training``."""

from __future__ import annotations

import dataclasses
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from engine import lexicon
from engine.classifier import Classifier
from engine.cli.learning import ManyFiles
from engine.cli.options import db_option, json_option, settings_of
from engine.cli.output import console, emit_json, event, progress_bar, say
from engine.decide import Policy
from engine.embed import MiniLM
from engine.errors import InputError
from engine.messages import read_scope
from engine.settings import Settings, artefact
from engine.store import Store
from engine.types import Operation, Scope
from engine.waterfall import steps

if TYPE_CHECKING:
    from training.labelling import Counts, Question, Session, Told

LABELS = {"a": Operation.ADD, "u": Operation.UPDATE, "d": Operation.DELETE, "n": Operation.NOOP}
SKIP, BACK, QUIT, HELP = ("s", " "), ("b", "\x7f", "\x08"), ("q", ""), ("?",)
MEANINGS = {
    "a ADD": "Both are true side by side, or they have nothing to do with each other: keep both.",
    "u UPDATE": "The new one takes the place of the old: a change, a correction, or the same told more exactly.",
    "d DELETE": "The new one says that the old is over or was never so, and puts nothing in its place.",
    "n NOOP": "The new one says nothing that the old does not say already.",
    "s, space": "Skip it; it is asked again next time.",
    "b, backspace": "Take the last label or skip back, also one of an earlier session.",
    "q, Ctrl-C": "Quit. Every label is in the file already.",
}
KEYS = "a ADD  u UPDATE  d DELETE  n NOOP  s skip  b back  q quit  ? help"
LONGEST = 320
"""Characters of a sentence that are shown."""
NARROW = 50


class ManyCandidates(ManyFiles):
    """A command where ``--candidates a b`` means ``--candidates a --candidates b``."""

    SPREAD = ("--candidates",)


@click.command(cls=ManyCandidates)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), required=True, metavar="FILE",
              help="JSONL of labelled pairs; grows with each answer. Pairs that stand in it are not asked.")  # fmt: skip
@click.option("--candidates", multiple=True, type=click.Path(path_type=Path), metavar="FILE...",
              help="Ask these pairs, and those of a database only with --db: JSONL with or without labels, or a "
                   "history.db of mem0 1.x.")  # fmt: skip
@click.option("--feedback", is_flag=True, help="Ask nothing: put the pairs that `feedback` filed into the file.")
@click.option("--user", "user_id", metavar="ID", help="Only decisions about memories of the user.")
@click.option("--agent", "agent_id", metavar="ID", help="Only decisions about memories of the agent.")
@click.option("--run", "run_id", metavar="ID", help="Only decisions about memories of the run.")
@db_option
@json_option
def label(
    out: Path, candidates: tuple[Path, ...], feedback: bool, user_id: str | None, agent_id: str | None,
    run_id: str | None, db: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Label pairs at a terminal, one key each, for `train --pairs`.

    Asks the pairs that recorded decisions were made on, the most telling first: what waits for review, what the model
    and the rules disagree on, what the model is least certain of.
    """
    scope = read_scope(user_id, agent_id, run_id)
    if feedback and candidates:
        raise click.UsageError("--feedback takes no --candidates")
    if not out.absolute().parent.is_dir():
        raise click.UsageError(f"--out: there is no directory {out.parent}")
    if feedback:
        _file_feedback(out, scope, settings_of(db), as_json)
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise InputError("F850", "labelling needs a terminal, for keys and for what is shown; in a pipe, say what a "
                                 "decision should have been with: factfold feedback DECISION OPERATION")  # fmt: skip
    _label(out, scope, candidates, db, as_json)


def _label(out: Path, scope: Scope, candidates: tuple[Path, ...], db: str | None, as_json: bool) -> None:
    from training.labelling import LabelFile, Session

    file = LabelFile(out)
    questions, remarks = _queue(scope, candidates, db)
    if file.dropped:
        remarks.append(f"{out}: a last line that was not written whole was dropped.")
    session = Session(questions, file)
    if session.next() is None:
        for remark in remarks:
            say(remark)
        say("there is nothing to label: every pair has its label" if session.counts.labelled else
            "there is nothing to label; no recorded decision was made on a pair")  # fmt: skip
    else:
        Screen(session, console(err=True), remark=" ".join(remarks)).run()
    counts = session.counts
    if as_json:
        emit_json({"out": str(out), **dataclasses.asdict(counts)})
    else:
        say(f"{counts.given} labelled now, {counts.labelled} in all, {counts.left + counts.skipped} to go: {out}")


def _queue(scope: Scope, candidates: tuple[Path, ...], db: str | None) -> tuple[list[Question], list[str]]:
    """What is to be asked, and what of the files cannot be."""
    from training import questions
    from training.labelling import in_order

    found: list[Question] = []
    remarks: list[str] = []
    if db is not None or not candidates:
        with Store(settings_of(db).db) as store:
            found += questions.from_store(store, scope)
    if candidates:
        pairs, remarks = questions.read_candidates(candidates)
        settings = Settings.load()
        encoder = MiniLM(threads=settings.threads, cache=settings.embedding_cache)
        model = Classifier.load(artefact("decision.json", settings))
        words, policy = lexicon.load(tuple(settings.lexicons)), Policy(settings.overwrite_cost)
        with progress_bar("judging") as progress:
            found += questions.judged(pairs, model, words, encoder, policy, progress)
    return in_order(found), remarks


def _file_feedback(out: Path, scope: Scope, settings: Settings, as_json: bool) -> None:
    from training.labelling import LabelFile
    from training.questions import feedback_pairs

    file = LabelFile(out)
    with Store(settings.db) as store:
        pairs = feedback_pairs(store, scope)
    new = [pair for pair in pairs if pair.key not in file.pairs]
    others = [pair for pair in pairs if pair.key in file.pairs and file.pairs[pair.key].label is not pair.label]
    for pair in new:
        file.append(pair)
    if as_json:
        emit_json({"out": str(out), "pairs": len(pairs), "added": len(new), "differing": len(others)})
        return
    say(f"{len(new)} of {len(pairs)} pairs of feedback added: {out}")
    if others:
        say(f"{len(others)} stand there with another label, which was left as it is")


class Screen:
    """A session on a terminal.

    Parameters
    ----------
    session : Session
    to : Console
        Where it is drawn.
    read : callable
        Gives the next key; waits for it.
    remark : str
        Shown with the first pair.
    """

    def __init__(
        self, session: Session, to: Console, read: Callable[[], str] = click.getchar, remark: str = ""
    ) -> None:
        self.session = session
        self.to = to
        self.read = read
        self._remark = remark

    def run(self) -> None:
        """Asks until the end, or until it is quit."""
        going = True
        with suppress(KeyboardInterrupt):
            while going:
                self._draw(self.session.next())
                self._remark = ""
                going = self._act(self._key())
        self.to.print()

    def _key(self) -> str:
        """The next key; nothing where it was interrupted, or the terminal is gone."""
        try:
            return self.read()
        except (KeyboardInterrupt, EOFError, OSError):
            return ""

    def _act(self, key: str) -> bool:
        """Does what a key asks for; whether it goes on."""
        key, current = key.lower(), self.session.next()
        if key in QUIT:
            return False
        if key in BACK:
            taken = self.session.undo()
            self._remark = "Taken back." if taken else "There is nothing to take back."
        elif key in HELP:
            return self._help()
        elif key in LABELS and current is not None:
            self.session.answer(LABELS[key])
        elif key in SKIP and current is not None:
            self.session.skip()
        elif len(key) > 1 and key.isprintable():
            self._remark = "Several keys came at once and none was taken: one label for one pair."
        elif key not in LABELS and key not in SKIP:
            self._remark = "That key does nothing; ? tells which do."
        return True

    def _draw(self, question: Question | None) -> None:
        self.to.clear()
        self.to.print(progress_text(self.session.counts))
        self.to.print()
        if question is None:
            self.to.print("That was the last pair.")
        else:
            draw(question, self.to)
        self.to.print()
        if self._remark:
            self.to.print(Text(shown(self._remark), style="yellow"))
        self.to.print(Text("b back  q quit" if question is None else KEYS, style="bold"))

    def _help(self) -> bool:
        self.to.clear()
        rows = _grid(self.to)
        for key, meaning in MEANINGS.items():
            rows.add_row(Text(key, style="bold"), meaning)
        self.to.print(rows)
        self.to.print("\nAny key goes back.")
        return self._key() != ""


def progress_text(counts: Counts) -> str:
    """How far it is, in a line."""
    agreed = f"; the model agreed with {counts.agreed}" if counts.labelled else ""
    skipped = f", {counts.skipped} skipped" if counts.skipped else ""
    return f"{counts.labelled} labelled, {counts.left} left{skipped}{agreed}"


def draw(question: Question, to: Console) -> None:
    """A pair, where it comes from, what the model makes of it and why."""
    rows = _grid(to)
    rows.add_row("held", _statement(question.existing, question.existing_told))
    rows.add_row("new", _statement(question.candidate, question.candidate_told))
    opinion = question.opinion
    likely = sorted(opinion.probabilities.items(), key=lambda item: (-item[1], item[0]))
    shares = Text("   ").join(Text.assemble(event(str(o)), f"\u00a0{p:.2f}") for o, p in likely)
    rows.add_row("model", shares)
    if opinion.operation is not opinion.predicted:
        reason = f": {shown(opinion.reason)}" if opinion.reason else ""
        rows.add_row("done", Text.assemble(event(str(opinion.operation)), reason))
    rows.add_row("why", Text("\n").join(_reasons(question)))
    if question.proposal is not None:
        rows.add_row("file", Text.assemble(event(str(question.proposal)), " is proposed"))
    if question.waiting:
        rows.add_row("", Text("waits for review", style="yellow"))
    if question.note:
        rows.add_row("from", Text(shown(question.note), style="bright_black"))
    to.print(rows)


def _grid(to: Console) -> Table:
    """Names beside texts; in a narrow terminal with less between them."""
    rows = Table.grid(padding=(0, 1 if to.width < NARROW else 3, 0, 0), expand=True)
    rows.add_column(style="bright_black", max_width=12)
    rows.add_column(ratio=1, overflow="fold")
    return rows


def _statement(text: str, told: tuple[Told, ...]) -> Padding:
    lines = [Text(shown(text), style="bold")]
    for one in told:
        whence = ", ".join(part for part in (one.speaker, one.at) if part)
        said = Text.assemble("“", _sentence(one), "”  ") if one.sentence else Text()
        if said or whence:
            lines.append(Text.assemble(said, (shown(whence), "bright_black")))
    return Padding(Text("\n").join(lines), (0, 0, 1, 0))


def _sentence(told: Told) -> Text:
    """A sentence within what stood around it, where there is room for that."""
    before, found, after = told.around.partition(told.sentence)
    if not found or len(told.around) > LONGEST:
        return Text(shown(told.sentence))
    faint = "bright_black"
    return Text.assemble((shown(before), faint), shown(found), (shown(after), faint))


def _reasons(question: Question) -> list[Text]:
    """The strongest features as sentences, each with what it adds to the log-odds of the most probable label."""
    bars = [dataclasses.asdict(bar) for bar in question.opinion.bars]
    label = str(question.opinion.predicted)
    drawn = steps({"bars": bars, "prior": 0.0, "label": label}, len(bars))[1:-1]
    return [
        Text.assemble(("for" if step.change >= 0 else "against", "green" if step.change >= 0 else "red"),
                      f" {label} {step.change:+.1f}: {step.label}")
        for step in drawn
    ] or [Text("nothing is recorded of it", style="bright_black")]  # fmt: skip


def shown(text: str) -> str:
    """A text that does nothing to a terminal: without control and direction characters, at most ``LONGEST`` long."""
    plain = "".join(" " if _commands(char) else char for char in text)
    return plain if len(plain) <= LONGEST else plain[: LONGEST - 1] + "…"


def _commands(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cs") or unicodedata.bidirectional(char) in (
        "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
    )  # fmt: skip
