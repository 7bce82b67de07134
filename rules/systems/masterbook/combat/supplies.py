"""`/mb reload`, a simple action of a round, and `/mb find` for rare goods.

MB-EQ-04, MB-ACT-01, MB-EQ-50.
"""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import (
    Arm,
    MasterbookSheet,
    skills_with_adds,
    weapon_of,
)
from rules.systems.masterbook.checks import action_commands, action_economy
from rules.systems.masterbook.checks.roll_sources import best_source
from rules.systems.masterbook.combat.declaration import unique_weapon
from rules.systems.masterbook.formulas import equipment
from rules.table.actions import Action
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.commands import AS_FIELD, WITH_FIELD, CheckStart, CommandResult
from rules.table.deeds import Deed
from rules.table.forms.fields import FormContext, Number, Option, Typed, plain_options
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game


def _arm(game: Game, who: AnyCharacter, text: str) -> Arm:
    """Return the weapon that a character is to reload.

    Raises:
        InvalidInput("mb-unknown-weapon"): *text* names none, or several.
        Impossible("mb-nothing-to-reload"): the character has no weapon with a magazine.
        Impossible("mb-reload-untrained"): the weapon takes training to reload.
        Impossible("mb-magazine-full"): the magazine is full.
    """
    sheet: MasterbookSheet = who.sheet
    arms = {arm.name: arm for arm in sheet.arms if arm.magazine is not None}
    if not arms:
        raise Impossible("mb-nothing-to-reload", who=who.name)
    names = tuple(arm.name for arm in sheet.arms if arm.magazine is not None)
    arm = arms[unique_weapon(names, text)]
    weapon = weapon_of(arm, game.campaign)
    trained = any(skill.name == weapon.skill and skill.adds for skill in skills_with_adds(sheet))
    if not equipment.may_reload(weapon, trained=trained):
        raise Impossible("mb-reload-untrained", weapon=arm.name, skill=weapon.skill)
    if arm.rounds is not None and arm.rounds >= (arm.magazine or 0):
        raise Impossible("mb-magazine-full", weapon=arm.name)
    return arm


def with_full_magazine(game: Game, who: str, name: str) -> Game:
    """Return the game with a full magazine in that weapon of a character."""
    sheet: MasterbookSheet = game.sheet(who)
    arms: list[Arm] = []
    for arm in sheet.arms:
        arms.append(arm.replace(rounds=arm.magazine) if arm.name == name else arm)
    return game.with_sheet(who, sheet.replace(arms=tuple(arms)))


class Reload(Action, kw_only=True):
    """Reload a weapon that a character carries."""

    weapon: str
    as_: str | None = None


def reload(game: Game, action: Reload) -> Outcome:
    """Reload a weapon. Raises as `acting_character`, `require_turn` and `_arm`."""
    who = acting_character(game.state, action.who, action.as_, action.place)
    action_economy.require_turn(game, who)
    arm = _arm(game, who, action.weapon)
    game = with_full_magazine(game, who.id, arm.name)
    game, harder = action_economy.spend_simple_action(game, who.id)
    said = {
        "who": action_economy.ref(who),
        "weapon": arm.name,
        "rounds": arm.magazine,
        "harder": harder or None,
    }
    return action_economy.report_act(game, who, Text("mb-acts", said))


def _hurried_reload(game: Game, who: AnyCharacter, said: Values) -> Values:
    name = _arm(game, who, said["weapon"]).name
    return {"approach": name, "reload": name}


def _loadable(asking: FormContext) -> tuple[Option, ...]:
    arms: tuple[Arm, ...] = () if asking.sheet is None else asking.sheet.arms
    return plain_options([arm.name for arm in arms if arm.magazine is not None])


_RELOAD: Final = Deed(
    "reload",
    Reload,
    reload,
    (Typed("weapon", most=100, needed=True, choices=_loadable), AS_FIELD),
    action_commands.acts_openly,
)
_HURRY_FIRST: Final = action_commands.hurry_roll_first(_hurried_reload)


def _run_reload(game: Game, given: Values) -> CommandResult:
    """Reload, or begin the roll for one simple action too many. Raises as `_arm`."""
    start = _HURRY_FIRST(game, given)
    return _RELOAD.run(game, given) if start is None else start


# --- finding --------------------------------------------------------------------------------------

_SKILL: Final = "Streetwise"
#: Highest code of availability.
_CODES: Final = 9


def _wares(asking: FormContext) -> tuple[Option, ...]:
    """Return weapons with their legality (MB-EQ-05), and armor, with those of the campaign."""
    campaign = None if asking.game is None else asking.campaign
    rows: equipment.CampaignRows = campaign or equipment.CampaignRows()
    laws: dict[str, str] = {}
    for name, weapon in equipment.equipment_by_name(rows, "weapons").items():
        laws[name] = weapon.law
    laws |= dict.fromkeys(equipment.equipment_by_name(rows, "armour"), "")
    return tuple(
        Option(name, Text("mb-ware", {"name": name, "law": law})) for name, law in laws.items()
    )


def _start_search(game: Game, given: Values) -> CheckStart:
    """Begin a check with Streetwise, or with the skill that is said.

    Without a code of availability, the GM says the difficulty.
    """
    skill = given.get("skill")
    if not skill:
        sheet = action_commands.commanding_character(game, given).sheet
        skill = best_source(sheet, _SKILL).name
    said = {"skill": skill, "approach": given["item"]}
    if "code" in given:
        number = equipment.availability_difficulty(given["code"])
        said |= {} if number is None else {"difficulty": str(number)}
    return CheckStart("check", said, words=given.get("with"), as_=given.get("as"))


DEEDS: Final = (_RELOAD,)
COMMANDS: Final = (
    action_commands.command(
        "find",
        _start_search,
        Typed("item", most=300, needed=True, choices=_wares),
        Number("code", high=_CODES),
        Typed("skill", most=100),
        WITH_FIELD,
        AS_FIELD,
    ),
    action_commands.command(_RELOAD.command, _run_reload, *_RELOAD.options),
)
