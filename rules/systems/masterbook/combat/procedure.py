"""Procedure of attacks: stages from the proposal to the damage (MB-CMB-01, MB-DMG-04)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.systems.masterbook.checks import action_economy, card_windows, roll_sources, roll_stages
from rules.systems.masterbook.checks.background_causes import (
    RollSubject,
    is_ruled_out,
    situations_field,
    with_proposed_situations,
    with_remembered_answers,
)
from rules.systems.masterbook.checks.card_awards import BadLuckStage, Deeds
from rules.systems.masterbook.checks.companions import JoinStage, is_enlisting_npcs
from rules.systems.masterbook.checks.damage_reduction import DamageReductionStage
from rules.systems.masterbook.checks.late_rulings import StymiedShockStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.sheet_damage import (
    damage_character,
    fatigue_damage,
    stymied_shock,
)
from rules.systems.masterbook.checks.state import SIMPLE, TOGETHER, Blow, Rating
from rules.systems.masterbook.combat import attack_sides, declaration, resolution
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    STRIKE,
    AnyAttack,
    Attack,
    AttackPlan,
    Foe,
    involved_characters,
)
from rules.systems.masterbook.combat.defense import USES, defense_rating
from rules.systems.masterbook.combat.view import describe_attack
from rules.systems.masterbook.deck import card_lines
from rules.systems.masterbook.deck.card_definitions import Window
from rules.systems.masterbook.deck.card_lines import CardDeed
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
from rules.table.forms.fields import Number
from rules.table.forms.form import Form
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, is_npc

DECLARED, STRUCK = "declared", AFTER


class AttackProposal(ProposalStage[Attack]):
    """Stage in which the GM answers an attack, if an answer is needed."""

    free = DECLARED

    def has_difficulty(self, check: AnyAttack) -> bool:
        return False

    def automatic_answer(self, game: Game, check: AnyAttack) -> str | None:
        enlists_npcs = is_enlisting_npcs(game, check)
        if enlists_npcs or _needs_gm_ruling(game, check.target or ""):
            return None
        return super().automatic_answer(game, check)

    def awaits_other_side(self, check: AnyAttack) -> bool:
        return True

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        """Return the options, with situations and a defense proposed to the GM."""
        options = super().options(game, check, prompt, who)
        options = with_proposed_situations(game, check, prompt, options, attack_subject)
        if prompt != "rule":
            return options
        number = self._proposed_defense(game, check)
        if not number:
            return options
        changed: list[CheckOption] = []
        for option in options:
            if option.value == ROLL:
                option = option.replace(values={**option.values, "defense": number})
            changed.append(option)
        return changed

    def _proposed_defense(self, game: Game, check: AnyAttack) -> int:
        """Return the passive value of an only target that is out of action; 0 in other cases.

        How hard that target is to hit, the GM says.
        """
        plan, target = check.data.plan, check.target or ""
        if check.data.ruled is not None or plan.also or not _is_out(game, target):
            return 0
        try:
            side = attack_sides.attacking_side(game, check, check.actor, plan)
        except RulesError:
            # The GM has yet to say the weapon or the range, or the attack is no longer possible.
            return 0
        foe = attack_sides.targets_of(game, check, plan, side)[0]
        return max(0, resolution.passive_defense(foe))

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
        if unasked and not plan.together:
            # The attack is declared at once.
            return check
        # An impossible attack is refused before the GM or a helper is asked. What an NPC can't do
        # is told to GMs only.
        try:
            declare_attack(game, check, data, npcs=is_gm(game.state, game.actor))
        except InvalidInput as error:
            # A GM who is asked may also say the range.
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
        own = {key: value for key, value in data.asked.items() if key not in RULING.keys}
        plan = _PLAN.make_record(AttackPlan, own | dict(data.ruled or {}))
        data = data.replace(plan=plan)
        if data.answer != IMPOSSIBLE and any(is_npc(game, who) for who in plan.together):
            # Refuse what NPCs can't do before players join, who may not learn of it.
            declare_attack(game, check, data)
        return data


def attack_subject(game: Game, check: AnyAttack) -> RollSubject | None:
    """Return what an attack is about, for options; None while that isn't known."""
    try:
        strike, source = attack_sides.declared_strike(game, check, check.actor, check.data.plan)
    except RulesError:
        # A GM has yet to say the weapon or the range.
        return None
    use = strike.weapon.use
    return attack_sides.attack_subject(game, check.actor, source, use, check.target or "")


def _needs_gm_ruling(game: Game, target: str) -> bool:
    """Return whether a GM has to say how hard a target that is out of action is to hit
    (MB-CMB-02).
    """
    return _is_out(game, target) and not is_gm(game.state, game.actor)


def _is_out(game: Game, target: str) -> bool:
    """Return whether a target is out of action."""
    return target in game.state.characters and game.sheet(target).harm.out


def declare_attack(
    game: Game, check: AnyAttack, data: Attack, *, npcs: bool = True
) -> tuple[Game, Attack]:
    """Return the game after the rounds that an attack uses up, and the attack with its sides.

    Without *npcs*, NPCs who would help are left out.

    Raises:
        Impossible("mb-aim-alone"): to aim takes a round without other actions.
        Impossible("mb-trained-only"): a helper lacks training; and as `attacking_side`.
    """
    plan, aims = data.plan, resolution.is_aiming_only(data)
    action_economy.require_awake(game, check.actor)
    if aims and mark_total(game.state, check.actor, action_economy.ACTED):
        raise Impossible("mb-aim-alone", name=game.display_name(check.actor))
    helpers: list[str] = []
    for who in plan.together:
        takes_part = who in data.joined or (npcs and is_npc(game, who))
        if takes_part and not game.sheet(who).harm.out:
            helpers.append(who)
    first = attack_sides.attacking_side(game, check, check.actor, plan)
    sides = [first]
    for who in helpers:
        sides.append(attack_sides.attacking_side(game, check, who, _helper_plan(plan)))
    for side in sides[1:]:
        if side.rating.barred:
            # The check waits for a card of its actor only.
            raise Impossible("mb-trained-only", name=side.skill, who=game.display_name(side.who))

    shifts = data.shifts
    if not aims:
        for side in sides:
            game, spent = attack_sides.spend_rounds(game, side, plan)
            shifts += spent
    foes = attack_sides.targets_of(game, check, plan, first)
    return game, data.replace(sides=tuple(sides), foes=foes, shifts=shifts)


def _helper_plan(plan: AttackPlan) -> AttackPlan:
    """Return the plan of helpers: as the leader's, with the weapon that they have in hand."""
    options: list[str] = []
    for option in plan.options:
        if option not in OPTIONS or OPTIONS[option].group != "mode":
            options.append(option)
    return plan.replace(weapon="", skill="", options=tuple(options))


def _invited_helpers(data: Attack) -> tuple[str, ...]:
    """Return the characters who are asked to attack together, before the attack is declared."""
    return () if data.sides else data.plan.together


def _take_aim(game: Game, check: AnyAttack, data: Attack) -> Game:
    """Return the game after a round of aiming, which helps in the next one (MB-OPT-01).

    Aiming takes the whole round, whatever else was declared.
    """
    state = game.state
    for key in (action_economy.AIMING, action_economy.DECLARED):
        state = without_marks(state, check.actor, key)
    mark = Mark(action_economy.AIMING, check.target or "", check.round or 0, "encounter")
    return _spend_turn(game.with_state(with_marks(state, check.actor, mark)), check, data)


def _spend_turn(game: Game, check: AnyAttack, data: Attack) -> Game:
    """Spend an action of each attacker, and in rounds mark the openings that its options leave."""
    for side in data.sides:
        is_second = attack_sides.is_second_strike(game, check, side.who)
        if not is_second:
            game = action_economy.spend_action(game, side.who)
        if check.round is None:
            continue
        marks = _opening_marks(game, check, data, side.who, is_second=is_second)
        state = game.state
        if is_second:
            state = without_marks(state, side.who, action_economy.COMBINED)
        game = game.with_state(with_marks(state, side.who, *marks))
    return game


def _opening_marks(
    game: Game, check: AnyAttack, data: Attack, who: str, *, is_second: bool
) -> list[Mark]:
    """Return the marks that an attack leaves on its attacker for the round."""
    now, options = check.round or 0, data.plan.options
    marks: list[Mark] = []
    if attack_options.has_effect(options, "twice") and not is_second:
        marks.append(Mark(action_economy.COMBINED, check.target or "", until="round"))
    guard = resolution.own_defense_modifier(data)
    if guard:
        for mark in marks_of(game.state, who, action_economy.GUARD):
            if mark.at > now:
                guard += mark.value
        marks.append(Mark(action_economy.GUARD, value=guard, until="turn", at=now + 1))
    if any(not OPTIONS[option].active for option in options if option in OPTIONS):
        marks.append(Mark(action_economy.ALL_OUT, until="turn", at=now + 1))
    return marks


_FACE: Final = "defend"
_ACTIVE: Final = {use: CheckOption("active", Text("mb-active", {"use": use})) for use in USES}


class DefenseStage(Stage[Attack]):
    """Stage that declares the attack for good, and lets its targets defend.

    The targets say in secret whether they defend actively (MB-CMB-03, MB-EQ-14).
    """

    name = _FACE
    orders = tuple((f"{_FACE}-{use}", option) for use, option in _ACTIVE.items())

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        if check.data.sides:
            return None
        game, data = declare_attack(game, check, check.data)
        if resolution.is_aiming_only(data):
            return StageResult(_take_aim(game, check, data).state, data, OVER)
        return StageResult(game.state, data, STRUCK if data.answer == FREE else None)

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        data = check.data
        asked: list[str] = []
        for foe in data.foes:
            if not foe.active and resolution.may_defend(game, check, foe):
                asked.append(foe.who)
        if not asked:
            return ()
        key, who = f"{_FACE}-{data.sides[0].use}", tuple(asked)
        return (Prompt(key, who, "answer", PASS, True, button="answer-defend", risks=True),)

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        foe = next((foe for foe in check.data.foes if foe.who == who), None)
        # The target may have acted since it was asked.
        if foe is None or not resolution.may_defend(game, check, foe):
            return ()
        use, rating = prompt.removeprefix(f"{_FACE}-"), active_defense(game, foe)
        about = {
            "use": use,
            "name": foe.source.name,
            "value": rating.rolled_number,
            "least": rating.floor,
            "acts": action_economy.round_of(game, who) is not None,
            "passive": resolution.passive_defense(foe),
        }
        return (_ACTIVE[use].replace(label=Text("mb-active", about)),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        # Only the defender's player reads the value.
        said = _ACTIVE[check.data.sides[0].use].label
        data = check.data.with_foe(choice.who, lambda foe: foe.replace(active=True))
        return StageResult(game.state, data, said=said)


def active_defense(game: Game, foe: Foe) -> Rating:
    """Return the rating of an active defense against an attack (MB-CMB-03, MB-DIE-07).

    A character who chose it, and has used up all actions since, still defends.
    """
    acting = not action_economy.has_done_all(game, foe.who)
    rating = defense_rating(game, foe.who, foe.source, acting=acting)
    return rating.replace(bonuses=(*rating.bonuses, *foe.bonuses))


class AttackRoll(roll_stages.RolledAction):
    """Dice of all sides of an attack."""

    def throws_due(self, game: Game, check: AnyAttack) -> tuple[dice.Throw, ...]:
        data = check.data
        rolls: list[tuple[str, str, Rating]] = []
        if data.plan.together and data.plan.coordination != SIMPLE:
            for side in data.sides:
                rolls.append((side.who, TOGETHER, _coordination_roll(data, side)))
        for side in data.sides:
            rolls.append((side.who, STRIKE, side.rating))
        for foe in data.foes:
            if foe.active:
                rolls.append((foe.who, DEFEND, active_defense(game, foe)))
        throws: list[dice.Throw] = []
        for who, what, rating in rolls:
            if data.throw_of(what, who) is None:
                throws.append(throw_for(game, check, who, what, rating))
        return tuple(throws)

    def use_up_effects(self, game: Game, check: AnyAttack) -> Game:
        data = check.data
        game = _spend_turn(game, check, data)
        game = game.with_state(without_marks(game.state, check.actor, action_economy.AIMING))
        for foe in data.foes:
            game = action_economy.end_surprise(game, foe.who, rounds=check.round is not None)
        for side in data.sides:
            game = action_economy.use_up_marks(game, side.who)
        for foe in data.foes:
            if foe.active:
                game = action_economy.use_up_marks(game, foe.who)
        return game

    def may_spend(self, check: AnyAttack, who: str) -> bool:
        """Return False for a group: it spends only if all its members do (MB-CBN-01)."""
        return not check.data.plan.group or who != check.actor

    def is_unaware(self, check: AnyAttack, who: str) -> bool:
        """Return whether a target is completely surprised, and so can't cancel a point
        (MB-SUR-01, MB-DIE-06).
        """
        if not resolution.is_complete_surprise(check.data):
            return False
        return any(foe.who == who for foe in check.data.foes)

    def decides_when_hurt(self, check: AnyAttack, who: str) -> bool:
        return [foe.who for foe in check.data.foes] == [who]

    def untrained_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """Return the moment of an undeclared attack without training; nothing is spent so far."""
        data, who = check.data, check.actor
        if data.answer != ROLL or data.sides or not card_windows.may_train(game, who):
            return ()
        try:
            barred = attack_sides.attacking_side(game, check, who, data.plan).rating.barred
        except RulesError:
            # The attack is no longer possible. A player who waits for a card withdraws.
            barred = check.prompt(roll_stages.TRAINING) is not None
        if not barred:
            return ()
        return (Moment("pre_roll", who, who, "total", STRIKE, against=involved_characters(check)),)

    def open_dice_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """Return the moments of every total, and of each defense that stands without a roll."""
        data, about = check.data, _attack_moment(game, check, "roll_pending", "total")
        if resolution.is_complete_surprise(data):
            about = about.replace(blind=about.against)
        foes = {foe.who: foe for foe in data.foes}
        sources: dict[str, roll_sources.RollSource] = {}
        for side in data.sides:
            sources[side.who] = roll_sources.find_source(game.sheet(side.who), side.skill)
        moments: list[Moment] = []
        for throw in data.throws:
            if throw.what == DEFEND:
                moments.append(_defense_moment(about, foes[throw.who]))
            else:
                of_throw = about.replace(whose=throw.who, what=throw.what)
                moments.append(sources[throw.who].of(of_throw))
        if not moments or data.sides[0].blast or data.plan.defense:
            return tuple(moments)
        for foe in data.foes:
            if foe.earlier_defense is None and not data.throw_of(DEFEND, foe.who):
                moments.append(_defense_moment(about, foe).replace(number="value"))
        return tuple(moments)

    def with_card(self, check: AnyAttack, data: Attack, effect: CardEffect) -> Attack:
        counts = effect.lasts or (effect.number, effect.what) == ("value", DEFEND)
        if not counts or data.throw_of(DEFEND, effect.whose):
            return data
        cause = (effect.name, effect.amount)

        def with_cause(foe: Foe) -> Foe:
            return foe.replace(rating=foe.rating.with_causes(cause))

        return data.with_foe(effect.whose, with_cause)

    def impact_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        """Return the moments of a hit before its damage is told (MB-CARD-E07, OP-44)."""
        data = check.data
        if data.blows or not card_windows.may_hold_cards(game):
            return ()
        hit = targets_hit(game, check)
        if not hit:
            return ()
        about = _attack_moment(game, check, "effect_pending")
        is_maneuver = resolution.uses_maneuver_column(data)
        moments: list[Moment] = []
        for side in data.sides:
            number: Named = "result" if is_maneuver else side.damage_number
            moments.append(about.replace(whose=side.who, actor=side.who, number=number))
        if is_maneuver:
            return tuple(moments)
        for foe in hit:
            moments.append(about.replace(whose=foe.who, number="toughness", what="", players=False))
        return tuple(moments)

    def resolution_moments(self, game: Game, check: AnyAttack) -> roll_stages.Moments:
        if not check.data.sides or check.data.failed:
            return ()
        return (_attack_moment(game, check, "after_resolution"),)

    def without_throws_of(self, data: Any, who: str) -> Any:
        throws = tuple(throw for throw in data.throws if throw.who != who or throw.what == DEFEND)
        return data.replace(throws=throws, blows=(), strayed=None, placed=False)


def _attack_moment(game: Game, check: AnyAttack, window: Window, number: Named = "") -> Moment:
    """Return the moment of the attack itself."""
    who, foes = check.actor, tuple(foe.who for foe in check.data.foes)
    players = any(not is_npc(game, foe) for foe in foes if foe != who)
    return Moment(window, who, who, number, STRIKE, against=foes, players=players)


def _defense_moment(about: Moment, foe: Foe) -> Moment:
    """Return the moment of a defense. A completely surprised target gets no help (MB-SUR-01)."""
    return foe.source.of(
        about.replace(whose=foe.who, what=DEFEND, players=False, aware=not about.blind)
    )


def targets_hit(game: Game, check: AnyAttack) -> tuple[Foe, ...]:
    """Return the targets that an attack hits, before its damage is told."""
    data = check.data
    if data.sides and data.sides[0].blast:
        return tuple(foe for foe in data.foes if resolution.blast_zone(data, foe) < equipment.CLEAR)
    return tuple(
        foe for foe in data.foes if resolution.result_against(game, data, foe).kind != "miss"
    )


def _coordination_roll(data: Attack, side: declaration.AttackingSide) -> Rating:
    """Return the rating of coordinating, which has the other of the two ranks (MB-CBN-02)."""
    penalty = multi_actions.multi_action_penalty(1 if data.plan.rank == 2 else 2, 2)
    modifiers: list[tuple[str, int]] = []
    for name, number in side.rating.modifiers:
        modifiers.append((name, penalty if name == "multi_action" else number))
    return side.rating.replace(modifiers=tuple(modifiers))


class Burst(Stage[Attack]):
    """Stage in which a thrown explosive that missed its place comes down elsewhere (MB-EQ-12).

    The GM says who is near.
    """

    name = "burst"

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        data, method = check.data, game.setting("grenade_deviation_method")
        if not resolution.spot_shortfall(data) or data.strayed is not None:
            return None
        # If the GM's number from before the throw is impossible, the GM is asked again.
        if method == "gm" and not equipment.may_stray(data.sides[0].band, data.plan.strays):
            return None
        return StageResult(game.state, self._deviate(game, check, method, data.plan.strays))

    def _deviate(self, game: Game, check: AnyAttack, method: str, meters: int | None) -> Attack:
        """Return the attack with direction and distance of the deviation."""
        data = check.data
        miss = resolution.spot_shortfall(data)
        strayed = equipment.roll_deviation(
            data.sides[0].band, game.rng_for(check), method, miss=miss, meters=meters
        )
        return data.replace(strayed=strayed)

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        if not resolution.spot_shortfall(check.data) or check.data.placed:
            return ()
        # Only the GM can say how far it has strayed.
        default = None if check.data.strayed is None else PASS
        return (Prompt("placed", (ANY_GM,), "answer", default, button="answer-place"),)

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        near = [f"{game.character(foe.who).name} {foe.meters}" for foe in check.data.foes]
        spot, form = equipment.SPOTS[check.data.sides[0].band], declaration.PLACING_FORM
        if check.data.strayed is None:
            strays = Number("strays", low=spot.least, high=spot.most, needed=True)
            form = Form((*form.part("also").fields, strays))
        return (CheckOption("place", Text("answer-place"), form, values={"also": tuple(near)}),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        data = check.data
        if data.strayed is None:
            data = self._deviate(game, check, "gm", choice.values.get("strays"))
        use, too_far = data.sides[0].use, equipment.ZONES[-1].limit + 1
        foes = {foe.who: foe.replace(meters=too_far) for foe in data.foes}
        meters = declaration.meters_by_target(choice.values.get("also", ()))
        for who, distance in meters.items():
            foe = foes.get(who) or Foe(who, attack_sides.best_defense(game, who, use, ()))
            foes[who] = foe.replace(meters=distance)
        return StageResult(game.state, data.replace(foes=tuple(foes.values()), placed=True), NEXT)


class SkinStage(Stage[Attack]):
    """The GM says whether skin fails against an attack, where its weapon doesn't (MB-BG-30)."""

    name = "skin"

    def _asked_about(self, game: Game, check: AnyAttack) -> Foe | None:
        """Return the first target that is hit and whose skin may fail."""
        data = check.data
        if data.failed or not data.sides or data.blows or resolution.is_aiming_only(data):
            return None
        gapped = [foe for foe in data.foes if resolution.open_gap(game, data, foe)]
        if not gapped or resolution.uses_maneuver_column(data):
            return None
        hit = {foe.who for foe in self.hit_targets(game, check)}
        return next((foe for foe in gapped if foe.who in hit), None)

    def hit_targets(self, game: Game, check: AnyAttack) -> tuple[Foe, ...]:
        """Return the targets that the attack hits."""
        return targets_hit(game, check)

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        foe = self._asked_about(game, check)
        if foe is None:
            return ()
        prompt = Prompt(
            "skin",
            (ANY_GM,),
            "answer",
            _SKIN_COUNTS,
            visible_to=GMS_ONLY if is_npc(game, foe.who) else None,
            button="mb-skin",
            about=foe.who,
        )
        return (prompt,)

    def options(
        self, game: Game, check: AnyAttack, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        foe = self._asked_about(game, check)
        if foe is None:
            return ()
        gap = resolution.open_gap(game, check.data, foe)
        about = {"who": game.character(foe.who).name, "gap": gap}
        return (
            CheckOption(_SKIN_COUNTS, Text("mb-skin-is", {**about, "counts": True})),
            CheckOption(_SKIN_FAILS, Text("mb-skin-is", {**about, "counts": False})),
        )

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> StageResult[Attack]:
        foe = self._asked_about(game, check)
        if foe is None:
            return StageResult(game.state, check.data)
        answer = (foe.who, choice.option == _SKIN_FAILS)
        return StageResult(game.state, check.data.replace(gaps=(*check.data.gaps, answer)))


_SKIN_COUNTS: Final = "counts"
_SKIN_FAILS: Final = "fails"

# --- damage ---------------------------------------------------------------------------------------


class DamageStage(roll_stages.ResolutionWindow):
    """Stage in which the damage of all targets is known, and doesn't count so far
    (MB-DMG-04, MB-DMO-04).
    """

    def enter(self, game: Game, check: AnyAttack, /) -> StageResult[Attack] | None:
        data = check.data
        if data.blows or not data.sides:
            return None
        blows: list[Blow] = []
        for foe in data.foes:
            blow = resolution.resolve_blow(game, check, foe)
            bleeders = self._bleeders(game, check, blow)
            blows.append(blow.replace(damage=damage.convert_to_bleeders(blow.damage, bleeders)))
        return StageResult(game.state, data.replace(blows=tuple(blows)))

    def _bleeders(self, game: Game, check: AnyAttack, blow: Blow) -> int:
        """Return how many wounds of a blow bleed: by the table's dice, else as the GM has said."""
        data, faces = check.data, list[int]()
        if game.setting("bleeding") == "table":
            for _ in range(damage.bleeding_dice(blow.damage)):
                faces.append(game.rng_for(check, blow.who).below(dice.SIDES) + 1)
        if not faces:
            return data.plan.bleeders
        return damage.count_bleeders(data.sides[0].bleeds, faces)


def _done(game: Game, check: AnyAttack) -> StageResult[Attack] | None:
    """Apply all blows at once (MB-DMG-05 to MB-DMG-10)."""
    data = check.data
    if not data.failed:
        for blow in data.blows:
            game, data = _apply_blow(game, data, blow, check.id)
    if check.round is not None:
        for foe in data.foes:
            game = _keep_active_defense(game, data, foe)
    return StageResult(game.state, data)


#: Stage in which all targets take their damage. Checks store its name.
take_damage = _done


def _apply_blow(game: Game, data: Attack, blow: Blow, check_id: str) -> tuple[Game, Attack]:
    """Return the game and the attack once what is left of a blow has counted."""
    who, before, left = blow.who, game.sheet(blow.who).harm, blow.left
    aged: damage.Facts = ()
    if blow.effect:
        effects = interaction.result_effect(blow.effect)
        left = fatigue_damage(game, who, effects.shock)
        if effects.theirs:
            marks = [Mark(effect, until="encounter") for effect in effects.theirs]
            game = game.with_state(with_marks(game.state, who, *marks))
        if interaction.STYMIED in effects.theirs:
            game, aged = stymied_shock(game, who, check_id)
    if blow.kind != "miss" and attack_options.has_effect(data.plan.options, "holds"):
        holder = data.sides[0].who
        throw = data.throw_of(STRIKE, holder)
        total = 0 if throw is None else throw.total
        mark = Mark(action_economy.HELD, holder, total, "encounter")
        game = game.with_state(with_marks(game.state, who, mark))
        data = data.replace(consequences=(*data.consequences, (who, ((action_economy.HELD, 0),))))
    game, facts = damage_character(game, who, left)
    facts = (*aged, *facts)
    now = game.sheet(who).harm
    if blow.kind not in resolution.MISSES:
        data = data.replace(ends=(*data.ends, (who, damage.condition(now))))
    if now is before and not facts:
        return game, data
    # A character who is hit no longer aims (MB-OPT-01).
    game = game.with_state(without_marks(game.state, who, action_economy.AIMING))
    shifts = (*data.shifts, *_harm_changes(who, before, now))
    return game, data.replace(shifts=shifts, consequences=(*data.consequences, (who, facts)))


def _harm_changes(who: str, before: damage.Harm, now: damage.Harm) -> Iterable[NumberChange]:
    """Yield each number of a character's harm that has changed."""
    for key in ("wounds", "shock", "bleeders"):
        earlier, later = getattr(before, key), getattr(now, key)
        if earlier != later:
            yield NumberChange(who, key, earlier, later)


def _keep_active_defense(game: Game, data: Attack, foe: Foe) -> Game:
    """Let an active defense stand for its skill until the round ends, as an action (MB-CMB-03)."""
    roll = data.throw_of(DEFEND, foe.who)
    if roll is None:
        return game
    game = action_economy.spend_action(game, foe.who)
    if data.sides[0].blast:
        return game
    return action_economy.with_active_defense(game, foe.who, foe.source.name, roll.total)


def require_participants(game: Game, check: AnyAttack) -> None:
    """Raise Impossible("gone") if a character of the attack has left the game."""
    for who in involved_characters(check):
        game.character(who)


def attack_deeds(game: Game, check: AnyAttack) -> Deeds:
    """Yield the deeds of an attack: of its attackers, and of targets who defended actively."""
    data = check.data
    if not data.throws or not data.sides:
        return
    hit = not data.failed and any(blow.kind not in resolution.MISSES for blow in data.blows)
    kind = "maneuver" if resolution.uses_maneuver_column(data) else ""
    for side in data.sides:
        yield side.who, CardDeed(kind, side.skill, True, hit)
    totals = [throw.total for throw in data.throws if throw.what == STRIKE]
    if data.sides[0].blast:
        return
    for foe in data.foes:
        roll = data.throw_of(DEFEND, foe.who)
        defense = foe.earlier_defense if roll is None else roll.total
        if defense is None:
            continue
        change = foe.total_modifier - resolution.hidden_difficulty(data, foe)
        stopped = card_lines.has_stopped_attack(defense, [total + change for total in totals])
        skill = foe.source.name
        during = mark_total(game.state, foe.who, action_economy.DEFENSE_SET, skill)
        yield foe.who, CardDeed(card_lines.DEFEND, skill, True, stopped, during)


#: Situations of options that may apply, for GMs.
_SITUATIONS: Final = situations_field(attack_subject)
#: The GM's form for an attack.
RULING: Final = Form((*declaration.RULING.fields, _SITUATIONS))
#: All fields of an attack, those of the GM included.
_PLAN: Final = Form((*declaration.FORM.fields, _SITUATIONS))
_PROPOSAL: Final = AttackProposal(declaration.FORM, RULING, (ROLL, FREE, IMPOSSIBLE))
_ACT: Final = AttackRoll()
PROCEDURE: Final = partial(
    Procedure[Attack],
    "attack",
    (
        _PROPOSAL,
        *roll_stages.dice_stages(_ACT, JoinStage(_invited_helpers), DefenseStage()),
        Burst(),
        roll_stages.ImpactWindow(_ACT),
        SkinStage(),
        DamageStage(_ACT),
        DamageReductionStage(_ACT),
        _done,
        StymiedShockStage(),
        BadLuckStage(attack_deeds),
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
    dice_have_fallen=lambda data: bool(data.throws or data.blows),
    forget=without_typed_texts,
    takes_turn=lambda game, check: True,
)
