"""A long random play with every command, button and forged id in it, and the hunt for what players
must never read.
"""

from __future__ import annotations

import random
from typing import Any

import pytest
from simcord.actors import MemberActor
from simcord.backend.errors import BackendError
from simcord.builders import ChannelHandle

from bot.presenters.checks import option_id
from bot.presenters.errors import FAULT
from rules.table.actions import Actor
from rules.table.checks.available_moves import available_moves
from tests.discord.world import (
    DAY,
    HOUR,
    SHARED,
    World,
    controls,
    labels,
    menus,
    secret_room,
)
from tests.sample_table import open_game

#: Nobody but the GM may ever read any of this.
HIDDEN, MASKED, GANG = "Zorvath", "Quillmund", "Wyvernling"
NOTES, PLAN, WOUND, WEAPON = "xnotesx", "xplanx", "xwoundx", "xweaponx"
PORTRAIT, LEVEL = "xportraitx", "9137"
SECRETS = (HIDDEN, MASKED, GANG, NOTES, PLAN, WOUND, PORTRAIT, LEVEL)
ALIAS = "the pale lady"
#: What only Ana and the GM may read, and what only Ben and the GM may: said in private, or in a
#: room of the table that the other cannot view.
ANAS, BENS = "xanasx", "xbensx"
#: Routes of buttons: those of checks, and others.
ROUTES = ("chk", "chq", "cho", "chm", "close", "undo", "appr", "board", "join", "fm", "fmm")
#: Prompts of checks, and what is answered to them.
PROMPTS = (
    "rule",
    "own",
    "reply",
    "ready",
    "face",
    "faced",
    "react",
    "also",
    "stand",
    "hit",
    "words",
    "x",
)
OPTIONS = (
    "roll",
    "free",
    "ask",
    "revise",
    "withdraw",
    "face",
    "pass",
    "in-full",
    "reroll",
    "stand",
    "join",
)
#: Guesses at what is hidden: ids, beginnings, and nothing at all.
GUESSES = (
    "k1",
    "k2",
    "k3",
    "k4",
    "k5",
    "k6",
    "z",
    "q",
    "w",
    "x",
    "the",
    "Marek",
    "Ilka",
    "\u202e",
    "@everyone",
)


class Hunt:
    """Three people who do whatever they like."""

    def __init__(self, world: World, chance: random.Random) -> None:
        self.world = world
        self.chance = chance
        self.seen: dict[int, list[Any]] = {}
        self.rooms = {
            who.id: secret_room(world.env, world.guild, f"{who.name}s-room", world.gina, who)
            for who in self.players
        }

    @property
    def players(self) -> tuple[MemberActor, ...]:
        return self.world.ana, self.world.ben

    def _own(self, who: MemberActor) -> str:
        return ANAS if who is self.world.ana else BENS

    async def slash(
        self, who: MemberActor, command: str, room: ChannelHandle | None = None, /, **options: Any
    ) -> None:
        result = await who.slash(room or self.world.zone, command, **options)
        self._keep(who, result)

    def _keep(self, who: MemberActor, result: Any) -> None:
        if result.response is not None:
            self.seen.setdefault(who.id, []).append(result.response)

    async def begin(self, **settings: Any) -> None:
        world = self.world
        await world.table(**settings)
        gina = world.gina
        address = f"https://example.org/{PORTRAIT}.png"
        await world.bring(gina, HIDDEN, npc=True, notes=NOTES, portrait=address)
        await self.slash(
            gina, "gm npc add", name=MASKED, alias=ALIAS, notes=NOTES, portrait=address
        )
        await self.slash(gina, "gm npc add", name=GANG, count=2, notes=NOTES, stage="off")
        await self.slash(gina, "gm adjust", character=HIDDEN, what="injury", value=WOUND)
        await self.slash(gina, "initiative start")
        for room in self.rooms.values():
            await self.slash(gina, "gm bind", channel=room)
            await self.slash(gina, "initiative start", room)

    async def step(self) -> None:
        kinds = (
            self.lead,
            self.lead,
            self.play,
            self.play,
            self.press,
            self.press,
            self.ask,
            self.forge,
        )
        await self.chance.choice((*kinds, *(self.go_on,) * 8))()
        if self.chance.random() < 0.04:
            await self.wait()

    async def go_on(self) -> None:
        """Somebody whose turn it is does what may be done on an open check."""
        world, state = self.world, await self.world.state()
        people = {who: self._actor(who) for who in (world.gina, *self.players)}
        found = [
            (who, move, option.value)
            for who, actor in people.items()
            for move in available_moves(open_game(state, actor))
            for option in move.options
        ]
        # What ends a check early is rarer than what carries it on.
        rare = ("withdraw", "ask", "revise", "free", "impossible")
        likely = [0.1 if option in rare else 1.0 for *_, option in found]
        if not found:
            return
        who, move, option = self.chance.choices(found, likely)[0]
        result = await self._send(who, option_id(1, move, option))
        if result.response is not None:
            await self._decide(who, result.response)

    def _actor(self, who: MemberActor) -> Actor:
        table = self.world.bot.tables.get_if_loaded(1)
        assert table is not None
        return Actor(table.directory.ensure_participant(str(who.id), who.name))

    async def _send(self, who: MemberActor, custom_id: str) -> Any:
        result = self.world.emit(who, custom_id)
        await self.world.env.settle()
        self._keep(who, result)
        return result

    async def _decide(self, who: MemberActor, panel: Any) -> None:
        """Write in a panel, hide what can be hidden, and send it."""
        for label in ("Approach…", "Question…", "Note…", "Write…"):
            if label in labels(panel):
                result = await self.world.press(who, panel, label)
                if result.modal is not None:
                    await self._write(who, result)
        for each in menus(panel, SHARED):
            if "hidden" in [option["value"] for option in each["options"]]:
                await self.world.choose(who, panel, SHARED, "hidden")
        sends = [
            each["label"]
            for each in controls(panel)
            if ":b:" in each["custom_id"]
            and not each.get("disabled")
            and not each["label"].endswith("…")
        ]
        if sends:
            # The first is what was opened.
            wanted = sends[0] if self.chance.random() < 0.7 else self.chance.choice(sends)
            self._keep(who, await self.world.press(who, panel, wanted))

    async def _write(self, who: MemberActor, result: Any) -> None:
        """Fill a dialog in. The GM hides every number; what else is written may be read by
        everybody.
        """
        level = LEVEL if who is self.world.gina else "10"
        words = {"text": "a scratch", "severity": "light", "part": "", "difficulty": level}
        words |= {"modifier": "0", "against": "0"}
        given = {key: words.get(key, "aloud") for key in _inputs(result.modal)}
        self._keep(who, await who.submit_modal(result, given))

    async def lead(self) -> None:
        """The GM does something about what is hidden."""
        pick = self.chance.choice
        whom = pick((HIDDEN, MASKED, f"{GANG} 1", f"{GANG} 2"))
        mine: dict[str, Any] = {"as": whom}
        seen = pick(("public", "private", "blind"))
        # In public the GM's words are everybody's, so the plan is only in what is kept.
        idea = "quietly" if seen == "public" else PLAN
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("gm roll", {**mine, "note": PLAN, "difficulty": LEVEL}),
            ("gm roll", {"as": "Marek", "note": PLAN, "difficulty": LEVEL}),
            ("check", {**mine, "approach": idea, "visibility": seen}),
            ("check", {**mine, "approach": PLAN, "visibility": "private", "difficulty": LEVEL}),
            (
                "attack",
                {
                    **mine,
                    "target": pick(("Marek", "Ilka")),
                    "approach": "at dawn",
                    "visibility": seen,
                },
            ),
            ("attack", {**mine, "target": MASKED, "approach": idea, "visibility": seen}),
            ("heal", {**mine, "method": "rest", "target": whom}),
            (
                "heal",
                {
                    "as": HIDDEN,
                    "method": "treat",
                    "target": HIDDEN,
                    "injury": "x",
                    "approach": PLAN,
                },
            ),
            ("roll", {**mine, "dice": "1d6", "reason": idea, "visibility": seen}),
            ("initiative add", {"name": pick((whom, GANG))}),
            ("initiative next", {}),
            ("initiative delay", {**mine, "back": pick((True, False))}),
            ("initiative remove", {"name": whom}),
            ("gm npc edit", {"npc": whom, "notes": NOTES + pick("abc")}),
            ("gm npc list", {}),
            ("gm adjust", {"character": whom, "what": "injury", "value": WOUND, "reason": NOTES}),
            ("gm award", {"kind": "fate", "to": whom, "reason": NOTES}),
            ("gm log", {"character": whom}),
            ("gm undo", {}),
            ("session start", {}),
            ("session end", {}),
            ("character show", {"character": whom}),
            ("character export", {"character": whom}),
            ("character retire", {"character": whom, "back": pick((True, False))}),
            ("character use", {"character": whom}),
            ("ebb anomaly", {"visibility": seen}),
            (
                "gm settings",
                {"reveal": pick(("verdict", "degree")), "approve": pick((True, False))},
            ),
            (
                "gm settings",
                {"setting": "hit_default", "value": pick(("soften", "suffer"))},
            ),
            (
                "gm settings",
                {"setting": "house_initiative", "value": pick(("on", "off"))},
            ),
            ("gm settings", {"step_in_minutes": pick((0, 60))}),
            ("gm settings", {"live": pick((True, False))}),
        )
        command, options = pick(deeds)
        await self.slash(self.world.gina, command, **options)

    async def play(self) -> None:
        """A player does something; what they keep to themselves carries their mark."""
        pick = self.chance.choice
        who = pick(self.players)
        seen = pick(("public", "private", "blind"))
        room = pick((self.world.zone, self.rooms[who.id]))
        openly = seen == "public" and room is self.world.zone
        mark = "aloud" if openly else self._own(who)
        other = "Ilka" if who is self.world.ana else "Marek"
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("check", {"skill": "Climbing", "approach": mark, "visibility": seen}),
            ("attack", {"target": ALIAS, "skill": "Rifles", "approach": mark, "visibility": seen}),
            (
                "attack",
                {
                    "target": pick(GUESSES),
                    "skill": "Rifles",
                    "approach": "aloud",
                    "visibility": seen,
                },
            ),
            ("attack", {"target": other, "skill": "Rifles", "approach": "face to face"}),
            (
                "heal",
                {"method": pick(("rest", "treat")), "approach": "aloud", "target": pick(GUESSES)},
            ),
            ("heal", {"method": "rest"}),
            ("roll", {"dice": "2d6", "reason": mark, "visibility": seen}),
            ("initiative join", {}),
            ("initiative next", {}),
            ("initiative remove", {"name": pick(GUESSES)}),
            ("initiative delay", {"as": pick(GUESSES)}),
            ("table undo", {}),
            ("spend", {"what": "reroll"}),
            ("ebb artefact", {"visibility": seen}),
            ("character retire", {"back": pick((True, True, False))}),
            ("character give", {"to": self.world.gina, "character": pick(GUESSES)}),
        )
        command, options = pick(deeds)
        await self.slash(who, command, room, **options)

    async def ask(self) -> None:
        """A player asks for everything that can be asked for."""
        pick, who = self.chance.choice, self.chance.choice(self.players)
        name = pick([*(await self.world.state()).checks, "c999"])
        guess: dict[str, Any] = {"as": pick(GUESSES)}
        asked: tuple[tuple[str, dict[str, Any]], ...] = (
            ("moves", {}),
            ("table show", {}),
            ("table last", {}),
            ("table fair show", {"entry": self.chance.randint(1, await self.world.revision())}),
            ("character list", {}),
            ("character show", {"character": pick(GUESSES)}),
            ("character export", {"character": pick(GUESSES)}),
            ("character use", {"character": pick(GUESSES)}),
            ("character edit", {"character": pick(GUESSES)}),
            ("odds", {"check": name}),
            ("odds", {"skill": "Climbing", **guess}),
            ("spend", {"check": name}),
            ("initiative show", {}),
            ("session show", {}),
            ("gm log", {"character": pick(GUESSES)}),
            ("gm npc list", {}),
            ("gm roll", guess),
            ("gm undo", {"entry": 3}),
            ("check", {"approach": "aloud", **guess}),
            ("roll", {"dice": "{Might}", **guess}),
        )
        command, options = pick(asked)
        await self.slash(who, command, **options)
        for command, option in (
            ("check", "as"),
            ("attack", "target"),
            ("heal", "target"),
            ("heal", "injury"),
            ("character show", "character"),
            ("character export", "character"),
            ("character edit", "character"),
            ("initiative add", "name"),
            ("initiative remove", "name"),
            ("gm npc edit", "npc"),
            ("gm log", "character"),
            ("gm roll", "skill"),
            ("gm undo", "entry"),
            ("odds", "check"),
        ):
            await who.autocomplete(self.world.zone, command, option, pick(("", "z", "k3")))

    async def press(self) -> None:
        """Anybody presses or chooses anything that they can see, old or new."""
        who = self.chance.choice((self.world.gina, *self.players))
        rooms = [self.world.zone] + [self.world.gm_room] * (who is self.world.gina)
        rooms += [room for id, room in self.rooms.items() if who.id == id or who is self.world.gina]
        there = [message for room in rooms for message in self.world.messages(room)[-12:]]
        there += self.seen.get(who.id, [])[-6:]
        found = [
            (message, each)
            for message in there
            for each in controls(message)
            if not each.get("disabled")
            and ":reveal:" not in each["custom_id"]  # a GM's to tell, who hides it all
        ]
        if not found:
            return
        message, control = self.chance.choice(found)
        try:
            if control.get("options"):
                values = [self.chance.choice(control["options"])["value"]]
                result = await who.select(message, values, custom_id=control["custom_id"])
            elif "label" in control:
                result = await who.click(message, custom_id=control["custom_id"])
            else:
                return
        except (AssertionError, BackendError):
            return  # a message that is gone for this person, or that has changed
        self._keep(who, result)
        if result.modal is not None:
            await self._write(who, result)

    async def forge(self) -> None:
        """A player sends what no client of theirs was shown."""
        pick, who = self.chance.choice, self.chance.choice(self.players)
        state = await self.world.state()
        for _ in range(6):
            name = pick([*state.checks, "c999"])
            known = state.checks.get(name)
            likely = known is not None and self.chance.random() < 0.8
            revision = known.revision if likely and known is not None else self.chance.randint(0, 9)
            numbers = [each.number for each in known.asked] if known is not None else []
            at = f"{name}.{pick(numbers) if numbers and likely else revision}"
            route = pick(ROUTES)
            forged = f"sg:{route}:{pick((1, 1, 1, 1, 2, 99))}:"
            if route in ("chq", "cho", "chm"):
                forged += f"{at}:{pick(PROMPTS)}"
                if route != "chq":
                    forged += (
                        f":{pick((*GUESSES[:6], '-'))}:{pick(OPTIONS) if route == 'cho' else '0'}"
                    )
            elif route == "chk":
                forged += name
            else:
                forged += f"{name}:{revision}"
            if route == "appr":
                forged = f"sg:appr:1:{pick(GUESSES[:6])}:{pick(('show', 'ok', 'back'))}"
            elif route == "board":
                act = pick(("next", "join", "delay", "x"))
                room = pick((self.world.zone, *self.rooms.values()))
                forged = f"sg:board:1:{room.id}:1:{revision}:{act}"
            if route.endswith("m"):
                self.world.emit_modal(who, forged, text="aloud", note="aloud", question="aloud")
            else:
                self.world.emit(who, forged)
            self.world.emit(who, f"sg:show:{self.chance.randint(1, 200)}")
            entry = self.chance.randint(1, await self.world.revision())
            self.world.emit(who, f"sg:{pick(('last', 'again'))}:1:{entry}")
            self.world.emit(who, "sg:origin:1", values=(str(entry),))
        await self.world.env.settle()

    async def wait(self) -> None:
        """Time passes, or the bot ends and begins again."""
        if self.chance.random() < 0.4:
            await self.world.restart()
        else:
            await self.world.env.advance_time(self.chance.choice((HOUR, DAY, 4 * DAY)))


def _inputs(modal: dict[str, Any]) -> list[str]:
    return [label["component"]["custom_id"] for label in modal["components"]]


@pytest.mark.parametrize(("seed", "gm_channel"), [(1, False), (2, True)])
async def test_players_never_read_what_is_hidden(world: World, seed: int, gm_channel: bool) -> None:
    hunt = Hunt(world, random.Random(seed))
    await hunt.begin(gm_channel=gm_channel)
    for _ in range(200):
        await hunt.step()
    await hunt.slash(world.gina, "character show", character=HIDDEN)
    gina = world.told(world.gina)
    assert [secret for secret in SECRETS if secret not in gina] == [], "the hunt would find them"
    for who, others in ((world.ana, BENS), (world.ben, ANAS)):
        told = world.told(who)
        for secret in (*SECRETS, others):
            assert secret not in told, f"{who.name}: …{around(told, secret)}…"
        assert FAULT not in told


def around(text: str, secret: str) -> str:
    """Return the text before and after a secret, for the message of a failed assertion."""
    at = text.index(secret)
    return text[max(0, at - 500) : at + 60]
