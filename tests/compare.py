"""`python -m tests.compare CHECKOUT`: play the same here and in another checkout, and show where they differ.

For whoever rewrites something that must not change: random legal play with the same seeds in both, and after each step
everything that anybody can read, choose or be refused, as text. Exits with 1 at a difference, and says at which step.

--system KEY   one system (or grounds of one: tests/property/grounds.py); otherwise all
--seeds N      so many games of each
--steps N      so many steps a game
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

from bot.presenters.character import sheet_card
from bot.presenters.checks import react_panel
from bot.presenters.errors import describe_error
from bot.presenters.events import event_cards
from bot.presenters.layout import controls_of, plain
from bot.presenters.names import DirectoryNames
from bot.presenters.scene import Scene
from bot.presenters.todo import onward
from bot.services.perform import Performed
from rules.core.errors import RulesError
from rules.table.actions import Action
from rules.table.blocks import GMS, Audience
from rules.table.checks.access import may_see
from rules.table.checks.chances import chance_of
from rules.table.checks.moves import check_moves
from rules.table.checks.telling import check_view
from rules.table.forms import Asking, Form
from rules.table.permissions import is_gm
from tests.builders import make_house, numbered
from tests.property.grounds import ALL, opened, playing
from tests.property.walk import EVERYBODY, Walk

ROOT = Path(__file__).resolve().parents[1]
#: The number of a prompt is drawn anew in each run.
_NUMBER = re.compile(r"(\bc\d+(?:\.\d+)?[.:])\d+|(?<=number=)\d+")


def _text(what: Any) -> str:
    """Anything as text that is the same in every process: fields and keys by name, no addresses."""
    if is_dataclass(what) and not isinstance(what, type):
        inner = ", ".join(f"{each.name}={_text(getattr(what, each.name))}" for each in fields(what))
        return f"{type(what).__name__}({inner})"
    if isinstance(what, dict):
        return _text(sorted((str(key), _text(value)) for key, value in what.items()))
    if isinstance(what, set | frozenset):
        return _text(sorted(map(str, what)))
    if isinstance(what, tuple | list):
        return f"[{', '.join(map(_text, what))}]"
    return repr(what)


def _shown(card: Any) -> str:
    pressed = [
        (getattr(each, "label", None), getattr(each, "placeholder", None), getattr(each, "options", ()))
        for each in controls_of(card)
    ]
    return f"{plain(card)} {_text(pressed)}"


class Told(Walk):
    """A walk that tells everything."""

    def say(self, what: str, *about: Any) -> None:
        for line in "\n".join([each if isinstance(each, str) else _text(each) for each in about]).split("\n"):
            print(what, _NUMBER.sub(r"\1N", line))

    async def _do(self, action: Action, *may_be: type[RulesError]) -> None:
        self.say("action", action)
        refused = len(self.refused)
        await super()._do(action, *may_be)
        for who, error in self.refused[refused:]:
            self.say(f"refused {who.id}", error.code, error.params, describe_error(error))

    async def check(self, before: Any, done: list[Performed]) -> None:
        state = await self.session.state()
        table = await self.session.tables.get(self.session.table_id)
        scene = Scene(self.session.table_id, state, DirectoryNames(table.directory), {})
        for each in done:
            for event in each.events:
                self.say("event", event)
                for private in (False, True):
                    for card in event_cards([event], scene, each.seq, private=private):
                        self.say("told apart" if private else "told", _shown(card))
        for who in EVERYBODY:
            game, gm = self._game(state, who), is_gm(state, who)
            for check in state.checks.values():
                if before.checks.get(check.id) is check or not may_see(game, check, who):
                    continue
                view = check_view(game, check, GMS if gm else Audience(people=(who.id,)))
                moves = check_moves(game, check)
                panel = react_panel(view, scene, moves, gm=gm, onward=onward(scene, who, gm=gm))
                self.say(f"{who.id} reads", _shown(panel))
                for option in (option for move in moves for option in move.options):
                    self.say(
                        f"{who.id} may", option.value, option.label, option.cost, option.odds, option.values
                    )
                    if isinstance(option.form, Form):
                        asking = Asking(game, check, check.actor, option.values)
                        for field in option.form.fields:
                            self.say(f"{who.id} fills in", field.key, field.choices(asking))
                try:
                    self.say(f"{who.id} reckons", chance_of(game, check))
                except RulesError as error:
                    self.say(f"{who.id} reckons", error.code)
        for character in state.characters.values():
            if before.characters.get(character.id) is not character:
                self.say("sheet", _shown(sheet_card(scene, character, own=True, gm=True)))


async def tell(name: str, seed: int, steps: int) -> None:
    """One game, to standard output."""
    grounds = next(each for each in ALL if each.name == name)
    chance = random.Random(f"{name} {seed}")
    with playing(grounds), tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.services.directory.new_id", numbered)
        patch.setattr("bot.storage.database.SYNCHRONOUS", "OFF")
        async with make_house(Path(folder)) as house:
            session = await opened(grounds, house, **({"live": True} if seed % 2 else {}))
            walk = Told(session, grounds, chance, secret=seed % 3 == 0)
            for step in range(steps):
                print("step", step)
                await walk.step()


def _games(trees: tuple[Path, ...], *game: str) -> tuple[list[str], ...]:
    """What each tree tells of one game, both playing at the same time; this file plays in both."""
    with ExitStack() as stack:
        runs = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, "-P", __file__, str(tree), "--tell", *game],
                    cwd=tree,
                    env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
            for tree in trees
        ]
        return tuple([run.communicate()[0].splitlines() for run in runs])


def differences(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str, str]]:
    """The step, our line and theirs where two games part, and everything after that in the same step."""
    step, parted = "before the first step", ""
    for mine, other in zip_longest(ours, theirs, fillvalue="nothing more"):
        if mine == other and mine.startswith("step "):
            step = mine
        if parted and step != parted:
            return
        if mine != other:
            parted = step
            yield step, mine, other


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--system", default="")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tell", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.tell:
        name, seed, steps = asked.tell
        asyncio.run(tell(name, int(seed), int(steps)))
        return 0
    other: Path = asked.checkout.resolve()
    if not (other / "tests/property/walk.py").is_file():
        parser.error(f"{other} is no checkout of this project")
    parted = False
    for name in (each.name for each in ALL if each.name.startswith(asked.system)):
        for seed in range(asked.seeds):
            ours, theirs = _games((ROOT, other), name, str(seed), str(asked.steps))
            found = list(differences(ours, theirs))
            broken = any(each.startswith("Traceback") for each in (*ours, *theirs))
            verdict = "differs" if found else "broken off in both" if broken else "the same"
            print(f"{name}, seed {seed}: {len(ours)} lines, {verdict}", flush=True)
            for step, mine, their in found[:5]:
                print(f"  {step}\n    here:  {mine[:2000]}\n    there: {their[:2000]}")
            parted = parted or broken or bool(found)
    return int(parted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
