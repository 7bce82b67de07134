"""Options that cost something, over all open checks: listing them and finding one by name."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.core.name_matching import matches
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import AnyCheck
from rules.table.checks.access import cast_of, find_check, is_open_to, may_answer
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.procedure import CheckOption, procedure_of
from rules.table.lookup import find_character, require_in_play, sort_by_name
from rules.table.permissions import require_owner
from rules.table.system import Game


class SpendOption(Record):
    """Option that costs the character something. `what` names it; `choice` tells several of it
    apart.
    """

    move: Move
    option: CheckOption
    what: str
    choice: str | None = None

    @property
    def check(self) -> str:
        return self.move.check


def own_open_checks(game: Game, as_: str | None = None) -> tuple[AnyCheck, ...]:
    """Return the open checks with a character for which the actor answers, newest first.

    `as` names that character.
    """
    character = None if as_ is None else _named_character(game, as_)
    there = [check for check in game.state.checks.values() if is_open_to(game, check, game.actor)]
    mine = [
        each for each in there if _mine(game, each) and character in (None, *cast_of(game, each))
    ]
    return tuple(sorted(mine, key=lambda each: each.number, reverse=True))


def _named_character(game: Game, as_: str) -> str:
    """Return a character in play for which the actor may answer. Raises as `acting_character`."""
    state, actor = game.state, game.actor
    require_in_play(state, actor, as_)
    there = [character for character in state.characters.values() if character.in_play]
    theirs = sort_by_name(each for each in there if may_answer(state, actor, each.id, game.at))
    return find_character(theirs, as_, "as").id


def _mine(game: Game, check: AnyCheck) -> tuple[str, ...]:
    """Return the characters of a check for which the actor may answer."""
    return tuple(
        [who for who in cast_of(game, check) if may_answer(game.state, game.actor, who, game.at)]
    )


def spend_options(
    game: Game, as_: str | None = None, check: str | None = None
) -> tuple[SpendOption, ...]:
    """Return all that the actor could spend now, newest check first.

    Raises as `acting_character` and `find_check`.
    """
    named = None if check is None else find_check(game, check).id
    found: list[SpendOption] = []
    for each in own_open_checks(game, as_):
        if named is None or each.id == named:
            found += _spend_options_on(game, each)
    return tuple(found)


def _spend_options_on(game: Game, check: AnyCheck) -> list[SpendOption]:
    found: list[SpendOption] = []
    for move in check_moves(game, check):
        for option in move.options:
            if option.cost is not None and option.cost.who is None:
                what, _, choice = option.value.partition(":")
                found.append(SpendOption(move, option, what, choice or None))
    return found


def spend_refusals(
    game: Game, as_: str | None = None, check: str | None = None
) -> tuple[tuple[str, Text], ...]:
    """Return the ids of the actor's open checks on which nothing can be spent now, with reasons.

    Raises Outdated("check-moved-on") for a named check that is over, and NotPermitted("owner-only")
    for one that is not the actor's.
    """
    named = None if check is None else _require_mine(game, check)
    found: list[tuple[str, Text]] = []
    for each in own_open_checks(game, as_):
        if (named is not None and each.id != named) or _spend_options_on(game, each):
            continue
        idle = procedure_of(game, each.kind).idle
        mine = _mine(game, each)
        who = each.actor if each.actor in mine else mine[0]
        found.append((each.id, Text("no-spend-now") if idle is None else idle(game, each, who)))
    return tuple(found)


def find_spend_option(
    game: Game, *, what: str | None, choice: str | None, check: str | None, as_: str | None
) -> SpendOption:
    """Return the option that is meant, on the named check or else the newest that offers it.

    Raises:
        Impossible("nothing-to-spend"): there is no option.
        InvalidInput("which-spend", "which-choice"): several options fit.
        InvalidInput("cannot-spend", "no-choice"): the option isn't offered.
        Outdated, NotPermitted: the check is over, or is not the actor's.

    Raises as `spend_options` too.
    """
    possible = spend_options(game, as_, check)
    if not possible:
        if check is not None:
            _require_mine(game, check)
        raise Impossible("nothing-to-spend")
    fitting = [*possible]
    if what is not None:
        # By what it is called, or by what is spent on it.
        points = [(option, option.option.cost) for option in possible]
        fitting = [
            option
            for option, cost in points
            if cost is not None and matches((cost.resource,), what, str)
        ]
        if not fitting or matches([option.what for option in possible], what, str):
            what = _pick("what", what, tuple(dict.fromkeys(option.what for option in possible)))
            fitting = [option for option in possible if option.what == what]
    if choice is not None:
        choices = tuple(dict.fromkeys(each.choice for each in fitting if each.choice is not None))
        if not choices:
            raise InvalidInput("no-choice", field="choice", value=choice[:100])
        choice = _pick("choice", choice, choices)
        fitting = [each for each in fitting if each.choice == choice]
    there = [each for each in fitting if each.check == fitting[0].check]
    names = tuple(dict.fromkeys(each.what for each in there))
    if len(names) > 1:
        raise InvalidInput(
            "which-spend", field="what", value=None, check=there[0].check, allowed=names
        )
    if len(there) > 1 and there[0].choice is not None:
        choices = tuple(dict.fromkeys(each.choice or "" for each in there))
        raise InvalidInput("which-choice", field="choice", value=None, allowed=choices)
    return there[0]


def _pick(field: str, typed: str, allowed: tuple[str, ...]) -> str:
    fitting = matches(allowed, typed, str)
    if len(fitting) != 1:
        raise InvalidInput("cannot-spend", field=field, value=typed[:100], allowed=allowed)
    return fitting[0]


def _require_mine(game: Game, text: str) -> str:
    check = find_check(game, text)
    if not is_open_to(game, check, game.actor):
        raise Outdated("check-moved-on", check=check.id, status="settled")
    if not _mine(game, check) and check.actor in game.state.characters:
        require_owner(game.state, game.actor, game.state.characters[check.actor])
    return check.id
