"""Views of a character: the sheet for its player and GMs, and its health.

EGO-SHT-01, EGO-IMP-01, EGO-EFF-02.
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.ego.character import pools, purchases
from rules.systems.ego.character.advancement import EgoCharacter
from rules.systems.ego.character.combat_values import (
    AP,
    armor_of,
    body_of,
    health_of,
    impairment_of,
)
from rules.systems.ego.character.labels import label, labeled_fact
from rules.systems.ego.character.sheet import CHARACTER, Arm, EgoSheet, ability_dice
from rules.systems.ego.checks.roll_stages import LUCKY, luck_left
from rules.systems.ego.checks.rounds import points_of
from rules.systems.ego.checks.view import health_line
from rules.systems.ego.combat.weapons import Plan, attack_source
from rules.systems.ego.formulas import close_combat
from rules.systems.ego.formulas import damage as damage_rules
from rules.table.blocks import Block, Group, Note, Text
from rules.table.checks.secret_costs import secretly_spent
from rules.table.people.common_fields import field_blocks
from rules.table.system import Game

#: The rest of the sheet.
REST: Final = (
    (label("powers"), CHARACTER.part("powers")),
    (Text("sheet-things"), CHARACTER.part("spare_armour", "equipment")),
    (label("traits"), CHARACTER.part("advantages", "disadvantages")),
    (Text("sheet-story"), CHARACTER.part("race", "sketch")),
)
#: Points that are listed even at 0.
_ALWAYS: Final = ("karma", "magic", "psionics")
#: Codes of health lines of characters that can't act.
OUT: Final = ("ego-is-down",)


def _vitality(sheet: EgoSheet) -> Text:
    """Return the Vitality and Stun that are left."""
    taken = body_of(sheet)
    stun = {"stun": damage_rules.stun_left(taken), "full": damage_rules.stun_points(taken.vitality)}
    return Text(
        "ego-vitality", {"now": damage_rules.vitality_left(taken), "of": taken.vitality, **stun}
    )


def describe_character(game: Game, character: EgoCharacter) -> tuple[Block, ...]:
    """Return the blocks of a sheet for play: points, abilities with skills, weapons, armor."""
    sheet, seen = character.sheet, (character.id,)
    blocks: list[Block] = []
    points: list[Text] = []
    for key, number in _points(sheet):
        shown = purchases.money(game, number) if key == "funds" else number
        points.append(Text("ego-sheet-points", {"what": key, "points": shown}))
    if points:
        blocks.append(Group(None, tuple((line,) for line in points), seen))
    if sheet.profile is not None:
        return (*blocks, *field_blocks(CHARACTER.part("profile"), sheet, seen))
    rows: list[tuple[Text, ...]] = []
    for key in pools.ABILITIES:
        score = Text("ego-sheet-entry", {"name": key.capitalize(), "level": getattr(sheet, key)})
        learned = pools.learned_sources(sheet, game.campaign)
        own_sources = [source for source in learned if source.ability == key]
        items = tuple(
            Text("ego-sheet-entry", pools.source_params(sheet, source)) for source in own_sources
        )
        rows.append(
            (score, Text("ego-sheet-skills", {"rank": ability_dice(sheet, key), "items": items}))
        )
    blocks.append(Group(None, tuple(rows), seen))
    blocks.append(Note(Text("ego-creation-derived", pools.derived(sheet)), seen))
    own = [
        Text("ego-sheet-entry", {"name": specialty.title, "level": specialty.level})
        for specialty in sheet.specialties
    ]
    if own:
        blocks.append(labeled_fact("specialties", tuple(own), seen))
    if armor := armor_of(sheet):
        worn = {"ar": armor, **_suit_params(sheet, armor)}
        blocks.append(labeled_fact("armour", Text("ego-armour", worn), seen))
    armed = [
        (Text("as-written", {"text": arm.name}), _weapon(game, sheet, arm)) for arm in sheet.arms
    ]
    return (*blocks, Group(label("weapons"), tuple(armed), seen)) if armed else tuple(blocks)


def _suit_params(sheet: EgoSheet, rating: int) -> dict[str, Any]:
    """Return the name of the suit that has this rating, and its rating when whole."""
    suit = sheet.armour
    if suit is None or suit.ar != rating:
        return {}
    return {"name": suit.name, "full": suit.full if suit.full != suit.ar else None}


def _weapon(game: Game, sheet: EgoSheet, arm: Arm) -> Text:
    """Return the dice of a weapon, with all of its specialty in the attack.

    A weapon without a row has no dice.
    """
    shown: dict[str, Any] = {"drawn": arm.drawn, "rounds": arm.rounds, "magazine": arm.magazine}
    shown["spare"] = arm.spare
    try:
        means = attack_source(game, sheet, Plan(weapon=arm.name))
    except Impossible:
        return Text("ego-sheet-weapon", {**shown, "dice": None})
    dice = close_combat.attack_pool(means.base, specialty=means.split, muscle=means.light)
    damage = damage_rules.damage_dice(means.dice, means.muscle)
    shown |= {"damage": damage, "flat": means.flat or None, "stun": not means.lethal}
    if means.row.range:
        rates = [means.row.rate, "A" if means.row.automatic else None]
        shown["rate"] = "/".join([str(rate) for rate in rates if rate])
        shown["limits"] = "/".join(map(str, means.row.limits))
    return Text("ego-sheet-weapon", {**shown, "dice": dice})


def _points(sheet: EgoSheet) -> tuple[tuple[str, int], ...]:
    """Return the points of a character; those of Karma and pools of power even at 0."""
    keys = ("karma", "exp", "exp_saved", "funds", "magic", "psionics")
    points: list[tuple[str, int]] = []
    for key in keys:
        number: int | None = getattr(sheet, key)
        if number or (number is not None and key in _ALWAYS):
            points.append((key, number))
    return tuple(points)


def health_lines(game: Game, character: EgoCharacter, full: bool) -> tuple[Text, ...]:
    """Return the health of a character: one line for everyone.

    *full* adds the Vitality left, the impairment, and the Action Points of the round.
    """
    sheet = character.sheet
    level = impairment_of(game, sheet)
    lines = [health_line(health_of(game, sheet))]
    if sheet.stunned:
        lines.append(Text("ego-stunned", {"rounds": sheet.stunned}))
    if not full:
        return tuple(lines)
    lines.append(_vitality(sheet))
    if level and not sheet.down:
        shown = {
            "initiative": damage_rules.IMPAIRMENT_INITIATIVE[level],
            "difficulty": damage_rules.IMPAIRMENT_DIFFICULTY[level],
        }
        lines.append(Text("ego-how-impaired", {"level": level, **shown}))
    if points := points_of(game, character):
        # The secret costs of a defense, and secret purchases before a round, are left out here.
        spent = secretly_spent(game, character.id, AP.key)
        shown = {"left": points.left + spent, "all": points.all + min(0, spent)}
        lines.append(Text("ego-points", shown))
    return tuple(lines)


def open_points(game: Game, character: EgoCharacter) -> tuple[Text, ...]:
    """Return what all players see: Karma, and whether Lucky is left."""
    sheet: EgoSheet = character.sheet
    karma = sheet.karma + secretly_spent(game, character.id, "karma")
    lines = [Text("ego-open-karma", {"left": karma})]
    if luck_left(sheet, LUCKY) > 0:
        lines.append(Text("ego-open-lucky"))
    return tuple(lines)
