"""Emergencies and collisions of vehicles, with the crew's rolls (EGO-VEH-04 to EGO-VEH-09)."""

from __future__ import annotations

from functools import partial
from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.ego.character.combat_values import armor_of, body_of, pay_karma, with_body
from rules.systems.ego.character.labels import labeled_fact
from rules.systems.ego.character.sheet import EgoSheet, ability_dice, flag, level_of
from rules.systems.ego.checks import casualties, group_rolls
from rules.systems.ego.checks.casualties import Casualty
from rules.systems.ego.checks.group_rolls import AGAIN, AWAKE, BRACE, COME_TO, CONTROL
from rules.systems.ego.checks.procedure import KARMA
from rules.systems.ego.checks.view import for_audiences, success_verdict
from rules.systems.ego.command_forms import form, missing_error, unwanted_error
from rules.systems.ego.formulas import damage, vehicles
from rules.systems.ego.vehicles import vehicles_in_play
from rules.systems.ego.vehicles.vehicles_in_play import Vehicle
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import Procedure, StageResult, has_throws
from rules.table.checks.shared_blocks import WITH_LABEL
from rules.table.forms.fields import Option
from rules.table.marks import marks_of, with_marks
from rules.table.permissions import require_gm
from rules.table.state import Mark, Reveal
from rules.table.system import Game

STOP, FASTER, BRAKE, WAKE = "stop", "accelerate", "brake", "wake"
COLLIDE: Final = "collide"
#: Code of the event of a vehicle in a crash.
CRASH: Final = "ego-crash"
_EMERGENCIES: Final = tuple(
    Option(what, Text("ego-emergency", {"what": what, "full": False}))
    for what in (STOP, FASTER, BRAKE, WAKE)
)
EMERGENCY_FORM: Final = form("emergency", flag("full"), KARMA, emergencies=_EMERGENCIES)
COLLISION_FORM: Final = form("collision", flag("waived"), vehicles=vehicles_in_play.vehicle_choices)


class Drive(group_rolls.Trials):
    """An emergency of a vehicle, or a collision of one or two."""

    #: Id of the vehicle.
    vehicle: str = ""
    what: str = ""
    full: bool = False
    #: Speed before the emergency or the crash.
    began: int = 0
    #: Id of the other vehicle; empty for a crash into an object.
    other: str = ""
    #: Damage Points of the object that the vehicle crashes into.
    object: int = 0
    #: Speed that a GM names for the crash, if any.
    speed: int | None = None
    sections: tuple[int | None, int | None] = (None, None)
    #: Whether those in restraints need not roll to brace.
    waived: bool = False
    #: Damage that each vehicle took, by id.
    taken: tuple[tuple[str, int], ...] = ()


AnyDrive = Check[Drive]


def _vehicle(game: Game, key: str) -> Vehicle:
    """Return a vehicle of the table. Raises Impossible("ego-gone")."""
    vehicle = game.state.own.get(f"{vehicles_in_play.PREFIX}:{key}")
    if vehicle is None:
        raise Impossible("ego-gone")
    return vehicle


def require(game: Game, check: AnyDrive) -> None:
    """Require that the vehicles of a check are there. Raises Impossible("ego-gone")."""
    for key in (check.data.vehicle, check.data.other):
        if key:
            _vehicle(game, key)


# --- emergencies ----------------------------------------------------------------------------------


def emergencies(game: Game, check: AnyDrive, values: Values) -> AnyDrive:
    """Begin an emergency as its pilot declares it.

    Raises Impossible for other participants, and for what such a vehicle can't do.
    """
    vehicle, what = vehicles_in_play.find_vehicle(game, values["vehicle"]), values["what"]
    if what == WAKE:
        return _begin_waking(game, check, vehicle, values)
    vehicles_in_play.require_steering(game, vehicle)
    if check.actor != vehicle.pilot:
        raise Impossible("ego-not-pilot", name=vehicle.name)
    if what == STOP:
        vehicles.emergency_stop(vehicle.model.kind, vehicle.model.speed_min)
    elif vehicle.model.kind != vehicles.SPACE:
        raise Impossible("ego-no-emergency", how="only-space")
    if down := game.sheet(vehicle.pilot).down:
        raise vehicles_in_play.pilot_out_error(vehicle, down)
    if vehicle.stopping:
        raise Impossible("ego-no-emergency", how="stopping", name=vehicle.name)
    full = values.get("full", False) and what in (FASTER, BRAKE)
    data = Drive(
        vehicle=vehicle.id, what=what, full=full, karma=values.get("karma", 0), began=vehicle.speed
    )
    return check.replace(data=data)


def _begin_waking(game: Game, check: AnyDrive, vehicle: Vehicle, values: Values) -> AnyDrive:
    """Begin the waking rolls of unconscious characters; any character aboard may call for them.

    Each unconscious character rolls once a round (EGO-VEH-07, EGO-OP-33). Raises
    Impossible("ego-not-pilot", "ego-wreck", "ego-no-emergency").
    """
    if check.actor not in vehicle.aboard:
        raise Impossible("ego-not-pilot", name=vehicle.name)
    if vehicle.wreck:
        raise Impossible("ego-wreck", name=vehicle.name)
    if not _unconscious_aboard(game, vehicle):
        raise Impossible("ego-no-emergency", how="awake", name=vehicle.name)
    if not _waking_candidates(game, check, vehicle):
        raise Impossible("ego-no-emergency", how="tried", name=vehicle.name)
    karma = values.get("karma", 0)
    data = Drive(vehicle=vehicle.id, what=WAKE, karma=karma, began=vehicle.speed)
    return check.replace(data=data)


def _unconscious_aboard(game: Game, vehicle: Vehicle) -> list[str]:
    people = _aboard(game, vehicle).items()
    return [who for who, sheet in people if sheet.down == damage.PASSED_OUT]


def _waking_candidates(game: Game, check: AnyDrive, vehicle: Vehicle) -> list[str]:
    """List the unconscious characters who haven't rolled to wake in this round."""
    asleep = _unconscious_aboard(game, vehicle)
    if check.round is None:
        return asleep
    return [who for who in asleep if not marks_of(game.state, who, COME_TO)]


def _aboard(game: Game, vehicle: Vehicle) -> dict[str, EgoSheet]:
    """Return the sheets of the characters aboard that are in play."""
    return {who: game.sheet(who) for who in vehicle.aboard if who in game.state.characters}


def _declared(game: Game, check: AnyDrive) -> StageResult[Drive] | None:
    """Set the rolls of an emergency, by character."""
    data, vehicle, who = check.data, _vehicle(game, check.data.vehicle), check.actor
    game = pay_karma(game, who, data.karma, check.round)
    if data.what == STOP:
        sheet: EgoSheet = game.sheet(who)
        level = level_of(sheet, "Pilot", vehicle.model.kind)
        agility = ability_dice(sheet, "agility")
        number = vehicles.pilot_pool(level, agility, vehicle.model.maneuverability)
        trials = (group_rolls.trial(game, who, CONTROL, number, vehicles.STOP, "agility"),)
    elif data.what == WAKE:
        asleep = _waking_candidates(game, check, vehicle)
        if check.round is not None:
            for sleeper in asleep:
                mark = Mark(COME_TO, until="round")
                game = game.with_state(with_marks(game.state, sleeper, mark))
        trials = group_rolls.trials_of(game, asleep, COME_TO, vehicles.WAKE, "vitality")
    else:
        up = [who for who, sheet in _aboard(game, vehicle).items() if not sheet.down]
        trials = group_rolls.trials_of(game, up, AWAKE, vehicles.FIRST, "vitality")
    trials = tuple(
        trial.replace(karma=data.karma) if trial.who == who else trial for trial in trials
    )
    return StageResult(game.state, data.replace(trials=trials))


def _landed(game: Game, check: AnyDrive) -> StageResult[Drive] | None:
    """Apply the result of an emergency.

    For the full change of speed, the characters that are still awake roll a second time first.
    """
    data, vehicle = check.data, _vehicle(game, check.data.vehicle)
    if data.what == STOP:
        return _stop_vehicle(game, check, vehicle)
    if data.what == WAKE:
        return _wake(game, check)
    second = group_rolls.trial_results(data, AGAIN)
    game, data = group_rolls.pass_out_failed(game, data, AGAIN if second else AWAKE)
    awake = group_rolls.trial_results(data, AWAKE)[check.actor]
    if awake and data.full and not second:
        # Characters that were awake roll again, even if they are out or off board since the roll.
        still = [who for who, good in group_rolls.trial_results(data, AWAKE).items() if good]
        more = group_rolls.trials_of(game, still, AGAIN, vehicles.SECOND, "vitality")
        return StageResult(
            game.state,
            data.replace(trials=(*data.trials, *more)),
            group_rolls.BEFORE + group_rolls.GroupRoll.name,
        )
    rolls = (awake, second[check.actor]) if second else (awake,)
    result = vehicles.emergency(
        data.began, vehicle.model.speed_max, rolls, braking=data.what == BRAKE
    )
    lines = [_end_line("speed", before=data.began, speed=result.speed)]
    if result.mishap:
        lines.append(_end_line("mishap"))
    if result.drifts:
        lines.append(_end_line("adrift"))
    game = vehicles_in_play.with_vehicle(
        game, vehicle.replace(speed=result.speed, drifts=result.drifts)
    )
    return StageResult(
        game.state, data.replace(over=True, consequences=(*data.consequences, *lines))
    )


def _end_line(how: str, **shown: int) -> Text:
    return Text("ego-emergency-ends", {"how": how, **shown})


def _stop_vehicle(game: Game, check: AnyDrive, vehicle: Vehicle) -> StageResult[Drive]:
    """Stop the vehicle at the end of the round, whatever the roll (EGO-VEH-04, EGO-VEH-05).

    Outside rounds it stops at once. Out of control, it moves on until then, and may collide.
    """
    stop = vehicles.emergency_stop(vehicle.model.kind, vehicle.model.speed_min)
    good = group_rolls.trial_results(check.data, CONTROL)[check.actor]
    later = check.round is not None or not good
    how = "standing"
    if vehicle.speed:
        how = "stopping" if later else "speed"
    lines = [_end_line(how, before=vehicle.speed, speed=0)]
    if stop.drift:
        lines.append(_end_line("drifts", hexes=stop.drift, degrees=stop.turn))
    if not good:
        lines.append(_end_line("out"))
    stopped = vehicle.replace(stopping=True) if later else vehicle.replace(speed=0)
    game = vehicles_in_play.with_vehicle(game, stopped)
    return StageResult(game.state, check.data.replace(over=True, consequences=tuple(lines)))


def _wake(game: Game, check: AnyDrive) -> StageResult[Drive]:
    """Wake the characters that roll well enough (EGO-VEH-07)."""
    data = check.data
    for who, good in group_rolls.trial_results(data, COME_TO).items():
        if good:
            game, data = group_rolls.wake_character(game, data, who)
    return StageResult(game.state, data.replace(over=True))


# --- collisions -----------------------------------------------------------------------------------


def collisions(game: Game, check: AnyDrive, values: Values) -> AnyDrive:
    """Begin a collision as a GM declares it.

    Raises InvalidInput("ego-say", "ego-leave-out", "out-of-range"), Impossible("ego-wreck").
    """
    require_gm(game.state, game.actor)
    vehicle = vehicles_in_play.find_vehicle(game, values["vehicle"])
    other = vehicles_in_play.find_vehicle(game, values["other"]).id if "other" in values else ""
    if bool(other) == ("object" in values) or other == vehicle.id:
        raise missing_error("other")
    if "other_section" in values and not other:
        raise unwanted_error("other_section")
    vehicles_in_play.require_steering(game, vehicle)
    top, speed = vehicle.model.speed_max, values.get("speed", 0)
    if speed > top:
        raise InvalidInput("out-of-range", field="speed", value=speed, lowest=0, highest=top)
    sections = (values.get("section"), values.get("other_section"))
    data = COLLISION_FORM.make_record(Drive, values)
    data = data.replace(
        vehicle=vehicle.id, what=COLLIDE, began=vehicle.speed, other=other, sections=sections
    )
    return check.replace(data=data)


def _crashed(game: Game, check: AnyDrive) -> StageResult[Drive] | None:
    """Damage the vehicles of a collision, and set the crew's rolls to brace (EGO-VEH-08)."""
    data = check.data
    mine = _vehicle(game, data.vehicle)
    if data.speed is not None:
        mine = mine.replace(speed=data.speed)
    if data.other:
        theirs = _vehicle(game, data.other)
        speeds = (mine.speed, mine.model.speed_max), (theirs.speed, theirs.model.speed_max)
        on_mine, on_theirs = vehicles.multipliers(*speeds, game.setting("collision_speed"))
        hits = [
            (mine, theirs.model.damage_points, on_mine),
            (theirs, mine.model.damage_points, on_theirs),
        ]
    else:
        counts = game.setting("collision_multiplier_objects")
        times = vehicles.against_object(mine.speed, mine.model.speed_max, multiplied=counts)
        hits = [(mine, data.object, times)]
    for hit, section in zip(hits, data.sections, strict=False):
        game, data = _impact(game, data, *hit, section)
    return StageResult(game.state, data)


def _impact(
    game: Game, data: Drive, vehicle: Vehicle, points: int, times: int, section: int | None
) -> tuple[Game, Drive]:
    """Apply the hit of a collision on one vehicle, and stop it (EGO-VEH-01, EGO-VEH-09).

    It sets off again from its least speed, in the same round too. All aboard a destroyed vehicle
    die.
    """
    after, taken = vehicles_in_play.hit_vehicle(
        vehicle, points, vehicles_in_play.hit_section(game, vehicle, section), times
    )
    least = after.model.speed_min
    after = after.replace(speed=least, began=least, stopping=False)
    game = vehicles_in_play.with_vehicle(game, after)
    shown = {
        "name": vehicle.name,
        "points": points,
        "times": times,
        "taken": taken,
        "stopped": points * times - taken,
    }
    consequences = Text("ego-crash", {**shown, "left": after.sections, "wreck": after.wreck})
    data = data.replace(
        taken=(*data.taken, (vehicle.id, taken)), consequences=(*data.consequences, consequences)
    )
    aboard = {
        who: sheet for who, sheet in _aboard(game, vehicle).items() if sheet.down != damage.DEAD
    }
    if after.wreck:
        for who, sheet in aboard.items():
            body = body_of(sheet)
            dead = body.replace(lethal=body.vitality, down=damage.DEAD)
            down = Text("ego-hit-down", {"who": Ref(who), "how": damage.DEAD})
            game, data = group_rolls.record_change(game, data, who, with_body(sheet, dead), down)
        return game, data
    rolls = [who for who in aboard if taken and not (data.waived and who in vehicle.held)]
    trials = group_rolls.trials_of(game, rolls, BRACE, vehicles.BRACE, "agility")
    return game, data.replace(trials=(*data.trials, *trials))


def _suffered(game: Game, check: AnyDrive) -> StageResult[Drive] | None:
    """Apply their share of the damage to the characters aboard (EGO-VEH-09)."""
    data = check.data
    for who, points in _shares(game, data):
        if points:
            game, data = group_rolls.apply_damage(game, data, who, points, check.round)
    return group_rolls.damage_step(game, data.replace(over=True))


def _shares(game: Game, data: Drive) -> list[tuple[str, int]]:
    """Return the damage to each character that rolls to brace, by the current dice (EGO-VEH-09)."""
    braced = group_rolls.trial_results(data, BRACE)
    known = {vehicle.id: vehicle for vehicle in vehicles_in_play.vehicles_of(game.state)}
    shares: list[tuple[str, int]] = []
    for key, taken in data.taken:
        vehicle = known.get(key)
        if vehicle is None:
            continue
        for who in _aboard(game, vehicle):
            if who in braced:
                held = who in vehicle.held
                shares.append((who, vehicles.share(taken, held=held, braced=braced[who])))
    return shares


# --- view -----------------------------------------------------------------------------------------


def _describe(game: Game, check: AnyDrive) -> tuple[Block, ...]:
    data = check.data
    if data.what == COLLIDE:
        verdicts = _crash_verdicts(game, check)
        crashed = Fact(WITH_LABEL, _crashed_vehicles(data), FOR_EVERYONE)
        # A headline without casualties names the vehicles itself.
        with_casualties = any(verdict.what is None for verdict in verdicts)
        facts: list[Block] = [] if data.over and not with_casualties else [crashed]
    else:
        verdicts = _emergency_verdicts(game, check)
        what = Text("ego-emergency", {"what": data.what, "full": data.full})
        vehicle = labeled_fact("vehicle", (_vehicle_name(game, data.vehicle),))
        facts = [Fact(WITH_LABEL, what, FOR_EVERYONE), vehicle]
    if data.object:
        facts.append(labeled_fact("object", data.object))
    if data.speed is not None:
        facts.append(labeled_fact("speed", data.speed))
    if data.waived:
        facts.append(Note(Text("ego-option", {"what": "waived"}), FOR_EVERYONE))

    def verdict(reveal: Reveal) -> tuple[Verdict, ...]:
        return verdicts if reveal == "all" or data.over else ()

    ends = not data.over
    return group_rolls.describe(game, check, *facts, verdict=verdict, ends=ends)


def _crashed_vehicles(data: Drive) -> Text:
    """Return what the vehicles of a crash have taken."""
    crashed = [
        Text("ego-crashed", event.params) for event in data.consequences if event.code == CRASH
    ]
    return Text("ego-listed", {"what": tuple(crashed)})


def _crash_verdicts(game: Game, check: AnyDrive) -> tuple[Verdict, ...]:
    """Return who dies in a crash, or what happens to those aboard unless something changes."""
    data = check.data
    if not data.over:
        return casualties.stake_verdicts(game, _crash_stakes(game, check), braces=True)
    what = Text("ego-emergency", {"what": data.what})
    vehicles_only = Verdict(what, "neutral", FOR_EVERYONE, what=_crashed_vehicles(data))
    return casualties.harm_verdicts(game, check, "crash", vehicles_only)


def _crash_stakes(game: Game, check: AnyDrive) -> casualties.Stakes:
    """Return the shares of those aboard: with the dice as they lie, and without bracing."""
    thrown = {throw.who for throw in check.data.throws if throw.what == BRACE}
    failed: list[Casualty] = []
    due: list[Casualty] = []
    for who, points in _shares(game, check.data):
        sheet: EgoSheet = game.sheet(who)
        hit = damage.apply_hit(body_of(sheet), points, armor=armor_of(sheet))
        if not hit.taken:
            continue
        (failed if who in thrown else due).append(Casualty(who, hit.taken, end=hit.after.down))
    return tuple(failed), tuple(due)


def _emergency_verdicts(game: Game, check: AnyDrive) -> tuple[Verdict, ...]:
    """Return how an emergency ends, or what happens unless something changes."""
    data = check.data
    if not data.over:
        return casualties.stake_verdicts(game, casualties.failed_rolls(data, _ends_of_rolls(data)))
    if data.what == WAKE:
        return _waking_verdicts(game, check)
    good = all(
        group_rolls.trial_results(data, what).get(check.actor, True)
        for what in (CONTROL, AWAKE, AGAIN)
    )
    verdict = success_verdict(game, check, good=good)

    def with_ends(people: tuple[Casualty, ...]) -> Verdict:
        ends = casualties.end_lines(people)
        return verdict.replace(what=Text("ego-listed", {"what": ends})) if ends else verdict

    if data.what == STOP:
        harmed = () if good else (Casualty(check.actor, end=casualties.NO_CONTROL),)
    else:
        harmed = casualties.casualties(data.consequences)
    return for_audiences(with_ends(harmed), with_ends(casualties.known_to_players(game, harmed)))


def _ends_of_rolls(data: Drive) -> dict[str, str]:
    """Return the end of a failed roll, for each kind of roll that still can change."""
    second = any(trial.what == AGAIN for trial in data.trials)
    awake = AGAIN if second else AWAKE
    return {
        CONTROL: casualties.NO_CONTROL,
        awake: damage.PASSED_OUT,
        COME_TO: casualties.ASLEEP,
    }


def _waking_verdicts(game: Game, check: AnyDrive) -> tuple[Verdict, ...]:
    """Return who comes to, and who stays unconscious (EGO-VEH-07)."""
    results = group_rolls.trial_results(check.data, COME_TO)
    ends = {True: casualties.AWAKE, False: casualties.ASLEEP}
    woken = tuple(Casualty(who, end=ends[good]) for who, good in results.items())

    def verdict_on(people: tuple[Casualty, ...]) -> Verdict | None:
        if not people:
            return None
        text = Text("ego-listed", {"what": casualties.end_lines(people)})
        return Verdict(text, "neutral", FOR_EVERYONE, bare=True)

    return for_audiences(verdict_on(woken), verdict_on(casualties.known_to_players(game, woken)))


def _vehicle_name(game: Game, key: str) -> Text:
    vehicle = game.state.own.get(f"{vehicles_in_play.PREFIX}:{key}")
    return Text("as-written", {"text": "" if vehicle is None else vehicle.name})


_driven: Final = partial(
    Procedure[Drive],
    data=Drive,
    describe=_describe,
    cast=group_rolls.cast,
    dice_have_fallen=has_throws,
    require=require,
    anybody=True,
)
_ROLLED: Final = group_rolls.GroupRoll[Drive]()
_EMERGENCY: Final = (_declared, group_rolls.KarmaPurchase(_ROLLED, said=True), _ROLLED, _landed)


class BraceRoll(group_rolls.SavingRoll[Drive]):
    """Rolls of those aboard to brace for a crash."""

    def has_stakes(self, game: Game, check: AnyDrive, who: str) -> bool:
        """Return whether anything gets through a character's armor, as the dice lie."""
        return any(who == casualty.who for part in _crash_stakes(game, check) for casualty in part)


_BRACED: Final = BraceRoll()
_COLLISION: Final = (
    _crashed,
    group_rolls.KarmaPurchase(_BRACED),
    _BRACED,
    _suffered,
    *group_rolls.STAYING,
)
_taken: Final = partial(_driven, dice_have_fallen=lambda data: bool(data.taken))
PROCEDURES: Final = (
    _driven("emergency", _EMERGENCY, form=EMERGENCY_FORM, begin=emergencies),
    _taken("collision", _COLLISION, form=COLLISION_FORM, begin=collisions),
)
