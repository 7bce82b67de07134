"""Makers of commands, and who reads their answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.systems.masterbook.checks.action_economy import SIMPLE
from rules.systems.masterbook.formulas.multi_actions import too_many
from rules.table.check import Values
from rules.table.commands import (
    CheckStart,
    Command,
    CommandResult,
)
from rules.table.forms.form import Field, Form
from rules.table.lookup import acting_character, find_known
from rules.table.marks import mark_total
from rules.table.permissions import is_gm, public_name
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


def command(
    name: str, run: Callable[[Any, Values], CommandResult], *fields: Field, **how: Any
) -> Command:
    """Return a command with these options; *how* are fields of `Command`."""
    return Command(name, run, Form(fields), **how)


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
