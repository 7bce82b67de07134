"""Rounds: Karma for actions, initiative, and automatic effects of start and end (EGO-CMB-01)."""

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
from rules.table.forms.fields import FormContext, Number
from rules.table.forms.form import Form
from rules.table.initiative import require_encounter
from rules.table.resources import TickKind
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game, Initiative, Tick, TickResult, Turns, is_npc
from rules.table.turns.turn_changes import begin_turns, with_scores

#: Most Karma that a character spends on a round at once.
_MAX_POINTS: Final = 99
#: Kind of the check that a round begins with.
ROUND_KIND: Final = "round"
#: Most Karma that a menu offers; a player can type more.
_POINTS_OFFERED: Final = 24
_GUNS = "Gun Combat"
#: Effect that heals at the end of each round (EGO-FX-06).
REGENERATION: Final = "Regeneration"


# --- Action Points --------------------------------------------------------------------------------


def pay(
    game: Game, who: str, price: int, number: int | None, *, whole: bool = False, karma: int = 0
) -> tuple[Game, int]:
    """Return the game after a character has paid for an action in a round, and its penalty dice.

    Without rounds, only dice of `karma` are paid for (EGO-AP-01 to EGO-AP-04, EGO-KAR-02). Raises
    as `spend_points`, `require_able`, `pay_karma`.
    """
    now = combat_values.with_current_round(game, who, number)
    combat_values.require_able(now, who)
    penalty = 0
    if number is not None:
        sheet: EgoSheet = now.sheet(who)
        had = combat_values.points_of(sheet)
        points, penalty = action_points.spend_points(had, price, whole=whole)
        game = now.with_sheet(who, combat_values.with_points(sheet, points))
    return combat_values.pay_karma(game, who, karma, number), penalty


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
    if cost is None or cost.payable:
        return
    free = "ask"
    if open_check:
        free = "react"
    elif by_gm:
        free = "answer"
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
    price = 0 if cost is None else cost.cost
    game, penalty = pay(game, who, price, number, karma=karma)
    if cost is None:
        return game, penalty, ()
    left = combat_values.points_of(game.sheet(who)).left
    return game, penalty, (NumberChange(who, "ap", cost.left, left),)


def round_of(game: Game, who: str) -> int | None:
    """Return the number of the round that a character is in; None outside rounds."""
    for encounter in game.state.encounters.values():
        if encounter.round and any(slot.character == who for slot in encounter.order):
            return encounter.round
    return None


def points_of(game: Game, character: AnyCharacter) -> ActionPoints | None:
    """Return the Action Points of a character in a round; None outside rounds."""
    number = round_of(game, character.id)
    if number is None:
        return None
    now = combat_values.with_current_round(game, character.id, number)
    return combat_values.points_of(now.sheet(character.id))


def _has_spent_all(game: Game, character: AnyCharacter) -> bool:
    """Return whether a character has spent all Action Points of the round, its defense included.

    False for a character that can't act: its turn passes for that reason.
    """
    if _idle_lines(game, character) is not None:
        return False
    points = points_of(game, character)
    return points is not None and points.left <= 0


# --- initiative -----------------------------------------------------------------------------------


def _fast_draw_levels(game: Game, sheet: EgoSheet) -> int:
    """Return the levels of Fast Draw that count (EGO-SPC-03).

    They are 0 unless the character carries a weapon that is shot with Gun Combat.
    """
    rows: Mapping[str, Weapon] = rows_of(game.campaign, "weapons")
    carried = [rows[arm.name] for arm in sheet.arms if arm.name in rows]
    ranged = [weapon for weapon in carried if weapon.range]
    skills = [weapon.skill or game.setting("archaic_ranged_skill") for weapon in ranged]
    if _GUNS not in skills:
        return 0
    return level_of(sheet, FAST_DRAW)


def _initiative_dice(game: Game, sheet: EgoSheet, number: int) -> int:
    """Return the dice of initiative in the round of that number (EGO-INI-01, EGO-NME-01)."""
    profile = sheet.profile
    if profile is not None:
        return profile.defence if profile.initiative is None else profile.initiative
    agility = ability_dice(sheet, "agility")
    karma = sheet.round.karma_dice if number else 0
    fast_draw = _fast_draw_levels(game, sheet)
    return action_points.initiative_dice(agility, fast_draw=fast_draw, round=number, karma=karma)


def _initiative_bonus(game: Game, sheet: EgoSheet) -> int:
    """Return what is added to the dice of initiative (EGO-INI-01, EGO-NME-01).

    It is an enemy's bonus, or a character's Intellect dice, less impairment.
    """
    profile = sheet.profile
    intellect = ability_dice(sheet, "intellect") if profile is None else profile.bonus
    return action_points.initiative(
        (), intellect, impairment=combat_values.impairment_of(game, sheet)
    )


def _initiative_total(game: Game, sheet: EgoSheet, faces: Sequence[int]) -> int:
    """Return the initiative of these faces."""
    return action_points.initiative(
        faces, _initiative_bonus(game, sheet), counting=game.setting("initiative_mode")
    )


def roll_initiative(game: Game, character: AnyCharacter, rng: Rng) -> Initiative:
    """Roll the initiative of a character who joins during a round."""
    sheet: EgoSheet = character.sheet
    pool = throw(rng, _initiative_dice(game, sheet, 0))
    total = _initiative_total(game, sheet, pool.faces)
    shown = {
        "dice": len(pool.faces),
        "score": total,
        "plus": _initiative_bonus(game, sheet) or None,
    }
    return Initiative((total,), Text("ego-initiative", shown))


class InitiativeRoll(Record):
    """An initiative roll of a character, or of a group that acts on one roll."""

    who: tuple[str, ...]
    faces: tuple[int, ...]
    total: int
    #: Bonus that is added to the dice.
    added: int = 0
    #: Name of the group that acts on the roll; empty for a single character.
    group: str = ""
    #: Dice that decided between equal totals.
    tie: tuple[int, ...] = ()


def _initiative_groups(game: Game, place: str) -> Iterable[tuple[str, ...]]:
    """Return the ids of the characters that share each initiative roll (EGO-INI-01).

    NPCs of a group share a roll. Other characters roll alone, and the dead don't roll.
    """
    groups: dict[str, tuple[str, ...]] = {}
    for slot in require_encounter(game.state, place).order:
        if slot.character is not None and game.sheet(slot.character).down != damage.DEAD:
            character = game.character(slot.character)
            group = character.owner is None and character.group
            key = f"group {group}" if group else slot.character
            groups[key] = (*groups.get(key, ()), slot.character)
    return groups.values()


def roll_all_initiative(game: Game, place: str) -> tuple[InitiativeRoll, ...]:
    """Roll the initiative of all characters of an encounter.

    The dice of NPCs are secret.
    """
    number = require_encounter(game.state, place).round
    rolls: list[InitiativeRoll] = []
    for members in _initiative_groups(game, place):
        first = game.character(members[0])
        group = first.group if len(members) > 1 else ""
        count = _initiative_dice(game, first.sheet, number)
        faces = throw(stream_of(game, first.id), count).faces
        totals = {who: _initiative_total(game, game.sheet(who), faces) for who in members}
        for total in dict.fromkeys(totals.values()):
            equal = tuple(who for who in members if totals[who] == total)
            bonus = _initiative_bonus(game, game.sheet(equal[0]))
            rolls.append(InitiativeRoll(equal, faces, total, bonus, group))
    return _with_tie_dice(game, rolls)


def stream_of(game: Game, who: str) -> Rng:
    """Return the dice for automatic events of a character; those of NPCs are secret."""
    if game.character(who).owner is None:
        return game.rng.secret
    return game.rng.public


def _tie_scores(game: Game, roll: InitiativeRoll) -> tuple[int, int] | None:
    """Return the scores that break a tie before dice do; None for an enemy (EGO-INI-01)."""
    sheet: EgoSheet = game.sheet(roll.who[0])
    if sheet.profile is not None:
        return None
    return sheet.agility, sheet.intellect


def _rank_key(game: Game, rolls: Sequence[InitiativeRoll], roll: InitiativeRoll) -> tuple[int, ...]:
    """Return the numbers that rank a roll before dice do (EGO-INI-01).

    Scores count only if no enemy has the same total.
    """
    scores = _tie_scores(game, roll)
    equal = [other for other in rolls if other.total == roll.total]
    if scores is None or any(_tie_scores(game, other) is None for other in equal):
        return (roll.total,)
    return (roll.total, *scores)


def _with_tie_dice(game: Game, rolls: Sequence[InitiativeRoll]) -> tuple[InitiativeRoll, ...]:
    """Return the rolls with the dice that broke their ties."""
    by_key: dict[tuple[int, ...], list[InitiativeRoll]] = {}
    for roll in rolls:
        by_key.setdefault(_rank_key(game, rolls, roll), []).append(roll)
    dice: dict[tuple[str, ...], tuple[int, ...]] = {}
    for tied in by_key.values():
        dice |= _tie_dice(game, tied)
    return tuple(roll.replace(tie=dice[roll.who]) for roll in rolls)


def _tie_dice(game: Game, tied: Sequence[InitiativeRoll]) -> dict[tuple[str, ...], tuple[int, ...]]:
    """Roll a die for each of the tied rolls until all differ; return the dice by roll.

    Where enemies are among the tied, the characters keep the order of their scores.
    """
    thrown = _roll_until_different(game, tied)
    scores = {roll.who: _tie_scores(game, roll) for roll in tied}
    if len({*scores.values()}) > 1:
        able = [who for who in thrown if scores[who] is not None]
        ranked = sorted(able, key=lambda who: scores[who] or (), reverse=True)
        thrown |= zip(ranked, sorted([thrown[who] for who in able], reverse=True), strict=True)
    return thrown


def _roll_until_different(
    game: Game, tied: Sequence[InitiativeRoll]
) -> dict[tuple[str, ...], tuple[int, ...]]:
    if len(tied) < 2:
        return {roll.who: () for roll in tied}
    faces = {roll.who: throw(stream_of(game, roll.who[0]), 1).faces for roll in tied}
    dice: dict[tuple[str, ...], tuple[int, ...]] = {}
    for face in sorted({*faces.values()}, reverse=True):
        equal = [roll for roll in tied if faces[roll.who] == face]
        more = _roll_until_different(game, equal)
        dice |= {who: (*face, *rest) for who, rest in more.items()}
    return dice


# --- start of a round -----------------------------------------------------------------------------


class Opening(Record):
    """Start of a round: the purchases with Karma, and the initiative of all."""

    number: int = 0
    #: Ids of the characters that may spend Karma.
    asks: tuple[str, ...] = ()
    #: Purchases with Karma: character id, Action Points and dice for initiative.
    bought: tuple[tuple[str, int, int], ...] = ()
    rolls: tuple[InitiativeRoll, ...] = ()


AnyOpening = Check[Opening]


def _empty_purchase_error(asking: FormContext) -> Iterator[RulesError]:
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
    "points", _MAX_POINTS, menu=_POINTS_OFFERED, other="dice", title="ap"
)
KARMA_FORM: Final = Form.of(
    POINTS_FIELD,
    _purchase_field(
        "dice", MAX_KARMA_DICE, menu=MAX_KARMA_DICE, other="points", title="initiative dice"
    ),
    check=_empty_purchase_error,
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
    """Purchases with Karma before initiative, at once and in secret (EGO-KAR-04, EGO-KAR-02).

    The round waits for a player only if the player asked for that. The others may plan a purchase,
    or buy late.
    """

    asked_by = "ask_rounds"
    can_be_asked_for = True
    name = "karma"
    orders = ((KARMA_PROMPT, _SPEND),)

    def enter(self, game: Game, check: AnyOpening, /) -> StageResult[Opening] | None:
        encounter = require_encounter(game.state, check.place)
        people = [slot.character for slot in encounter.order if slot.character is not None]
        for who in people:
            sheet = combat_values.new_round(game, game.sheet(who), encounter.round)
            game = game.with_sheet(who, sheet)
        asks = [who for who in people if _may_spend(game, who, check.id)]
        return StageResult(game.state, check.data.replace(number=encounter.round, asks=tuple(asks)))

    def ask(self, game: Game, check: AnyOpening, /) -> tuple[Prompt, ...]:
        done = [who for who, _, _ in check.data.bought]
        left = tuple(who for who in check.data.asks if who not in done)
        if not left:
            return ()
        return (Prompt(KARMA_PROMPT, left, "react", PASS, secret=True, button="ego-buy"),)

    def secret_costs(self, check: AnyOpening, /) -> Iterator[tuple[str, str, int]]:
        for who, points, dice in check.data.bought:
            yield who, KARMA_PROMPT, points + dice
            yield who, combat_values.AP.key, -points

    def deciders(self, game: Game, check: AnyOpening, prompt: Prompt, /) -> tuple[str, ...]:
        # The round waits for players only if they asked for it; for NPCs their GMs decide.
        return tuple(who for who in prompt.who or () if is_npc(game, who))

    def options(
        self, game: Game, check: AnyOpening, prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        karma = game.sheet(who).karma
        if not karma:
            return ()
        return (_SPEND.replace(label=Text("ego-buy", {"karma": karma})),)

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
        result = _carry_out_order(game, who)
        if result is not None:
            game, points, dice = result
            data = data.replace(bought=(*data.bought, (who, points, dice)))
    for slot in require_encounter(game.state, check.place).order:
        if slot.character is not None:
            game = game.with_state(without_plan(game.state, slot.character))
    return game, data


def without_plan(state: TableState, who: str) -> TableState:
    """Return the table without the Karma that a character has planned."""
    if plan_of(state, who) is None:
        return state
    return with_plan(state, who, None)


def plan_of(state: TableState, who: str) -> Order | None:
    """Return the Karma that a character has planned for the next round."""
    planned = orders_of(state, who).planned
    if planned is None or planned.prompt != KARMA_PROMPT:
        return None
    return planned


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
        if not leaves_reserve(after, order, who):
            return None
        return after, points, dice
    return None


def _ordering(game: Game, check: AnyOpening) -> StageResult[Opening] | None:
    """Carry out plans, roll initiative and begin the turns (EGO-KAR-04, EGO-INI-01)."""
    if check.data.rolls:
        return None
    # From here on, the secret purchases are public.
    game = game.with_state(game.state.with_check(check))
    game, data = _with_plans(game, check)
    rolls = roll_all_initiative(game, check.place)
    scores: dict[str, tuple[int, ...]] = {}
    for roll in rolls:
        scores |= dict.fromkeys(roll.who, (*_rank_key(game, rolls, roll), *roll.tie))
    game = game.with_state(with_scores(game.state, check.place, scores))
    state, events = begin_turns(game, check.place, _purchase_news(game, data))
    return StageResult(state, data.replace(rolls=rolls), events=events)


def _purchase_news(game: Game, data: Opening) -> list[Text]:
    """Return a line for each player's character that has spent Karma on the round."""
    lines: list[Text] = []
    for who, points, dice in data.bought:
        if (points or dice) and not is_npc(game, who):
            bought = Text("ego-karma-bought", {"points": points, "dice": dice})
            left = game.sheet(who).karma
            karma = {"before": left + points + dice, "karma": left}
            lines.append(Text("ego-karma-news", {"who": Ref(who), "bought": bought, **karma}))
    return lines


def _viewers_of(game: Game, who: str) -> Viewers:
    """Return the viewers of a character's numbers: the GMs alone for an NPC."""
    return GMS_ONLY if is_npc(game, who) else FOR_EVERYONE


def describe(game: Game, check: AnyOpening) -> tuple[Block, ...]:
    """Return the blocks of a round's start: the purchases and the dice of initiative."""
    data = check.data
    if not data.rolls:
        return (Note(Text("ego-round", {"round": data.number}), FOR_EVERYONE),)
    begins = Text("ego-round", {"round": data.number, "begins": True})
    blocks: list[Block] = [Verdict(begins, "neutral", FOR_EVERYONE)]
    for who, points, dice in data.bought:
        if points or dice:
            bought = Text("ego-karma-bought", {"points": points, "dice": dice})
            label = Text("check-of", {"who": Ref(who)})
            blocks.append(Fact(label, bought, _viewers_of(game, who)))
    for roll in data.rolls:
        blocks += _roll_blocks(game, data, roll)
    return tuple(blocks)


def _roll_blocks(game: Game, data: Opening, roll: InitiativeRoll) -> list[Block]:
    """Return the block of an initiative roll; without its tie for players where an NPC shares it.

    The tie would tell players the total of the NPC.
    """
    viewers = _viewers_of(game, roll.who[0])
    shown = {"group": roll.group, "count": len(roll.who), "tie": roll.tie}
    full = Roll(
        None if roll.group else Ref(roll.who[0]),
        Text("ego-initiative-of", shown),
        Pool(roll.faces).dice,
        roll.total,
        viewers,
        (roll.added,) if roll.added else (),
    )
    equal = [other for other in data.rolls if other.total == roll.total]
    with_npc = GMS_ONLY in [_viewers_of(game, other.who[0]) for other in equal]
    if not (roll.tie and viewers is FOR_EVERYONE and with_npc):
        return [full]
    what = Text("ego-initiative-of", {**shown, "tie": ()})
    plain = full.replace(what=what, hidden_from=GMS_ONLY)
    return [plain, full.replace(visible_to=GMS_ONLY)]


ROUND: Final = Procedure(
    ROUND_KIND,
    (Karma(), _ordering),
    data=Opening,
    role="round",
    by_itself=True,
    describe=describe,
    dice_have_fallen=lambda data: bool(data.rolls),
)


def _idle_lines(game: Game, character: AnyCharacter) -> tuple[Text, ...] | None:
    """Return the lines on a character that can't act in its turn (EGO-EFF-02, EGO-EFF-03).

    None if it can act; no line if it is dead.
    """
    sheet: EgoSheet = character.sheet
    if not (sheet.down or sheet.stunned):
        return None
    shown = tick_line(game, character.id, "passes", down=sheet.down, rounds=sheet.stunned)
    if sheet.down == damage.DEAD:
        return ()
    return (shown,)


TURNS: Final = Turns(roll_initiative, idle=_idle_lines, spent=_has_spent_all)

# --- automatic effects ----------------------------------------------------------------------------

#: Automatic effect on a character: returns the sheet after it, and a line to report, if any.
TickEffect = Callable[[Game, str, EgoSheet], tuple[EgoSheet, Text | None]]


def tick_line(game: Game, who: str, how: str, **shown: Any) -> Text:
    """Return the line on an automatic effect on a character."""
    return Text("ego-tick", {"how": how, "name": game.character(who).name, **shown})


def _wear_armor(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Wear armor that stopped as much as it could (EGO-ARM-02)."""
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


def _count_stun(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Stun a character for the next rounds by the stun of this round (EGO-EFF-02).

    Rounds of earlier stun pass.
    """
    if sheet.down == damage.DEAD:
        return sheet, None
    body = damage.round_over(combat_values.body_of(sheet))
    after = combat_values.with_body(sheet, body)
    if body.stunned == sheet.stunned:
        return after, None
    return after, tick_line(
        game, who, "stunned" if body.stunned else "stun-over", rounds=body.stunned
    )


def _regenerate(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Heal a character with Regeneration, unconscious or not (EGO-FX-06)."""
    rating = rating_of(sheet, REGENERATION)
    if not rating or sheet.down == damage.DEAD or not sheet.lethal + sheet.non_lethal:
        return sheet, None
    pool = throw(stream_of(game, who), rating)
    after = effects.regenerate(sheet.lethal, sheet.non_lethal, pool.successes)
    healed = sheet.replace(lethal=after.lethal, non_lethal=after.non_lethal)
    if not after.points:
        return healed, None
    shown = {
        "before": damage.vitality_left(combat_values.body_of(sheet)),
        "after": damage.vitality_left(combat_values.body_of(healed)),
        "faces": pool.faces,
    }
    return healed, tick_line(game, who, "regenerates", points=after.points, **shown)


def _recover(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Take the Vitality dice from non-lethal damage (EGO-REC-02)."""
    left = damage.non_lethal_after_round(sheet.non_lethal, ability_dice(sheet, "vitality"))
    if left == sheet.non_lethal or sheet.down == damage.DEAD:
        return sheet, None
    line = tick_line(game, who, "recovers", points=sheet.non_lethal - left, left=left)
    return sheet.replace(non_lethal=left), line


def _end_encounter(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Wake an unconscious character after a fight, and stop counting rounds (EGO-EFF-03)."""
    body = damage.wake(combat_values.body_of(sheet)).replace(stunned=0)
    after = combat_values.new_round(game, combat_values.with_body(sheet, body), 0)
    if sheet.down != body.down:
        return after, tick_line(game, who, "wakes")
    if sheet.stunned and not body.down:
        return after, tick_line(game, who, "stun-over")
    return after, None


def _restore_luck(game: Game, who: str, sheet: EgoSheet) -> tuple[EgoSheet, Text | None]:
    """Restore good and bad luck at the start of a session (EGO-ADV-02)."""
    line = None
    if sheet.lucky + sheet.unlucky:
        line = tick_line(game, who, "luck")
    return sheet.replace(lucky=0, unlucky=0), line


#: Automatic effects of each tick, in the order of the rules (EGO-CMB-01).
TICK_EFFECTS: Final[Mapping[TickKind, tuple[TickEffect, ...]]] = {
    "round-end": (_wear_armor, _count_stun, _regenerate),
    "round-start": (_recover,),
    "encounter-end": (_wear_armor, _regenerate, _end_encounter),
    "session-start": (_restore_luck,),
}


def apply_tick_effects(game: Game, passing: Tick) -> TickResult:
    """Apply the automatic effects of a tick; return a line for each change of a character."""
    lines: list[tuple[str, Text]] = []
    if passing.kind == "encounter-end":
        for who in passing.who:
            game = game.with_state(without_plan(game.state, who))
    if passing.kind in ("round-end", "encounter-end") and passing.at:
        for who in passing.who:
            game = combat_values.with_current_round(game, who, passing.at)
    for effect in TICK_EFFECTS.get(passing.kind, ()):
        for who in passing.who:
            sheet, line = effect(game, who, game.sheet(who))
            game = game.with_sheet(who, sheet)
            if line is not None:
                lines.append((who, line))
    return TickResult(game, tuple(lines))
