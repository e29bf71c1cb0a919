"""How fast the loop is, and where its time goes. Run by ``make bench``; no test.

Figures depend on the machine; the ratio of the first part does so least: reading messages against the bare parser and
encoder on the same texts, which is what the loop adds to the models it cannot do without.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from engine import Memory
from engine.embed import MiniLM
from engine.messages import read_messages
from engine.sentences import parse, pipeline
from engine.types import Message, Scope

SAMPLE = Path(__file__).resolve().parent.parent / "engine" / "samples" / "demo.jsonl"
SENTENCES = Path(__file__).resolve().parent.parent / "training" / "data" / "sentences_a.jsonl"
LIMIT = 2.0
"""How many times the bare parser and encoder extraction may take."""
SIZES = (100, 1_000, 5_000)
REPEATS = 5


def turns() -> list[dict[str, Any]]:
    """The users' turns of the sample."""
    rows = [json.loads(line) for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    return [{k: v for k, v in row.items() if k != "user_id"} for row in rows if row["role"] == "user"]


def timed(work: Callable[[], Any], repeats: int = REPEATS) -> float:
    """The median of some runs, in seconds."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


class Forgetful(MiniLM):
    """The encoder, made to pay for its vectors again."""

    def forget(self) -> None:
        self._cache.clear()


def fresh() -> Forgetful:
    """A loaded encoder that remembers nothing yet."""
    encoder = Forgetful()
    encoder.encode(["warm"])
    encoder.forget()
    return encoder


def sentences() -> list[dict[str, Any]]:
    """Every fourth of the labelled sentences, of all registers, each a message of its own."""
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()[::4]
    return [{"role": "user", "content": json.loads(line)["text"]} for line in lines]


def reading(messages: list[dict[str, Any]]) -> None:
    """Extraction, everything up to the facts, against bare ``nlp.pipe`` and one encoding of each sentence."""
    encoder = fresh()
    texts = [m["content"] for m in messages]
    with Memory(":memory:", encoder=encoder) as memory:
        spans = list(dict.fromkeys(s.text for found in parse(_as_messages(memory, messages)) for s in found))
        nlp = pipeline()

        def bare() -> None:
            encoder.forget()
            with nlp.memory_zone():
                list(nlp.pipe(texts, batch_size=128))
            encoder.encode(spans)

        def whole() -> None:
            encoder.forget()
            memory.extract(messages)

        both = [(timed(bare, 1), timed(whole, 1)) for _ in range(REPEATS + 1)][1:]  # by turns: a busy machine hits both
        floor, found = (statistics.median(times) for times in zip(*both, strict=True))
        facts = len(memory.extract(messages)["facts"])
        encoder.forget()
        with watched(memory) as spent:
            memory.extract(messages)
    ratio = found / floor
    print(f"reading {len(texts)} messages, {len(spans)} sentences, {facts} facts")
    print(f"  parser and encoder alone   {floor * 1000:8.0f} ms")
    print(f"  extract()                  {found * 1000:8.0f} ms   {ratio:.2f} times that, {LIMIT:.0f} at most:"
          f" {'held' if ratio <= LIMIT else 'NOT HELD'}")  # fmt: skip
    shares(spent)


def _as_messages(memory: Memory, messages: list[dict[str, Any]]) -> list[Message]:
    return read_messages(messages, now=memory.clock())


def shares(spent: dict[str, float]) -> None:
    """Prints the parts of a run, the longest first."""
    total = sum(spent.values())
    for label, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        print(f"    {label:<24} {seconds * 1000:8.0f} ms  {seconds / total:6.1%}")


def adding(messages: list[dict[str, Any]]) -> None:
    """Turns a second through ``add``, one by one as in a live chat, and in one call."""
    with tempfile.TemporaryDirectory() as folder:
        print(f"\nadding {len(messages)} turns to a database on disk")
        encoder = fresh()
        with Memory(Path(folder) / "single.db", encoder=encoder) as memory:
            each = []
            for message in messages:
                start = time.perf_counter()
                memory.add(message, user_id="ana")
                each.append(time.perf_counter() - start)
        each.sort()
        median, most = each[len(each) // 2] * 1000, each[int(len(each) * 0.95)] * 1000
        print(f"  one call each              {len(each) / sum(each):8.1f} turns/s")
        print(f"    median {median:.1f} ms, 95 % within {most:.1f} ms")
        with Memory(Path(folder) / "batch.db", encoder=fresh()) as memory:
            seconds = timed(lambda: memory.add(messages, user_id="ana"), repeats=1)
        print(f"  all in one call            {len(messages) / seconds:8.1f} turns/s")


def searching(sizes: tuple[int, ...]) -> None:
    """Searches a second in scopes of several sizes."""
    print("\nsearching")
    encoder = MiniLM()
    for size in sizes:
        with Memory(":memory:", encoder=encoder) as memory:
            notes = [f"note {n}: the shelf in room {n % 97} holds {n * 7 % 89} boxes" for n in range(size)]
            memory.add(notes, user_id="ana", infer=False)
            queries = [f"what is in room {n}?" for n in range(20)]
            memory.search(queries[0], user_id="ana")
            encoder.encode(queries)
            seconds = timed(lambda found=memory, asked=queries: [found.search(q, user_id="ana") for q in asked], 3)
        print(f"  {size:>6} memories            {seconds / 20 * 1000:8.2f} ms a search")


@contextmanager
def watched(memory: Memory) -> Iterator[dict[str, float]]:
    """Measures the parts of ``add`` and ``extract``; each part's time is its own, without that of parts within it."""
    import spacy.language as language

    import engine.pipeline as loop

    spent: dict[str, float] = defaultdict(float)
    stack: list[list[float]] = []
    undo: list[tuple[Any, str, Any]] = []

    def watch(owner: Any, name: str, label: str, *, generator: bool = False) -> None:
        original = getattr(owner, name)

        def measured(*args: Any, **kwargs: Any) -> Any:
            stack.append([0.0])
            start = time.perf_counter()
            try:
                result = original(*args, **kwargs)
                return iter(list(result)) if generator else result
            finally:
                took = time.perf_counter() - start
                (inner,) = stack.pop()
                spent[label] += took - inner
                if stack:
                    stack[-1][0] += took

        undo.append((owner, name, original))
        setattr(owner, name, measured)

    watch(language.Language, "pipe", "parser", generator=True)
    watch(loop, "parse", "sentences, cleaning")
    watch(memory.encoder, "encode", "encoding")
    watch(loop.Extractor, "read", "clauses to facts")
    watch(loop, "foreign", "language check")
    watch(loop.Pipeline, "_pieces", "answers and corrections")
    watch(type(memory.pipeline.gate), "judge", "gate")  # on the class: the gate itself is frozen
    watch(type(memory.pipeline.attribution), "typed", "attributes")
    watch(memory.pipeline.neighbourhood, "of", "neighbours")
    watch(memory.pipeline, "decide", "features and decision")
    watch(memory.pipeline.applier, "apply", "consolidation and store")
    watch(memory.store, "record_decision", "record of the decision")
    watch(memory, "extract", "the rest")
    watch(memory.pipeline, "add", "the rest")
    try:
        yield spent
    finally:
        for owner, name, original in undo:
            setattr(owner, name, original)


def profile(messages: list[dict[str, Any]]) -> None:
    """Where the time of one ``add`` of everything goes."""
    with tempfile.TemporaryDirectory() as folder, Memory(Path(folder) / "profile.db", encoder=fresh()) as memory:
        read = read_messages(messages, now=memory.clock(), scope_key="user:ana")
        with watched(memory) as spent:
            memory.pipeline.add(read, Scope(user_id="ana"))
        print("\nwhere the time of adding goes")
        shares(spent)


def main() -> None:
    """Runs all parts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small scopes only")
    asked = parser.parse_args()
    messages = turns()
    reading(messages + sentences())
    adding(messages)
    searching(SIZES[:1] if asked.quick else SIZES)
    profile(messages)


if __name__ == "__main__":
    main()
