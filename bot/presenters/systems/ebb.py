"""EBB in words."""

from __future__ import annotations

from typing import Final

from bot.presenters.limits import clip
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import Said, Template, plural, signed, user_text
from rules.core.rng import Die
from rules.table.events import CheckView

#: An ability may be called anything; on a card its beginning is enough.
_NAME = 60
#: Re-rolls beyond this many are counted instead of read out.
_FACES = 8


def _levels(said: Said) -> str:
    levels = said.number("levels")
    return f"{plural(abs(levels), 'level')} {'harder' if levels > 0 else 'easier'}"


def _claim(what: str) -> Template:
    return lambda said: f"{what} ({_levels(said)})"


def _dilemmas(said: Said) -> str:
    return f"removes {plural(abs(said.number('levels')), 'major dilemma')} ({_levels(said)})"


def _option(what: str, step: str) -> Template:
    return lambda said: f"{what} ({plural(said.number('levels'), 'level')} {step})"


def _option_dilemma(said: Said) -> str:
    levels = said.number("levels")
    return f"Removes {plural(levels, 'major dilemma')} ({plural(levels, 'level')} easier)"


def _ability(said: Said) -> str:
    return f"{said.text('name', _NAME)} {said['die']} ({said['title']})"


def _rerolled(said: Said) -> str:
    left = plural(said.number("left"), "Fate point")
    return f"1 Fate point spent: the {said['die']} was rolled again and shows {said['face']}; {left} left"


def _sacrificed(said: Said) -> str:
    left = said.number("left")
    return f"1 point of {said['attribute']} sacrificed: it counts as {left} until it is restored"


def _injury(said: Said) -> str:
    part = f"{said['part']}, " if said.raw("part") else ""
    return f"{said.text('text', 0)} ({part}{said['severity']})"


def _bulleted(title: str) -> Template:
    def lines(said: Said) -> str:
        return "\n".join([f"**{title}**", *(f"- {item}" for item in said.items("names"))])

    return lines


def _abilities(said: Said) -> str:
    return f"**{said['group']}:** {', '.join(said.items('names'))}"


def _too_little_fate(said: Said) -> str:
    have, need = said.number("have"), said.number("need")
    text = (
        f"That costs {plural(need, 'Fate point')}, and there {'is' if have == 1 else 'are'} {have or 'none'}"
    )
    missing = f": {need - have} more needed" if need > 1 else ""
    return f"{text}{missing}. The GM gives Fate points for major achievements."


def _concept(said: Said) -> str:
    age = [plural(said.number("age"), "year")] if "age" in said else []
    return " · ".join([*said.items("parts"), *age])


def _spread(said: Said) -> str:
    count = plural(said.number("count"), "ability", "abilities")
    return f"{count}: {', '.join(said.items('spread'))}" if said.items("spread") else count


def _moved(said: Said) -> str:
    if said.number("before") == said.number("value"):
        return f"{said['name']} stays at {said.number('value')}"
    return f"{said['name']} goes from {said.number('before')} to {said.number('value')}"


def _missed(said: Said) -> str:
    points = said.number("points")
    return f"{plural(points, 'point')} short" if points else "by no point at all"


def _many(noun: str) -> str:
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def _wrong_number(noun: str) -> Template:
    def words(said: Said) -> str:
        need = said.number("need")
        there = plural(said.number("value"), noun, _many(noun))
        return f"{there}, where {need} {'is' if need == 1 else 'are'} needed"

    return words


def _count(before: str, noun: str, after: str = "") -> Template:
    return lambda said: f"{before} {plural(said.number('count'), noun, _many(noun))}{after}"


_CODES: Final[dict[str, Template]] = {
    # Choices. They stand in menus and suggestions, 100 characters at most.
    "ebb-ability-choice": lambda said: f"{said.text('name', 90)} {said['die']}",
    "ebb-attribute-choice": "{name} {value}",
    "ebb-disallow": lambda said: f"Refuse {said.text('name', 90)}",
    "ebb-option-dilemma": _option_dilemma,
    "ebb-option-flaw": _option("A flawed but possible idea", "harder"),
    "ebb-option-drawback": _option("Defies a drawback: no attribute counts", "harder"),
    "ebb-option-injured": _option("Uses a treated injured body part", "harder"),
    "ebb-option-superior": _option("Superior equipment", "easier"),
    "ebb-option-missing-tools": _option("The tools for it are missing", "harder"),
    "ebb-option-specialist": "Needs a suitable ability: nobody without one can try",
    "ebb-option-specialist-luck": "Luck may stand in for the ability that is needed",
    "ebb-option-urgent": "Against time: any failure loses the chance",
    "ebb-option-luck": "Luck instead of the roll costs a point of {name}",
    "ebb-spend-luck": "Sacrifice a point to just succeed",
    "ebb-spend-reroll": lambda said: (
        f"Roll the {said['die']} again for 1 Fate point (you have {said['fate']})"
    ),
    "ebb-award-fate": "Fate points: 1 or 2 a session, 3 or 4 when it ends a major adventure",
    "ebb-adjust-fate": lambda said: f"Fate points ({said.number('points')} now)",
    "ebb-adjust-lost": lambda said: (
        f"{said['name']}: points sacrificed ({said.number('points')} of {said.number('most')} now)"
    ),
    "ebb-adjust-injury": "Injury: add one (what happened; body part; light, serious or severe)",
    "ebb-adjust-treated": "Injury: treated",
    "ebb-adjust-untreated": "Injury: not treated any more",
    "ebb-adjust-healed": "Injury: remove one",
    "ebb-adjust-scar": "Scar: add one",
    "ebb-adjust-scar-gone": "Scar: remove one",
    "ebb-adjust-die": lambda said: f"Die of {said.text('name', _NAME)} ({said['die']} now)",
    "ebb-adjust-drawback": lambda said: f"Drawback {said.number('number')}: {said.text('text', _NAME)}",
    "ebb-die-choice": "{die} {title}",
    "ebb-entry-choice": lambda said: f"{said.number('number')}: {said.text('text', 90)}",
    # What the GM keeps.
    "ebb-restored": lambda said: f"{said['name']}: {', '.join(said.items('values'))}",
    "ebb-awarded": lambda said: (
        f"{said['name']}: {plural(said.number('points'), 'Fate point')}, {said.number('fate')} now"
    ),
    "ebb-now-fate": lambda said: (
        f"{plural(said.number('points'), 'Fate point')} (before: {said.number('before')})"
    ),
    "ebb-now-lost": lambda said: (
        f"{plural(said.number('points'), 'point')} of {said['name']} sacrificed: it counts as "
        f"{said.number('value')}"
    ),
    "ebb-now-injured": lambda said: f"A new injury: {_injury(said)}",
    "ebb-now-treated": lambda said: f"Treated: {said.text('text', 0)}",
    "ebb-now-untreated": lambda said: f"Not treated any more: {said.text('text', 0)}",
    "ebb-now-healed": lambda said: f"No longer injured: {said.text('text', 0)}",
    "ebb-now-scarred": lambda said: f"A new scar: {said.text('text', 0)}",
    "ebb-now-unscarred": lambda said: f"The scar is gone: {said.text('text', 0)}",
    "ebb-now-die": lambda said: f"{said.text('name', _NAME)} is at {said['die']} (before: {said['before']})",
    "ebb-now-drawback": lambda said: (
        f"A drawback rewritten: {said.text('text', 0)} (before: {said.text('before', 0)})"
    ),
    "ebb-initiative": lambda said: (
        f"Rolled by the house rule: {said['die']} + {said['value']} ({said['attribute']}) = "
        f"{said.number('die') + said.number('value')}"
    ),
    # What a check consists of.
    "ebb-level": "{name} ({value})",
    "ebb-number": "{value}",
    "ebb-main-die-alone": "the main die alone",
    "ebb-ability": _ability,
    "ebb-ability-gone": lambda said: f"{said.text('name', _NAME)}, no longer on the sheet",
    "ebb-ability-disallowed": lambda said: f"{said.text('name', _NAME)}, refused by the GM",
    "ebb-attribute": "{name} {value}",
    "ebb-attribute-disallowed": "{name}, refused by the GM",
    "ebb-attribute-defied": "{name}, because a drawback is defied",
    "ebb-shift-dilemma": _dilemmas,
    "ebb-shift-flaw": _claim("the idea has a flaw"),
    "ebb-shift-superior": _claim("superior equipment"),
    "ebb-shift-missing-tools": _claim("missing tools"),
    "ebb-shift-drawback": _claim("defies a drawback"),
    "ebb-shift-injured": _claim("uses an injured body part"),
    "ebb-shift-bonus": lambda said: f"{signed(said.number('points'))} on the total",
    "ebb-levels-in-points": "each level counts as {points} points on the total here",
    "ebb-specialist": "needs a suitable ability",
    "ebb-urgent": "against time",
    # What came of it.
    "ebb-term-main": "main d10",
    "ebb-term-ability": lambda said: said.text("name", _NAME),
    "ebb-term-attribute": lambda said: said["name"],
    "ebb-term-bonus": "bonus or penalty",
    "ebb-success": "Success",
    "ebb-near-miss": "Near miss",
    "ebb-failure": "Clear failure",
    "ebb-failure-bare": "Failure",
    "ebb-automatic-failure": "Automatic failure: the main die shows 1",
    "ebb-fumble": "Fumble: every die shows 1",
    "ebb-success-by-sacrifice": "Success, only just: a point of {attribute} was given for it",
    "ebb-margin-only": "It succeeds",
    "ebb-extra-results": lambda said: plural(said.number("count"), "extra result"),
    "ebb-missed-by": _missed,
    "ebb-note-complication": "The GM adds a complication.",
    "ebb-note-others": (
        "It had some effect. Somebody else in the party may try it the same way; "
        "whoever failed needs another idea."
    ),
    "ebb-note-different": (
        "This way does not work now. Given time, only a clearly different approach may be tried."
    ),
    "ebb-note-chance-lost": "The chance is lost.",
    "ebb-note-nobody": "Both sides fail: neither gets what it wanted.",
    "ebb-note-complication-other": "The other side fumbles: the GM adds a complication there.",
    "ebb-note-hit-open": "It hits. A flesh wound costs 1 Fitness; otherwise it does its full damage.",
    "ebb-note-full-open": "It hits and does its full damage.",
    "ebb-note-flesh-wound": "It hit, but left only a flesh wound.",
    "ebb-note-in-full": "It hit and did its full damage.",
    "ebb-note-damage": "It hits: the damage effect applies.",
    "ebb-take-flesh-wound": "Only a flesh wound, for 1 Fitness of {fitness}",
    "ebb-take-in-full": "Take it in full",
    "ebb-hit-softened": "only a flesh wound, for 1 point of Fitness; it counts as {left} until it is restored",
    "ebb-hit-only-flesh-wound": "only a flesh wound",
    "ebb-hit-injured": lambda said: f"a new injury, {_injury(said)}",
    "ebb-hit-text": "The injury",
    "ebb-hit-text-hint": "What happened, such as: broken arm",
    "ebb-hit-part": "Part of the body",
    "ebb-hit-part-hint": "Such as: left arm. May stay empty",
    "ebb-hit-severity": "Severity",
    "ebb-hit-severity-hint": "light, serious or severe; empty is light",
    "ebb-heal-rest": "Rest long enough to get every sacrificed point back",
    "ebb-heal-treat": "Treat an injury",
    "ebb-heal-session": "What the end of a session restores",
    "ebb-injury-choice": lambda said: _injury(said),
    "ebb-rested": lambda said: f"restored: {', '.join(said.items('values'))}",
    "ebb-nothing-restored": "nothing was lost, so nothing is restored",
    "ebb-treated": "{text} is treated",
    "ebb-not-treated": "no such untreated injury stands on the sheet, so the GM decides what it does",
    "ebb-note-price": "It costs something: decide which opportunity or resource is lost.",
    "ebb-rerolled": _rerolled,
    "ebb-sacrificed": _sacrificed,
    "ebb-no-spend-certain": "it cannot fail, so nothing need be sacrificed for it",
    "ebb-no-spend-ability": "it needs a suitable ability, and luck does not stand in for one",
    "ebb-no-spend-attribute": "no point is left of the attribute that could be sacrificed",
    "ebb-no-spend-die": "no ability die was rolled, and a Fate point rolls only that again",
    "ebb-no-spend-fate": "no Fate point is left",
    "ebb-odds-plain": "as it is",
    "ebb-odds-fate": lambda said: f"with {plural(said.number('points'), 'Fate point')} for a re-roll",
    "ebb-odds-luck": lambda said: (
        f"sacrificing a point of {said['attribute']}" if "attribute" in said else "sacrificing a point"
    ),
    "ebb-odds-extra": "{count}+ extra",
    "ebb-odds-near-miss": "near miss",
    "ebb-odds-failure": "clear failure",
    "ebb-odds-automatic": "automatic failure",
    "ebb-odds-fumble": "including fumble",
    # Anomalies and artefacts.
    "ebb-anomaly": "An anomaly",
    "ebb-artefact": "An artefact",
    "ebb-property-kind": "**{name}** ({kind})",
    "ebb-property": "**{name}**",
    # The sheet.
    "ebb-unhurt": "unhurt",
    "ebb-hurt": "hurt",
    "ebb-badly-hurt": "badly hurt",
    "ebb-health-injury": lambda said: f"{said.text('text', 0)} ({', '.join(said.items('about'))})",
    "ebb-health-lost": "{name} {value} of {base}",
    "ebb-sheet-concept": _concept,
    "ebb-sheet-renown": lambda said: f"**Renown:** {said.text('text', 0, lines=True)}",
    "ebb-sheet-description": lambda said: said.text("text", 0, lines=True),
    "ebb-sheet-attributes": lambda said: f"**Attributes:** {', '.join(said.items('values'))}",
    "ebb-sheet-abilities": _abilities,
    "ebb-sheet-drawbacks": _bulleted("Drawbacks"),
    "ebb-sheet-fate": lambda said: f"**Fate:** {plural(said.number('points'), 'point')}",
    "ebb-sheet-injuries": _bulleted("Injuries"),
    "ebb-sheet-equipment": _bulleted("Equipment"),
    "ebb-sheet-assets": _bulleted("Assets"),
    "ebb-sheet-scarring": _bulleted("Scars"),
    # Making a character and letting it grow.
    "ebb-step-who": "Who it is",
    "ebb-step-story": "Their story",
    "ebb-step-abilities": "Abilities",
    "ebb-step-drawbacks": "Drawbacks",
    "ebb-step-things": "Things and notes",
    "ebb-field-name": "Name",
    "ebb-field-age": "Age",
    "ebb-field-country": "Country",
    "ebb-field-sex": "Sex",
    "ebb-field-role": "Role",
    "ebb-field-tag": "Tag",
    "ebb-field-group": "Group",
    "ebb-field-renown": "Renown",
    "ebb-field-description": "Description",
    "ebb-field-portrait": "Portrait",
    "ebb-field-abilities": "Abilities",
    "ebb-field-drawbacks": "Drawbacks",
    "ebb-field-equipment": "Equipment",
    "ebb-field-assets": "Assets",
    "ebb-field-scarring": "Scars",
    "ebb-field-notes": "Notes",
    "ebb-hint-age": "In years, or nothing when nobody knows",
    "ebb-hint-role": "Such as scout, medic, trader",
    "ebb-hint-tag": "A call sign or nickname",
    "ebb-hint-group": "Whom the character belongs to",
    "ebb-hint-renown": "What they are known for",
    "ebb-hint-portrait": "The https:// address of a picture",
    "ebb-hint-abilities": "One on a line: Climbing, Fitness, d8. New: 10; one at d4 for each at d8, the rest d6",
    "ebb-hint-drawbacks": "One on a line, one for each ability, such as: Afraid of the dark",
    "ebb-hint-list": "One on a line",
    "ebb-hint-notes": "Only you and the GMs see them",
    "ebb-creation-attributes": lambda said: f"**Attributes:** {', '.join(said.items('values'))}",
    "ebb-creation-abilities": _spread,
    "ebb-learned": lambda said: f"{said.text('name', _NAME)} at {said['die']}, an ability of {said['group']}",
    "ebb-advanced": lambda said: (
        f"{said.text('name', _NAME)} goes from {said['before']} to {said['die']} ({said['title']})"
    ),
    "ebb-fate-paid": lambda said: (
        f"{plural(said.number('cost'), 'Fate point')} spent, {said.number('left') or 'none'} left"
    ),
    "ebb-attribute-moved": _moved,
    "ebb-new-drawback": lambda said: f"New drawback: {said.text('text', 300)}",
    "ebb-advance-choice": lambda said: (
        f"{said.text('name', 70)} {said['before']} -> {said['die']}, {said['cost']} Fate"
    ),
    # Refusals.
    "unreadable-ability": "{quoted} is no ability as it stands there",
    "ability-required": (
        "This task needs a suitable ability, and none counts here. "
        "Propose it with an ability that fits, or let somebody else try."
    ),
    "unknown-ability": lambda said: (
        f"{said.quoted()} is no ability on this sheet."
        + ("" if said.items("nearest") else " /character show lists those there are.")
    ),
    "ambiguous-ability": "{quoted} could be several abilities: {nearest}. Write more of the name.",
    "unknown-entry": "{quoted} is not on that list of the sheet.",
    "ambiguous-entry": "{quoted} could be several: {nearest}. Write more of it, or its number.",
    "duplicate-ability": lambda said: (
        f"the ability {said.quoted()} is on this sheet already"
        + (f" ({said.option('first')})" if "first" in said else "")
    ),
    "no-ability-die": "No ability die was rolled, so there is none to roll again.",
    "nothing-to-reroll": (
        "There is no die to roll again: a Fate point buys that only after the roll "
        "and before the result stands."
    ),
    "not-enough-fate": _too_little_fate,
    "luck-instead-of-roll": (
        "A point can be sacrificed only instead of a roll: after the GM has set a difficulty "
        "and before the dice are thrown."
    ),
    "gm-gives-that": lambda said: (
        f"{said.quoted()} makes it easier, and on the defending side only the GM gives that. "
        f"Possible are {said.either('allowed')}."
    ),
    "nothing-to-treat": "There is no untreated injury. /character show lists the injuries.",
    "unknown-injury": lambda said: (
        f"{said.quoted()} is no untreated injury here." if "value" in said else "Say with `injury` which one."
    ),
    "too-many-injuries": "There are {most} injuries on that sheet, and that is as many as it holds.",
    "nothing-to-sacrifice": (
        "{value} counts as {have} now; it has to be at least {need} to sacrifice a point of it."
    ),
    "which-attribute": "Say which attribute the point is taken from: {allowed}.",
    "other-attribute": "The point has to come from {allowed} here, not from {value}.",
    "highest-die": "An ability has no higher die than {highest}.",
    "die-skipped": "An ability goes up one die at a time: {allowed} comes next, not {value}.",
    "not-a-raise": "An ability at {have} is not raised by {value}.",
    "unknown-generator": "{quoted} cannot be drawn at random. There are: {allowed}.",
    "unknown-severity": lambda said: (
        f"{said.quoted()} is no severity of an injury"
        + ("" if "fix" in said else f". Write {said.either('allowed')}")
    ),
    "die-too-high-for-new": "a new character has no ability at {value}",
    "wrong-number-of-abilities": _wrong_number("ability"),
    "wrong-number-of-drawbacks": _wrong_number("drawback"),
    "more-d8-than-d4": (
        "for each ability raised to d8 another is lowered to d4; now d8 has {d8} and d4 has {d4}"
    ),
    "more-d4-than-d8": (
        "for each ability lowered to d4 another is raised to d8; now d4 has {d4} and d8 has {d8}"
    ),
    "too-many-at-die": lambda said: (
        f"{said.text('value')} abilities are at {said['die']}, and a new character has "
        f"{said['highest']} at most"
    ),
    "attribute-disagrees": "{value} does not agree with the abilities, which make it {need}",
}

_FIXES: Final[dict[str, Template]] = {
    "add-abilities": _count("Add", "ability"),
    "remove-abilities": _count("Take out", "ability"),
    "add-drawbacks": _count("Add", "drawback", ": one for each ability"),
    "remove-drawbacks": _count("Take out", "drawback", ": one for each ability"),
    "lower-to-d4-or-return-d8-to-d6": lambda said: (
        f"Lower {plural(said.number('count'), 'more ability', 'more abilities')} to d4, "
        f"or put {said.number('count')} of those at d8 back to d6"
    ),
    "raise-to-d8-or-return-d4-to-d6": lambda said: (
        f"Raise {plural(said.number('count'), 'more ability', 'more abilities')} to d8, "
        f"or put {said.number('count')} of those at d4 back to d6"
    ),
    "return-to-d6": lambda said: f"Put {said.number('count')} of those at {said['die']} back to d6",
    "years-or-nothing": "Write the years as digits, or leave it empty",
    "write-ability": "Write the ability, its attribute and its die, such as Climbing, Fitness, d8",
    "correct-or-remove": "Write {need}, or leave it out: it is worked out from the abilities",
}


def _faces(dice: list[Die], again: str) -> str:
    if len(dice) == 1:
        return str(dice[0].face)
    shown = dice if len(dice) <= _FACES else [dice[0], *dice[-2:]]
    texts = [str(die.face) if index == 0 else f"{again} {die.face}" for index, die in enumerate(shown)]
    if len(shown) < len(dice):
        texts.insert(1, f"{plural(len(dice) - len(shown), 'throw')} more")
    return ", ".join(texts)


def _dice(view: CheckView) -> tuple[str, ...]:
    """`main d10: 10, again 7`, `Climbing d6: 4`, `Fitness: 2`."""
    main: list[Die] = []
    ability: list[Die] = []
    for die in view.dice:
        if die.name in ("main", "main-again"):
            main.append(die)
        elif die.name in ("ability", "ability-again"):
            ability.append(die)
    found: list[str] = []
    if main:
        found.append(f"main d{main[0].sides}: {_faces(main, 'again')}")
    if ability:
        name = "ability"
        for line in view.traits:
            if line.code == "ebb-ability":
                name = str(line.params["name"])
                break
        found.append(f"{user_text(clip(name, _NAME))} d{ability[0].sides}: {_faces(ability, 'rolled again')}")
    for term in view.terms:
        label = term.label
        if label.code == "ebb-term-attribute":
            found.append(f"{label.params.get('name', 'attribute')}: {term.value}")
        elif label.code == "ebb-term-bonus":
            found.append(f"{'bonus' if term.value > 0 else 'penalty'}: {signed(term.value)}")
    return tuple(found)


_HELP: Final = (
    (
        "The round of a check",
        (
            "1. **Propose.** `/check` says who tries what, with which ability and attribute, and "
            "above all how. "
            "Without an idea there is no roll.",
            "2. **The GM answers:** it succeeds; it succeeds, but roll to see how well; it cannot "
            "work; or roll "
            "against a difficulty, open or hidden. The GM may also ask back.",
            "3. **Roll.** A d10 (a 10 is rolled again and added), plus the attribute, plus the ability die. "
            "The total has to reach the difficulty. Every 3 points above it are an extra result.",
            "4. **Look at it.** Up to 3 points short is a near miss: somebody else may try the same way. "
            "More is a clear failure. A 1 on the main die always fails; ones on all dice are a fumble, "
            "and the GM adds a complication.",
            "5. **React.** Until the result stands, 1 Fate point rolls the ability die again. "
            "Before the roll, "
            "a point of the attribute can be sacrificed instead: then it just succeeds.",
        ),
    ),
    (
        "Attacks, hits and recovery",
        (
            "- `/attack` on an NPC is a check against a difficulty. On another's character both "
            "sides roll: the attack succeeds when its total reaches the other's. There are no levels to shift, "
            "so each counts 3 points on that side's total. A miss loses the chance.",
            "- Whoever is hit chooses: 1 point of Fitness makes it a flesh wound; or the damage is taken in "
            "full, and the GM says what the injury is. For those who do not choose the table has agreed on one "
            "of the two.",
            "- `/heal` rests (if the GM finds the time long enough, every sacrificed point is back) or treats an "
            "injury, which is a roll. The end of a session restores the points as well.",
        ),
    ),
    (
        "Difficulties",
        (
            "Easy 4, Routine 7, Tricky 10, Difficult 13, Very Difficult 16, Near Impossible 19, "
            "Legendary 22, "
            "and 3 more for each level above. A plain number works too.",
            "- 1 level easier for each major dilemma that the idea removes, and for superior equipment; "
            "never below Easy.",
            "- 1 level harder for a flawed idea (2 for a bad flaw), for missing tools (or more), "
            "for using an "
            "injured body part, and for defying a drawback. Whoever defies a drawback adds no attribute.",
            "- The GM decides which of these apply, may refuse an ability or attribute that has "
            "nothing to do "
            "with the idea, may ask for an ability that the task cannot do without, and "
            "may set it against time, when any failure loses the chance.",
        ),
    ),
    (
        "Anomalies and artefacts",
        (
            "`/ebb anomaly` and `/ebb artefact` draw one from the tables: for all to see, for you and the GMs, "
            "or for the GMs alone.",
        ),
    ),
)

WORDS: Final = SystemWords(
    key="ebb",
    prefix="ebb",
    codes=_CODES,
    fixes=_FIXES,
    dice=_dice,
    tones={
        "ebb-success": "good",
        "ebb-success-by-sacrifice": "good",
        "ebb-margin-only": "good",
        "ebb-near-miss": "warning",
        "ebb-failure": "bad",
        "ebb-failure-bare": "bad",
        "ebb-automatic-failure": "bad",
        "ebb-fumble": "bad",
    },
    refused=frozenset({"ebb-ability-disallowed", "ebb-attribute-disallowed", "ebb-attribute-defied"}),
    die_names={
        "first": "first property",
        "first-rare": "first property, rare",
        "second": "second property",
        "second-rare": "second property, rare",
    },
    brief_odds=frozenset({"ebb-odds-extra", "ebb-odds-automatic"}),
    help=_HELP,
)
