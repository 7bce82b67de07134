"""Makers of commands and of the actions that they perform."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from rules.core.record import Record, field
from rules.systems.masterbook.checks.action_economy import SIMPLE
from rules.systems.masterbook.formulas.multi_actions import too_many
from rules.table.actions import Action, action_class
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    Command,
    CommandAction,
    CommandResult,
    CommandView,
)
from rules.table.forms import NO_CONTEXT, Field, Flag, Form, Number, Pick, Values
from rules.table.lookup import acting_character, find_known
from rules.table.marks import mark_total
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, public_name, require_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game


def commanding_character(game: Game, said: Values) -> AnyCharacter:
    """Return the character who acts by a command. Raises as `acting_character`."""
    return acting_character(game.state, game.actor, said.get("as"))


def hurry_roll_first(
    about: Callable[[Game, AnyCharacter, Values], Values],
) -> Callable[[Game, Values], CheckStart | None]:
    """Return a runner that begins a roll if a simple action is one too many (MB-ACT-01).

    *about* returns the values of that roll.
    """

    def instead(game: Game, said: Values) -> CheckStart | None:
        who = commanding_character(game, said)
        if not too_many(mark_total(game.state, who.id, SIMPLE) + 1):
            return None
        return CheckStart("move", {"how": "hurry", **about(game, who, said)}, as_=said.get("as"))

    return instead


def _field_name(key: str) -> str:
    """Return the field of an action for an option's key."""
    return "as_" if key == "as" else key


def _action_values(said: Values) -> dict[str, Any]:
    return {_field_name(key): value for key, value in said.items()}


def command(
    name: str, run: Callable[[Any, Values], CommandResult], *fields: Field, **how: Any
) -> Command:
    """Return a command with these options; *how* are fields of `Command`."""
    return Command(name, run, Form(fields), **how)


def _action_field(field: Any) -> tuple[Any, Any]:
    """Return the type of an option in an action, and its default."""
    if isinstance(field, Pick):
        values = [option.value for option in field.options(NO_CONTEXT)]
        return Literal[tuple(values if field.needed else ["", *values])], ""
    if isinstance(field, Flag):
        return bool, False
    kind = int if isinstance(field, Number) else str
    if field is AS_FIELD or (kind is int and not field.needed):
        return kind | None, None
    return kind, ""


def acts_openly(game: Game, said: Values) -> bool:
    """Return whether everyone reads of an act: of a player's character, not of an NPC.

    Raises as `acting_character`.
    """
    return commanding_character(game, said).owner is not None


def openly_about(key: str) -> Callable[[Game, Values], bool]:
    """Return a function that says whether everyone reads what a GM says about a character.

    The option *key* names the character, which players must know. It raises as `find_known`.
    """

    def is_public(game: Game, said: Values) -> bool:
        if not is_gm(game.state, game.actor):
            return True
        return bool(public_name(find_known(game.state, game.actor, said[key], key)))

    return is_public


class ActionRunner(Record):
    """Runner of a command: makes an action of its kind from what was said."""

    kind: type[Action]
    #: Function that carries the action out.
    carries: Callable[[Game, Any], Outcome]
    #: Whether everyone reads the answer. The next three fields name exceptions.
    openly: bool = True
    #: Key of an option that makes the answer private.
    secret: str = ""
    #: Whether the answer is private if an NPC acts.
    by_one: bool = False
    #: Key of an option that names a character; a GM's answer about one unknown to players is
    #: private.
    whose: str = ""
    #: Values that every action of the command has.
    fixed: Values = field(default_factory=dict[str, Any])
    #: Function that may return what happens instead of the action.
    instead: Callable[[Game, Values], CheckStart | CommandView | None] = lambda game, said: None

    def __call__(self, game: Game, said: Values) -> CommandResult:
        other = self.instead(game, said)
        if other is not None:
            return other
        state, actor = game.state, game.actor
        openly = self.openly and not said.get(self.secret)
        if self.by_one:
            openly = commanding_character(game, said).owner is not None
        if self.whose and is_gm(state, actor):
            openly &= bool(public_name(find_known(state, actor, said[self.whose], self.whose)))
        return CommandAction(self.kind, {**self.fixed, **_action_values(said)}, openly=openly)


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

    *carries* gets the acting character, or the one that the option *whose* names. An action without
    the option `as` is for GMs, unless it is *for_players*: it raises NotPermitted("gm-only") for
    others. The answer to a *reversible* action has an *Undo* button. *how* are more fields of
    `ActionRunner`.
    """
    action_fields: list[tuple[Any, ...]] = []
    for option in fields:
        hint, default = _action_field(option)
        key = _field_name(option.key)
        action_fields.append((key, hint) if option.needed else (key, hint, default))
    action_type = action_class(kind, action_fields, __name__, reversible=reversible)
    is_for_gms = not for_players and all(option.key != AS_FIELD.key for option in fields)

    def carry_out(game: Game, action: Any) -> Outcome:
        if is_for_gms:
            require_gm(game.state, action.who)
        if whose:
            who = find_known(game.state, action.who, getattr(action, whose), whose)
            return carries(game, action, who)
        if AS_FIELD in fields:
            who = acting_character(game.state, action.who, action.as_, action.place)
            return carries(game, action, who)
        return carries(game, action)

    return ActionRunner(action_type, carry_out, whose=whose, **how)


def action_command(
    name: str, kind: str, carries: Callable[..., Outcome], *fields: Field, **how: Any
) -> Command:
    """Return a command with an action of its own. See `acts_by`."""
    return command(name, acts_by(kind, carries, *fields, **how), *fields)
