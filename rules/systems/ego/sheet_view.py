"""Characters in codes: the sheet for its player and GMs, and how somebody is (EGO-SHT-01,
EGO-IMP-01, EGO-EFF-02).
"""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.ego.character import pools, purchases
from rules.systems.ego.character.advancement import EgoCharacter
from rules.systems.ego.character.combat_values import AP, armor_of, body_of, impairment_of
from rules.systems.ego.character.labels import label, labeled_fact
from rules.systems.ego.character.sheet import CHARACTER, Arm, EgoSheet, ability_dice
from rules.systems.ego.checks.roll_stages import LUCKY, luck_left
from rules.systems.ego.checks.rounds import points_of
from rules.systems.ego.combat.weapons import Plan, attack_source
from rules.systems.ego.formulas import close_combat
from rules.systems.ego.formulas import damage as damage_rules
from rules.table.blocks import Block, Group, Note, Text
from rules.table.checks.open_points import secretly_spent
from rules.table.people.common_fields import field_blocks
from rules.table.system import Game

#: The rest of the sheet.
REST: Final = (
    (label("powers"), CHARACTER.part("powers")),
    (Text("sheet-things"), CHARACTER.part("spare_armour", "equipment")),
    (label("traits"), CHARACTER.part("advantages", "disadvantages")),
    (Text("sheet-story"), CHARACTER.part("race", "sketch")),
)
#: What is told even where there is none of it left.
_ALWAYS: Final = ("karma", "magic", "psionics")
#: By which nobody can do anything.
OUT: Final = ("ego-is-down",)


def _vitality(sheet: EgoSheet) -> Text:
    """Vitality and Stun as they are now."""
    taken = body_of(sheet)
    stun = {"stun": damage_rules.stun_left(taken), "full": damage_rules.stun_points(taken.vitality)}
    return Text(
        "ego-vitality", {"now": damage_rules.vitality_left(taken), "of": taken.vitality, **stun}
    )


def describe_character(game: Game, character: EgoCharacter) -> tuple[Block, ...]:
    """What one plays with: points first, then abilities with what is rolled on each, weapons,
    armor.
    """
    sheet, seen = character.sheet, (character.id,)
    found: list[Block] = []
    points: list[Text] = []
    for key, number in _points(sheet):
        shown = purchases.money(game, number) if key == "funds" else number
        points.append(Text("ego-sheet-points", {"what": key, "points": shown}))
    if points:
        found.append(Group(None, tuple([(each,) for each in points]), seen))
    if sheet.profile is not None:
        return (*found, *field_blocks(CHARACTER.part("profile"), sheet, seen))
    rows: list[tuple[Text, ...]] = []
    for key in pools.ABILITIES:
        score = Text("ego-sheet-entry", {"name": key.capitalize(), "level": getattr(sheet, key)})
        mine = [each for each in pools.learned_sources(sheet, game.campaign) if each.ability == key]
        items = tuple([Text("ego-sheet-entry", pools.source_params(sheet, each)) for each in mine])
        rows.append(
            (score, Text("ego-sheet-skills", {"rank": ability_dice(sheet, key), "items": items}))
        )
    found.append(Group(None, tuple(rows), seen))
    found.append(Note(Text("ego-creation-derived", pools.derived(sheet)), seen))
    own = [
        Text("ego-sheet-entry", {"name": each.title, "level": each.level})
        for each in sheet.specialties
    ]
    if own:
        found.append(labeled_fact("specialties", tuple(own), seen))
    if armor := armor_of(sheet):
        worn = {"ar": armor, **_suit_params(sheet, armor)}
        found.append(labeled_fact("armour", Text("ego-armour", worn), seen))
    armed = [
        (Text("as-written", {"text": each.name}), _weapon(game, sheet, each)) for each in sheet.arms
    ]
    return (*found, Group(label("weapons"), tuple(armed), seen)) if armed else tuple(found)


def _suit_params(sheet: EgoSheet, rating: int) -> dict[str, Any]:
    """Return the name of the suit that has this rating, and its rating when whole."""
    suit = sheet.armour
    if suit is None or suit.ar != rating:
        return {}
    return {"name": suit.name, "full": suit.full if suit.full != suit.ar else None}


def _weapon(game: Game, sheet: EgoSheet, arm: Arm) -> Text:
    """What is rolled with a weapon, all of a specialty put into the attack; of one that no table
    has, how it is.
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
        shown["rate"] = "/".join([str(each) for each in rates if each])
        shown["limits"] = "/".join(map(str, means.row.limits))
    return Text("ego-sheet-weapon", {**shown, "dice": dice})


def _points(sheet: EgoSheet) -> tuple[tuple[str, int], ...]:
    """What is spent, as far as there is some; pools of power even when they are empty."""
    keys = ("karma", "exp", "exp_saved", "funds", "magic", "psionics")
    found = [(key, getattr(sheet, key)) for key in keys]
    return tuple(
        [(key, each) for key, each in found if each or (each is not None and key in _ALWAYS)]
    )


def health_lines(game: Game, character: EgoCharacter, full: bool) -> tuple[Text, ...]:
    """One line for everybody; in `full` also how much is left, what that does, and the Action
    Points of the round.
    """
    sheet = character.sheet
    level = impairment_of(game, sheet)
    seen = Text(
        "badly-hurt" if level > 2 else "hurt" if sheet.lethal or sheet.non_lethal else "unhurt"
    )
    lines = [Text("ego-is-down", {"how": sheet.down})] if sheet.down else [seen]
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
        # Nobody reads here what is set against an attack, or bought before a round, in secret.
        spent = secretly_spent(game, character.id, AP.key)
        shown = {"left": points.left + spent, "all": points.all + min(0, spent)}
        lines.append(Text("ego-points", shown))
    return tuple(lines)


def open_points(game: Game, character: EgoCharacter) -> tuple[Text, ...]:
    """Return what all players see: Karma, and whether Lucky is left."""
    sheet: EgoSheet = character.sheet
    karma = sheet.karma + secretly_spent(game, character.id, "karma")
    found = [Text("ego-open-karma", {"left": karma})]
    if luck_left(sheet, LUCKY) > 0:
        found.append(Text("ego-open-lucky"))
    return tuple(found)
