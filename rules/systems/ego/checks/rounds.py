"""Rounds: Karma for actions, initiative anew, and what begins and ends by itself (EGO-CMB-01)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from rules.core.errors import Impossible, RulesError
from rules.core.record import Record
from rules.core.rng import Rng
from rules.systems.ego.character import combat_values
from rules.systems.ego.character.combat_values import FAST_DRAW
from rules.systems.ego.character.sheet import (
    EgoSheet,
    ability_dice,
    level_of,
    number_field,
    rating_of,
)
from rules.systems.ego.command_forms import missing_error
from rules.systems.ego.formulas import action_points, damage, effects
from rules.systems.ego.formulas.action_points import ActionPoints, Forecast
from rules.systems.ego.formulas.dice import MAX_KARMA_DICE, Pool, throw
from rules.systems.ego.formulas.reference_rows import Weapon, rows_of
from rules.table.absence import orders_of
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Roll,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import PASS, Check, Choice, Order, Prompt
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import NumberChange
from rules.table.checks.standing_orders import leaves_reserve, with_plan
from rules.table.forms import Form, FormContext, Number
from rules.table.initiative import require_encounter
from rules.table.resources import TickKind
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game, Initiative, Tick, TickResult, Turns, is_npc
from rules.table.turns.turn_changes import ROUND_KIND, begin_turns, with_scores

#: The most Karma that is put into a round at once.
_POINTS_MOST: Final = 99
#: Most Karma that a menu offers; a player can type more.
_POINTS_OFFERED: Final = 24
_GUNS = "Gun Combat"
#: The effect that heals, a round after the other (EGO-FX-06).
REGENERATION: Final = "Regeneration"


# --- Action Points --------------------------------------------------------------------------------


def pay(
    game: Game, who: str, price: int, number: int | None, *, whole: bool = False, karma: int = 0
) -> tuple[Game, int]:
    """The game after somebody has paid for an action in a round of this number, and its penalty
    dice.

    Where no rounds are counted only dice of `karma` are paid for (EGO-AP-01 to EGO-AP-04,
    EGO-KAR-02). Raises as `spend_points`, `require_able`, `pay_karma`.
    """
    now, over = combat_values.with_current_round(game, who, number), 0
    combat_values.require_able(now, who)
    if number is not None:
        sheet: EgoSheet = now.sheet(who)
        points, over = action_points.spend_points(
            combat_values.points_of(sheet), price, whole=whole
        )
        game = now.with_sheet(who, combat_values.with_points(sheet, points))
    return combat_values.pay_karma(game, who, karma, number), over


def cost_forecast(
    game: Game, who: str, price: int, number: int | None, *, single: bool = True
) -> Forecast | None:
    """Return the forecast for an action of this price in a round of this number.

    None outside rounds, or for a price of 0. `single` is False for a command that does several
    actions.
    """
    if number is None or not price or who not in game.state.characters:
        return None
    sheet: EgoSheet = combat_values.with_current_round(game, who, number).sheet(who)
    return action_points.forecast_cost(combat_values.points_of(sheet), price, single=single)


def require_payable(cost: Forecast | None, *, by_gm: bool = False, open_check: str = "") -> None:
    """Raise Impossible("ego-no-ap") for a cost that can't be paid in this round.

    The refusal says how the GM makes the action free. An `open_check` can be withdrawn as well.
    """
    free = "react" if open_check else "answer" if by_gm else "ask"
    if cost is not None and not cost.payable:
        raise Impossible(
            "ego-no-ap",
            need=cost.cost,
            left=cost.left,
            over=cost.cost - cost.left,
            free=free,
            react=open_check or None,
        )


def pay_cost(
    game: Game, who: str, cost: Forecast | None, number: int | None, *, karma: int = 0
) -> tuple[Game, int, tuple[NumberChange, ...]]:
    """Pay a cost and dice of `karma`; return the game, the penalty dice and the spent points.

    Raises as `pay`.
    """
    game, penalty = pay(game, who, 0 if cost is None else cost.cost, number, karma=karma)
    if cost is None:
        return game, penalty, ()
    left = combat_values.points_of(game.sheet(who)).left
    return game, penalty, (NumberChange(who, "ap", cost.left, left),)


def round_of(game: Game, who: str) -> int | None:
    """The number of the round in which somebody is; None where none is counted for them."""
    for each in game.state.encounters.values():
        if each.round and any(slot.character == who for slot in each.order):
            return each.round
    return None


def points_of(game: Game, character: AnyCharacter) -> ActionPoints | None:
    """The Action Points of somebody who takes part in rounds that are counted; None for others."""
    number = round_of(game, character.id)
    if number is None:
        return None
    return combat_values.points_of(
        combat_values.with_current_round(game, character.id, number).sheet(character.id)
    )


def _spent(game: Game, character: AnyCharacter) -> bool:
    """Return whether a character has spent all Action Points of the round, its defense included.

    False for a character that can't act: its turn passes for that reason.
    """
    if _idle(game, character) is not None:
        return False
    points = points_of(game, character)
    return points is not None and points.left <= 0


# --- initiative -----------------------------------------------------------------------------------


def _draws(game: Game, sheet: EgoSheet) -> int:
    """Levels of Fast Draw of somebody who carries what is drawn fast (EGO-SPC-03)."""
    rows: Mapping[str, Weapon] = rows_of(game.campaign, "weapons")
    carried = [rows[each.name] for each in sheet.arms if each.name in rows]
    skills = [each.skill or game.setting("archaic_ranged_skill") for each in carried if each.range]
    return level_of(sheet, FAST_DRAW) if _GUNS in skills else 0


def _dice(game: Game, sheet: EgoSheet, number: int) -> int:
    """How many dice somebody throws for initiative in the round of this number (EGO-INI-01,
    EGO-NME-01).
    """
    profile = sheet.profile
    if profile is not None:
        return profile.defence if profile.initiative is None else profile.initiative
    agility, karma = ability_dice(sheet, "agility"), sheet.round.karma_dice if number else 0
    return action_points.initiative_dice(
        agility, fast_draw=_draws(game, sheet), round=number, karma=karma
    )


def _added(game: Game, sheet: EgoSheet) -> int:
    """What is added to the dice: an enemy's bonus, or Intellect dice; and impairment (EGO-INI-01,
    EGO-NME-01).
    """
    profile = sheet.profile
    intellect = ability_dice(sheet, "intellect") if profile is None else profile.bonus
    return action_points.initiative(
        (), intellect, impairment=combat_values.impairment_of(game, sheet)
    )


def _total(game: Game, sheet: EgoSheet, faces: Sequence[int]) -> int:
    """What these faces come to."""
    return action_points.initiative(
        faces, _added(game, sheet), counting=game.setting("initiative_mode")
    )


def roll_initiative(game: Game, character: AnyCharacter, rng: Rng) -> Initiative:
    """Of somebody who joins while a round is under way."""
    sheet: EgoSheet = character.sheet
    pool = throw(rng, _dice(game, sheet, 0))
    total = _total(game, sheet, pool.faces)
    return Initiative((total,), Text("ego-initiative", {"dice": len(pool.faces), "score": total}))


class InitiativeRoll(Record):
    """An initiative roll, of somebody or of those of a `group` who act on it, and what it came to.

    `added` is what goes to the dice, `tie` the dice that decided where others had the same.
    """

    who: tuple[str, ...]
    faces: tuple[int, ...]
    total: int
    added: int = 0
    group: str = ""
    tie: tuple[int, ...] = ()


def _parties(game: Game, place: str) -> Iterable[tuple[str, ...]]:
    """Those who roll together: NPCs of a group, all others for themselves; the dead do not
    (EGO-INI-01).
    """
    found: dict[str, tuple[str, ...]] = {}
    for slot in require_encounter(game.state, place).order:
        if slot.character is not None and game.sheet(slot.character).down != damage.DEAD:
            character = game.character(slot.character)
            group = character.owner is None and character.group
            key = f"group {group}" if group else slot.character
            found[key] = (*found.get(key, ()), slot.character)
    return found.values()


def roll_all_initiative(game: Game, place: str) -> tuple[InitiativeRoll, ...]:
    """The initiative of everybody in a place; what NPCs throw is secret."""
    number, found = require_encounter(game.state, place).round, list[InitiativeRoll]()
    for who in _parties(game, place):
        first = game.character(who[0])
        faces = throw(stream_of(game, who[0]), _dice(game, first.sheet, number)).faces
        totals = {each: _total(game, game.sheet(each), faces) for each in who}
        for total in dict.fromkeys(totals.values()):
            alike = tuple([each for each in who if totals[each] == total])
            added = _added(game, game.sheet(alike[0]))
            found.append(
                InitiativeRoll(alike, faces, total, added, first.group if len(who) > 1 else "")
            )
    return _untied(game, found)


def stream_of(game: Game, who: str) -> Rng:
    """The dice of what happens to somebody by itself: of NPCs they are secret."""
    return game.rng.public if game.character(who).owner is not None else game.rng.secret


def _scores(game: Game, each: InitiativeRoll) -> tuple[int, int] | None:
    """What decides between equals before dice do: the scores, which enemies have none of
    (EGO-INI-01).
    """
    sheet: EgoSheet = game.sheet(each.who[0])
    return None if sheet.profile is not None else (sheet.agility, sheet.intellect)


def _decides(game: Game, rolls: Sequence[InitiativeRoll], each: InitiativeRoll) -> tuple[int, ...]:
    """What decides before dice do: scores alone decide between characters (EGO-INI-01)."""
    scores = _scores(game, each)
    alone = None not in [_scores(game, other) for other in rolls if other.total == each.total]
    return (each.total, *scores) if scores and alone else (each.total,)


def _untied(game: Game, found: Sequence[InitiativeRoll]) -> tuple[InitiativeRoll, ...]:
    """The same, each with the dice that decided."""
    same: dict[tuple[int, ...], list[InitiativeRoll]] = {}
    for each in found:
        same.setdefault(_decides(game, found, each), []).append(each)
    dice = {who: tie for tied in same.values() for who, tie in _by_dice(game, tied).items()}
    return tuple([each.replace(tie=dice[each.who]) for each in found])


def _by_dice(game: Game, tied: Sequence[InitiativeRoll]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """A die each, until they differ. Against enemies the characters among them keep the order of
    their scores.
    """
    thrown, scores = _until_different(game, tied), {each.who: _scores(game, each) for each in tied}
    if len({*scores.values()}) > 1:
        able = [who for who in thrown if scores[who] is not None]
        ranked = sorted(able, key=lambda who: scores[who] or (), reverse=True)
        thrown |= zip(ranked, sorted([thrown[who] for who in able], reverse=True), strict=True)
    return thrown


def _until_different(
    game: Game, tied: Sequence[InitiativeRoll]
) -> dict[tuple[str, ...], tuple[int, ...]]:
    if len(tied) < 2:
        return {each.who: () for each in tied}
    faces = {each.who: throw(stream_of(game, each.who[0]), 1).faces for each in tied}
    found: dict[tuple[str, ...], tuple[int, ...]] = {}
    for face in sorted({*faces.values()}, reverse=True):
        more = _until_different(game, [each for each in tied if faces[each.who] == face])
        found |= {who: (*face, *rest) for who, rest in more.items()}
    return found


# --- a round begins -------------------------------------------------------------------------------


class Opening(Record):
    """A round that begins: who is asked for Karma, what they have answered, and the initiative of
    all.

    `bought` are somebody, the Action Points, and the dice for initiative that Karma was spent on.
    """

    number: int = 0
    asks: tuple[str, ...] = ()
    bought: tuple[tuple[str, int, int], ...] = ()
    rolls: tuple[InitiativeRoll, ...] = ()


AnyOpening = Check[Opening]


def _nothing(asking: FormContext) -> Iterator[RulesError]:
    if not any(asking.values.values()):
        yield missing_error("spend")


def _purchase_field(key: str, high: int, *, menu: int, other: str, title: str) -> Number:
    """Return the field of a purchase with Karma.

    Its menu has at most *menu* numbers, as far as Karma is left beside the *other* purchase.
    """

    def numbers(asking: FormContext) -> range:
        sheet: EgoSheet | None = asking.sheet
        left = menu if sheet is None else sheet.karma - _draft_number(asking, other)
        return range(1, min(menu, left) + 1)

    def refusal(asking: FormContext, word: str) -> RulesError | None:
        if word.partition(":")[0] in asking.values or numbers(asking):
            return None
        return Impossible("not-enough", what="karma", have=asking.sheet.karma, need=1)

    label = Text("ego-label", {"what": title})
    return number_field(key, high, offered=numbers, title=label, apart=True, hidden_if=refusal)


def _draft_number(asking: FormContext, key: str) -> int:
    """Return a number of a draft; 0 if the draft has none that can be read."""
    said = asking.values.get(key)
    return said if isinstance(said, int) else 0


#: Action Points that are bought.
POINTS_FIELD: Final = _purchase_field(
    "points", _POINTS_MOST, menu=_POINTS_OFFERED, other="dice", title="ap"
)
KARMA_FORM: Final = Form.of(
    POINTS_FIELD,
    _purchase_field(
        "dice", MAX_KARMA_DICE, menu=MAX_KARMA_DICE, other="points", title="initiative dice"
    ),
    check=_nothing,
)


_SPEND: Final = CheckOption(
    "spend",
    Text("ego-buy"),
    KARMA_FORM,
    says=lambda said: Text("ego-buy", {"cost": sum(said.values())}),
    helps="losing",
)


#: The prompt before initiative, named as the points that are spent in it.
KARMA_PROMPT: Final = "karma"


class Karma(Stage[Opening]):
    """Before initiative all may spend Karma, at once and in secret (EGO-KAR-04, EGO-KAR-02).

    Nobody is waited for who hasn't asked to be. The others may plan it, or buy late.
    """

    asked_by = "ask_rounds"
    can_be_asked_for = True
    name = "karma"
    orders = ((KARMA_PROMPT, _SPEND),)

    def enter(self, game: Game, check: AnyOpening, /) -> StageResult[Opening] | None:
        encounter = require_encounter(game.state, check.place)
        people = [slot.character for slot in encounter.order if slot.character is not None]
        for each in people:
            game = game.with_sheet(
                each, combat_values.new_round(game, game.sheet(each), encounter.round)
            )
        asks = [who for who in people if _may_spend(game, who, check.id)]
        return StageResult(game.state, check.data.replace(number=encounter.round, asks=tuple(asks)))

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        done = [who for who, _, _ in check.data.bought]
        left = tuple([each for each in check.data.asks if each not in done])
        return (
            (Prompt(KARMA_PROMPT, left, "react", PASS, secret=True, button="ego-buy"),)
            if left
            else ()
        )

    def secret_costs(self, check: AnyOpening, /) -> Iterator[tuple[str, str, int]]:
        for who, points, dice in check.data.bought:
            yield who, KARMA_PROMPT, points + dice
            yield who, combat_values.AP.key, -points

    def deciders(self, game: Game, check: AnyOpening, prompt: Prompt, /) -> tuple[str, ...]:
        # Players are waited for only if they asked for it; of NPCs the GMs say so.
        return tuple([each for each in prompt.who or () if is_npc(game, each)])

    def options(
        self, game: Game, check: AnyOpening, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        karma = game.sheet(who).karma
        return (_SPEND.replace(label=Text("ego-buy", {"karma": karma})),) if karma else ()

    def choose(self, game: Game, check: AnyOpening, choice: Choice, /) -> StageResult[Opening]:
        points, dice = choice.values.get("points", 0), choice.values.get("dice", 0)
        game = buy_for_round(game, choice.who, points, dice)
        said = Text("ego-karma-bought", {"points": points, "dice": dice})
        bought = (*check.data.bought, (choice.who, points, dice))
        return StageResult(game.state, check.data.replace(bought=bought), said=said)


def _may_spend(game: Game, who: str, check: str) -> bool:
    """Return whether a character may have Karma to spend before a round.

    Players' Karma is open, so none of them is asked without any. Nobody tells about NPCs' Karma.
    """
    sheet: EgoSheet = combat_values.with_open_karma(game, who, check).sheet(who)
    if sheet.profile or sheet.down or sheet.stunned:
        return False
    return sheet.karma > 0 or is_npc(game, who) or not game.state.settings.open_points


def buy_for_round(game: Game, who: str, points: int, dice: int = 0) -> Game:
    """Return the game after a character has bought Action Points and initiative dice with Karma.

    Raises Impossible("not-enough").
    """
    sheet: EgoSheet = game.sheet(who)
    if points + dice > sheet.karma:
        raise Impossible("not-enough", what="karma", have=sheet.karma, need=points + dice)
    now = sheet.round
    now = now.replace(bonus=now.bonus + points, karma_dice=now.karma_dice + dice)
    return game.with_sheet(who, sheet.replace(karma=sheet.karma - points - dice, round=now))


def _with_plans(game: Game, check: AnyOpening) -> tuple[Game, Opening]:
    """Return the game and the data after the orders of those who were not waited for.

    A plan is for this round: it is gone, whether or not it could be carried out.
    """
    data = check.data
    done = {who for who, _, _ in data.bought}
    for who in data.asks:
        if who in done or who not in game.state.characters:
            continue
        found = _carry_out_order(game, who)
        if found is not None:
            game, points, dice = found
            data = data.replace(bought=(*data.bought, (who, points, dice)))
    for slot in require_encounter(game.state, check.place).order:
        if slot.character is not None:
            game = game.with_state(without_plan(game.state, slot.character))
    return game, data


def without_plan(state: TableState, who: str) -> TableState:
    """Return the table without the Karma that a character has planned."""
    return state if plan_of(state, who) is None else with_plan(state, who, None)


def plan_of(state: TableState, who: str) -> Order | None:
    """Return the Karma that a character has planned for the next round."""
    planned = orders_of(state, who).planned
    return planned if planned is not None and planned.prompt == KARMA_PROMPT else None


def plan_order(points: int, dice: int) -> Order:
    """Return the plan to buy Action Points and initiative dice at the start of the next round."""
    values = {key: number for key, number in (("points", points), ("dice", dice)) if number}
    return Order(KARMA_PROMPT, _SPEND.value, values, otherwise=None, kind=ROUND_KIND)


def _carry_out_order(game: Game, who: str) -> tuple[Game, int, int] | None:
    """Return the game after a character's plan or standing order, and what it bought.

    None if there is none, or if it can't be afforded or leaves too little.
    """
    orders = orders_of(game.state, who)
    planned = () if orders.planned is None else (orders.planned,)
    for order in (*planned, *orders.given):
        if order.prompt != KARMA_PROMPT or order.kind not in ("", ROUND_KIND):
            continue
        if order.option == PASS:
            return None
        points, dice = order.values.get("points", 0), order.values.get("dice", 0)
        try:
            after = buy_for_round(game, who, points, dice)
        except Impossible:
            continue
        return (after, points, dice) if leaves_reserve(after, order, who) else None
    return None


def _ordering(game: Game, check: AnyOpening) -> StageResult[Opening] | None:
    """Plans are carried out, initiative is thrown, and the turns begin (EGO-KAR-04, EGO-INI-01)."""
    if check.data.rolls:
        return None
    # What was bought in secret is told from here on.
    game = game.with_state(game.state.with_check(check))
    game, data = _with_plans(game, check)
    rolls = roll_all_initiative(game, check.place)
    scores = {who: (*_decides(game, rolls, each), *each.tie) for each in rolls for who in each.who}
    game = game.with_state(with_scores(game.state, check.place, scores))
    state, events = begin_turns(game, check.place, _purchase_news(game, data))
    return StageResult(state, data.replace(rolls=rolls), events=events)


def _purchase_news(game: Game, data: Opening) -> list[Text]:
    """Return a line for each player's character that has spent Karma on the round."""
    found: list[Text] = []
    for who, points, dice in data.bought:
        if (points or dice) and not is_npc(game, who):
            bought = Text("ego-karma-bought", {"points": points, "dice": dice})
            found.append(Text("ego-karma-news", {"who": Ref(who), "bought": bought}))
    return found


def _seen(game: Game, who: str) -> Viewers:
    """Of players' characters everybody reads it, of NPCs the GMs."""
    return GMS_ONLY if is_npc(game, who) else FOR_EVERYONE


def describe(game: Game, check: AnyOpening) -> tuple[Block, ...]:
    """What a round begins with: who has spent what, and the dice."""
    data = check.data
    if not data.rolls:
        return (Note(Text("ego-round", {"round": data.number}), FOR_EVERYONE),)
    begins = Text("ego-round", {"round": data.number, "begins": True})
    found: list[Block] = [Verdict(begins, "neutral", FOR_EVERYONE)]
    for who, points, dice in [each for each in data.bought if any(each[1:])]:
        said = Text("ego-karma-bought", {"points": points, "dice": dice})
        found.append(Fact(Text("check-of", {"who": Ref(who)}), said, _seen(game, who)))
    for each in data.rolls:
        who = None if each.group else Ref(each.who[0])
        what = {"group": each.group, "count": len(each.who), "tie": each.tie}
        terms, seen = (each.added,) if each.added else (), _seen(game, each.who[0])
        roll = Roll(
            who, Text("ego-initiative-of", what), Pool(each.faces).dice, each.total, seen, terms
        )
        equals = [_seen(game, other.who[0]) for other in data.rolls if other.total == each.total]
        if (
            each.tie and seen is FOR_EVERYONE and GMS_ONLY in equals
        ):  # that it is tied would tell of somebody
            plain = roll.replace(
                what=Text("ego-initiative-of", {**what, "tie": ()}), hidden_from=GMS_ONLY
            )
            found += [plain, roll.replace(visible_to=GMS_ONLY)]
        else:
            found.append(roll)
    return tuple(found)


ROUND: Final = Procedure(
    ROUND_KIND,
    (Karma(), _ordering),
    data=Opening,
    by_itself=True,
    describe=describe,
    fallen=lambda data: bool(data.rolls),
)


def _idle(game: Game, character: AnyCharacter) -> tuple[Text, ...] | None:
    """Why somebody does nothing in a turn of theirs (EGO-EFF-02, EGO-EFF-03); of the dead it is
    told no more.
    """
    sheet: EgoSheet = character.sheet
    if not (sheet.down or sheet.stunned):
        return None
    shown = tick_line(game, character.id, "passes", down=sheet.down, rounds=sheet.stunned)
    return () if sheet.down == damage.DEAD else (shown,)


TURNS: Final = Turns(roll_initiative, idle=_idle, spent=_spent)

# --- what happens by itself -----------------------------------------------------------------------

#: What happens to somebody: the sheet after it, and what is told, None where nothing is.
TickEffect = Callable[[Game, str, EgoSheet], tuple[EgoSheet, Text | None]]


def tick_line(game: Game, who: str, how: str, **shown: Any) -> Text:
    """What has happened to somebody by itself."""
    return Text("ego-tick", {"how": how, "name": game.character(who).name, **shown})


def _worn(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Armor that stopped as much as it could wears (EGO-ARM-02)."""
    after = combat_values.wear(game, sheet, sheet.round.stopped)
    if after is sheet:
        return sheet, None
    return after, tick_line(
        game,
        who,
        "armour",
        before=combat_values.worn_armor_rating(sheet),
        after=combat_values.worn_armor_rating(after),
    )


def _counted(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Stun of this round stuns for the next ones, and what is left of it passes (EGO-EFF-02)."""
    if sheet.down == damage.DEAD:
        return sheet, None
    body = damage.round_over(combat_values.body_of(sheet))
    after = combat_values.with_body(sheet, body)
    if body.stunned == sheet.stunned:
        return after, None
    return after, tick_line(
        game, who, "stunned" if body.stunned else "stun-over", rounds=body.stunned
    )


def _regenerated(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Regeneration heals, unconscious or not (EGO-FX-06)."""
    rating = rating_of(sheet, REGENERATION)
    if not rating or sheet.down == damage.DEAD or not sheet.lethal + sheet.non_lethal:
        return sheet, None
    pool = throw(stream_of(game, who), rating)
    after = effects.regenerate(sheet.lethal, sheet.non_lethal, pool.successes)
    healed = sheet.replace(lethal=after.lethal, non_lethal=after.non_lethal)
    if not after.points:
        return healed, None
    vitality = [damage.vitality_left(combat_values.body_of(each)) for each in (sheet, healed)]
    shown = {"before": vitality[0], "after": vitality[1], "faces": pool.faces}
    return healed, tick_line(game, who, "regenerates", points=after.points, **shown)


def _recovered(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Non-lethal damage goes back by the Vitality dice (EGO-REC-02)."""
    left = damage.non_lethal_after_round(sheet.non_lethal, ability_dice(sheet, "vitality"))
    if left == sheet.non_lethal or sheet.down == damage.DEAD:
        return sheet, None
    told = tick_line(game, who, "recovers", points=sheet.non_lethal - left, left=left)
    return sheet.replace(non_lethal=left), told


def _awake(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """When a fight is over whoever is unconscious wakes, and no rounds are counted any more
    (EGO-EFF-03).
    """
    body = damage.wake(combat_values.body_of(sheet)).replace(stunned=0)
    after = combat_values.new_round(game, combat_values.with_body(sheet, body), 0)
    if sheet.down != body.down:
        return after, tick_line(game, who, "wakes")
    return after, tick_line(game, who, "stun-over") if sheet.stunned and not body.down else None


def _refreshed(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Luck, good and bad, is whole again with each session (EGO-ADV-02)."""
    used = sheet.lucky + sheet.unlucky
    return sheet.replace(lucky=0, unlucky=0), tick_line(game, who, "luck") if used else None


#: What happens when, in the order of the rules (EGO-CMB-01).
TICK_EFFECTS: Final[Mapping[TickKind, tuple[TickEffect, ...]]] = {
    "round-end": (_worn, _counted, _regenerated),
    "round-start": (_recovered,),
    "encounter-end": (_worn, _regenerated, _awake),
    "session-start": (_refreshed,),
}


def apply_tick_effects(game: Game, passing: Tick) -> TickResult:
    """What begins and ends by itself, a line for each thing that happens to somebody."""
    told: list[tuple[str, Text]] = []
    if passing.kind == "encounter-end":
        for who in passing.who:
            game = game.with_state(without_plan(game.state, who))
    counted = passing.kind in ("round-end", "encounter-end") and passing.at
    for who in passing.who if counted else ():
        game = combat_values.with_current_round(game, who, passing.at)
    for happens in TICK_EFFECTS.get(passing.kind, ()):
        for who in passing.who:
            sheet, line = happens(game, who, game.sheet(who))
            game = game.with_sheet(who, sheet)
            told += [] if line is None else [(who, line)]
    return TickResult(game, tuple(told))
