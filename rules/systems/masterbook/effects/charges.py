"""`/effect use`: releasing stored charges, and handing over what holds them (MB-SFX-29)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.core.name_matching import name_key, unique_match
from rules.systems.masterbook.checks import attempt_values
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import (
    require_action_left,
    require_awake,
    require_turn,
    spend_action,
    turns_of,
)
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result, throw_for
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Rating
from rules.systems.masterbook.checks.view import dice_of
from rules.systems.masterbook.effects.cast_declaration import (
    AROUND,
    COMPONENTS,
    aims_of,
    require_conditions,
    require_detour,
    require_reach,
    require_targets,
)
from rules.systems.masterbook.effects.cast_state import CastOutcome, release_conditions
from rules.systems.masterbook.effects.cast_support import condition_plan
from rules.systems.masterbook.effects.cast_view import detour_facts
from rules.systems.masterbook.effects.casting import CastDeclarationStage
from rules.systems.masterbook.effects.reports import answered_in_private, report_events
from rules.systems.masterbook.effects.state import (
    EffectTarget,
    StoredCharges,
    effects_of,
    with_effects_of,
)
from rules.systems.masterbook.effects.strike_state import EffectStart
from rules.systems.masterbook.effects.taking_hold import (
    require_free_holder,
    roller_of,
    start_effect,
)
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, Condition
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.effect_values import Detour
from rules.table.actions import Action
from rules.table.blocks import EVERYONE, FOR_EVERYONE, GMS, Block, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.procedure import AutomaticStage, Procedure, StageResult
from rules.table.checks.shared_blocks import dice_result_blocks, dice_viewers, full_and_plain
from rules.table.checks.stages import APPROACH_FIELD, ROLL, with_npc_privacy
from rules.table.commands import (
    AS_FIELD,
    VISIBILITY_FIELD,
    WITH_FIELD,
    CommandResult,
    check_starter,
    distance_field,
    known_character_options,
)
from rules.table.deeds import Deed
from rules.table.events import Event
from rules.table.forms.fields import FormContext, Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import acting_character, find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game, is_npc

KIND: Final = "effect-use"
_TEXT_MOST: Final = 100
_FARTHEST: Final = 10_000
#: Conditions that can be rolled when a charge is released.
_ROLLED: Final = ("concentration", "gesture", "incantation", "related_skill")


class ChargeUse(Attempt):
    """A charge that is released, and its targets."""

    charges: StoredCharges | None = None
    aims: tuple[EffectTarget, ...] = ()
    #: What the effect goes around on its way; None: its way is free (MB-SFX-S12).
    around: Detour | None = None
    #: Whether the holder has everything that has to be there; and the GM has agreed.
    prepared: bool = False
    consented: bool = False
    broken_off: bool = False

    @property
    def blueprint(self) -> Blueprint:
        assert self.charges is not None, "found as it began"
        return self.charges.known.blueprint

    @property
    def met(self) -> bool:
        """Whether everything is there, and every roll of the trigger has reached its number."""
        if not self.prepared or not self.consented:
            return False
        for index, condition in trigger_rolls(self.blueprint):
            thrown = self.throw_of(trigger_key(index))
            number = condition_dn(condition)
            if thrown is None or number is None or thrown.total < number or thrown.fails:
                return False
        return True


# --- what is held ---------------------------------------------------------------------------------


def trigger_rolls(blueprint: Blueprint) -> Iterator[tuple[int, Condition]]:
    """Yield the conditions that take a roll when a charge is released (MB-SFX-29, MB-SFX-31)."""
    for index, condition in release_conditions(blueprint):
        if condition.kind in _ROLLED and condition_dn(condition) is not None:
            yield index, condition


def release_things(blueprint: Blueprint) -> tuple[tuple[int, Condition], ...]:
    """Return the components that have to be there at the release, with their indexes."""
    things: list[tuple[int, Condition]] = []
    for index, condition in release_conditions(blueprint):
        if condition.kind == "component":
            things.append((index, condition))
    return tuple(things)


def release_rulings(blueprint: Blueprint) -> tuple[str, ...]:
    """Return the conditions of a release that only the GM can say are met, in words."""
    conditions = (condition for _, condition in release_conditions(blueprint))
    return tuple(condition.text for condition in conditions if condition.kind == "other")


def trigger_key(index: int) -> str:
    """Return the key of a condition's roll among the throws of a release."""
    return f"trigger {index + 1}"


def charges_title(charges: StoredCharges) -> str:
    """Return charges with what holds them: `Fireball (oak wand)`."""
    name = charges.known.name
    return f"{name} ({charges.holder})" if charges.holder else name


def charge_names(held: Iterable[StoredCharges]) -> dict[int, str]:
    """Return the names by which a character's charges are chosen, by their numbers.

    Charges of one title that do different things have their number too: `Fireball (oak wand) #2`.
    Of charges that are alike either will do, so they share a name.
    """
    by_title: dict[str, list[StoredCharges]] = {}
    for charges in held:
        by_title.setdefault(name_key(charges_title(charges)), []).append(charges)
    names: dict[int, str] = {}
    for same in by_title.values():
        first, *others = same
        alike = all(_are_alike(first, other) for other in others)
        for charges in same:
            title = charges_title(charges)
            names[charges.number] = title if alike else f"{title} #{charges.number}"
    return names


def _are_alike(one: StoredCharges, other: StoredCharges) -> bool:
    """Return whether charges do the same when they are released."""
    return one == other.replace(number=one.number, left=one.left)


def find_charges(game: Game, who: str, text: str) -> StoredCharges:
    """Return the charges that a character means.

    Raises Impossible("mb-effect-no-charges") for a character without any, and as `unique_match`.
    """
    held = effects_of(game, who).charges
    if not held:
        raise Impossible("mb-effect-no-charges", who=game.display_name(who))
    names = charge_names(held)
    return unique_match(held, text, lambda charges: names[charges.number], field="charge")


def with_one_less(game: Game, who: str, charges: StoredCharges) -> Game:
    """Return the game with one charge used up; the last one leaves no charges (MB-SFX-29)."""
    effects = effects_of(game, who)
    kept: list[StoredCharges] = []
    for held in effects.charges:
        if held.number == charges.number:
            held = held.replace(left=held.left - 1)
        if held.left > 0:
            kept.append(held)
    return with_effects_of(game, who, effects.replace(charges=tuple(kept)))


def released_cast(
    game: Game, charges: StoredCharges, holder: str, aims: tuple[EffectTarget, ...], check: str
) -> CastOutcome:
    """Return the casting of a released charge, with the stored effect value (MB-SFX-29).

    If the maker has left the game, the holder counts as the caster.
    """
    maker = charges.maker if charges.maker in game.state.characters else holder
    return CastOutcome(
        charges.known,
        maker,
        charges.effect_value,
        aims,
        check=check,
        bearer=holder,
        shift=charges.shift,
    )


def release(
    game: Game,
    charges: StoredCharges,
    holder: str,
    aims: tuple[EffectTarget, ...],
    place: str,
    check: str,
    around: Detour | None = None,
) -> tuple[Game, tuple[Event, ...]]:
    """Return the game once a charge goes off, and the messages about it (MB-SFX-29).

    The holder rolls to hit with an own skill, and steers what runs then; its caster is the maker.
    """
    game = with_one_less(game, holder, charges)
    cast = released_cast(game, charges, holder, aims, check).replace(around=around)
    roller = roller_of(charges.known.blueprint, holder, anew=True)
    return start_effect(game, EffectStart(cast, roller=roller, charged=True), place)


# --- the check ------------------------------------------------------------------------------------


def _begin_use(game: Game, check: Check[Any], values: Values) -> Check[Any]:
    """Return the release of a charge.

    Raises as `require_turn`, `turns_of`, `find_charges`, `aims_of`, `require_targets`,
    `require_reach`, `require_detour` and `require_conditions`.
    """
    who = check.actor
    require_turn(game, game.character(who))
    turns_of(game, who)
    charges = find_charges(game, who, values["charge"])
    blueprint = charges.known.blueprint
    aims = aims_of(check, blueprint, values)
    require_targets(check, blueprint, aims)
    require_reach(game, blueprint, aims)
    target = next((aim.who for aim in aims if aim.who), None)
    around = require_detour(blueprint, values)
    require_conditions(game, who, release_conditions(blueprint))
    data = check.data.replace(charges=charges, aims=aims, around=around, answer=ROLL)
    data = data.replace(
        prepared=COMPONENTS.key in values or not release_things(blueprint),
        consented=is_gm(game.state, game.actor) or not release_rulings(blueprint),
    )
    approach = values.get(APPROACH_FIELD.key, "").strip()
    return with_npc_privacy(game, check.replace(data=data, target=target, approach=approach))


def _condition_rating(game: Game, who: str, condition: Condition) -> Rating:
    """Return the holder's rating for a condition of the trigger. Raises as `rated_by`."""
    return attempt_values.rated_by(game, who, condition_plan(game, who, condition))


class ReleaseDeclarationStage(CastDeclarationStage):
    """The holder ticks the components of a release; the GM is asked what only the GM can say."""

    def things(self, check: Check[Any]) -> tuple[tuple[int, Condition], ...]:
        return release_things(check.data.blueprint)

    def cost(self, check: Check[Any]) -> str:
        return ""

    def rulings(self, game: Game, check: Check[Any]) -> tuple[str | Text, ...]:
        return release_rulings(check.data.blueprint)

    def with_consent(self, game: Game, check: Check[Any]) -> Game:
        return game


class ReleaseAction(AttemptAction):
    """The rolls of a trigger; releasing is one action (MB-SFX-29, MB-SFX-31)."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return data

    def throws_due(self, game: Game, check: Check[Any]) -> tuple[Throw, ...]:
        throws: list[Throw] = []
        for index, condition in trigger_rolls(check.data.blueprint):
            rating = _condition_rating(game, check.actor, condition)
            throws.append(throw_for(game, check, check.actor, trigger_key(index), rating))
        return tuple(throws)

    def open_dice_moments(self, game: Game, check: Check[Any]) -> tuple[Any, ...]:
        return ()

    def resolution_moments(self, game: Game, check: Check[Any]) -> tuple[Any, ...]:
        return ()

    def untrained_moments(self, game: Game, check: Check[Any]) -> tuple[Any, ...]:
        return ()

    def is_settled(self, game: Game, check: Check[Any]) -> bool:
        return check.gm_only or check.data.met


# `AutomaticStage` stores the name of this function in checks: a new name refuses old databases.
def _released(game: Game, check: Check[Any]) -> StageResult[Any] | None:
    """Let the charge go off; a failed trigger loses the action alone (MB-SFX-29)."""
    data, who = check.data, check.actor
    if data.over:
        return None
    events: tuple[Event, ...] = ()
    if not tuple(trigger_rolls(data.blueprint)):
        # Without dice nothing has spent the action yet.
        game = spend_action(game, who)
    held = [held_charges.number for held_charges in effects_of(game, who).charges]
    if data.met and data.charges.number in held:
        game, events = release(
            game, data.charges, who, data.aims, check.place, check.id, data.around
        )
    return StageResult(game.state, data.replace(over=True), events=events)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a release: whether it goes off, and the rolls of its trigger."""
    data = check.data
    if data.charges is None:
        return ()
    if data.broken_off:
        return (Verdict(Text("mb-cast-broken-off"), "neutral", FOR_EVERYONE),)
    blocks = _release_heads(game, check)
    blocks += detour_facts(data.around)
    for _, condition in trigger_rolls(data.blueprint):
        about = {
            "kind": condition.kind,
            "text": condition.text or None,
            "dn": condition_dn(condition),
        }
        blocks.append(Note(Text("mb-effect-trigger", about), dice_viewers(check)))
    return (*blocks, *dice_result_blocks(check, dice_of(game, data)))


def _release_heads(game: Game, check: Check[Any]) -> list[Block]:
    """Return the verdict of a release, with the charges that are left."""
    data = check.data
    pending = check.is_open and not data.over
    left = data.charges.left
    if data.met:
        left = max(0, left - 1)
    about = {
        "who": Ref(check.actor),
        "name": data.charges.known.name,
        "holder": data.charges.holder or None,
        "works": data.met,
        "left": left,
        "pending": pending,
    }
    tone = "neutral" if pending or data.met else "bad"
    head = Verdict(Text("mb-effect-released", about), tone, FOR_EVERYONE)
    if not is_npc(game, check.actor):
        return [head]
    # How many charges an NPC has left is the GMs' to know.
    plain = Text("mb-effect-released", {**about, "left": None})
    return [*full_and_plain(head, text=plain)]


def _charge_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the charges of the character who acts."""
    game, who = asking.game, _holder(asking)
    if game is None or not who:
        return ()
    held = effects_of(game, who).charges
    names = charge_names(held)
    options: dict[str, Option] = {}
    for charges in held:
        name = names[charges.number]
        about: dict[str, Any] = {"name": name, "left": charges.left}
        # The effect value of an NPC is the GMs' to know, also in what the NPC has given away.
        may_know_value = is_gm(game.state, game.actor) or not is_npc(game, charges.maker)
        if name != charges_title(charges) and may_know_value:
            about["value"] = charges.effect_value
        options.setdefault(name, Option(name, Text("mb-effect-charge-choice", about)))
    return tuple(options.values())


def _holder(asking: FormContext) -> str:
    """Return the id of the character who acts; empty without one."""
    check = asking.check
    return (check.actor if check is not None else "") or asking.who


def _find_charge(asking: FormContext, text: str) -> str:
    """Return the name of the charges that are meant. Raises as `find_charges`."""
    who = _holder(asking)
    if asking.game is None or not who:
        return text[:_TEXT_MOST]
    held = effects_of(asking.game, who).charges
    return charge_names(held)[find_charges(asking.game, who, text).number]


def _title(key: str) -> dict[str, Any]:
    return {"title": Text("mb-effect-field", {"what": key})}


_CHARGE: Final = Pick(
    "charge", choices=_charge_options, find=_find_charge, needed=True, **_title("charge")
)
FORM: Final = Form(
    (
        _CHARGE,
        COMPONENTS,
        distance_field("on", "name 3", _FARTHEST, **_title("on")),
        Number("meters", low=0, high=_FARTHEST, offered=(1, 3, 10, 30), **_title("meters")),
        Typed("at", most=_TEXT_MOST, example="the old door", **_title("at")),
        AROUND,
        APPROACH_FIELD,
    )
)
_ROLLING: Final = ReleaseAction(reads=never_reads_result, hostile=False).stages(reading=False)[1:]
PROCEDURE: Final = procedure(
    KIND,
    (ReleaseDeclarationStage(), *_ROLLING, AutomaticStage(_released), BadLuckStage()),
    data=ChargeUse,
    form=FORM,
    begin=_begin_use,
    describe=_describe,
    require=lambda game, check: None,
    require_start=require_action_left,
    takes_turn=lambda game, check: True,
)


# --- handing over ---------------------------------------------------------------------------------


def find_giver(game: Game, text: str, place: str = "") -> AnyCharacter:
    """Return the character who hands charges over; for a GM any that is named.

    Raises as `find_known` and `acting_character`.
    """
    if text and is_gm(game.state, game.actor):
        return find_known(game.state, game.actor, text, "as")
    return acting_character(game.state, game.actor, text or None, place or None)


class HandOverCharges(Action, kw_only=True):
    """Hand an object that holds charges to another character."""

    charge: str
    #: Character who gets it.
    give: str
    #: Character who hands it over; empty for the main character.
    giver: str = ""


def hand_over(game: Game, action: HandOverCharges) -> Outcome:
    """Hand an object that holds charges to another character (MB-SFX-29).

    GMs may take it from an unconscious or dead character. Raises
    InvalidInput("mb-effect-not-an-object"), InvalidInput("target-is-self"), and as `find_giver`,
    `require_awake`, `find_charges` and `find_known`.
    """
    who = find_giver(game, action.giver, action.place)
    if not is_gm(game.state, game.actor):
        require_awake(game, who.id)
    charges = find_charges(game, who.id, action.charge)
    if charges.known.blueprint.holder != "object":
        raise InvalidInput(
            "mb-effect-not-an-object", field="give", value=None, name=charges.known.name
        )
    other = find_known(game.state, game.actor, action.give, "give")
    if other.id == who.id:
        raise InvalidInput("target-is-self", field="give", value=None)
    require_free_holder(game, other.id, charges.holder)
    mine, theirs = effects_of(game, who.id), effects_of(game, other.id)
    kept = tuple(held for held in mine.charges if held.number != charges.number)
    game = with_effects_of(game, who.id, mine.replace(charges=kept))
    number = theirs.last_number + 1
    moved = charges.replace(number=number)
    theirs = theirs.replace(last_number=number, charges=(*theirs.charges, moved))
    game = with_effects_of(game, other.id, theirs)
    about: dict[str, Any] = {
        "who": Ref(who.id),
        "other": Ref(other.id),
        "what": charges_title(charges),
        # How many charges an NPC had is the GMs' to know.
        "left": None if is_npc(game, who.id) else charges.left,
    }
    secret = is_npc(game, who.id) and is_npc(game, other.id)
    title = Text("mb-effect-handed", about)
    return Outcome(game.state, report_events(game, title, (), GMS if secret else EVERYONE))


_GIVE: Final = Typed("give", most=_TEXT_MOST, choices=known_character_options)
_HAND_OVER: Final = Deed(
    "effect use",
    HandOverCharges,
    hand_over,
    (
        Typed("charge", most=_TEXT_MOST, needed=True),
        _GIVE.replace(needed=True),
        Typed("giver", most=_TEXT_MOST),
    ),
)
_STARTS: Final = check_starter(KIND, target="target")


def _use(game: Game, values: Values) -> CommandResult:
    """Release a charge, or hand over what holds it. Raises as `answered_in_private`."""
    if "give" in values:
        who = find_giver(game, values.get("as", ""))
        handed = {key: values[key] for key in ("charge", "give") if key in values}
        if "as" in values:
            handed["giver"] = values["as"]
        return _HAND_OVER.run(game, handed).replace(openly=who.owner is not None)
    return answered_in_private(game, _STARTS(game, values))


DEEDS: Final = (_HAND_OVER,)
PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
COMMANDS: Final = (
    command(
        "effect use",
        _use,
        Typed("target", most=_TEXT_MOST, choices=known_character_options),
        _GIVE,
        WITH_FIELD,
        AS_FIELD,
        VISIBILITY_FIELD,
        kind=KIND,
        shared=("charge",),
    ),
)
