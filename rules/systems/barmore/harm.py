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
    armour_rating,
    incapacitated,
    mental_damage,
    physical_damage,
    still_lethal,
    total_penalty,
    wound_from,
)
from rules.table.events import Line

REST, TREAT = "rest", "treat"
#: How many times as fast a Wound heals that was treated, where the GM sets nothing else.
TREATED = Fraction(2)


@record
class Blow:
    """An attack that succeeded, with every term of its final degree by name (BAR-TRAUMA)."""

    damage: Damage
    terms: tuple[tuple[str, int], ...]


def blow_of(sheet: BarSheet, campaign: Campaign, weapon: Weapon, muscle_power: int, degree: int) -> Blow:
    """What a hit of that level, with that weapon and strength, comes to (BAR-ARMOR, BAR-TRAUMA)."""
    armour = armour_rating(sheet.armour, weapon.kind, mental=weapon.mental)
    threshold = attribute_score(sheet, campaign, MENTAL_THRESHOLD if weapon.mental else PHYSICAL_THRESHOLD)
    toughness = 0 if weapon.mental else attribute_score(sheet, campaign, TOUGHNESS)
    power = muscle_power if weapon.powered and not weapon.mental else 0
    modifier = 0 if weapon.mental else weapon.modifier
    terms = (("level", degree), ("armour", -armour), ("muscle", power), ("weapon", modifier))
    if weapon.mental:
        damage = mental_damage(level=degree, armour=armour, threshold=threshold)
    else:
        damage = physical_damage(
            level=degree,
            armour=armour,
            powered=weapon.powered,
            muscle_power=muscle_power,
            weapon=modifier,
            toughness=toughness,
            threshold=threshold,
            lethal=still_lethal(sheet.armour, weapon),
        )
    return Blow(damage, (*terms, ("toughness", -toughness), ("threshold", -threshold)))


def wounded(
    sheet: BarSheet, campaign: Campaign, found: Blow, told: tuple[Row, ...], time: int
) -> tuple[BarSheet, Line]:
    """The sheet with the Wounds that a hit leaves (BAR-TRAUMA), and a line of it, made of what may be `told`."""
    if found.damage.stopped:
        return sheet, Line("bar-hit", {"how": "stopped", "sum": told})
    dealt = (
        wound_from(campaign.chart, "physical", found.damage.physical, time),
        wound_from(campaign.chart, "mental", found.damage.mental, time),
    )
    new = [wound for wound in dealt if wound is not None]
    if not new:
        return sheet, Line("bar-hit", {"how": "harmless", "sum": told})
    if len(sheet.wounds) + len(new) > MOST_ENTRIES:
        return sheet, Line("bar-hit", {"how": "no-room", "most": MOST_ENTRIES, "sum": told})
    for wound in new:
        sheet = with_wound(sheet, wound)
    names = tuple(f"{wound.name} ({wound.kind})" for wound in new)
    effects = tuple(dict.fromkeys(wound.effect for wound in new if wound.effect))
    return sheet, Line("bar-hit", {"how": "wound", "names": names, "effects": effects, "sum": told})


def sum_of(found: Blow, *, veiled: bool) -> tuple[Row, ...]:
    """The terms of the final degree as rows of name and value, the degree last.

    `veiled` without what the attacker brings, and the degree.
    """
    damage, terms = found.damage, found.terms
    hidden = veiled and not damage.stopped
    final = sum(value for _, value in terms[:2]) if damage.final is None else damage.final
    told = terms[:2] if damage.stopped else (*terms[:2], *terms[4:]) if veiled else terms
    end = ("attacker", None) if hidden else ("final", final)
    return (*(term for term in told if term[1] or term[0] == "level"), end)


# --- how somebody is ---------------------------------------------------------------------------------------


def governing(sheet: BarSheet, campaign: Campaign, wound: Wound) -> int:
    """The attribute that governs the healing of a Wound (BAR-HEAL)."""
    return attribute_score(sheet, campaign, IMMUNE_SYSTEM if wound.kind == "physical" else STAMINA)


def wound_line(sheet: BarSheet, campaign: Campaign, wound: Wound) -> Line:
    """A Wound with what it costs and when it will have healed, in minutes of the story (BAR-TRAUMA, BAR-HEAL)."""
    about = {
        **{
            key: getattr(wound, key)
            for key in ("kind", "penalty", "other", "stabilised", "activity", "effect")
        },
        "name": wound_text(wound),
        "healed_at": healed_at(wound, governing(sheet, campaign, wound), campaign.chart),
        "factor": str(wound.factor),
    }
    return Line("bar-wound", about)


def health(sheet: BarSheet, campaign: Campaign, *, full: bool) -> tuple[Line, ...]:
    """How somebody is, in words that tell no number; with `full` every Wound after it."""
    wounds = sheet.wounds
    if any(not wound.stabilised for wound in wounds):
        code = "bar-dying"
    elif incapacitated(wounds):
        code = "bar-out"
    elif not wounds:
        code = "unhurt"
    else:
        worst = max(total_penalty(wounds, "physical"), total_penalty(wounds, "mental"))
        code = "badly-hurt" if worst >= 3 else "hurt"
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
    return replace(sheet, wounds=wounds), Line("bar-treated", {"how": "rests"})


def treated(sheet: BarSheet, text: str, factor: Fraction | None) -> tuple[BarSheet, Line]:
    """The sheet after a treatment of the Wound that is meant; `factor` as the GM has set it (BAR-HEAL)."""
    wound = _treated(sheet, text)
    if wound is None:
        return sheet, Line("bar-treated", {"how": "gone"})
    new = replace(wound, stabilised=True, factor=factor or (TREATED if wound.stabilised else wound.factor))
    about = {"name": wound_text(wound), "factor": str(new.factor)}
    how = "treated" if wound.stabilised else "stabilised"
    return replaced_wound(sheet, wound, new), Line("bar-treated", {"how": how, **about})
