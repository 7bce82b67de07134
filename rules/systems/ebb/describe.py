"""Checks and characters in codes, for players and for GMs. What an onlooker may not know is left out here."""

from __future__ import annotations

from functools import lru_cache

from rules.core.rng import Die
from rules.systems.ebb.check import (
    EbbChallenge,
    EbbCharacter,
    EbbRequest,
    EbbRuling,
    opposition,
    verdict,
)
from rules.systems.ebb.difficulty import Adjustments, attribute_counts, levels
from rules.systems.ebb.injury import hit_notes
from rules.systems.ebb.ladder import Difficulty
from rules.systems.ebb.sheet import Injury, attributes, base_attributes, effective_attribute
from rules.systems.ebb.tables import DIE_TITLES, LEVEL_STEP
from rules.systems.ebb.task import Judgement, TaskRoll, Verdict, aftermath
from rules.table.blocks import Block, Fact, Group, Text
from rules.table.events import Line, Term
from rules.table.system import Described

_IN_POINTS = Line("ebb-levels-in-points", {"points": LEVEL_STEP})


def difficulty_line(difficulty: Difficulty) -> Line:
    """`Tricky (10)`, or the plain number."""
    return _level(difficulty.name, difficulty.threshold)


@lru_cache(maxsize=512)
def _level(name: str | None, threshold: int) -> Line:
    if name is None:
        return Line("ebb-number", {"value": threshold})
    return Line("ebb-level", {"name": name, "value": threshold})


def shift_lines(adjustments: Adjustments) -> tuple[Line, ...]:
    """Every adjustment that is in force (EBB-PROPOSAL)."""
    found: list[Line] = []
    if adjustments.dilemmas:
        found.append(Line("ebb-shift-dilemma", {"levels": -adjustments.dilemmas}))
    if adjustments.flaw:
        found.append(Line("ebb-shift-flaw", {"levels": adjustments.flaw}))
    if adjustments.equipment < 0:
        found.append(Line("ebb-shift-superior", {"levels": adjustments.equipment}))
    elif adjustments.equipment:
        found.append(Line("ebb-shift-missing-tools", {"levels": adjustments.equipment}))
    if adjustments.drawback:
        found.append(Line("ebb-shift-drawback", {"levels": 1}))
    if adjustments.injured:
        found.append(Line("ebb-shift-injured", {"levels": 1}))
    if adjustments.bonus:
        found.append(Line("ebb-shift-bonus", {"points": adjustments.bonus}))
    return tuple(found)


@lru_cache(maxsize=1024)
def _ability(code: str, name: str, sides: int) -> Line:
    return Line(code, {"name": name, "die": f"d{sides}", "title": DIE_TITLES[sides]})


@lru_cache(maxsize=1024)
def _attribute(code: str, name: str, value: int) -> Line:
    return Line(code, {"name": name, "value": value})


def _ability_line(code: str, character: EbbCharacter, name: str) -> Line:
    """The ability as the sheet has it; a check that is over may name one that a new sheet has no more."""
    for ability in character.sheet.abilities:
        if ability.name == name:
            return _ability(code, name, ability.sides)
    return Line("ebb-ability-gone", {"name": name})


def _traits(
    character: EbbCharacter, request: EbbRequest, ruling: EbbRuling | None, added: int | None = None
) -> tuple[Line, ...]:
    """The traits named; `added` is the attribute as it counted when the dice fell, whatever has become of it."""
    found: list[Line] = []
    if request.ability is not None:
        code = "ebb-ability-disallowed" if ruling is not None and ruling.disallow_ability else "ebb-ability"
        found.append(_ability_line(code, character, request.ability))
    if request.attribute is not None:
        code = "ebb-attribute"
        adjustments = request.adjustments if ruling is None else ruling.adjustments
        if ruling is not None and ruling.disallow_attribute:
            code = "ebb-attribute-disallowed"
        elif not attribute_counts(adjustments):
            code = "ebb-attribute-defied"
        value = effective_attribute(character.sheet, request.attribute) if added is None else added
        found.append(_attribute(code, request.attribute, value))
    return tuple(found) or (Line("ebb-main-die-alone"),)


@lru_cache(maxsize=1024)
def _main_term(throws: int, value: int) -> Term:
    return Term(Line("ebb-term-main", {"throws": throws}), value)


@lru_cache(maxsize=4096)
def _term(code: str, name: str | None, value: int) -> Term:
    return Term(Line(code, {"name": name}), value)


def _terms(request: EbbRequest, roll: TaskRoll) -> tuple[Term, ...]:
    main = roll.main
    found = [_main_term(len(main), main[0] if len(main) == 1 else sum(main))]
    if roll.abilities:
        found.append(_term("ebb-term-ability", request.ability, roll.abilities[-1]))
    if roll.attribute is not None:
        found.append(_term("ebb-term-attribute", request.attribute, roll.attribute))
    if roll.bonus:
        found.append(Term(Line("ebb-term-bonus"), roll.bonus))
    return tuple(found)


@lru_cache(maxsize=32)
def verdict_line(verdict: Verdict, degrees: bool) -> Line:
    """The verdict, with or without how badly it failed."""
    if verdict in ("near_miss", "failure") and not degrees:
        return Line("ebb-failure-bare")
    return Line(f"ebb-{verdict.replace('_', '-')}")


@lru_cache(maxsize=256)
def _extra_results(count: int) -> Line:
    return Line("ebb-extra-results", {"count": count})


def _degree_line(judgement: Judgement, threshold: int) -> Line | None:
    verdict = judgement.verdict
    if verdict == "success":
        return _extra_results(judgement.extra_results)
    if judgement.automatic_failure:
        return None
    return _missed_by(threshold - judgement.total)


@lru_cache(maxsize=256)
def _missed_by(points: int) -> Line:
    return Line("ebb-missed-by", {"points": points})


@lru_cache(maxsize=64)
def _notes(verdict: Verdict, pressing: bool, degrees: bool, gm: bool) -> tuple[Line, ...]:
    after = aftermath(verdict, pressing=pressing)
    if after is None:
        return ()
    found: list[Line] = []
    if after.complication:
        found.append(Line("ebb-note-complication"))
    if after.chance_lost:
        found.append(Line("ebb-note-chance-lost"))
    elif degrees and verdict in ("near_miss", "failure"):
        found.append(Line("ebb-note-others" if after.same_approach == "others" else "ebb-note-different"))
    if gm and after.price:
        found.append(Line("ebb-note-price"))
    return tuple(found)


def _other_notes(challenge: EbbChallenge) -> tuple[Line, ...]:
    """What the other side's dice mean besides (EBB-OPPOSED)."""
    both = opposition(challenge)
    if both is None:
        return ()
    found = (Line("ebb-note-nobody"),) if both.winner == "nobody" else ()
    return (*found, Line("ebb-note-complication-other")) if both.opponent.fumble else found


def describe_defence(target: EbbCharacter, challenge: EbbChallenge) -> Described:
    """What the other side of an opposed roll sets against it, and its dice once they are thrown."""
    request, ruling, rolled = challenge.defence, challenge.ruling, challenge.rolled
    if request is None:
        return Described()
    shifts = shift_lines(request.adjustments)
    if levels(request.adjustments):
        shifts = (*shifts, _IN_POINTS)
    if ruling is not None and ruling.against:
        shifts = (*shifts, Line("ebb-shift-bonus", {"points": ruling.against}))
    roll = None if rolled is None else rolled.other
    traits = _traits(target, request, None, None if roll is None else roll.attribute)
    if roll is None:
        return Described(traits, shifts=shifts)
    return Described(traits, shifts=shifts, dice=roll.dice, terms=_terms(request, roll), total=roll.total)


def _ability_dice(dice: tuple[Die, ...]) -> tuple[Die, ...]:
    """The ability die alone: with the main die it would give a total away."""
    return tuple(die for die in dice if die.name not in ("main", "main-again"))


def describe_check(character: EbbCharacter, challenge: EbbChallenge, *, gm: bool) -> Described:
    """The challenge as a GM, or as the players, may see it.

    Against a hidden difficulty players see, by the table's setting: dice and total with the bare verdict; or
    the degree, but of the dice only the ability die; or everything once it is rolled.
    """
    request, ruling, rolled = challenge.request, challenge.ruling, challenge.rolled
    concealed = challenge.hidden and not gm
    show_all = not concealed or (challenge.reveal == "all" and rolled is not None)
    asked = None if request.difficulty is None else difficulty_line(request.difficulty)
    thrown = None if rolled is None else rolled.roll
    traits = _traits(character, request, ruling, None if thrown is None else thrown.attribute)
    if ruling is None:
        return Described(traits, asked, shifts=shift_lines(request.adjustments))
    target = None if ruling.difficulty is None else difficulty_line(ruling.difficulty)
    shifts = shift_lines(ruling.adjustments)
    if challenge.opposed and levels(ruling.adjustments):
        shifts = (*shifts, _IN_POINTS)
    if ruling.specialist:
        shifts = (*shifts, Line("ebb-specialist"))
    if ruling.urgent:
        shifts = (*shifts, Line("ebb-urgent"))
    if not show_all:
        target, shifts = Line("hidden-difficulty"), ()
    struck = hit_notes(challenge) if challenge.kind == "attack" else ()
    if rolled is None:
        return Described(traits, asked, target, shifts, notes=struck)
    judgement = verdict(challenge)
    if thrown is None:
        taken = Line("ebb-success-by-sacrifice", {"attribute": rolled.luck})
        return Described(traits, asked, target, shifts, verdict=taken, notes=struck)
    dice = thrown.dice
    total = thrown.total if judgement is None else judgement.total
    terms = _terms(request, thrown)
    if challenge.answer == "margin-only" or judgement is None:
        measured = Line("ebb-margin-only")
        degree = None
        if judgement is not None and (show_all or challenge.reveal == "degree"):
            degree = _extra_results(max(0, judgement.extra_results))
        if not show_all and challenge.reveal == "degree":
            return Described(
                traits, asked, target, shifts, _ability_dice(dice), (), None, measured, degree, struck
            )
        return Described(traits, asked, target, shifts, dice, terms, total, measured, degree, struck)
    degrees = show_all or challenge.reveal == "degree"
    told = verdict_line(judgement.verdict, degrees)
    notes = _notes(judgement.verdict, ruling.urgent or challenge.kind == "attack", degrees, gm)
    if challenge.opposed:
        notes += _other_notes(challenge)
    notes += struck
    if show_all:
        degree = _degree_line(judgement, judgement.threshold)
        return Described(traits, asked, target, shifts, dice, terms, total, told, degree, notes)
    if challenge.reveal == "degree":
        degree = _extra_results(judgement.extra_results) if judgement.success else None
        return Described(traits, asked, target, shifts, _ability_dice(dice), (), None, told, degree, notes)
    return Described(traits, asked, target, shifts, dice, terms, total, told, None, notes)


def _injury(injury: Injury) -> Text:
    about = {"part": injury.part, "severity": injury.severity, "treated": injury.treated}
    return Text("ebb-sheet-injury", {"text": injury.text, **about})


def describe_character(character: EbbCharacter) -> tuple[Block, ...]:
    """The sheet for its player and the GMs, what one plays with first (EBB-CHAR)."""
    sheet, seen = character.sheet, (character.id,)

    found: list[Block] = []
    concept = tuple(
        text for text in (sheet.role, sheet.tag, sheet.group, sheet.country, sheet.sex) if text.strip()
    )
    if concept or sheet.age is not None:
        said = Text("ebb-sheet-concept", {"parts": concept, "age": sheet.age})
        found.append(Group(None, ((said,),), seen))
    found.append(Fact(Text("ebb-sheet-fate"), Text("ebb-sheet-points", {"points": sheet.fate}), seen))
    if sheet.injuries:
        told = [_injury(injury) for injury in sheet.injuries]
        found.append(Group(Text("ebb-sheet-injuries"), tuple([(each,) for each in told]), seen))
    values = attributes(sheet)
    lines: list[tuple[Text, ...]] = []
    for name, base in base_attributes(sheet).items():
        left = None if values[name] == base else base
        label = Text("ebb-sheet-attribute", {"name": name, "value": values[name], "base": left})
        mine = [
            Text("ebb-sheet-ability", {"name": ability.name, "sides": ability.sides})
            for ability in sheet.abilities
            if ability.group == name
        ]
        lines.append((label, *mine))
    found.append(Group(None, tuple(lines), seen))
    for code, names in (
        ("drawbacks", sheet.drawbacks),
        ("equipment", sheet.equipment),
        ("assets", sheet.assets),
        ("scarring", sheet.scarring),
    ):
        if names:
            found.append(Group(Text(f"ebb-sheet-{code}"), tuple([(name,) for name in names]), seen))
    if sheet.renown:
        found.append(Fact(Text("ebb-sheet-renown"), sheet.renown, seen))
    if sheet.description:
        found.append(Group(None, ((sheet.description,),), seen))
    return tuple(found)
