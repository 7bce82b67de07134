"""Running effects: how they begin and end, and how time passes for them (MB-SFX-26, MB-SFX-28).

A running effect is counted in seconds. Rounds and the story's clock take them through one function,
`pass_seconds`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import ceil
from typing import Final, NamedTuple

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.checks.action_economy import pace_of
from rules.systems.masterbook.checks.view import facts_lines
from rules.systems.masterbook.effects.access import casting_source, flaw_difficulty
from rules.systems.masterbook.effects.effect_harm import strike_again
from rules.systems.masterbook.effects.effect_settings import world_figures
from rules.systems.masterbook.effects.reports import private_event, report_events, tick_line
from rules.systems.masterbook.effects.state import (
    CharacterEffects,
    EffectTarget,
    RunningEffect,
    ValueChange,
    effects_of,
    find_running,
    running_effects,
    steerer_of,
    with_effects_of,
    with_running,
    without_running,
)
from rules.systems.masterbook.effects.value_changes import effect_value_for, with_changes_on_sheets
from rules.systems.masterbook.formulas.damage import OUT_CONDITIONS, condition
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.effect_values import (
    duration_seconds,
    maintenance_figures,
    rounds_of,
)
from rules.systems.masterbook.formulas.effect_worksheet import Figures, known_figures
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.absence import is_absent, is_away, stand_ins
from rules.table.blocks import EVERYONE, GMS, Audience, Ref, Text
from rules.table.check import Visibility
from rules.table.events import Event, Reported
from rules.table.initiative import encounter_of
from rules.table.outcome import Outcome
from rules.table.system import Game, Tick, TickResult, is_npc

_MINUTE: Final = 60
#: Most strikes of an effect while time passes once. No character survives so many, and the bot must
#: not stand still for years of the story.
_STRIKES_MOST: Final = 100
#: Most characters of a typed name that a refusal repeats.
_QUOTED: Final = 100
#: Command whose buttons steer and maintain effects.
RUNNING_COMMAND: Final = "effect running"


# --- beginning and ending -------------------------------------------------------------------------


def duration_in_seconds(blueprint: Blueprint, extension: int = 0) -> int:
    """Return the seconds of an effect's duration, rounded up, with its extension (MB-SFX-26)."""
    return ceil(duration_seconds(blueprint.duration_value, extension))


def outlasts_action(blueprint: Blueprint, extension: int = 0) -> bool:
    """Return whether an effect goes on after the action that casts it (MB-SFX-26)."""
    return duration_in_seconds(blueprint, extension) >= ROUND_SECONDS


class NewEffect(NamedTuple):
    """Data of an effect that takes hold; fields mean the same as in `RunningEffect`."""

    known: KnownEffect
    caster: str
    effect_value: int
    targets: tuple[EffectTarget, ...]
    changes: tuple[ValueChange, ...] = ()
    extension: int = 0
    #: Whether a charge was released instead of an effect cast.
    charged: bool = False
    #: Whether only the GMs, and its caster's player, know of it.
    secret: bool = False
    blind: bool = False
    #: Steps of the effect value above what the casting came to, or below.
    shift: int = 0
    #: Number that the GM has said resists it; None: a sheet does, or nothing.
    ruled: int | None = None
    wielder: str = ""


def begin_effect(game: Game, new: NewEffect) -> tuple[Game, RunningEffect]:
    """Return the game with an effect that takes hold now, and the effect.

    One that is over with the action is remembered only: others may doubt that it was real
    (MB-SFX-26, MB-SFX-30).
    """
    blueprint = new.known.blueprint
    seconds = duration_in_seconds(blueprint, new.extension)
    number = effects_of(game, new.caster).last_number + 1
    effect = RunningEffect(
        number,
        new.known,
        new.caster,
        new.effect_value,
        new.targets,
        seconds,
        seconds,
        new.changes,
        changes_left=max(0, blueprint.target_changes - 1),
        charged=new.charged,
        extension=new.extension,
        secret=new.secret,
        blind=new.blind,
        shift=new.shift,
        ruled=new.ruled,
        wielder=new.wielder,
    )
    game = with_running(game, effect)
    if not outlasts_action(blueprint, new.extension):
        game = without_running(game, effect)
    return with_changes_on_sheets(game), effect


def end_effect(game: Game, effect: RunningEffect) -> Game:
    """Return the game once an effect is over, and what it changed is as before (MB-SFX-26)."""
    return with_changes_on_sheets(without_running(game, effect))


def without_target(game: Game, effect: RunningEffect, who: str) -> Game:
    """Return the game once a target of an effect is out of its range (MB-SFX-26).

    It ends there, even if the target returns; with its last target the effect is over.
    """
    targets = tuple(target for target in effect.targets if target.who != who)
    changes = tuple(change for change in effect.changes if change.who != who)
    if not targets:
        return end_effect(game, effect)
    game = with_running(game, effect.replace(targets=targets, changes=changes))
    return with_changes_on_sheets(game)


def follow_departures(game: Game, outcome: Outcome) -> Outcome:
    """End the effects of casters who have left the table (MB-SFX-26).

    What they changed is as before. Players who hear of an effect hear of its end.
    """
    gone = game.state.characters.keys() - outcome.state.characters.keys()
    if not gone:
        return outcome
    after, events = game.with_state(outcome.state), list(outcome.events)
    for who in game.state.characters:
        if who not in gone:
            continue
        for effect in effects_of(game, who).running:
            if not effect.lapsing:
                events += _departure_events(game, after, effect)
        after = with_effects_of(after, who, CharacterEffects())
    return Outcome(with_changes_on_sheets(after).state, tuple(events))


def _departure_events(game: Game, after: Game, effect: RunningEffect) -> tuple[Event, ...]:
    """Return the message that an effect ends with its caster; *after* is the game without both."""
    is_hidden = effect.secret or is_npc(game, audience_character(game, effect))
    about = {"name": effect.known.name, "who": target_refs(after, effect)}
    audience = GMS if is_hidden else EVERYONE
    return report_events(after, Text("mb-effect-ended", about), (), audience)


# --- time -----------------------------------------------------------------------------------------


def may_be_maintained(game: Game, effect: RunningEffect) -> bool:
    """Return whether a caster may maintain an effect that runs out now (MB-SFX-28).

    Effects of charges can't be maintained, and an unconscious caster maintains none.
    """
    blueprint = effect.known.blueprint
    out = condition(game.sheet(effect.caster).harm) in OUT_CONDITIONS
    return blueprint.maintenance and not effect.charged and not out


def figures_to_maintain(game: Game, effect: RunningEffect) -> Figures:
    """Return the figures for maintaining an effect (MB-SFX-28).

    They are a third of its difficulty and half of its feedback, then what the world and flaws add.
    """
    blueprint = effect.known.blueprint
    own = known_figures(effect.known, worksheet_rules(game, blueprint.skill))
    own = maintenance_figures(own)
    dn, fv = world_figures(game, own, blueprint.skill, effect.effect_value)
    sheet = game.sheet(effect.caster)
    source = casting_source(game, sheet, blueprint)
    flaw = 0 if source is None else flaw_difficulty(sheet, source)
    return Figures(dn + flaw, fv)


class PassedTime(NamedTuple):
    """An effect after some seconds, and what happened to it meanwhile."""

    effect: RunningEffect
    #: How often it strikes meanwhile, if it strikes every round.
    strikes: int
    #: Whether it has run out.
    over: bool


def pass_seconds(effect: RunningEffect, seconds: int) -> PassedTime:
    """Return an effect after some seconds; many short steps equal one long step.

    The effect lasts as many begun rounds as its seconds make. The round of casting counts as the
    first (MB-SFX-26).
    """
    seconds_left = max(0, effect.seconds_left - seconds)
    strikes = _rounds_to_come(effect.seconds_left) - _rounds_to_come(seconds_left)
    passed = effect.replace(seconds_left=seconds_left, age=effect.age + seconds)
    return PassedTime(passed, strikes, not seconds_left)


def _rounds_to_come(seconds: int) -> int:
    """Return the number of further rounds that begin within *seconds*."""
    return max(0, rounds_of(seconds) - 1)


def rounds_left(effect: RunningEffect) -> int:
    """Return the rounds that an effect still lasts, the present one counted."""
    return rounds_of(effect.seconds_left)


def seconds_of_tick(game: Game, passing: Tick) -> int:
    """Return the seconds of the story that a tick takes: a round, or what the clock was moved."""
    if passing.kind == "time":
        return max(0, passing.minutes) * _MINUTE
    if passing.kind != "round-end":
        return 0
    pace = pace_of(game, passing.place, passing.at)
    return ROUND_SECONDS if pace is None else pace.seconds


def _counts_for(game: Game, passing: Tick, effect: RunningEffect) -> bool:
    """Return whether the time of a tick passes for an effect.

    Rounds count for the characters in them: the steerer, or the first target if the steerer is not.
    """
    if passing.kind == "time":
        return True
    targets = (target.who for target in effect.targets if target.who)
    for who in (steerer_of(game, effect), *targets):
        if encounter_of(game.state, who) is not None:
            return who in passing.who
    return False


def apply_effect_tick(game: Game, passing: Tick) -> TickResult:
    """Let time pass for running effects: they strike, run out, or wait to be maintained."""
    seconds = seconds_of_tick(game, passing)
    lines: list[tuple[str, Text]] = []
    events: list[Event] = []
    if seconds:
        for effect in tuple(running_effects(game)):
            if not _counts_for(game, passing, effect):
                continue
            game, strike_lines, event = _pass_for(game, effect, seconds)
            lines += strike_lines
            if event is not None:
                events.append(event)
        game = _age_past_effects(game, passing, seconds)
    elif passing.kind == "adventure-end":
        game = _forget_past_effects(game, passing.who)
    return TickResult(with_changes_on_sheets(game), tuple(lines), tuple(events))


def _pass_for(
    game: Game, effect: RunningEffect, seconds: int
) -> tuple[Game, list[tuple[str, Text]], Event | None]:
    """Return the game once time has passed for an effect, with its lines and a call to maintain."""
    if effect.lapsing:
        return without_running(game, effect), [], None
    passed = pass_seconds(effect, seconds)
    game = with_running(game, passed.effect)
    lines: list[tuple[str, Text]] = []
    if effect.known.blueprint.every_round and not effect.suspended:
        game, lines = _strike(game, passed.effect, passed.strikes)
    now = find_running(game, effect.caster, effect.number) or passed.effect
    if not passed.over:
        return game, lines, None
    if may_be_maintained(game, now):
        game = with_running(game, now.replace(lapsing=True))
        return game, lines, maintenance_call(game, now)
    ended = Text("mb-effect-ended", {"name": effect.known.name, "who": target_refs(game, effect)})
    over = without_running(game, now)
    if effect.secret:
        event = private_event(game, ended, running_audience(game, effect))
        return over, lines, event
    return over, [*lines, tick_line(game, audience_character(game, effect), ended)], None


def _strike(game: Game, effect: RunningEffect, times: int) -> tuple[Game, list[tuple[str, Text]]]:
    """Return the game once an effect has struck its targets *times* times (MB-SFX-26).

    After `_STRIKES_MOST` of them at once it stops.
    """
    lines: list[tuple[str, Text]] = []
    value = effect_value_for(effect.known.blueprint, effect.effect_value)
    for target in effect.targets:
        if not target.who or target.who in effect.disbelievers:
            continue
        if target.who not in game.state.characters:
            continue
        for _ in range(min(times, _STRIKES_MOST)):
            now = find_running(game, effect.caster, effect.number) or effect
            game, facts = strike_again(game, now, target.who, value)
            if not facts:
                # What leaves a character unhurt, or dead, does so in every later round.
                break
            name = game.character(target.who).name
            # Players see the harm of a secret effect, not what does it.
            called = None if effect.secret else effect.known.name
            about = {"name": name, "facts": facts_lines(facts), "effect": called}
            lines.append((target.who, Text("mb-effect-strikes", about)))
    return game, lines


def _age_past_effects(game: Game, passing: Tick, seconds: int) -> Game:
    """Return the game with effects that are over older by *seconds* (MB-SFX-30)."""
    for who in game.state.characters:
        effects = effects_of(game, who)
        past: list[RunningEffect] = []
        for effect in effects.past:
            if _counts_for(game, passing, effect):
                effect = effect.replace(age=effect.age + seconds)
            past.append(effect)
        if tuple(past) != effects.past:
            game = with_effects_of(game, who, effects.replace(past=tuple(past)))
    return game


def _forget_past_effects(game: Game, characters: Collection[str]) -> Game:
    """Return the game without what is remembered of effects that are over."""
    for who in characters:
        effects: CharacterEffects = effects_of(game, who)
        if effects.past:
            game = with_effects_of(game, who, effects.replace(past=()))
    return game


# --- words ----------------------------------------------------------------------------------------


def audience_character(game: Game, effect: RunningEffect) -> str:
    """Return the character that decides the audience of an effect's messages.

    A target of a player comes first, then a steerer of a player, else the steerer.
    """
    steerer = steerer_of(game, effect)
    targets = (target.who for target in effect.targets if target.who)
    for who in (*targets, steerer):
        if who in game.state.characters and not is_npc(game, who):
            return who
    return steerer


def running_visibility(effect: RunningEffect) -> Visibility:
    """Return the visibility of checks that come from a running effect: as it was cast."""
    if effect.blind:
        return "blind"
    return "private" if effect.secret else "public"


def running_audience(game: Game, effect: RunningEffect) -> Audience:
    """Return the audience of an effect's messages while it runs.

    Of a secret effect only the GMs hear and, unless it was cast blind, the player who steers it.
    """
    if not effect.secret:
        return GMS if is_npc(game, audience_character(game, effect)) else EVERYONE
    steerer = game.state.characters.get(steerer_of(game, effect))
    if effect.blind or steerer is None or steerer.owner is None:
        return GMS
    return Audience(gms=True, people=(steerer.owner,))


def target_refs(game: Game, effect: RunningEffect) -> tuple[Ref, ...] | None:
    """Return the characters that an effect was aimed at; None for an effect without any."""
    targets = [target.who for target in effect.targets if target.who in game.state.characters]
    return tuple(Ref(who) for who in targets) or None


def maintenance_call(game: Game, effect: RunningEffect) -> Reported:
    """Return the event that asks a caster whether to maintain an effect (MB-SFX-28).

    The bot waits for no answer: the effect lapses as the next round ends, or as the clock moves.
    """
    state, caster = game.state, game.character(effect.caster)
    npc = caster.owner is None or effect.blind
    people: tuple[str, ...] = ()
    if caster.owner is not None and not effect.blind:
        people = (caster.owner,)
        if is_away(state, caster.owner, game.at):
            people = stand_ins(state, caster.id, game.at)
    figures = figures_to_maintain(game, effect)
    about = {"name": effect.known.name, "dn": figures.dn, "fv": figures.fv}
    return Reported(
        title=Text("mb-effect-maintain-call", {**about, "who": caster.name}),
        blocks=(),
        by=game.actor.id,
        audience=_call_audience(game, effect, people),
        ping=people,
        ping_gms=npc or is_absent(state, caster.id, game.at),
        button=Text("mb-effect-maintain", about),
        command=RUNNING_COMMAND,
        values={"effect": effect_code(effect), "do": "maintain"},
    )


def _call_audience(game: Game, effect: RunningEffect, called: tuple[str, ...]) -> Audience:
    """Return the audience of the call to maintain an effect; it has the called players in it."""
    if effect.blind or is_npc(game, effect.caster):
        return GMS
    if not effect.secret:
        return EVERYONE
    audience = running_audience(game, effect)
    return audience.replace(people=tuple(dict.fromkeys((*audience.people, *called))))


def effect_code(effect: RunningEffect) -> str:
    """Return the text by which buttons name a running effect: `k2.3`."""
    return f"{effect.caster}.{effect.number}"


def matching_effects(effects: Sequence[RunningEffect], text: str) -> tuple[RunningEffect, ...]:
    """Return the effect with this code, or else those of this name, or whose names begin so.

    Capitals and further spaces do not matter. No effect has an empty text as its beginning.
    """
    for effect in effects:
        if effect_code(effect) == text:
            return (effect,)
    wanted_key = " ".join(text.casefold().split())
    if not wanted_key:
        return ()
    exact = tuple(effect for effect in effects if _match_key(effect) == wanted_key)
    return exact or tuple(effect for effect in effects if _match_key(effect).startswith(wanted_key))


def _match_key(effect: RunningEffect) -> str:
    """Return the name of an effect without what does not matter in it."""
    return " ".join(effect.known.name.casefold().split())


def effect_names(effects: Iterable[RunningEffect]) -> tuple[str, ...]:
    """Return the names of effects, each once, in their order."""
    return tuple(dict.fromkeys(effect.known.name for effect in effects))


def which_effect_error(text: str, names: tuple[str, ...]) -> InvalidInput:
    """Return the error of a text that names no effect, or several of these names."""
    return InvalidInput("mb-effect-which", field="effect", value=text[:_QUOTED], allowed=names)


def change_text(change: ValueChange) -> Text:
    """Return a changed value as lines about an effect have it: `Strength +3`."""
    return Text("mb-effect-by", {"trait": change.trait, "by": change.by})


def duration_text(game: Game, effect: RunningEffect) -> Text:
    """Return the time that an effect has left: in rounds where those are counted."""
    counted = encounter_of(game.state, steerer_of(game, effect)) is not None
    about = {"rounds": rounds_left(effect), "seconds": effect.seconds_left, "counted": counted}
    return Text("mb-effect-left", {**about, "off": effect.suspended, "lapsing": effect.lapsing})
