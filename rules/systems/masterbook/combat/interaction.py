"""Interactions by words or feints: forms, resistance, stages and effects (MB-INT, MB-LP-04)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks import (
    action_economy,
    attempt_values,
    card_windows,
    check_forms,
)
from rules.systems.masterbook.checks import procedure as check_procedure
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import (
    SURPRISED,
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
from rules.systems.masterbook.formulas import interaction, skill_numbers
from rules.systems.masterbook.formulas.attack_options import active_defense_floor
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
from rules.table.forms.fields import Flag, FormContext, Option, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.marks import marks_of, with_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark, Until
from rules.table.system import Game, is_npc

RESIST, LOWER = "resist", "lower"
#: Mark of a character whom hypnotism has put into a trance.
TRANCE: Final = "trance"
_FAITH, _HYPNOTISM = "Faith", "Hypnotism"
#: Skills that a character on foot resists a maneuver with.
_ON_FOOT: Final = (interaction.MANEUVER, "Acrobatics", "Martial Arts")
#: How long marks of interactions last; the others last until they are used.
_MARK_DURATIONS: Final[dict[str, Until]] = {
    interaction.SETBACK: "encounter",
    interaction.BREAK: "encounter",
    TRANCE: "scene",
}


class Interaction(Attempt):
    """Data of an interaction."""

    #: Whether the target's player has said how it resists.
    resisted: bool = False
    #: Steps by which a Life Point has lowered the result.
    steps: int = 0
    #: Steps by which cards have lowered it.
    cards: int = 0

    @property
    def reached_level(self) -> str:
        lowered = self.column == "general" and (self.steps or self.cards)
        return interaction_result(self) if lowered else super().reached_level

    @property
    def is_undone(self) -> bool:
        lowered = bool(self.steps or self.cards)
        return lowered and interaction_result(self) == NO_RESULT


# --- forms ----------------------------------------------------------------------------------------


def _interaction_of(source: RollSource) -> tuple[str, int] | None:
    """Return the interaction for which a source serves, and its penalty; None for none."""
    return interaction.interaction_for_skill(source.skill, source.focus)


def _skills(asking: FormContext) -> tuple[Option, ...]:
    """Return the skills with which the actor can interact."""
    sheet = check_forms.actor_sheet(asking)
    if sheet is None:
        return ()
    names: list[str] = []
    for source in (*learned_sources(sheet), *unlearned_sources(sheet)):
        if _interaction_of(source) is not None:
            names.append(source.name)
    return plain_options(names)


def _find_skill(asking: FormContext, text: str) -> str:
    """Return the skill that *text* names.

    Raises InvalidInput("mb-no-interaction"), and as `find_source`.
    """
    sheet = check_forms.actor_sheet(asking)
    source = find_source(sheet if sheet is not None else MasterbookSheet(), text)
    if _interaction_of(source) is None:
        raise InvalidInput(
            "mb-no-interaction", field="skill", value=text[:100], allowed=tuple(INTERACTIONS)
        )
    return source.name


def _kind(asking: FormContext) -> InteractionKind | None:
    """Return the kind of interaction of the form, or of the proposal; None while it isn't known."""
    sheet, said = check_forms.actor_sheet(asking), check_forms.skill_in_form(asking)
    if sheet is None or not said:
        return None
    way = _interaction_of(find_source(sheet, said))
    return None if way is None else INTERACTIONS[way[0]]


def _kind_of_check(game: Game, check: AnyAttempt) -> InteractionKind | None:
    """Return the kind of interaction of a check."""
    return _kind(FormContext(game, check, check.actor))


def _skill_of_kind(asking: FormContext) -> str:
    kind = _kind(asking)
    return "" if kind is None else kind.skill


_SKILL: Final = Pick("skill", choices=_skills, find=_find_skill)
_ROWS: Final = check_forms.rows_by(_skill_of_kind)
_SURPRISES: Final = tuple(
    Option(option.id, Text("mb-surprised-how", {"how": option.id}))
    for option in OPTIONS.values()
    if option.maneuver
)


def _surprises(asking: FormContext) -> tuple[Option, ...]:
    kind = _kind(asking)
    return () if kind is not None and kind.skill != interaction.MANEUVER else _SURPRISES


#: Surprise and willingness take something away from the target, so only GMs say them.
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
        check_forms.SITUATIONS,
        MODIFIER_FIELD,
        check_forms.HARDER,
        check_forms.UNAWARE,
        NOTE_FIELD,
    )
)


def _rounds(game: Game, check: AnyAttempt) -> Rounds:
    """Return the kind of rounds of a check (MB-TIME-01)."""
    pace = None if check.round is None else pace_of(game, check.place)
    return "none" if pace is None else pace.kind


# --- resistance -----------------------------------------------------------------------------------


def _resistance_choices(sheet: MasterbookSheet, kind: InteractionKind) -> tuple[RollSource, ...]:
    """Return what a target may resist with, the usual first
    (MB-CMB-04, MB-SKILL-WILLPOWER, MB-SKILL-FAITH).
    """
    bare = RollSource(kind.resisting_attribute.capitalize(), kind.resisting_attribute)
    if kind.skill == interaction.MANEUVER:
        return _maneuver_choices(sheet, bare)
    learned = learned_sources(sheet)
    name = kind.skill.casefold()
    wills: list[RollSource] = []
    for source in learned:
        is_fitting = not source.special or name in source.special.casefold()
        if source.skill == kind.resisting and is_fitting:
            wills.append(source)
    will = max(wills, key=partial(_worth, sheet), default=bare)
    values = (
        attribute(sheet, "confidence"),
        will.all_adds,
        attribute(sheet, kind.resisting_attribute),
    )
    choices = [will if skill_numbers.best_resistance(*values).uses == "willpower" else bare]
    for source in learned:
        if source.skill != _FAITH or source.special:
            continue
        if skill_numbers.best_resistance(*values, source.adds).uses == "faith":
            choices.append(source)
    return tuple(choices)


def _maneuver_choices(sheet: MasterbookSheet, bare: RollSource) -> tuple[RollSource, ...]:
    """Return what a target may resist a maneuver with, the best on foot first.

    Mounts and vehicles have to be chosen: no rule knows which character sits on one.
    """
    fitting: list[RollSource] = []
    for source in learned_sources(sheet):
        if interaction.maneuver_penalty(source.skill, source.focus) is not None:
            fitting.append(source)
    on_foot = [source for source in fitting if source.skill in _ON_FOOT]
    usual = max([bare, *on_foot], key=partial(_worth, sheet))
    return (usual, *[source for source in fitting if source is not usual])


def _worth(sheet: MasterbookSheet, source: RollSource) -> tuple[int, bool]:
    """Return how well a target resists with a source; of equals, a skill is better."""
    penalty = interaction.maneuver_penalty(source.skill, source.focus) or 0
    return source.value(sheet) - penalty, bool(source.skill)


def _resistance_plan(source: RollSource, stand: str = "passive") -> Plan:
    if source.skill:
        return Plan(skill=source.name, stand=stand)
    return Plan(attribute=source.attribute, stand=stand)


# --- numbers --------------------------------------------------------------------------------------


def _target_surprise(game: Game, target: str, said: Plan, kind: InteractionKind) -> tuple[str, ...]:
    """Return the surprise of a target, which counts for maneuvers (MB-SUR-01).

    A GM says it, or the start of the rounds has found it out.
    """
    if kind.skill != interaction.MANEUVER:
        return ()
    if said.surprise:
        return tuple(lessened_surprise(game, target, (said.surprise,)))
    return tuple(mark.what for mark in marks_of(game.state, target, SURPRISED))


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Interaction) -> Interaction:
    """Return the data with the ratings of both sides as the sheets have them now.

    Raises Impossible("mb-not-in-rounds", "mb-trained-only"), and InvalidInput as
    `interaction.circumstance_causes` and `means_of`.
    """
    said, target = data.effective_ruling, check.target
    way = _interaction_of(attempt_values.means_of(game, check.actor, data.request))
    if way is None or target is None:
        raise InvalidInput("which-target", field="target", value=None, wanted="victim")
    kind = interaction.interaction_kind(
        way[0],
        _rounds(game, check),
        con_column=game.setting("con_column"),
        persuasion_in_combat=game.setting("persuasion_in_combat"),
    )
    rows = said.rows
    if not said.fresh:
        rows = with_remembered_rows(game, check.actor, target, kind.skill, rows)
    numbers = dict(attempt_values.split_row(row) for row in rows)
    helps, hinders = interaction.circumstance_causes(kind.skill, numbers)
    surprises: list[tuple[str, int]] = []
    for surprise in _target_surprise(game, target, said, kind):
        surprises.append((surprise, OPTIONS[surprise].attack))
    causes = attempt_values.option_causes(game, check, data)
    mine = attempt_values.actor_rated(game, check, data).with_causes(*helps, *surprises)
    mine = attempt_values.with_option_causes(mine, causes)

    against = (*hinders, *nonzero_causes(("acrobatics", way[1]), ("harder", said.harder)))
    side = data.defense
    if side is None or not data.resisted:
        side = _resistance_plan(_resistance_choices(game.sheet(target), kind)[0])
    theirs = _target_resistance(game, target, kind, side, said.willing).with_causes(*against)
    data, theirs = attempt_values.with_resistance_causes(game, target, side, data, theirs, causes)

    cap = game.setting("interactive_cap_on") if game.setting("interactive_cap") else ""
    most = mine.value if cap == "result_points" else None
    if cap == "bonus_number":
        mine = mine.replace(most=mine.value)
    return data.replace(mine=mine, theirs=theirs, defense=side, column=kind.column, most=most)


def _target_resistance(
    game: Game, who: str, kind: InteractionKind, side: Plan, willing: bool
) -> Rating:
    """Return the rating of a target's resistance.

    A trance is harder to reach, and easier with a *willing* target (MB-SKILL-HYPNOTISM).
    """
    source = attempt_values.means_of(game, who, side)
    rating = attempt_values.rated_by(game, who, side, passive=not side.active, acting=side.active)
    value, penalty = rating.value, 0
    if kind.skill == _HYPNOTISM:
        base = attribute(game.sheet(who), "mind") if willing else value
        value = skill_numbers.trance_difficulty(base, willing, value)
    if kind.skill == interaction.MANEUVER:
        penalty = interaction.maneuver_penalty(source.skill, source.focus) or 0
    trained = rating.trained and bool(source.skill)
    penalties = nonzero_causes(("acrobatics", -penalty))
    rating = rating.with_causes(*penalties, value=value, trained=trained)
    return rating.with_floor(active_defense_floor(source.focus) if side.active else None)


def interaction_result(data: Interaction) -> str:
    """Return the result on its column, with what points and cards have lowered (MB-INT-11).

    It is `none` for a failure.
    """
    roll_result = data.result
    if roll_result is None:
        return NO_RESULT
    reached = result(data.column, roll_result.points)
    if reached == NO_RESULT:
        return NO_RESULT
    return interaction.lower_result(data.column, reached, own=data.steps, cards=data.cards)


# --- stages ---------------------------------------------------------------------------------------


class InteractionProposal(check_procedure.CheckProposal):
    """Stage in which a GM says what helps and hinders an interaction (MB-INT-01).

    Only a GM can say how the target likes the actor.
    """

    def read_request(self, game: Game, check: AnyAttempt, values: Values) -> AnyAttempt:
        require_other_target(check, "opponent")
        require_awake(game, check.actor)
        return super().read_request(game, check, values)

    def awaits_other_side(self, check: AnyAttempt) -> bool:
        return False

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        kind = _kind_of_check(game, check)
        has_attitude = kind is not None and any(not row.attempt for row in rows_of(kind.skill))
        if has_attitude and not is_gm(game.state, game.actor):
            return None
        return super().automatic_answer(game, check)


class InteractionPreparation(check_procedure.CheckPreparation):
    """Stage in which the actor rolls. The target is asked afterwards."""

    def awaits_other_side(self, game: Game, check: AnyAttempt) -> bool:
        return False

    def ask(self, game: Game, check: AnyAttempt, /) -> tuple[Prompt, ...]:
        prompts = super().ask(game, check)
        return tuple(prompt for prompt in prompts if prompt.key not in ("face", "faced"))


def _resist_option(stand: str, source: RollSource | None = None, value: str = "") -> CheckOption:
    about = {"stand": stand, "name": None if source is None else source.name}
    return CheckOption(value or stand, Text("mb-resists", about))


class ResistanceStage(Stage[Interaction]):
    """Stage in which the target resists passively, or rolls by an action, in private
    (MB-CMB-03, MB-INT-01).
    """

    name = RESIST
    orders = ((RESIST, _resist_option("active")),)

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data, who = check.data, check.target
        if who is None or data.resisted or data.effective_ruling.willing:
            return ()
        if game.sheet(who).harm.out:
            return ()
        return (Prompt(RESIST, (who,), "answer", PASS, True, button="answer-defend", risks=True),)

    def _ways(self, game: Game, check: Check[Any], who: str) -> dict[str, tuple[str, RollSource]]:
        """Return the ways to resist by the value of their option.

        To pass is to resist passively with the usual source, so that way is left out.
        """
        kind = _kind_of_check(game, check)
        if kind is None:
            return {}
        stands = ["passive"]
        if self._may_roll(game, check, who, kind):
            stands.insert(0, "active")
        ways: dict[str, tuple[str, RollSource]] = {}
        for at, source in enumerate(_resistance_choices(game.sheet(who), kind)):
            for stand in stands:
                if at > 0:
                    ways[f"{stand}:{at}"] = (stand, source)
                elif stand == "active":
                    ways["active"] = (stand, source)
        return ways

    def _may_roll(self, game: Game, check: Check[Any], who: str, kind: InteractionKind) -> bool:
        """Return whether the target may resist actively."""
        if marks_of(game.state, who, interaction.SETBACK):
            return False
        surprises = _target_surprise(game, who, check.data.effective_ruling, kind)
        surprised = any(not OPTIONS[surprise].foe_active for surprise in surprises)
        return not no_defense_reason(game, who, surprised=surprised)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options: list[CheckOption] = []
        for value, (stand, source) in self._ways(game, check, who).items():
            options.append(_resist_option(stand, source, value))
        return options

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Interaction]:
        stand, source = self._ways(game, check, choice.who)[choice.option]
        plan = _resistance_plan(source, stand)
        data = check.data.replace(defense=plan, defense_by=game.actor.id, resisted=True)
        return StageResult(game.state, refresh_from_sheets(game, check, data))


class InteractionRoll(check_procedure.AttemptAction):
    """Dice of the actor, and of a target that resists actively."""

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        game = super().use_up_effects(game, check)
        kind = _kind_of_check(game, check)
        if kind is None or kind.skill != interaction.MANEUVER or check.target is None:
            return game
        return end_surprise(game, check.target, rounds=check.round is not None)


def _effect(result: str) -> Text:
    return Text("mb-effect", {"result": result})


def _lower_option(now: str = "", less: str = "") -> CheckOption:
    steps = {"now": _effect(now), "less": _effect(less)} if now else {}
    return CheckOption(LOWER, Text("mb-lower-result", steps), cost=LIFE_POINT)


class LowerResultStage(CardStage):
    """Stage in which the target may lower the result a step by a Life Point, in private
    (MB-LP-04, MB-LP-05).
    """

    name = LOWER
    uses = ("step",)
    orders = ((LOWER, _lower_option()),)

    def moments(self, game: Game, check: Check[Any]) -> Moments:
        against = (check.target,) if check.target else ()
        return (Moment("after_resolution", check.actor, check.actor, against=against),)

    def ask(self, game: Game, check: Check[Any], /) -> tuple[Prompt, ...]:
        data, who = check.data, check.target
        if who is None or data.over or data.failed or interaction_result(data) == NO_RESULT:
            return ()
        if check.visibility == "blind" or game.sheet(who).harm.out:
            return ()
        if data.steps and who not in self.possible_players(game, check):
            return ()
        return (Prompt(LOWER, (who,), "means", PASS, True, harms=True),)

    def has_means(self, game: Game, check: Check[Any], who: str, /) -> bool:
        points = can_spend_point(game, who) and not check.data.steps
        return points or who in self.possible_players(game, check)

    def options(
        self, game: Game, check: Check[Any], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        cards, data = self.card_options(game, check, who), check.data
        if data.steps or not can_spend_point(game, who):
            return cards
        now, less = interaction_result(data), interaction_result(data.replace(steps=1))
        return (_lower_option(now, less), *cards)

    def choose(self, game: Game, check: Check[Any], choice: Choice, /) -> StageResult[Interaction]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data.replace(steps=1), said=SPENT)
        game, data, _, said = self.play_card(game, check, choice)
        return StageResult(game.state, data.replace(cards=data.cards + 1), said=said)


def _interaction_outcome(game: Game, check: Check[Any]) -> CheckOutcome:
    """Apply marks and shock of an interaction (MB-INT-11). The GM tells the rest."""
    data, who = check.data, check.target
    if who is None:
        return game, ()
    reached = interaction_result(data)
    kind = _kind_of_check(game, check)
    if kind is not None:
        rows = data.effective_ruling.rows
        game = remember(game, check.actor, who, kind.skill, reached, rows)
    effects = interaction.result_effect(reached)
    theirs = effects.theirs
    if reached != NO_RESULT:
        source = attempt_values.means_of(game, check.actor, data.request)
        theirs = (TRANCE,) if source.skill == _HYPNOTISM else theirs
    facts: list[tuple[str, int]] = []
    for whose, keys in ((who, theirs), (check.actor, effects.mine)):
        for key in keys:
            until = _MARK_DURATIONS.get(key, "used")
            mark = Mark(key, check.id, value=1, until=until, by=check.id)
            if key != interaction.SETBACK or check.round is not None:
                game = game.with_state(with_marks(game.state, whose, mark))
            facts.append((key, 0))
    if interaction.STYMIED in theirs:
        game, of_shock = stymied_shock(game, who, check.id)
        facts += of_shock
    if effects.shock:
        game, of_shock = damage_character(game, who, fatigue_damage(game, who, effects.shock))
        facts += of_shock
    if reached == "players_call":
        facts.append((reached, 0))
    return game, tuple(facts)


def _describe(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of an interaction, with the note about a lowered result."""
    data, more = check.data, list[Block]()
    if data.steps and check.target is not None:
        seen = GMS_ONLY if is_npc(game, check.target) else dice_viewers(check)
        about = {"who": Ref(check.target), "result": _effect(interaction_result(data))}
        more.append(Note(Text("mb-lowered-result", about), seen))
    return describe(game, check, more)


# --- the command ----------------------------------------------------------------------------------


_PROPOSAL: Final = InteractionProposal(FORM, RULING, refresh_from_sheets)
PROCEDURE: Final = procedure(
    "interact",
    (
        _PROPOSAL,
        InteractionPreparation(_PROPOSAL),
        *InteractionRoll(refresh_from_sheets).stages(ResistanceStage()),
        LowerResultStage(),
        outcome_stage(_interaction_outcome, to_target=True),
        CardLossStage(),
        StymiedShockStage(),
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
