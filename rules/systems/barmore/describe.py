"""Checks and characters in codes, for players and for GMs. What an onlooker may not know is left out here."""

from __future__ import annotations

from functools import cache
from itertools import repeat

from rules.core.rng import Die
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import (
    BarCharacter,
    BarRequest,
    BarRuling,
    Part,
    Thrown,
    Traits,
    line_of,
)
from rules.systems.barmore.dice import DIE_TYPES, STANDARD
from rules.systems.barmore.harm import wound_line
from rules.systems.barmore.options import GmOptions, Pace, die_line
from rules.systems.barmore.pool import Pool
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.task import Judgement
from rules.systems.barmore.traits import Found, outline
from rules.table.blocks import Block, Fact, Group, Note, Text
from rules.table.events import Line

#: What a die is called: those that count, and what the others fell away for (BAR-ROLL).
KEPT, FOR_BONUS, FOR_PENALTY = "kept", "bonus", "penalty"


def difficulty_line(difficulty: int) -> Line:
    """A Difficulty."""
    return Line("bar-difficulty", {"value": difficulty})


def trait_line(code: str, found: Found) -> Line:
    """A trait that is wanted, with the one that stands in for it and its score (BAR-TRAIT)."""
    return Line(code, {"name": found.wanted, "used": found.used, "score": found.score, "via": found.via})


def trait_lines(traits: Traits, *, scores: bool) -> tuple[Line, ...]:
    """The traits that are wanted and those that stand in for them (BAR-TRAIT); without `scores` only their names."""
    found = [
        trait_line(f"bar-{kind}", trait) if scores else Line("bar-trait", {"name": trait.wanted})
        for kind, trait in (("ability", traits.ability), ("attribute", traits.attribute))
        if trait is not None
    ]
    return tuple(found) or (Line("bar-start-alone"),)


def _pace_lines(pace: Pace) -> list[Line]:
    found = (
        ("saved", pace.phases_saved),
        ("extra", pace.phases_extra),
        ("halvings", pace.halvings),
        ("doublings", pace.doublings),
    )
    return [Line(f"bar-shift-{pace}", {"count": count}) for pace, count in found if count]


def option_lines(
    request: BarRequest,
    ruling: BarRuling | None,
    traits: Traits,
    *,
    against: bool = False,
    open_: bool = True,
) -> tuple[Line, ...]:
    """What the player has chosen and the GM granted; `open_` where everybody may know what somebody can do."""
    options = request.options
    lines: list[Line] = []
    if options.no_dice:
        lines.append(Line("bar-no-dice"))
    elif options.die != STANDARD.id:
        lines.append(Line("bar-shift-die", die_line(options.die).params))
    refused = () if ruling is None else ruling.refused
    for kind, trait in (("ability", traits.ability), ("attribute", traits.attribute)):
        if trait is None:
            continue
        if trait.via == "descendant":
            if open_:
                lines.append(Line("bar-justification", {"name": trait.wanted, "used": trait.used}))
        elif kind in refused:
            lines.append(Line("bar-justification-refused", {"name": trait.wanted}))
    if traits.several and open_:
        lines.append(Line("bar-several", {"names": traits.several[:10]}))
    if options.support is not None:
        code = "bar-shift-support-refused" if "support" in refused else "bar-shift-support"
        lines.append(Line(code, {"name": options.support}))
    if options.convert:
        lines.append(Line("bar-shift-convert", {"count": options.convert}))
    lines += _pace_lines(options if ruling is None or against else ruling.options)
    granted = request.modifier if ruling is None else ruling.against if against else ruling.modifier
    if granted:
        lines.append(Line("bar-shift-granted", {"dice": granted}))
    if ruling is not None and not against:
        lines += _gm_lines(ruling.options)
    if options.mental:
        lines.append(Line("bar-shift-mental"))
    if options.non_lethal:
        lines.append(Line("bar-shift-nonlethal"))
    return tuple(lines)


def _gm_lines(options: GmOptions) -> list[Line]:
    found: list[Line] = []
    if options.factor is not None:
        found.append(Line("bar-shift-factor", {"factor": options.factor}))
    if options.chances is not None:
        found.append(Line("bar-shift-chances", {"count": options.chances}))
    return found


def _pool_line(pool: Pool) -> Line:
    """What is rolled, Bonus and Penalty Dice cancelled (BAR-POOL)."""
    final = pool.cancelled()
    if pool.fails_without_roll:
        return Line("bar-pool-none")
    return Line("bar-pool", {"add": final.add, "bonus": final.bonus, "penalty": final.penalty})


def pool_lines(pool: Pool, parts: tuple[Part, ...], *, causes: bool) -> tuple[Line, ...]:
    """The pool, and with `causes` where its dice come from (BAR-POOL)."""
    why = tuple(line_of(part) for part in parts if causes and part.code)
    return (_pool_line(pool), *why)


def pool_text(pool: Pool, parts: tuple[Part, ...], *, causes: bool) -> Line:
    """The same in one line, for what stands among others (BAR-POOL): causes as rows of a part's fields."""
    final = pool.cancelled()
    if pool.fails_without_roll:
        return Line("bar-pool-nothing")
    why = tuple((part.code, part.add, part.modifier, part.name) for part in parts if causes)
    return Line(
        "bar-pool-of", {"add": final.add, "bonus": final.bonus, "penalty": final.penalty, "causes": why}
    )


def dice_of(thrown: Thrown) -> tuple[Die, ...]:
    """Every die in the order rolled, kept or dropped (BAR-ROLL)."""
    roll = thrown.roll
    if roll is None:
        return ()
    sides = DIE_TYPES[roll.die].sides
    fallen = FOR_PENALTY if roll.pool.penalty else FOR_BONUS
    return tuple(map(_die, roll.kept, repeat(fallen), repeat(sides), roll.faces))


@cache
def _die(kept: bool, fallen: str, sides: int, face: int) -> Die:
    """There are no more than these: made once, told often."""
    return Die(KEPT if kept else fallen, sides, face)


def verdict_line(found: Judgement) -> Line:
    if found.botch:
        return Line("bar-botch")
    return Line("bar-success" if found.success else "bar-failure")


def degree_line(found: Judgement) -> Line:
    code = "bar-success-level" if found.success else "bar-failure-level"
    return Line(code, {"level": abs(found.degree)})


# --- the sheet ---------------------------------------------------------------------------------------------


def describe_character(character: BarCharacter, campaign: Campaign) -> tuple[Block, ...]:
    """The sheet for its player and the GMs, what one plays with first."""
    sheet: BarSheet = character.sheet
    seen, traits = (character.id,), campaign.traits
    found: list[Block] = []
    if sheet.concept:
        found.append(Group(None, ((Text("bar-sheet-concept", {"text": sheet.concept}),),), seen))
    found += [Note(wound_line(sheet, campaign, wound), seen) for wound in sheet.wounds]
    for kind, tree, scores in (
        ("attributes", traits.attributes, sheet.attributes),
        ("abilities", traits.abilities, sheet.abilities),
    ):
        if scores:
            rows = [
                (Text(f"bar-sheet-in-{kind}", {"depth": depth, "name": name, "score": score}),)
                for depth, name, score in outline(tree, dict(scores))
            ]
            found.append(Group(Text(f"bar-sheet-{kind}"), tuple(rows), seen))
    for weapon in sheet.weapons:
        about = {
            "name": weapon.name,
            "modifier": weapon.modifier,
            "powered": weapon.powered,
            "lethal": weapon.lethal,
            "kind": weapon.kind,
            "mental": weapon.mental,
        }
        found.append(Fact(Text("bar-sheet-weapon"), Text("bar-sheet-weapon-is", about), seen))
    for piece in sheet.armour:
        worn = {
            "name": piece.name,
            "rating": piece.rating,
            "covers": piece.covers,
            "converts": piece.converts,
            "mental": piece.mental,
        }
        found.append(Fact(Text("bar-sheet-armour"), Text("bar-sheet-armour-is", worn), seen))
    if sheet.equipment:
        found.append(Fact(Text("bar-sheet-equipment"), sheet.equipment, seen))
    if sheet.description:
        found.append(Group(None, ((sheet.description,),), seen))
    if sheet.minor:
        found.append(Note(Text("bar-sheet-minor"), seen))
    return tuple(found)
