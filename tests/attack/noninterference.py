"""The same play twice, with other secrets that lead to the same told outcome: what each player gets
to see of it.

A system comes in by a `Ground`: how its table begins, and what players may try there. Everything
else is asked of every system alike: dice, answers with a hidden number, attacks by an alias, undo,
initiative, looks, completions, exports.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest
from simcord.backend.errors import BackendError
from simcord.builders import ChannelHandle
from simcord.env import Env

from bot.presenters.language.words import SETTING_OPTIONS, SETTING_UNITS
from bot.storage import codec
from rules.core.rng import KeyedStreams
from rules.registry import SYSTEMS
from rules.table.actions import Actor
from rules.table.forms.fields import Flag, Number, Pick
from rules.table.settings.table_settings import settings_form
from tests.attack.forged_requests import commands
from tests.discord.barmore import ILKA, MAREK
from tests.discord.masterbook.cards.deck import order
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    build_world,
    close_bots,
    controls,
    labels,
    make_bot,
    secret_room,
    texts,
)
from tests.sample_table import ebb_character, ego_character, masterbook_character

#: What a client refuses to do, so that nothing happens.
_REFUSED: Final = (AssertionError, BackendError)
ALIAS: Final = "the pale one"


@dataclass(frozen=True)
class Hidden:
    """What only GMs know: the number they name, who somebody is, and how many others there are off
    stage.

    `deck` is how the cards come that are dealt first; the rest lies beneath. `vault` is what Ana
    writes in a room of the table that Ben cannot view; empty where there is no such room.
    """

    number: str
    npc: str
    others: int
    sheet: Mapping[str, Any] = field(default_factory=dict[str, Any])
    deck: tuple[int, ...] = ()
    vault: str = ""
    #: The cast of a whisper scene that the room is; empty for a channel that Ben cannot view.
    cast: str = ""
    #: The world of the campaign's file; empty where there is none.
    world: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Ground:
    """A system to play by: its key, everybody's sheets, with which abilities they try things, and
    against which number where that is told; `more` are commands that players have besides, with
    what they say, `led` those of the GM, of whom `begins` are done first, and how `often` these are
    said. `agreed` is what the table plays by whatever chance says.

    Where it is what somebody holds that is hidden, that is the `holder`, who never does anything
    with what is `named`.
    """

    key: str
    sheets: Callable[[Hidden], Mapping[str, Mapping[str, Any]]]
    skills: tuple[str, ...]
    told: str
    more: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    led: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    begins: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    agreed: Mapping[str, Any] = field(default_factory=dict[str, Any])
    often: int = 10
    holder: str = ""
    named: tuple[str, ...] = ()


def _ebb(hidden: Hidden) -> Mapping[str, Mapping[str, Any]]:
    names = {"Marek": {}, "Ilka": {}, hidden.npc: hidden.sheet}
    return {name: ebb_character(name, **more) for name, more in names.items()}


def _barmore(hidden: Hidden) -> Mapping[str, Mapping[str, Any]]:
    return {"Marek": MAREK, "Ilka": ILKA, hidden.npc: {"name": hidden.npc, **hidden.sheet}}


def _ego(hidden: Hidden) -> Mapping[str, Mapping[str, Any]]:
    names = {"Marek": {}, "Ilka": {}, hidden.npc: hidden.sheet}
    return {name: ego_character(name, **more) for name, more in names.items()}


def _masterbook(hidden: Hidden) -> Mapping[str, Mapping[str, Any]]:
    names = {"Marek": {}, "Ilka": {}, hidden.npc: hidden.sheet}
    return {name: masterbook_character(name, **more) for name, more in names.items()}


EBB: Final = Ground("ebb", _ebb, ("Climbing", "Rifles"), "14")
BARMORE: Final = Ground("barmore", _barmore, ("Boats", "Athletics"), "5")
_HIM: Final = {"target": ALIAS, "approach": "so"}
_CAR, _VAN = {"vehicle": "Sedan"}, {"vehicle": "Van"}
EGO: Final = Ground(
    "ego",
    _ego,
    ("Gun Combat", "Stealth"),
    "2",
    (
        *(("ego use", {"effect": "Energy Blast", "points": each, **_HIM}) for each in (1, 2)),
        ("ego use", {"effect": "Flight", "approach": "so"}),
        *(("ego vehicle move", {**car, "speed": 2}) for car in (_CAR, _VAN)),
        *(("ego vehicle show", each) for each in ({}, _VAN)),
        *(("ego vehicle brake", _CAR), ("ego vehicle damage", {**_VAN, "damage": 3})),
        ("ego vehicle maneuver", {**_CAR, "approach": "so", "difficulty": "2"}),
        *(("ego vehicle emergency", {**_CAR, "what": each}) for each in ("stop", "brake")),
        *(("heal", {"method": "treat", "target": each}) for each in ("Marek", ALIAS)),
    ),
    (
        ("ego vehicle add", {"kind": "Sedan", "pilot": "Marek", "aboard": "Ilka"}),
        ("ego vehicle add", {"kind": "Van", "pilot": "{npc}"}),
        ("ego vehicle collide", {**_CAR, "object": 12}),
        *(("ego vehicle damage", {**car, "damage": 4}) for car in (_CAR, _VAN)),
        *(
            ("ego vehicle repair", {**_CAR, "points": 2}),
            ("ego vehicle board", {**_VAN, "pilot": "{npc}"}),
        ),
        ("ego use", {"as": "{npc}", "effect": "Flight", "approach": "looms"}),
    ),
    often=20,
)
MASTERBOOK: Final = Ground(
    "masterbook",
    _masterbook,
    ("Stealth", "Dodge", "Taunt"),
    "2",
    (
        *(("attack", {**_HIM, "weapon": weapon}) for weapon in ("Knife", "Fragmentation grenade")),
        *(
            ("attack", {**_HIM, "weapon": "Colt", "with": f"range: 12, {how}"})
            for how in ("head", "aim")
        ),
        *(
            ("mb interact", {**_HIM, "skill": skill})
            for skill in ("Taunt", "Trick", "Intimidation")
        ),
        ("mb study", {"skill": "Dodge", "teacher": ALIAS}),
        *(("heal", {"target": each, "method": "wounds"}) for each in (ALIAS, "Marek")),
        *(
            ("heal", {"target": ALIAS, "method": each})
            for each in ("shock", "bleeding", "medicine")
        ),
        *(("mb move", {"how": how}) for how in ("running", "climbing")),
        ("mb fall", {"meters": 9}),
        *(("mb odds", {"value": 12, "dn": "8"}), ("mb skill", {"name": "Taunt"})),
        ("mb declare", {"actions": 2}),
    ),
)

_AT_MAREK: Final = {"as": "{npc}", "target": "Marek", "with": "meters 3", "visibility": "public"}
#: What the NPC casts is the GMs': figures, effect value, and whether it is real.
EFFECTS: Final = Ground(
    "masterbook",
    _masterbook,
    ("Stealth", "Dodge"),
    "2",
    (
        *(("effect running", {}), ("effect list", {}), ("character show", {})),
        *(("effect steer", {"effect": each, "do": "off"}) for each in ("Haze", "Torpor")),
        *(("effect show", {"effect": each}) for each in ("Haze", "Illusionary Fireball")),
        ("effect use", {"charge": "Torpor", "target": "Ilka"}),
    ),
    (
        *(("effect cast", {**_AT_MAREK, "effect": each}) for each in ("Haze", "Torpor")),
        ("effect cast", {"as": "{npc}", "effect": "Rod", "with": "into a rod"}),
        ("effect use", {**_AT_MAREK, "charge": "Rod"}),
        *(("effect running", {}), ("gm time", {"advance": "1 minute"})),
    ),
    often=100,
)

#: Ilka's hands: no name is in both.
HANDS: Final = ((61, 44, 16), (56, 35, 74))
_HELD: Final = ("Hero", "Action", "Leadership")
CARDS: Final = Ground(
    "masterbook",
    _masterbook,
    ("Stealth", "Dodge"),
    "2",
    (
        *(("card play", {"card": each}) for each in _HELD),
        *(("card discard", {"card": each}) for each in _HELD),
        *(("mb card pool", {"card": each}) for each in (*_HELD, "Drama")),
        *(("mb card trade", {"cards": each, "to": "Ilka"}) for each in (*_HELD, "Drama", "Effect")),
        *(("mb card trade", {"cards": each, "to": "Marek"}) for each in ("Drama", "Effect")),
        ("mb card play", {"card": "Leadership", "gifts": "Hero", "to": "Ilka"}),
        *(("card hand", {}), ("draw-card", {}), ("table last", {}), ("moves", {})),
        *(("deck info", {}),) * 3,
        *(("check", {"skill": "Stealth", "approach": "so", "difficulty": "Average"}),) * 3,
        *(
            ("attack", {**_HIM, "weapon": "Knife"}),
            ("attack", {"target": "Ilka", "approach": "so"}),
        ),
        *(("mb interact", {**_HIM, "skill": "Taunt"}), ("initiative join", {})),
    ),
    (
        *(
            ("initiative start", {}),
            ("initiative next", {}),
            ("initiative next", {}),
            ("initiative next", {}),
        ),
        *(("mb adventure scene", {"what": each}) for each in ("start", "end")),
        *(("mb card seat", {"how": "bonus", "character": each}) for each in ("Marek", "Ilka")),
        *(
            ("mb card approve", {"target": "Ilka"}),
            ("mb deck peek", {"number": 3}),
            ("mb deck fiat", {}),
        ),
        ("mb adventure act", {"what": "end"}),
    ),
    (("mb adventure start", {"name": "The Dam"}),),
    {"cards_mode": "full", "exceptional_roleplaying_card": True},
    80,
    "ben",
    ("Rally", "Idea", "Claim", "Presence", "Haste", "Supporter"),
)


def dealt(hand: tuple[int, ...]) -> tuple[int, ...]:
    """The deck with Marek's hand and this one of Ilka's on top; below no card by which a GM takes
    others away.
    """
    robs = {*range(5, 107, 13), *(23, 24, 47, 48, 71, 72, 95, 96)}
    hands = {each for mine in HANDS for each in mine}
    first = (39, 1, 48, *hand)
    later = [each for each in range(1, 107) if each not in robs | hands and each not in first]
    random.Random("deck").shuffle(later)
    return (*first, *later)


# --- dice that fall alike -------------------------------------------------------------------------


class _Stream:
    def __init__(self, dice: random.Random) -> None:
        self._dice, self.drawn = dice, 0

    def below(self, n: int, /) -> int:
        self.drawn += 1
        return self._dice.randrange(n)


class _Shuffle(_Stream):
    """The first shuffle lays the cards as they are wanted."""

    def __init__(self, dice: random.Random, faces: list[int]) -> None:
        super().__init__(dice)
        self._faces = faces

    def below(self, n: int, /) -> int:
        if not self._faces:
            return super().below(n)
        self.drawn += 1
        return self._faces.pop(0) - 1


class _Streams:
    def __init__(
        self,
        seed: int,
        public: random.Random,
        secret: random.Random,
        shuffle: list[int],
        keyed: KeyedStreams,
    ) -> None:
        self.public, self.secret = _Stream(public), _Stream(secret)
        self.shuffle = _Shuffle(secret, shuffle)
        self.sealed, self._seed = keyed.sealed, seed

    def tag(self, number: int, /) -> str:
        """The same for the same number: of two waits that end together the one of the lower id
        comes first.
        """
        return "".join(
            random.Random(f"{self._seed}:{number}").choices("23456789abcdefghjkmnpqrstuvwxyz", k=8)
        )

    @property
    def hidden(self) -> int:
        return self.secret.drawn + self.shuffle.drawn

    @property
    def drawn(self) -> int:
        return self.public.drawn + self.hidden


# --- what is the same -----------------------------------------------------------------------------


class _Plain:
    """Texts without what is new in every run: ids, drafts, seeds' fingerprints."""

    def __init__(self) -> None:
        self._seen: dict[str, str] = {}

    def __call__(self, text: str) -> str:
        text = re.sub(r"[0-9a-f]{64}", "HEX", text)
        text = re.sub(r"(sg:fmm?:[a-z]+:)[A-Za-z0-9_\-]{8}", r"\1DRAFT", text)
        text = re.sub(r'"nonce": "[^"]*"', "NONCE", text)
        return re.sub(r"\b[kp][2-9a-hjkmnp-z]{8}\b|\d{15,}", self._numbered, text)

    def _numbered(self, found: re.Match[str]) -> str:
        return self._seen.setdefault(found[0], f"ID{len(self._seen)}")


@dataclass(frozen=True)
class Seen:
    """What one run showed: to each player what reached them, and what stands for them in events and
    in exports.
    """

    reached: Mapping[str, list[str]]
    events: Mapping[str, list[str]]
    files: list[str]
    faults: list[str]


#: What the panels of whoever holds hidden cards offer whatever these are.
_ALIKE: Final = ("Pass", "Roll", "React", "Accept result")

# --- the play -------------------------------------------------------------------------------------


class Play:
    """Random play by two players and their GM; the same seed does the same."""

    def __init__(self, world: World, ground: Ground, hidden: Hidden, seed: int) -> None:
        self._world, self._ground, self._hidden = world, ground, hidden
        self._chance = random.Random(seed)
        self._room = self._chance.random() < 0.5
        self._private: dict[int, list[Any]] = {world.ana.id: [], world.ben.id: []}
        self._npc, self._number = "", hidden.number
        self._files: list[str] = []
        self._vault: ChannelHandle | None = None

    async def run(self, steps: int) -> Seen:
        await self._begin()
        for _ in range(steps):
            await self._step()
        assert self._ground.holder == "" or self._hidden.deck
        for gm_file in ({"what": "players"}, {"what": "players", "journal": True}):
            await self._kept(await self._slash(self._world.gina, "gm export", **gm_file))
        await self._world.env.settle()
        players = {"ana": self._world.ana, "ben": self._world.ben}
        players.pop(self._ground.holder, None)
        if self._vault is not None:
            players.pop("ana")
        plain = _Plain()
        return Seen(
            {name: self._reached(who) for name, who in players.items()},
            {name: await self._events(who) for name, who in players.items()},
            [plain(text) for text in self._files],
            [repr(each) for each in self._world.env._errors],
        )

    async def _begin(self) -> None:
        world, hidden = self._world, self._hidden
        await world.setup(gm_channel=self._room, system=self._ground.key)
        for (name, sheet), who in zip(
            self._ground.sheets(hidden).items(), (world.ana, world.ben, world.gina), strict=True
        ):
            own: dict[str, Any] = {"npc": True} if who is world.gina else {}
            if self._ground.key == "masterbook":
                own["grown"] = True  # numbers beyond those that a new character can buy
            consequences = await world.hand_in(
                who, "sheet.json", json.dumps({**sheet, "name": name}), **own
            )
            assert name in texts(consequences.response), "everybody is at the table"
        await world.gina.slash(world.zone, "gm npc alias", npc=hidden.npc, alias=ALIAS)
        await world.gina.slash(world.zone, "gm npc reveal", npc=hidden.npc, stage="aliased")
        await world.gina.slash(world.zone, "gm npc add", name="Xil", count=hidden.others)
        if hidden.world:
            text = json.dumps({"world": hidden.world}).encode()
            await self._slash(world.gina, "gm campaign", file=("world.json", text))
        agreed = {**self._agreed(), **self._ground.agreed}
        await self._agree(agreed)
        for command, options in self._ground.begins:
            await self._slash(world.gina, command, **options)
        if hidden.cast:
            scene = {"title": hidden.vault, "private": True, "who": hidden.cast}
            await self._slash(world.gina, "scene start", **scene)
            await world.env.settle()
            self._vault = world.zone.threads[-1]
        elif hidden.vault:
            self._vault = secret_room(world.env, world.guild, "vault", world.gina, world.ana)
            await self._slash(world.gina, "gm bind", channel=self._vault)
        if self._vault is not None:
            await self._slash(world.gina, "initiative start", self._vault)
        if agreed["reveal"] != "verdict":
            self._number = self._ground.told  # it is told, or how far from it one was
        self._npc = next(
            each.id for each in (await world.state()).characters.values() if each.name == hidden.npc
        )

    def _agreed(self) -> dict[str, Any]:
        """Every setting of the table and its rules, at random; most often the number stays
        hidden.
        """
        chance, found = self._chance, dict[str, Any]()
        for each in settings_form(SYSTEMS[self._ground.key]).fields:
            if isinstance(each, Flag):
                value: Any = chance.random() < 0.5
            elif isinstance(each, Number):
                value = chance.choice((0, HOUR, DAY)) // SETTING_UNITS.get(each.key, 1)
                value = min(value, each.high)
            elif isinstance(each, Pick) and not callable(each.choices):
                usual = {"reveal": ("verdict",) * 4}.get(each.key, ())
                value = chance.choice([*usual, *[option.value for option in each.choices]])
            else:
                value = chance.choice(("The Rim", "Elsewhere"))
            found[SETTING_OPTIONS.get(each.key, each.key)] = value
        return found

    async def _agree(self, agreed: Mapping[str, Any]) -> None:
        """Settings that have no option of their own go by name."""
        found = next(each for each in commands(self._world) if each.qualified_name == "gm settings")
        own = {each.display_name for each in found.parameters}
        named = {key: value for key, value in agreed.items() if key in own}
        await self._world.gina.slash(self._world.zone, "gm settings", **named)
        for key, value in agreed.items():
            if key not in own:
                said = ("off", "on")[value] if isinstance(value, bool) else str(value)
                await self._slash(self._world.gina, "gm settings", setting=key, value=said)

    async def _slash(
        self, who: Any, command: str, room: ChannelHandle | None = None, /, **options: Any
    ) -> Any:
        with suppress(*_REFUSED):
            result = await who.slash(room or self._world.zone, command, **options)
            self._hold(who, result)
            return result
        return None

    def _hold(self, who: Any, result: Any) -> None:
        if who.id in self._private and result.response is not None:
            self._private[who.id] += [result.response, *result.followups]

    def _holds(self, who: Any) -> bool:
        """Whether what this player holds is what is hidden."""
        return who.name == self._ground.holder

    async def _kept(self, result: Any) -> None:
        if result is not None and result.response is not None:
            for each in result.response.attachments:
                self._files.append((await each.read()).decode("utf-8", "replace"))

    async def _step(self) -> None:
        world, chance = self._world, self._chance
        who, gina = chance.choice((world.ana, world.ben)), world.gina
        skill, seen = (
            chance.choice(self._ground.skills),
            chance.choice(("public", "public", "private", "blind")),
        )
        number = {"difficulty": self._number}
        deeds: tuple[tuple[int, Callable[[], Any]], ...] = (
            (13, lambda: self._slash(who, "check", skill=skill, approach="so", visibility=seen)),
            (5, lambda: self._slash(who, "attack", target=ALIAS, skill=skill, approach="so")),
            (4, lambda: self._slash(who, "contest", target=ALIAS, skill=skill, approach="so")),
            (6, self._loom),
            (20, self._rule),
            (26, lambda: self._press(who)),
            (3, lambda: self._slash(gina, "gm roll", **{"as": self._npc, "note": "x"}, **number)),
            (
                self._ground.often * bool(self._ground.more),
                lambda: self._do_more(who, self._ground.more),
            ),
            (
                self._ground.often * bool(self._ground.led),
                lambda: self._do_more(gina, self._ground.led),
            ),
            (2, lambda: self._slash(gina, "roll", dice="1d20", visibility="private", reason="x")),
            (
                2,
                lambda: self._slash(
                    who, "roll", dice="2d6", visibility=chance.choice(("public", "blind"))
                ),
            ),
            (12, lambda: self._look(who)),
            (2, lambda: world.env.advance_time(chance.choice((HOUR, DAY)))),
            (1, lambda: self._slash(gina, "gm undo")),
            (1, lambda: self._slash(who, "table undo")),
            (1, lambda: self._slash(gina, f"initiative {chance.choice(('start', 'next', 'end'))}")),
            (1, lambda: self._slash(gina, "initiative add", name=self._npc, score=3)),
            (1, lambda: self._slash(who, "initiative join")),
            (40 * (self._vault is not None), self._act_in_vault),
        )
        (deed,) = chance.choices([each for _, each in deeds], [weight for weight, _ in deeds])
        await deed()

    async def _act_in_vault(self) -> None:
        """Ana does something where Ben cannot see it."""
        words, skill = self._hidden.vault, self._chance.choice(self._ground.skills)
        command, options = self._chance.choice(
            (
                *(("check", {"skill": skill, "approach": words}),) * 3,
                ("attack", {"target": ALIAS, "skill": skill, "approach": words}),
                ("contest", {"target": ALIAS, "skill": skill, "approach": words}),
                *(("roll", {"dice": "2d6", "reason": words}),) * 2,
                ("roll", {"dice": f"1d6 [{words}]"}),
                ("initiative join", {}),
                *((("say", {"text": words}),) * bool(self._hidden.cast)),
                *self._ground.more,
            )
        )
        if "approach" in options:
            options = {**options, "approach": words}
        await self._slash(self._world.ana, command, self._vault, **options)

    async def _do_more(self, who: Any, more: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        command, options = self._chance.choice(more)
        given = {key: self._npc if value == "{npc}" else value for key, value in options.items()}
        await self._slash(who, command, **given)

    async def _loom(self) -> None:
        """The alias does something to a player's character: against a number that is hidden at
        once, or later.
        """
        chance = self._chance
        command, target = chance.choice(("attack", "contest")), chance.choice(("Marek", "Ilka"))
        more = {"difficulty": self._number, "with": "hidden"} if chance.random() < 0.5 else {}
        given = {"as": self._npc, "target": target, "approach": "looms", **more}
        result = await self._slash(self._world.gina, command, **given)
        panel = None if result is None else result.response
        if panel is not None and any(
            each.get("custom_id", "").endswith(":s") for each in controls(panel)
        ):
            await self._answer(panel)

    async def _rule(self) -> None:
        world = self._world
        rooms = [world.zone, *[world.gm_room] * self._room]
        rooms += [] if self._vault is None else [self._vault]
        found = [
            each for room in rooms for each in world.messages(room) if "Answer" in labels(each)
        ]
        if found:
            with suppress(*_REFUSED):
                panel = (await world.press(world.gina, found[-1], "Answer")).response
                if panel is not None:
                    await self._answer(panel)

    async def _answer(self, panel: Any) -> None:
        """Call for a roll, against the hidden number."""
        gina = self._world.gina
        write = next(
            (each for each in controls(panel) if each.get("label") in ("Write…", "Number…")), None
        )
        if write is not None:
            dialog = await gina.click(panel, custom_id=write["custom_id"])
            if dialog.modal:
                keys = [row["component"]["custom_id"] for row in dialog.modal["components"]]
                typed = {key: self._number if key == "difficulty" else "" for key in keys}
                panel = (await gina.submit_modal(dialog, typed)).response or panel
        menu = None
        for _ in range(6):
            menu = next(
                (each for each in controls(panel) if each.get("custom_id", "").endswith(":s")), None
            )
            turns = (each for each in controls(panel) if each.get("custom_id", "").endswith(":p"))
            more = next(turns, None)
            if menu or more is None:
                break
            await gina.click(panel, custom_id=more["custom_id"])
        if menu and "hidden" in [each["value"] for each in menu["options"]]:
            await gina.select(panel, ["hidden"], custom_id=menu["custom_id"])
        sends = [
            each
            for each in controls(panel)
            if ":b:" in each["custom_id"] and not each.get("disabled")
        ]
        sends.sort(key=lambda each: each.get("label") != "Call for a roll")
        if sends:
            await gina.click(panel, custom_id=sends[0]["custom_id"])

    async def _press(self, who: Any) -> None:
        """Anything that can be pressed, in public or on somebody's private panels."""
        chance = self._chance
        messages = [*self._world.messages()[-8:], *self._private[who.id][-4:]]
        if self._vault is not None and who is self._world.ana:
            messages += self._world.messages(self._vault)[-8:]
        found = [
            (each, one) for each in messages for one in controls(each) if not one.get("disabled")
        ]
        if self._holds(who):
            # On their own panels nothing that goes by which cards these are.
            public = {each.id for each in self._world.messages()}
            found = [
                each for each in found if each[0].id in public or each[1].get("label") in _ALIKE
            ]
        if not found:
            return
        message, pressed = chance.choice(found)
        with suppress(*_REFUSED):
            if pressed.get("options"):
                value = chance.choice(pressed["options"])["value"]
                result = await who.select(message, [value], custom_id=pressed["custom_id"])
            elif "label" in pressed:
                result = await who.click(message, custom_id=pressed["custom_id"])
            else:
                return
            self._hold(who, result)
            if result.modal is not None:
                keys = [row["component"]["custom_id"] for row in result.modal["components"]]
                typed = {key: chance.choice(("aloud", "5", "")) for key in keys}
                self._hold(who, await who.submit_modal(result, typed))

    async def _look(self, who: Any) -> None:
        world, chance = self._world, self._chance
        checks = (await world.state()).checks.values()
        name = chance.choice(
            [each.id for each in checks if each.visibility == "public" and not each.gm_only]
            or ["c1"]
        )
        entry = chance.randint(1, max(1, await world.revision()))
        command, options = chance.choice(
            (
                *(("moves", {}), ("table show", {}), ("table last", {}), ("character list", {})),
                *(("initiative show", {}), ("orders list", {}), ("privacy export", {})),
                *(("odds", {"check": name}), ("odds", {"skill": self._ground.skills[0]})),
                *(("spend", {"check": name}), ("character show", {"character": ALIAS})),
                *(("table fair show", {"entry": entry}), ("table waiting", {})),
            )
        )
        result = await self._slash(who, command, **options)
        theirs = self._vault is not None and who is self._world.ana
        if command == "privacy export" and not self._holds(who) and not theirs:
            await self._kept(result)
        for of, option in (
            *(("check", "as"), ("attack", "target"), ("odds", "check"), ("spend", "what")),
            *(("character show", "character"), ("initiative remove", "name"), ("check", "with")),
        ):
            if chance.random() < 0.3:
                with suppress(*_REFUSED):
                    await who.autocomplete(world.zone, of, option, chance.choice(("", "x", "c")))

    # --- what it showed ---------------------------------------------------------------------------

    def _reached(self, who: Any) -> list[str]:
        """Everything that was sent and that somebody could read: messages, ids of what can be
        pressed, completions.

        What was taken away comes last: that waits for nothing, and nothing for it.
        """
        world, plain, found = self._world, _Plain(), list[str]()
        for request in sorted(world.env.http_requests, key=lambda each: each.method == "DELETE"):
            pieces = request.path.strip("/").split("/")
            if isinstance(request.json, dict):
                if not world.reaches(who, request):
                    continue
            elif not (
                pieces[0] == "channels"
                and request.method in ("DELETE", "PUT")
                and world.may_read(who, int(pieces[1]))
            ):
                continue
            path = re.sub(r"/(webhooks|interactions)/.*", r"/\1/…", request.path)
            said = json.dumps(request.json, ensure_ascii=False, sort_keys=True)
            found.append(plain(f"{request.method} {path} {said}"))
        return found

    async def _events(self, who: Any) -> list[str]:
        """What the journal holds for somebody."""
        world, plain = self._world, _Plain()
        table = await world.bot.tables.get(1)
        actor = Actor(table.directory.ensure_participant(str(who.id), who.name))
        guild = world.bot.get_guild(world.guild.id)
        assert guild is not None
        views = world.bot.interactions.views_of(await guild.fetch_member(who.id))
        reader = world.bot.interactions.plain_reader(table, actor, views)
        rows = await world.bot.tables.store.entries(1)
        told: list[str] = []
        for row, _ in rows:
            told.append(
                plain(
                    codec.events_text(await reader.shown_events(row, codec.read_events(row.events)))
                )
            )
        return told


class Doubts(Play):
    """A play in which both players doubt what an NPC casts, and see through none of it."""

    #: What the GM adds to the difficulty of an illusion, so that no dice reach it.
    _PLAUSIBLE: Final = "20"

    async def run(self, steps: int) -> Seen:
        self._room = True
        return await super().run(steps)

    async def _step(self) -> None:
        world, name = self._world, self._chance.choice(("Haze", "Torpor"))
        await self._do_more(world.gina, (("effect cast", {**_AT_MAREK, "effect": name}),))
        for who in (world.ana, world.ben):
            await self._slash(who, "effect disbelieve", effect=name)
            await self._look(who)
            await self._weigh()
            await world.env.advance_time(2 * DAY)
            await self._press(who)
            await self._look(who)

    async def _weigh(self) -> None:
        """Answer the newest doubt, of an illusion as of what is real."""
        world, label = self._world, "GM: how plausible is it?"
        asked = [each for each in world.messages(world.gm_room) if label in labels(each)]
        if not asked:
            return
        panel = (await world.press(world.gina, asked[-1], label)).response
        choice = next(each for each in labels(panel) if each != "Pass")
        panel = (await world.press(world.gina, panel, choice)).response
        dialog = await world.press(world.gina, panel, "Number…")
        assert dialog.modal is not None, "the GM says a number"
        (row,) = dialog.modal["components"]
        typed = {row["component"]["custom_id"]: self._PLAUSIBLE}
        panel = (await world.gina.submit_modal(dialog, typed)).response or panel
        await world.press(world.gina, panel, labels(panel)[0])


async def shown(
    folder: Path,
    patch: pytest.MonkeyPatch,
    ground: Ground,
    hidden: Hidden,
    seed: int,
    steps: int,
    play: type[Play] = Play,
) -> Seen:
    """One run, on a simulated Discord of its own."""
    path = folder / "storyguide.db"
    env = Env(make_bot(path), check_errors=False)
    await env.start()
    try:
        env.settle_timeout = 30.0
        with env.time_context():
            # SimCord's clock goes on with each timer that ends by itself: how many end while
            # something is under way is the machine's affair, and would show in times that are told.
            patch.setattr("bot.delivery.delivery_log.FLUSH_DELAY", 0)
            patch.setattr("bot.delivery.response.DEFER_AFTER", env.settle_timeout)
            dice = (
                random.Random(seed),
                random.Random(-seed),
                order(*hidden.deck) if hidden.deck else [],
            )
            patch.setattr(
                "bot.services.resolution.KeyedStreams",
                lambda public, secret, key, closed: _Streams(
                    seed, *dice, KeyedStreams(public, secret, key, closed)
                ),
            )
            return await play(build_world(env, path), ground, hidden, seed).run(steps)
    finally:
        await env.shutdown()
        await close_bots()
