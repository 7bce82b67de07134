"""What people meet in random games of every system: texts, and labels of buttons and menus."""

from __future__ import annotations

import asyncio
import random
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from bot.presenters.checks import option_text
from bot.presenters.controls import Button, Select
from bot.presenters.forms import field_title
from bot.presenters.language.words import say_bare
from bot.presenters.layout import Layout, controls_of, plain_text
from bot.services.perform import ActionResult
from rules.core.errors import RulesError
from rules.table.actions import Action
from rules.table.check import AnyCheck
from rules.table.checks.available_moves import Move
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.system import Game
from tests import compare
from tests.property.systems import PLAYED, open_table, playing
from tests.sample_table import make_house, numbered_id

#: Steps of a game.
_STEPS: Final = 120
SYSTEMS: Final = tuple(system.name for system in PLAYED)


class Played(NamedTuple):
    """What a game showed, each once."""

    heads: frozenset[str]
    lines: frozenset[str]
    buttons: frozenset[str]
    entries: frozenset[str]


class _Listener(compare.PrintingWalk):
    """Random play that collects what people meet after each step."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.heads: set[str] = set()
        self.lines: set[str] = set()
        self.buttons: set[str] = set()
        self.entries: set[str] = set()

    def say(self, what: str, text: str) -> None:
        self.lines.update(text.split("\n"))

    def hear(self, card: Layout) -> str:
        """Collect the parts of a message; return nothing, for all of it is collected."""
        words = plain_text(card).split("\n")
        self.heads.add(words[0])
        self.lines.update(words)
        for control in controls_of(card):
            if isinstance(control, Button):
                self.buttons.add(control.label)
            elif isinstance(control, Select):
                self.entries.update(option.label for option in control.options)
        return ""

    async def check(self, before: Any, done: list[ActionResult]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(compare, "visible_texts", self.hear)
            patch.setattr("builtins.print", lambda *_, **__: None)
            await super().check(before, done)

    async def _do(self, action: Action, *may_be: type[RulesError]) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("builtins.print", lambda *_, **__: None)
            await super()._do(action, *may_be)

    def _print_choices(self, game: Game, check: AnyCheck, move: Move) -> None:
        """Collect the options of a move, and what the form of each offers."""
        for option in move.options:
            self.lines.add(option_text(option))
            if not isinstance(option.form, Form):
                continue
            asking = FormContext(game, check, check.actor, option.values)
            for field in option.form.fields:
                self.lines.add(field_title(field))
                self.lines.update(say_bare(label) for _, label in field.choices_for(asking))


async def _play(name: str, folder: Path) -> Played:
    system = next(each for each in PLAYED if each.name == name)
    with playing(system), pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.services.directory.new_id", numbered_id)
        patch.setattr("bot.storage.database.SYNCHRONOUS", "OFF")
        async with make_house(folder) as house:
            session = await open_table(system, house)
            walk = _Listener(session, system, random.Random(f"texts of {name}"), secret=True)
            for _ in range(_STEPS):
                await walk.step()
    return Played(*map(frozenset, (walk.heads, walk.lines, walk.buttons, walk.entries)))


@cache
def play_game(name: str) -> Played:
    """Play a game of a system, and return what it showed."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_play(name, Path(folder)))
