"""Sources of randomness behind one primitive, so that every draw can be keyed, scripted, named and proved."""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

_WORD = 1 << 64


class Rng(Protocol):
    """The one primitive: a uniform integer in `0 <= x < n`."""

    def below(self, n: int, /) -> int: ...


class Streams(Protocol):
    """The sources handed to `resolve`: what everybody may check later, and what stays hidden longer."""

    @property
    def public(self) -> Rng: ...

    @property
    def secret(self) -> Rng: ...


@dataclass(frozen=True, slots=True)
class Die:
    """One die as it fell. `name` says which die of the roll it is, `sides` >= 2, `face` in 1..sides."""

    name: str
    sides: int
    face: int


def roll_die(rng: Rng, name: str, sides: int) -> Die:
    """Roll one die of `sides` faces and keep its name with it."""
    return Die(name, sides, rng.below(sides) + 1)


class Keyed:
    """Draws fixed by a secret seed and the id of the request: HMAC-SHA256(seed, "<key>:<index>").

    The first eight bytes of the digest, big-endian, are the word; words at or above the largest multiple of
    `n` are rejected and the index moves on, so every value below `n` is equally likely. No counter outlives
    the request: an undo cannot rewind it, and a replay of the same request draws the same.
    """

    __slots__ = ("_index", "_key", "_seed")

    def __init__(self, seed: bytes, key: str) -> None:
        if len(seed) < 16:
            raise ValueError("a seed has at least 16 bytes")
        self._seed = seed
        self._key = key
        self._index = 0

    @property
    def drawn(self) -> int:
        """How many words were drawn, rejected ones included."""
        return self._index

    def below(self, n: int, /) -> int:
        """A uniform integer in `0 <= x < n`; `1 <= n <= 2**32`, ValueError otherwise."""
        if not 1 <= n <= 1 << 32:
            raise ValueError(f"below() takes 1 to 2**32, not {n}")
        limit = _WORD - _WORD % n
        while True:
            message = f"{self._key}:{self._index}".encode()
            self._index += 1
            word = int.from_bytes(hmac.digest(self._seed, message, "sha256")[:8], "big")
            if word < limit:
                return word % n


class KeyedStreams:
    """Public and secret draws of one request, each from a seed of its own."""

    __slots__ = ("public", "secret")

    def __init__(self, public_seed: bytes, secret_seed: bytes, key: str) -> None:
        self.public = Keyed(public_seed, key)
        self.secret = Keyed(secret_seed, key)

    @property
    def drawn(self) -> int:
        """How many words were drawn from both."""
        return self.public.drawn + self.secret.drawn


class Scripted:
    """Faces laid down in advance (1-based, as read off the dice), for tests and worked examples.

    Serves as every stream at once. Raises IndexError when the script is used up and ValueError when a face
    does not fit the die.
    """

    def __init__(self, faces: Iterable[int]) -> None:
        self._faces = list(faces)
        self._next = 0

    @property
    def public(self) -> Rng:
        return self

    @property
    def secret(self) -> Rng:
        return self

    @property
    def left(self) -> int:
        """How many faces have not been drawn."""
        return len(self._faces) - self._next

    def below(self, n: int, /) -> int:
        if self._next >= len(self._faces):
            raise IndexError("the scripted dice are used up")
        face = self._faces[self._next]
        if not 1 <= face <= n:
            raise ValueError(f"face {face} does not fit a die of {n}")
        self._next += 1
        return face - 1
