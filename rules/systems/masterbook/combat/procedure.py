"""Attacks take their course: proposed, met in secret, thrown, changed, lowered, and done
(MB-CMB-01, MB-DMG-04).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.systems.masterbook.checks import action_economy, card_windows, roll_sources, roll_stages
from rules.systems.masterbook.checks.background_causes import (
    RollSubject,
    is_ruled_out,
    proposed_words,
    situations_field,
    with_proposals,
    with_remembered_answers,
)
from rules.systems.masterbook.checks.card_awards import BadLuckStage, Deeds
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.sheet_damage import (
    damage_character,
    fatigue_damage,
    stymied_shock,
)
from rules.systems.masterbook.checks.state import SIMPLE, TOGETHER, Blow, Rating
from rules.systems.masterbook.combat import declaration, resolution
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    AnyAttack,
    Attack,
    AttackPlan,
    Foe,
    involved_characters,
)
from rules.systems.masterbook.combat.defense import defense_rating
from rules.systems.masterbook.combat.view import describe_attack
from rules.systems.masterbook.deck import card_lines
from rules.systems.masterbook.deck.card_definitions import Window
from rules.systems.masterbook.deck.card_lines import Deed
from rules.systems.masterbook.deck.play import AFTER, CardEffect, Moment, Named
from rules.systems.masterbook.formulas import (
    attack_options,
    damage,
    dice,
    equipment,
    interaction,
    multi_actions,
)
from rules.systems.masterbook.formulas.reference_rows import OPTIONS
from rules.table.blocks import GMS_ONLY, Text
from rules.table.check import ANY_GM, NEXT, OVER, PASS, Choice, Prompt, Values
from rules.table.checks.procedure import (
    ATTACK_BUTTON,
    CheckOption,
    Procedure,
    Stage,
    StageResult,
)
from rules.table.checks.shared_blocks import NumberChange
from rules.table.checks.stages import (
    FREE,
    IMPOSSIBLE,
    ROLL,
    ProposalStage,
    require_other_target,
    stated_values,
    without_typed_texts,
)
from rules.table.forms import Form, Number
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, is_npc

DECLARED, STRUCK = "declared", AFTER


class AttackProposal(ProposalStage[Attack]):
    """The GM answers, unless nobody has to."""

    free = DECLARED

    def has_difficulty(self, check: AnyAttack) -> bool:
        return False

    def automatic_answer(self, game: Game, check: AnyAttack) -> str | None:
        asked = roll_stages.is_enlisting_npcs(game, check) or _needs_gm_ruling(
            game, check.target or ""
        )
        return None if asked else super().automatic_answer(game, check)

    def awaits_other_side(self, check: AnyAttack) -> bool:
        return True

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        """What the only target has passively is proposed to the GM who says how hard somebody who
        is out is to hit.
        """
        found, plan, target = (
            super().options(game, check, prompt, who),
            check.data.plan,
            check.target or "",
        )
        if prompt == "rule":
            found = _with_situations(game, check, found)
        if (
            prompt != "rule"
            or check.data.ruled is not None
            or plan.also
            or not _is_out(game, target)
        ):
            return found
        try:
            side = resolution.attacking_side(game, check, check.actor, plan)
        except RulesError:  # what with, or how far, the GM has yet to say; or it cannot be any more
            return found
        number = resolution.passive_defense(resolution.targets_of(game, check, plan, side)[0])
        proposed = {"defense": number} if number > 0 else {}
        return [
            each.replace(values={**each.values, **proposed}) if each.value == ROLL else each
            for each in found
        ]

    def read_request(self, game: Game, check: Any, values: Values) -> AnyAttack:
        require_other_target(check)
        action_economy.require_turn(game, game.character(check.actor))
        asked = stated_values(check.data.asked)
        plan = declaration.FORM.make_record(AttackPlan, asked)
        data = check.data.replace(asked=asked, plan=plan)
        check = check.replace(data=data)
        if {check.actor, check.target} & {*plan.together}:
            raise InvalidInput("target-is-self", field="together", value=None)
        unasked = self.automatic_answer(game, check) is not None
        if unasked and not plan.together:  # it is declared at once
            return check
        # what cannot be is refused before anybody is asked; what NPCs cannot, only to their GMs
        try:
            declare_attack(game, check, data, npcs=is_gm(game.state, game.actor))
        except InvalidInput as error:  # how far it is a GM who is asked may say as well
            if error.code != "mb-which-range" or unasked:
                raise
        return check

    def apply_ruling(
        self, game: Game, check: AnyAttack, answer: str, values: Values
    ) -> StageResult[Attack]:
        """Carry out a GM's answer: a situation may make the attack impossible."""
        subject = attack_subject(game, check)
        if answer == ROLL and subject is not None:
            words = values.get(_SITUATIONS.key, ())
            if is_ruled_out(game, subject, words):
                answer = IMPOSSIBLE
            else:
                game = with_remembered_answers(game, subject, words)
        return super().apply_ruling(game, check, answer, values)

    def read_ruling(self, game: Game, check: AnyAttack) -> Attack:
        data = check.data
        own = {key: each for key, each in data.asked.items() if key not in RULING.keys}
        found = data.replace(plan=_PLAN.make_record(AttackPlan, own | dict(data.ruled or {})))
        if found.answer != IMPOSSIBLE and any(is_npc(game, each) for each in found.plan.together):
            # Before players join: what NPCs lack is not told to them.
            declare_attack(game, check, found)
        return found


def attack_subject(game: Game, check: AnyAttack) -> RollSubject | None:
    """Return what an attack is about, for options; None while that isn't known."""
    try:
        strike, source = resolution.declared_strike(game, check, check.actor, check.data.plan)
    except RulesError:  # a GM has yet to say what with, or how far
        return None
    use = strike.weapon.use
    return resolution.attack_subject(game, check.actor, source, use, check.target or "")


def _with_situations(
    game: Game, check: AnyAttack, found: Iterable[CheckOption]
) -> Iterable[CheckOption]:
    """Return the options of a GM's first answer, with the situations that are proposed."""
    subject = None if check.data.answered_by else attack_subject(game, check)
    if subject is None:
        return found
    return with_proposals(found, ROLL, proposed_words(game, subject))


def _needs_gm_ruling(game: Game, target: str) -> bool:
    """Whether somebody is attacked who is out: how hard they are to hit a GM says, where none does
    it (MB-CMB-02).
    """
    return _is_out(game, target) and not is_gm(game.state, game.actor)


def _is_out(game: Game, target: str) -> bool:
    """Whether somebody can do nothing any more."""
    return target in game.state.characters and game.sheet(target).harm.out


def declare_attack(
    game: Game, check: AnyAttack, data: Attack, *, npcs: bool = True
) -> tuple[Game, Attack]:
    """The game after the rounds that it takes, and the attack with its sides and everybody it is
    made at.

    Without `npcs` those who would help are left out.
    """
    plan, aims = data.plan, resolution.is_aiming_only(data)
    action_economy.require_awake(game, check.actor)
    if aims and mark_total(game.state, check.actor, action_economy.ACTED):
        raise Impossible("mb-aim-alone", name=game.display_name(check.actor))
    joined = [
        each for each in plan.together if each in data.joined or (npcs and is_npc(game, each))
    ]
    helpers = [each for each in joined if not game.sheet(each).harm.out]
    first = resolution.attacking_side(game, check, check.actor, plan)
    made = (
        first,
        *[resolution.attacking_side(game, check, each, _helper_plan(plan)) for each in helpers],
    )
    for each in made[1:]:
        if each.how.barred:  # only whoever leads it waits for a card
            raise Impossible("mb-trained-only", name=each.skill, who=game.display_name(each.who))
    shifts = data.shifts
    for side in () if aims else made:
        game, found = resolution.spend_rounds(game, side, plan)
        shifts += found
    return game, data.replace(
        sides=made, foes=resolution.targets_of(game, check, plan, first), shifts=shifts
    )


def _helper_plan(plan: AttackPlan) -> AttackPlan:
    """How those attack who coordinate: alike, with what they have in hand."""
    kept = tuple(
        [each for each in plan.options if each not in OPTIONS or OPTIONS[each].group != "mode"]
    )
    return plan.replace(weapon="", skill="", options=kept)


def _invited_helpers(data: Attack) -> tuple[str, ...]:
    """Those who attack together."""
    return () if data.sides else data.plan.together


def _take_aim(game: Game, check: AnyAttack, data: Attack) -> Game:
    """To track a target takes the round, whatever else was declared; the next one has what that
    brings (MB-OPT-01).
    """
    state = game.state
    for each in (action_economy.AIMING, action_economy.DECLARED):
        state = without_marks(state, check.actor, each)
    mark = Mark(action_economy.AIMING, check.target or "", check.round or 0, "encounter")
    return _spend_turn(game.with_state(with_marks(state, check.actor, mark)), check, data)


def _spend_turn(game: Game, check: AnyAttack, data: Attack) -> Game:
    """In a round everybody who attacks has acted, and is open as far as what they do makes
    them so.
    """
    for side in data.sides:
        again = resolution.is_second_strike(game, check, side.who)
        game = game if again else action_economy.spend_action(game, side.who)
        if check.round is None:
            continue
        marks = list[Mark]()
        if attack_options.has_effect(data.plan.options, "twice") and not again:
            marks.append(Mark(action_economy.COMBINED, check.target or "", until="round"))
        if guard := resolution.own_defense_modifier(data):
            held = [
                each.value
                for each in marks_of(game.state, side.who, action_economy.GUARD)
                if each.at > check.round
            ]
            marks.append(
                Mark(
                    action_economy.GUARD, value=guard + sum(held), until="turn", at=check.round + 1
                )
            )
        if any(not OPTIONS[each].active for each in data.plan.options if each in OPTIONS):
            marks.append(Mark(action_economy.ALL_OUT, until="turn", at=check.round + 1))
        state = (
            without_marks(game.state, side.who, action_economy.COMBINED) if again else game.state
        )
        game = game.with_state(with_marks(state, side.who, *marks))
    return game


_FACE: Final = "defend"
_USES: Final = ("hand", "fire", "missile")
_ACTIVE: Final = {use: CheckOption("active", Text("mb-active", {"use": use})) for use in _USES}


class DefenseStage(Stage[Attack]):
    """It is declared for good, with those who have joined, and paid for.

    Those it is made at say in secret whether they defend actively (MB-CMB-03, MB-EQ-14).
    """

    name = _FACE
    orders = tuple([(f"{_FACE}-{use}", option) for use, option in _ACTIVE.items()])

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        if check.data.sides:
            return None
        game, data = declare_attack(game, check, check.data)
        if resolution.is_aiming_only(data):
            return StageResult(_take_aim(game, check, data).state, data, OVER)
        return StageResult(game.state, data, STRUCK if data.answer == FREE else None)

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        data = check.data
        who = tuple(
            [
                each.who
                for each in data.foes
                if not each.active and resolution.may_defend(game, check, each)
            ]
        )
        key = f"{_FACE}-{data.sides[0].use}"
        return (
            (Prompt(key, who, "answer", PASS, True, button="answer-defend", risks=True),)
            if who
            else ()
        )

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        foe = next((each for each in check.data.foes if each.who == who), None)
        if foe is None or not resolution.may_defend(
            game, check, foe
        ):  # who was asked may have acted since
            return ()
        use, how = prompt.removeprefix(f"{_FACE}-"), active_defense(game, foe)
        counted = action_economy.round_of(game, who) is not None
        shown = {
            "use": use,
            "name": foe.means.name,
            "value": how.rolled_number,
            "least": how.floor,
            "acts": counted,
            "passive": resolution.passive_defense(foe),
        }
        return (_ACTIVE[use].replace(label=Text("mb-active", shown)),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        # With which value only the one reads who chooses.
        said = _ACTIVE[check.data.sides[0].use].label
        return StageResult(
            game.state,
            check.data.with_foe(choice.who, lambda foe: foe.replace(active=True)),
            said=said,
        )


def active_defense(game: Game, foe: Foe) -> Rating:
    """Return the rating of an active defense against an attack (MB-CMB-03, MB-DIE-07).

    A character who chose it, and has used up all actions since, still defends.
    """
    acting = not action_economy.has_done_all(game, foe.who)
    found = defense_rating(game, foe.who, foe.means, acting=acting)
    return found.replace(bonuses=(*found.bonuses, *foe.bonuses))


class AttackRoll(roll_stages.RolledAction):
    """The dice of all sides; each changes their own."""

    def throws_due(self, game: Game, check: AnyAttack) -> tuple[dice.Throw, ...]:
        data = check.data
        together = bool(data.plan.together) and data.plan.coordination != SIMPLE
        found = [
            *[
                (each.who, TOGETHER, _coordination_roll(data, each))
                for each in data.sides
                if together
            ],
            *[(each.who, STRIKE, each.how) for each in data.sides],
            *[(each.who, DEFEND, active_defense(game, each)) for each in data.foes if each.active],
        ]
        left = [each for each in found if data.throw_of(each[1], each[0]) is None]
        return tuple([throw_for(game, check, *each) for each in left])

    def use_up_effects(self, game: Game, check: AnyAttack) -> Game:
        data = check.data
        game = _spend_turn(game, check, data)
        game = game.with_state(without_marks(game.state, check.actor, action_economy.AIMING))
        for foe in data.foes:
            game = action_economy.end_surprise(game, foe.who, rounds=check.round is not None)
        for each in (*data.sides, *[each for each in data.foes if each.active]):
            game = action_economy.use_up_marks(game, each.who)
        return game

    def may_spend(self, check: AnyAttack, who: str) -> bool:
        """A group spends only if everybody in it does (MB-CBN-01)."""
        return not check.data.plan.group or who != check.actor

    def is_unaware(self, check: AnyAttack, who: str) -> bool:
        """Who is wholly surprised cannot cancel what surprises them; others can (MB-SUR-01,
        MB-DIE-06).
        """
        return resolution.is_complete_surprise(check.data) and any(
            each.who == who for each in check.data.foes
        )

    def decides_when_hurt(self, check: AnyAttack, who: str) -> bool:
        return [each.who for each in check.data.foes] == [who]

    def untrained_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """Nothing is paid for yet."""
        data, who = check.data, check.actor
        if data.answer != ROLL or data.sides or not card_windows.may_train(game, who):
            return ()
        try:
            barred = resolution.attacking_side(game, check, who, data.plan).how.barred
        except RulesError:  # what was declared cannot be any more: whoever waits withdraws
            barred = check.prompt(roll_stages.TRAINING) is not None
        return (
            (Moment("pre_roll", who, who, "total", STRIKE, against=involved_characters(check)),)
            if barred
            else ()
        )

    def open_dice_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """Every total, and each defense that stands without a roll."""
        data, about = check.data, _about(game, check, "roll_pending", "total")
        if resolution.is_complete_surprise(data):
            about = about.replace(blind=about.against)
        foes = {each.who: each for each in data.foes}
        mine = {
            each.who: roll_sources.find_source(game.sheet(each.who), each.skill)
            for each in data.sides
        }
        found = [
            _defense_moment(about, foes[each.who])
            if each.what == DEFEND
            else mine[each.who].of(about.replace(whose=each.who, what=each.what))
            for each in data.throws
        ]
        if found and not data.sides[0].blast and not data.plan.defense:
            still = [
                each
                for each in data.foes
                if each.held is None and not data.throw_of(DEFEND, each.who)
            ]
            found += [_defense_moment(about, each).replace(number="value") for each in still]
        return tuple(found)

    def with_card(self, check: AnyAttack, data: Attack, effect: CardEffect) -> Attack:
        meant = effect.lasts or (effect.number, effect.what) == ("value", DEFEND)
        if not meant or data.throw_of(DEFEND, effect.whose):
            return data
        return data.with_foe(
            effect.whose,
            lambda foe: foe.replace(how=foe.how.with_causes((effect.name, effect.amount))),
        )

    def impact_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """It has hit, and nobody has read what that does (MB-CARD-E07, OP-44)."""
        data = check.data
        reached = (
            targets_hit(game, check) if card_windows.may_hold_cards(game) and not data.blows else ()
        )
        if not reached:
            return ()
        about, moves = _about(game, check, "effect_pending"), resolution.uses_maneuver_column(data)
        found = [
            about.replace(
                whose=each.who, actor=each.who, number="result" if moves else each.damage_number
            )
            for each in data.sides
        ]
        tough = [
            about.replace(whose=each.who, number="toughness", what="", players=False)
            for each in reached
        ]
        return (*found, *(() if moves else tough))

    def resolution_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        told = check.data.sides and not check.data.failed
        return (_about(game, check, "after_resolution"),) if told else ()

    def without_throws_of(self, data: Any, who: str) -> Any:
        kept = tuple([each for each in data.throws if each.who != who or each.what == DEFEND])
        return data.replace(throws=kept, blows=(), strayed=None, placed=False)


def _about(game: Game, check: AnyAttack, window: Window, number: Named = "") -> Moment:
    """The attack itself."""
    who, foes = check.actor, tuple([each.who for each in check.data.foes])
    players = any(not is_npc(game, each) for each in foes if each != who)
    return Moment(window, who, who, number, STRIKE, against=foes, players=players)


def _defense_moment(about: Moment, foe: Foe) -> Moment:
    """A defense; nobody helps that of somebody who is wholly surprised (MB-SUR-01)."""
    return foe.means.of(
        about.replace(whose=foe.who, what=DEFEND, players=False, aware=not about.blind)
    )


def targets_hit(game: Game, check: AnyAttack) -> tuple[Foe, ...]:
    """Everybody it reaches, before what it does is read."""
    data = check.data
    if data.sides and data.sides[0].blast:
        return tuple(
            [each for each in data.foes if resolution.blast_zone(data, each) < equipment.CLEAR]
        )
    return tuple(
        [each for each in data.foes if resolution.result_against(game, data, each).kind != "miss"]
    )


def _coordination_roll(data: Attack, side: declaration.AttackingSide) -> Rating:
    """What coordinating is rolled with: of the two actions it has the other rank (MB-CBN-02)."""
    rank = ("multi_action", multi_actions.multi_action_penalty(1 if data.plan.rank == 2 else 2, 2))
    return side.how.replace(
        modifiers=tuple([rank if each[0] == rank[0] else each for each in side.how.modifiers])
    )


class Burst(Stage[Attack]):
    """What was thrown at a place and missed it comes down elsewhere; the GMs say who is near
    (MB-EQ-12).
    """

    name = "burst"

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        data, method = check.data, game.setting("grenade_deviation_method")
        if not resolution.spot_shortfall(data) or data.strayed is not None:
            return None
        # What was said before the throw and cannot be is asked for anew.
        if method == "gm" and not equipment.may_stray(data.sides[0].band, data.plan.strays):
            return None
        return StageResult(game.state, self._deviate(game, check, method, data.plan.strays))

    def _deviate(self, game: Game, check: AnyAttack, method: str, meters: int | None) -> Attack:
        band, miss, rng = (
            check.data.sides[0].band,
            resolution.spot_shortfall(check.data),
            game.rng_for(check),
        )
        return check.data.replace(
            strayed=equipment.deviation(band, rng, method, miss=miss, meters=meters)
        )

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        if not resolution.spot_shortfall(check.data) or check.data.placed:
            return ()
        # How far it has strayed nobody else can say.
        default = None if check.data.strayed is None else PASS
        return (Prompt("placed", (ANY_GM,), "answer", default, button="answer-place"),)

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        near = [f"{game.character(each.who).name} {each.meters}" for each in check.data.foes]
        spot, form = equipment.SPOTS[check.data.sides[0].band], declaration.PLACING_FORM
        if check.data.strayed is None:
            strays = Number("strays", low=spot.least, high=spot.most, needed=True)
            form = Form((*form.part("also").fields, strays))
        return (CheckOption("place", Text("answer-place"), form, values={"also": tuple(near)}),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        data = check.data
        if data.strayed is None:
            data = self._deviate(game, check, "gm", choice.values.get("strays"))
        meters, use = declaration.meters_by_target(choice.values.get("also", ())), data.sides[0].use
        near = {each.who: each.replace(meters=equipment.ZONES[-1].limit + 1) for each in data.foes}
        for who, far in meters.items():
            foe = near.get(who) or Foe(who, resolution.best_defense(game, who, use, ()))
            near[who] = foe.replace(meters=far)
        return StageResult(game.state, data.replace(foes=tuple(near.values()), placed=True), NEXT)


class SkinStage(Stage[Attack]):
    """The GM says whether skin fails against an attack, where its weapon doesn't (MB-BG-30)."""

    name = "skin"

    def _asked_about(self, game: Game, check: AnyAttack) -> Foe | None:
        """Return the first target that is hit and whose skin may fail."""
        data = check.data
        if data.failed or not data.sides or data.blows or resolution.is_aiming_only(data):
            return None
        gapped = [each for each in data.foes if resolution.open_gap(game, data, each)]
        if not gapped or resolution.uses_maneuver_column(data):
            return None
        hit = {each.who for each in self.hit_targets(game, check)}
        return next((each for each in gapped if each.who in hit), None)

    def hit_targets(self, game: Game, check: AnyAttack) -> tuple[Foe, ...]:
        """Return everybody whom the attack reaches."""
        return targets_hit(game, check)

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        foe = self._asked_about(game, check)
        if foe is None:
            return ()
        seen = GMS_ONLY if is_npc(game, foe.who) else None
        return (
            Prompt(
                "skin",
                (ANY_GM,),
                "answer",
                _SKIN_COUNTS,
                visible_to=seen,
                button="mb-skin",
                about=foe.who,
            ),
        )

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        foe = self._asked_about(game, check)
        if foe is None:
            return ()
        gap = resolution.open_gap(game, check.data, foe)
        about = {"who": game.character(foe.who).name, "gap": gap}
        return tuple(
            CheckOption(each, Text("mb-skin-is", {**about, "counts": each == _SKIN_COUNTS}))
            for each in (_SKIN_COUNTS, _SKIN_FAILS)
        )

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        foe = self._asked_about(game, check)
        if foe is None:
            return StageResult(game.state, check.data)
        answer = (foe.who, choice.option == _SKIN_FAILS)
        return StageResult(game.state, check.data.replace(gaps=(*check.data.gaps, answer)))


_SKIN_COUNTS: Final = "counts"
_SKIN_FAILS: Final = "fails"

# --- what it does ---------------------------------------------------------------------------------


class DamageStage(roll_stages.ResolutionWindow):
    """What it does to everybody, until they take it (MB-DMG-04, MB-DMO-04)."""

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        data = check.data
        if data.blows or not data.sides:
            return None
        made, mode = list[Blow](), game.setting("bleeding")
        for foe in data.foes:
            blow = resolution.resolve_blow(game, check, foe)
            count = damage.bleeding_dice(blow.damage) if mode == "table" else 0
            faces = [game.rng_for(check, foe.who).below(dice.SIDES) + 1 for _ in range(count)]
            bleeders = damage.bleeders(data.sides[0].bleeds, faces) if faces else data.plan.bleeders
            made.append(blow.replace(damage=damage.convert_to_bleeders(blow.damage, bleeders)))
        return StageResult(game.state, data.replace(blows=tuple(made)))


def _done(game: Game, check: AnyAttack) -> StageResult[Attack] | None:
    """Everything is taken at once (MB-DMG-05 to MB-DMG-10)."""
    data = check.data
    for blow in () if data.failed else data.blows:
        game, data = _apply_blow(game, data, blow, check.id)
    if check.round is not None:
        for foe in data.foes:
            game = _keep_active_defense(game, data, foe)
    return StageResult(game.state, data)


#: Stage in which all targets take their damage. Checks store its name.
take_damage = _done


def _apply_blow(game: Game, data: Attack, blow: Blow, check_id: str) -> tuple[Game, Attack]:
    """The game after what a blow has left, told with every number that it changes."""
    who, before, left = blow.who, game.sheet(blow.who).harm, blow.left
    aged: damage.Facts = ()
    if blow.effect:
        effects = interaction.effects(blow.effect)
        left = fatigue_damage(game, who, effects.shock)
        marks = [Mark(each, until="encounter") for each in effects.theirs]
        game = game.with_state(with_marks(game.state, who, *marks)) if marks else game
        if interaction.STYMIED in effects.theirs:
            game, aged = stymied_shock(game, who, check_id)
    if blow.kind != "miss" and attack_options.has_effect(data.plan.options, "holds"):
        by = data.sides[0].who
        thrown = data.throw_of(STRIKE, by)
        mark = Mark(action_economy.HELD, by, 0 if thrown is None else thrown.total, "encounter")
        game = game.with_state(with_marks(game.state, who, mark))
        data = data.replace(came=(*data.came, (who, ((action_economy.HELD, 0),))))
    game, facts = damage_character(game, who, left)
    facts = (*aged, *facts)
    now = game.sheet(who).harm
    if blow.kind not in _MISSES:
        data = data.replace(ends=(*data.ends, (who, damage.condition(now))))
    if now is before and not facts:
        return game, data
    # Who is hit loses it (MB-OPT-01).
    game = game.with_state(without_marks(game.state, who, action_economy.AIMING))
    counted = [
        (key, getattr(before, key), getattr(now, key)) for key in ("wounds", "shock", "bleeders")
    ]
    shifts = [NumberChange(who, *each) for each in counted if each[1] != each[2]]
    return game, data.replace(shifts=(*data.shifts, *shifts), came=(*data.came, (who, facts)))


def _keep_active_defense(game: Game, data: Attack, foe: Foe) -> Game:
    """An active defense stands for its skill until the round is over, and was an action
    (MB-CMB-03).
    """
    roll = data.throw_of(DEFEND, foe.who)
    if roll is None:
        return game
    game = action_economy.spend_action(game, foe.who)
    if data.sides[0].blast:
        return game
    return action_economy.with_active_defense(game, foe.who, foe.means.name, roll.total)


def require_participants(game: Game, check: AnyAttack) -> None:
    """Impossible("gone") where somebody has left."""
    for each in involved_characters(check):
        game.character(each)


#: What a blow is called that has not hit.
_MISSES: Final = ("miss", "clear")


def attack_deeds(game: Game, check: AnyAttack) -> Deeds:
    """What an attack was, for those who made it and those who stood up against it."""
    data = check.data
    if not data.throws or not data.sides:
        return
    hit = not data.failed and any(each.kind not in _MISSES for each in data.blows)
    kind = "maneuver" if resolution.uses_maneuver_column(data) else ""
    for side in data.sides:
        yield side.who, Deed(kind, side.skill, True, hit)
    totals = [each.total for each in data.throws if each.what == STRIKE]
    for foe in () if data.sides[0].blast else data.foes:
        harder = resolution.hidden_difficulty(data, foe)
        roll = data.throw_of(DEFEND, foe.who)
        held = foe.held if roll is None else roll.total
        if held is not None:
            kept_off = card_lines.has_stopped_attack(
                held, [each + foe.later - harder for each in totals]
            )
            skill = foe.means.name
            during = mark_total(game.state, foe.who, action_economy.DEFENSE_SET, skill)
            yield foe.who, Deed(card_lines.DEFEND, skill, True, kept_off, during)


#: Situations of options that may apply, for GMs.
_SITUATIONS: Final = situations_field(attack_subject)
#: What a GM answers to an attack.
RULING: Final = Form((*declaration.RULING.fields, _SITUATIONS))
#: All that an attack is made of, as it was said and as the GM has it.
_PLAN: Final = Form((*declaration.FORM.fields, _SITUATIONS))
_PROPOSAL: Final = AttackProposal(declaration.FORM, RULING, (ROLL, FREE, IMPOSSIBLE))
_ACT: Final = AttackRoll()
PROCEDURE: Final = partial(
    Procedure[Attack],
    "attack",
    (
        *(
            _PROPOSAL,
            *roll_stages.dice_stages(_ACT, roll_stages.JoinStage(_invited_helpers), DefenseStage()),
        ),
        *(Burst(), roll_stages.ImpactWindow(_ACT), SkinStage(), DamageStage(_ACT)),
        *(roll_stages.DamageReductionStage(_ACT), _done),
        *(StymiedShockStage(), BadLuckStage(attack_deeds)),
    ),
    Attack,
    role="attack",
    button=ATTACK_BUTTON,
    aims=True,
    form=declaration.FORM,
    begin=_PROPOSAL.propose,
    describe=describe_attack,
    cast=involved_characters,
    require=require_participants,
    require_start=action_economy.require_attack_left,
    fallen=lambda data: bool(data.throws or data.blows),
    forget=without_typed_texts,
    takes_turn=lambda game, check: True,
)
