"""`/effect running`, `/effect steer`, `/effect end`: effects that run (MB-SFX-26, MB-SFX-33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import require_awake
from rules.systems.masterbook.effects.cast_declaration import require_reach
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import carrying_speed_of, speed_meters
from rules.systems.masterbook.effects.maintenance import EXTENSION
from rules.systems.masterbook.effects.maintenance import KIND as MAINTAIN_KIND
from rules.systems.masterbook.effects.reports import report_events
from rules.systems.masterbook.effects.running import (
    RUNNING_COMMAND,
    effect_code,
    end_effect,
    figures_to_maintain,
    may_be_maintained,
    running_audience,
    running_visibility,
    target_refs,
    without_target,
)
from rules.systems.masterbook.effects.running_list import (
    charge_lines,
    felt_effects,
    felt_line,
    find_steerable,
    running_line,
    steerable_effects,
)
from rules.systems.masterbook.effects.state import (
    EffectTarget,
    RunningEffect,
    steerer_of,
    with_running,
)
from rules.systems.masterbook.effects.strike_state import EffectStart
from rules.systems.masterbook.effects.taking_hold import roller_of, start_effect
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.effects.variable_values import choose_value, is_variable, running_band
from rules.systems.masterbook.formulas.effect_costs import speed_of
from rules.systems.masterbook.formulas.effect_values import stays_with
from rules.table.actions import Action, Begin
from rules.table.blocks import (
    FOR_EVERYONE,
    Block,
    Note,
    Text,
)
from rules.table.check import Values
from rules.table.commands import (
    CheckStart,
    CommandAction,
    CommandForm,
    CommandResult,
    CommandView,
    PendingButton,
    known_character_options,
)
from rules.table.deeds import Deed
from rules.table.forms.fields import FormContext, Number, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.system import Game, is_npc

#: Ways to steer a running effect.
OFF, ON, TARGET, MOVE, MAINTAIN, END = "off", "on", "target", "move", "maintain", "end"
#: Way to choose its effect value anew.
VALUE: Final = "value"
#: Way to note the distance of its target.
RANGE: Final = "range"
_WAYS: Final = (OFF, ON, TARGET, MOVE, VALUE, MAINTAIN, END)
_TEXT_MOST: Final = 100
_FARTHEST: Final = 10_000
_VALUE_MOST: Final = 1000
#: Most effect values, or points, that a menu offers.
_OFFERED_MOST: Final = 25


def _effect_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects that a participant steers, for completion."""
    game = asking.game
    if game is None:
        return ()
    effects = steerable_effects(game)
    return tuple(Option(effect_code(effect), running_line(game, effect)) for effect in effects)


# --- what may be done -----------------------------------------------------------------------------


def ways_for(game: Game, effect: RunningEffect) -> tuple[str, ...]:
    """Return the ways to steer an effect now (MB-SFX-28, MB-SFX-33)."""
    ways: list[str] = []
    if not effect.lapsing:
        ways += _steering_ways(effect)
    elif may_be_maintained(game, effect):
        ways.append(MAINTAIN)
    if is_gm(game.state, game.actor):
        ways.append(END)
    return tuple(ways)


def _steering_ways(effect: RunningEffect) -> Iterator[str]:
    """Yield the ways to steer an effect while its time lasts (MB-SFX-33)."""
    blueprint = effect.known.blueprint
    if blueprint.switch != "none" and not effect.suspended:
        yield OFF
    if effect.suspended:
        yield ON
    if effect.changes_left:
        yield TARGET
    if blueprint.movement:
        yield MOVE
    if is_variable(effect):
        yield VALUE


def require_way(game: Game, effect: RunningEffect, way: str) -> None:
    """Raise Impossible("mb-effect-cannot") for what can't be done with an effect now."""
    ways = ways_for(game, effect)
    if way not in ways:
        raise Impossible("mb-effect-cannot", name=effect.known.name, way=way, allowed=ways or None)


class SteerEffect(Action, kw_only=True):
    """Do something with an effect that runs."""

    #: Code or name of the effect.
    effect: str
    do: Literal["off", "on", "target", "move", "value", "maintain", "end", "range"]
    target: str = ""
    meters: int | None = None
    #: New effect value.
    value: int | None = None


class EndEffect(Action, kw_only=True):
    """End an effect, for a GM."""

    effect: str
    #: Target that is out of range; empty for all.
    target: str = ""


def steer(game: Game, action: SteerEffect) -> Outcome:
    """Switch an effect off or on, move it, send it to another target, or choose its value anew.

    Only a GM's end and a distance don't take a steerer who is awake. Raises as `find_steerable`,
    `require_way`, `require_awake`, `_note_distance`, `_move`, `_send_to_new_target` and
    `choose_value`.
    """
    effect = find_steerable(game, action.effect)
    if action.do == RANGE:
        return _note_distance(game, effect, action)
    require_way(game, effect, action.do)
    if action.do == END:
        return _end(game, effect)
    require_awake(game, steerer_of(game, effect))
    if action.do == OFF:
        if effect.known.blueprint.switch == "off":
            return _end(game, effect)
        return _switch(game, effect, suspended=True)
    if action.do == ON:
        return _switch(game, effect, suspended=False)
    if action.do == MOVE:
        return _move(game, effect, action.meters)
    if action.do == VALUE:
        return _choose_value(game, effect, action.value)
    return _send_to_new_target(game, effect, action)


def _switch(game: Game, effect: RunningEffect, *, suspended: bool) -> Outcome:
    """Suspend an effect, or let it work again; its time runs on (MB-SFX-S11)."""
    effect = effect.replace(suspended=suspended)
    game = with_changes_on_sheets(with_running(game, effect))
    about = {"name": effect.known.name, "who": target_refs(game, effect), "off": suspended}
    return _report(game, effect, Text("mb-effect-switched", about))


def _end(game: Game, effect: RunningEffect, *, far: bool = False) -> Outcome:
    """End an effect for good."""
    about = {"name": effect.known.name, "who": target_refs(game, effect), "far": far}
    return _report(end_effect(game, effect), effect, Text("mb-effect-ended", about))


def _report(game: Game, effect: RunningEffect, title: Text, *blocks: Block) -> Outcome:
    """Return the game with a message; players hear of effects on or by their characters."""
    audience = running_audience(game, effect)
    return Outcome(game.state, report_events(game, title, blocks, audience))


def _move(game: Game, effect: RunningEffect, meters: int | None) -> Outcome:
    """Move an effect, or what it carries, within its range (MB-SFX-33).

    What it carries moves as fast as its mass allows, everything else at the effect's own speed.
    Raises Impossible("mb-cast-out-of-range").
    """
    if meters is not None:
        require_reach(game, effect.known.blueprint, _at(effect.targets[:1], meters))
        game = with_running(game, effect.replace(targets=_at(effect.targets, meters)))
    blueprint = effect.known.blueprint
    about: dict[str, Any] = {
        "name": effect.known.name,
        "meters": meters,
        "on_self": blueprint.on_self,
        "charged": effect.charged,
    }
    carried = carrying_speed_of(game, effect)
    if carried is not None:
        about |= {"speed": speed_meters(carried.value), "per": carried.per}
    elif blueprint.action != "movement" and not blueprint.on_self:
        about |= {"speed": speed_meters(speed_of(blueprint)), "per": "second"}
    return _report(game, effect, Text("mb-effect-moved", about))


def _choose_value(game: Game, effect: RunningEffect, value: int | None) -> Outcome:
    """Give an effect another effect value of its band. Raises as `choose_value`."""
    chosen = choose_value(game, effect, value)
    about = {
        "name": effect.known.name,
        "who": target_refs(game, effect),
        "up": chosen.effect.effect_value > effect.effect_value,
    }
    return _report(chosen.game, chosen.effect, Text("mb-effect-varied", about), *chosen.blocks)


def _at(targets: tuple[EffectTarget, ...], meters: int) -> tuple[EffectTarget, ...]:
    return tuple(target.replace(meters=meters) for target in targets)


def _send_to_new_target(game: Game, effect: RunningEffect, action: SteerEffect) -> Outcome:
    """Send an effect to another target, with the effect value of its casting (MB-SFX-33).

    A roll to hit that the effect needs is made anew, by the steerer. An effect that doesn't reach
    the new target is over. Raises as `_require_new_target`.
    """
    target = _require_new_target(game, effect, action)
    aims = (target,)
    moved_on = effect.replace(changes_left=effect.changes_left - 1, changes=(), targets=aims)
    game = with_changes_on_sheets(with_running(game, moved_on))
    cast = CastOutcome(
        effect.known, effect.caster, effect.effect_value, aims, bearer=effect.wielder
    )
    roller = roller_of(effect.known.blueprint, steerer_of(game, effect), anew=True)
    start = EffectStart(cast, effect.number, roller, effect.charged)
    # How many targets an NPC's effect may still go to is the GMs' to know.
    is_open = not is_npc(game, effect.caster)
    more = moved_on.changes_left if is_open else 0
    about = {"name": effect.known.name, "left": more or None, "last": is_open and not more}
    report = _report(game, effect.replace(targets=aims), Text("mb-effect-goes-on", about))
    game, events = start_effect(game, start, action.place)
    return Outcome(game.state, (*report.events, *events))


def _require_new_target(game: Game, effect: RunningEffect, action: SteerEffect) -> EffectTarget:
    """Return the target that an effect is sent to.

    Raises:
        InvalidInput("which-target"): no target is named.
        InvalidInput("mb-effect-same-target"): the effect is on the target already.
        As `find_known` and `require_reach`.
    """
    if not action.target:
        raise InvalidInput("which-target", field="target", value=None, wanted="victim")
    character = find_known(game.state, game.actor, action.target, "target")
    target = EffectTarget(character.id, meters=action.meters)
    require_reach(game, effect.known.blueprint, (target,))
    if any(old.who == target.who for old in effect.targets):
        raise InvalidInput(
            "mb-effect-same-target", field="target", value=None, who=game.display_name(target.who)
        )
    return target


def _note_distance(game: Game, effect: RunningEffect, action: SteerEffect) -> Outcome:
    """Note the distance of an effect's targets; out of range the effect ends (MB-SFX-26).

    Without a target in the command all targets are meant. A focused effect stays with its target
    at any distance (MB-SFX-S14). Raises InvalidInput("mb-effect-meters") without the distance, and
    as `_require_target`.
    """
    meters = action.meters
    if meters is None:
        raise InvalidInput("mb-effect-meters", field="meters", value=None)
    blueprint = effect.known.blueprint
    who = _require_target(game, effect, action.target) if action.target else None
    if not stays_with(meters, blueprint.range_value, focused=blueprint.focus_targets > 0):
        if who is None:
            return _end(game, effect, far=True)
        return _end_for(game, effect, who)
    targets: list[EffectTarget] = []
    for target in effect.targets:
        if who is None or target.who == who:
            target = target.replace(meters=meters)
        targets.append(target)
    game = with_running(game, effect.replace(targets=tuple(targets)))
    about = {"name": effect.known.name, "meters": meters}
    return _report(game, effect, Text("mb-effect-in-range", about))


def _require_target(game: Game, effect: RunningEffect, text: str) -> str:
    """Return the id of a target of an effect.

    Raises Impossible("mb-effect-not-on") for a character that isn't one, and as `find_known`.
    """
    character = find_known(game.state, game.actor, text, "target")
    if all(target.who != character.id for target in effect.targets):
        raise Impossible(
            "mb-effect-not-on", name=effect.known.name, who=game.display_name(character.id)
        )
    return character.id


def _end_for(game: Game, effect: RunningEffect, who: str) -> Outcome:
    """End an effect for one target that is out of its range."""
    one = effect.replace(targets=(EffectTarget(who),))
    about = {"name": effect.known.name, "who": target_refs(game, one), "far": True}
    return _report(without_target(game, effect, who), one, Text("mb-effect-ended", about))


# --- ending ---------------------------------------------------------------------------------------


def end(game: Game, action: EndEffect) -> Outcome:
    """End an effect, for one target that is out of range or for all.

    Raises NotPermitted("gm-only"), and as `find_steerable` and `_require_target`.
    """
    require_gm(game.state, game.actor)
    effect = find_steerable(game, action.effect)
    if not action.target:
        return _end(game, effect)
    return _end_for(game, effect, _require_target(game, effect, action.target))


# --- commands -------------------------------------------------------------------------------------

_EFFECT: Final = Typed("effect", most=_TEXT_MOST, choices=_effect_options, needed=True)
_DO: Final = Pick("do", choices=plain_options((OFF, ON, TARGET, MOVE, VALUE, RANGE)), needed=True)
_TARGET: Final = Typed("target", most=_TEXT_MOST, choices=known_character_options)
_METERS: Final = Number("meters", low=0, high=_FARTHEST, offered=(1, 3, 10, 30))
_VALUE: Final = Number(
    "value", title=Text("mb-cast-field", {"what": "value"}), low=0, high=_VALUE_MOST
)
_ANY_WAY: Final = Pick("do", choices=plain_options((*_WAYS, RANGE)), needed=True)
_STEER: Final = Deed(
    "effect steer",
    SteerEffect,
    steer,
    (_EFFECT, _ANY_WAY, _TARGET, _METERS, _VALUE),
    openly=False,
)
_END: Final = Deed("effect end", EndEffect, end, (_EFFECT, _TARGET), openly=False)


def _list(game: Game, values: Values) -> CommandResult:
    """List own effects, others' effects on own characters, and charges; or press a button.

    Raises as `find_steerable` and `require_way`.
    """
    if "do" in values:
        return _press(game, values)
    texts: list[Text] = []
    buttons: list[PendingButton] = []
    for effect in steerable_effects(game):
        texts.append(running_line(game, effect))
        buttons += _buttons(game, effect)
    texts += (felt_line(game, effect, who) for effect, who in felt_effects(game))
    texts += charge_lines(game)
    if not texts:
        texts.append(Text("mb-effect-none-listed"))
    notes = tuple(Note(text, FOR_EVERYONE) for text in texts)
    return CommandView(Text("mb-effect-running"), notes, buttons=tuple(buttons))


def _buttons(game: Game, effect: RunningEffect) -> Iterator[PendingButton]:
    """Yield a button for each way to steer an effect."""
    for way in ways_for(game, effect):
        yield PendingButton(
            running_line(game, effect),
            _label(game, effect, way),
            {"effect": effect_code(effect), "do": way},
            offer=True,
        )


def _label(game: Game, effect: RunningEffect, way: str) -> Text:
    about: dict[str, Any] = {"name": effect.known.name, "way": way}
    if way == MAINTAIN:
        figures = figures_to_maintain(game, effect)
        return Text("mb-effect-maintain", {**about, "dn": figures.dn, "fv": figures.fv})
    return Text("mb-effect-way", about)


def _press(game: Game, pressed: Values) -> CommandResult:
    """Carry out a button of the list, or return the form that it asks first.

    The form is for a target, an effect value or an extension. Raises as `find_steerable` and
    `require_way`.
    """
    effect = find_steerable(game, pressed["effect"])
    way = pressed["do"]
    require_way(game, effect, way)
    if way == MAINTAIN and effect.known.blueprint.extension:
        return _maintenance_form(game, effect)
    if way == MAINTAIN:
        is_shown = game.character(effect.caster).owner is not None and not effect.secret
        return CheckStart(
            MAINTAIN_KIND,
            {"effect": effect.number},
            as_=effect.caster,
            visibility=running_visibility(effect),
            openly=None if is_shown else False,
        )
    if way in (TARGET, VALUE):
        return CommandForm(
            form=lambda draft: _way_form(effect, way),
            title=Text("mb-effect-way", {"name": effect.known.name, "way": way}),
            label=Text("mb-effect-send", {"way": way}),
            action=lambda values: _steering_action(pressed, values),
            who=steerer_of(game, effect),
        )
    return _STEER.run(game, pressed)


def _maintenance_form(game: Game, effect: RunningEffect) -> CommandForm:
    """Return the form that asks for an extension as an effect is maintained (MB-SFX-28)."""
    most = effect.known.blueprint.extension
    field = EXTENSION.replace(
        high=most,
        offered=tuple(range(most + 1))[:_OFFERED_MOST],
        label=_value_text,
        apart=True,
        writable=most >= _OFFERED_MOST,
        needed=True,
    )
    label = _label(game, effect, MAINTAIN)

    def action(values: Values) -> CommandAction:
        about = {
            "kind": MAINTAIN_KIND,
            "values": {"effect": effect.number, **values},
            "as_": effect.caster,
            "visibility": running_visibility(effect),
        }
        return CommandAction(Begin, about)

    return CommandForm(
        form=lambda draft: Form((field,)),
        title=Text("mb-effect-way", {"name": effect.known.name, "way": MAINTAIN}),
        label=label,
        action=action,
        values={EXTENSION.key: effect.extension},
        who=effect.caster,
    )


def _value_text(value: int) -> Text:
    return Text("as-written", {"text": str(value)})


def _way_form(effect: RunningEffect, way: str) -> Form:
    """Return the form of a new target, or of an effect value in the band."""
    if way == TARGET:
        return Form((_TARGET.replace(needed=True), _METERS))
    low, high = running_band(effect)
    values = [value for value in range(low, high + 1) if value != effect.effect_value]
    field = _VALUE.replace(
        low=low,
        high=high,
        offered=tuple(values[:_OFFERED_MOST]),
        label=_value_text,
        apart=True,
        writable=len(values) > _OFFERED_MOST,
        needed=True,
    )
    return Form((field,))


def _steering_action(pressed: Values, filled: Values) -> CommandAction:
    """Return the action that steers an effect as it was filled in."""
    return CommandAction(SteerEffect, {**pressed, **filled})


def _maintainable(game: Game) -> Iterator[PendingButton]:
    """Yield the effects that have run out and may be maintained. They hold nothing up."""
    for effect in steerable_effects(game):
        if not effect.lapsing or not may_be_maintained(game, effect):
            continue
        for button in _buttons(game, effect):
            if button.values["do"] == MAINTAIN:
                yield button


_NUMBERED: Final = Typed("effect", most=_TEXT_MOST, needed=True)
DEEDS: Final = (_STEER, _END)
COMMANDS: Final = (
    command(RUNNING_COMMAND, _list, pressed=Form((_NUMBERED, _ANY_WAY)), waits=_maintainable),
    command(_STEER.command, _STEER.run, _EFFECT, _DO, _TARGET, _METERS, _VALUE),
    _END.as_command(),
)
