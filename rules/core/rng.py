"""Sources of randomness behind one primitive, so that every draw can be keyed, scripted, named and proved."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256
from typing import Protocol

from rules.core.record import record

_WORD = 1 << 64
#: What HMAC mixes into its key before the inner and the outer hash, for every possible byte of it.
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


class Rng(Protocol):
    """The one primitive: a uniform integer in `0 <= x < n`."""

    def below(self, n: int, /) -> int: ...


@record
class Sealed:
    """What is published of the seed of a shuffle: the request that draws from it, and the seed's SHA-256 in hex."""

    key: str
    commitment: str


class Streams(Protocol):
    """The sources handed to `resolve`: what everybody may check later, and what stays hidden longer."""

    @property
    def public(self) -> Rng: ...

    @property
    def secret(self) -> Rng: ...

    @property
    def shuffle(self) -> Rng:
        """For the order of cards: every shuffle has a seed of its own, which can be revealed without the others."""
        ...

    @property
    def sealed(self) -> Sealed:
        """What is published of the seed that `shuffle` draws from."""
        ...


@record
class Die:
    """One die as it fell. `name` says which die of the roll it is, `sides` >= 2, `face` in 1..sides."""

    name: str
    sides: int
    face: int


def roll_die(rng: Rng, name: str, sides: int) -> Die:
    """Roll one die of `sides` faces and keep its name with it."""
    return Die(name, sides, rng.below(sides) + 1)


@lru_cache(maxsize=1024)
def _pads(seed: bytes) -> tuple[bytes, bytes]:
    """What stands before the message in the two hashes of HMAC-SHA256: the same for all draws of a seed."""
    key = (sha256(seed).digest() if len(seed) > 64 else seed).ljust(64, b"\0")
    return key.translate(_INNER), key.translate(_OUTER)


def _digest(inner: bytes, outer: bytes, message: bytes) -> bytes:
    """HMAC-SHA256 with what `_pads` gives. `hmac.digest` looks its hash up anew and lets other threads in."""
    return sha256(outer + sha256(inner + message).digest()).digest()


class Keyed:
    """Draws fixed by a secret seed and the id of the request: HMAC-SHA256(seed, "<key>:<index>").

    The first eight bytes of the digest, big-endian, are the word; words at or above the largest multiple of
    `n` are rejected and the index moves on, so every value below `n` is equally likely. No counter outlives
    the request: an undo cannot rewind it, and a replay of the same request draws the same.
    """

    __slots__ = ("_index", "_inner", "_outer")

    def __init__(self, seed: bytes, key: str) -> None:
        if len(seed) < 16:
            raise ValueError("a seed has at least 16 bytes")
        inner, self._outer = _pads(seed)
        self._inner = inner + f"{key}:".encode()  # the beginning of every message
        self._index = 0

    @property
    def drawn(self) -> int:
        """How many words were drawn, rejected ones included."""
        return self._index

    def below(self, n: int, /) -> int:
        """A uniform integer in `0 <= x < n`; `1 <= n <= 2**32`, ValueError otherwise."""
        if not 1 <= n <= 1 << 32:
            raise ValueError(f"below() takes 1 to 2**32, not {n}")
        while True:
            index = self._index
            self._index = index + 1
            word = int.from_bytes(_digest(self._inner, self._outer, b"%d" % index)[:8], "big")
            if word < _WORD - _WORD % n:
                return word % n


def shuffle_seed(closed_seed: bytes, key: str) -> bytes:
    """The seed of a request's shuffle: HMAC-SHA256(closed seed, "shuffle:<key>"). It tells nothing of the other."""
    return _digest(*_pads(closed_seed), f"shuffle:{key}".encode())


class KeyedStreams:
    """Public and secret draws of one request, each from a seed of its own; so does what it shuffles."""

    __slots__ = ("_closed_seed", "_key", "_shuffle", "public", "secret")

    def __init__(self, public_seed: bytes, secret_seed: bytes, key: str, closed_seed: bytes = b"") -> None:
        """`closed_seed` is what the seeds of shuffles are made from, by default that of secret draws."""
        self.public = Keyed(public_seed, key)
        self.secret = Keyed(secret_seed, key)
        self._closed_seed = closed_seed or secret_seed
        self._key = key
        self._shuffle: Keyed | None = None

    @property
    def shuffle(self) -> Keyed:
        """Draws from the seed that `shuffle_seed` gives for this request."""
        if self._shuffle is None:
            self._shuffle = Keyed(shuffle_seed(self._closed_seed, self._key), self._key)
        return self._shuffle

    @property
    def sealed(self) -> Sealed:
        """What is published of that seed."""
        return Sealed(self._key, sha256(shuffle_seed(self._closed_seed, self._key)).hexdigest())

    @property
    def hidden(self) -> int:
        """How many words were drawn that not everybody may compute once the public seed is revealed."""
        return self.secret.drawn + (0 if self._shuffle is None else self._shuffle.drawn)

    @property
    def drawn(self) -> int:
        """How many words were drawn from all of them."""
        return self.public.drawn + self.hidden


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
    def shuffle(self) -> Rng:
        return self

    @property
    def sealed(self) -> Sealed:
        return Sealed("", "")

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
