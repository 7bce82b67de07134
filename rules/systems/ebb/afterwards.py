"""Offers on checks that are over (EBB-INJURY, EBB-HEAL, EBB-FAIL).

A GM or player can change or reword a hit, treat another injury, or add a fumble's complication.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.systems.ebb.attack import (
    FLESH_WOUND,
    IN_FULL,
    INJURY_FORM,
    apply_hit,
    hit_options,
    in_words,
)
from rules.systems.ebb.healing import treat_injury, untreated_injuries
from rules.systems.ebb.procedure import AnyAttempt, Attempt
from rules.systems.ebb.resources import ATTRIBUTE_RESOURCES
from rules.systems.ebb.sheet import (
    FITNESS,
    EbbSheet,
    Injury,
    effective_attributes,
    injury_line,
)
from rules.table.blocks import GMS_ONLY, Text
from rules.table.check import Choice, Prompt, Viewers
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import NOTE_MAX
from rules.table.forms.fields import Typed
from rules.table.forms.form import Form
from rules.table.gm_values import replace_entry
from rules.table.system import Game, is_npc
from rules.table.times.rest import end_time

#: Labels of the buttons on the message of a hit.
_CHANGE: Final = Text("answer-change-hit")
_REWORD: Final = Text("answer-words")
#: Label of the option that keeps a GM's words for the injury of a player's character.
_SAVE: Final = Text("answer-save-injury")
#: Option that reveals a hit on an NPC to all players as it is.
_KEEP: Final = "keep"
#: Form and option for a fumble's complication.
COMPLICATION_FORM: Final = Form.of(
    Typed("text", needed=True, most=NOTE_MAX, long=True, title=Text("ebb-complication"))
)
_COMPLICATION: Final = CheckOption(
    "complication", Text("answer-complication"), COMPLICATION_FORM, written=True
)


class Afterwards(Stage[Attempt]):
    """Last stage: offers that change or add to a check that is over. It waits for no one."""

    name = "afterwards"

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        prompts: list[Prompt] = []
        blind = check.visibility == "blind"
        if check.data.has_fumble and not check.data.complication:
            prompts.append(
                Prompt(
                    "complication",
                    wait=None,
                    calls=True,
                    visible_to=GMS_ONLY if blind else None,
                    button="answer-complication",
                )
            )
        if check.kind == "attack" and check.data.choice:
            prompts += _hit_prompts(game, check, (check.target or "",) if blind else None)
        target = check.target or ""
        if check.data.treated is not None and untreated_injuries(game.sheet(target)):
            gms = Prompt("for-them", wait=None, visible_to=GMS_ONLY if blind else None)
            mine = Prompt("injury", (target,), wait=None, button="answer-injury")
            prompts += [gms] if blind or is_npc(game, target) else [mine, gms]
        return tuple(prompts)

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt == "complication":
            return (_COMPLICATION,)
        if check.target not in game.state.characters:
            return ()
        if prompt == "words":
            return _word_options(game, check)
        if prompt == "hit":
            flesh, *_ = hit_options(game, check)
            return (flesh,) if _may_soften(game, check) else ()
        return _injury_options(game, check)

    def choose(self, game: Game, check: AnyAttempt, choice: Choice, /) -> StageResult[Attempt]:
        if choice.prompt == "complication":
            text = choice.values["text"].strip()
            data = check.data.replace(complication=text, complication_by=game.actor.id)
            return StageResult(game.state, data)
        if choice.option == _KEEP:
            return StageResult(game.state, check.data.replace(veiled=False))
        if choice.prompt in ("words", "hit"):
            return apply_hit(_without_harm(game, check), check, choice.option, choice.values)
        return _treat_another(game, check, int(choice.option.partition(":")[0]))


def _hit_prompts(game: Game, check: AnyAttempt, seen: Viewers) -> list[Prompt]:
    """Return the offers to change a hit: the GMs', and the player's until the injury is reworded.

    *seen* are the characters who may know of the offers; None for all.
    """
    target = check.target or ""
    gms = Prompt("words", wait=None, visible_to=seen, about=target)
    if is_npc(game, target):
        return [gms.replace(button=_CHANGE.code)]
    if check.data.choice != IN_FULL:
        return []
    prompts = [gms.replace(button=_REWORD.code)]
    if _may_soften(game, check):
        prompts.append(Prompt("hit", (target,), None, visible_to=seen, button="answer-soften-hit"))
    return prompts


def _written_index(sheet: EbbSheet, injury: Injury | None) -> int | None:
    """Return the sheet's index of an injury that a check wrote; None if it has changed or gone."""
    indexes = [index for index, other in enumerate(sheet.injuries) if other == injury]
    return indexes[-1] if indexes else None


def _is_harm_there(game: Game, check: AnyAttempt) -> bool:
    """Return whether the target's sheet still has the injury or flesh wound of the hit."""
    sheet, data = game.sheet(check.target or ""), check.data
    if data.choice == FLESH_WOUND:
        return dict(sheet.sacrificed).get(FITNESS, 0) > 0
    # The sheet had no room for the injury: it can be written later.
    return data.injury is None or _written_index(sheet, data.injury) is not None


def _may_soften(game: Game, check: AnyAttempt) -> bool:
    """Return whether a player can still take a flesh wound instead of the weapon's injury.

    That ends with the time to step in, which doesn't run while the table rests or is paused.
    """
    settings, data = game.state.settings, check.data
    begin, pause = check.stage_started_at + check.put_off, settings.pause
    now = game.at if pause is None else max(pause.since, check.stage_started_at)
    late = now >= end_time(settings.rest, begin, settings.step_in_time)
    if late or not settings.step_in_late or data.injury != Injury(data.tool or "injury"):
        return False
    return _is_harm_there(game, check) and len(hit_options(game, check)) > 1


def _word_options(game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
    """Return a GM's options for a hit: other words, and for an NPC another kind of harm."""
    if not _is_harm_there(game, check):
        return ()
    data, choices = check.data, hit_options(game, check)
    values = {} if data.injury is None else INJURY_FORM.changed_values(data.injury)
    full = in_words(choices[-1]).replace(values=values)
    if not is_npc(game, check.target):
        return (full.replace(label=_SAVE, short=_SAVE),)
    others = choices[:-1] if data.choice == IN_FULL else ()
    return (*_keep_options(game, check), full, *others)


def _keep_options(game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
    """Return the option that reveals an NPC's harm to all players; none if they know it."""
    data = check.data
    if not data.veiled:
        return ()
    injury = None if data.injury is None else injury_line(data.injury, whole=False)
    fitness = effective_attributes(game.sheet(check.target or ""))[FITNESS]
    left = fitness if data.choice == FLESH_WOUND else None
    label = Text("ebb-keep-hit", {"injury": injury, "left": left})
    return (CheckOption(_KEEP, label, short=Text("ebb-kept-hit")),)


def _without_harm(game: Game, check: AnyAttempt) -> Game:
    """Return the game without the injury or flesh wound that the hit has caused so far."""
    target, data = check.target or "", check.data
    sheet: EbbSheet = game.sheet(target)
    if data.choice == FLESH_WOUND:
        fitness = ATTRIBUTE_RESOURCES[FITNESS]
        return game.with_sheet(target, fitness.with_value(sheet, fitness.of(sheet) + 1))
    index = _written_index(sheet, data.injury)
    if index is None:
        return game
    return game.with_sheet(target, sheet.replace(injuries=replace_entry(sheet.injuries, index)))


def _injury_options(game: Game, check: AnyAttempt) -> tuple[CheckOption, ...]:
    """Return an option for each injury that can be treated instead of the worst one (EBB-HEAL)."""
    sheet = game.sheet(check.target or "")
    if _written_index(sheet, check.data.treated) is None:
        return ()
    # The value has the injury's beginning too, so that an old panel can't mean another injury.
    return tuple(
        CheckOption(f"{index}:{injury.text[:100]}", injury_line(injury, whole=False))
        for index, injury in untreated_injuries(sheet).items()
    )


def _treat_another(game: Game, check: AnyAttempt, index: int) -> StageResult[Attempt]:
    """Treat the injury at an index instead of the one that was treated as the worst."""
    target, treated = check.target or "", check.data.treated
    sheet: EbbSheet = game.sheet(target)
    was = _written_index(sheet, treated)
    if was is not None and treated is not None:
        again = replace_entry(sheet.injuries, was, treated.replace(treated=False))
        game = game.with_sheet(target, sheet.replace(injuries=again))
    result = treat_injury(game, check, index)
    instead = sheet.injuries[index].replace(treated=True)
    data = result.data.replace(treated=instead, veiled=False)
    return result.replace(data=data, said=result.data.consequences)
