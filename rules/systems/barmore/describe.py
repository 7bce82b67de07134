"""Checks and characters in codes, for players and for GMs. What an onlooker may not know is left out here."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import repeat

from rules.core.errors import RulesError
from rules.core.rng import Die
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import (
    EITHER,
    OTHER_SIDE,
    BarChallenge,
    BarCharacter,
    BarRequest,
    BarRuling,
    Built,
    Part,
    Thrown,
    Traits,
    build,
    find_traits,
    helper_verdict,
    line_of,
    of_other,
    opposition,
    team,
    verdict,
)
from rules.systems.barmore.dice import DIE_TYPES, STANDARD
from rules.systems.barmore.harm import blow, sum_of, told_openly, wound_line
from rules.systems.barmore.options import GmOptions, Pace, die_line
from rules.systems.barmore.pool import Pool
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.task import Judgement
from rules.systems.barmore.traits import Found, outline
from rules.table.blocks import Block, Fact, Group, Note, Text
from rules.table.events import Line
from rules.table.system import Cast, Described

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


def _mode(challenge: BarChallenge) -> tuple[Line, ...]:
    """How several do it, together or against each other (BAR-TEAM, BAR-OPPOSED)."""
    if challenge.kind not in ("contest", "team"):
        return ()
    if challenge.kind == "contest" and not challenge.opposed:
        return (Line("bar-mode-alone"),)
    return (Line(f"bar-mode-{challenge.tool.replace('_', '-')}"),)


def _opposed(challenge: BarChallenge) -> tuple[Line, Line | None]:
    """Who triumphs, from the acting side, and by how much (BAR-OPPOSED)."""
    found = opposition(challenge)
    if found is None or found.winner == "nobody":
        return Line("bar-nobody-triumphs"), None
    code = "bar-triumph" if found.winner == "first" else "bar-defeat"
    return Line(code), Line("bar-success-level", {"level": found.degree or 0})


def _built(who: Cast, campaign: Campaign, challenge: BarChallenge) -> tuple[Pool, tuple[Part, ...]] | None:
    """The pool as it stands before the roll; None where it cannot be rolled any more as it was proposed."""
    try:
        if challenge.kind == "team" and challenge.tool != EITHER:
            return team(who, campaign, challenge)
        built: Built = (
            build(who.actor.sheet, campaign, challenge.request)
            if challenge.ruling is None
            else build(who.actor.sheet, campaign, challenge.request, challenge.ruling)
        )
    except RulesError:
        return None
    return built.pool, built.parts


def _blow(who: Cast, campaign: Campaign, challenge: BarChallenge) -> tuple[Line, ...]:
    """What a hit is made of, for the GMs where the players are not told all of it (BAR-ARMOR, BAR-TRAUMA)."""
    target, rolled = who.target, challenge.rolled
    if target is None or rolled is None or (told_openly(target, challenge) and not rolled.veiled):
        return ()
    found = blow(target.sheet, campaign, challenge)
    return () if found is None else (Line("bar-note-blow", {"sum": sum_of(found, veiled=False)}),)


def describe_check(who: Cast, campaign: Campaign, challenge: BarChallenge, *, gm: bool) -> Described:
    """The challenge as a GM, or as the players, may see it.

    Against a hidden Difficulty players see, by the table's setting: dice and total with the bare verdict; or the
    level without dice and total; or everything once it is rolled.
    """
    request, ruling, rolled = challenge.request, challenge.ruling, challenge.rolled
    if challenge.kind == "rest":
        return Described()
    traits = find_traits(who.actor.sheet, campaign, request, () if ruling is None else ruling.refused)
    show_all = gm or not challenge.hidden or (challenge.reveal == "all" and rolled is not None)
    asked = None if request.difficulty is None else Line("bar-asked", {"value": request.difficulty})
    target = None if ruling is None or ruling.difficulty is None else difficulty_line(ruling.difficulty)
    if target is not None and not show_all:
        target = Line("hidden-difficulty")
    # What NPCs can do, and what ails them, is not for the players.
    open_ = gm or who.actor.owner is not None
    told = trait_lines(traits, scores=open_)
    shifts = option_lines(request, ruling, traits, open_=open_)
    notes = _mode(challenge)
    if not challenge.approach and ruling is None and who.actor.owner is not None:
        notes = (
            *notes,
            *(
                Line("bar-note-unsaid", dict(line.params))
                for line in shifts
                if line.code == "bar-justification"
            ),
        )
    if rolled is None:
        if not open_:
            return Described(told, asked, target, shifts, notes=notes)
        built = _built(who, campaign, challenge)
        if challenge.opposed:
            # What somebody chooses against another is among what is kept from everybody else.
            shifts = shifts if built is None else (*shifts, pool_text(*built, causes=open_))
            return Described(told, asked, target, shifts, notes=notes)
        pool = (Line("bar-pool-unbuildable"),) if built is None else pool_lines(*built, causes=open_)
        return Described(told, asked, target, shifts, notes=(*notes, *pool))
    mine = rolled.mine
    if challenge.opposed:
        shifts = (*shifts, pool_text(mine.pool, mine.parts, causes=open_))
    else:
        notes = (*notes, *pool_lines(mine.pool, mine.parts, causes=open_))
    if gm:
        notes = (*notes, *_blow(who, campaign, challenge))
    own = verdict(challenge)
    if challenge.opposed:
        won, degree = _opposed(challenge)
    elif own is None or challenge.answer == "margin-only":
        won, degree = Line("bar-margin-only"), None if own is None else degree_line(own)
    else:
        won, degree = verdict_line(own), degree_line(own)
        told_degree = show_all or challenge.reveal == "degree"
        if challenge.kind in ("check", "team") and own.success and own.degree and told_degree:
            notes = (*notes, Line("bar-note-sign"))
    if rolled.lucky is not None:
        lucky = challenge.character in rolled.lucky
        notes = (*notes, Line("bar-note-lucky" if lucky else "bar-note-unlucky"))
    if not show_all and challenge.reveal == "degree":
        return Described(told, asked, target, shifts, verdict=won, degree=degree, notes=notes)
    if not show_all:
        degree = None
    return Described(told, asked, target, shifts, dice_of(mine), (), mine.total, won, degree, notes)


def describe_defence(target: BarCharacter, campaign: Campaign, challenge: BarChallenge) -> Described:
    """What the other side sets against it, and its dice once they are thrown (BAR-OPPOSED)."""
    request, rolled = challenge.defence, challenge.rolled
    if request is None:
        return Described()
    ruling = of_other(challenge.ruling, request, OTHER_SIDE)
    if challenge.ruling is not None:
        ruling = replace(ruling, against=challenge.ruling.against)
    traits = find_traits(target.sheet, campaign, request, ruling.refused)
    shifts = option_lines(request, ruling, traits, against=True, open_=target.owner is not None)
    told = trait_lines(traits, scores=target.owner is not None)
    thrown = None if rolled is None else rolled.other
    if thrown is None:
        return Described(told, shifts=shifts)
    shifts = (*shifts, pool_text(thrown.pool, thrown.parts, causes=target.owner is not None))
    return Described(told, shifts=shifts, dice=dice_of(thrown), total=thrown.total)


def describe_helper(
    character: BarCharacter,
    campaign: Campaign,
    challenge: BarChallenge,
    request: BarRequest,
    *,
    gm: bool,
) -> Described:
    """What a helper brings; in either/or the dice that are theirs, and whether they had a chance (BAR-TEAM)."""
    open_ = gm or character.owner is not None
    ruling = of_other(challenge.ruling, request, character.id)
    traits = find_traits(character.sheet, campaign, request, ruling.refused)
    told = trait_lines(traits, scores=open_)
    shifts = option_lines(request, ruling, traits, open_=open_)
    rolled = challenge.rolled
    if rolled is None or rolled.lucky is None:
        return Described(told, shifts=shifts)
    thrown = dict(rolled.helpers).get(character.id)
    if thrown is None:
        return Described(told, shifts=shifts)
    shifts = (*shifts, pool_text(thrown.pool, thrown.parts, causes=open_))
    shifts = (*shifts, Line("bar-lucky" if character.id in rolled.lucky else "bar-unlucky"))
    found = helper_verdict(challenge, character.id)
    won = Line("bar-margin-only") if found is None else verdict_line(found)
    if challenge.hidden and not gm and challenge.reveal == "degree":
        return Described(told, shifts=shifts, verdict=won)
    return Described(told, shifts=shifts, dice=dice_of(thrown), total=thrown.total, verdict=won)


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
