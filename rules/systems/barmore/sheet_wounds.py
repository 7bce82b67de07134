"""What an attack does, how somebody is, and how it heals (BAR-ARMOR, BAR-TRAUMA, BAR-HEAL)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from rules.core.errors import Impossible
from rules.systems.barmore import wounds as trauma
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.check_state import YES, BarCharacter, BarCheck, is_veiled_check
from rules.systems.barmore.reference_rows import GOVERNING_ATTRIBUTES
from rules.systems.barmore.sheet import MOST_ENTRIES, BarSheet
from rules.systems.barmore.trait_trees import ACTIVITIES
from rules.systems.barmore.wounds import Blow, Weapon, Wound
from rules.table.blocks import Text, Value, typed_text
from rules.table.checks.shared_blocks import health_change
from rules.table.permissions import public_name
from rules.table.system import Game

#: What comes of it: the sheet of whom it is done to then, and what everybody and what only the GMs
#: hear of it.
SheetEffect = tuple[BarSheet, tuple[Text, ...], tuple[Text, ...]]


def resolve_blow(
    sheet: BarSheet, campaign: Campaign, weapon: Weapon, muscle_power: int, level: int
) -> Blow:
    """What a hit of that level, with that weapon and strength, comes to (BAR-ARMOR, BAR-TRAUMA)."""

    def score(name: str) -> int:
        return sheet.attribute_score(campaign, name)

    armor = trauma.armor_rating(sheet.armour, weapon.kind, mental=weapon.mental)
    if weapon.mental:
        return Blow(
            level, armor, threshold=score(GOVERNING_ATTRIBUTES.mental_threshold), mental=True
        )
    toughness, threshold = (
        score(GOVERNING_ATTRIBUTES.damage_subtract),
        score(GOVERNING_ATTRIBUTES.physical_threshold),
    )
    muscle, lethal = (
        muscle_power if weapon.powered else 0,
        trauma.is_still_lethal(sheet.armour, weapon),
    )
    return Blow(level, armor, muscle, weapon.modifier, toughness, threshold, lethal)


def apply_blow(
    sheet: BarSheet, campaign: Campaign, blow: Blow, told: Mapping[str, Value], time: int
) -> tuple[BarSheet, Text]:
    """The sheet with the Wounds that a hit leaves (BAR-TRAUMA), and a line of it, with what may be
    `told`.
    """
    dealt = zip(ACTIVITIES, blow.degrees, strict=True)
    new = [
        each
        for kind, n in dealt
        if (each := trauma.wound_from(campaign.chart, kind, n, time)) is not None
    ]
    if not new:
        return sheet, Text("bar-hit", {"how": "stopped" if blow.stopped else "harmless", **told})
    if len(sheet.wounds) + len(new) > MOST_ENTRIES:
        return sheet, Text("bar-hit", {"how": "no-room", "most": MOST_ENTRIES, **told})
    for wound in new:
        sheet = sheet.with_wound(wound)
    names = tuple(f"{wound.name} ({wound.kind})" for wound in new)
    effects = tuple(dict.fromkeys(wound.effect for wound in new if wound.effect))
    about = {"names": names, "effects": effects, "wounds": len(new), "wound": new[0].name}
    return sheet, Text("bar-hit", {"how": "wound", **about, **told})


def blow_terms(blow: Blow, tool: str | Text, *, veiled: bool) -> dict[str, Value]:
    """The terms of the final degree, and the degree; `veiled` without what the attacker brings, and
    the degree.

    `tool` is the name of the weapon, which may be empty.
    """
    hidden = ("muscle", "weapon") if veiled else ()
    parts = [
        Text("bar-term", {"what": name, "value": value, "tool": tool if name == "weapon" else ""})
        for name, value in blow.terms.items()
        if (value or name == "level") and name not in hidden
    ]
    return {"sum": tuple(parts), "final": None if veiled and not blow.stopped else blow.final}


def _weapon(game: Game, check: BarCheck) -> Weapon:
    """What it is done with, as it is used."""
    sheet, tool, plan = game.sheet(check.actor), check.data.tool, check.data.entries[0].request
    weapon, said = sheet.find_weapon(tool), check.data.ruling
    if said is not None and sheet.own_weapon(tool) is None:
        ways = {"lethal": said.lethal, "powered": said.muscle}
        about = {key: each == YES for key, each in ways.items() if each is not None}
        weapon = weapon.replace(modifier=said.damage, **about)
    if plan.mental:
        weapon = weapon.replace(mental=True, powered=False)
    return weapon.replace(lethal=False) if plan.non_lethal else weapon


def apply_hit(game: Game, check: BarCheck, target: BarCharacter) -> SheetEffect:
    """Armor, thresholds and the chart decide what a hit does: there is nothing to choose
    (BAR-ARMOR, BAR-TRAUMA).
    """
    actor, tool, level = game.character(check.actor), check.data.tool, max(0, check.data.outcome[1])
    power = actor.sheet.attribute_score(game.campaign, GOVERNING_ATTRIBUTES.damage_add)
    blow = resolve_blow(target.sheet, game.campaign, _weapon(game, check), power, level)
    # What somebody can bear, or brings, is told of players' characters alone, and not against a
    # hidden Difficulty.
    kept = check.hidden or is_veiled_check(game, check)
    openly, veiled = target.owner is not None and not kept, actor.owner is None
    named = tool if not tool or actor.sheet.own_weapon(tool) else typed_text(tool, check.by)
    told = blow_terms(blow, named, veiled=veiled) if openly else {}
    sheet, line = apply_blow(target.sheet, game.campaign, blow, told, game.time)
    health = health_word(sheet)
    if health.code != "unhurt" and public_name(target):
        line = line.replace(params={**line.params, "health": health})
    whole = Text("bar-note", {"what": "blow", **blow_terms(blow, named, veiled=False)})
    # What a Wound costs and when it heals stands on the board for players' characters alone.
    new = (wound for wound in sheet.wounds if wound not in target.sheet.wounds)
    lines = tuple(wound_line(sheet, game.campaign, each.replace(effect="")) for each in new)
    aside = () if openly and not veiled else (whole,)
    if target.owner is None:
        return sheet, (line,), (*aside, *lines)
    return sheet, (line, *lines), aside


# --- how somebody is ------------------------------------------------------------------------------


def healing_score(sheet: BarSheet, campaign: Campaign, wound: Wound) -> int:
    """The attribute that governs the healing of a Wound (BAR-HEAL)."""
    name = (
        GOVERNING_ATTRIBUTES.heal_physical
        if wound.kind == "physical"
        else GOVERNING_ATTRIBUTES.heal_mental
    )
    return sheet.attribute_score(campaign, name)


def wound_line(sheet: BarSheet, campaign: Campaign, wound: Wound) -> Text:
    """A Wound with what it costs and when it will have healed, in minutes of the story (BAR-TRAUMA,
    BAR-HEAL).
    """
    dice = {
        wound.kind: wound.penalty,
        "mental" if wound.kind == "physical" else "physical": wound.other,
    }
    costs = tuple(
        Text("bar-wound", {"dice": n, "kind": kind}) for kind, n in dice.items() if n != 0
    )
    about = {
        **{
            key: getattr(wound, key)
            for key in ("penalty", "other", "stabilised", "activity", "effect")
        },
        "costs": costs,
        "name": wound.label,
        "healed_at": trauma.healed_at(wound, healing_score(sheet, campaign, wound), campaign.chart),
        "factor": str(wound.factor),
    }
    return Text("bar-wound", about)


def _penalties(sheet: BarSheet) -> dict[str, int]:
    """Return how many Penalty Dice all Wounds give, by kind of activity (BAR-TRAUMA)."""
    costs = {kind: trauma.penalty_dice(sheet.wounds, kind) for kind in ACTIVITIES}
    return {kind: sum(dice for _, dice in cost) for kind, cost in costs.items()}


def health_word(sheet: BarSheet) -> Text:
    """Return how a character is, in a word that tells no number."""
    wounds = sheet.wounds
    if any(not wound.stabilised for wound in wounds):
        return Text("bar-dying")
    if trauma.is_incapacitated(wounds):
        return Text("bar-out")
    if max(_penalties(sheet).values()) >= 3:
        return Text("badly-hurt")
    return Text("hurt" if wounds else "unhurt")


def health_lines(game: Game, character: BarCharacter, full: bool) -> tuple[Text, ...]:
    """How somebody is, in words that tell no number; with `full` every Wound after it."""
    sheet = character.sheet
    lines = (wound_line(sheet, game.campaign, wound) for wound in sheet.wounds) if full else ()
    return (health_word(sheet), *lines)


def board_health_lines(game: Game, character: BarCharacter, full: bool) -> tuple[Text, ...]:
    """Return the word for a character's health; with `full` also all Wounds in one line."""
    sheet = character.sheet
    word = health_word(sheet)
    if not full or not sheet.wounds:
        return (word,)
    return (word, Text("bar-wounds", {"wounds": len(sheet.wounds), **_penalties(sheet)}))


def heal_until_now(game: Game, target: BarCharacter) -> tuple[BarCharacter, tuple[Text, ...]]:
    """The Wounds as they are at this minute of the story; what has healed is told (BAR-HEAL)."""
    before = health_word(target.sheet)
    sheet, campaign = target.sheet, game.campaign
    healed: list[str] = []
    for wound in sheet.wounds:
        now = trauma.heal_until(
            wound, healing_score(sheet, campaign, wound), game.time, campaign.chart
        )
        if now is None:
            healed.append(f"{wound.name} ({wound.kind})")
        if now is not wound:
            sheet = sheet.with_changed_wound(wound, now)
    health = health_change(before, health_word(sheet))
    about = {"name": target.name, "wounds": tuple(healed), **health}
    line = Text("bar-treated", {"how": "healed", **about})
    return target.replace(sheet=sheet), (line,) if healed else ()


# --- recovery -------------------------------------------------------------------------------------


def find_injury(target: BarCharacter, text: str) -> str:
    """The Wound that is meant, the only one if nothing is said. Impossible("no-wounds"), and as
    `find_wound`.
    """
    if not target.sheet.wounds:
        raise Impossible("no-wounds", name=target.name)
    return target.sheet.find_wound(text, "injury").label


def apply_rest(game: Game, check: BarCheck, target: BarCharacter) -> SheetEffect:
    """Nothing slows down their healing any more (BAR-HEAL)."""
    before = health_word(target.sheet)
    wounds = tuple(wound.replace(activity="rest") for wound in target.sheet.wounds)
    line = Text("bar-treated", {"how": "rests", **health_change(before, before)})
    return target.sheet.replace(wounds=wounds), (line,), ()


def apply_treatment(game: Game, check: BarCheck, target: BarCharacter) -> SheetEffect:
    """Treat the chosen Wound (BAR-HEAL).

    The Wound heals faster by the factor that the GM has set. It keeps the factor of an earlier
    treatment if that is higher.
    """
    sheet, ruling = target.sheet, check.data.ruling
    wound, before = sheet.treated_wound(check.data.tool), health_word(sheet)
    if wound is None:
        return sheet, (Text("bar-treated", {"how": "gone", **health_change(before, before)}),), ()
    factor = max(wound.factor, Fraction((ruling and ruling.factor) or 0))
    about: dict[str, Value] = {"name": wound.label, "factor": str(factor)}
    about["faster"] = factor != wound.factor
    how = "treated" if wound.stabilised else "stabilized"
    cared = wound.replace(stabilised=True, factor=factor)
    now = sheet.with_changed_wound(wound, cared)
    if target.owner is not None:
        score = healing_score(sheet, game.campaign, cared)
        about["healed_at"] = trauma.healed_at(cared, score, game.campaign.chart)
    about |= health_change(before, health_word(now)) | {"treated": True}
    return now, (Text("bar-treated", {"how": how, **about}),), ()


def record_failure(target: BarCharacter) -> Text:
    """Return how a patient is after a treatment that failed, for the first line of its message."""
    health = health_word(target.sheet)
    return Text("bar-treated", {"how": "failed", **health_change(health, health)})
