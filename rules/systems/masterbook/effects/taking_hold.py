"""Effects that take hold after a casting or a release (MB-SFX-22 to MB-SFX-26, MB-SFX-29)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from rules.core.errors import Impossible
from rules.systems.masterbook.effects.cast_state import CastOutcome
from rules.systems.masterbook.effects.effect_results import (
    COLUMNS,
    is_teleport,
    needs_number,
    result_for,
    result_text,
)
from rules.systems.masterbook.effects.effect_settings import one_charging_per_object
from rules.systems.masterbook.effects.reports import report_events
from rules.systems.masterbook.effects.resistance import is_resisted
from rules.systems.masterbook.effects.running import (
    NewEffect,
    begin_effect,
    duration_in_seconds,
    duration_text,
    outlasts_action,
    running_audience,
    running_visibility,
)
from rules.systems.masterbook.effects.state import (
    DealtHarm,
    EffectTarget,
    RunningEffect,
    StoredCharges,
    ValueChange,
    effects_of,
    find_running,
    has_seen_through,
    with_effects_of,
    with_running,
    without_running,
)
from rules.systems.masterbook.effects.strike_state import (
    EffectResult,
    EffectStart,
    with_waiting_start,
)
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.formulas.effect_blueprint import CHANGES, Blueprint
from rules.table.blocks import FOR_EVERYONE, GMS, Audience, Block, Note, Ref, Text
from rules.table.check import Check, Visibility
from rules.table.checks import engine
from rules.table.checks.check_events import events_for
from rules.table.checks.shared_blocks import full_and_plain
from rules.table.events import EVERYONE, Event
from rules.table.system import Game, is_npc

#: Kind of check in which an effect meets its targets.
STRIKE_KIND: Final = "effect-strike"
#: Value of a blueprint's `to_hit` for the total of the casting (MB-SFX-22).
CASTING_TOTAL: Final = "casting"


def take_hold(game: Game, cast: CastOutcome) -> tuple[Game, tuple[Event, ...]]:
    """Return the game once a casting that succeeded has its effect, and the messages about it.

    It fills charges, takes hold at once, or begins the check in which it meets its targets.
    """
    if cast.charges:
        return store_charges(game, cast)
    return start_effect(
        game, EffectStart(cast, roller=roller_of(cast.known.blueprint, cast.caster))
    )


def roller_of(blueprint: Blueprint, who: str, *, anew: bool = False) -> str:
    """Return the id of the character who rolls to hit; empty without a roll of its own.

    *anew* is for a released charge or a new target, where the casting's total no longer counts
    (MB-SFX-29, MB-SFX-33).
    """
    if not blueprint.to_hit or (blueprint.to_hit == CASTING_TOTAL and not anew):
        return ""
    return who


def start_effect(game: Game, start: EffectStart, place: str = "") -> tuple[Game, tuple[Event, ...]]:
    """Return the game with an effect that meets its targets, at once or in a check of its own."""
    cast = start.cast
    check = game.state.checks.get(cast.check)
    if needs_strike(game, cast):
        return _open_strike_check(game, start, place or ("" if check is None else check.place))
    results = tuple(result_for(game, cast, target) for target in met_targets(game, cast))
    game, effect = settle_effect(game, start, results)
    if effect is None:
        game = drop_missed_target(game, start)
    return game, _report(game, start, results, effect)


def needs_strike(game: Game, cast: CastOutcome) -> bool:
    """Return whether an effect meets its targets in a check.

    It does if it rolls to hit, hurts, sways, can be resisted, or goes against a number of the GM's.
    """
    blueprint = cast.known.blueprint
    if blueprint.to_hit or blueprint.action == "damage" or blueprint.action in COLUMNS:
        return True
    return needs_number(game, cast) or is_resisted(game, cast)


def _open_strike_check(
    game: Game, start: EffectStart, place: str
) -> tuple[Game, tuple[Event, ...]]:
    """Return the game with the check in which an effect meets its targets."""
    cast = start.cast
    check: Check[object] | None = game.state.checks.get(cast.check)
    before = game.state
    game, number = with_waiting_start(game, start)
    people = [target.who for target in cast.targets if target.who in game.state.characters]
    visibility: Visibility = "public" if check is None else check.visibility
    running = _running_before(game, start)
    if running is not None and running.secret:
        visibility = running_visibility(running)
    advance = engine.begin(
        game,
        STRIKE_KIND,
        place,
        {"number": number},
        actor=start.actor,
        target=people[0] if people else None,
        visibility=visibility,
        gm_only=check is not None and check.gm_only,
    )
    return advance.game, events_for(before, advance)


def met_targets(game: Game, cast: CastOutcome) -> tuple[EffectTarget, ...]:
    """Return the targets that an effect meets: those in play, and things in words.

    An effect without a target is on its caster. An illusion does not reach characters who have
    seen through it before (MB-SFX-30).
    """
    if not cast.targets:
        return (EffectTarget(cast.caster),)
    met: list[EffectTarget] = []
    for target in cast.targets:
        in_play = target.who in game.state.characters
        if not target.who or (in_play and not is_immune(game, cast, target.who)):
            met.append(target)
    return tuple(met)


def is_immune(game: Game, cast: CastOutcome, who: str) -> bool:
    """Return whether an effect is an illusion that a character knows for one (MB-SFX-30).

    A caster who aims it at oneself bears it for the eyes of others, as a disguise. It neither hurts
    nor sways its caster.
    """
    if cast.known.blueprint.unreal is None or _is_borne_by(cast, who):
        return False
    return has_seen_through(game, who, cast.caster, cast.known.name)


def _is_borne_by(cast: CastOutcome, who: str) -> bool:
    """Return whether a character is the caster of an effect and one of its aims, and the effect
    neither hurts nor sways.
    """
    action = cast.known.blueprint.action
    if who != cast.caster or action == "damage" or action in COLUMNS:
        return False
    aims = (target.who for target in cast.targets if target.from_center is None)
    return not cast.targets or who in aims


# --- taking hold ----------------------------------------------------------------------------------


def has_reached(blueprint: Blueprint, result: EffectResult) -> bool:
    """Return whether an effect has reached a target; what only the GM can tell has."""
    if blueprint.action in CHANGES:
        return bool(result.changes) or not result.who
    if result.freed is not None:
        return False
    if blueprint.action == "movement" and is_teleport(blueprint) and result.points is not None:
        return bool(result.level)
    return result.points is None or result.points >= 0


def settle_effect(
    game: Game,
    start: EffectStart,
    results: Sequence[EffectResult],
    dealt: Iterable[DealtHarm] = (),
    ruled: int | None = None,
) -> tuple[Game, RunningEffect | None]:
    """Return the game with an effect on the targets that it has reached, and the effect.

    The effect is None if it has reached no target. If the maker of a charge has left meanwhile, its
    releaser counts as the caster. An effect whose target changes goes on with what is left of its
    time (MB-SFX-33). *ruled* is the number that the GM has said resists it.
    """
    cast, blueprint = start.cast, start.cast.known.blueprint
    reached = [result for result in results if has_reached(blueprint, result)]
    if not reached:
        return game, None
    targets = tuple(_target_of(cast, result) for result in reached)
    changes: list[ValueChange] = []
    for result in reached:
        changes += result.changes
    running = _running_before(game, start)
    if start.running and running is None:
        # The effect has ended while it was on its way to another target.
        return game, None
    if running is not None:
        effect = running.replace(targets=targets, changes=tuple(changes), ruled=ruled)
        game = with_running(game, effect)
    else:
        caster = cast.caster if cast.caster in game.state.characters else start.actor
        new = NewEffect(
            cast.known,
            caster,
            cast.effect_value,
            targets,
            tuple(changes),
            cast.extension,
            start.charged,
            audience_of(game, cast, start.actor) != EVERYONE,
            _is_blind(game, cast, start.actor),
            cast.shift,
            ruled,
            start.wielder,
        )
        game, effect = begin_effect(game, new)
    harm = tuple(dealt)
    if harm:
        game = _with_harm(game, effect, harm)
    return with_changes_on_sheets(game), effect


def _target_of(cast: CastOutcome, result: EffectResult) -> EffectTarget:
    for target in cast.targets:
        if (target.who, target.text) == (result.who, result.text):
            return target
    return EffectTarget(result.who, result.text)


def _with_harm(game: Game, effect: RunningEffect, harm: tuple[DealtHarm, ...]) -> Game:
    """Return the game with what an effect did to its targets' health remembered (MB-SFX-30)."""
    running = find_running(game, effect.caster, effect.number)
    if running is not None:
        return with_running(game, running.replace(harm=(*running.harm, *harm)))
    effects = effects_of(game, effect.caster)
    past: list[RunningEffect] = []
    for over in effects.past:
        if over.number == effect.number:
            over = over.replace(harm=(*over.harm, *harm))
        past.append(over)
    return with_effects_of(game, effect.caster, effects.replace(past=tuple(past)))


def drop_missed_target(game: Game, start: EffectStart) -> Game:
    """Return the game once an effect has not reached the target that it went on to: it is over.

    An effect that takes hold for the first time isn't there yet, so nothing changes.
    """
    running = _running_before(game, start)
    if running is None:
        return game
    return with_changes_on_sheets(without_running(game, running))


def _running_before(game: Game, start: EffectStart) -> RunningEffect | None:
    """Return the effect that goes on to another target; None if it starts anew or has ended."""
    return find_running(game, start.cast.caster, start.running) if start.running else None


# --- words ----------------------------------------------------------------------------------------


def audience_of(game: Game, cast: CastOutcome, actor: str = "") -> Audience:
    """Return the audience of an effect that takes hold: that of the check it comes from.

    *actor* has made that check, if not the caster.
    """
    check = game.state.checks.get(cast.check)
    if check is None or check.is_public:
        return EVERYONE
    owner = game.character(actor or cast.caster).owner
    if check.gm_only or check.visibility == "blind" or owner is None:
        return GMS
    return Audience(gms=True, people=(owner,))


def _is_blind(game: Game, cast: CastOutcome, actor: str) -> bool:
    """Return whether an effect of a player's character is none of that player's to know."""
    return audience_of(game, cast, actor) == GMS and not is_npc(game, actor or cast.caster)


def _audience_of_start(game: Game, start: EffectStart) -> Audience:
    """Return the audience of an effect that takes hold.

    An effect that goes on to another target keeps the audience of the running effect.
    """
    running = _running_before(game, start)
    if running is not None and running.secret:
        return running_audience(game, running)
    return audience_of(game, start.cast, start.actor)


def result_notes(
    game: Game, blueprint: Blueprint, results: Iterable[EffectResult], caster: str
) -> list[Block]:
    """Return a line for each target; only GMs read the numbers of NPCs and of what they cast."""
    notes: list[Block] = []
    for result in results:
        full = Note(result_text(game, blueprint, result, caster, full=True), FOR_EVERYONE)
        plain = result_text(game, blueprint, result, caster, full=False)
        if plain == full.text:
            notes.append(full)
        else:
            notes += full_and_plain(full, text=plain)
    return notes


def duration_note(game: Game, start: EffectStart, effect: RunningEffect | None) -> Note | None:
    """Return the duration of an effect; None if it has reached no target."""
    if effect is None:
        return None
    blueprint, extension = effect.known.blueprint, start.cast.extension
    text = Text("mb-effect-lasts", duration_text(game, effect).params)
    if not outlasts_action(blueprint, extension):
        text = Text("mb-effect-over", {"seconds": duration_in_seconds(blueprint, extension)})
    return Note(text, FOR_EVERYONE)


def _report(
    game: Game,
    start: EffectStart,
    results: Sequence[EffectResult],
    effect: RunningEffect | None,
) -> tuple[Event, ...]:
    """Return the messages about an effect that takes hold without a check."""
    cast, blueprint = start.cast, start.cast.known.blueprint
    blocks = result_notes(game, blueprint, results, cast.caster)
    note = duration_note(game, start, effect)
    if note is not None:
        blocks.append(note)
    about = {"name": cast.known.name, "works": effect is not None, "over": bool(start.running)}
    title = Text("mb-effect-holds", about)
    runs = effect is not None and outlasts_action(blueprint, cast.extension)
    return report_events(game, title, blocks, _audience_of_start(game, start), runs=runs)


# --- charges --------------------------------------------------------------------------------------


def require_free_holder(game: Game, bearer: str, holder: str) -> None:
    """Refuse a second charging of one object where the table plays so (MB-SFX-29).

    Raises Impossible("mb-effect-charged-already").
    """
    if not one_charging_per_object(game):
        return
    holder_key = holder.casefold()
    for charges in effects_of(game, bearer).charges:
        if charges.holder.casefold() == holder_key:
            raise Impossible("mb-effect-charged-already", holder=holder or charges.known.name)


def store_charges(game: Game, cast: CastOutcome) -> tuple[Game, tuple[Event, ...]]:
    """Return the game with the charges that a casting has filled (MB-SFX-29)."""
    bearer = cast.bearer or cast.caster
    effects = effects_of(game, bearer)
    blueprint = cast.known.blueprint
    charges = StoredCharges(
        effects.last_number + 1,
        cast.known,
        cast.caster,
        cast.effect_value,
        blueprint.charges,
        cast.holder,
        cast.ward_perception,
        cast.shift,
    )
    held = (*effects.charges, charges)
    effects = effects.replace(last_number=charges.number, charges=held)
    game = with_effects_of(game, bearer, effects)
    about = {
        "name": cast.known.name,
        "left": charges.left,
        "holder": cast.holder or None,
        "who": Ref(bearer),
        "ward": bool(blueprint.ward),
    }
    title = Text("mb-effect-stored", about)
    return game, report_events(game, title, (), audience_of(game, cast))
