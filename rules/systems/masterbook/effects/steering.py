"""`/effect running`, `/effect steer`, `/effect end`: effects that run (MB-SFX-26, MB-SFX-33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks.action_economy import acts_by, command, require_awake
from rules.systems.masterbook.effects.cast_declaration import require_reach
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import carrying_speed_of, speed_meters
from rules.systems.masterbook.effects.maintenance import EXTENSION
from rules.systems.masterbook.effects.maintenance import KIND as MAINTAIN_KIND
from rules.systems.masterbook.effects.reports import report_events
from rules.systems.masterbook.effects.running import (
    RUNNING_COMMAND,
    duration_text,
    effect_code,
    effect_names,
    end_effect,
    figures_to_maintain,
    matching_effects,
    may_be_maintained,
    running_audience,
    running_visibility,
    target_refs,
    which_effect_error,
    without_target,
)
from rules.systems.masterbook.effects.state import (
    EffectTarget,
    RunningEffect,
    effects_of,
    running_effects,
    steerer_of,
    with_running,
)
from rules.systems.masterbook.effects.strike_state import EffectStart
from rules.systems.masterbook.effects.taking_hold import roller_of, start_effect
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.effects.variable_values import choose_value, is_variable, running_band
from rules.systems.masterbook.formulas.effect_costs import speed_of
from rules.systems.masterbook.formulas.effect_values import stays_with
from rules.table.actions import Begin
from rules.table.blocks import (
    EVERYONE,
    FOR_EVERYONE,
    GMS,
    Block,
    Note,
    Ref,
    Text,
    text_for_audience,
)
from rules.table.checks.audience_views import TableNames
from rules.table.commands import (
    CheckStart,
    CommandAction,
    CommandForm,
    CommandResult,
    CommandView,
    PendingButton,
    known_character_options,
)
from rules.table.forms import Form, FormContext, Number, Option, Pick, Typed, Values, plain_options
from rules.table.lookup import find_known, playable_characters
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.system import Game, is_npc

#: What a caster may do with an effect that runs.
OFF, ON, TARGET, MOVE, MAINTAIN, END = "off", "on", "target", "move", "maintain", "end"
#: Its effect value is chosen anew.
VALUE: Final = "value"
#: Its target is so far off now.
RANGE: Final = "range"
_WAYS: Final = (OFF, ON, TARGET, MOVE, VALUE, MAINTAIN, END)
_TEXT_MOST: Final = 100
_FARTHEST: Final = 10_000
_VALUE_MOST: Final = 1000
#: Most effect values, or points, that a menu offers.
_OFFERED_MOST: Final = 25


# --- which one ------------------------------------------------------------------------------------


def steerable_effects(game: Game) -> Iterator[RunningEffect]:
    """Yield the effects that a participant steers, for GMs all.

    They are those that own characters have cast, or released from charges (MB-SFX-29).
    """
    leads = is_gm(game.state, game.actor)
    mine = {each.id for each in playable_characters(game.state, game.actor)}
    for effect in running_effects(game):
        if leads or (steerer_of(game, effect) in mine and not effect.blind):
            yield effect


def find_steerable(game: Game, text: str) -> RunningEffect:
    """Return the effect that is meant, by its code or its name.

    Raises Impossible("mb-effect-none-runs") if none runs, InvalidInput("mb-effect-which") if the
    text names none, or several.
    """
    found = tuple(steerable_effects(game))
    if not found:
        raise Impossible("mb-effect-none-runs")
    fitting = matching_effects(found, text)
    if len(fitting) == 1:
        return fitting[0]
    raise which_effect_error(text, effect_names(fitting or found))


def _effect_options(asking: FormContext) -> tuple[Option, ...]:
    if asking.game is None:
        return ()
    return tuple(
        Option(effect_code(each), running_line(asking.game, each))
        for each in steerable_effects(asking.game)
    )


def _named(game: Game, text: Text) -> Text:
    """Return a text with the names that a participant knows."""
    audience = GMS if is_gm(game.state, game.actor) else EVERYONE
    return text_for_audience(text, audience, TableNames(game.state, game.at))


def _known_changes(game: Game, effect: RunningEffect) -> tuple[Text, ...]:
    """Return what an effect changes, as far as the acting participant may know it.

    Players read nothing of an NPC, and only GMs that a character has seen through an illusion.
    """
    leads = is_gm(game.state, game.actor)
    found: list[Text] = []
    for change in effect.changes:
        hidden = change.who in effect.disbelievers if leads else is_npc(game, change.who)
        if not hidden:
            found.append(Text("mb-effect-by", {"trait": change.trait, "by": change.by}))
    return tuple(found)


def running_line(game: Game, effect: RunningEffect) -> Text:
    """Return an effect in a line: its name, on whom, what it changes, how long it still lasts.

    It has the names that the acting participant knows.
    """
    leads = is_gm(game.state, game.actor)
    changes = _known_changes(game, effect)
    things = tuple(target.text for target in effect.targets if target.text)
    about = {
        "name": effect.known.name,
        "who": target_refs(game, effect),
        "things": things or None,
        "changes": changes or None,
        "left": duration_text(game, effect),
        "unreal": leads and effect.known.blueprint.unreal is not None,
    }
    return _named(game, Text("mb-effect-runs", about))


def _felt_effects(game: Game) -> Iterator[tuple[RunningEffect, str]]:
    """Yield the effects of others that run on a participant's own characters, with whom.

    Those are left out that were cast in secret, or that the character has seen through.
    """
    mine = [each.id for each in playable_characters(game.state, game.actor)]
    steered = [effect_code(effect) for effect in steerable_effects(game)]
    for effect in running_effects(game):
        if effect.secret or effect.lapsing or effect_code(effect) in steered:
            continue
        targets = [target.who for target in effect.targets]
        for who in mine:
            if who in targets and who not in effect.disbelievers:
                yield effect, who


def _felt_line(game: Game, effect: RunningEffect, who: str) -> Text:
    """Return an effect on a participant's own character in a line.

    An NPC as its caster stays unnamed, and so does what the effect changes.
    """
    by = steerer_of(game, effect)
    open_ = not is_npc(game, by)
    changes = tuple(
        Text("mb-effect-by", {"trait": each.trait, "by": each.by})
        for each in effect.changes
        if open_ and each.who == who
    )
    about = {
        "name": effect.known.name,
        "who": (Ref(who),),
        "by": Ref(by) if open_ else None,
        "charged": effect.charged,
        "changes": changes or None,
        "left": duration_text(game, effect),
    }
    return _named(game, Text("mb-effect-felt", about))


# --- what may be done -----------------------------------------------------------------------------


def ways_for(game: Game, effect: RunningEffect) -> tuple[str, ...]:
    """Return what may be done with an effect now (MB-SFX-28, MB-SFX-33)."""
    blueprint = effect.known.blueprint
    found: list[str] = []
    if effect.lapsing:
        found += [MAINTAIN] if may_be_maintained(game, effect) else []
    else:
        if blueprint.switch != "none" and not effect.suspended:
            found.append(OFF)
        if effect.suspended:
            found.append(ON)
        if effect.changes_left:
            found.append(TARGET)
        if blueprint.movement:
            found.append(MOVE)
        if is_variable(effect):
            found.append(VALUE)
    if is_gm(game.state, game.actor):
        found.append(END)
    return tuple(found)


def require_way(game: Game, effect: RunningEffect, way: str) -> None:
    """Raise Impossible("mb-effect-cannot") for what can't be done with an effect now."""
    ways = ways_for(game, effect)
    if way not in ways:
        raise Impossible("mb-effect-cannot", name=effect.known.name, way=way, allowed=ways or None)


def steer(game: Game, action: Any) -> Outcome:
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


def _send_to_new_target(game: Game, effect: RunningEffect, action: Any) -> Outcome:
    """Send an effect to another target, with the effect value of its casting (MB-SFX-33).

    A roll to hit that the effect needs is made anew, by the steerer. An effect that doesn't reach
    the new target is over.

    Raises:
        InvalidInput("which-target"): no target is named.
        InvalidInput("mb-effect-same-target"): the effect is on the target already.
        As `find_known` and `require_reach`.
    """
    if not action.target:
        raise InvalidInput("which-target", field="target", value=None, wanted="victim")
    target = find_known(game.state, game.actor, action.target, "target")
    aims = (EffectTarget(target.id, meters=action.meters),)
    require_reach(game, effect.known.blueprint, aims)
    if any(old.who == target.id for old in effect.targets):
        raise InvalidInput(
            "mb-effect-same-target", field="target", value=None, who=game.display_name(target.id)
        )
    left = effect.replace(changes_left=effect.changes_left - 1, changes=(), targets=aims)
    game = with_changes_on_sheets(with_running(game, left))
    cast = CastOutcome(
        effect.known, effect.caster, effect.effect_value, aims, bearer=effect.wielder
    )
    roller = roller_of(effect.known.blueprint, steerer_of(game, effect), anew=True)
    start = EffectStart(cast, effect.number, roller, effect.charged)
    # How many targets an NPC's effect may still go to is the GMs' to know.
    more = 0 if is_npc(game, effect.caster) else left.changes_left
    last = not is_npc(game, effect.caster) and not more
    about = {"name": effect.known.name, "left": more or None, "last": last}
    title = Text("mb-effect-goes-on", about)
    report = _report(game, effect.replace(targets=aims), title)
    game, events = start_effect(game, start, action.place)
    return Outcome(game.state, (*report.events, *events))


def _note_distance(game: Game, effect: RunningEffect, action: Any) -> Outcome:
    """Note how far a target of an effect is now; out of range the effect ends (MB-SFX-26).

    Without a target in the command all targets of the effect are meant. What is focused clings to
    its target, however far that is (MB-SFX-S14). Raises InvalidInput("mb-effect-meters") without
    the distance, and as `_require_target`.
    """
    meters = action.meters
    if meters is None:
        raise InvalidInput("mb-effect-meters", field="meters", value=None)
    blueprint = effect.known.blueprint
    measured = effect.targets
    if action.target:
        who = _require_target(game, effect, action.target)
        measured = tuple(each for each in effect.targets if each.who == who)
    if stays_with(meters, blueprint.range_value, focused=blueprint.focus_targets > 0):
        targets = tuple(
            each.replace(meters=meters) if each in measured else each for each in effect.targets
        )
        game = with_running(game, effect.replace(targets=targets))
        about = {"name": effect.known.name, "meters": meters}
        return _report(game, effect, Text("mb-effect-in-range", about))
    if action.target:
        return _end_for(game, effect, measured[0].who)
    return _end(game, effect, far=True)


def _require_target(game: Game, effect: RunningEffect, text: str) -> str:
    """Return the id of a target of an effect.

    Raises Impossible("mb-effect-not-on") for somebody it doesn't run on, and as `find_known`.
    """
    target = find_known(game.state, game.actor, text, "target")
    if all(each.who != target.id for each in effect.targets):
        raise Impossible(
            "mb-effect-not-on", name=effect.known.name, who=game.display_name(target.id)
        )
    return target.id


def _end_for(game: Game, effect: RunningEffect, who: str) -> Outcome:
    """End an effect for one target that is out of its range."""
    one = effect.replace(targets=(EffectTarget(who),))
    about = {"name": effect.known.name, "who": target_refs(game, one), "far": True}
    return _report(without_target(game, effect, who), one, Text("mb-effect-ended", about))


# --- ending ---------------------------------------------------------------------------------------


def end(game: Game, action: Any) -> Outcome:
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
_STEERS: Final = acts_by(
    "SteerEffect",
    steer,
    _EFFECT,
    _ANY_WAY,
    _TARGET,
    _METERS,
    _VALUE,
    for_players=True,
    openly=False,
)
_ENDS: Final = acts_by("EndEffect", end, _EFFECT, _TARGET, openly=False)


def _list(game: Game, said: Values) -> CommandResult:
    """List own effects, others' effects on own characters, and charges; or press a button.

    Raises as `find_steerable` and `require_way`.
    """
    if "do" in said:
        return _press(game, said)
    effects = tuple(steerable_effects(game))
    felt = tuple(Note(_felt_line(game, *each), FOR_EVERYONE) for each in _felt_effects(game))
    carried = tuple(Note(line, FOR_EVERYONE) for line in _charge_lines(game))
    if not effects and not felt and not carried:
        nothing = Note(Text("mb-effect-none-listed"), FOR_EVERYONE)
        return CommandView(Text("mb-effect-running"), (nothing,))
    lines = tuple(Note(running_line(game, each), FOR_EVERYONE) for each in effects)
    buttons = tuple(button for each in effects for button in _buttons(game, each))
    return CommandView(Text("mb-effect-running"), (*lines, *felt, *carried), buttons=buttons)


def _charge_lines(game: Game) -> Iterator[Text]:
    """Yield a line for each stored charging of a player's own characters, for GMs of all."""
    leads = is_gm(game.state, game.actor)
    mine = {each.id for each in playable_characters(game.state, game.actor)}
    for character in game.state.characters.values():
        if not leads and character.id not in mine:
            continue
        for charges in effects_of(game, character.id).charges:
            about = {
                "who": character.name,
                "name": charges.known.name,
                "left": charges.left,
                "holder": charges.holder or None,
                "ward": bool(charges.known.blueprint.ward),
            }
            yield Text("mb-effect-carried", about)


def _buttons(game: Game, effect: RunningEffect) -> Iterator[PendingButton]:
    """Yield what may be done with an effect, a button each."""
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


def _press(game: Game, said: Values) -> CommandResult:
    """Carry out a button of the list, or return the form that it asks first.

    The form is for a target, an effect value or an extension. Raises as `find_steerable` and
    `require_way`.
    """
    effect = find_steerable(game, said["effect"])
    way = said["do"]
    require_way(game, effect, way)
    if way == MAINTAIN and effect.known.blueprint.extension:
        return _maintenance_form(game, effect)
    if way == MAINTAIN:
        shown = game.character(effect.caster).owner is not None and not effect.secret
        return CheckStart(
            MAINTAIN_KIND,
            {"effect": effect.number},
            as_=effect.caster,
            visibility=running_visibility(effect),
            openly=None if shown else False,
        )
    if way in (TARGET, VALUE):
        return CommandForm(
            form=lambda draft: _way_form(effect, way),
            title=Text("mb-effect-way", {"name": effect.known.name, "way": way}),
            label=Text("mb-effect-send", {"way": way}),
            action=lambda values: _steering_action(said, values),
            who=steerer_of(game, effect),
        )
    return _STEERS(game, said)


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
        given = {"effect": effect.number, **values}
        begun = {"kind": MAINTAIN_KIND, "values": given, "as_": effect.caster}
        return CommandAction(Begin, begun | {"visibility": running_visibility(effect)})

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


def _steering_action(said: Values, values: Values) -> CommandAction:
    """Return the action that steers an effect as it was filled in."""
    return CommandAction(_STEERS.kind, {**said, **values})


def _maintainable(game: Game) -> Iterator[PendingButton]:
    """Yield the effects that have run out and may be maintained. They hold nothing up."""
    for effect in steerable_effects(game):
        if effect.lapsing and may_be_maintained(game, effect):
            yield from (each for each in _buttons(game, effect) if each.values["do"] == MAINTAIN)


_NUMBERED: Final = Typed("effect", most=_TEXT_MOST, needed=True)
ACTS: Final = (_STEERS, _ENDS)
COMMANDS: Final = (
    command(RUNNING_COMMAND, _list, pressed=Form((_NUMBERED, _ANY_WAY)), waits=_maintainable),
    command("effect steer", _STEERS, _EFFECT, _DO, _TARGET, _METERS, _VALUE),
    command("effect end", _ENDS, _EFFECT, _TARGET),
)
