"""A raid: people who send whatever a client could be made to send, at a table that is played at.

Everything that was ever pressed or could be is known to them, whoever it was for: they send it as
it was, or with pieces of it changed, and commands with names and numbers that mean something here.
Somebody plays on meanwhile, so that there are prompts to answer.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from simcord.actors import MemberActor
from simcord.backend.errors import BackendError

from bot.presenters.checks import option_id
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.available_moves import available_moves
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game
from tests.attack.forged_requests import commands, send
from tests.discord.world import DAY, HOUR, World, controls
from tests.sample_table import open_game

#: What nobody but the GM may ever read: an NPC off stage, and what the GM noted of those on stage.
HIDDEN, NOTES = "Zorvath", "xnotesx"
#: What they guess of it.
GUESS = "Zorvat"
#: Pieces of ids and values that nothing has.
STRANGE: Final = (
    "",
    "0",
    "-1",
    "9" * 25,
    "²",
    "\x00",
    "\ud800",
    "x" * 90,
    "k9",
    "c99",
    "hint",
    "*",
    "../x",
    "None",
    "-",
)
#: Commands that end the raid for somebody, or tell what is hidden, as the GM may.
SPARED: Final = (
    *("privacy delete", "gm takeover", "gm members", "delegate", "character give"),
    *("gm npc reveal", "gm npc edit", "gm npc alias"),
)

#: How it is said that somebody shows a card of theirs.
_SHOWN: Final = re.compile("shows “([^”]+)”")


@dataclass
class Found:
    """What one raid came to."""

    forged: int = 0
    typed: int = 0
    played: int = 0
    wrong: list[str] = field(default_factory=list[str])
    #: What players did, by the kind of entry, with the first of each.
    kinds: dict[str, int] = field(default_factory=dict[str, int])


def _harvest(payload: Any) -> Iterable[Mapping[str, Any]]:
    """Whatever in it has an id."""
    if isinstance(payload, Mapping):
        if "custom_id" in payload:
            yield payload
        for each in payload.values():
            yield from _harvest(each)
    elif isinstance(payload, list):
        for each in payload:
            yield from _harvest(each)


#: What somebody does in play: a player or the GM, by a command with these options.
Deed = tuple[str, str, Mapping[str, Any]]


class Raid:
    """Ana and Ben play, Eve plays nothing, Gina leads; `words` are what means something at their
    table, `deeds` what they do in play, and `held` tells what each of them holds that nobody else
    may read, by name.
    """

    def __init__(
        self,
        world: World,
        chance: random.Random,
        words: tuple[str, ...],
        deeds: Sequence[Deed],
        held: Callable[[Game], Mapping[str, Sequence[str]]],
    ) -> None:
        self.world, self.chance, self.deeds, self._held = world, chance, deeds, held
        self.words = (
            *words,
            "Vesna",
            "Boris",
            "1",
            "2",
            "12",
            "-3",
            "pass",
            "yes",
            "k1",
            "c1",
            "d8",
        )
        self.eve = world.member("eve")
        self.known: dict[str, Mapping[str, Any]] = {}
        self.found = Found()
        self._read = 0
        self._entries = 0
        self._gm = ""

    @property
    def raiders(self) -> tuple[MemberActor, ...]:
        return self.world.ana, self.world.ben, self.eve

    async def run(self, steps: int) -> Found:
        """So many steps; after each, whoever acted may have done so."""
        await self.world.gina.slash(
            self.world.zone, "gm npc add", name=HIDDEN, count=1, stage="off"
        )
        self._entries = await self.world.revision()
        self._gm = (await self.world.bot.tables.store.entries(1, since=1, limit=1))[0][0].actor
        for _ in range(steps):
            before = self._held(read_only_game(await self.world.state()))
            kinds = (self.forge,) * 6 + (self.command,) * 3 + (self.go_on,) * 4 + (self.play,) * 2
            await self.chance.choice(kinds)()
            if self.chance.random() < 0.02:
                await self.world.env.advance_time(self.chance.choice((HOUR, DAY)))
            await self._look(before)
        return self.found

    # --- what they send ---------------------------------------------------------------------------

    async def forge(self) -> None:
        """Something that could be pressed, by somebody else or with other pieces."""
        if not self.known:
            return
        chance, world = self.chance, self.world
        custom_id = chance.choice(list(self.known))
        control = self.known[custom_id]
        if chance.random() < 0.6:
            pieces = custom_id.split(":")
            at = chance.randrange(1, len(pieces))
            other = chance.choice(list(self.known)).split(":")
            pieces[at] = chance.choice((*STRANGE, chance.choice(other), chance.choice(self.words)))
            custom_id = ":".join(pieces)[:100]
        who = chance.choice(self.raiders)
        offered = [each["value"] for each in control.get("options", ())]
        values = tuple(chance.choices((*offered, *STRANGE, *self.words), k=chance.randrange(3)))
        if control.get("type") == 4 or "title" in control:
            keys = [each["custom_id"] for each in _harvest(control.get("components", []))] or [
                "text",
                "difficulty",
            ]
            told = world.emit_modal(
                who, custom_id, **{key: chance.choice((*STRANGE, *self.words)) for key in keys}
            )
        else:
            rooms = [world.zone, *[world.gm_room] * (chance.random() < 0.1)]
            message = chance.choice(world.messages(rooms[0])[-8:])
            told = world.emit(
                who, custom_id, message, values=values if offered or chance.random() < 0.3 else None
            )
        await world.env.settle()
        self.found.forged += 1
        if told.response is None and told.modal is None and not told.deferred:
            self.found.wrong.append(f"no answer to {custom_id!r} {values!r} of {who.name}")

    async def command(self) -> None:
        """A command with what means something here, or nothing."""
        chance = self.chance
        who = chance.choice((*self.raiders, self.world.gina, self.world.ana, self.world.ben))
        words = self.words if who is self.world.gina else (*self.words, GUESS)
        command = chance.choice(
            [each for each in commands(self.world) if each.qualified_name not in SPARED]
        )
        options: dict[str, Any] = {}
        for each in command.parameters:
            if not each.required and chance.random() < 0.5:
                continue
            if each.choices and chance.random() < 0.9:
                options[each.display_name] = chance.choice(each.choices).value
            elif each.type.name == "integer":
                options[each.display_name] = chance.choice((0, 1, 2, 3, 5, 12, -1, 10**9))
            elif each.type.name == "boolean":
                options[each.display_name] = chance.random() < 0.5
            else:
                options[each.display_name] = chance.choice((*words, chance.choice(STRANGE)))
        told = send(self.world, who, command.qualified_name, options)
        await self.world.env.settle()
        self.found.typed += 1
        if told.response is None and told.modal is None and not told.deferred:
            self.found.wrong.append(f"no answer to /{command.qualified_name} {options!r}")

    async def play(self) -> None:
        """Somebody does what the game is about."""
        name, command, options = self.chance.choice(self.deeds)
        who = {"ana": self.world.ana, "ben": self.world.ben, "gina": self.world.gina}[name]
        with suppress(AssertionError, BackendError):
            await who.slash(self.world.zone, command, **options)
            self.found.played += 1

    async def go_on(self) -> None:
        """Whoever may answer a prompt does, by what its button leads to."""
        world, state = self.world, await self.world.state()
        table = world.bot.tables.get_if_loaded(1)
        assert table is not None
        found = [
            (who, move, option.value)
            for who in (world.gina, world.ana, world.ben)
            for move in available_moves(
                open_game(state, Actor(table.directory.ensure_participant(str(who.id), who.name)))
            )
            for option in move.options
            if option.value not in ("withdraw", "revise", "ask")
        ]
        if not found:
            return
        who, move, value = self.chance.choice(found)
        result = world.emit(who, option_id(1, move, value))
        await world.env.settle()
        self.found.played += 1
        panel = result.response
        if panel is None:
            return
        sends = [
            each
            for each in controls(panel)
            if ":b:" in each["custom_id"] and not each.get("disabled")
        ]
        if sends:
            await who.click(panel, custom_id=self.chance.choice(sends)["custom_id"])

    # --- what came of it --------------------------------------------------------------------------

    async def _look(self, before: Mapping[str, Sequence[str]]) -> None:
        world, state = self.world, await self.world.state()
        now = self._held(read_only_game(state))
        # What somebody held before and holds yet was nobody else's to read meanwhile.
        hidden = {
            who: [each for each in before.get(who, ()) if each in names]
            for who, names in now.items()
        }
        secret = {
            who.name: [
                HIDDEN,
                NOTES,
                *[each for name, names in hidden.items() if name != who.name for each in names],
            ]
            for who in self.raiders
        }
        requests = world.env.http_requests
        for request in requests[self._read :]:
            for control in _harvest(request.json):
                if isinstance(control["custom_id"], str) and control["custom_id"].startswith("sg"):
                    self.known.setdefault(control["custom_id"], control)
            if isinstance(request.json, dict):
                text = json.dumps(request.json, ensure_ascii=False)
                shown = _SHOWN.findall(text)  # by whoever holds it, to everybody
                for who in self.raiders:
                    read = [each for each in secret[who.name] if each in text and each not in shown]
                    if read and world.reaches(who, request):
                        self.found.wrong.append(
                            f"{who.name} reads of {read} at #{self._entries}: {text}"
                        )
        self._read = len(requests)
        for row, _ in await world.bot.tables.store.entries(1, since=self._entries + 1):
            self._entries = row.seq
            self._judge(state, row)

    def _judge(self, state: TableState, row: Any) -> None:
        """Whether whoever did this plays whom they did it for."""
        if row.actor in (self._gm, SYSTEM):
            return
        self.found.kinds.setdefault(row.kind, row.seq)
        action = json.loads(row.action)
        named = action.get("as_") or ()
        for each in (named,) if isinstance(named, str) else named:
            mine = [one for one in state.characters.values() if one.owner == row.actor]
            if each not in [name for one in mine for name in (one.id, one.name)]:
                self.found.wrong.append(
                    f"#{row.seq}: {row.actor} did {row.kind} as {each!r}: {row.action[:300]}"
                )
