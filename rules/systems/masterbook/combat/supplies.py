"""`/mb reload`, a simple action of a round, and `/mb find`: what is hard to come by (MB-EQ-04,
MB-ACT-01, MB-EQ-50).
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import matches, similar_names
from rules.systems.masterbook.character.sheet import (
    Arm,
    MasterbookSheet,
    skills_with_adds,
    weapon_of,
)
from rules.systems.masterbook.checks import action_economy
from rules.systems.masterbook.checks.roll_sources import best_source
from rules.systems.masterbook.formulas import equipment
from rules.table.blocks import Text
from rules.table.commands import AS_FIELD, WITH_FIELD, CheckStart
from rules.table.forms import FormContext, Number, Option, Typed, Values, plain_options
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter
from rules.table.system import Game


def _arm(game: Game, who: AnyCharacter, text: str) -> Arm:
    """The weapon that is meant, by whoever may load it, and not full.

    InvalidInput("mb-unknown-weapon"), Impossible("mb-nothing-to-reload", "mb-reload-untrained",
    "mb-magazine-full").
    """
    sheet: MasterbookSheet = who.sheet
    loaded = [each for each in sheet.arms if each.magazine is not None]
    if not loaded:
        raise Impossible("mb-nothing-to-reload", who=who.name)
    found = matches(loaded, text, lambda each: each.name)
    if len(found) != 1:
        names = tuple(each.name for each in loaded)
        near = similar_names(text, names)
        raise InvalidInput(
            "mb-unknown-weapon", field="weapon", value=text[:100], allowed=names, nearest=near
        )
    arm = found[0]
    weapon = weapon_of(arm, game.campaign)
    trained = any(each.name == weapon.skill and each.adds for each in skills_with_adds(sheet))
    if not equipment.may_reload(weapon, trained=trained):
        raise Impossible("mb-reload-untrained", weapon=arm.name, skill=weapon.skill)
    if arm.rounds is not None and arm.rounds >= (arm.magazine or 0):
        raise Impossible("mb-magazine-full", weapon=arm.name)
    return arm


def with_full_magazine(game: Game, who: str, name: str) -> Game:
    """The game with a full magazine in that weapon of somebody's."""
    sheet: MasterbookSheet = game.sheet(who)
    carried = tuple(
        arm.replace(rounds=arm.magazine) if arm.name == name else arm for arm in sheet.arms
    )
    return game.with_sheet(who, sheet.replace(arms=carried))


def reload(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """A weapon that somebody carries is loaded. Raises as `require_turn` and `_arm`."""
    action_economy.require_turn(game, who)
    arm = _arm(game, who, action.weapon)
    game, harder = action_economy.spend_simple_action(
        with_full_magazine(game, who.id, arm.name), who.id
    )
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
    return plain_options([each.name for each in arms if each.magazine is not None])


# --- finding --------------------------------------------------------------------------------------

_SKILL: Final = "Streetwise"
_CODES: Final = 9


def _wares(asking: FormContext) -> tuple[Option, ...]:
    """Weapons with how they stand with the law (MB-EQ-05), and armor; those of the
    campaign, too.
    """
    rows: equipment.CampaignRows = (
        equipment.CampaignRows()
        if asking.game is None
        else asking.campaign or equipment.CampaignRows()
    )
    laws = {name: each.law for name, each in equipment.equipment_by_name(rows, "weapons").items()}
    laws |= dict.fromkeys(equipment.equipment_by_name(rows, "armour"), "")
    return tuple(
        Option(name, Text("mb-ware", {"name": name, "law": law})) for name, law in laws.items()
    )


def _start_search(game: Game, given: Values) -> CheckStart:
    """A check with Streetwise unless another skill is said; without a code the GM says how hard it
    is.
    """
    number = equipment.availability(given["code"]) if "code" in given else None
    skill = (
        given.get("skill")
        or best_source(action_economy.commanding_character(game, given).sheet, _SKILL).name
    )
    said = {"skill": skill, "approach": given["item"]}
    said |= {} if number is None else {"difficulty": str(number)}
    return CheckStart("check", said, words=given.get("with"), as_=given.get("as"))


COMMANDS: Final = (
    action_economy.command(
        "find",
        _start_search,
        Typed("item", most=300, needed=True, choices=_wares),
        Number("code", high=_CODES),
        Typed("skill", most=100),
        WITH_FIELD,
        AS_FIELD,
    ),
    action_economy.action_command(
        *("reload", "Reload", reload),
        Typed("weapon", most=100, needed=True, choices=_loadable),
        AS_FIELD,
        by_one=True,
        instead=action_economy.hurry_roll_first(_hurried_reload),
    ),
)
