"""`/effect disbelieve`: doubts about effects, and what an illusion loses by them (MB-SFX-30).

Any character may doubt any effect that was seen. The roll and the words are the same whether it is
real or not, until a character sees through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from rules.core.errors import Impossible
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import require_action_left, require_turn
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.forced_rolls import CheckOutcome, outcome_stage, procedure
from rules.systems.masterbook.checks.procedure import AttemptAction, never_reads_result, throw_for
from rules.systems.masterbook.checks.roll_sources import RollSource, best_source, source_rating
from rules.systems.masterbook.checks.state import MINE, AnyAttempt, Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import describe
from rules.systems.masterbook.effects.effect_harm import with_harm_taken_back
from rules.systems.masterbook.effects.running import (
    effect_names,
    matching_effects,
    which_effect_error,
)
from rules.systems.masterbook.effects.state import (
    RunningEffect,
    effects_of,
    has_seen_through,
    with_effects_of,
)
from rules.systems.masterbook.effects.value_changes import with_changes_on_sheets
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.effect_values import (
    ENCOURAGED,
    REVIVAL_DN,
    is_revived,
    revival_seconds,
)
from rules.systems.masterbook.formulas.reference_rows import nonzero_causes
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Note, Ref, Text
from rules.table.check import ANY_GM, NEXT, PASS, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import APPROACH_FIELD, ROLL, with_npc_privacy
from rules.table.commands import AS_FIELD, CheckStart, CommandResult, known_character_options
from rules.table.forms.fields import Flag, FormContext, Number, Option, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_known
from rules.table.permissions import is_gm
from rules.table.system import Game

KIND: Final = "disbelieve"
#: Key of the victim's own roll while a helper talks the victim out of an illusion.
DOUBT: Final = "doubt"
_WEIGH: Final = "plausible"
_MOST: Final = 20
_TEXT_MOST: Final = 100
_CARE: Final = ("First Aid", "Medicine")


class Disbelief(Attempt):
    """A doubt about an effect, or a helper's try to bring back a victim of one."""

    caster: str = ""
    effect: int = 0
    name: str = ""
    #: What the GM adds to the difficulty, and whether the GM has said.
    plausible: int = 0
    weighed: bool = False
    #: Victim who is to be brought back; empty for a doubt of one's own.
    victim: str = ""
    victim_rating: Rating | None = None


# --- what was seen --------------------------------------------------------------------------------


def seen_effects(game: Game) -> Iterator[RunningEffect]:
    """Yield the effects that a participant may have seen, the newest of each caster first.

    Running effects come before those that are over.
    """
    leads = is_gm(game.state, game.actor)
    for who in game.state.characters:
        effects = effects_of(game, who)
        for effect in (*reversed(effects.running), *reversed(effects.past)):
            if leads or not effect.secret:
                yield effect


def find_seen_effect(game: Game, text: str) -> RunningEffect:
    """Return the effect that is meant, the newest of its name.

    Raises Impossible("mb-effect-none-seen") if there was none, InvalidInput("mb-effect-which").
    """
    effects = tuple(seen_effects(game))
    if not effects:
        raise Impossible("mb-effect-none-seen")
    meant = matching_effects(effects, text)
    names = effect_names(meant or effects)
    if not meant or len(names) > 1:
        raise which_effect_error(text, names)
    return meant[0]


def seen_effect(game: Game, caster: str, number: int) -> RunningEffect | None:
    """Return an effect that runs or is remembered; None if it is forgotten."""
    effects = effects_of(game, caster)
    for effect in (*effects.running, *effects.past):
        if effect.number == number:
            return effect
    return None


def disbelief_dn(effect: RunningEffect, plausible: int = 0) -> int | None:
    """Return the difficulty of seeing through an effect; None for a real one (MB-SFX-30)."""
    unreal = effect.known.blueprint.unreal
    return None if unreal is None else unreal.disbelief_dn + plausible


def with_disbeliever(game: Game, effect: RunningEffect, who: str) -> Game:
    """Return the game once a character has seen through an illusion (MB-SFX-30).

    What it did to the character is gone, and the character is immune to the same one later. For
    all others it stays.
    """
    key = (effect.caster, effect.known.name)
    mine = effects_of(game, who)
    if key not in mine.seen_through:
        mine = mine.replace(seen_through=(*mine.seen_through, key))
        game = with_effects_of(game, who, mine)
    game, _ = with_harm_taken_back(game, effect, who)
    theirs = effects_of(game, effect.caster)

    def with_doubt(seen: RunningEffect) -> RunningEffect:
        if seen.number != effect.number:
            return seen
        harm = tuple(dealt for dealt in seen.harm if dealt.who != who)
        return seen.replace(disbelievers=(*seen.disbelievers, who), harm=harm)

    theirs = theirs.replace(
        running=tuple(with_doubt(seen) for seen in theirs.running),
        past=tuple(with_doubt(seen) for seen in theirs.past),
    )
    return with_changes_on_sheets(with_effects_of(game, effect.caster, theirs))


# --- beginning ------------------------------------------------------------------------------------


def _begin(game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
    """Return a doubt about an effect.

    Raises as `find_seen_effect`, `require_turn` and `_begin_help`.
    """
    who = check.actor
    require_turn(game, game.character(who))
    effect = find_seen_effect(game, values["effect"])
    encouraged = nonzero_causes(("encouraged", ENCOURAGED if values.get("encouraged") else 0))
    mine = source_rating(game, who, RollSource("Intellect", "intellect"))
    data: Any = check.data
    data = data.replace(
        caster=effect.caster,
        effect=effect.number,
        name=effect.known.name,
        request=Plan(attribute="intellect"),
        answer=ROLL,
        mine=mine.with_causes(*encouraged),
        weighed=is_gm(game.state, game.actor),
    )
    check = check.replace(data=data, approach=values.get(APPROACH_FIELD.key, "").strip())
    if values.get("for"):
        victim = find_known(game.state, game.actor, values["for"], "for")
        check = _begin_help(game, check, effect, victim.id)
    return with_npc_privacy(game, check.replace(hidden=True))


def _begin_help(game: Game, check: AnyAttempt, effect: RunningEffect, victim: str) -> AnyAttempt:
    """Return a helper's try to bring back a victim of an illusion (MB-SFX-30).

    Raises:
        Impossible("mb-effect-still-believes"): the helper has not seen through such an effect.
        Impossible("mb-effect-not-killed"): the effect has not killed the character.
        Impossible("mb-effect-too-late"): the hours of the victim's Intellect are over.
    """
    who = check.actor
    if not has_seen_through(game, who, effect.caster, effect.known.name):
        raise Impossible("mb-effect-still-believes", who=game.display_name(who))
    name = game.display_name(victim)
    if not any(dealt.who == victim and dealt.killed for dealt in effect.harm):
        raise Impossible("mb-effect-not-killed", who=name, effect=effect.known.name)
    sheet: MasterbookSheet = game.sheet(victim)
    hours = attribute(sheet, "intellect")
    if effect.age > revival_seconds(hours):
        raise Impossible("mb-effect-too-late", who=name, hours=hours)
    helper_sheet: MasterbookSheet = game.sheet(who)
    sources = [best_source(helper_sheet, skill) for skill in _CARE]
    source = max(sources, key=lambda source: source.value(helper_sheet))
    plan = Plan(skill=source.name) if source.skill else Plan(attribute=source.attribute)
    doubt = Rating(hours, True, (("encouraged", ENCOURAGED),))
    data = check.data.replace(
        request=plan, mine=source_rating(game, who, source), victim=victim, victim_rating=doubt
    )
    return check.replace(data=data, target=victim)


class PlausibilityStage(Stage[Disbelief]):
    """The GM says how plausible an effect is, of real ones as of illusions (MB-SFX-30)."""

    name = _WEIGH

    def ask(self, game: Game, check: Check[Disbelief], /) -> tuple[Prompt, ...]:
        if check.data.weighed:
            return ()
        return (Prompt(_WEIGH, (ANY_GM,), "answer", PASS, button="mb-effect-weigh"),)

    def options(
        self, game: Game, check: Check[Disbelief], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        form = Form((Number("number", low=-_MOST, high=_MOST, needed=True),))
        effect = seen_effect(game, check.data.caster, check.data.effect)
        number = None if effect is None else disbelief_dn(effect)
        label = Text("mb-effect-weigh-it", {"dn": number, "real": number is None})
        return (CheckOption(_WEIGH, label, form),)

    def choose(self, game: Game, check: Check[Disbelief], choice: Choice, /) -> StageResult[Any]:
        plausible = choice.values.get("number") or 0
        data = check.data.replace(plausible=plausible, weighed=True)
        # What the GM has chosen would tell whether there is anything to see through.
        text = Text("mb-effect-weighed")
        return StageResult(game.state, data, NEXT, said=text)


class DoubtAction(AttemptAction):
    """The dice of a doubt, or those of a helper and of the victim."""

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return data

    def throws_due(self, game: Game, check: Check[Any]) -> tuple[Throw, ...]:
        data = check.data
        throws = [throw_for(game, check, check.actor, MINE, data.mine)]
        if data.victim:
            throws.append(throw_for(game, check, data.victim, DOUBT, data.victim_rating))
        return tuple(throws)


def _looked(game: Game, check: Check[Any]) -> CheckOutcome:
    """Let the character see through an illusion; of a real effect nothing changes (MB-SFX-30)."""
    data = check.data
    effect = seen_effect(game, data.caster, data.effect)
    if effect is None or not succeeds(data, effect):
        return game, ()
    return with_disbeliever(game, effect, data.victim or check.actor), (("sees_through", 0),)


def succeeds(data: Disbelief, effect: RunningEffect) -> bool:
    """Return whether the dice see through an effect; nobody sees through a real one."""
    number = disbelief_dn(effect, data.plausible)
    mine = data.throw_of(MINE)
    if number is None or mine is None:
        return False
    if not data.victim:
        return mine.total >= number
    doubt = data.throw_of(DOUBT)
    disbelieved = doubt is not None and doubt.total >= number
    return is_revived(mine.total, disbelieved=disbelieved)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a doubt; only the GMs read what it went against."""
    data = check.data
    name = {"name": data.name, "victim": Ref(data.victim) if data.victim else None}
    blocks: list[Block] = [Note(Text("mb-effect-doubted", name), FOR_EVERYONE)]
    if data.over:
        seen = any(facts for _, facts in data.consequences)
        about: dict[str, Any] = {"who": Ref(data.victim or check.actor), "seen": seen}
        about |= {"helped": bool(data.victim), "number": REVIVAL_DN}
        blocks.insert(0, Note(Text("mb-effect-looked", about), dice_viewers(check)))
    effect = seen_effect(game, data.caster, data.effect)
    if effect is not None and data.throws:
        number = disbelief_dn(effect, data.plausible)
        blocks.append(Note(Text("mb-effect-disbelief-dn", {"dn": number}), GMS_ONLY))
    without_outcome = check.replace(data=data.replace(consequences=()))
    return describe(game, without_outcome, blocks)


# --- the command ----------------------------------------------------------------------------------


def _effect_options(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects that a participant may have seen, for completion."""
    if asking.game is None:
        return ()
    names = dict.fromkeys(effect.known.name for effect in seen_effects(asking.game))
    return tuple(Option(name, Text("as-written", {"text": name})) for name in names)


_EFFECT: Final = Typed("effect", most=_TEXT_MOST, choices=_effect_options, needed=True)
_ENCOURAGED: Final = Flag("encouraged", label=Text("mb-effect-field", {"what": "encouraged"}))
_FOR: Final = Typed("for", most=_TEXT_MOST, choices=known_character_options)
FORM: Final = Form((_EFFECT, _ENCOURAGED, _FOR, APPROACH_FIELD))
_ROLLING: Final = DoubtAction(reads=never_reads_result, hostile=False).stages(reading=False)[1:]
PROCEDURE: Final = procedure(
    KIND,
    (PlausibilityStage(), *_ROLLING, outcome_stage(_looked), BadLuckStage()),
    data=Disbelief,
    form=FORM,
    begin=_begin,
    describe=_describe,
    require=lambda game, check: None,
    require_start=require_action_left,
    takes_turn=lambda game, check: True,
)


def _start(game: Game, values: Values) -> CommandResult:
    """Begin a doubt, in private; bringing back a victim is there for all to see."""
    begun = {key: entry for key, entry in values.items() if key != "as"}
    visibility = "public" if values.get("for") else "private"
    return CheckStart(KIND, begun, as_=values.get("as"), visibility=visibility, openly=False)


PROCEDURES: Final[tuple[Procedure[Any], ...]] = (PROCEDURE,)
COMMANDS: Final = (command("effect disbelieve", _start, _EFFECT, _ENCOURAGED, _FOR, AS_FIELD),)
