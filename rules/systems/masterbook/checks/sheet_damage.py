"""Damage on characters' sheets, and points that GMs award (MB-LP-01, MB-LP-06)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.systems.masterbook.character.bound_points import (
    GROUPS,
    points_in_group,
    with_points_in_group,
)
from rules.systems.masterbook.character.derived_values import capacity_of
from rules.systems.masterbook.character.sheet import (
    MAX_LIFE_POINTS,
    MasterbookSheet,
    option_effects,
)
from rules.systems.masterbook.checks.action_economy import break_casting, is_concentrating
from rules.systems.masterbook.formulas import damage as damage_rules
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.damage import Condition, Facts, Harm
from rules.systems.masterbook.formulas.gm_rules import EXTRA_SKILL_POINTS, LIFE_POINT_WORTH
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.blocks import Text
from rules.table.forms.fields import plain_options
from rules.table.gm_values import LabelParams, Tool
from rules.table.marks import mark_total, with_marks, without_marks
from rules.table.resources import (
    Resource,
    SettingReader,
    Words,
    no_settings,
    read_points,
    sheet_resource,
)
from rules.table.state import Mark
from rules.table.system import Game

#: By kind of damage that a GM sets: function that counts it, and the most there can be.
_COUNTED: Final[dict[str, tuple[Callable[[Harm], int], int]]] = {
    "wounds": (lambda now: now.wounds, damage_rules.MAX_WOUNDS),
    "shock": (lambda now: now.shock, 99),
    "bleeders": (lambda now: now.bleeders, 99),
    "knockout": (lambda now: -(-now.out_for // ROUND_SECONDS), 99),
}


def capacity(game: Game, who: str) -> int:
    """Return the shock that knocks a character out, by the table's setting (MB-DMG-05)."""
    return capacity_of(game.sheet(who), game.setting("resist_shock_add_cap"))


def with_harm(game: Game, who: str, now: Harm) -> Game:
    """Return the game with that harm on a character's sheet."""
    sheet: MasterbookSheet = game.sheet(who)
    return game if now == sheet.harm else game.with_sheet(who, sheet.replace(harm=now))


def damage_character(game: Game, who: str, damage: Damage) -> tuple[Game, Facts]:
    """Apply all of a result to a character at once, and return what that did (MB-DMG-04).

    Damage breaks off a casting that is at its concentration (MB-SFX-31).
    """
    now, facts = damage_rules.apply_damage(game.sheet(who).harm, damage, capacity(game, who))
    if facts and (is_concentrating(game, who) or now.out):
        game = break_casting(game, who)
    return with_harm(game, who, now), facts


def condition_after(game: Game, who: str, damage: Damage) -> Condition:
    """Return the condition of a character once it takes this damage."""
    now, _ = damage_rules.apply_damage(game.sheet(who).harm, damage, capacity(game, who))
    return damage_rules.condition(now)


def condition_of(game: Game, who: str) -> Condition:
    """Return the condition of a character as it is."""
    return damage_rules.condition(game.sheet(who).harm)


def fatigue_damage(game: Game, who: str, shock: int) -> Damage:
    """Return the shock of getting tired, in the armor that a character wears (MB-EQ-31)."""
    if not shock:
        return Damage()
    extra = int(game.setting("armor_extra_fatigue"))
    return Damage(shock=equipment.fatigue_shock(shock, game.sheet(who).armour, extra))


#: Shock that being stymied does to a character of age, as a fact and as a mark.
AGED: Final = "aged"


def stymied_shock(game: Game, who: str, by: str) -> tuple[Game, Facts]:
    """Return the game once being stymied has hurt a character by its age, and what that did
    (MB-BG-42).

    A GM may waive the shock as long as the check *by* is the character's last.
    """
    shock = option_effects(game.sheet(who)).stymied_shock
    if not shock or game.sheet(who).harm.dead:
        return game, ()
    game, facts = damage_character(game, who, Damage(shock=shock))
    mark = Mark(AGED, by, shock, until="scene")
    game = game.with_state(with_marks(game.state, who, mark))
    return game, ((AGED, shock), *(fact for fact in facts if fact[0] != "shock"))


def without_stymied_shock(game: Game, who: str, by: str) -> Game:
    """Return the game without the shock of that check (MB-BG-42)."""
    sheet: MasterbookSheet = game.sheet(who)
    shock = mark_total(game.state, who, AGED, by)
    left = max(0, sheet.harm.shock - shock)
    now = damage_rules.with_gm_value(sheet.harm, "shock", left, capacity(game, who))
    game = with_harm(game, who, now)
    return game.with_state(without_marks(game.state, who, AGED, by))


def _gm_tool(what: str) -> Tool:
    """Return the GMs' tool that sets one kind of damage."""
    count, most = _COUNTED[what]

    def set_value(
        game: Game, sheet: MasterbookSheet, _: str, value: str
    ) -> tuple[MasterbookSheet, LabelParams]:
        before = sheet.harm
        capacity = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        now = damage_rules.with_gm_value(before, what, read_points(value, 0, most), capacity)
        immune = option_effects(sheet).immunities if count(now) > count(before) else ()
        return sheet.replace(harm=now), {
            "what": what,
            "points": count(now),
            "before": count(before),
            "is": _changed_condition(before, now),
            "immune": immune or None,
        }

    def rows(sheet: MasterbookSheet) -> list[tuple[str, LabelParams]]:
        return [("", {"what": what, "points": count(sheet.harm)})]

    numbers = plain_options(str(number) for number in range(10))
    return Tool("mb-set-points", rows, set_value, lambda sheet, name: numbers)


def _changed_condition(before: Harm, now: Harm) -> str | None:
    """Return the condition that a GM's change has caused, as a word of its text."""
    if now.dead:
        return "dead"
    if now.out:
        return "out"
    return "up" if before.out else None


TOOLS: Final = {what: _gm_tool(what) for what in _COUNTED}


# --- points ---------------------------------------------------------------------------------------


_WORDS: Final = Words("mb-award", "mb-awarded", "mb-set-points", "mb-not-enough")


def with_surplus(
    sheet: MasterbookSheet, points: int, setting: SettingReader = no_settings
) -> MasterbookSheet:
    """Return the sheet after Life Points above the most were given (MB-GM-06).

    These points become skill points at once, or wait to be converted at tables that offer that.
    """
    if setting("award_overflow") == "offer":
        return sheet.replace(surplus=sheet.surplus + points)
    return sheet.replace(skill_points=sheet.skill_points + LIFE_POINT_WORTH * points)


def _surplus_params(
    before: MasterbookSheet, sheet: MasterbookSheet, points: int
) -> dict[str, int | None]:
    """Return what an award says of Life Points above the most."""
    over = points - (sheet.life_points - before.life_points)
    if over <= 0:
        return {}
    about = {"max": sheet.life_points, "lost": over, "skill_points": LIFE_POINT_WORTH * over}
    return {**about, "waits": sheet.surplus > before.surplus}


LIFE_POINTS: Final = sheet_resource(
    "life_points", _WORDS, high=MAX_LIFE_POINTS, spills=True
).replace(keep_surplus=with_surplus, given_besides=_surplus_params, high_setting="life_points_max")
SKILL_POINTS: Final = sheet_resource(
    "skill_points",
    _WORDS,
    high=9999,
    spills=True,
    grows=True,
    usual=EXTRA_SKILL_POINTS[1],
)


def _bound_resource(group: str) -> Resource[MasterbookSheet]:
    """Return the skill points of one group as something that a GM awards (MB-GM-05)."""

    def award_text(name: str, points: int, sheet: MasterbookSheet) -> Text:
        about = {"name": name, "points": points, "now": points_in_group(sheet, group)}
        return Text("mb-awarded", {**about, "what": "skill_points", "group": group})

    return Resource(
        f"skill_points_{group}",
        of=lambda sheet: points_in_group(sheet, group),
        with_value=lambda sheet, points: with_points_in_group(sheet, group, points),
        high=9999,
        award=Text("mb-award", {"what": "skill_points", "group": group}),
        given=award_text,
        grows=True,
        spills=True,
        reserve=False,
        award_most=EXTRA_SKILL_POINTS[1],
    )


RESOURCES: Final = (LIFE_POINTS, SKILL_POINTS, *[_bound_resource(group) for group in GROUPS])
