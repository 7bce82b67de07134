"""What is done in a round besides attacks: each thing costs Action Points (EGO-AP-03, EGO-AP-04,
EGO-DEF-03).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.ego.character.combat_values import AP, TUMBLING
from rules.systems.ego.character.sheet import Arm, EgoSheet, level_of
from rules.systems.ego.checks.group_rolls import TUMBLE, GroupRoll, describe, trial_procedure
from rules.systems.ego.checks.roll_stages import Trial, Trials
from rules.systems.ego.checks.rounds import pay, points_of, round_of
from rules.systems.ego.combat.defense import with_tumbling
from rules.systems.ego.combat.weapons import arm_of, draw_weapon, reload_weapon
from rules.systems.ego.command_forms import deed
from rules.systems.ego.formulas import action_points
from rules.systems.ego.formulas.dice import MAX_KARMA_DICE
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Block, Note, Ref, Text, Verdict, typed_text
from rules.table.check import Check, OutOfTurn, Values
from rules.table.checks.procedure import StageResult
from rules.table.checks.shared_blocks import result_tone
from rules.table.commands import ButtonQuestion
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.forms.typed_texts import one_line
from rules.table.initiative import encounter_of, out_of_turn
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import public_name
from rules.table.reports import report_outcome
from rules.table.system import Game

_DOING_MAX, _NAME_MAX = 80, 100


class WeaponChange(Record):
    """A change of a weapon."""

    #: Returns the sheet after the change, and its cost in Action Points.
    handles: Callable[[Game, EgoSheet, str], tuple[EgoSheet, int]]
    #: Tests whether the change is possible for a weapon.
    fits: Callable[[Arm], bool]
    #: Whether the change takes the whole round.
    whole: bool = False


#: Changes of weapons, by the name of their action (EGO-AP-03).
WEAPON_CHANGES: Final[Mapping[str, WeaponChange]] = {
    "draw": WeaponChange(
        lambda game, sheet, weapon: draw_weapon(sheet, weapon), lambda arm: not arm.drawn
    ),
    "reload": WeaponChange(reload_weapon, lambda arm: arm.magazine is not None, whole=True),
}


class Act(Action, kw_only=True):
    """Do something in a round that takes no roll."""

    action: str = ""
    weapon: str = ""
    seconds: int | None = None
    karma: int | None = None
    as_: str | None = None


def act(game: Game, action: Act) -> Outcome:
    """Carry out an action without a roll, and pay for it (EGO-AP-01 to EGO-AP-04).

    The action is one of WEAPON_CHANGES with a `weapon`, or in the player's own words. Outside
    rounds it costs nothing. Raises InvalidInput("ego-which-weapon"), and errors as `draw_weapon`,
    `reload_weapon` and `pay`.
    """
    character = acting_character(game.state, action.who, action.as_, action.place)
    who, doing = character.id, one_line("action", action.action, _DOING_MAX)
    what = doing.casefold()
    handling, price = WEAPON_CHANGES.get(what), action_points.skill_use_cost(action.seconds or 0)
    number = round_of(game, who)
    acts: dict[str, Any] = {}
    if handling is not None:
        sheet: EgoSheet = character.sheet
        doing = _weapon(sheet, action.weapon, handling)
        after, price = handling.handles(game, sheet, doing)
        acts = _reload_params(sheet, after, doing) if what == "reload" else {}
        game = game.with_sheet(who, after)
    whole = handling is not None and handling.whole
    game, over = pay(game, who, price, number, whole=whole)
    title = Text("act-title", {"name": public_name(character) or character.name})
    acts |= {"what": what if handling else "", "doing": typed_text(doing, game.actor.id)}
    if number is not None:
        acts |= {"points": price, "whole": whole, "over": 0 if whole else over}
        acts["left"] = AP.of(game.sheet(who))
    told = [Note(Text("ego-acts", acts), FOR_EVERYONE)]
    if price and (late := _turn_problem(game, who)) is not None:
        told.append(Note(_turn_line(game, late), FOR_EVERYONE))
    return report_outcome(game, title, *told, of=character)


def costs_out_of_turn(game: Game, action: Act) -> bool:
    """Return whether an action costs Action Points in another actor's turn. Raises as `act`."""
    character = acting_character(game.state, action.who, action.as_)
    if _turn_problem(game, character.id) is None:
        return False
    after = game.with_state(act(game, action).state)
    before, now = (points_of(each, each.character(character.id)) for each in (game, after))
    return before is not None and now is not None and now.spent > before.spent


def act_out_of_turn(game: Game, given: Values) -> ButtonQuestion:
    """Return the question for a player who acts in another actor's turn."""
    character = acting_character(game.state, game.actor, given.get("as"))
    late = _turn_problem(game, character.id)
    title = Text("act-title", {"name": character.name})
    before = None if late is None else _turn_line(game, late)
    return ButtonQuestion(Form(), character.id, title, lambda _: Text("ego-act-anyway"), before)


def _turn_line(game: Game, late: OutOfTurn) -> Text:
    """Return in words whose turn it is instead, by the public name."""
    other = game.state.characters.get(late.who)
    name = late.name if other is None else public_name(other)
    return Text("out-of-turn", {"who": Ref(name=name)})


def _turn_problem(game: Game, who: str) -> OutOfTurn | None:
    """Return whose turn it is instead, wherever rounds are counted for a character."""
    encounter = encounter_of(game.state, who)
    return None if encounter is None else out_of_turn(game.state, encounter.place, who)


def _reload_params(before: EgoSheet, after: EgoSheet, weapon: str) -> dict[str, Any]:
    """Return the rounds of a weapon before and after it is reloaded, and the spare ones left."""
    was, now = arm_of(before, weapon), arm_of(after, weapon)
    assert was is not None and now is not None, "it was reloaded"
    return {"before": was.rounds or 0, "after": now.rounds, "spare": now.spare}


def _weapon(sheet: EgoSheet, named: str, change: WeaponChange) -> str:
    """Return the weapon that is named; without a name, the only one that fits.

    Raises InvalidInput("ego-which-weapon").
    """
    names = tuple(dict.fromkeys([arm.name for arm in sheet.arms if named or change.fits(arm)]))
    fitting = [name for name in names if name.casefold().startswith(named.casefold())]
    exact = [name for name in fitting if name.casefold() == named.casefold()] or fitting
    if len(set(exact)) != 1:
        raise InvalidInput(
            "ego-which-weapon", field="weapon", value=named[:_NAME_MAX] or None, allowed=names
        )
    return exact[0]


# --- tumbling -------------------------------------------------------------------------------------


def _tumbling(game: Game, check: Check[Trials]) -> StageResult[Trials] | None:
    """Pay for tumbling, and set its roll (EGO-DEF-03, EGO-AP-03)."""
    data, who = check.data, check.actor
    level = level_of(game.sheet(who), TUMBLING)
    if not level:
        raise Impossible("ego-no-specialty", name=TUMBLING)
    game, over = pay(game, who, action_points.COSTS[TUMBLE], check.round, karma=data.karma)
    return StageResult(
        game.state, data.replace(trials=(Trial(who, TUMBLE, level - over, karma=data.karma),))
    )


def _tumbled(game: Game, check: Check[Trials]) -> StageResult[Trials] | None:
    """Make the character harder to hit in close combat until the round ends (EGO-DEF-03)."""
    before = game.sheet(check.actor).round.tumbling
    game = with_tumbling(game, check.actor, max(before, check.data.throws[0].pool.successes))
    return StageResult(game.state, check.data.replace(over=True))


def _describe(game: Game, check: Check[Trials]) -> tuple[Block, ...]:
    won = sum(each.pool.successes for each in check.data.throws)
    seen_as = result_tone(game, check, good=won > 0, rivals=False)
    said = (
        (Verdict(Text("ego-tumbles", {"more": won}), seen_as, FOR_EVERYONE),)
        if check.data.over
        else ()
    )
    return describe(game, check, verdict=lambda told: said)


def _begun(game: Game, check: Check[Trials], values: Values) -> Check[Trials]:
    return check.replace(data=check.data.replace(karma=values.get("karma", 0)))


_FORM: Final = Form((Number("karma", high=MAX_KARMA_DICE),))
_TUMBLED: Final = (_tumbling, GroupRoll[Trials](), _tumbled)
PROCEDURE: Final = trial_procedure("tumble", _TUMBLED, form=_FORM, begin=_begun, describe=_describe)
ROUND_DEEDS: Final = (deed("act", Act, act),)
