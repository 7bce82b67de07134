"""Sources of randomness: keyed, scripted, and named dice."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.rng import Die, KeyedRng, KeyedStreams, ScriptedRng, roll_die, shuffle_seed

SEED = bytes(range(32))
OTHER = bytes(reversed(range(32)))
KEYS = st.text(st.characters(codec="utf-8"), max_size=20)


def word(seed: bytes, key: str, index: int) -> int:
    """The 32-bit word of one draw, computed independently."""
    digest = hmac.new(seed, f"{key}:{index // 8}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[index % 8 * 4 :][:4], "big")


def draws(seed: bytes, key: str, n: int, count: int) -> list[int]:
    rng = KeyedRng(seed, key)
    return [rng.below(n) for _ in range(count)]


def test_draws_follow_the_published_formula() -> None:
    rng = KeyedRng(SEED, "1234")
    sides = [2, 4, 6, 8, 10, 12, 20, 52, 100, 1, 3, 5, 7, 9, 11, 13, 1_000_000]
    assert [rng.below(n) for n in sides] == [word(SEED, "1234", i) % n for i, n in enumerate(sides)]


def test_same_key_same_draws() -> None:
    assert draws(SEED, "a", 1000, 50) == draws(SEED, "a", 1000, 50)


@given(KEYS, KEYS)
def test_different_keys_differ(one: str, other: str) -> None:
    same = draws(SEED, one, 1 << 32, 4) == draws(SEED, other, 1 << 32, 4)
    assert same is (one == other)


@given(st.binary(min_size=16, max_size=200), KEYS)
def test_seeds_of_any_length_follow_the_formula(seed: bytes, key: str) -> None:
    assert draws(seed, key, 1 << 32, 10) == [word(seed, key, index) for index in range(10)]


def test_different_seeds_differ() -> None:
    assert draws(SEED, "a", 1 << 32, 4) != draws(OTHER, "a", 1 << 32, 4)


def test_a_new_source_of_the_same_request_starts_anew() -> None:
    rng = KeyedRng(SEED, "a")
    first = rng.below(1 << 32)
    rng.below(6)
    assert KeyedRng(SEED, "a").below(1 << 32) == first


@pytest.mark.parametrize("n", [0, -1, (1 << 32) + 1])
def test_keyed_refuses_bad_ranges(n: int) -> None:
    rng = KeyedRng(SEED, "a")
    with pytest.raises(ValueError, match="below"):
        rng.below(n)


def test_a_short_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        KeyedRng(b"short", "a")


def test_range_ends() -> None:
    rng = KeyedRng(SEED, "a")
    assert {rng.below(1) for _ in range(20)} == {0}
    assert 0 <= rng.below(1 << 32) < 1 << 32


# Upper 0.1 % points of the chi-square distribution by degrees of freedom.
CRITICAL = {3: 16.27, 5: 20.52, 9: 27.88, 19: 43.82, 51: 87.97}


@pytest.mark.parametrize("n", [4, 6, 10, 20, 52])
@pytest.mark.parametrize("seed", [SEED, OTHER], ids=["seed", "other"])
def test_keyed_is_uniform(seed: bytes, n: int) -> None:
    count = 400 * n
    counts = Counter(draws(seed, "uniform", n, count))
    chi_square = sum((counts[value] - 400) ** 2 / 400 for value in range(n))
    assert chi_square < CRITICAL[n - 1]


@pytest.mark.parametrize("n", [4, 10])
def test_first_draws_of_many_requests_are_uniform(n: int) -> None:
    counts = Counter(KeyedRng(SEED, str(request)).below(n) for request in range(400 * n))
    chi_square = sum((counts[value] - 400) ** 2 / 400 for value in range(n))
    assert chi_square < CRITICAL[n - 1]


def test_pairs_of_draws_are_independent() -> None:
    values = draws(SEED, "pairs", 2, 8001)
    counts = Counter(pairwise(values))
    assert sum((counts[a, b] - 2000) ** 2 / 2000 for a in (0, 1) for b in (0, 1)) < CRITICAL[3]


def lay_digests(monkeypatch: pytest.MonkeyPatch, words: list[int]) -> list[bytes]:
    """Words for the digests that follow, eight each; returns what the digests are asked for."""
    calls: list[bytes] = []

    def digest(seed: bytes, message: bytes) -> bytes:
        assert seed == SEED
        calls.append(message)
        return b"".join(
            word.to_bytes(4, "big") for word in words[len(calls) * 8 - 8 : len(calls) * 8]
        )

    monkeypatch.setattr("rules.core.rng._digest", digest)
    return calls


@pytest.mark.parametrize("n", [3, 6, 10, 100, 1_000_000, (1 << 31) + 1, (1 << 32) - 1])
def test_words_past_the_last_multiple_are_passed_over(
    monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    """The highest words would favor small faces: they are passed over, not folded in, at every `n`
    exactly.
    """
    limit = (1 << 32) // n * n
    lay_digests(monkeypatch, [limit - 1, limit, (1 << 32) - 1, 3, limit - n, limit - n + 2, 0, 0])
    rng = KeyedRng(SEED, "k")
    assert [rng.below(n) for _ in range(4)] == [n - 1, 3 % n, 0, 2]
    assert rng.drawn == 6


def test_a_block_is_eight_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = lay_digests(monkeypatch, [*range(7), (1 << 32) - 1, *range(8, 16)])
    rng = KeyedRng(SEED, "k")
    assert rng.drawn == 0
    assert [rng.below(10) for _ in range(7)] == [*range(7)]
    assert (rng.drawn, calls) == (7, [b"k:0"])
    assert rng.below(10) == 8, "the last word of the block is passed over"
    assert (rng.drawn, calls) == (9, [b"k:0", b"k:1"])


def test_a_power_of_two_rejects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lay_digests(monkeypatch, [(1 << 32) - 1] * 8)
    rng = KeyedRng(SEED, "k")
    assert (rng.below(8), rng.below(1 << 32), rng.drawn) == (7, (1 << 32) - 1, 2)


def test_public_and_secret_streams_are_separate() -> None:
    streams = KeyedStreams(SEED, OTHER, "a")
    assert [streams.public.below(100) for _ in range(5)] == draws(SEED, "a", 100, 5)
    assert [streams.secret.below(100) for _ in range(5)] == draws(OTHER, "a", 100, 5)


def test_scripted_gives_its_faces_in_order() -> None:
    dice = ScriptedRng([1, 6, 10])
    assert [dice.below(6), dice.public.below(6), dice.secret.below(10)] == [0, 5, 9]
    assert dice.left == 0
    with pytest.raises(IndexError):
        dice.below(6)


@pytest.mark.parametrize("face", [0, 7, -1])
def test_scripted_refuses_a_face_that_does_not_fit(face: int) -> None:
    dice = ScriptedRng([face])
    with pytest.raises(ValueError, match="does not fit"):
        dice.below(6)
    assert dice.left == 1


@given(st.integers(2, 100), st.data())
def test_roll_die_names_the_die(sides: int, data: st.DataObject) -> None:
    face = data.draw(st.integers(1, sides))
    assert roll_die(ScriptedRng([face]), "main", sides) == Die("main", sides, face)


def test_a_shuffle_draws_from_a_seed_of_its_own() -> None:
    """The seed of one shuffle can be revealed: it gives neither the secret seed nor another
    shuffle.
    """
    streams = KeyedStreams(SEED, OTHER, "a")
    seed = hmac.new(OTHER, b"shuffle:a", hashlib.sha256).digest()
    assert shuffle_seed(OTHER, "a") == seed
    faces = [streams.shuffle.below(n) for n in range(54, 1, -1)]
    assert faces == [word(seed, "a", index) % n for index, n in enumerate(range(54, 1, -1))]
    assert (streams.drawn, streams.hidden, streams.secret.drawn) == (53, 53, 0)
    assert shuffle_seed(OTHER, "b") != seed != shuffle_seed(SEED, "a")
