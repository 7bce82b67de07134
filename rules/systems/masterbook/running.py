"""What a command of one's own does with what was said: it carries an action out, or begins a check."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.table.actions import Action
from rules.table.commands import Does, Starts
from rules.table.forms import Values
from rules.table.lookup import acting_as
from rules.table.system import Game


def _given(said: Values) -> dict[str, Any]:
    return {"as_" if key == "as" else key: value for key, value in said.items()}


def does(
    action: type[Action], *, openly: bool = True, secret: str = "", **fixed: Any
) -> Callable[[Game, Values], Does]:
    """Carried out with what is `fixed` and what was said; not where everybody reads it once `secret` was said."""
    return lambda game, said: Does(action, {**fixed, **_given(said)}, openly=openly and not said.get(secret))


def does_as(action: type[Action]) -> Callable[[Game, Values], Does]:
    """The same, by somebody: what NPCs do not everybody reads."""

    def run(game: Game, said: Values) -> Does:
        who = acting_as(game.state, game.actor, said.get("as"))
        return Does(action, _given(said), openly=who.owner is not None)

    return run


def starts(
    kind: str, *, target: str = "", aims: bool = False, **usual: Any
) -> Callable[[Game, Values], Starts]:
    """A check begins with what was said; `target` is the option that names somebody."""

    def run(game: Game, said: Values) -> Starts:
        about = ("as", "with", "visibility", target)
        own = {key: each for key, each in said.items() if key not in about}
        return Starts(
            kind,
            {**usual, **own},
            words=said.get("with"),
            target=said.get(target),
            as_=said.get("as"),
            visibility=said.get("visibility", "public"),
            aims=aims,
        )

    return run
