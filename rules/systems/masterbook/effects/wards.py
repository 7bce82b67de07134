"""`/effect ward`: the trigger of a ward may have happened (MB-SFX-29)."""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.core.name_matching import matches
from rules.systems.masterbook.effects.charges import charge_names, charges_title, release
from rules.systems.masterbook.effects.reports import report_events
from rules.systems.masterbook.effects.state import EffectTarget, StoredCharges, effects_of
from rules.systems.masterbook.formulas import dice
from rules.table.actions import Action
from rules.table.blocks import EVERYONE, FOR_EVERYONE, GMS, Note, Ref, Text
from rules.table.commands import known_character_options
from rules.table.deeds import Deed
from rules.table.events import Event
from rules.table.forms.fields import FormContext, Number, Option, Typed
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game

_NAME_MOST: Final = 100
_NUMBER_MOST: Final = 200


def wards_of(game: Game, who: str) -> tuple[StoredCharges, ...]:
    """Return the charges of a character that a trigger sets off."""
    held = effects_of(game, who).charges
    return tuple(charges for charges in held if charges.known.blueprint.ward)


def find_ward(game: Game, who: AnyCharacter, text: str) -> StoredCharges:
    """Return the ward that is meant; without a text the only one.

    Raises Impossible("mb-effect-no-ward") if the character carries none, or the text names none,
    or several.
    """
    wards = wards_of(game, who.id)
    names = charge_names(wards)
    meant = wards
    if text:
        meant = matches(wards, text, lambda ward: names[ward.number])
    allowed = tuple(dict.fromkeys(names[ward.number] for ward in meant or wards))
    if not meant or len(allowed) != 1:
        raise Impossible("mb-effect-no-ward", who=who.name, allowed=allowed or None)
    return meant[0]


def ward_total(game: Game, ward: StoredCharges, number: int) -> int | None:
    """Return the total of a ward's secret roll to notice its trigger (MB-SFX-29).

    None if the ward's value alone is enough.
    """
    if ward.ward_perception >= number:
        return None
    roll = dice.throw(game.rng.secret, tens=True)
    return ward.ward_perception + dice.bonus_number(roll.total)


class TryWard(Action, kw_only=True):
    """Let a ward notice its trigger, or miss it, for a GM."""

    #: Character who carries the ward.
    character: str
    #: Difficulty of noticing the trigger.
    number: int
    #: Name of the ward; empty for the only one.
    ward: str = ""
    #: Character whom the ward's effect aims at.
    target: str = ""


def try_ward(game: Game, action: TryWard) -> Outcome:
    """Let a ward notice its trigger, or miss it. Players hear of it only if it goes off.

    Raises NotPermitted("gm-only"), and as `find_ward` and `find_known`.
    """
    require_gm(game.state, action.who)
    who = find_known(game.state, action.who, action.character, "character")
    ward = find_ward(game, who, action.ward)
    aims: tuple[EffectTarget, ...] = ()
    if action.target:
        target = find_known(game.state, game.actor, action.target, "target")
        aims = (EffectTarget(target.id),)
    total = ward_total(game, ward, action.number)
    notices = total is None or total >= action.number
    about = {
        "what": charges_title(ward),
        "who": Ref(who.id),
        "trigger": ward.known.blueprint.ward,
        "total": total,
        "value": ward.ward_perception,
        "number": action.number,
        "notices": notices,
    }
    secret = report_events(game, Text("mb-effect-ward-roll", about), (), GMS)
    if not notices:
        return Outcome(game.state, secret)
    title = Text("mb-effect-ward-off", {"what": ward.known.name, "holder": ward.holder or None})
    note = Note(Text("mb-effect-ward-why", {"trigger": ward.known.blueprint.ward}), FOR_EVERYONE)
    announced: tuple[Event, ...] = report_events(game, title, (note,), EVERYONE)
    game, more = release(game, ward, who.id, aims, action.place, "")
    return Outcome(game.state, (*secret, *announced, *more))


def _ward_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the wards of all characters, for GMs alone: a ward may be a secret."""
    game = asking.game
    if game is None or not is_gm(game.state, game.actor):
        return ()
    names: dict[str, None] = {}
    for who in game.state.characters:
        names |= dict.fromkeys(charge_names(wards_of(game, who)).values())
    return tuple(Option(name, Text("as-written", {"text": name})) for name in names)


_WHO: Final = Typed("character", most=_NAME_MOST, choices=known_character_options, needed=True)
_NUMBER: Final = Number("number", low=0, high=_NUMBER_MOST, needed=True)
_WARD: Final = Typed("ward", most=_NAME_MOST, choices=_ward_options)
_TARGET: Final = Typed("target", most=_NAME_MOST, choices=known_character_options)
_TRY: Final = Deed("effect ward", TryWard, try_ward, (_WHO, _NUMBER, _WARD, _TARGET), openly=False)
DEEDS: Final = (_TRY,)
COMMANDS: Final = (_TRY.as_command(),)
