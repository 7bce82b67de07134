"""How much somebody does in a round: complex actions and what many of them cost, simple ones; what
waits for the next.

MB-ACT, MB-MUL-01, MB-INT-11, MB-DIE-04, MB-DIE-05. Also what a command of one's own does with what
was said.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record, field
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.deck.table_deck import mode
from rules.systems.masterbook.formulas import attack_options
from rules.systems.masterbook.formulas.damage import OUT_CONDITIONS, condition
from rules.systems.masterbook.formulas.interaction import STYMIED, UNTRAINED, UP
from rules.systems.masterbook.formulas.multi_actions import (
    WAITING_COST,
    RoundKind,
    crowding_penalty,
    multi_action_penalty,
    too_many,
)
from rules.systems.masterbook.formulas.reference_rows import Causes, nonzero_causes
from rules.systems.masterbook.formulas.value_chart import ROUND_SECONDS
from rules.table.actions import Action, action_class
from rules.table.blocks import FOR_EVERYONE, Note, Ref, Text, typed_text
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    Command,
    CommandAction,
    CommandResult,
    CommandView,
)
from rules.table.forms import (
    NO_CONTEXT,
    Field,
    Flag,
    Form,
    Number,
    Pick,
    Typed,
    Values,
    plain_options,
)
from rules.table.initiative import encounter_in, encounter_of, slot_on_turn
from rules.table.lookup import acting_character, find_known
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name, require_gm
from rules.table.reports import report_outcome
from rules.table.state import AnyCharacter, Mark, TableState
from rules.table.system import Game
from rules.table.typed_texts import one_line

#: Marks of a fight: how many actions somebody has done in this round; the total of an active
#: defense, `what` is its skill; what options do to the own defense until the next turn; at whom
#: somebody aims; how somebody is surprised (`partial`, `complete`), and that they were in this
#: round; who holds somebody, with their latest total; whom somebody is striking twice at once; who
#: attacks so that no active defense is left.
ACTED, ACTIVE_DEFENSE, GUARD, AIMING, SURPRISED = (
    "acted",
    "active-defense",
    "guard",
    "aiming",
    "surprise",
)
HELD, COMBINED, STARTLED, ALL_OUT = "held", "combined", "startled", "all-out"
#: What hampers those who act at the same time, as it was when the first of them began; `what` is
#: BODY or MIND.
AT_ONCE, BODY, MIND = "at-once", "body", "mind"
#: What lasts for more than one action: `what` is `up` or `stymied`; a side that should have broken
#: off and could not, with what that takes from all that its people roll; how many actions somebody
#: has done, those of a flurry apart.
LINE, TRAPPED, SETS = "line", "trapped", "sets"
#: A second turn by flurry is still to come in this round.
FURTHER: Final = "further-turn"
#: Action of the round in which an active defense was declared; `what` is its skill.
DEFENSE_SET: Final = "defense-set"
#: The character has lost the turn of this round, by a setback or by being out.
LOST: Final = "lost-turn"
#: The character casts a special effect that takes longer than an action; `what` is the check, and
#: `value` tells whether the casting is at its concentration, `at` how many rounds are left
#: (MB-SFX-20, MB-SFX-31).
CASTING: Final = "casting"
#: Values of that mark.
PLAIN_CASTING, CONCENTRATING = 1, 2
#: Kind of check for an active defense on the character's own turn.
DEFENSE_KIND: Final = "defend"
#: Cards that add to every number of somebody; `what` is the card.
ACTION: Final = "action-card"
#: What it is called.
ACTION_NAME: Final = "Action"
_WAITS: Final = (STYMIED, UP)
_USED_UP: Final = (*_WAITS, UNTRAINED)


class RollAgain(Record):
    """What changes which dice are rolled: two more for each of the `ups`; `stymied` takes the first
    roll-again.
    """

    ups: int = 0
    stymied: bool = False


def with_line_effect(effect: str, waiting: RollAgain) -> RollAgain:
    """With what lasts longer, such as a card's line for the round (MB-CARD-I09, MB-CARD-I10)."""
    return waiting.replace(
        ups=waiting.ups + (effect == UP), stymied=waiting.stymied or effect == STYMIED
    )


def dice_again(game: Game, who: str) -> RollAgain:
    """As it waits for somebody now."""
    again = RollAgain()
    for each in marks_of(game.state, who):
        if each.key == UP:
            again = again.replace(ups=again.ups + each.value)
        elif each.key in (STYMIED, LINE):
            again = with_line_effect(each.what if each.key == LINE else STYMIED, again)
    return again


def end_surprise(game: Game, who: str, *, rounds: bool) -> Game:
    """The game once somebody has been taken by surprise: it counts once, and is remembered in
    `rounds`.
    """
    state = game.state
    if rounds and marks_of(state, who, SURPRISED):
        state = with_marks(state, who, Mark(STARTLED, until="round"))
    return game.with_state(without_marks(state, who, SURPRISED))


def use_up_marks(game: Game, who: str) -> Game:
    """The game after somebody's next action: what waited for it is gone; being untrained with the
    last of a turn.
    """
    state, marks = game.state, marks_of(game.state, who)
    goes_on = bool(marks) and 0 < mark_total(state, who, ACTED) < len(_ranks(game, who))
    for mark in marks:
        if mark.key in (_WAITS if goes_on else _USED_UP) or (mark.key, mark.until) == (
            ACTION,
            "used",
        ):
            state = without_marks(state, who, mark.key, mark.what)
    return game.with_state(state)


# --- a round --------------------------------------------------------------------------------------

#: Marks until the round is over: ranks of what was declared, in the order of doing; simple actions;
#: who waited.
DECLARED, SIMPLE, WAITED = "actions", "simple", "waited"
#: The most actions that the penalties are written down for (MB-MUL-01).
_MOST: Final = 10
_DOING_MAX: Final = 80
_OFFERED: Final = (
    "defend",
    "draw a weapon",
    "stand up",
    "look around",
    "a few words",
    "move a little",
)


def round_of(game: Game, who: str) -> int | None:
    """The number of the round in which somebody is; None where none is counted for them."""
    found = encounter_of(game.state, who)
    return None if found is None else found.round


def is_own_action(game: Game, who: str, *, free: bool = False) -> bool:
    """Whether what somebody rolls for is an action of theirs: in a round only on their turn."""
    found = encounter_of(game.state, who)
    slot = slot_on_turn(found)
    return not free and (found is None or (slot is not None and slot.character == who))


def turn_over(game: Game, who: str) -> bool:
    """Whether somebody's turn of this round is over: nothing can be done any more (MB-ACT-01)."""
    found = encounter_of(game.state, who)
    if found is None or found.opening:
        return False
    at = next(at for at, slot in enumerate(found.order) if slot.character == who)
    return at < found.turn and not found.order[at].delayed


def no_defense_reason(game: Game, who: str, *, surprised: bool = False) -> str:
    """Return why a character has no active defense, as `attack_options.no_defense_reason` says.

    A character who let the turn pass without a complex action has not acted yet (MB-CMB-03).
    """
    begun = bool(marks_of(game.state, who, ACTED) or marks_of(game.state, who, LOST))
    acted = has_done_all(game, who) or (turn_over(game, who) and begun)
    return attack_options.no_defense_reason(
        acted=acted, surprised=surprised, all_out=bool(marks_of(game.state, who, ALL_OUT))
    )


def has_acted(game: Game, who: str) -> bool:
    """Return whether a character has done anything in this round, or has lost its turn."""
    done = (ACTED, ACTIVE_DEFENSE, SIMPLE, LOST)
    return any(marks_of(game.state, who, key) for key in done)


def has_done_all(game: Game, who: str) -> bool:
    """Whether somebody has done all the actions that they have in this round."""
    return round_of(game, who) is not None and mark_total(game.state, who, ACTED) >= len(
        _ranks(game, who)
    )


def _ranks(game: Game, who: str) -> tuple[int, ...]:
    """The ranks of importance of somebody's actions in this round, in the order of doing."""
    found = marks_of(game.state, who, DECLARED)
    return tuple([int(each) for each in found[0].what.split()]) if found else (1,)


def turns_of(game: Game, who: str, *, ranked: bool = False) -> Causes:
    """What the round does to somebody's next complex action (MB-MUL-01, MB-ACT-01, MB-ACT-02).

    Nothing where no rounds are counted. Impossible("mb-no-action-left") once all that were declared
    are done. What was `ranked` as it was said has its price already.
    """
    order = encounter_of(game.state, who)
    if order is None:
        return ()
    waits = any(slot.delayed for slot in order.order if slot.character == who)
    ranks, done = _ranks(game, who), mark_total(game.state, who, ACTED)
    if done >= len(ranks):
        again = bool(marks_of(game.state, who, FURTHER))
        raise Impossible("mb-no-action-left", name=game.display_name(who), done=done, again=again)
    return nonzero_causes(
        (TRAPPED, -mark_total(game.state, who, TRAPPED)),
        ("multi_action", 0 if ranked else multi_action_penalty(ranks[done], len(ranks))),
        ("waited", -WAITING_COST if waits or marks_of(game.state, who, WAITED) else 0),
        ("crowded", -crowding_penalty(mark_total(game.state, who, SIMPLE))),
    )


def require_action_left(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse another action in a character's own turn once all are done. Raises as `turns_of`."""
    if is_own_action(game, who):
        turns_of(game, who)


def require_attack_left(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse another attack once all actions are done. Raises as `turns_of`.

    The second of two such blows belongs to the action of the first.
    """
    if not marks_of(game.state, who, COMBINED):
        turns_of(game, who)


def spend_action(game: Game, who: str) -> Game:
    """The game after a complex action; a lift that goes on begins anew (MB-LIFT-02)."""
    sheet: MasterbookSheet = game.sheet(who)
    if sheet.lifted is not None:
        game = game.with_sheet(who, sheet.replace(lifted=None))
    if round_of(game, who) is None:
        return game
    state = game.state
    if mode(game).hands and not marks_of(state, who, ACTED):
        state = _counted(state, who, SETS)
    return game.with_state(_counted(state, who, ACTED))


def sets_of(game: Game, who: str) -> int:
    """How many actions somebody has done in this round, each with all that belongs to it; simple
    ones are one.

    Several at once are one (MB-CARD-09, MB-CARD-A03).
    """
    simple = marks_of(game.state, who, SIMPLE) and not marks_of(game.state, who, ACTED)
    return mark_total(game.state, who, SETS) + int(bool(simple))


def with_active_defense(game: Game, who: str, skill: str, total: int, *, by: str = "") -> Game:
    """Return the game with an active defense that stands until the round ends (MB-CMB-03).

    `by` is the check that declared it. Its action may still earn a card (MB-CARD-A03).
    """
    stands = Mark(ACTIVE_DEFENSE, skill, total, "round", by=by)
    during = Mark(DEFENSE_SET, skill, sets_of(game, who), "round")
    # Other skills break a casting off (MB-SFX-20).
    game = break_casting(game, who)
    return game.with_state(with_marks(game.state, who, stands, during))


def break_casting(game: Game, who: str) -> Game:
    """Return the game once a character's casting is broken off; its check finds that."""
    return game.with_state(without_marks(game.state, who, CASTING))


def is_concentrating(game: Game, who: str) -> bool:
    """Return whether a character is at the concentration of a casting (MB-SFX-31)."""
    return mark_total(game.state, who, CASTING) == CONCENTRATING


def require_not_casting(game: Game, who: str) -> None:
    """Raise Impossible("mb-busy-casting") for a character who is casting (MB-SFX-20)."""
    if marks_of(game.state, who, CASTING):
        raise Impossible("mb-busy-casting", who=game.display_name(who))


def begin_further_action(game: Game, who: str) -> Game:
    """The game as somebody's further action begins, which has nothing to do with the one before
    (MB-CARD-I06).

    What they did before counts, simple as it was.
    """
    state = game.state
    if marks_of(state, who, SIMPLE) and not marks_of(state, who, ACTED):
        state = _counted(without_marks(state, who, SIMPLE), who, SETS)
    return game.with_state(without_marks(without_marks(state, who, ACTED), who, DECLARED))


def _counted(state: TableState, who: str, key: str) -> TableState:
    """The table with one more of something in this round."""
    return with_marks(state, who, Mark(key, value=mark_total(state, who, key) + 1, until="round"))


def spend_simple_action(game: Game, who: str) -> tuple[Game, int]:
    """The game after a simple action, and what so many make a complex one harder by; outside rounds
    nothing.
    """
    if round_of(game, who) is None:
        return game, 0
    game = game.with_state(_counted(game.state, who, SIMPLE))
    return game, crowding_penalty(mark_total(game.state, who, SIMPLE))


# --- what is said and done ------------------------------------------------------------------------


def read_ranks(text: str, number: int) -> tuple[int, ...]:
    """Each rank once; without words the most important first. InvalidInput("mb-bad-ranks")."""
    words = text.replace(",", " ").split() or [str(each + 1) for each in range(number)]
    if sorted(words) != sorted([str(each + 1) for each in range(number)]):
        raise InvalidInput("mb-bad-ranks", field="ranks", value=text[:100], most=number)
    return tuple([int(each) for each in words])


def ref(who: AnyCharacter) -> Ref:
    """Somebody by the name that players know, an unknown one by their own for the GMs."""
    return Ref(name=public_name(who) or who.name)


def report_act(game: Game, who: AnyCharacter, said: Text) -> Outcome:
    """Everybody hears of players' characters, the GMs of theirs.

    An act that has put the character out of action says so first.
    """
    name, end = public_name(who) or who.name, condition(game.sheet(who.id).harm)
    title = Text("act-title", {"name": name})
    if end in OUT_CONDITIONS:
        title = Text("mb-group-end", {"who": (name,), "end": end})
    return report_outcome(game, title, Note(said, FOR_EVERYONE), of=who)


def require_awake(game: Game, who: str) -> None:
    """Impossible("mb-out-cold") for somebody unconscious or dead, once that counts (MB-INI-01)."""
    harm = game.sheet(who).harm
    if harm.out and not marks_of(game.state, who, AT_ONCE):
        owned = game.character(who).owner is not None
        raise Impossible("mb-out-cold", who=game.display_name(who), dead=harm.dead, owned=owned)


def require_turn(game: Game, who: AnyCharacter) -> None:
    """Impossible("mb-turn-over") once somebody's turn of this round is (MB-ACT-01), and as
    `require_awake`.
    """
    require_awake(game, who.id)
    if turn_over(game, who.id):
        raise Impossible("mb-turn-over", name=who.name)


def declare(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """How many complex actions somebody takes is declared, with their ranks, before the first of
    them (MB-MUL-01).

    InvalidInput("mb-bad-ranks"), Impossible("mb-no-rounds-here", "mb-declared-too-late",
    "mb-turn-over").
    """
    require_turn(game, who)
    if round_of(game, who.id) is None:
        raise Impossible("mb-no-rounds-here", name=who.name)
    if marks_of(game.state, who.id, ACTED):
        raise Impossible("mb-declared-too-late", name=who.name)
    ranks = read_ranks(action.ranks, action.actions)
    state = without_marks(game.state, who.id, DECLARED)
    mark = Mark(DECLARED, " ".join([str(each) for each in ranks]), action.actions, "round")
    game = game.with_state(with_marks(state, who.id, mark) if action.actions > 1 else state)
    costs = tuple(
        [Text("mb-cost", {"number": multi_action_penalty(each, len(ranks))}) for each in ranks]
    )
    said = {"who": ref(who), "number": action.actions, "costs": costs}
    return report_act(game, who, Text("mb-declares", said))


def act(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """Something simple is done, in own words; many make the complex one harder (MB-ACT-01).

    InvalidInput("empty"), and as `require_turn`.
    """
    require_turn(game, who)
    doing = one_line("action", action.action, _DOING_MAX)
    if not doing:
        raise InvalidInput("empty", field="action", value="", wanted="text")
    game, harder = spend_simple_action(game, who.id)
    said = {"who": ref(who), "doing": typed_text(doing, game.actor.id), "harder": harder or None}
    return report_act(game, who, Text("mb-acts", said))


# --- what commands do -----------------------------------------------------------------------------


def commanding_character(game: Game, said: Values) -> AnyCharacter:
    """Who does what a command says. Raises as `acting_character`."""
    return acting_character(game.state, game.actor, said.get("as"))


def hurry_roll_first(
    about: Callable[[Game, AnyCharacter, Values], Values],
) -> Callable[[Game, Values], CheckStart | None]:
    """One simple action more than there is time for takes a roll first, `about` what
    (MB-ACT-01).
    """

    def instead(game: Game, said: Values) -> CheckStart | None:
        who = commanding_character(game, said)
        if not too_many(mark_total(game.state, who.id, SIMPLE) + 1):
            return None
        return CheckStart("move", {"how": "hurry", **about(game, who, said)}, as_=said.get("as"))

    return instead


def _given(said: Values) -> dict[str, Any]:
    return {"as_" if key == "as" else key: value for key, value in said.items()}


def command(
    name: str, run: Callable[[Any, Values], CommandResult], *fields: Field, **how: Any
) -> Command:
    """A command with these options; `how` are fields of `Command`."""
    return Command(name, run, Form(fields), **how)


def _kept(field: Any) -> tuple[Any, Any]:
    """What an action keeps of an option, and of one that was not said."""
    if isinstance(field, Pick):
        values = [each.value for each in field.options(NO_CONTEXT)]
        return Literal[tuple(values if field.needed else ["", *values])], ""
    if isinstance(field, Flag):
        return bool, False
    kind = int if isinstance(field, Number) else str
    return (
        (kind | None, None)
        if field is AS_FIELD or (kind is int and not field.needed)
        else (kind, "")
    )


class ActionRunner(Record):
    """Carries out an action of its own kind, with what is `fixed` and what was said.

    Where it is not done `openly`, `secret` was said, it is done `by_one` who is an NPC, or players
    don't know whose it is (`whose`), not everybody reads it. What may be done `instead` comes
    first.
    """

    kind: type[Action]
    carries: Callable[[Game, Any], Outcome]
    openly: bool = True
    secret: str = ""
    by_one: bool = False
    whose: str = ""
    fixed: Values = field(default_factory=dict[str, Any])
    instead: Callable[[Game, Values], CheckStart | CommandView | None] = lambda game, said: None

    def __call__(self, game: Game, said: Values) -> CommandResult:
        if (other := self.instead(game, said)) is not None:
            return other
        state, actor = game.state, game.actor
        openly = self.openly and not said.get(self.secret)
        if self.by_one:
            openly = commanding_character(game, said).owner is not None
        if self.whose and is_gm(state, actor):
            openly &= bool(public_name(find_known(state, actor, said[self.whose], self.whose)))
        return CommandAction(self.kind, {**self.fixed, **_given(said)}, openly=openly)


def acts_by(
    kind: str,
    carries: Callable[..., Outcome],
    *fields: Field,
    whose: str = "",
    reversible: bool = False,
    for_players: bool = False,
    **how: Any,
) -> ActionRunner:
    """Return the runner of an action class that is made of these options.

    `carries` gets the acting character, or the one that the option `whose` names. An action without
    the option `as` is for GMs, unless it is `for_players`: it raises NotPermitted("gm-only") for
    others. The answer to a `reversible` action has an *Undo* button. `how` are more fields of
    `ActionRunner`.
    """
    hints = _given({each.key: _kept(each)[0] for each in fields})
    usual = _given({each.key: _kept(each)[1] for each in fields if not each.needed})
    found = [
        (key, hint, usual[key]) if key in usual else (key, hint) for key, hint in hints.items()
    ]
    made = action_class(kind, found, __name__, reversible=reversible)

    def carried(game: Game, action: Any) -> Outcome:
        if not for_players and not any(each.key == AS_FIELD.key for each in fields):
            require_gm(game.state, action.who)
        if whose:
            return carries(
                game, action, find_known(game.state, action.who, getattr(action, whose), whose)
            )
        if AS_FIELD in fields:
            return carries(
                game, action, acting_character(game.state, action.who, action.as_, action.place)
            )
        return carries(game, action)

    return ActionRunner(made, carried, whose=whose, **how)


def action_command(
    name: str, kind: str, carries: Callable[..., Outcome], *fields: Field, **how: Any
) -> Command:
    """A command that does something which no other does. As `acts_by`."""
    return command(name, acts_by(kind, carries, *fields, **how), *fields)


class Pace(Record):
    """What rounds of an order of action are, and how many seconds one takes (MB-TIME-01).

    They are so `since` a round; those before it are as they were.
    """

    kind: RoundKind = "combat"
    seconds: int = ROUND_SECONDS
    since: int = 0
    before: tuple[RoundKind, int] = ("combat", ROUND_SECONDS)

    def at(self, round: int) -> Pace:
        """What the round of that number is."""
        return self if round >= self.since else Pace(*self.before)


COMBAT_PACE: Final = Pace()


def pace_of(game: Game, place: str, round: int | None = None) -> Pace | None:
    """The rounds that are counted in a place, now or in that round; None where none are."""
    found = encounter_in(game.state, place)
    if found is None or not found.round:
        return None
    pace: Pace = found.data or COMBAT_PACE
    return pace.at(found.round if round is None else round)


# --- commands -------------------------------------------------------------------------------------

_DOING: Final = Typed("action", most=_DOING_MAX, needed=True, choices=plain_options(_OFFERED))
_ACTIONS: Final = Number("actions", low=1, high=_MOST, needed=True)
_BUSY: Final = hurry_roll_first(lambda game, who, said: {"approach": said["action"]})
#: Words by which `/mb act` means an active defense.
_SPOKEN_DEFENSES: Final = ("defend", "active defense", "active defense")


def _act_first(game: Game, said: Values) -> CheckStart | None:
    """Return the active defense that `action` names, or the roll for one action too many."""
    words = said["action"].strip().rstrip(".!").casefold()
    for each in _SPOKEN_DEFENSES:
        if words == each or words.startswith(f"{each} with "):
            skill = words.removeprefix(each).removeprefix(" with ").strip()
            named = {"skill": skill} if skill else {}
            return CheckStart(DEFENSE_KIND, named, as_=said.get("as"), visibility="public")
    return _BUSY(game, said)


COMMANDS: Final = (
    action_command("act", "ActSimply", act, _DOING, AS_FIELD, by_one=True, instead=_act_first),
    action_command(
        "declare", "Declare", declare, _ACTIONS, Typed("ranks", most=40), AS_FIELD, by_one=True
    ),
)
