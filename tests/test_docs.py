"""The documents say what the code does: examples run, tables are the code's own, every name and path exists.

What is marked ``<!-- begin NAME -->`` … ``<!-- end NAME -->`` is written by this file:

    python tests/test_docs.py

Figures in examples may change with training and are compared as figures only; words and tables must be equal.
"""

from __future__ import annotations

import importlib
import io
import re
import tomllib
from collections.abc import Callable, Iterable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import click
import pytest
from memory_kit import NOW, open_memory, shared_encoder
from rich.console import Console

from engine import Memory, lexicon
from engine.cli import COMMANDS, program
from engine.cli.waterfall import draw
from engine.comparison import compare
from engine.decide import DESTRUCTIVE, RULES, Policy, judge
from engine.durable import Gate
from engine.facts import Extractor
from engine.facts.clauses import clauses
from engine.facts.stance import stance_of
from engine.facts.tree import Tree
from engine.facts.typing import readings
from engine.features import CELLS, FEATURES, SLOTS, STANCES, VALUES, slot_of, value_of
from engine.features import stance_of as pair_stance
from engine.messages import read_messages
from engine.pairing import pair_up
from engine.reading import read_statements
from engine.sentences import parse
from engine.settings import Settings, artefact
from engine.store.migrations import MIGRATIONS
from engine.types import Fact, Instant, Operation, Scope

ROOT = Path(__file__).resolve().parent.parent
PAGES = ("README.md", "CHANGELOG.md", "docs/architecture.md", "docs/lexicon.md", "docs/decision.md", "docs/labelling.md",
         "docs/cli.md")
MARKED = re.compile(r"(<!-- begin ([a-z-]+) -->\n)(.*?)(<!-- end \2 -->)", re.DOTALL)
FIGURE = re.compile(r"[+-]?\d+\.\d+")
SHOWN_BARS = 5


def page(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def fenced(text: str, language: str) -> list[str]:
    """The code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, tuple("---" for _ in header), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def plain(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```\n"


# --- what is written into the documents ----------------------------------------------------------------------------


@cache
def example() -> str:
    """What README's Python prints."""
    (code,) = fenced(page("README.md"), "python")
    told = io.StringIO()
    with patch("engine.memory.MiniLM", lambda **_: shared_encoder()), redirect_stdout(told):
        exec(compile(code, "README.md", "exec"), {})
    return plain(told.getvalue())


@cache
def explanation() -> str:
    """The explanation of the example's move, as ``factfold explain`` draws it."""
    out = Console(file=io.StringIO(), width=100, highlight=False, color_system=None)
    with open_memory() as memory:
        memory.add("I live in Austin and have a dog called Rufus.", user_id="ana", timestamp="2025-02-10")
        (moved,) = memory.add("We just moved to Denver!", user_id="ana", timestamp="2025-07-01")["results"]
        draw(memory.explain(moved["decision_id"]), out, SHOWN_BARS)
    lines = [line.rstrip() for line in out.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    return plain("\n".join(line for line in lines if not line.startswith(("done:", "model:"))))


BEFORE = "I live in Austin, I'm a nurse and I eat meat."
MESSAGE = "Ha, what a week! We moved to Denver last Saturday, and I don't eat meat any more. Any tips for the garden?"


@cache
def walk() -> str:
    """One message through the stages."""
    words, encoder, gate = lexicon.load(), shared_encoder(), Gate.load(artefact("gate.json"))
    out: list[str] = []
    with open_memory() as memory:
        memory.add(BEFORE, user_id="ana", timestamp="2025-02-10")
        messages = read_messages(MESSAGE, now=NOW, scope_key="user:ana", default_timestamp="2025-07-01")
        (message,) = messages
        out += ["MESSAGE", f"  {message.role}, speaker {message.speaker!r}, {message.timestamp:%Y-%m-%d}", "SENTENCES"]
        sentences = parse(messages)[0]
        out += [f"  [{s.start}:{s.end}] {s.text}" for s in sentences]
        out.append("CLAUSES: verb, link; stance; readings")
        for sentence in sentences:
            tree = Tree(sentence)
            for clause in clauses(tree, words):
                stance = stance_of(clause, words)
                out.append(f"  {clause.verb.text}, {clause.link}; {stance.polarity}, {stance.tense}, "
                           f"{'ended' if stance.ended else 'not ended'}")  # fmt: skip
                out += [f"    {r.predicate} → {r.attribute} ({r.effect}), value {_value(tree, r.value)}"
                        for r in readings(clause, words)]  # fmt: skip
        found, _ = Extractor(words).read(sentences)
        out.append("FACTS: candidates, and what the gate gives them")
        for candidate in found.candidates:
            p = gate.probabilities(_row(candidate.signals), encoder.encode([candidate.fact.text]))[0]
            out += [f"  {candidate.fact.text}", f"    {_slots(candidate.fact)}",
                    f"    gate {p:.2f}, kept from {gate.threshold:.2f}"]  # fmt: skip
        out += [f"  skipped: {s.text} ({s.reason})" for s in found.skipped]
        for candidate in found.candidates:
            out += _judged(memory, candidate.fact)
        done = memory.add(MESSAGE, user_id="ana", timestamp="2025-07-01")["results"]
        out.append("RESULTS")
        out += [f"  {r['event']} {r['previous_memory']} → {r['memory']}, version {r['version']}" for r in done]
        out.append("STEPS AND VERSIONS of the first")
        for step in memory.store.steps(done[0]["id"]):
            out.append(f"  step {step.kind} {step.number}, told {step.told:%Y-%m-%d}, from {_day(step.valid_from)}")
        for version in memory.store.versions(done[0]["id"]):
            out.append(f"  version {version.number}: {version.fact.text}, "
                       f"[{_day(version.valid_from)}, {_day(version.valid_to)})")  # fmt: skip
        out.append("SEARCH 'Where does the user live?'")
        for day in ("2025-09-01", "2025-03-01"):
            best = memory.search("Where does the user live?", user_id="ana", as_of=day)["results"][0]
            out.append(f"  as of {day}: {best['memory']}, score {best['score']:.2f}")
    return plain("\n".join(out))


def _value(tree: Tree, i: int | None) -> str:
    return "none" if i is None else repr(tree[i].text)


def _row(signals: tuple[float, ...] | None) -> Any:
    import numpy as np

    return np.array([signals], dtype=np.float64)


def _day(instant: Instant | None) -> str:
    return "…" if instant is None else f"{instant.at:%Y-%m-%d}"


def _slots(fact: Fact) -> str:
    return (f"subject {fact.subject!r}, predicate {fact.predicate!r}, object {fact.object!r}, {fact.attribute}, "
            f"{fact.polarity}, {fact.kind}, {fact.effect}, from {_day(fact.valid_from)}")  # fmt: skip


def _judged(memory: Memory, fact: Fact) -> list[str]:
    out = [f"NEIGHBOURS, PAIRS, VERDICTS of '{fact.text}'"]
    neighbours = memory.pipeline.neighbourhood.of(fact, Scope("ana"))
    pairs = pair_up([(n.memory.fact, fact) for n in neighbours], memory.encoder, memory.model.meaning)
    for pair, verdict in zip(pairs, judge(pairs, memory.model, memory.lexicon, memory.pipeline.policy), strict=True):
        c = compare(pair, memory.lexicon)
        shares = " ".join(f"{o} {p:.2f}" for o, p in verdict.probabilities.items())
        ruled_out = verdict.ruled_out
        costs = " ".join(f"{o} {cost:.2f}" for o, cost in verdict.costs.items() if o not in ruled_out)
        out += [f"  {pair.existing.text}: cosine {pair.text_cosine:.2f}, cell {slot_of(c)} / {value_of(c)} / "
                f"{pair_stance(c)}"]  # fmt: skip
        out += [f"    {shares}", *(f"    {o} is ruled out: {why}" for o, why in ruled_out.items())]
        out += [
            f"    rule '{verdict.rule}' → {verdict.operation}"
            if verdict.rule
            else f"    costs {costs} → {verdict.operation}"
        ]
    decision = memory.pipeline.decide(fact, neighbours)
    what = ", ".join(f"{o} of '{neighbours[i].memory.fact.text}'" for o, i in decision.operations) or "ADD"
    return [*out, f"  decision: {what}"]


def features() -> str:
    """The features but for the cells, in the order of the vector; then what cells are made of."""
    single = [f for f in FEATURES if f not in CELLS]
    parts = [
        f"{len(FEATURES)} features, {len(CELLS)} of them cells.\n",
        table(("block", "feature", "what it says"), [(f.block, f"`{f.name}`", f.sentence) for f in single]),
        f"A cell is a slot, a value and a stance; {len(CELLS)} combinations have a feature.\n",
        *(
            table((name, "when"), [(f"`{key}`", sentence) for key, sentence in known.items()])
            for name, known in (("slot", SLOTS), ("value", VALUES), ("stance", STANCES))
        ),
    ]
    return "\n".join(parts)


def costs() -> str:
    """What each operation costs where another would have been right."""
    policy = Policy()
    rows = [(f"**{done}**", *(f"{cost[right]:g}" for right in Operation)) for done, cost in policy.costs.items()]
    return table(("done \\ right", *map(str, Operation)), rows) + f"\n`overwrite_cost` is {policy.overwrite_cost:g}.\n"


def rules() -> str:
    return table(("rule", "because"), [(name, because) for name, because in RULES.items()])


ASKED = (
    ("user moved to Denver", ("user lives in Austin", "user's sister Ana lives in Austin", "user is a nurse")),
    ("user might move to Denver", ("user lives in Austin",)),
    ("user switched from Android to an iPhone", ("user has an Android phone",)),
)


@cache
def several() -> str:
    """Dry runs."""
    out = []
    with open_memory() as memory:
        for candidate, existing in ASKED:
            told = memory.decide(candidate, existing)
            out.append(candidate)
            for text, verdict in zip(existing, told.verdicts, strict=True):
                said = f"rule '{verdict.rule}'" if verdict.rule else f"{verdict.probabilities[verdict.operation]:.2f}"
                out.append(f"  against {text}: {verdict.operation} ({said})")
            acts = ", ".join(f"{o} of number {i}" for o, i in told.operations) or "ADD"
            out.append(f"  operations: {acts}{', for review' if told.review else ''}")
    return plain("\n".join(out))


def attributes() -> str:
    """Every attribute that ships, by file."""
    rows = []
    known = lexicon.load().attributes
    for path in sorted((ROOT / "engine/lexicon/attributes").glob("*.toml")):
        for name in tomllib.loads(path.read_text(encoding="utf-8")):
            if name in known:
                a = known[name]
                rows.append((path.stem, f"`{name}`", a.about, a.cardinality, str(a.kind)))
    return table(("file", "attribute", "about", "values", "kind"), rows)


def settings() -> str:
    defaults = Settings()
    return table(
        ("setting", "variable", "default"),
        [(f"`{n}`", f"`FACTFOLD_{n.upper()}`", f"`{getattr(defaults, n)!r}`") for n in Settings.__dataclass_fields__],
    )


WRITTEN: dict[str, tuple[str, Callable[[], str]]] = {
    "example": ("README.md", example),
    "explanation": ("README.md", explanation),
    "walk": ("docs/architecture.md", walk),
    "settings": ("docs/architecture.md", settings),
    "attributes": ("docs/lexicon.md", attributes),
    "features": ("docs/decision.md", features),
    "costs": ("docs/decision.md", costs),
    "rules": ("docs/decision.md", rules),
    "several": ("docs/decision.md", several),
}
BY_TRAINING = ("example", "walk", "several")
EXACT = tuple(name for name in WRITTEN if name not in (*BY_TRAINING, "explanation"))


def written(name: str) -> str:
    """What a document has between the marks of that name."""
    return next(m[3] for m in MARKED.finditer(page(WRITTEN[name][0])) if m[2] == name)


def write() -> None:
    """Writes all that is marked anew."""
    for name in sorted({where for where, _ in WRITTEN.values()}):
        text = MARKED.sub(lambda m: m[1] + WRITTEN[m[2]][1]() + m[4], page(name))
        (ROOT / name).write_text(text, encoding="utf-8")


# --- tests ---------------------------------------------------------------------------------------------------------

REMEDY = "run: python tests/test_docs.py"


def test_every_marked_place_is_known() -> None:
    found = {m[2]: name for name in PAGES for m in MARKED.finditer(page(name))}
    assert found == {name: where for name, (where, _) in WRITTEN.items()}


@pytest.mark.parametrize("name", EXACT)
def test_tables_are_those_of_the_code(name: str) -> None:
    assert written(name) == WRITTEN[name][1](), REMEDY


@pytest.mark.parametrize("name", ["walk", "several"])
def test_examples_print_what_is_written(name: str) -> None:
    assert FIGURE.sub("0.00", written(name)) == FIGURE.sub("0.00", WRITTEN[name][1]()), REMEDY


def _bars(text: str) -> list[str]:
    """Lines with a signed figure of its own are bars, whose order and choice follow from training."""
    return [line for line in text.splitlines() if re.search(r"(?:^| )[+-]\d+\.\d\d(?= |$)", line)]


def test_the_readme_example_prints_what_is_written() -> None:
    told, promised = example(), written("example")
    assert [x for x in told.splitlines() if x not in _bars(told)] == [
        x for x in promised.splitlines() if x not in _bars(promised)
    ], REMEDY  # fmt: skip
    sentences = {f.sentence for f in FEATURES}
    assert len(_bars(told)) == len(_bars(promised)) == 3
    assert all(line.split(" ", 1)[1] in sentences for line in [*_bars(told), *_bars(promised)]), REMEDY


def test_the_readme_explanation_is_drawn_so() -> None:
    told, promised = explanation().splitlines(), written("explanation").splitlines()
    assert told[:3] == promised[:3], REMEDY
    before_bars = promised.index("")  # probabilities, costs, what was ruled out
    assert [FIGURE.sub("", line) for line in told[3:before_bars]] == [
        FIGURE.sub("", line) for line in promised[3:before_bars]
    ], REMEDY
    assert len(_bars("\n".join(promised))) == SHOWN_BARS + 3  # the prior, the rest, the sum


@pytest.mark.parametrize("name", PAGES)
def test_every_path_exists(name: str) -> None:
    text = page(name)
    named = set(re.findall(r"`((?:engine|training|models|tests|docs)/[\w./*-]*)`", text))
    linked = {link.partition("#")[0] for link in re.findall(r"\]\((?!https?:)([^)#]+)", text)}
    gone = [path for path in sorted(named) if not any(ROOT.glob(path.rstrip("/")))]
    gone += [link for link in sorted(linked) if not ((ROOT / name).parent / link).exists()]
    assert gone == []


@pytest.mark.parametrize("name", PAGES)
def test_every_dotted_name_can_be_imported(name: str) -> None:
    for dotted in sorted(set(re.findall(r"`((?:engine|training)(?:\.\w+)+)(?:\(\))?`", page(name)))):
        assert _named(dotted) is not None, dotted


def _named(dotted: str) -> Any:
    parts = dotted.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for part in parts[cut:]:
            fields = getattr(found, "__dataclass_fields__", {})
            found = fields[part] if part in fields else getattr(found, part)
        return found
    return None


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_option_exists(name: str) -> None:
    blocks = [line for block in fenced(page(name), "(?:bash|text)") for line in block.splitlines()]
    quoted = re.findall(r"`([^`\n]*\bfactfold [^`\n]*)`", page(name))
    wrong = []
    for line in [*blocks, *quoted]:
        for command, rest in re.findall(r"(?:^|\$ |=\S* )factfold ([a-z]+)([^|;&]*)", line):
            known = program.commands.get(command)
            options = {o for p in known.params for o in p.opts if isinstance(p, click.Option)} if known else set()
            wrong += [line] if known is None else []
            wrong += [f"{command} {o}" for o in re.findall(r"(?<!\S)--[a-z-]+", rest) if o not in {*options, "--help"}]
    assert wrong == []


def test_the_reference_has_every_command() -> None:
    headings = re.findall(r"^## (\w+)$", page("docs/cli.md"), re.MULTILINE)
    assert headings == [command.name for command in COMMANDS]


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", page("Makefile"), re.MULTILINE))
    named = {t for name in PAGES for t in re.findall(r"(?:^|`)make ([a-z]+)", page(name), re.MULTILINE)}
    assert named - targets == set()


def test_the_lexicon_example_is_a_lexicon(tmp_path: Path) -> None:
    own, *_ = (block for block in fenced(page("docs/lexicon.md"), "toml") if "# own.toml" in block)
    path = tmp_path / "own.toml"
    path.write_text(own, encoding="utf-8")
    words = lexicon.load((path,))
    for name, entry in tomllib.loads(own).items():
        if name == "classes":
            continue
        assert [f.attribute for f in read_statements(entry["examples"], words)] == [name] * len(entry["examples"])
        counter = entry.get("counter", [])
        assert all(f.attribute != name for f in read_statements(counter, words))


def _patterns() -> list[tuple[str, str, str, str]]:
    """The rows of docs/lexicon.md: pattern, statement, attribute, value."""
    rows = re.findall(r"^\| `([^`]+)` \|[^|]*\| ([^|`]+) \| `(\w+)` = ([^|]*) \|$",
                      page("docs/lexicon.md").replace("\\|", "¦"), re.MULTILINE)  # fmt: skip
    return [(p.replace("¦", "|"), s.strip(), a, v.strip()) for p, s, a, v in rows]


def test_the_notation_is_shown_by_patterns_that_ship() -> None:
    words = lexicon.load()
    assert len(_patterns()) >= 6
    shipped = {p.source for found in words.patterns.values() for p in found}
    read = read_statements([s for _, s, _, _ in _patterns()], words)
    facts = zip(_patterns(), read, strict=True)
    assert [(p, s, a, v) for (p, s, a, v), f in facts if (f.attribute, f.object) != (a, v) or p not in shipped] == []


def test_destructive_operations_and_migrations_are_told() -> None:
    assert all(str(o) in page("docs/decision.md") for o in DESTRUCTIVE)
    assert all(f"`{name}`" in page("docs/architecture.md") for name, _ in MIGRATIONS)


if __name__ == "__main__":
    write()
