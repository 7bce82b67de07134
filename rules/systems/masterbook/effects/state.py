"""State of special effects: those that run, and stored charges (MB-SFX-26, MB-SFX-29)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.table.system import Game

_STATE: Final = "effects"


class EffectTarget(Record):
    """Target of an effect: a character, or a thing or place in words."""

    who: str = ""
    text: str = ""
    #: Meters from its caster or holder; None: not said, so it counts as in range.
    meters: int | None = None
    #: Meters from the center of the area that it stands in; None: the effect is aimed at it.
    from_center: int | None = None


class ValueChange(Record):
    """A value of a character that an effect raises, or lowers if `by` is negative (MB-SFX-24)."""

    who: str
    #: Attribute, skill or other value, as its blueprint names it.
    trait: str
    by: int


class DealtHarm(Record):
    """Harm that an effect has done to a character's health."""

    who: str
    wounds: int = 0
    shock: int = 0
    k: int = 0
    o: bool = False
    out_for: int = 0
    down: int = 0
    bleeders: int = 0
    fainted: bool = False
    #: Whether the character died of it.
    killed: bool = False


class RunningEffect(Record):
    """An effect that lasts, or one that was seen and is over."""

    number: int
    #: The effect as it was when it was cast.
    known: KnownEffect
    caster: str
    #: Effect value, with the surplus of the casting.
    effect_value: int
    targets: tuple[EffectTarget, ...]
    #: Seconds until it ends, whether rounds or the story's clock take them.
    seconds_left: int
    #: Seconds of its whole duration, for maintenance.
    seconds: int
    changes: tuple[ValueChange, ...] = ()
    #: Targets that it may still go to (MB-SFX-33).
    changes_left: int = 0
    #: Whether it is switched off for now; its time runs on (MB-SFX-S11).
    suspended: bool = False
    #: Whether it came from a charge: it cannot be maintained (MB-SFX-29).
    charged: bool = False
    #: Character who has released the charge, and steers what came from it; empty: the caster.
    wielder: str = ""
    #: Steps by which its effect value is chosen above what the casting came to, or below
    #: (MB-SFX-S10).
    shift: int = 0
    #: Number that the GM has said resists it; None: not said (MB-SFX-25).
    ruled: int | None = None
    #: Characters who have seen through it (MB-SFX-30).
    disbelievers: tuple[str, ...] = ()
    #: Points of extension that the caster took, for maintenance (MB-SFX-28).
    extension: int = 0
    #: Whether its time has run out, and its caster may still maintain it (MB-SFX-28).
    lapsing: bool = False
    #: Whether only the GMs, and its caster's player, know of it.
    secret: bool = False
    #: Whether its caster's player doesn't know of it either: it was cast blind.
    blind: bool = False
    #: Seconds since it took hold.
    age: int = 0
    #: What it has done to characters' health (MB-SFX-30).
    harm: tuple[DealtHarm, ...] = ()

    @property
    def is_working(self) -> bool:
        """Whether the effect has time left and is not switched off."""
        return self.seconds_left > 0 and not self.suspended


class StoredCharges(Record):
    """Charges of an effect in an object, a mind or a person (MB-SFX-29)."""

    number: int
    known: KnownEffect
    maker: str
    #: Effect value at the charging.
    effect_value: int
    left: int
    #: What holds them, in words.
    holder: str = ""
    #: Value with which a ward notices its trigger: the result points of the charging.
    ward_perception: int = 0
    #: Steps by which that effect value was chosen above what the casting came to, or below.
    shift: int = 0


class CastInProgress(Record):
    """A casting that takes longer than an action, as far as its time has come (MB-SFX-20)."""

    #: Check of the casting.
    check: str
    #: Seconds that are left, of how many.
    seconds_left: int
    seconds: int
    #: Seconds at the end during which the caster concentrates (MB-SFX-S19).
    concentration: int = 0

    @property
    def concentrates(self) -> bool:
        """Whether these are the seconds in which the caster concentrates."""
        return 0 < self.seconds_left <= self.concentration


class CharacterEffects(Record):
    """Effects that a character has cast, and the charges that the character carries."""

    last_number: int = 0
    running: tuple[RunningEffect, ...] = ()
    charges: tuple[StoredCharges, ...] = ()
    #: The casting that takes its time.
    casting: CastInProgress | None = None
    #: Effects that are over and that others have seen, the oldest first (MB-SFX-30).
    past: tuple[RunningEffect, ...] = ()
    #: Effects of others that the character has seen through: caster and name (MB-SFX-30).
    seen_through: tuple[tuple[str, str], ...] = ()


#: Most effects that are over and remembered, by caster.
PAST_MOST: Final = 10
#: Classes of these parts of a table's state.
PARTS: Final[dict[str, type]] = {_STATE: CharacterEffects}
_NOTHING: Final = CharacterEffects()


def effects_of(game: Game, who: str) -> CharacterEffects:
    """Return the effects that a character has cast, and the charges that the character carries."""
    effects: CharacterEffects | None = game.state.own.get(f"{_STATE}:{who}")
    return _NOTHING if effects is None else effects


def with_effects_of(game: Game, who: str, effects: CharacterEffects) -> Game:
    """Return the game with a character's effects."""
    part = None if effects == _NOTHING else effects
    return game.with_state(game.state.with_own(f"{_STATE}:{who}", part))


def running_effects(game: Game) -> Iterator[RunningEffect]:
    """Yield every effect that runs, by caster in the order of the characters."""
    for who in game.state.characters:
        yield from effects_of(game, who).running


def steerer_of(game: Game, effect: RunningEffect) -> str:
    """Return the character who steers an effect (MB-SFX-29, MB-SFX-33).

    That is the character who has released its charge, else its caster.
    """
    if effect.wielder in game.state.characters:
        return effect.wielder
    return effect.caster


def find_running(game: Game, who: str, number: int) -> RunningEffect | None:
    """Return an effect that runs by a character's casting, by its number."""
    for effect in effects_of(game, who).running:
        if effect.number == number:
            return effect
    return None


def with_running(game: Game, effect: RunningEffect) -> Game:
    """Return the game with an effect in place of the one with its number, or as a new one."""
    effects = effects_of(game, effect.caster)
    running = tuple(effect if old.number == effect.number else old for old in effects.running)
    if effect not in running:
        running = (*running, effect)
    last = max(effects.last_number, effect.number)
    return with_effects_of(game, effect.caster, effects.replace(running=running, last_number=last))


def without_running(game: Game, effect: RunningEffect) -> Game:
    """Return the game once an effect is over; characters may still doubt it (MB-SFX-30)."""
    effects = effects_of(game, effect.caster)
    running = tuple(old for old in effects.running if old.number != effect.number)
    over = effect.replace(seconds_left=0, changes=(), lapsing=False, suspended=False)
    past = (*effects.past, over)[-PAST_MOST:]
    return with_effects_of(game, effect.caster, effects.replace(running=running, past=past))


def has_seen_through(game: Game, who: str, caster: str, name: str) -> bool:
    """Return whether a character is immune to an illusion (MB-SFX-30).

    Its caster is, and every character that saw through the same one before.
    """
    return who == caster or (caster, name) in effects_of(game, who).seen_through
