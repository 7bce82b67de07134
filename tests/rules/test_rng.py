"""Sources of randomness: keyed, scripted, and named dice."""

from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.rng import Die, Keyed, KeyedStreams, Scripted, roll_die, shuffle_seed

SEED = bytes(range(32))
OTHER = bytes(reversed(range(32)))
KEYS = st.text(st.characters(codec="utf-8"), max_size=20)


def word(seed: bytes, key: str, index: int) -> int:
    """The 64-bit word of one draw, computed independently."""
    digest = hmac.new(seed, f"{key}:{index}".encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big")


def draws(seed: bytes, key: str, n: int, count: int) -> list[int]:
    rng = Keyed(seed, key)
    return [rng.below(n) for _ in range(count)]


def test_draws_follow_the_published_formula() -> None:
    rng = Keyed(SEED, "1234")
    sides = [2, 4, 6, 8, 10, 12, 20, 52, 100, 1]
    assert [rng.below(n) for n in sides] == [word(SEED, "1234", i) % n for i, n in enumerate(sides)]


def test_same_key_same_draws() -> None:
    assert draws(SEED, "a", 1000, 50) == draws(SEED, "a", 1000, 50)


@given(KEYS, KEYS)
def test_different_keys_differ(one: str, other: str) -> None:
    same = draws(SEED, one, 1 << 32, 4) == draws(SEED, other, 1 << 32, 4)
    assert same is (one == other)


@given(st.binary(min_size=16, max_size=200), KEYS)
def test_seeds_of_any_length_follow_the_formula(seed: bytes, key: str) -> None:
    assert draws(seed, key, 1 << 32, 2) == [word(seed, key, index) % (1 << 32) for index in range(2)]


def test_different_seeds_differ() -> None:
    assert draws(SEED, "a", 1 << 32, 4) != draws(OTHER, "a", 1 << 32, 4)


def test_a_new_source_of_the_same_request_starts_anew() -> None:
    rng = Keyed(SEED, "a")
    first = rng.below(1 << 32)
    rng.below(6)
    assert Keyed(SEED, "a").below(1 << 32) == first


@pytest.mark.parametrize("n", [0, -1, (1 << 32) + 1])
def test_keyed_refuses_bad_ranges(n: int) -> None:
    rng = Keyed(SEED, "a")
    with pytest.raises(ValueError, match="below"):
        rng.below(n)


def test_a_short_seed_is_refused() -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        Keyed(b"short", "a")


def test_range_ends() -> None:
    rng = Keyed(SEED, "a")
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
    counts = Counter(Keyed(SEED, str(request)).below(n) for request in range(400 * n))
    chi_square = sum((counts[value] - 400) ** 2 / 400 for value in range(n))
    assert chi_square < CRITICAL[n - 1]


def test_pairs_of_draws_are_independent() -> None:
    values = draws(SEED, "pairs", 2, 8001)
    counts = Counter(pairwise(values))
    assert sum((counts[a, b] - 2000) ** 2 / 2000 for a in (0, 1) for b in (0, 1)) < CRITICAL[3]


def test_words_past_the_last_multiple_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    """For n = 10 the six highest words would favour small faces: they are passed over, not folded in."""
    words = [(1 << 64) - 1, (1 << 64) - 6, (1 << 64) - 7, 3]
    calls: list[bytes] = []

    def digest(inner: bytes, outer: bytes, message: bytes) -> bytes:
        assert inner.endswith(b"k:")
        calls.append(message)
        return words[len(calls) - 1].to_bytes(8, "big") + bytes(24)

    monkeypatch.setattr("rules.core.rng._digest", digest)
    rng = Keyed(SEED, "k")
    assert ((1 << 64) - 6) % 10 == 0, "the first word to reject"
    assert rng.below(10) == 9
    assert rng.below(10) == 3
    assert calls == [b"0", b"1", b"2", b"3"]


def test_a_power_of_two_rejects_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules.core.rng._digest", lambda *_: b"\xff" * 32)
    assert Keyed(SEED, "k").below(8) == 7


def test_public_and_secret_streams_are_separate() -> None:
    streams = KeyedStreams(SEED, OTHER, "a")
    assert [streams.public.below(100) for _ in range(5)] == draws(SEED, "a", 100, 5)
    assert [streams.secret.below(100) for _ in range(5)] == draws(OTHER, "a", 100, 5)


def test_scripted_gives_its_faces_in_order() -> None:
    dice = Scripted([1, 6, 10])
    assert [dice.below(6), dice.public.below(6), dice.secret.below(10)] == [0, 5, 9]
    assert dice.left == 0
    with pytest.raises(IndexError):
        dice.below(6)


@pytest.mark.parametrize("face", [0, 7, -1])
def test_scripted_refuses_a_face_that_does_not_fit(face: int) -> None:
    dice = Scripted([face])
    with pytest.raises(ValueError, match="does not fit"):
        dice.below(6)
    assert dice.left == 1


@given(st.integers(2, 100), st.data())
def test_roll_die_names_the_die(sides: int, data: st.DataObject) -> None:
    face = data.draw(st.integers(1, sides))
    assert roll_die(Scripted([face]), "main", sides) == Die("main", sides, face)


def test_a_shuffle_draws_from_a_seed_of_its_own() -> None:
    """The seed of one shuffle can be revealed: it gives neither the secret seed nor another shuffle."""
    streams = KeyedStreams(SEED, OTHER, "a")
    seed = hmac.new(OTHER, b"shuffle:a", hashlib.sha256).digest()
    assert shuffle_seed(OTHER, "a") == seed
    faces = [streams.shuffle.below(n) for n in range(54, 1, -1)]
    assert faces == [word(seed, "a", index) % n for index, n in enumerate(range(54, 1, -1))]
    assert (streams.drawn, streams.hidden, streams.secret.drawn) == (53, 53, 0)
    assert shuffle_seed(OTHER, "b") != seed != shuffle_seed(SEED, "a")
