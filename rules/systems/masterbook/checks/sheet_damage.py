"""Harm of people at the table, on their sheets, and their points (MB-LP-01, MB-LP-06)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.systems.masterbook.character.sheet import MAX_LIFE_POINTS, MasterbookSheet
from rules.systems.masterbook.checks.sheet_view import capacity_of
from rules.systems.masterbook.formulas import damage as damage_rules
from rules.systems.masterbook.formulas import equipment
from rules.systems.masterbook.formulas.damage import Condition, Facts, Harm
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.blocks import Text
from rules.table.forms import plain_options
from rules.table.gm_values import LabelParams, Tool
from rules.table.resources import Words, read_points, sheet_resource
from rules.table.system import Game

#: What a GM sets by hand: how much of it there is, and the most there can be.
_COUNTED: Final[dict[str, tuple[Callable[[Harm], int], int]]] = {
    "wounds": (lambda now: now.wounds, damage_rules.MAX_WOUNDS),
    "shock": (lambda now: now.shock, 99),
    "bleeders": (lambda now: now.bleeders, 99),
    "knockout": (lambda now: -(-now.out_for // ROUND_SECONDS), 99),
}


def capacity(game: Game, who: str) -> int:
    """The shock that knocks somebody out, as the table plays (MB-DMG-05)."""
    return capacity_of(game.sheet(who), game.setting("resist_shock_add_cap"))


def with_harm(game: Game, who: str, now: Harm) -> Game:
    """The game with somebody harmed like this."""
    sheet: MasterbookSheet = game.sheet(who)
    return game if now == sheet.harm else game.with_sheet(who, sheet.replace(harm=now))


def damage_character(game: Game, who: str, damage: Damage) -> tuple[Game, Facts]:
    """Somebody takes all of a result at once, and what that did (MB-DMG-04)."""
    now, facts = damage_rules.apply_damage(game.sheet(who).harm, damage, capacity(game, who))
    return with_harm(game, who, now), facts


def condition_after(game: Game, who: str, damage: Damage) -> Condition:
    """Return the condition of a character once it takes this damage."""
    now, _ = damage_rules.apply_damage(game.sheet(who).harm, damage, capacity(game, who))
    return damage_rules.condition(now)


def condition_of(game: Game, who: str) -> Condition:
    """Return the condition of a character as it is."""
    return damage_rules.condition(game.sheet(who).harm)


def fatigue_damage(game: Game, who: str, shock: int) -> Damage:
    """Shock by getting tired, in what somebody wears (MB-EQ-31)."""
    extra = int(game.setting("armor_extra_fatigue"))
    return Damage(shock=equipment.fatigue(shock, game.sheet(who).armour, extra) if shock else 0)


def _by_hand(what: str) -> Tool:
    of, most = _COUNTED[what]

    def put(
        game: Game, sheet: MasterbookSheet, _: str, value: str
    ) -> tuple[MasterbookSheet, LabelParams]:
        was = sheet.harm
        capacity = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        now = damage_rules.with_gm_value(was, what, read_points(value, 0, most), capacity)
        how = "dead" if now.dead else "out" if now.out else "up" if was.out else None
        return sheet.replace(harm=now), {
            "what": what,
            "points": of(now),
            "before": of(was),
            "is": how,
        }

    def there(sheet: MasterbookSheet) -> list[tuple[str, LabelParams]]:
        return [("", {"what": what, "points": of(sheet.harm)})]

    return Tool(
        "mb-set-points", there, put, lambda sheet, name: plain_options(str(n) for n in range(10))
    )


TOOLS: Final = {what: _by_hand(what) for what in _COUNTED}


# --- points ---------------------------------------------------------------------------------------


_WORDS: Final = Words("mb-award", "mb-awarded", "mb-set-points", "mb-not-enough")


def _with_surplus(sheet: MasterbookSheet, points: int) -> MasterbookSheet:
    """Return the sheet with more Life Points above the most, for skill points (MB-GM-06)."""
    return sheet.replace(surplus=sheet.surplus + points)


def _award_text(name: str, points: int, sheet: MasterbookSheet) -> Text:
    """Return the text of an award, with the surplus above the most."""
    about = {"name": name, "what": "life_points", "points": points, "now": sheet.life_points}
    return Text("mb-awarded", {**about, "surplus": sheet.surplus or None})


LIFE_POINTS: Final = sheet_resource(
    "life_points", _WORDS, high=MAX_LIFE_POINTS, spills=True
).replace(given=_award_text, keep_surplus=_with_surplus)
SKILL_POINTS: Final = sheet_resource("skill_points", _WORDS, high=9999, spills=True, grows=True)
RESOURCES: Final = (LIFE_POINTS, SKILL_POINTS)
