"""Effects of attacks, health, and healing on a sheet (BAR-ARMOR, BAR-TRAUMA, BAR-HEAL)."""

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

#: Effect on a sheet: the new sheet, the lines for all players, and the lines for the GMs only.
SheetEffect = tuple[BarSheet, tuple[Text, ...], tuple[Text, ...]]


def resolve_blow(
    sheet: BarSheet, campaign: Campaign, weapon: Weapon, muscle_power: int, level: int
) -> Blow:
    """Return the blow of a hit with that level, weapon and strength (BAR-ARMOR, BAR-TRAUMA)."""

    def score(name: str) -> int:
        return sheet.attribute_score(campaign, name)

    armor = trauma.armor_rating(sheet.armour, weapon.kind, mental=weapon.mental)
    if weapon.mental:
        threshold = score(GOVERNING_ATTRIBUTES.mental_threshold)
        return Blow(level, armor, threshold=threshold, mental=True)
    toughness = score(GOVERNING_ATTRIBUTES.damage_subtract)
    threshold = score(GOVERNING_ATTRIBUTES.physical_threshold)
    muscle = muscle_power if weapon.powered else 0
    lethal = trauma.is_still_lethal(sheet.armour, weapon)
    return Blow(level, armor, muscle, weapon.modifier, toughness, threshold, lethal)


def apply_blow(
    sheet: BarSheet, campaign: Campaign, blow: Blow, terms: Mapping[str, Value], time: int
) -> tuple[BarSheet, Text]:
    """Return the sheet with the Wounds that a hit leaves (BAR-TRAUMA), and a line about it.

    *terms* are parameters of the line about the final degree, as far as players may see them.
    """
    new: list[Wound] = []
    for kind, degree in zip(ACTIVITIES, blow.degrees, strict=True):
        wound = trauma.wound_from(campaign.chart, kind, degree, time)
        if wound is not None:
            new.append(wound)
    if not new:
        return sheet, Text("bar-hit", {"how": "stopped" if blow.stopped else "harmless", **terms})
    if len(sheet.wounds) + len(new) > MOST_ENTRIES:
        return sheet, Text("bar-hit", {"how": "no-room", "most": MOST_ENTRIES, **terms})
    for wound in new:
        sheet = sheet.with_wound(wound)
    names = tuple(f"{wound.name} ({wound.kind})" for wound in new)
    effects = tuple(dict.fromkeys(wound.effect for wound in new if wound.effect))
    about = {"names": names, "effects": effects, "wounds": len(new), "wound": new[0].name}
    return sheet, Text("bar-hit", {"how": "wound", **about, **terms})


def blow_terms(blow: Blow, tool: str | Text, *, veiled: bool) -> dict[str, Value]:
    """Return the terms of the final degree, and the degree.

    With *veiled* the attacker's own terms and the degree are left out. *tool* is the name of the
    weapon, which may be empty.
    """
    hidden = ("muscle", "weapon") if veiled else ()
    parts: list[Text] = []
    for name, value in blow.terms.items():
        if (value or name == "level") and name not in hidden:
            shown_tool = tool if name == "weapon" else ""
            parts.append(Text("bar-term", {"what": name, "value": value, "tool": shown_tool}))
    return {"sum": tuple(parts), "final": None if veiled and not blow.stopped else blow.final}


def _used_weapon(game: Game, check: BarCheck) -> Weapon:
    """Return the weapon of an attack as it is used, with what the GM has ruled about it."""
    sheet, tool, plan = game.sheet(check.actor), check.data.tool, check.data.entries[0].request
    weapon, ruling = sheet.find_weapon(tool), check.data.ruling
    if ruling is not None and sheet.own_weapon(tool) is None:
        answers = {"lethal": ruling.lethal, "powered": ruling.muscle}
        flags = {key: answer == YES for key, answer in answers.items() if answer is not None}
        weapon = weapon.replace(modifier=ruling.damage, **flags)
    if plan.mental:
        weapon = weapon.replace(mental=True, powered=False)
    if plan.non_lethal:
        return weapon.replace(lethal=False)
    return weapon


def apply_hit(game: Game, check: BarCheck, target: BarCharacter) -> SheetEffect:
    """Apply a hit to its target (BAR-ARMOR, BAR-TRAUMA).

    Armor, thresholds and the chart decide its effect; the target has no choice.
    """
    actor, tool = game.character(check.actor), check.data.tool
    level = max(0, check.data.outcome[1])
    power = actor.sheet.attribute_score(game.campaign, GOVERNING_ATTRIBUTES.damage_add)
    blow = resolve_blow(target.sheet, game.campaign, _used_weapon(game, check), power, level)
    # Players see thresholds and strengths of players' characters alone, and not against a hidden
    # Difficulty.
    secret = check.hidden or is_veiled_check(game, check)
    openly = target.owner is not None and not secret
    veiled = actor.owner is None
    tool_name: str | Text = tool
    if tool and not actor.sheet.own_weapon(tool):
        tool_name = typed_text(tool, check.by)
    terms = blow_terms(blow, tool_name, veiled=veiled) if openly else {}
    sheet, line = apply_blow(target.sheet, game.campaign, blow, terms, game.time)
    health = health_word(sheet)
    if health.code != "unhurt" and public_name(target):
        line = line.replace(params={**line.params, "health": health})
    whole = Text("bar-note", {"what": "blow", **blow_terms(blow, tool_name, veiled=False)})
    # The board shows the cost and the healing of a Wound for players' characters alone.
    new = (wound for wound in sheet.wounds if wound not in target.sheet.wounds)
    lines = tuple(wound_line(sheet, game.campaign, wound.replace(effect="")) for wound in new)
    aside = () if openly and not veiled else (whole,)
    if target.owner is None:
        return sheet, (line,), (*aside, *lines)
    return sheet, (line, *lines), aside


# --- health ---------------------------------------------------------------------------------------


def healing_score(sheet: BarSheet, campaign: Campaign, wound: Wound) -> int:
    """Return the score of the attribute that governs the healing of a Wound (BAR-HEAL)."""
    name = GOVERNING_ATTRIBUTES.heal_mental
    if wound.kind == "physical":
        name = GOVERNING_ATTRIBUTES.heal_physical
    return sheet.attribute_score(campaign, name)


def wound_line(sheet: BarSheet, campaign: Campaign, wound: Wound) -> Text:
    """Return a Wound with its cost and the minute at which it is healed (BAR-TRAUMA, BAR-HEAL)."""
    other_kind = "mental" if wound.kind == "physical" else "physical"
    dice = {wound.kind: wound.penalty, other_kind: wound.other}
    costs = tuple(
        Text("bar-wound", {"dice": number, "kind": kind})
        for kind, number in dice.items()
        if number != 0
    )
    score = healing_score(sheet, campaign, wound)
    about = {
        "penalty": wound.penalty,
        "other": wound.other,
        "stabilised": wound.stabilised,
        "activity": wound.activity,
        "effect": wound.effect,
        "costs": costs,
        "name": wound.label,
        "healed_at": trauma.healed_at(wound, score, campaign.chart),
        "factor": str(wound.factor),
    }
    return Text("bar-wound", about)


def _penalties(sheet: BarSheet) -> dict[str, int]:
    """Return how many Penalty Dice all Wounds give, by kind of activity (BAR-TRAUMA)."""
    costs = {kind: trauma.penalty_dice(sheet.wounds, kind) for kind in ACTIVITIES}
    return {kind: sum(dice for _, dice in cost) for kind, cost in costs.items()}


def health_word(sheet: BarSheet) -> Text:
    """Return the health of a character, in a word that reveals no number."""
    wounds = sheet.wounds
    if any(not wound.stabilised for wound in wounds):
        return Text("bar-dying")
    if trauma.is_incapacitated(wounds):
        return Text("bar-out")
    if max(_penalties(sheet).values()) >= 3:
        return Text("badly-hurt")
    return Text("hurt" if wounds else "unhurt")


def health_lines(game: Game, character: BarCharacter, full: bool) -> tuple[Text, ...]:
    """Return the health of a character in words without numbers; with *full* also every Wound."""
    sheet = character.sheet
    word = health_word(sheet)
    if not full:
        return (word,)
    return (word, *(wound_line(sheet, game.campaign, wound) for wound in sheet.wounds))


def board_health_lines(game: Game, character: BarCharacter, full: bool) -> tuple[Text, ...]:
    """Return the word for a character's health; with `full` also all Wounds in one line."""
    sheet = character.sheet
    word = health_word(sheet)
    if not full or not sheet.wounds:
        return (word,)
    return (word, Text("bar-wounds", {"wounds": len(sheet.wounds), **_penalties(sheet)}))


def heal_until_now(game: Game, target: BarCharacter) -> tuple[BarCharacter, tuple[Text, ...]]:
    """Heal a character until now; return a line if any Wound has healed (BAR-HEAL)."""
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
    """Return the label of the Wound that a text means; without a text, of the only one.

    Raises Impossible("no-wounds"), and what `find_wound` raises.
    """
    if not target.sheet.wounds:
        raise Impossible("no-wounds", name=target.name)
    return target.sheet.find_wound(text, "injury").label


def apply_rest(game: Game, check: BarCheck, target: BarCharacter) -> SheetEffect:
    """Let nothing slow down the healing of the target's Wounds any more (BAR-HEAL)."""
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
    ruled_factor = ruling.factor if ruling else None
    factor = max(wound.factor, Fraction(ruled_factor or 0))
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
    """Return the health of a patient after a failed treatment, for the head of its message."""
    health = health_word(target.sheet)
    return Text("bar-treated", {"how": "failed", **health_change(health, health)})
