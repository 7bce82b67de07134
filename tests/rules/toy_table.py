"""A table where one thing is done after another, and what everybody reads of its newest check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Self, cast

import pytest

from rules.core.errors import Problems, RulesError
from rules.core.rng import ScriptedRng, Streams
from rules.registry import read_only_game
from rules.table.actions import Action, Actor, Begin, Choose, Due
from rules.table.blocks import (
    EVERYONE,
    GMS,
    Audience,
    Block,
    Fact,
    Note,
    Ref,
    Roll,
    Text,
    Value,
    Verdict,
)
from rules.table.check import Check
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import check_moves
from rules.table.checks.procedure import procedure_of
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import CheckChanged, Event
from rules.table.forms.fields import FormContext
from rules.table.readable_places import EVERYWHERE
from rules.table.state import SYSTEM, AnyCharacter, TableState
from rules.table.system import Game
from tests.sample_table import GM, NOON, by, resolve

CLOCK: Final = Actor(SYSTEM)
_ENVELOPE: Final = ("as_", "target", "visibility", "gm_only")


class Play:
    """A table and what happens at it. Whoever reads is None for everybody."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.at = NOON
        self.events: tuple[Event, ...] = ()

    def game(self, who: Actor = GM) -> Game:
        """The table as somebody looks at it."""
        return read_only_game(self.state, who, self.at, EVERYWHERE)

    # --- what is done -----------------------------------------------------------------------------

    def do(
        self,
        deed: type[Action],
        who: Actor,
        /,
        *faces: int,
        rng: Streams | None = None,
        **fields: Any,
    ) -> Self:
        """An action; every face has to be rolled."""
        dice = ScriptedRng(faces)
        outcome = resolve(self.state, deed(**by(who, at=self.at), **fields), rng or dice)
        assert dice.left == 0
        self.state, self.events = outcome.state, outcome.events
        return self

    def begin(
        self, who: Actor, kind: str, /, *faces: int, with_: Sequence[str] = (), **fields: Any
    ) -> Self:
        """A check of this kind; `with_` are words as they are typed, and None leaves a
        value out.
        """
        named = {key: fields.pop(key) for key in _ENVELOPE if key in fields}
        values = _said(fields) | self._words(
            procedure_of(self.game(), kind).form, with_, FormContext(self.game(who))
        )
        return self.do(Begin, who, *faces, kind=kind, values=values, **named)

    def choose(
        self,
        who: Actor,
        prompt: str,
        option: str,
        /,
        *faces: int,
        as_: str | None = None,
        with_: Sequence[str] = (),
        rng: Streams | None = None,
        **values: Any,
    ) -> Self:
        """What is answered to an open prompt of the newest check, for whoever is meant, or
        named.
        """
        asked = self.check.prompt(prompt)
        assert asked is not None, [each.prompt.key for each in self.check.asked]
        if with_:
            form = self.option(who, prompt, option).form
            asking = FormContext(self.game(who), self.check, values=values)
            values |= self._words(form, with_, asking)
        values = _said(values)
        on = {"check": self.check.id, "prompt": prompt, "number": asked.number, "option": option}
        named = () if as_ is None else (as_,)
        return self.do(Choose, who, *faces, rng=rng, **on, as_=named, values=values)

    def _words(self, form: Any, words: Sequence[str], asking: FormContext) -> dict[str, Any]:
        return form.read_words(words, asking) if words else {}

    def later(self, index: int = 0) -> Self:
        """The clock reaches a wait of the newest check."""
        wait = pending_waits(self.check)[index]
        self.at = wait.due
        return self.do(Due, CLOCK, wait=wait.id)

    def refused(self, deed: Callable[..., object], /, *args: Any, **fields: Any) -> RulesError:
        """The refusal of an action, or of one of the other deeds; of a form the first fault.
        Nothing has changed.
        """
        before = self.state
        with pytest.raises(RulesError) as caught:
            if isinstance(deed, type):
                self.do(deed, *args, **fields)
            else:
                deed(*args, **fields)
        assert self.state is before
        error = caught.value
        return (
            error.problems[0] if isinstance(error, Problems) and error.code == "bad-form" else error
        )

    # --- what is so -------------------------------------------------------------------------------

    @property
    def check(self) -> Check[Any]:
        return max(self.state.checks.values(), key=lambda each: each.number)

    @property
    def asked(self) -> dict[str, tuple[str, ...]]:
        """The open prompts, and who is waited for."""
        return {each.prompt.key: each.waiting_for for each in self.check.asked}

    def options(self, who: Actor) -> dict[str, tuple[str, ...]]:
        """What somebody may choose, by prompt."""
        moves = check_moves(self.game(who), self.check)
        return {move.prompt: tuple(option.value for option in move.options) for move in moves}

    def option(self, who: Actor, prompt: str, value: str) -> Any:
        """What somebody may choose there, with its form and what filling that in starts from."""
        moves = [move for move in check_moves(self.game(who), self.check) if move.prompt == prompt]
        return next(option for move in moves for option in move.options if option.value == value)

    def called(self, name: str) -> AnyCharacter:
        return next(each for each in self.state.characters.values() if each.name == name)

    def sheet(self, name: str) -> Any:
        return self.called(name).sheet

    def write(self, name: str, **changes: Any) -> Self:
        """Somebody's sheet is changed by hand."""
        found = self.called(name)
        self.state = self.state.with_character(found.replace(sheet=found.sheet.replace(**changes)))
        return self

    # --- what is told -----------------------------------------------------------------------------

    def view(self, who: Actor | None = None) -> CheckChanged:
        """The newest check as it stands."""
        return check_view(self.game(), self.check, audience_of(who))

    def blocks(self, who: Actor | None = None) -> tuple[Block, ...]:
        return self.view(who).blocks

    def told(self, who: Actor | None = None) -> str:
        """Everything that somebody reads of it, to look for words in."""
        return repr(self.view(who))

    def heard(self, who: Actor | None = None) -> str:
        """Everything that the last step told somebody, to look for words in."""
        found = [
            each
            for each in self.events
            if each.audience.everyone
            or (
                who is not None
                and (who.id in each.audience.people or (who == GM and each.audience.gms))
            )
        ]
        return repr(found)

    def pings(self) -> tuple[tuple[str, ...], bool]:
        """Whom the last step called: participants, and whether the GMs."""
        people = tuple(dict.fromkeys([each for event in self.events for each in event.ping]))
        return people, any(event.ping_gms for event in self.events)

    def verdict(self, who: Actor | None = None) -> str | None:
        """How it came out: the word that its text is told by, else its code."""
        found = next((each.text for each in self.blocks(who) if isinstance(each, Verdict)), None)
        return None if found is None else str(found.params.get("how", found.code))

    def winner(self, who: Actor | None = None) -> str | None:
        """The name of who has won a contest."""
        found = next((each.text for each in self.blocks(who) if isinstance(each, Verdict)), None)
        won = found.params.get("who") if found is not None and found.code == "check-wins" else None
        return won.name if isinstance(won, Ref) else None

    def degree(self, who: Actor | None = None) -> Text | None:
        """By how much."""
        return next((each.degree for each in self.blocks(who) if isinstance(each, Verdict)), None)

    def rolls(self, who: Actor | None = None) -> list[Roll]:
        return [each for each in self.blocks(who) if isinstance(each, Roll)]

    def totals(self, who: Actor | None = None) -> list[Any]:
        """What the dice came to: of whoever acts, then of the other side."""
        return [each.result for each in self.rolls(who)]

    def notes(self, who: Actor | None = None) -> list[Text]:
        """What is noted, without whose it is."""
        found = [each.text for each in self.blocks(who) if isinstance(each, Note)]
        return [
            cast("Text", each.params["what"]) if each.code == "check-whose" else each
            for each in found
        ]

    def facts(self, code: str, who: Actor | None = None) -> list[Value]:
        """What stands behind this label."""
        return [
            each.value
            for each in self.blocks(who)
            if isinstance(each, Fact) and each.what.code == code
        ]

    def listed(self, code: str, who: Actor | None = None) -> list[Any]:
        """What is listed behind this label, all of it."""
        return [
            one
            for each in self.facts(code, who)
            for one in (each if isinstance(each, tuple) else (each,))
        ]


def _said(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}


def audience_of(who: Actor | None) -> Audience:
    """Whoever reads as an audience."""
    return EVERYONE if who is None else GMS if who == GM else Audience(people=(who.id,))


def codes(texts: Iterable[Text]) -> list[str]:
    """The codes of what is said."""
    return [each.code for each in texts]
