"""What an attack does, how somebody is, and how it heals (BAR-ARMOR, BAR-TRAUMA, BAR-HEAL)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from rules.core.errors import Impossible, InvalidInput, NotFound, Row
from rules.core.names import name_key
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check import BarCharacter
from rules.systems.barmore.healing import heal_until, healed_at
from rules.systems.barmore.sheet import (
    MOST_ENTRIES,
    BarSheet,
    attribute_score,
    find_wound,
    replaced_wound,
    with_wound,
    wound_text,
)
from rules.systems.barmore.tables import (
    IMMUNE_SYSTEM,
    MENTAL_THRESHOLD,
    PHYSICAL_THRESHOLD,
    STAMINA,
    TOUGHNESS,
)
from rules.systems.barmore.wounds import (
    Damage,
    Weapon,
    Wound,
    WoundKind,
    armour_rating,
    incapacitated,
    mental_damage,
    physical_damage,
    still_lethal,
    total_penalty,
    wound_from,
)
from rules.table.events import Line
from rules.table.system import Choice

REST, TREAT = "rest", "treat"
#: How many times as fast a Wound heals that was treated, where the GM sets nothing else.
TREATED = Fraction(2)


@record
class Blow:
    """An attack that succeeded, with everything that counts for and against it (BAR-TRAUMA)."""

    damage: Damage
    level: int
    armour: int
    muscle_power: int
    weapon: Weapon
    toughness: int
    threshold: int


def blow_of(sheet: BarSheet, campaign: Campaign, weapon: Weapon, muscle_power: int, degree: int) -> Blow:
    """What a hit of that level, with that weapon and strength, comes to (BAR-ARMOR, BAR-TRAUMA)."""
    armour = armour_rating(sheet.armour, weapon.kind, mental=weapon.mental)
    if weapon.mental:
        threshold = attribute_score(sheet, campaign, MENTAL_THRESHOLD)
        damage = mental_damage(level=degree, armour=armour, threshold=threshold)
        return Blow(damage, degree, armour, 0, weapon, 0, threshold)
    toughness = attribute_score(sheet, campaign, TOUGHNESS)
    threshold = attribute_score(sheet, campaign, PHYSICAL_THRESHOLD)
    damage = physical_damage(
        level=degree,
        armour=armour,
        powered=weapon.powered,
        muscle_power=muscle_power,
        weapon=weapon.modifier,
        toughness=toughness,
        threshold=threshold,
        lethal=still_lethal(sheet.armour, weapon),
    )
    power = muscle_power if weapon.powered else 0
    return Blow(damage, degree, armour, power, weapon, toughness, threshold)


def wounded(
    sheet: BarSheet, campaign: Campaign, found: Blow | None, told: tuple[Row, ...], time: int
) -> tuple[BarSheet, Line]:
    """The sheet with the Wounds that a hit leaves (BAR-TRAUMA), and a line of it, made of what may be `told`."""
    if found is None or found.damage.stopped:
        return sheet, Line("bar-hit-stopped", {"sum": told})
    kinds: tuple[tuple[WoundKind, int], ...] = (
        ("physical", found.damage.physical),
        ("mental", found.damage.mental),
    )
    wounds = [wound_from(campaign.chart, kind, degree, time) for kind, degree in kinds]
    new = [wound for wound in wounds if wound is not None]
    if not new:
        return sheet, Line("bar-hit-harmless", {"sum": told})
    if len(sheet.wounds) + len(new) > MOST_ENTRIES:
        return sheet, Line("bar-hit-no-room", {"most": MOST_ENTRIES, "sum": told})
    for wound in new:
        sheet = with_wound(sheet, wound)
    names = tuple(f"{wound.name} ({wound.kind})" for wound in new)
    effects = tuple(dict.fromkeys(wound.effect for wound in new if wound.effect))
    return sheet, Line("bar-hit-wound", {"names": names, "effects": effects, "sum": told})


def sum_of(found: Blow, *, veiled: bool) -> tuple[Row, ...]:
    """The terms of the final degree as rows of name and value, the degree last.

    `veiled` without what the attacker brings, and the degree.
    """
    damage = found.damage
    terms = [("level", found.level), ("armour", -found.armour)]
    if damage.stopped or not veiled:
        total = found.level - found.armour if damage.final is None else damage.final
        end = ("final", total)
    else:
        end = ("attacker", None)
    if not damage.stopped:
        brought = (
            ("muscle", found.muscle_power),
            ("weapon", 0 if found.weapon.mental else found.weapon.modifier),
        )
        terms += [] if veiled else brought
        terms += [("toughness", -found.toughness), ("threshold", -found.threshold)]
    return (*(term for term in terms if term[1] or term[0] == "level"), end)


# --- how somebody is ---------------------------------------------------------------------------------------


def governing(sheet: BarSheet, campaign: Campaign, wound: Wound) -> int:
    """The attribute that governs the healing of a Wound (BAR-HEAL)."""
    return attribute_score(sheet, campaign, IMMUNE_SYSTEM if wound.kind == "physical" else STAMINA)


def wound_line(sheet: BarSheet, campaign: Campaign, wound: Wound) -> Line:
    """A Wound with what it costs and when it will have healed, in minutes of the story (BAR-TRAUMA, BAR-HEAL)."""
    return Line(
        "bar-wound",
        {
            "name": wound_text(wound),
            "kind": wound.kind,
            "penalty": wound.penalty,
            "other": wound.other,
            "healed_at": healed_at(wound, governing(sheet, campaign, wound), campaign.chart),
            "stabilised": wound.stabilised,
            "activity": wound.activity,
            "factor": str(wound.factor),
            "effect": wound.effect,
        },
    )


def health(sheet: BarSheet, campaign: Campaign, *, full: bool) -> tuple[Line, ...]:
    """How somebody is, in words that tell no number; with `full` every Wound after it."""
    wounds = sheet.wounds
    if any(not wound.stabilised for wound in wounds):
        code = "bar-dying"
    elif incapacitated(wounds):
        code = "bar-out"
    elif not wounds:
        code = "bar-unhurt"
    else:
        worst = max(total_penalty(wounds, "physical"), total_penalty(wounds, "mental"))
        code = "bar-badly-hurt" if worst >= 3 else "bar-hurt"
    lines = (wound_line(sheet, campaign, wound) for wound in wounds) if full else ()
    return (Line(code), *lines)


def time_passed(target: BarCharacter, campaign: Campaign, time: int) -> tuple[BarCharacter, tuple[Line, ...]]:
    """The Wounds as they are at that minute of the story; what has healed is told (BAR-HEAL)."""
    sheet = target.sheet
    healed: list[str] = []
    for wound in sheet.wounds:
        now = heal_until(wound, governing(sheet, campaign, wound), time, campaign.chart)
        if now is None:
            healed.append(f"{wound.name} ({wound.kind})")
        if now is not wound:
            sheet = replaced_wound(sheet, wound, now)
    if sheet is target.sheet:
        return target, ()
    line = Line("bar-healed", {"name": target.name, "wounds": tuple(healed)})
    return replace(target, sheet=sheet), (line,) if healed else ()


# --- recovery ----------------------------------------------------------------------------------------------


def injuries(target: BarCharacter) -> tuple[Choice, ...]:
    """The Wounds there are."""
    return tuple(
        Choice(wound_text(wound), Line("bar-wound-choice", {"name": wound_text(wound)}))
        for wound in target.sheet.wounds
    )


def find_injury(target: BarCharacter, text: str) -> str:
    """The Wound that is meant, the only one if nothing is said. Impossible("no-wounds"), and as `find_wound`."""
    if not target.sheet.wounds:
        raise Impossible("no-wounds", name=target.name)
    return wound_text(find_wound(target.sheet, text, "injury"))


def _treated(sheet: BarSheet, text: str) -> Wound | None:
    """The Wound that a treatment is for: the one named, else the worst, since one does not know another's number."""
    named = next((each for each in sheet.wounds if wound_text(each) == text), None)
    if named is not None or not text.strip():
        return named or _worst(sheet.wounds)
    try:
        return find_wound(sheet, text, "injury")
    except NotFound:
        return None
    except InvalidInput:
        wanted = name_key(text)
        return _worst([each for each in sheet.wounds if name_key(each.name).startswith(wanted)])


def _worst(wounds: Sequence[Wound]) -> Wound | None:
    """What a healer looks at first: what is not stabilised, then the highest degree."""
    return max(wounds, key=lambda each: (not each.stabilised, each.degree, -each.number), default=None)


def rested(sheet: BarSheet) -> tuple[BarSheet, Line]:
    """The sheet of somebody whose healing nothing slows down any more (BAR-HEAL)."""
    wounds = tuple(replace(wound, activity="rest") for wound in sheet.wounds)
    return replace(sheet, wounds=wounds), Line("bar-rests")


def treated(sheet: BarSheet, text: str, factor: Fraction | None) -> tuple[BarSheet, Line]:
    """The sheet after a treatment of the Wound that is meant; `factor` as the GM has set it (BAR-HEAL)."""
    wound = _treated(sheet, text)
    if wound is None:
        return sheet, Line("bar-not-treated")
    if not wound.stabilised:
        new = replace(wound, stabilised=True, factor=factor or wound.factor)
        line = Line("bar-stabilised", {"name": wound_text(wound), "factor": str(new.factor)})
    else:
        new = replace(wound, factor=factor or TREATED)
        line = Line("bar-treated", {"name": wound_text(wound), "factor": str(new.factor)})
    return replaced_wound(sheet, wound, new), line
