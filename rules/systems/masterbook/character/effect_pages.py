"""The step of creation in which a character gets special effects (MB-SFX-12, MB-BG-31)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from rules.systems.masterbook.character.casting_skills import casting_skills, opened_skills
from rules.systems.masterbook.character.drafts import drafted_sheet
from rules.systems.masterbook.character.effect_drafts import (
    blueprint_draft,
    blueprint_from,
    read_draft,
)
from rules.systems.masterbook.character.effect_forms import effect_form
from rules.systems.masterbook.character.effect_io import (
    drafted_effect,
    effect_line,
    library_effects,
    write_effect,
)
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.effect_sheet import stat_block
from rules.systems.masterbook.character.effect_workbench import Workbench
from rules.systems.masterbook.character.sheet import skills_with_adds
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.effect_worksheet import learning_limit, work_out
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import EntryStart
from rules.table.forms.fields import Flag, FormContext
from rules.table.forms.form import Form
from rules.table.system import Game

#: Key in an entry's draft: state of the effect on the sheet. No field has it.
_KNOWN: Final = "known"
#: Key in an entry's draft: line of an effect whose figures a GM gave. No field has it.
_GIVEN: Final = "given"
#: Key of the field for the free effect of Special Effects.
_FREE: Final = "free"
#: Most effects of the library that a menu offers, beside a new one.
_MOST_OFFERED: Final = 24


def has_effects_step(game: Game, draft: Mapping[str, Any]) -> bool:
    """Return whether a draft has a skill of effects, or effects already."""
    return bool(draft.get("effects") or casting_skills(game, drafted_sheet(game, draft)))


def _bench(asking: FormContext) -> Workbench:
    game: Game = asking.game
    sheet = drafted_sheet(game, asking.around)
    values = casting_skills(game, sheet) or dict.fromkeys(EFFECT_SKILLS, 0)
    skills = tuple(values.items())
    known = tuple(skill.title for skill in skills_with_adds(sheet))
    rules = partial(worksheet_rules, game)
    return Workbench(rules, skills, known, gives_bonus=not game.state.settings.approve)


def effect_starts(asking: FormContext) -> Iterable[EntryStart]:
    """Yield the ways to begin an effect: a new one, or a copy of one of the library.

    Copies are offered of effects that the character's skills cast.
    """
    game: Game = asking.game
    yield Text("mb-effect-new"), {}
    skills = casting_skills(game, drafted_sheet(game, asking.values))
    offered = 0
    for blueprint in library_effects(game.campaign):
        fits = blueprint.skill in skills and blueprint.given is None
        if fits and offered < _MOST_OFFERED:
            offered += 1
            label = Text("mb-effect-copy", {"name": blueprint.name, "skill": blueprint.skill})
            yield label, blueprint_draft(blueprint)


def entry_form(asking: FormContext, draft: Values) -> Form:
    """Return the form of one effect. One whose figures a GM gave can only be removed."""
    if draft.get(_GIVEN):
        return Form()
    bench = _bench(asking)
    form = effect_form(bench, draft)
    blueprint, _ = read_draft(draft, bench)
    if blueprint.skill not in opened_skills(drafted_sheet(asking.game, asking.around)):
        return form
    free = Flag(_FREE, title=Text("mb-effect-free"), label=Text("mb-effect-free-label"))
    return form.replace(fields=(*form.fields, free))


def entry_draft(asking: FormContext, line: str) -> dict[str, Any]:
    """Return the draft of an entry, given its line."""
    known = drafted_effect(line, asking.game.campaign)
    if known is None:
        return {}
    if known.blueprint.given is not None:
        return {_GIVEN: line}
    state = write_effect(known)
    del state["blueprint"]
    free = {_FREE: True} if state.pop(_FREE, False) else {}
    return {**blueprint_draft(known.blueprint), **free, _KNOWN: state}


def entry_line(asking: FormContext, draft: Values) -> str:
    """Return the line of an entry, given its draft."""
    if draft.get(_GIVEN):
        return str(draft[_GIVEN])
    blueprint, _ = read_draft(draft, _bench(asking))
    row = write_effect(KnownEffect(blueprint))
    state: Mapping[str, Any] = draft.get(_KNOWN) or {}
    if draft.get(_FREE):
        row["free"] = True
    return effect_line({**row, **state})


def effect_words(asking: FormContext, lines: Sequence[str]) -> Iterator[Text | None]:
    """Yield the name and figures of each effect; None for a line that can't be read."""
    game: Game = asking.game
    for line in lines:
        known = drafted_effect(line, game.campaign)
        yield None if known is None else effect_choice(game, known.blueprint, free=known.free)


def effect_choice(game: Game, blueprint: Blueprint, *, free: bool = False) -> Text:
    """Return an effect with its figures in few words."""
    rules = worksheet_rules(game, blueprint.skill)
    sheet = work_out(blueprint, rules)
    about = {"name": blueprint.name, "dn": sheet.dn, "fv": sheet.fv, "free": free}
    return Text("mb-effect-entry", about)


def effect_preview(asking: FormContext) -> Iterable[Text]:
    """Return the stat block of an effect while it is filled in."""
    if not {"name", "skill"} <= asking.values.keys():
        return ()
    bench = _bench(asking)
    blueprint = blueprint_from(asking.values, bench)
    return stat_block(blueprint, bench.rules_of(blueprint))


def effects_lines(game: Game, draft: Mapping[str, Any]) -> tuple[Text, ...]:
    """Return the limits of learned effects by skill, and the skills with a free one (MB-SFX-13)."""
    sheet = drafted_sheet(game, draft)
    points_each = game.setting("effect_skill_points_each")
    lines: list[Text] = []
    for name, value in casting_skills(game, sheet).items():
        shown = {"skill": name, "most": learning_limit(value, points_each)}
        lines.append(Text("mb-effect-limit-line", shown))
    free = opened_skills(sheet)
    if free:
        lines.append(Text("mb-effect-free-line", {"skills": free}))
    lines.append(Text("mb-effect-later-line", {"cost": game.setting("effect_learning_cost")}))
    return tuple(lines)
