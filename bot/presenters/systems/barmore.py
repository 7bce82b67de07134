"""Barmore's dice pool in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from bot.presenters.dice import number_text
from bot.presenters.systems import barmore_errors
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import Said, Template, duration, fill, listing, moment_text, plural, signed
from rules.core.rng import Die
from rules.systems.barmore.dice import DIE_TYPES
from rules.table.events import CheckView

#: A trait may be called anything; on a card its beginning is enough.
_NAME = 60


def _name(said: Said) -> str:
    return said.text("name", _NAME)


def _scored(said: Said) -> str:
    """`Climbing 3`; `Climbing 2 (by Athletics)`; `Climbing 0`."""
    score = said["score"]
    via = said.raw("via")
    if via in ("ancestor", "descendant"):
        return f"{_name(said)} {score} (by {said.text('used', _NAME)})"
    return f"{_name(said)} {score}"


def _choice(said: Said) -> str:
    name, score = said.text("name", 50), said["score"]
    if said.raw("via") == "ancestor":
        return f"{name}: {score}, by {said.text('used', 40)}"
    return f"{name}: {score}" if said.raw("via") == "own" else f"{name}: no score"


def _dice(count: int, kind: str) -> str:
    return plural(count, f"{kind} Die", f"{kind} Dice")


def _modifier(said: Said) -> str:
    """`+2 Bonus Dice`, `1 Penalty Die`."""
    dice = said.number("modifier")
    return f"+{_dice(dice, 'Bonus')}" if dice > 0 else f"+{_dice(-dice, 'Penalty')}"


def _add(said: Said) -> str:
    count = said.number("add")
    return f"{'+' if count >= 0 else '−'}{_dice(abs(count), 'Add')}"


def _pool(said: Said) -> str:
    parts = [_dice(said.number("add"), "Add")]
    if said.number("bonus"):
        parts.append(_dice(said.number("bonus"), "Bonus"))
    if said.number("penalty"):
        parts.append(_dice(said.number("penalty"), "Penalty"))
    return f"Pool: {listing(parts)}."


def _causes(said: Said) -> str:
    """`a pool of 5 Add Dice and 2 Bonus Dice (1 Add Die to begin with, Rapier: +4 Add Dice, …)`."""
    found: list[str] = []
    for code, add, modifier, name in said.rows("causes"):
        part = said.inner({"add": add, "modifier": modifier, "name": name})
        found.append(fill(_CODES[str(code)], part).removeprefix("• "))
    pool = _pool(said).removeprefix("Pool: ").removesuffix(".")
    # The one that everybody begins with is no news.
    return f"a pool of {pool} ({', '.join(found)})" if len(found) > 1 else f"a pool of {pool}"


def _member(said: Said) -> str:
    add, modifier = said.number("add"), said.number("modifier")
    more = f", {_modifier(said)[1:]}" if modifier else ""
    return f"• {_name(said)}: {_dice(add, 'Add')}{more}"


def _pace(said: Said) -> str:
    add, modifier = said.number("add"), said.number("modifier")
    found = [_add(said)] if add else []
    if modifier:
        found.append(_modifier(said))
    return f"• {'less' if add < 0 else 'more'} time: {listing(found)}"


def _granted(said: Said) -> str:
    dice = said.number("dice")
    return f"{_dice(abs(dice), 'Bonus' if dice > 0 else 'Penalty')} from the GM"


def _times(code: str) -> Template:
    words = {
        "saved": ("phase saved", "phases saved"),
        "extra": ("extra phase", "extra phases"),
        "halvings": ("halving of the time", "halvings of the time"),
        "doublings": ("doubling of the time", "doublings of the time"),
    }
    return lambda said: plural(said.number("count"), *words[code])


def _offered(text: str) -> Template:
    return lambda said: text.format(n=said.number("count"))


def _doublings(said: Said) -> str:
    count = said.number("count")
    more = f", +{_dice(count - 1, 'Bonus')}" if count > 1 else ""
    return f"{2**count} times the usual time (+1 Add Die{more})"


_SUM: Final = {
    "level": "success level",
    "armour": "armour",
    "muscle": "Muscle Power",
    "weapon": "weapon",
    "toughness": "Toughness",
    "threshold": "threshold",
}


def _sum(said: Said) -> str:
    """` (success level 4, armour −2, Muscle Power +1: 3)`, where it may be told."""
    terms = {str(name): value for name, value in said.rows("sum")}
    shown = [
        f"{_SUM[name]} {value if name == 'level' else signed(int(value or 0))}"
        for name, value in terms.items()
        if name in _SUM
    ]
    if not shown:
        return ""
    if "attacker" in terms:
        return f" ({', '.join(shown)}, and what the attacker brings)"
    return f" ({', '.join(shown)}: {signed(int(terms['final'] or 0)).removeprefix('+')})"


def _hit(said: Said) -> str:
    names, effects = said.items("names"), said.items("effects")
    text = f"{'new Wounds' if len(names) > 1 else 'a new Wound'}, {listing(names)}{_sum(said)}"
    return f"{text}; {listing(effects)}" if effects else text


def _penalty(said: Said) -> str:
    kind = "mental" if said.raw("kind") == "mental" else "physical"
    other = "mental" if kind == "physical" else "physical"
    found: list[str] = []
    if said.raw("penalty") is None and said.raw("other") is None:
        return "no activity is left"
    for key, which in (("penalty", kind), ("other", other)):
        dice = said.raw(key)
        if dice is None:
            found.append(f"no {which} activity is left")
        elif dice:
            found.append(f"{_dice(said.number(key), 'Penalty')} on what is {which}")
    return listing(found) or "costs no dice"


def _wound(said: Said) -> str:
    """`2 Light (physical): 1 Penalty Die on what is physical; healed Day 8, 00:00`."""
    parts = [_penalty(said)]
    over = said.raw("penalty") is None and said.raw("stabilised")
    if said.raw("effect") and not over:  # such as dying until stabilised
        parts.append(said["effect"])
    if not said.raw("stabilised"):
        parts.append("it does not heal until it is stabilised")
    elif said.raw("activity") == "stopped":
        parts.append("does not heal while life goes on like this")
    elif "healed_at" in said:
        slower = ", slowed down" if said.raw("activity") == "slower" else ""
        care = f", {said['factor']} times as fast" if said.raw("factor") != "1" else ""
        parts.append(f"healed on {moment_text(said.number('healed_at'))}{slower}{care}")
    return f"**{_name(said)}:** {'; '.join(parts)}"


def _healed(said: Said) -> str:
    wounds = said.items("wounds")
    return f"{_name(said)}: {listing(wounds)} {'has' if len(wounds) == 1 else 'have'} healed"


def _tree(title: str) -> Template:
    """A tree that can be read on a phone: one trait a line, indented below what it belongs to."""

    def lines(said: Said) -> str:
        found = [f"**{title}**"]
        for depth, name, score in said.rows("rows"):
            indent = "\u2003" * int(depth or 0)
            branch = "└ " if depth else ""
            shown = "" if score is None else signed(int(score)) if title == "Attributes" else str(score)
            known = said.inner({"name": name}).text("name", 0)
            found.append(f"{indent}{branch}{known}{f' **{shown}**' if shown else ''}")
        return "\n".join(found)

    return lines


def _weapon(said: Said) -> str:
    parts = [signed(said.number("modifier"))]
    parts.append("mental" if said.raw("mental") else "lethal" if said.raw("lethal") else "not lethal")
    if said.raw("powered"):
        parts.append("with Muscle Power")
    if said.raw("kind"):
        parts.append(said["kind"])
    return f"**Weapon:** {_name(said)} ({', '.join(parts)})"


def _armour(said: Said) -> str:
    parts = [f"takes {said['rating']} off"]
    if said.raw("mental"):
        parts.append("of mental attacks")
    if said.items("covers"):
        parts.append(f"against {listing(said.items('covers'), 'or')}")
    if said.items("converts"):
        parts.append(f"makes {listing(said.items('converts'), 'or')} non-lethal")
    return f"**Armour:** {_name(said)} ({', '.join(parts)})"


def _takes(said: Said) -> str:
    costs = said.items("costs")
    base = f"base cost {costs[0]}" if len(costs) == 1 else f"base costs {listing(costs)} together"
    return (
        f"That takes {plural(said.number('phases'), 'phase')}: {base}, {said['attribute']} {said['score']}."
    )


def _counted(noun: str) -> Template:
    return lambda said: (
        f"{plural(said.number('count'), noun, f'{noun[:-1]}ies' if noun.endswith('y') else None)}, "
        f"{said['sum']} points in all"
    )


def _or_none(said: Said, key: str) -> str:
    """A score; somebody need not have one."""
    return "no score" if said.raw(key) is None else said[key]


def _degree(said: Said) -> str:
    degree = said.number("degree")
    levels = f"{signed(degree)} {'level' if abs(degree) == 1 else 'levels'}" if degree else "no level"
    return f"{levels}: {said['done']} so far"


_CODES: Final[dict[str, Template]] = {
    # Choices. They stand in menus and suggestions, 100 characters at most.
    "bar-trait-choice": _choice,
    "bar-die": "{die}: {low} to {high} a die",
    "bar-die-safe": "{die}: {low} to {high} a die, cannot botch",
    "bar-resists-bare": "{value}: without dice, and with no trait at all",
    "bar-resists": "{value}: {ability} with {attribute}, without dice",
    "bar-disallow-support": lambda said: f"Refuse the support of {said.text('name', 60)}",
    "bar-option-no-dice": "Without dice: 5 for each Add Die, 1 for each Bonus Die, no botch",
    "bar-option-convert": lambda said: (
        f"Convert {_dice(said.number('count'), 'Add')} into {_dice(said.number('count'), 'Bonus')}"
    ),
    "bar-option-support": lambda said: f"Supported by {said.text('name', 60)} (+{said['score']})",
    "bar-option-use": lambda said: (
        f"{said.text('name', 60)} {said['score']} stands in; the GM accepts it or not"
    ),
    "bar-option-halvings": lambda said: (
        f"1/{2 ** said.number('count')} of the usual time (−{_dice(said.number('count'), 'Add')})"
    ),
    "bar-option-doublings": _doublings,
    "bar-option-saved": lambda said: (
        f"{plural(said.number('count'), 'phase')} saved (−{_dice(said.number('count'), 'Add')})"
    ),
    "bar-option-extra": lambda said: (
        f"{plural(said.number('count'), 'extra phase')} (+{_dice(said.number('count'), 'Bonus')})"
    ),
    "bar-option-mental": "An attack on the mind",
    "bar-option-nonlethal": "An attack that is not meant to kill",
    "bar-option-factor": "Treatment: the Wound heals {factor} times as fast",
    "bar-option-chances": _offered("Either/or: {n} of them may succeed at all"),
    "bar-how-direct": "Directly: the higher total triumphs",
    "bar-how-indirect": "Indirectly: both against the same Difficulty",
    "bar-how-simple-addition": "Simple addition: all dice count as they are",
    "bar-how-combining-dice": "Combining dice: the others' Add Dice are Bonus Dice",
    "bar-how-worst-roller": "Worst roller: the others' Add Dice are Penalty Dice",
    "bar-how-either-or": "Either/or: everybody rolls, not everybody has a chance",
    "bar-choose-die": "Roll with",
    "bar-choose-convert": "Convert Add Dice",
    "bar-take-wound": "Take it",
    "bar-heal-treat": "Treat a Wound: stabilise it, or let it heal faster",
    "bar-heal-rest": "Rest: nothing slows healing down any more",
    "bar-wound-choice": _name,
    "bar-adjust-ability": "Ability: a score, such as Climbing 3 (or none)",
    "bar-adjust-attribute": "Attribute: a score, such as Speed -1 (or none)",
    "bar-adjust-hurt": "Wound: add one, by kind and degree, such as physical 4",
    "bar-adjust-healed": "Wound: it has healed",
    "bar-adjust-care": "Wound: medical attention, such as 1 Light x 2",
    "bar-adjust-life": "Wound: how its owner lives, such as 1 Light: slower",
    "bar-adjust-stable": "Wound: stabilised, or not any more",
    "bar-adjust-minor": "Never rolls (yes), or rolls like everybody (no)",
    "bar-adjust-value": lambda said: said.text("text", 100),
    # What a check consists of.
    "bar-difficulty": "Difficulty {value}",
    "bar-asked": "{value}",
    "bar-ability": _scored,
    "bar-attribute": _scored,
    "bar-trait": _name,
    "bar-start-alone": "no trait at all",
    "bar-no-dice": "without dice",
    "bar-shift-die": "{die} ({low} to {high} a die)",
    "bar-justification": lambda said: f"{said.text('used', 40)} stands in for {said.text('name', 40)}",
    "bar-justification-refused": lambda said: f"nothing stands in for {_name(said)}: the GM refused it",
    "bar-several": lambda said: f"{listing(said.items('names'), 'or')} could stand in: name one with `use:`",
    "bar-shift-support": lambda said: f"supported by {_name(said)}",
    "bar-shift-support-refused": lambda said: f"the support of {_name(said)} is refused",
    "bar-shift-convert": lambda said: f"{_dice(said.number('count'), 'Add')} converted",
    "bar-shift-saved": _times("saved"),
    "bar-shift-extra": _times("extra"),
    "bar-shift-halvings": _times("halvings"),
    "bar-shift-doublings": _times("doublings"),
    "bar-shift-granted": _granted,
    "bar-shift-factor": "a Wound that is treated heals {factor} times as fast",
    "bar-shift-chances": lambda said: f"{said['count']} of them {_have(said)} a chance",
    "bar-shift-mental": "on the mind",
    "bar-shift-nonlethal": "not meant to kill",
    "bar-mode-alone": "Only one side rolls: the other's total, without dice, is the Difficulty.",
    "bar-mode-direct": "Directly against each other: the higher total triumphs.",
    "bar-mode-indirect": "Against the same Difficulty: the higher level triumphs.",
    "bar-mode-simple-addition": "Together by simple addition: all dice count as they are.",
    "bar-mode-combining-dice": (
        "Together by combining dice: whoever has most Add Dice leads, those of the others are Bonus Dice."
    ),
    "bar-mode-worst-roller": (
        "Only as good as the worst: whoever has most Add Dice leads, those of the others are Penalty Dice."
    ),
    "bar-mode-either-or": "Either/or: everybody rolls, and who has a chance at all shows only then.",
    "bar-pool": _pool,
    "bar-pool-of": _causes,
    "bar-pool-nothing": "hurried so much that no Add Die is left",
    "bar-pool-none": "Hurried so much that no Add Die is left: it fails without a roll.",
    "bar-pool-unbuildable": "As things stand the pool cannot be rolled: propose it anew.",
    "bar-part-start": "• +1 Add Die to begin with",
    "bar-part-ability": lambda said: f"• {_name(said)}: {_add(said)}",
    "bar-part-attribute": lambda said: f"• {_name(said)}: {_modifier(said)}",
    "bar-part-support": lambda said: f"• support of {_name(said)}: {_modifier(said)}",
    "bar-part-convert": lambda said: f"• converted: {_add(said)}, {_modifier(said)}",
    "bar-part-quicker": _pace,
    "bar-part-slower": _pace,
    "bar-part-wound": lambda said: f"• Wound {_name(said)}: {_modifier(said)}",
    "bar-part-granted": lambda said: f"• from the GM: {_modifier(said)}",
    "bar-part-member": _member,
    # What came of it.
    "bar-success": "Success",
    "bar-failure": "Failure",
    "bar-botch": "Botch",
    "bar-triumph": "Triumph",
    "bar-defeat": "Defeat",
    "bar-nobody-triumphs": "Nobody triumphs",
    "bar-margin-only": "It succeeds",
    "bar-success-level": "level {level}",
    "bar-failure-level": "level {level}",
    "bar-note-sign": "If the level changes an effect, its player says whether up or down.",
    "bar-note-lucky": "Whoever began it had a chance.",
    "bar-note-unlucky": "Whoever began it had no chance, whatever the dice say.",
    "bar-note-unsaid": lambda said: (
        f"Why {said.text('used', 40)} should stand in for {said.text('name', 40)} has not been said yet."
    ),
    "bar-note-blow": lambda said: f"The hit, for the GMs: {_sum(said).strip(' ()')}.",
    "bar-lucky": "had a chance",
    "bar-unlucky": "had no chance, whatever the dice say",
    "bar-chosen-die": "chosen: {choice}",
    "bar-chosen-convert": "Add Dice converted now: {choice}",
    "bar-nothing-to-spend": "nothing is spent in this game; the die is chosen before the roll",
    "bar-hit-stopped": lambda said: f"the armour stops it{_sum(said)}",
    "bar-hit-harmless": lambda said: f"it hits and leaves no Wound{_sum(said)}",
    "bar-hit-no-room": lambda said: (
        f"it hits{_sum(said)}, but the sheet holds {said['most']} Wounds already: the GM keeps this one in mind"
    ),
    "bar-hit-wound": _hit,
    "bar-healed": _healed,
    "bar-rests": "rests: nothing slows healing down any more",
    "bar-stabilised": lambda said: (
        f"{_name(said)} is stabilised, and heals from now on"
        + (f", {said['factor']} times as fast" if said.raw("factor") not in (None, "1") else "")
    ),
    "bar-treated": lambda said: f"{_name(said)} heals {said['factor']} times as fast from now on",
    "bar-not-treated": "that Wound is not there any more",
    "bar-initiative": "{name} {score} decides between those who are done at the same time.",
    "bar-takes": _takes,
    "bar-broken-off": lambda said: (
        f"Breaking off costs {plural(said.number('phases'), 'phase')} more, before that begins."
    ),
    "bar-task-degree": _degree,
    # Odds.
    "bar-odds-die": "{die}",
    "bar-odds-no-dice": "without dice",
    "bar-odds-none": "hurried to nothing",
    "bar-odds-level": "level {level}+",
    "bar-odds-failure": "failure",
    "bar-odds-botch": "botch",
    # How somebody is, and the sheet.
    "bar-unhurt": "unhurt",
    "bar-hurt": "hurt",
    "bar-badly-hurt": "badly hurt",
    "bar-out": "out of action",
    "bar-dying": "dying",
    "bar-wound": _wound,
    "bar-sheet-concept": lambda said: said.text("text", 0),
    "bar-sheet-description": lambda said: said.text("text", 0, lines=True),
    "bar-sheet-attributes": _tree("Attributes"),
    "bar-sheet-abilities": _tree("Abilities"),
    "bar-sheet-weapon": _weapon,
    "bar-sheet-armour": _armour,
    "bar-sheet-equipment": lambda said: f"**Equipment:** {', '.join(said.items('names'))}",
    "bar-sheet-minor": "Never rolls: a total without dice is what others roll against.",
    # What the GM sets.
    "bar-now-score": lambda said: (
        f"{_name(said)}: {_or_none(said, 'score')} (before: {_or_none(said, 'before')})"
    ),
    "bar-now-hurt": lambda said: f"A new Wound: {_name(said)}",
    "bar-now-healed": lambda said: f"Healed: {_name(said)}",
    "bar-now-care": lambda said: f"{_name(said)} heals {said['factor']} times as fast",
    "bar-now-life": lambda said: f"{_name(said)}: {_LIVES.get(str(said.raw('life')), _LIVES['rest'])}",
    "bar-now-stable": lambda said: f"{_name(said)} is stabilised",
    "bar-now-unstable": lambda said: f"{_name(said)} is not stabilised any more",
    "bar-now-minor": "Never rolls any more",
    "bar-now-rolls": "Rolls like everybody",
    # The campaign.
    "bar-campaign-abilities": lambda said: (
        f"{plural(said.number('count'), 'ability', 'abilities')} below {listing(said.items('roots'))}"
    ),
    "bar-campaign-attributes": lambda said: (
        f"{plural(said.number('count'), 'attribute')} below {listing(said.items('roots'))}"
    ),
    "bar-campaign-chart": lambda said: f"Wounds: {', '.join(said.items('rows'))}",
    "bar-campaign-phobes": "Players may do without dice",
    "bar-campaign-no-phobes": "Players always roll",
    "bar-campaign-minor": "NPCs without scores never roll",
    "bar-campaign-no-minor": "All NPCs roll",
    # Making a character.
    "bar-step-who": "Who it is",
    "bar-step-attributes": "Attributes",
    "bar-step-abilities": "Abilities",
    "bar-step-things": "Things and notes",
    "bar-field-name": "Name",
    "bar-field-concept": "Concept",
    "bar-field-description": "Description",
    "bar-field-portrait": "Portrait",
    "bar-field-attributes": "Attributes",
    "bar-field-abilities": "Abilities",
    "bar-field-weapons": "Weapons",
    "bar-field-armour": "Armour",
    "bar-field-equipment": "Equipment",
    "bar-field-notes": "Notes",
    "bar-hint-concept": "Such as ferry pilot, village doctor",
    "bar-hint-portrait": "The https:// address of a picture",
    "bar-hint-scores": "One on a line, a trait of the campaign and its score, such as: Speed 2",
    "bar-hint-weapons": "One on a line, such as: Boathook, +1, lethal, piercing",
    "bar-hint-armour": "One on a line, such as: Leather coat, 1, softens cutting",
    "bar-hint-list": "One on a line",
    "bar-hint-notes": "Only you and the GMs see them",
    "bar-creation-attributes": _counted("attribute"),
    "bar-creation-abilities": _counted("ability"),
    # Refusals.
    "bad-campaign": "The campaign cannot be used yet.",
    "two-dice": "One kind of die is rolled for the whole pool. Name one of {allowed}.",
    "attacks-only": "{quoted} speaks of an attack, and this is none. Leave it out.",
    "treatments-only": "{quoted} speaks of a Wound that is treated, and this is no treatment. Leave it out.",
    "either-or-only": "{quoted} belongs to what several do as either/or. Leave it out.",
    "use-not-needed": lambda said: (
        f"{said.quoted()} stands in for nothing here: "
        + (
            f"there is a score for {listing(said.items('names'))} already"
            if said.items("names")
            else "no trait is named"
        )
        + ". Leave `use` out."
    ),
    "no-dice-phobes": "In this campaign players always roll. Leave “no dice” out.",
    "bad-factor": "{quoted} is no factor. Write for instance {allowed}; {highest} is the most.",
    "incapacitated": "A Wound leaves no {activity} activity at all. It has to be treated, and to heal, first.",
    "not-supporting": lambda said: (
        f"{said.quoted()} cannot support that: it has no points, or is what is tried or stands above it."
    ),
    "unreadable-score": "{quoted} is no trait with a score",
    "choose-one": "{quoted} does not fit here. Write {allowed}.",
    "unknown-wound": lambda said: (
        f"{said.quoted()} is no Wound here." if "value" in said else "Say which Wound is meant."
    ),
    "which-weapon": "Several weapons on the sheet begin like {quoted}. Name one of {allowed}.",
    "which-wound": "Several Wounds fit. Name one of {allowed}.",
    "no-wounds": "{name} has no Wounds.",
    "too-many-wounds": "There are {most} Wounds on that sheet, and that is as many as it holds.",
    "choose-before-roll": "That is chosen after the GM has set a Difficulty and before the dice are thrown.",
    "nothing-to-award": (
        "This game has nothing to award. A GM sets scores with /gm adjust when somebody has earned it."
    ),
    "no-price-for-growth": (
        "This game has no price for learning. A GM sets scores with /gm adjust when somebody has earned it."
    ),
    "which-cost": "Say with `cost` how many phases it takes at the least: the base cost in phases.",
    "which-times": "Say with `times` how long each of them takes by itself, with commas between: 2 hours, 45 minutes.",
    "too-many-at-once": "So many things cannot be done at once: {highest} at most.",
    "campaign-in-use-by": (
        "{name} is under way and asks for a trait that this campaign does not know. Finish it or drop it with "
        "/barmore task drop first."
    ),
    "bad-frequency": lambda said: (
        f"One roll takes {duration(said.number('lowest') * 60)} at least and {duration(said.number('highest') * 60)} "
        f"at most; you gave {plural(said.number('value'), 'minute')}."
    ),
    "unknown-task": lambda said: (
        f"{said.quoted()} is no complex action here."
        if "value" in said
        else "There is no complex action here. A GM begins one with /barmore task start."
    ),
    "which-task": "Several complex actions fit. Name one of {allowed}.",
    "too-many-tasks": "{most} complex actions are open, and that is as many as a table keeps. Drop one first.",
    "task-is-over": "{name} is over: nothing more is rolled for it.",
    "task-moved-on": lambda said: (
        f"{_name(said)} has moved on since: it has {plural(said.number('rolls'), 'roll')} now."
    ),
    "task-without-worker": "Whoever worked on {name} is not in play any more. A GM can drop it.",
}

_LIVES: Final = {
    "rest": "heals at rest",
    "slower": "healing is slowed down",
    "stopped": "does not heal while life goes on like this",
}

_FIXES: Final[dict[str, Template]] = {
    "use-tree-name": "Use a name of the campaign's trees",
    "write-share": "Write a whole number or a fraction such as 1/3",
    "write-score": "Write the trait and its score, such as Climbing 3",
}


def _have(said: Said) -> str:
    return "has" if said.number("count") == 1 else "have"


def dice_text(dice: tuple[Die, ...]) -> tuple[str, ...]:
    """`d10-1, kept: 9, 7, 4`, `lowest dropped for 1 Bonus Die: 1`: what each die counts."""
    sides = dice[0].sides
    kind = next(die for die in DIE_TYPES.values() if die.sides == sides)
    kept = [number_text(die.face + kind.add) for die in dice if die.name == "kept"]
    dropped = [(number_text(die.face + kind.add), die.name) for die in dice if die.name != "kept"]
    shown = f"{kind.id}, kept: {', '.join(kept)}"
    if not dropped:
        return (shown,)
    why = _FALLEN.get(dropped[0][1], lambda _: "dropped")(len(dropped))
    return shown, f"{why}: {', '.join(value for value, _ in dropped)}"


#: Why dice fell away, by what they are called.
_FALLEN: Final[dict[str, Callable[[int], str]]] = {
    "bonus": lambda count: f"lowest dropped for {_dice(count, 'Bonus')}",
    "penalty": lambda count: f"highest dropped for {_dice(count, 'Penalty')}",
}


def _faces(view: CheckView) -> tuple[str, ...]:
    """The dice of a check; without dice it is said that there were none."""
    if not view.dice:
        return ("no dice were rolled",) if view.total is not None else ()
    return dice_text(view.dice)


_HELP: Final = (
    (
        "The round of a check",
        (
            "1. **Propose.** `/check` names an ability and an attribute of the campaign's trees. If there is no score "
            "in one, what stands above it counts by itself; what stands below it counts when the GM accepts it "
            "(`with: use: …`).",
            "2. **The GM answers** with a Difficulty, open or hidden, grants dice or time, and may refuse what does "
            "not fit.",
            "3. **Choose the dice**: before the roll React changes the die and converts Add Dice into Bonus Dice. "
            "`/odds` shows every die side by side: d10-1 and d12-2 reach higher and botch more, d6+1 and d4+2 never "
            "botch.",
            "4. **Roll.** The pool has 1 Add Die, one more for each point of the ability, Bonus or Penalty Dice by the "
            "attribute. Bonus Dice drop the lowest, Penalty Dice the highest; the rest is totalled. Every 5 points "
            "above or below the Difficulty are a level. A total no higher than the number of dice kept is a botch.",
        ),
    ),
    (
        "What `with` understands",
        (
            "`die: d10-1`, `no dice`, `support: Climbing`, `convert: 1`, `use: Rapier`, `halvings: 1`, `doublings: 1`, "
            "`phases saved: 1`, `phases extra: 1`, separated by commas.",
        ),
    ),
    (
        "Together, and against each other",
        (
            "- `/barmore team start` begins something that several do; others press Join, with a character of their "
            "own, for as long as it is not rolled.",
            "- `/barmore contest` is against somebody: both sides choose in secret and roll together, directly or "
            "against the same Difficulty.",
            "- `/barmore task start` sets work that takes many rolls; `/barmore task roll` is the next one.",
        ),
    ),
    (
        "Fights, Wounds and healing",
        (
            "- `/initiative` keeps time in phases. `/barmore act` begins something with its base cost; a governing "
            "attribute shortens it. `/barmore switch` breaks off for something else. Out of a fight "
            "`/barmore at-once` tells how long several things take together.",
            "- `/attack`: level, armour, weapon, Muscle Power, Toughness and threshold make a final degree, and the "
            "campaign's chart a Wound. Its Penalty Dice count in every pool by themselves, until it has healed.",
            "- Wounds heal with the story's time (`/gm time`). `/heal method:treat` stabilises, or lets a Wound heal "
            "faster; `/gm adjust` sets care, life and scores by hand.",
        ),
    ),
)

WORDS: Final = SystemWords(
    key="barmore",
    prefix="bar",
    codes={**barmore_errors.CODES, **_CODES},
    fixes={**barmore_errors.FIXES, **_FIXES},
    dice=_faces,
    tones={
        "bar-success": "good",
        "bar-triumph": "good",
        "bar-margin-only": "good",
        "bar-nobody-triumphs": "warning",
        "bar-failure": "bad",
        "bar-defeat": "bad",
        "bar-botch": "bad",
    },
    refused=frozenset(),
    die_names={},
    brief_odds=frozenset({"bar-odds-level", "bar-odds-botch"}),
    help=_HELP,
    actions={
        "StartTask": "set a complex action",
        "RollTask": "rolled for a complex action",
        "DropTask": "gave a complex action up",
        "BeginAction": "began something on the timeline",
    },
    modifier="Bonus Dice, or with a minus Penalty Dice",
    modifier_of="Bonus or Penalty Dice: {side}",
    own_part="complex action",
    against=lambda dice: f"{_dice(abs(dice), 'Bonus' if dice > 0 else 'Penalty')} for the other side",
    difficulty="Difficulty",
    number="Difficulty: a number",
    claimed="Chosen",
    claims="The player chooses",
    needs_idea=False,
    timeline_hint="`/barmore act` begins something, `/barmore switch` breaks off what is under way.",
)
