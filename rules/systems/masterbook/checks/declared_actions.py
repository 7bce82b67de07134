"""`/mb act` and `/mb declare`: simple actions, and the number of complex ones.

MB-ACT-01, MB-MUL-01.
"""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks.action_commands import acts_openly, command, hurry_roll_first
from rules.systems.masterbook.checks.action_economy import (
    ACTED,
    DECLARED,
    DEFENSE_KIND,
    ref,
    report_act,
    require_turn,
    round_of,
    spend_simple_action,
)
from rules.systems.masterbook.formulas.multi_actions import multi_action_penalty
from rules.table.actions import Action
from rules.table.blocks import Text, typed_text
from rules.table.check import Values
from rules.table.commands import AS_FIELD, CheckStart, CommandResult
from rules.table.deeds import Deed
from rules.table.forms.fields import Number, Typed, plain_options
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import acting_character
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.state import Mark
from rules.table.system import Game

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


def read_ranks(text: str, number: int) -> tuple[int, ...]:
    """Return the ranks that *text* lists, each once; by default the most important comes first.

    Raises InvalidInput("mb-bad-ranks").
    """
    allowed = [str(rank) for rank in range(1, number + 1)]
    words = text.replace(",", " ").split() or allowed
    if sorted(words) != sorted(allowed):
        raise InvalidInput("mb-bad-ranks", field="ranks", value=text[:100], most=number)
    return tuple(int(word) for word in words)


class Declare(Action, kw_only=True):
    """Declare the number of a character's complex actions in a round."""

    actions: int
    #: Ranks of the actions, in their order; empty: the most important comes first.
    ranks: str = ""
    as_: str | None = None


def declare(game: Game, action: Declare) -> Outcome:
    """Declare the number of a character's complex actions, and their ranks (MB-MUL-01).

    Raises:
        InvalidInput("mb-bad-ranks"): the ranks don't fit the number.
        Impossible("mb-no-rounds-here"): there are no rounds at the character's place.
        Impossible("mb-declared-too-late"): the first action is done.
        Impossible("mb-turn-over"): the turn is over; and as `require_awake`.
        As `acting_character`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    require_turn(game, who)
    if round_of(game, who.id) is None:
        raise Impossible("mb-no-rounds-here", name=who.name)
    if marks_of(game.state, who.id, ACTED):
        raise Impossible("mb-declared-too-late", name=who.name)
    ranks = read_ranks(action.ranks, action.actions)
    state = without_marks(game.state, who.id, DECLARED)
    if action.actions > 1:
        mark = Mark(DECLARED, " ".join(map(str, ranks)), action.actions, "round")
        state = with_marks(state, who.id, mark)
    costs: list[Text] = []
    for rank in ranks:
        costs.append(Text("mb-cost", {"number": multi_action_penalty(rank, len(ranks))}))
    said = {"who": ref(who), "number": action.actions, "costs": tuple(costs)}
    return report_act(game.with_state(state), who, Text("mb-declares", said))


class ActSimply(Action, kw_only=True):
    """Do something simple, which takes no roll."""

    #: The player's words.
    action: str
    as_: str | None = None


def act(game: Game, action: ActSimply) -> Outcome:
    """Do something simple, in the player's words (MB-ACT-01).

    Many simple actions make the complex one harder. Raises InvalidInput("empty"), and as
    `acting_character` and `require_turn`.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    require_turn(game, who)
    doing = one_line("action", action.action, _DOING_MAX)
    if not doing:
        raise InvalidInput("empty", field="action", value="", wanted="text")
    game, harder = spend_simple_action(game, who.id)
    said = {"who": ref(who), "doing": typed_text(doing, game.actor.id), "harder": harder or None}
    return report_act(game, who, Text("mb-acts", said))


_DOING: Final = Typed("action", most=_DOING_MAX, needed=True, choices=plain_options(_OFFERED))
_ACTIONS: Final = Number("actions", low=1, high=_MOST, needed=True)
_BUSY: Final = hurry_roll_first(lambda game, who, said: {"approach": said["action"]})
#: Words by which `/mb act` means an active defense.
_SPOKEN_DEFENSES: Final = ("defend", "active defense")


_ACT: Final = Deed("act", ActSimply, act, (_DOING, AS_FIELD), acts_openly)
_DECLARE: Final = Deed(
    "declare", Declare, declare, (_ACTIONS, Typed("ranks", most=40), AS_FIELD), acts_openly
)


def _run_act(game: Game, said: Values) -> CommandResult:
    """Act, or begin the active defense that `action` names, or the roll for one action too many.

    Raises as `acting_character`.
    """
    words = said["action"].strip().rstrip(".!").casefold()
    for name in _SPOKEN_DEFENSES:
        if words == name or words.startswith(f"{name} with "):
            skill = words.removeprefix(name).removeprefix(" with ").strip()
            named = {"skill": skill} if skill else {}
            return CheckStart(DEFENSE_KIND, named, as_=said.get("as"), visibility="public")
    start = _BUSY(game, said)
    return _ACT.run(game, said) if start is None else start


DEEDS: Final = (_ACT, _DECLARE)
COMMANDS: Final = (
    command(_ACT.command, _run_act, *_ACT.options),
    _DECLARE.as_command(),
)
