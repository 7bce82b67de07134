"""Compare what people meet in this checkout and in another one: `python -m tests.compare CHECKOUT`.

Both checkouts play the same random games. Each runs its own copy of this file and prints, after
every step, all that people can read, press or be refused. No name of a class, field or module is
printed, so the comparison survives renaming. Exits with 1 at the first difference of a game, and
shows its step.

--system KEY   one system, or one entry of tests/property/systems.py by name; all of them by default
--seeds N      number of games of each
--steps N      number of steps of a game
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import zip_longest
from pathlib import Path

import pytest

from bot.presenters.character import sheet_card
from bot.presenters.checks import move_lists, option_text, react_panel
from bot.presenters.errors import describe_error
from bot.presenters.events import event_cards
from bot.presenters.forms import field_title
from bot.presenters.language.words import TEMPLATES, say, say_bare
from bot.presenters.layout import Layout, controls_of, plain_text
from bot.presenters.log import done_code
from bot.presenters.names import DirectoryNames
from bot.presenters.odds import exact_percent
from bot.presenters.pending_matters import next_action_button
from bot.presenters.scene import Scene
from bot.services.perform import ActionResult
from rules.core.errors import RulesError
from rules.table.actions import Action, Actor
from rules.table.blocks import GMS, Audience, Text
from rules.table.check import AnyCheck
from rules.table.checks.access import may_see_check
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.odds import check_success_odds
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.system import Game
from tests.property.random_play import EVERYBODY, Walk
from tests.property.systems import ALL, open_table, playing
from tests.sample_table import make_house, numbered_id

ROOT = Path(__file__).resolve().parents[1]
#: Differences of one game that are shown.
MAX_SHOWN = 5


def deed_words(kind: type[Action]) -> str:
    """Return what the journal says of an action of this class; empty if it has no words of
    its own.
    """
    code = done_code(kind.__name__)
    return say(Text(code)) if code in TEMPLATES else ""


def visible_texts(card: Layout) -> str:
    """Return the text of a message, and on a last line the texts of its buttons and menus."""
    texts: list[str] = []
    for control in controls_of(card):
        words = [getattr(control, "label", None), getattr(control, "placeholder", None)]
        for option in getattr(control, "options", ()):
            words += [option.label, option.description]
        texts.append(f"[{' / '.join(word for word in words if word)}]")
    return f"{plain_text(card)}\n{' '.join(texts)}".rstrip()


def audience_words(audience: Audience) -> str:
    """Return who may read a message, in words."""
    if audience.everyone:
        return "everyone"
    readers = [*audience.people, *["the GMs"] * bool(audience.gms)]
    return " and ".join(readers) or "nobody"


class PrintingWalk(Walk):
    """Random play that prints what people meet after each step."""

    def acts(self, state: TableState) -> list[type[Action]]:
        """Order actions by what the journal calls them, so that a renamed class keeps its
        position.
        """
        return sorted(super().acts(state), key=deed_words)

    def say(self, what: str, text: str) -> None:
        """Print *text*, each line after *what*."""
        for line in text.split("\n"):
            print(f"{what}: {line}")

    async def _do(self, action: Action, *may_be: type[RulesError]) -> None:
        print(f"{action.who.id} tries: {deed_words(type(action))}")
        refused = len(self.refused)
        await super()._do(action, *may_be)
        for who, error in self.refused[refused:]:
            self.say(f"{who.id} is refused", describe_error(error))

    async def check(self, before: TableState, done: list[ActionResult]) -> None:
        state = await self.session.state()
        table = await self.session.tables.get(self.session.table_id)
        scene = Scene(self.session.table_id, state, DirectoryNames(table.directory), {})
        for performed in done:
            self._print_messages(performed, scene)
        for who in EVERYBODY:
            self._print_options(before, state, scene, who)
        for character in state.characters.values():
            if before.characters.get(character.id) is not character:
                card = sheet_card(scene, character, own=True, gm=True)
                self.say("sheet", visible_texts(card))

    def _print_messages(self, performed: ActionResult, scene: Scene) -> None:
        for event in performed.events:
            readers = audience_words(event.audience)
            for private in (False, True):
                for card in event_cards([event], scene, performed.seq, private=private):
                    how = "privately" if private else "in the channel"
                    self.say(f"{readers} may read {how}", visible_texts(card))
        for out in performed.outs:
            reader = "the channel" if out.public else out.person or "the GMs"
            print(f"sent to {reader}: events {out.events}")

    def _print_options(
        self, before: TableState, state: TableState, scene: Scene, who: Actor
    ) -> None:
        """Print what a person may read, answer and fill in, in each check that has changed."""
        game, gm = self._game(state, who), is_gm(state, who)
        for check in state.checks.values():
            if before.checks.get(check.id) is check or not may_see_check(game, check, who):
                continue
            view = check_view(game, check, GMS if gm else Audience(people=(who.id,)))
            moves = check_moves(game, check)
            panel = react_panel(
                view, scene, moves, gm=gm, onward=next_action_button(scene, who, gm=gm)
            )
            self.say(f"{who.id} reads", visible_texts(panel))
            yours, offers = move_lists(scene, moves, {check.id: view}, gm=gm)
            for line, doing in (*yours, *offers):
                buttons = doing if isinstance(doing, tuple) else (doing,)
                labels = " ".join(f"[{button.label}]" for button in buttons)
                self.say(f"{who.id} is reminded", f"{line}\n{labels}")
            for move in moves:
                self._print_choices(game, check, move)
            chance = check_success_odds(game, check)
            if chance is not None:
                self.say(f"{who.id} reckons", exact_percent(chance))

    def _print_choices(self, game: Game, check: AnyCheck, move: Move) -> None:
        """Print the options of a move, and what the form of each offers."""
        who = game.actor
        for option in move.options:
            self.say(f"{who.id} may", option_text(option))
            if not isinstance(option.form, Form):
                continue
            asking = FormContext(game, check, check.actor, option.values)
            for field in option.form.fields:
                choices = [
                    f"{value} {say_bare(label)}" for value, label in field.choices_for(asking)
                ]
                self.say(f"{who.id} fills in {field_title(field)}", "; ".join(choices))


async def tell(name: str, seed: int, steps: int) -> None:
    """Play one game, and print it."""
    grounds = next(each for each in ALL if each.name == name)
    chance = random.Random(f"{name} {seed}")
    with (
        playing(grounds),
        tempfile.TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr("bot.services.directory.new_id", numbered_id)
        patch.setattr("bot.storage.database.SYNCHRONOUS", "OFF")
        async with make_house(Path(folder)) as house:
            session = await open_table(grounds, house, **({"live": True} if seed % 2 else {}))
            walk = PrintingWalk(session, grounds, chance, secret=seed % 3 == 0)
            for step in range(steps):
                print(f"step {step}")
                await walk.step()


def play(trees: tuple[Path, ...], name: str, seed: int, steps: int) -> tuple[list[str], ...]:
    """Return what each checkout prints of one game; all of them play at the same time."""
    command = [sys.executable, "-P", "-m", "tests.compare", "--tell", name, str(seed), str(steps)]
    with ExitStack() as stack:
        games = [
            stack.enter_context(
                subprocess.Popen(
                    command,
                    cwd=tree,
                    env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                )
            )
            for tree in trees
        ]
        return tuple(game.communicate()[0].splitlines() for game in games)


def differences(ours: list[str], theirs: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield the step, our line and theirs where two games part, and the rest of that step."""
    step = "before the first step"
    parted_at = ""
    for mine, other in zip_longest(ours, theirs, fillvalue="nothing more"):
        if mine == other and mine.startswith("step "):
            step = mine
        if parted_at and step != parted_at:
            return
        if mine != other:
            parted_at = step
            yield step, mine, other


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="?")
    parser.add_argument("--system", default="")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--tell", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.tell:
        name, seed, steps = arguments.tell
        asyncio.run(tell(name, int(seed), int(steps)))
        return 0
    if arguments.checkout is None:
        parser.error("name the checkout to compare with")
    other: Path = arguments.checkout.resolve()
    if not (other / "tests/compare.py").is_file():
        parser.error(f"{other} is no checkout of this project")
    failed = False
    for name in (grounds.name for grounds in ALL if grounds.name.startswith(arguments.system)):
        for seed in range(arguments.seeds):
            failed = _compare((ROOT, other), name, seed, arguments.steps) or failed
    return int(failed)


def _compare(trees: tuple[Path, Path], name: str, seed: int, steps: int) -> bool:
    """Play one game in both checkouts, print the verdict, and return whether they differ or broke
    off.
    """
    ours, theirs = play(trees, name, seed, steps)
    parted = list(differences(ours, theirs))
    broken = any(line.startswith("Traceback") for line in (*ours, *theirs))
    verdict = "differs" if parted else "broken off in both" if broken else "the same"
    print(f"{name}, seed {seed}: {len(ours)} lines, {verdict}", flush=True)
    for step, mine, other in parted[:MAX_SHOWN]:
        print(f"  {step}\n    here:  {mine[:2000]}\n    there: {other[:2000]}")
    return broken or bool(parted)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
