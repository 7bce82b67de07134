"""Working on somebody by words or feints: said, resisted, rolled, lowered, and what it does
(MB-INT, MB-LP-04).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks import action_economy, card_windows
from rules.systems.masterbook.checks import procedure as check_procedure
from rules.systems.masterbook.checks.action_economy import (
    SURPRISED,
    command,
    end_surprise,
    no_defense_reason,
    pace_of,
    require_awake,
)
from rules.systems.masterbook.checks.card_awards import BadLuckStage, CardLossStage, check_deeds
from rules.systems.masterbook.checks.forced_rolls import CheckOutcome, outcome_stage, procedure
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    find_source,
    learned_sources,
    unlearned_sources,
)
from rules.systems.masterbook.checks.roll_stages import (
    LIFE_POINT,
    SPENT,
    CardStage,
    Moments,
    can_spend_point,
)
from rules.systems.masterbook.checks.sheet_damage import (
    damage_character,
    fatigue_damage,
    stymied_shock,
)
from rules.systems.masterbook.checks.state import AnyAttempt, Attempt, Plan, Rating
from rules.systems.masterbook.checks.view import describe
from rules.systems.masterbook.combat.declaration import (
    COMBAT_OPTIONS,
    hidden_unless_agreed,
    lessened_surprise,
)
from rules.systems.masterbook.combat.memory import remember, with_remembered_rows
from rules.systems.masterbook.combat.odds import check_odds
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.formulas import interaction, movement
from rules.systems.masterbook.formulas.attack_options import floor_of
from rules.systems.masterbook.formulas.reference_rows import (
    INTERACTIONS,
    OPTIONS,
    InteractionKind,
    Rounds,
    nonzero_causes,
)
from rules.systems.masterbook.formulas.skills import rows_of
from rules.systems.masterbook.formulas.success_chart import NO_RESULT, result
from rules.table.blocks import GMS_ONLY, Block, Note, Ref, Text
from rules.table.check import PASS, Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.shared_blocks import dice_viewers
from rules.table.checks.stages import (
    APPROACH_FIELD,
    HIDDEN_BY_GM_FIELD,
    MODIFIER_FIELD,
    NOTE_FIELD,
    require_other_target,
)
from rules.table.commands import (
    AS_FIELD,
    VISIBILITY_FIELD,
    WITH_FIELD,
    check_starter,
    known_character_options,
)
from rules.table.forms import Flag, Form, FormContext, Option, Pick, Typed, plain_options
from rules.table.marks import marks_of, with_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark, Until
from rules.table.system import Game, is_npc

RESIST, LOWER = "resist", "lower"
#: The mark of somebody whom hypnotism has put into a trance.
TRANCE: Final = "trance"
_FAITH, _HYPNOTISM = "Faith", "Hypnotism"
_ON_FOOT: Final = (interaction.MANEUVER, "Acrobatics", "Martial Arts")
#: What marks last until they are taken away: by the next action, by the turn that is lost, by the
#: end of the fight.
_MARK_DURATIONS: Final[dict[str, Until]] = {
    interaction.SETBACK: "encounter",
    interaction.BREAK: "encounter",
    TRANCE: "scene",
}


class Interaction(Attempt):
    """One attempt; the target has `resisted` once they have said how, and spent a point to lower it
    by `steps`.

    `cards` have lowered it by as many besides.
    """

    resisted: bool = False
    steps: int = 0
    cards: int = 0

    @property
    def reached_level(self) -> str:
        lowered = self.column == "general" and (self.steps or self.cards)
        return interaction_result(self) if lowered else super().reached_level

    @property
    def is_undone(self) -> bool:
        lowered = bool(self.steps or self.cards)
        return lowered and interaction_result(self) == NO_RESULT


# --- what is done ---------------------------------------------------------------------------------


def _skills(asking: FormContext) -> tuple[Option, ...]:
    sheet = check_procedure.actor_sheet(asking)
    found = () if sheet is None else (*learned_sources(sheet), *unlearned_sources(sheet))
    return plain_options(
        [
            each.name
            for each in found
            if interaction.interaction_for_skill(each.skill, each.focus) is not None
        ]
    )


def _find_skill(asking: FormContext, text: str) -> str:
    """InvalidInput("mb-no-interaction"), and as `find`."""
    sheet = check_procedure.actor_sheet(asking)
    means = find_source(sheet if sheet is not None else MasterbookSheet(), text)
    if interaction.interaction_for_skill(means.skill, means.focus) is None:
        raise InvalidInput(
            "mb-no-interaction", field="skill", value=text[:100], allowed=tuple(INTERACTIONS)
        )
    return means.name


def _kind(asking: FormContext) -> InteractionKind | None:
    """The interaction that is being said, or was proposed."""
    sheet, said = check_procedure.actor_sheet(asking), check_procedure.skill_in_form(asking)
    means = find_source(sheet, said) if sheet is not None and said else None
    way = None if means is None else interaction.interaction_for_skill(means.skill, means.focus)
    return None if way is None else INTERACTIONS[way[0]]


_SKILL: Final = Pick("skill", choices=_skills, find=_find_skill)
_ROWS: Final = check_procedure.rows_by(
    lambda asking: "" if (kind := _kind(asking)) is None else kind.skill
)
_SURPRISES: Final = tuple(
    [
        Option(each.id, Text("mb-surprised-how", {"how": each.id}))
        for each in OPTIONS.values()
        if each.maneuver
    ]
)


def _surprises(asking: FormContext) -> tuple[Option, ...]:
    kind = _kind(asking)
    return () if kind is not None and kind.skill != interaction.MANEUVER else _SURPRISES


#: Both take something away from whoever it is done to, so only GMs say them.
_SURPRISE: Final = Pick(
    "surprise", choices=_surprises, hidden_if=hidden_unless_agreed(COMBAT_OPTIONS)
)
_WILLING: Final = Flag(
    "willing", label=Text("mb-with", {"what": "willing"}), hidden_if=HIDDEN_BY_GM_FIELD.hidden_if
)
FORM: Final = Form((_SKILL, _ROWS, _SURPRISE, _WILLING, APPROACH_FIELD, MODIFIER_FIELD))
_FRESH: Final = Flag("fresh", label=Text("mb-with", {"what": "fresh"}))
RULING: Final = Form(
    (
        _ROWS,
        _SURPRISE,
        _WILLING,
        _FRESH,
        check_procedure.SITUATIONS,
        MODIFIER_FIELD,
        check_procedure.HARDER,
        check_procedure.UNAWARE,
        NOTE_FIELD,
    )
)


def _rounds(game: Game, check: AnyAttempt) -> Rounds:
    """What rounds are counted there (MB-TIME-01)."""
    pace = None if check.round is None else pace_of(game, check.place)
    return "none" if pace is None else pace.kind


# --- what resists ---------------------------------------------------------------------------------


def _resistance_choices(sheet: MasterbookSheet, kind: InteractionKind) -> tuple[RollSource, ...]:
    """What somebody may hold against it, the usual first (MB-CMB-04, MB-SKILL-WILLPOWER,
    MB-SKILL-FAITH).
    """
    bare = RollSource(kind.resisting_attribute.capitalize(), kind.resisting_attribute)
    if kind.skill == interaction.MANEUVER:
        mine = [
            each
            for each in learned_sources(sheet)
            if interaction.maneuver_penalty(each.skill, each.focus) is not None
        ]
        # Mounts and vehicles have to be said: nobody knows who sits on one.
        usual = max(
            [bare, *(each for each in mine if each.skill in _ON_FOOT)], key=partial(_worth, sheet)
        )
        return (usual, *(each for each in mine if each is not usual))
    learned, name = (
        [each for each in learned_sources(sheet) if each.skill == kind.resisting],
        kind.skill.casefold(),
    )
    wills = [each for each in learned if not each.special or name in each.special.casefold()]
    will = max(wills, key=partial(_worth, sheet), default=bare)
    rated = (
        attribute(sheet, "confidence"),
        will.all_adds,
        attribute(sheet, kind.resisting_attribute),
    )
    usual = will if movement.best_resistance(*rated).uses == "willpower" else bare
    faiths = [each for each in learned_sources(sheet) if each.skill == _FAITH and not each.special]
    stronger = [
        each for each in faiths if movement.best_resistance(*rated, each.adds).uses == "faith"
    ]
    return (usual, *stronger)


def _worth(sheet: MasterbookSheet, means: RollSource) -> tuple[int, bool]:
    return means.value(sheet) - (interaction.maneuver_penalty(means.skill, means.focus) or 0), bool(
        means.skill
    )


def _plan(means: RollSource, stand: str = "passive") -> Plan:
    if means.skill:
        return Plan(skill=means.name, stand=stand)
    return Plan(attribute=means.attribute, stand=stand)


# --- numbers --------------------------------------------------------------------------------------


def _target_surprise(game: Game, target: str, said: Plan, kind: InteractionKind) -> tuple[str, ...]:
    """How the target is taken by surprise, as a GM says or has looked; it counts for maneuvers
    (MB-SUR-01).
    """
    if kind.skill != interaction.MANEUVER:
        return ()
    if said.surprise:
        return tuple(lessened_surprise(game, target, (said.surprise,)))
    return tuple(each.what for each in marks_of(game.state, target, SURPRISED))


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Interaction) -> Interaction:
    """The data with what both sides roll with or hold against it now, and what moves that.

    Impossible("mb-not-in-rounds", "mb-trained-only"); InvalidInput as
    `interaction.circumstances` and `means_of`.
    """
    said, target = data.effective_ruling, check.target
    means = check_procedure.means_of(game, check.actor, data.request)
    way = interaction.interaction_for_skill(means.skill, means.focus)
    if way is None or target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="victim")
    kind = interaction.interaction(
        way[0],
        _rounds(game, check),
        con_column=game.setting("con_column"),
        persuasion_in_combat=game.setting("persuasion_in_combat"),
    )
    rows = said.rows
    if not said.fresh:
        rows = with_remembered_rows(game, check.actor, target, kind.skill, rows)
    helps, hinders = interaction.circumstances(
        kind.skill, dict([check_procedure.split_row(each) for each in rows])
    )
    taken = [(each, OPTIONS[each].attack) for each in _target_surprise(game, target, said, kind)]
    causes = check_procedure.option_causes(game, check, data)
    mine = check_procedure.actor_rated(game, check, data).with_causes(*helps, *taken)
    mine = check_procedure.with_option_causes(mine, causes)
    cap = game.setting("interactive_cap_on") if game.setting("interactive_cap") else ""
    against = (*hinders, *nonzero_causes(("acrobatics", way[1]), ("harder", said.harder)))
    side = data.defense
    if side is None or not data.resisted:
        side = _plan(_resistance_choices(game.sheet(target), kind)[0])
    theirs = _target_resistance(game, target, kind, side, said.willing).with_causes(*against)
    data, theirs = check_procedure.with_resistance_causes(game, target, side, data, theirs, causes)
    return data.replace(
        mine=mine.replace(most=mine.value) if cap == "bonus_number" else mine,
        theirs=theirs,
        defense=side,
        column=kind.column,
        most=mine.value if cap == "result_points" else None,
    )


def _target_resistance(
    game: Game, who: str, kind: InteractionKind, side: Plan, willing: bool
) -> Rating:
    """What the target holds against it; a trance takes more, or less of the willing
    (MB-SKILL-HYPNOTISM).
    """
    means = check_procedure.means_of(game, who, side)
    found = check_procedure.rated_by(game, who, side, passive=not side.active, acting=side.active)
    value, own = found.value, 0
    if kind.skill == _HYPNOTISM:
        value = movement.trance(
            attribute(game.sheet(who), "mind") if willing else value, willing, value
        )
    if kind.skill == interaction.MANEUVER:
        own = interaction.maneuver_penalty(means.skill, means.focus) or 0
    floor, trained = (
        floor_of(means.focus) if side.active else None,
        found.trained and bool(means.skill),
    )
    found = found.with_causes(*nonzero_causes(("acrobatics", -own)), value=value, trained=trained)
    return found.with_floor(floor)


def interaction_result(data: Interaction) -> str:
    """What it comes to on its column, points spent against it counted; `none` for a failure
    (MB-INT-11).
    """
    found = data.result
    reached = NO_RESULT if found is None else result(data.column, found.points)
    if reached == NO_RESULT:
        return NO_RESULT
    return interaction.lower_result(data.column, reached, own=data.steps, cards=data.cards)


# --- stages ---------------------------------------------------------------------------------------


class InteractionProposal(check_procedure.CheckProposal):
    """A GM says what helps and hinders it; how the target likes them is theirs alone to say
    (MB-INT-01).
    """

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        require_other_target(check, "opponent")
        require_awake(game, check.actor)
        return super().read_request(game, check, values)

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        return False

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        kind = _kind(FormContext(game, check, check.actor))
        liked = kind is not None and any(not each.attempt for each in rows_of(kind.skill))
        return (
            None
            if liked and not is_gm(game.state, game.actor)
            else super().automatic_answer(game, check)
        )


class InteractionPreparation(check_procedure.CheckPreparation):
    """Its owner rolls; the target is asked afterwards."""

    def awaits_other_side(self, game: Game, check: AnyAttempt) -> bool:
        return False

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        return tuple(
            [each for each in super().ask(game, check) if each.key not in ("face", "faced")]
        )


def _resist_option(stand: str, means: RollSource | None = None, value: str = "") -> CheckOption:
    about = {"stand": stand, "name": None if means is None else means.name}
    return CheckOption(value or stand, Text("mb-resists", about))


class ResistanceStage(Stage[Interaction]):
    """The target holds its value against it, or takes an action to roll; in private (MB-CMB-03,
    MB-INT-01).
    """

    name = RESIST
    orders = ((RESIST, _resist_option("active")),)

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data, who = check.data, check.target
        gone = (
            who is None
            or data.resisted
            or data.effective_ruling.willing
            or game.sheet(who).harm.out
        )
        return (
            ()
            if gone
            else (
                Prompt(
                    RESIST, (who or "",), "answer", PASS, True, button="answer-defend", risks=True
                ),
            )
        )

    def _ways(self, game: Game, check: Check[Any], who: str) -> dict[str, tuple[str, RollSource]]:
        kind = _kind(FormContext(game, check, check.actor))
        if kind is None:
            return {}
        found, stands = _resistance_choices(game.sheet(who), kind), ["active", "passive"]
        taken = any(
            not OPTIONS[each].foe_active
            for each in _target_surprise(game, who, check.data.effective_ruling, kind)
        )
        if marks_of(game.state, who, interaction.SETBACK) or no_defense_reason(
            game, who, surprised=taken
        ):
            stands.remove("active")
        ways = {f"{stand}:{at}": (stand, each) for at, each in enumerate(found) for stand in stands}
        return {
            "active" if key == "active:0" else key: each
            for key, each in ways.items()
            if key != "passive:0"
        }

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        return [_resist_option(*each, key) for key, each in self._ways(game, check, who).items()]

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Interaction]:
        stand, means = self._ways(game, check, choice.who)[choice.option]
        data = check.data.replace(
            defense=_plan(means, stand), defense_by=game.actor.id, resisted=True
        )
        return StageResult(game.state, refresh_from_sheets(game, check, data))


class InteractionRoll(check_procedure.AttemptAction):
    """The dice of whoever tries it, and of a target that resists actively."""

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        game = super().use_up_effects(game, check)
        kind = _kind(FormContext(game, check, check.actor))
        if kind is None or kind.skill != interaction.MANEUVER or check.target is None:
            return game
        return end_surprise(game, check.target, rounds=check.round is not None)


def _effect(result: str) -> Text:
    return Text("mb-effect", {"result": result})


def _lower_option(now: str = "", less: str = "") -> CheckOption:
    steps = {"now": _effect(now), "less": _effect(less)} if now else {}
    return CheckOption(LOWER, Text("mb-lower-result", steps), cost=LIFE_POINT)


class LowerResultStage(CardStage):
    """The target may spend one Life Point to lower the result a step; in private (MB-LP-04,
    MB-LP-05).
    """

    name = LOWER
    uses = ("step",)
    orders = ((LOWER, _lower_option()),)

    def moments(self, game: Game, check: Check[Any]) -> Moments:
        aimed = (check.target,) if check.target else ()
        return (Moment("after_resolution", check.actor, check.actor, against=aimed),)

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data, who = check.data, check.target
        if who is None or data.over or data.failed or interaction_result(data) == NO_RESULT:
            return ()
        if check.visibility == "blind" or game.sheet(who).harm.out:
            return ()
        asks = not data.steps or who in self.possible_players(game, check)
        return (Prompt(LOWER, (who,), "means", PASS, True, harms=True),) if asks else ()

    def has_means(self, game: Game, check: Check[Any], who: str, /) -> bool:
        points = can_spend_point(game, who) and not check.data.steps
        return points or who in self.possible_players(game, check)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        cards, data = self.card_options(game, check, who), check.data
        if data.steps or not can_spend_point(game, who):
            return cards
        return (
            _lower_option(interaction_result(data), interaction_result(data.replace(steps=1))),
            *cards,
        )

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Interaction]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data.replace(steps=1), said=SPENT)
        game, data, _, said = self.play_card(game, check, choice)
        return StageResult(game.state, data.replace(cards=data.cards + 1), said=said)


def _works(game: Game, check: Check[Any]) -> CheckOutcome:
    """What it does: marks until they are used, shock at once, a trance; the rest is the GM's to
    tell (MB-INT-11).
    """
    data, who = check.data, check.target
    if who is None:
        return game, ()
    reached = interaction_result(data)
    kind = _kind(FormContext(game, check, check.actor))
    if kind is not None:
        rows = data.effective_ruling.rows
        game = remember(game, check.actor, who, kind.skill, reached, rows)
    done, said = interaction.effects(reached), list[tuple[str, int]]()
    theirs = done.theirs
    if (
        reached != NO_RESULT
        and check_procedure.means_of(game, check.actor, data.request).skill == _HYPNOTISM
    ):
        theirs = (TRANCE,)
    for whose, marks in ((who, theirs), (check.actor, done.mine)):
        for key in marks:
            mark = Mark(key, check.id, value=1, until=_MARK_DURATIONS.get(key, "used"), by=check.id)
            if key != interaction.SETBACK or check.round is not None:
                game = game.with_state(with_marks(game.state, whose, mark))
            said.append((key, 0))
    if interaction.STYMIED in theirs:
        game, hurt = stymied_shock(game, who, check.id)
        said += hurt
    if done.shock:
        game, hurt = damage_character(game, who, fatigue_damage(game, who, done.shock))
        said += hurt
    if reached == "players_call":
        said.append((reached, 0))
    return game, tuple(said)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    data, found = check.data, list[Block]()
    if data.steps and check.target is not None:
        seen = GMS_ONLY if is_npc(game, check.target) else dice_viewers(check)
        lowered = {"who": Ref(check.target), "result": _effect(interaction_result(data))}
        found.append(Note(Text("mb-lowered-result", lowered), seen))
    return describe(game, check, found)


# --- the command ----------------------------------------------------------------------------------


_PROPOSAL: Final = InteractionProposal(FORM, RULING, refresh_from_sheets)
PROCEDURE: Final = procedure(
    "interact",
    (
        *(
            _PROPOSAL,
            InteractionPreparation(_PROPOSAL),
            *InteractionRoll(refresh_from_sheets).stages(ResistanceStage()),
            LowerResultStage(),
        ),
        *(outcome_stage(_works, to_target=True), CardLossStage(), StymiedShockStage()),
        BadLuckStage(check_deeds),
    ),
    data=Interaction,
    aims=True,
    form=FORM,
    begin=_PROPOSAL.propose,
    describe=_describe,
    odds=partial(check_odds, look=refresh_from_sheets),
    in_words=True,
    require_start=action_economy.require_action_left,
    takes_turn=lambda game, check: True,
)
_OPTIONS: Final = (
    Typed("target", most=100, choices=known_character_options),
    WITH_FIELD,
    AS_FIELD,
    VISIBILITY_FIELD,
)
_SHARED: Final = ("skill", "approach", "modifier")
_BEGINS: Final = check_starter("interact", target="target")
COMMANDS: Final = (command("interact", _BEGINS, *_OPTIONS, kind="interact", shared=_SHARED),)
