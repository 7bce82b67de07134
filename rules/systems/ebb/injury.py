"""What a hit does and how one recovers (EBB-INJURY, EBB-ATTACK, EBB-HEAL)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import name_key
from rules.systems.ebb.check import EbbChallenge, EbbCharacter, Tried, verdict
from rules.systems.ebb.gm_tools import session_end
from rules.systems.ebb.health import FITNESS
from rules.systems.ebb.resources import sacrifice
from rules.systems.ebb.sheet import (
    LONGEST_ENTRY,
    MOST_ENTRIES,
    SEVERITIES,
    EbbSheet,
    Injury,
    Severity,
    check_entry,
    effective_attribute,
)
from rules.table.events import Line
from rules.table.system import Choice, HealMethod, HitChoice, TextField

FLESH_WOUND = "flesh-wound"
IN_FULL = "in-full"
REST = "rest"
SESSION_END = "session"
TREAT = "treat"

_CHOICE_MAX = 100
_WORDS = (
    TextField("text", Line("ebb-hit-text"), Line("ebb-hit-text-hint"), long=True, most=LONGEST_ENTRY),
    TextField("part", Line("ebb-hit-part"), Line("ebb-hit-part-hint"), most=LONGEST_ENTRY),
    TextField("severity", Line("ebb-hit-severity"), Line("ebb-hit-severity-hint"), most=20),
)


def succeeded(tried: Tried) -> bool:
    """Whether the goal was reached: by the GM's word, by dice, or by a sacrifice (EBB-ROLL, EBB-OPPOSED)."""
    if tried.answer == "free":
        return True
    if tried.rolled is None:
        return False
    if tried.answer == "margin-only":
        return True
    judgement = verdict(tried)
    return judgement is not None and judgement.success


# --- hits --------------------------------------------------------------------------------------------------


def has_sheet(sheet: EbbSheet) -> bool:
    """Whether somebody has values of their own: NPCs often have not (EBB-ATTACK)."""
    return bool(sheet.abilities)


def hit_choices(target: EbbCharacter) -> tuple[HitChoice, ...]:
    """What a hit may do to somebody (EBB-INJURY): a flesh wound for 1 Fitness, or the damage in full.

    Nothing to choose for an NPC without a sheet: the damage effect applies (EBB-ATTACK).
    """
    in_full = HitChoice(IN_FULL, Line("ebb-take-in-full"), _WORDS)
    if target.owner is None and not has_sheet(target.sheet):
        return ()
    fitness = effective_attribute(target.sheet, FITNESS)
    if fitness < 1:
        return (in_full,)
    return (HitChoice(FLESH_WOUND, Line("ebb-take-flesh-wound", {"fitness": fitness})), in_full)


def default_hit(target: EbbCharacter, *, soften: bool) -> str:
    """What is chosen for somebody who never does: the flesh wound where it can be had, if it is to soften."""
    choices = hit_choices(target)
    return FLESH_WOUND if soften and any(choice.value == FLESH_WOUND for choice in choices) else IN_FULL


def take_hit(
    target: EbbCharacter, challenge: EbbChallenge, choice: str, words: Mapping[str, str]
) -> tuple[EbbCharacter, Line]:
    """Carry the choice out (EBB-INJURY).

    `words` are the GM's `text`, `part` and `severity`; without a text the weapon stands for it. Impossible
    ("nothing-to-sacrifice", "too-many-injuries"), InvalidInput("unknown-severity") and as `check_entry`.
    """
    sheet = target.sheet
    if choice == FLESH_WOUND:
        paid = sacrifice(sheet, FITNESS)
        line = Line("ebb-hit-softened", {"left": effective_attribute(paid, FITNESS)})
        if target.owner is None:  # how much is left to NPCs is not for the players
            line = Line("ebb-hit-only-flesh-wound")
        return replace(target, sheet=paid), line
    changed, injury = injured(sheet, challenge.tool, words)
    line = Line("ebb-hit-injured", {"text": injury.text, "part": injury.part, "severity": injury.severity})
    return replace(target, sheet=changed), line


def injured(sheet: EbbSheet, tool: str, words: Mapping[str, str]) -> tuple[EbbSheet, Injury]:
    """The sheet with the injury that a GM's words make, or the `tool` without them. Raises as `take_hit`."""
    text, part = words.get("text", "").strip(), words.get("part", "").strip()
    text = text or tool or "injury"
    check_entry("text", text)
    if part:
        check_entry("part", part)
    severity = find_severity(words.get("severity", ""))
    if len(sheet.injuries) >= MOST_ENTRIES:
        raise Impossible("too-many-injuries", most=MOST_ENTRIES)
    injury = Injury(text, part, severity)
    return replace(sheet, injuries=(*sheet.injuries, injury)), injury


def find_severity(text: str) -> Severity:
    """How bad it is, by the beginning of the word; light where nothing is said. InvalidInput("unknown-severity")."""
    wanted = name_key(text)
    if not wanted:
        return "light"
    for severity in SEVERITIES:
        if severity.startswith(wanted) and (severity == wanted or wanted not in ("s", "se")):
            return severity
    raise InvalidInput("unknown-severity", field="severity", value=text[:60], allowed=SEVERITIES)


def hit_notes(challenge: EbbChallenge) -> tuple[Line, ...]:
    """Where things stand after a hit, for everybody (EBB-INJURY)."""
    if challenge.kind != "attack" or challenge.status not in ("hit", "settled") or not succeeded(challenge):
        return ()
    if challenge.status == "hit":
        return (Line("ebb-note-full-open" if challenge.choice else "ebb-note-hit-open"),)
    if challenge.choice == FLESH_WOUND:
        return (Line("ebb-note-flesh-wound"),)
    return (Line("ebb-note-in-full" if challenge.choice else "ebb-note-damage"),)


# --- recovery ----------------------------------------------------------------------------------------------


def heal_methods() -> tuple[HealMethod, ...]:
    """The ways to recover (EBB-HEAL)."""
    return (
        HealMethod(REST, "rest", Line("ebb-heal-rest")),
        HealMethod(TREAT, "treat", Line("ebb-heal-treat")),
        HealMethod(SESSION_END, "rest", Line("ebb-heal-session"), gm=True),
    )


def injuries(target: EbbCharacter) -> tuple[Choice, ...]:
    """Injuries that can be treated, by the beginning of their texts."""
    return tuple(
        Choice(
            injury.text[:_CHOICE_MAX],
            Line(
                "ebb-injury-choice", {"text": injury.text, "part": injury.part, "severity": injury.severity}
            ),
        )
        for injury in target.sheet.injuries
        if not injury.treated
    )


def _untreated(sheet: EbbSheet, text: str) -> int | None:
    """The index of the untreated injury that is meant: by its text or the beginning of it, or the only one."""
    open_ = [index for index, injury in enumerate(sheet.injuries) if not injury.treated]
    wanted = name_key(text)
    if not wanted:
        return open_[0] if len(open_) == 1 else None
    keys = {index: name_key(sheet.injuries[index].text) for index in open_}
    exact = [index for index in open_ if keys[index] == wanted]
    begun = [index for index in open_ if keys[index].startswith(wanted)]
    if exact:
        return exact[0]
    return begun[0] if begun and len({keys[index] for index in begun}) == 1 else None


def find_injury(target: EbbCharacter, text: str) -> str:
    """The text of the untreated injury that is meant, the only one if nothing is said (EBB-HEAL).

    Impossible("nothing-to-treat") where there is none, NotFound("unknown-injury") with those there are.
    """
    known = tuple(choice.value for choice in injuries(target))
    if not known:
        raise Impossible("nothing-to-treat")
    index = _untreated(target.sheet, text)
    if index is None:
        raise NotFound("unknown-injury", field="injury", value=text[:_CHOICE_MAX] or None, nearest=known)
    return target.sheet.injuries[index].text[:_CHOICE_MAX]


def healed(challenge: EbbChallenge, target: EbbCharacter) -> tuple[EbbCharacter, tuple[Line, ...]] | None:
    """What rest or a treatment that worked does to somebody (EBB-HEAL); None when it did not work."""
    if not succeeded(challenge):
        return None
    if challenge.kind == "rest":
        sheet, lines = session_end(target.name, target.sheet)
        back = tuple(Line("ebb-rested", {"values": line.params["values"]}) for line in lines)
        return (replace(target, sheet=sheet) if lines else target), back or (Line("ebb-nothing-restored"),)
    sheet, text = treated(target.sheet, challenge.tool)
    if text is None:
        return target, (Line("ebb-not-treated"),)
    return replace(target, sheet=sheet), (Line("ebb-treated", {"text": text}),)


def treated(sheet: EbbSheet, tool: str) -> tuple[EbbSheet, str | None]:
    """The sheet with the injury that is meant treated, and its text; None where there is no such injury."""
    index = _untreated(sheet, tool)
    if index is None:
        return sheet, None
    entries = list(sheet.injuries)
    entries[index] = replace(entries[index], treated=True)
    return replace(sheet, injuries=tuple(entries)), entries[index].text
