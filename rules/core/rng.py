"""Sources of randomness behind one primitive.

Every draw can be keyed, scripted, named and proved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from operator import length_hint
from struct import Struct
from typing import TYPE_CHECKING, Final, Protocol

from rules.core.record import Record

if TYPE_CHECKING:
    from hashlib import _Hash, sha256  # pyright: ignore[reportPrivateUsage] - the class has no public name
else:
    try:  # as the library's own `random` does: for so few bytes it takes half as long as OpenSSL's
        from _sha256 import sha256
    except ImportError:  # Python 3.12 or newer
        from hashlib import sha256

#: Number of values of a word (32 bits), and words in a digest.
_WORDS: Final = 1 << 32
_A_BLOCK: Final = 8
_NO_WORDS: Final[Iterator[int]] = iter(())
_split = Struct(">8I").unpack
#: Every possible byte of a key, as HMAC changes it before the inner and the outer hash.
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_OUTER = bytes(byte ^ 0x5C for byte in range(256))


#: Characters of a tag, and their number.
_SIGNS: Final = "23456789abcdefghjkmnpqrstuvwxyz"
_TAG: Final = 8


class Rng(Protocol):
    """Source of uniform whole numbers, the one primitive of chance."""

    def below(self, n: int, /) -> int:
        """Return a uniform whole number `x` with `0 <= x < n`."""
        ...


class Sealed(Record):
    """Published part of the seed of a shuffle."""

    #: Request that draws from the seed.
    key: str
    #: SHA-256 of the seed in hex.
    commitment: str


class Streams(Protocol):
    """Sources of randomness of one request.

    Everyone may check `public` draws later; the others stay hidden longer.
    """

    @property
    def public(self) -> Rng: ...

    @property
    def secret(self) -> Rng: ...

    @property
    def shuffle(self) -> Rng:
        """Draws for the order of cards.

        Every shuffle has a seed of its own, which can be revealed without the others.
        """
        ...

    @property
    def sealed(self) -> Sealed:
        """Published part of the seed that `shuffle` draws from."""
        ...

    def tag(self, number: int, /) -> str:
        """Return a name for the *number*th thing that the request creates.

        The name does not reveal how many such things there are.
        """
        ...


class Die(Record):
    """One die as it fell."""

    #: Name of the die in its roll.
    name: str
    #: Number of faces, 2 or more.
    sides: int
    #: Face that shows, 1 to `sides`.
    face: int


def roll_die(rng: Rng, name: str, sides: int) -> Die:
    """Roll a die of that many sides, and name it."""
    return Die(name, sides, rng.below(sides) + 1)


@lru_cache(maxsize=1024)
def _keyed_hashes(seed: bytes) -> tuple[_Hash, _Hash]:
    """Return the inner and the outer hash of HMAC-SHA256, with the seed taken in.

    They are the same for all draws from one seed.
    """
    key = (sha256(seed).digest() if len(seed) > 64 else seed).ljust(64, b"\0")
    return sha256(key.translate(_INNER)), sha256(key.translate(_OUTER))


def _digest(seed: bytes, message: bytes) -> bytes:
    """Return HMAC-SHA256 of a message.

    `hmac.digest` would look its hash up and take the seed in on every call.
    """
    begun, ending = _keyed_hashes(seed)
    inner, outer = begun.copy(), ending.copy()
    inner.update(message)
    outer.update(inner.digest())
    return outer.digest()


class KeyedRng:
    """Draws that a secret seed and the id of the request determine.

    The words of a draw come from HMAC-SHA256(seed, "<key>:<block>"). Blocks are counted from 0;
    each digest is read as eight words of 32 bits, big-endian. A draw takes the next word. Words at
    or above the largest multiple of `n` are passed over, so every value below `n` is equally
    likely. No counter outlives the request: an undo cannot rewind it, and a replay of the same
    request draws the same.
    """

    __slots__ = ("_block", "_key", "_seed", "_words")

    def __init__(self, seed: bytes, key: str) -> None:
        if len(seed) < 16:
            raise ValueError("a seed has at least 16 bytes")
        self._seed = seed
        self._key = key
        self._block = 0
        self._words = _NO_WORDS  # those left of the last block

    @property
    def drawn(self) -> int:
        """Number of words drawn, with those passed over."""
        return self._block * _A_BLOCK - length_hint(self._words)

    def below(self, n: int, /) -> int:
        """Return a uniform whole number `x` with `0 <= x < n`.

        Raises ValueError unless `1 <= n <= 2**32`.
        """
        if not 1 <= n <= _WORDS:
            raise ValueError(f"below() takes 1 to 2**32, not {n}")
        while True:
            for word in self._words:
                if (
                    word <= _WORDS - n or word < _WORDS - _WORDS % n
                ):  # the first nearly always settles it
                    return word % n
            self._words = iter(_split(_digest(self._seed, f"{self._key}:{self._block}".encode())))
            self._block += 1


def shuffle_seed(closed_seed: bytes, key: str) -> bytes:
    """Return the seed of a request's shuffle: HMAC-SHA256(closed seed, "shuffle:<key>").

    It reveals nothing about the closed seed.
    """
    return _digest(closed_seed, f"shuffle:{key}".encode())


class KeyedStreams:
    """Public draws, secret draws and shuffles of one request, each from a seed of its own."""

    __slots__ = (
        "_branches",
        "_closed_seed",
        "_key",
        "_public_seed",
        "_secret",
        "_secret_seed",
        "_shuffle",
        "public",
    )

    def __init__(
        self, public_seed: bytes, secret_seed: bytes, key: str, closed_seed: bytes = b""
    ) -> None:
        """Set up the streams of a request.

        The seeds of shuffles are derived from *closed_seed*, by default the secret seed.
        """
        self.public = KeyedRng(public_seed, key)
        self._public_seed = public_seed
        self._branches: dict[str, KeyedStreams] = {}
        self._secret: KeyedRng | None = None
        self._secret_seed = secret_seed
        self._closed_seed = closed_seed or secret_seed
        self._key = key
        self._shuffle: KeyedRng | None = None

    @property
    def secret(self) -> KeyedRng:
        """Draws that stay secret until their seed is revealed."""
        if self._secret is None:
            self._secret = KeyedRng(self._secret_seed, self._key)
        return self._secret

    @property
    def shuffle(self) -> KeyedRng:
        """Draws from the seed that `shuffle_seed` gives for this request."""
        if self._shuffle is None:
            self._shuffle = KeyedRng(shuffle_seed(self._closed_seed, self._key), self._key)
        return self._shuffle

    @property
    def sealed(self) -> Sealed:
        """Published part of the seed that `shuffle` draws from."""
        return Sealed(self._key, sha256(shuffle_seed(self._closed_seed, self._key)).hexdigest())

    def tag(self, number: int, /) -> str:
        """Return eight characters of HMAC-SHA256(secret seed, "tag:<key>:<number>"); draws none."""
        words = _split(_digest(self._secret_seed, f"tag:{self._key}:{number}".encode()))
        return "".join([_SIGNS[word % len(_SIGNS)] for word in words[:_TAG]])

    def branch(self, name: str) -> KeyedStreams:
        """Return the streams of the key `<key>/<name>`. Their draws count as this request's."""
        return self.with_key(f"{self._key}/{name}")

    def with_key(self, key: str) -> KeyedStreams:
        """Return the streams of another key. Their draws count as this request's."""
        if key not in self._branches:
            seeds = (self._public_seed, self._secret_seed)
            self._branches[key] = KeyedStreams(*seeds, key, self._closed_seed)
        return self._branches[key]

    @property
    def hidden(self) -> int:
        """Number of words drawn that stay hidden when the public seed is revealed."""
        hidden_streams = (self._secret, self._shuffle)
        own = sum(stream.drawn for stream in hidden_streams if stream is not None)
        return own + sum(branch.hidden for branch in self._branches.values())

    @property
    def drawn(self) -> int:
        """Number of words drawn from all streams."""
        branched = sum(branch.public.drawn for branch in self._branches.values())
        return self.public.drawn + branched + self.hidden


class ScriptedRng:
    """Faces that are set in advance (1-based, as read off the dice), for tests and worked examples.

    One object serves as every stream. Raises IndexError when no face is left, and ValueError for a
    face that does not fit the die.
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

    def tag(self, number: int, /) -> str:
        return str(number)

    @property
    def left(self) -> int:
        """Number of faces that have not been drawn."""
        return len(self._faces) - self._next

    def below(self, n: int, /) -> int:
        if self._next >= len(self._faces):
            raise IndexError("the scripted dice are used up")
        face = self._faces[self._next]
        if not 1 <= face <= n:
            raise ValueError(f"face {face} does not fit a die of {n}")
        self._next += 1
        return face - 1


#: Recorded draw: the stream, the number of possible values, and the value.
Draw = tuple[str, int, int]


class _RecordedRng:
    """Source that records the draws of another one."""

    __slots__ = ("_draws", "_name", "_rng")

    def __init__(self, name: str, rng: Rng, draws: list[Draw]) -> None:
        self._name, self._rng, self._draws = name, rng, draws

    def below(self, n: int, /) -> int:
        value = self._rng.below(n)
        self._draws.append((self._name, n, value))
        return value


class _RepeatedRng:
    """Source that repeats recorded draws, then draws from the stream of its name."""

    __slots__ = ("_draws", "_name", "_streams")

    def __init__(self, name: str, streams: Streams, draws: list[Draw]) -> None:
        self._name, self._streams, self._draws = name, streams, draws

    def below(self, n: int, /) -> int:
        for draw in self._draws:
            if draw[0] == self._name:
                self._draws.remove(draw)
                if draw[1] == n:
                    return draw[2]
                break
        return getattr(self._streams, self._name).below(n)


class RecordingStreams:
    """Streams that record the public and secret draws in `draws`."""

    def __init__(self, streams: Streams) -> None:
        self._streams = streams
        self.draws: list[Draw] = []

    @property
    def public(self) -> Rng:
        return _RecordedRng("public", self._streams.public, self.draws)

    @property
    def secret(self) -> Rng:
        return _RecordedRng("secret", self._streams.secret, self.draws)

    @property
    def shuffle(self) -> Rng:
        return self._streams.shuffle

    @property
    def sealed(self) -> Sealed:
        return self._streams.sealed

    def tag(self, number: int, /) -> str:
        return self._streams.tag(number)


class RepeatingStreams(RecordingStreams):
    """Streams that repeat recorded draws, then draw from other streams."""

    def __init__(self, draws: Iterable[Draw], streams: Streams) -> None:
        super().__init__(streams)
        self.draws = list(draws)

    @property
    def public(self) -> Rng:
        return _RepeatedRng("public", self._streams, self.draws)

    @property
    def secret(self) -> Rng:
        return _RepeatedRng("secret", self._streams, self.draws)


class NewDiceNeeded(Exception):
    """A draw has no recorded value, and no new dice may fall."""


class _ContinuedRng:
    """One source of `ContinuedStreams`."""

    __slots__ = ("_name", "_streams")

    def __init__(self, name: str, streams: ContinuedStreams) -> None:
        self._name, self._streams = name, streams

    def below(self, n: int, /) -> int:
        return self._streams.draw(self._name, n)


class ContinuedStreams(RecordingStreams):
    """Streams that repeat recorded draws up to the first that differs, then draw new values.

    A draw differs if it is from another stream or has another number of possible values. `draws`
    records all draws, old and new. Shuffles and tags are those of the recorded request.
    """

    def __init__(
        self, recorded: Iterable[Draw], streams: Streams, new: Callable[[], Streams] | None
    ) -> None:
        """Set the streams up. Without *new* streams, a new draw raises NewDiceNeeded."""
        super().__init__(streams)
        self._recorded = iter(recorded)
        self._new = new
        #: Whether a draw has differed.
        self.differs = False

    @property
    def public(self) -> Rng:
        return _ContinuedRng("public", self)

    @property
    def secret(self) -> Rng:
        return _ContinuedRng("secret", self)

    def draw(self, name: str, n: int) -> int:
        """Return the next draw from a stream, a whole number below *n*. Raises NewDiceNeeded."""
        recorded = None if self.differs else next(self._recorded, None)
        if recorded is not None and recorded[:2] == (name, n):
            value = recorded[2]
        else:
            self.differs = True
            if self._new is None:
                raise NewDiceNeeded
            value = getattr(self._new(), name).below(n)
        self.draws.append((name, n, value))
        return value


class TooManyDice(Exception):
    """More dice would fall than `SampleStreams` counts."""


class SampleStreams(ScriptedRng):
    """Streams of made-up draws that count the dice a request needs, without rolling any.

    Every draw is the same *share* of its possible values, from 0 to 1. Raises TooManyDice after
    *most* draws, as for dice that explode for ever.
    """

    def __init__(self, share: float, most: int) -> None:
        super().__init__(())
        self._share, self._most = share, most
        #: Number of draws so far.
        self.count = 0

    def below(self, n: int, /) -> int:
        if self.count >= self._most:
            raise TooManyDice
        self.count += 1
        return round(self._share * (n - 1))
