"""Attacks take their course: proposed, met in secret, thrown, changed, lowered, and done (MB-CMB-01, MB-DMG-04)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook import aiming, arms, blows, chart, combat, dice, doing, harm, talk, turns
from rules.systems.masterbook.aiming import DEFEND, STRIKE, AnyAttack, Attack, Blow, Foe, Plan
from rules.systems.masterbook.attempt import thrown
from rules.systems.masterbook.blows import blow_of, throw_by
from rules.systems.masterbook.check import SIMPLE, TOGETHER, Rated
from rules.systems.masterbook.combat import floor_of
from rules.systems.masterbook.deck.playing import Effect, Moment
from rules.systems.masterbook.describe import capacity_of
from rules.systems.masterbook.doing import (
    ACTED,
    ACTIVE_DEFENCE,
    AIMING,
    ALL_OUT,
    COMBINED,
    GUARD,
    HELD,
    acted,
    has_done_all,
    require_awake,
    require_turn,
    round_of,
    startled,
    turns_of,
    used_up,
)
from rules.systems.masterbook.means import rated
from rules.systems.masterbook.noticing import Noticed, Unlucky, fought
from rules.systems.masterbook.sheet import MasterbookSheet
from rules.systems.masterbook.standing import Cancelling, Dice, Joining, Lowering, enlists
from rules.systems.masterbook.tables import OPTIONS
from rules.systems.masterbook.telling import tell_attack
from rules.table.checks.check import GMS, NEXT, OVER, PASS, Choice, Prompt, Values
from rules.table.checks.describing import Shift
from rules.table.checks.procedure import Option, Procedure, Stage, Step
from rules.table.checks.stages import FREE, IMPOSSIBLE, ROLL, Proposed, forget, require_other, said_in
from rules.table.events import Line
from rules.table.forms import Form, Number
from rules.table.marks import marks_of, value_of, with_marks, without_marks
from rules.table.permissions import is_gm
from rules.table.state import Mark
from rules.table.system import Game, is_npc

DECLARED, STRUCK, DONE = "declared", "struck", "done"
#: What a GM who is asked may say in the place of whoever attacks.
_FOR_GMS: Final = ("mb-which-range",)


class Proposal(Proposed[Attack]):
    """The GM answers, unless nobody has to."""

    free = DECLARED
    alone = ()

    def __init__(self) -> None:
        super().__init__(aiming.FORM, aiming.RULING, (ROLL, FREE, IMPOSSIBLE))

    def measured(self, check: AnyAttack) -> bool:
        return False

    def unasked(self, game: Game, check: AnyAttack) -> str | None:
        return None if enlists(game, check) else super().unasked(game, check)

    def waits(self, check: AnyAttack) -> bool:
        return True

    def asked(self, game: Game, check: AnyAttack, values: Values) -> AnyAttack:
        require_other(check)
        require_turn(game, game.character(check.actor))
        found: Any = check
        found.data.asked = said_in(found.data.asked)
        found.data.plan = aiming.FORM.make(Plan, found.data.asked)
        if {check.actor, check.target} & {*found.data.plan.together}:
            raise InvalidInput("target-is-self", field="together", value=None)
        unasked = self.unasked(game, check) is not None
        if unasked and not found.data.plan.together:  # it is declared at once
            return check
        try:  # what cannot be is refused before anybody is asked; what NPCs cannot, only to their GMs
            declared(game, check, check.data, npcs=is_gm(game.state, game.actor))
        except InvalidInput as error:
            if error.code not in _FOR_GMS or unasked:
                raise
        return check

    def ruled(self, game: Game, check: AnyAttack) -> Attack:
        data = check.data
        own = {key: each for key, each in data.asked.items() if key not in aiming.RULING.keys}
        found = data.but(plan=aiming.FORM.make(Plan, own | dict(data.ruled or {})))
        if found.answer != IMPOSSIBLE and any(is_npc(game, each) for each in found.plan.together):
            declared(game, check, found)  # before players join: what NPCs lack is not told to them
        return found


def declared(game: Game, check: AnyAttack, data: Attack, *, npcs: bool = True) -> tuple[Game, Attack]:
    """The game after the rounds that it takes, and the attack with its sides and everybody it is made at.

    Without `npcs` those who would help are left out.
    """
    plan = data.plan
    require_awake(game, check.actor)
    helpers = [
        each
        for each in plan.together
        if (each in data.joined or (npcs and is_npc(game, each))) and not game.sheet(each).harm.out
    ]
    who = (check.actor, *helpers)
    if blows.aims(data) and value_of(game.state, check.actor, ACTED):
        raise Impossible("mb-aim-alone", name=game.called(check.actor))
    made = tuple(
        [blows.side_of(game, check, each, plan if each == check.actor else _as_helper(plan)) for each in who]
    )
    for each in made[1:]:
        if each.how.barred:  # only whoever leads it waits for a card
            raise Impossible("mb-trained-only", name=each.skill, who=game.called(each.who))
    shifts = data.shifts
    for side in () if blows.aims(data) else made:
        game, found = blows.shot(game, side, plan)
        shifts += found
    about: Any = check.but(data=data)
    return game, data.but(sides=made, foes=blows.foes_of(game, about, made[0]), shifts=shifts)


def _as_helper(plan: Plan) -> Plan:
    """How those attack who coordinate: alike, with what they have in hand."""
    kept = tuple([each for each in plan.options if each not in OPTIONS or OPTIONS[each].group != "mode"])
    return plan.but(weapon="", skill="", options=kept)


class Joined(Joining[Attack]):
    """Those who attack together."""

    def wanted(self, check: AnyAttack) -> tuple[str, ...]:
        return () if check.data.sides else check.data.plan.together


class Paid(Stage[Attack]):
    """It is declared for good, with those who have joined, and paid for."""

    name = "paid"

    def enter(self, game: Game, check: AnyAttack, /) -> Step[Attack] | None:
        if check.data.sides:
            return None
        game, data = declared(game, check, check.data)
        if blows.aims(data):
            return Step(_aiming(game, check, data).state, data, OVER)
        return Step(game.state, data, STRUCK if data.answer == FREE else None)


def _aiming(game: Game, check: AnyAttack, data: Attack) -> Game:
    """To track a target takes the round, whatever else was declared; the next one has what that brings (MB-OPT-01)."""
    state = game.state
    for each in (AIMING, doing.DECLARED):
        state = without_marks(state, check.actor, each)
    mark = Mark(AIMING, check.target or "", check.round or 0, "encounter")
    return _acting(game.with_(with_marks(state, check.actor, mark)), check, data)


def _acting(game: Game, check: AnyAttack, data: Attack) -> Game:
    """In a round everybody who attacks has acted, and is open as far as what they do makes them so."""
    for side in data.sides:
        again = blows.strikes_again(game, check, side.who)
        game = game if again else acted(game, side.who)
        if check.round is None:
            continue
        marks = list[Mark]()
        if combat.does(data.plan.options, "twice") and not again:
            marks.append(Mark(COMBINED, check.target or "", until="round"))
        if guard := blows.own_defence(data):
            held = [each.value for each in marks_of(game.state, side.who, GUARD) if each.at > check.round]
            marks.append(Mark(GUARD, value=guard + sum(held), until="turn", at=check.round + 1))
        if any(not OPTIONS[each].active for each in data.plan.options if each in OPTIONS):
            marks.append(Mark(ALL_OUT, until="turn", at=check.round + 1))
        state = without_marks(game.state, side.who, COMBINED) if again else game.state
        game = game.with_(with_marks(state, side.who, *marks))
    return game


_FACE: Final = "defend"
_USES: Final = ("hand", "fire", "missile")
_ACTIVE: Final = {use: Option("active", Line("mb-active", {"use": use})) for use in _USES}


class Facing(Stage[Attack]):
    """Those it is made at say in secret whether they defend actively (MB-CMB-03, MB-EQ-14)."""

    name = _FACE
    orders = tuple([(f"{_FACE}-{use}", option) for use, option in _ACTIVE.items()])

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        data = check.data
        who = tuple([each.who for each in data.foes if not each.active and self._may(game, check, each)])
        if not who or not data.sides:
            return ()
        key = f"{_FACE}-{data.sides[0].use}"
        return (Prompt(key, who, "answer", PASS, True, button="answer-defend"),)

    def _may(self, game: Game, check: AnyAttack, foe: Foe) -> bool:
        near = not check.data.sides[0].blast or arms.zone(foe.metres) < arms.CLEAR
        return near and blows.may_defend(game, check, foe)

    def options(self, game: Game, check: AnyAttack, prompt: str, who: str, /) -> Iterable[Option]:
        foe = next((each for each in check.data.foes if each.who == who), None)
        if foe is None or not self._may(game, check, foe):  # who was asked may have acted since
            return ()
        use, how = prompt.removeprefix(f"{_FACE}-"), active(game, foe)
        value = how.value + sum([each for _, each in how.modifiers])
        counted = round_of(game, who) is not None
        shown = {"use": use, "name": foe.means.name, "value": value, "least": how.floor, "acts": counted}
        return (_ACTIVE[use].but(label=Line("mb-active", shown)),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> Step[Attack]:
        foes = tuple([each.but(active=True) if each.who == choice.who else each for each in check.data.foes])
        # With which value only the one reads who chooses.
        said = _ACTIVE[check.data.sides[0].use].label
        return Step(game.state, check.data.but(foes=foes), said=said)


def active(game: Game, foe: Foe) -> Rated:
    """What an active defence is rolled with; the guard that somebody has lowered counts (MB-DIE-07)."""
    found = rated(game, foe.who, foe.means)
    guard = tuple([each for each in foe.how.modifiers if each[0] == GUARD])
    floor = floor_of(foe.means.focus.casefold())
    # Who said so before they acted defends all the same.
    turns = () if has_done_all(game, foe.who) else turns_of(game, foe.who)
    return found.but(modifiers=(*found.modifiers, *guard, *turns), floor=floor)


class Cancelled(Cancelling[Attack]):
    """Who is wholly surprised cannot cancel what surprises them; others who are there can (MB-SUR-01, MB-DIE-06)."""

    def unaware(self, check: AnyAttack, who: str) -> bool:
        return blows.unawares(check.data) and any(each.who == who for each in check.data.foes)


class Attacked(Dice[Attack]):
    """The dice of all sides; each changes their own."""

    def due(self, game: Game, check: AnyAttack) -> tuple[dice.Throw, ...]:
        data, found = check.data, list[dice.Throw]()
        if data.plan.together and data.plan.coordination != SIMPLE:
            found += [
                thrown(game, check, each.who, TOGETHER, _coordinating(data, each))
                for each in data.sides
                if throw_by(data, each.who, TOGETHER) is None
            ]
        found += [
            thrown(game, check, each.who, STRIKE, each.how)
            for each in data.sides
            if throw_by(data, each.who, STRIKE) is None
        ]
        for each in data.foes:
            if each.active and throw_by(data, each.who, DEFEND) is None:
                found.append(thrown(game, check, each.who, DEFEND, active(game, each)))
        return tuple(found)

    def using(self, game: Game, check: AnyAttack) -> Game:
        data = check.data
        game = _acting(game, check, data)
        game = game.with_(without_marks(game.state, check.actor, AIMING))
        for each in data.foes:
            game = startled(game, each.who, rounds=check.round is not None)
        for who in [*[each.who for each in data.sides], *[each.who for each in data.foes if each.active]]:
            game = used_up(game, who)
        return game

    def aware(self, game: Game, check: AnyAttack) -> tuple[str, ...]:
        data, found = check.data, super().aware(game, check)
        # A group spends only if everybody in it does (MB-CBN-01); a wholly surprised one not at all.
        barred = {check.actor} if data.plan.group else set[str]()
        return tuple([each for each in found if each not in barred])

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        return blows.open_moments(game, check)

    def carded(self, check: AnyAttack, data: Any, effect: Effect) -> Any:
        return blows.stood(data, effect)


def _coordinating(data: Attack, side: aiming.Side) -> Rated:
    """What coordinating is rolled with: of the two actions it has the other rank (MB-CBN-02)."""
    rank = ("multi_action", turns.multi(1 if data.plan.rank == 2 else 2, 2))
    return side.how.but(
        modifiers=tuple([rank if each[0] == rank[0] else each for each in side.how.modifiers])
    )


_PLACED: Final = "placed"


class Burst(Stage[Attack]):
    """What was thrown at a place and missed it comes down elsewhere; the GMs say who is near (MB-EQ-12)."""

    name = "burst"

    def _missed(self, data: Attack) -> int:
        found = throw_by(data, data.sides[0].who, STRIKE) if data.sides else None
        blast = found is not None and data.sides[0].blast
        return max(0, blows.spot_number(data) - found.total) if blast and found is not None else 0

    def enter(self, game: Game, check: AnyAttack, /) -> Step[Attack] | None:
        data = check.data
        missed, method = self._missed(data), game.setting("grenade_deviation_method")
        if not missed or data.strayed is not None:
            return None
        # What was said before the throw and cannot be is asked for anew.
        if method == "gm" and not arms.may_stray(data.sides[0].band, data.plan.strays):
            return None
        return Step(game.state, self._strayed(game, check, method, data.plan.strays))

    def _strayed(self, game: Game, check: AnyAttack, method: str, metres: int | None) -> Attack:
        data = check.data
        band, missed = data.sides[0].band, self._missed(data)
        return data.but(strayed=arms.deviation(band, game.dice(check), method, miss=missed, metres=metres))

    def ask(self, game: Game, check: AnyAttack, /) -> tuple[Prompt, ...]:
        if not self._missed(check.data) or check.data.placed:
            return ()
        # How far it has strayed nobody else can say.
        default = None if check.data.strayed is None else PASS
        return (Prompt(_PLACED, (GMS,), "answer", default, button="answer-place"),)

    def options(self, game: Game, check: AnyAttack, prompt: str, who: str, /) -> Iterable[Option]:
        near = [f"{game.character(each.who).name} {each.metres}" for each in check.data.foes]
        spot, form = arms.SPOTS[check.data.sides[0].band], aiming.PLACING
        if check.data.strayed is None:
            strays = Number("strays", low=spot.least, high=spot.most, needed=True)
            form = Form((*form.part("also").fields, strays))
        return (Option("place", Line("answer-place"), form, values={"also": tuple(near)}),)

    def choose(self, game: Game, check: AnyAttack, choice: Choice, /) -> Step[Attack]:
        data = check.data
        if data.strayed is None:
            data = self._strayed(game, check, "gm", choice.values.get("strays"))
        said = [each.rpartition(" ") for each in choice.values.get("also", ())]
        metres = {who: int(distance) for who, _, distance in said}
        foes = [each.but(metres=metres.get(each.who, arms.ZONES[-1].limit + 1)) for each in data.foes]
        known = {each.who for each in foes}
        use = data.sides[0].use
        foes += [
            Foe(who, blows.defence_of(game, who, use, ()), metres=far)
            for who, far in metres.items()
            if who not in known
        ]
        return Step(game.state, data.but(foes=tuple(foes), placed=True), NEXT)


# --- what it does --------------------------------------------------------------------------------------------


class Struck(Stage[Attack]):
    """What it does to everybody, until they take it (MB-DMG-04, MB-DMO-04)."""

    name = STRUCK

    def enter(self, game: Game, check: AnyAttack, /) -> Step[Attack] | None:
        data = check.data
        if data.blows or not data.sides:
            return None
        made, bleeding = list[Blow](), list[int]()
        mode = game.setting("bleeding")
        for foe in data.foes:
            blow = blow_of(game, check, foe)
            count = harm.bleeding_dice(blow.damage) if mode == "table" else 0
            rng = game.dice(check, foe.who)
            faces = [rng.below(dice.SIDES) + 1 for _ in range(count)]
            bleeders = harm.bleeders(data.sides[0].bleeds, faces) if faces else data.plan.bleeders
            made.append(blow.but(damage=harm.bled(blow.damage, bleeders)))
            bleeding += faces
        return Step(game.state, data.but(blows=tuple(made), bleeding=tuple(bleeding)))


class Done(Stage[Attack]):
    """Everything is taken at once (MB-DMG-05 to MB-DMG-10)."""

    name = DONE

    def enter(self, game: Game, check: AnyAttack, /) -> Step[Attack] | None:
        data = check.data
        for blow in () if data.failed else data.blows:
            game, data = _taken(game, data, blow)
        if check.round is not None:
            for foe in data.foes:
                game = _held(game, data, foe)
        return Step(game.state, data)


def _taken(game: Game, data: Attack, blow: Blow) -> tuple[Game, Attack]:
    """The game after what a blow has left, told with every number that it changes."""
    before: MasterbookSheet = game.sheet(blow.who)
    left = blow.left
    if blow.effect:
        effects = talk.effects(blow.effect)
        tired = arms.fatigue(effects.shock, before.armour, int(game.setting("armor_extra_fatigue")))
        left = chart.Damage(shock=tired if effects.shock else 0)
        marks = [Mark(each, until="encounter") for each in effects.theirs]
        game = game.with_(with_marks(game.state, blow.who, *marks)) if marks else game
    if blow.kind != "miss" and combat.does(data.plan.options, "holds"):
        side = data.sides[0]
        thrown = throw_by(data, side.who, STRIKE)
        mark = Mark(HELD, side.who, 0 if thrown is None else thrown.total, "encounter")
        game = game.with_(with_marks(game.state, blow.who, mark))
        data = data.but(came=(*data.came, (blow.who, ((HELD, 0),))))
    capacity = capacity_of(before, game.setting("resist_shock_add_cap"))
    now, facts = harm.apply(before.harm, left, capacity)
    if now == before.harm and not facts:
        return game, data
    game = game.put(blow.who, before.but(harm=now))
    game = game.with_(without_marks(game.state, blow.who, AIMING))  # who is hit loses it (MB-OPT-01)
    shifts = [
        Shift(blow.who, key, getattr(before.harm, key), getattr(now, key))
        for key in ("wounds", "shock", "bleeders")
        if getattr(before.harm, key) != getattr(now, key)
    ]
    return game, data.but(shifts=(*data.shifts, *shifts), came=(*data.came, (blow.who, facts)))


def _held(game: Game, data: Attack, foe: Foe) -> Game:
    """An active defence stands for its skill until the round is over, and was an action (MB-CMB-03)."""
    roll = throw_by(data, foe.who, DEFEND)
    if roll is None:
        return game
    game = acted(game, foe.who)
    if data.sides[0].blast:
        return game
    mark = Mark(ACTIVE_DEFENCE, foe.means.name, roll.total, "round")
    return game.with_(with_marks(game.state, foe.who, mark))


def require(game: Game, check: AnyAttack) -> None:
    """Impossible("gone") where somebody has left."""
    for each in aiming.victims(check):
        game.character(each)


_PROPOSED: Final = Proposal()
PROCEDURE: Final = partial(
    Procedure[Attack],
    "attack",
    (
        *(_PROPOSED, blows.Untaught(), Joined(), Paid(), Facing()),
        *(Cancelled(), Attacked(), Burst(), blows.Impact(), Struck(), blows.After()),
        *(Lowering[Attack](), Done(), Noticed(fought), Unlucky()),
    ),
    Attack,
    form=aiming.FORM,
    begin=_PROPOSED.proposed,
    describe=tell_attack,
    cast=aiming.victims,
    require=require,
    fallen=lambda data: bool(data.throws or data.blows),
    forget=forget,
)
