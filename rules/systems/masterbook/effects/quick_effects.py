"""Quick effects and artifacts: effects with figures of the GM (MB-SFX-15, MB-SFX-90)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, Final

from rules.core.name_matching import clean_name
from rules.systems.masterbook.character.effect_io import TEXTS_MOST
from rules.systems.masterbook.character.effect_measures import Measure
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.effect_sheet import stat_block
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.sheet_view import effect_text
from rules.systems.masterbook.effects import consent
from rules.systems.masterbook.effects.known_effects import (
    WHO_FIELD,
    owner_of,
)
from rules.systems.masterbook.effects.library import share_report, with_library_effect
from rules.systems.masterbook.effects.sheet_effects import require_sound_worksheet, with_effect
from rules.systems.masterbook.formulas.effect_blueprint import (
    BLUEPRINT_BOUNDS,
    Blueprint,
    GivenFigures,
    KnownEffect,
)
from rules.systems.masterbook.formulas.effect_findings import quick_totals
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Values
from rules.table.commands import (
    CommandAction,
    CommandForm,
    CommandResult,
)
from rules.table.events import Reported
from rules.table.forms.fields import Flag, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.outcome import Outcome
from rules.table.people.characters import owner_audience
from rules.table.permissions import require_gm
from rules.table.system import Game


class GiveEffect(Action, kw_only=True):
    """Put an effect with a GM's own figures on a sheet, or into the campaign's library."""

    blueprint: Blueprint
    #: Character who gets it; empty: the library.
    character: str = ""


def give_effect(game: Game, action: GiveEffect) -> Outcome:
    """Give a GM's effect to a character, who has learned it, or to the campaign (MB-SFX-15, -90).

    Raises NotPermitted("gm-only"), and as `_after_giving`.
    """
    require_gm(game.state, action.who)
    blueprint = action.blueprint
    after = _after_giving(game, blueprint, action.character)
    if not action.character:
        return share_report(after, blueprint)
    who = game.character(action.character)
    known = KnownEffect(blueprint, learned=True, approved=True)
    title = Text("mb-effect-given-to", {"who": ref(who), "effect": blueprint.name})
    note = Note(effect_text(after, known, who.id), FOR_EVERYONE)
    event = Reported(audience=owner_audience(who), title=title, blocks=(note,), by=game.actor.id)
    return Outcome(after.state, (event,))


def _after_giving(game: Game, blueprint: Blueprint, character: str) -> Game:
    """Return the game after an effect was given to a character, or to the library (MB-SFX-90).

    A learned effect of the character stays; one that a GM gave before is replaced.

    Raises Impossible("mb-effect-library-full"), and as `require_sound_worksheet` and `with_effect`.
    """
    require_sound_worksheet(game, blueprint)
    if not character:
        return with_library_effect(game, blueprint)
    known = KnownEffect(blueprint, learned=True, approved=True)
    sheet = with_effect(game.character(character), known, replaces_quick=True)
    return game.with_sheet(character, sheet)


# --- the form -------------------------------------------------------------------------------------


def _label(what: str) -> Text:
    return Text("mb-effect-quick-form", {"what": what})


def _value(key: str, kind: Any, **more: Any) -> Measure:
    low, high = BLUEPRINT_BOUNDS[key]
    title = _label(key)
    return Measure(key, title=title, low=low, high=high, measures=kind, **more)


def _figure(key: str) -> Number:
    low, high = BLUEPRINT_BOUNDS[key]
    return Number(key, title=_label(key), low=low, high=high, needed=True)


def _long(key: str) -> Typed:
    most = TEXTS_MOST[key]
    return Typed(key, title=_label(key), most=most, blank=True, long=key == "description")


_QUICK: Final = Form(
    (
        Typed("name", title=_label("name"), most=TEXTS_MOST["name"], needed=True, read=clean_name),
        Pick("skill", title=_label("skill"), choices=plain_options(EFFECT_SKILLS), needed=True),
        Number(
            "effect_value",
            title=_label("effect_value"),
            high=BLUEPRINT_BOUNDS["effect_value"][1],
            needed=True,
        ),
        _figure("dn"),
        _figure("fv"),
        _long("summary"),
        _value("range_value", "distance"),
        _value("speed_value", "speed"),
        _value("duration_value", "time"),
        _value("cast_time_value", "time", mode="down"),
        Flag("artifact", title=_label("artifact"), label=_label("artifact-on")),
        _long("description"),
    )
)


def _quick_blueprint(values: Values) -> Blueprint:
    """Return the blueprint of the form's values."""
    plain: dict[str, Any] = {
        key: value for key, value in values.items() if key in Blueprint.__struct_fields__
    }
    plain["given"] = GivenFigures(values["dn"], values["fv"], bool(values.get("artifact")))
    return Blueprint(**plain)


def _quick(game: Game, command_values: Values) -> CommandResult:
    """Open the form of a quick effect or an artifact; by a button settle how feedback is read.

    Raises NotPermitted("gm-only"), and as `find_known`.
    """
    require_gm(game.state, game.actor)
    if consent.FEEDBACK_FIELD.key in command_values:
        return consent.CHOOSE_FEEDBACK.run(game, command_values)
    who = owner_of(game, command_values["character"]) if command_values.get("character") else None

    def action(values: Values) -> CommandAction:
        blueprint = _quick_blueprint(values)
        character = "" if who is None else who.id
        _after_giving(game, blueprint, character)
        return CommandAction(GiveEffect, {"blueprint": blueprint, "character": character})

    name = None if who is None else who.name
    return CommandForm(
        lambda draft: _QUICK,
        Text("mb-effect-quick", {"name": name}),
        Text("mb-effect-quick-give", {"name": name}),
        action,
        shows=partial(_quick_lines, game),
    )


def _quick_lines(game: Game, values: Values) -> Iterator[Text]:
    """Yield the bounds of a quick effect's figures, and its stat block (MB-SFX-90)."""
    blueprint = _quick_blueprint(values)
    if not values.get("artifact"):
        low, high = quick_totals(blueprint)
        yield Text("mb-effect-quick-bounds", {"low": low, "high": high})
    yield from stat_block(blueprint, worksheet_rules(game, blueprint.skill))


COMMANDS: Final = (
    command(
        consent.FEEDBACK_COMMAND,
        _quick,
        WHO_FIELD,
        pressed=Form((consent.FEEDBACK_FIELD,)),
        waits=consent.feedback_choices,
    ),
)
#: Actions that no command names: a form sends them.
ACTIONS: Final = {GiveEffect: give_effect}
