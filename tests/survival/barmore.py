"""What people do at a table of Barmore's dice pool: each kind of deed alone, and everything at
random.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Message, User, walk
from tests.sample_table import barmore_character
from tests.survival.edge_of_process import SHARED, Rim, has_button, is_menu

Act = Callable[[], Interaction]
BOATS = {
    "skill": "Boats",
    "attribute": "Muscle Power",
    "approach": "pull her in",
    "difficulty": "15",
}
TASK = {
    "name": "Mend the hull",
    "difficulty": "10",
    "required": 40,
    "every": "1 hour",
    "skill": "Boats",
}
#: What the GM refuses of what a player would set in the place of another trait.
REFUSAL = "disallow: ability"
#: The menu of all that has no menu of its own.
MORE = SHARED


async def bar_table(rim: Rim, *, gm_room: bool = True) -> Channel:
    """A new channel with a table, Ana's Marek and Ben's Ilka."""
    room: dict[str, Any] = {"gm_channel": rim.gm_room} if gm_room else {}
    abilities = {"Boats": 4, "Athletics": 2, "Knives": 2, "First Aid": 3}
    sheets = {name: barmore_character(name, abilities=abilities) for name in ("Marek", "Ilka")}
    return await rim.begin("barmore", sheets, **room)


async def add_sidor(rim: Rim, place: Channel) -> None:
    """An NPC of Gina's, of whom no scores are known: what never rolls."""
    await rim.do(rim.gina, place, "gm npc add", name="Sidor")
    await rim.do(rim.gina, place, "gm npc reveal", npc="Sidor")


# --- one deed, only to be done --------------------------------------------------------------------


async def _answered(rim: Rim, place: Channel) -> None:
    panel = await rim.panel(rim.gina, place, "Answer")
    await rim.click(rim.gina, panel, "Call for a roll")
    await rim.settled()


async def helping(rim: Rim, place: Channel) -> Act:
    """Ben is about to join a team of Ana's."""
    await rim.do(rim.ana, place, "barmore team start", mode="combining dice", **BOATS)
    panel = await rim.panel(rim.ben, place, "Join")
    panel = await rim.choose(rim.ben, panel, "Skill", "Athletics")
    return lambda: rim.press(rim.ben, panel, "Join")


async def opposing(rim: Rim, place: Channel) -> Act:
    """Ben is about to lock in his side of a contest with Ana, die and conversion included."""
    idea = {"skill": "Boats", "approach": "row faster", "with_": "die: d12-2, convert: 1"}
    await rim.do(rim.ana, place, "contest", target="Ilka", **idea)
    await _answered(rim, place)
    panel = await rim.panel(rim.ben, place, "Respond")
    panel = await rim.choose(rim.ben, panel, "Skill", "Athletics")
    panel = await rim.choose(rim.ben, panel, "Die", "d4+2")
    return lambda: rim.press(rim.ben, panel, "Respond")


async def working(rim: Rim, place: Channel) -> Act:
    """Ana is about to roll for a complex action."""
    await rim.do(rim.gina, place, "barmore task start", who="Marek", **TASK)
    await rim.settled()
    panel = await rim.panel(rim.ana, place, "Roll on")
    return lambda: rim.press(rim.ana, panel, "Roll d8")


async def beginning(rim: Rim, place: Channel) -> Act:
    """Ana is about to begin something on a timeline."""
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.do(rim.gina, place, "initiative next")
    await rim.settled()
    return lambda: rim.emit(rim.ana, place, "barmore act", action="climbs out", cost="3")


async def striking(rim: Rim, place: Channel) -> Act:
    """Ana is about to roll an attack, which leaves a Wound at once if it succeeds."""
    await add_sidor(rim, place)
    await rim.do(
        rim.ana, place, "attack", target="Sidor", weapon="Boathook", **{**BOATS, "difficulty": "5"}
    )
    await _answered(rim, place)
    panel = await rim.panel(rim.ana, place, "Roll")
    return lambda: rim.press(rim.ana, panel, "Roll d8")


async def healing(rim: Rim, place: Channel) -> Act:
    """Gina is about to let time pass that heals a Wound."""
    await rim.do(
        rim.gina, place, "gm adjust", character="Ilka", what="new wound", value="physical 2"
    )
    return lambda: rim.emit(rim.gina, place, "gm time", advance="400 days")


async def justifying(rim: Rim, place: Channel) -> Act:
    """Gina has refused what Ana's Marek would set in the place of another trait, and is about to
    answer.
    """
    await rim.do(rim.ana, place, "check", **{**BOATS, "skill": "Blades"})
    panel = await rim.panel(rim.gina, place, "Answer")
    panel = await rim.choose(rim.gina, panel, MORE, REFUSAL)
    return lambda: rim.press(rim.gina, panel, "Call for a roll")


async def choosing(rim: Rim, place: Channel) -> Act:
    """Ana is about to take another die."""
    await rim.do(rim.ana, place, "check", **BOATS)
    await _answered(rim, place)
    panel = await rim.panel(rim.ana, place, "Roll")
    panel = await rim.choose(rim.ana, panel, "Die", "d12-2")
    return lambda: rim.press(rim.ana, panel, "Keep the die, roll later")


async def rolls(rim: Rim, place: Channel) -> None:
    panel = await rim.panel(rim.ana, place, "Roll")
    await rim.click(rim.ana, panel, "Roll d8")


async def rolls_with_it(rim: Rim, place: Channel) -> None:
    """The die that was chosen is the one that rolls."""
    panel = await rim.panel(rim.ana, place, "Roll")
    await rim.click(rim.ana, panel, "Roll d12-2")


async def rolls_against(rim: Rim, place: Channel) -> None:
    """The last side has answered, and the dice of both have fallen."""
    await rim.settled()
    (result,) = (
        text for message in rim.said(place) for text in message.texts() if "Marek: 5d12" in text
    )
    assert "Ilka: 3d4" in result
    assert not any(has_button(message, "Roll") for message in rim.said(place))


async def refused_justification(rim: Rim, place: Channel) -> None:
    """The justification is refused still, so that there is no help of it in the pool."""
    await rim.settled()
    said = "\n".join(text for message in rim.said(place) for text in message.texts())
    assert said.count("nothing stands in for Blades") == 1
    await rolls(rim, place)


async def works_on(rim: Rim, place: Channel) -> None:
    """One roll was made, not two."""
    shown = await rim.do(rim.ben, place, "barmore task show")
    assert shown.response is not None
    assert "1 roll so far" in "\n".join(shown.response.texts()), shown.response.texts()


async def is_done(rim: Rim, place: Channel) -> None:
    """There is one board, and it shows what was begun."""
    (board,) = (message for message in rim.said(place) if has_button(message, "Join"))
    assert "climbs out" in "\n".join(board.texts())


async def answers(rim: Rim, place: Channel) -> None:
    panel = await rim.panel(rim.gina, place, "Answer")
    assert "Ilka" in "\n".join(panel.texts())


async def taken_back(rim: Rim, place: Channel) -> None:
    asked = (await rim.do(rim.gina, place, "gm undo")).response
    assert asked is not None
    if has_button(asked, "Undo it"):
        await rim.click(rim.gina, asked, "Undo it")


Flow = tuple[Callable[[Rim, Channel], Awaitable[Act]], Callable[[Rim, Channel], Awaitable[object]]]
FLOWS: dict[str, Flow] = {
    "help": (helping, answers),
    "contest": (opposing, rolls_against),
    "task": (working, works_on),
    "phase": (beginning, is_done),
    "wound": (striking, taken_back),
    "healed": (healing, taken_back),
    "justification": (justifying, refused_justification),
    "die": (choosing, rolls_with_it),
}


def usable(message: Message) -> list[str]:
    """The buttons of a message that can be pressed."""
    found = [
        item
        for item in walk(message.components)
        if item.get("type") == 2 and not item.get("disabled")
    ]
    return [item["label"] for item in found if item.get("label")]


def entries(message: Message, placeholder: str) -> list[str]:
    """What a menu of a message offers; nothing where it has no such menu."""
    menus = (item for item in walk(message.components) if is_menu(item, placeholder))
    return [option["value"] for menu in menus for option in menu.get("options", ())]


# --- everything at random -------------------------------------------------------------------------


class BarPlay:
    """What comes to the minds of Gina, Ana and Ben at a table of Barmore's dice pool."""

    def __init__(
        self, rim: Rim, chance: random.Random, send: Callable[[Interaction], Awaitable[Interaction]]
    ) -> None:
        self._rim = rim
        self._chance = chance
        self._send = send

    async def lead(self, who: User, place: Channel) -> None:
        """Something that a GM does."""
        pick = self._chance.choice
        shows = self._with(place, "Show")
        if shows and self._chance.random() < 0.3:
            await self._show(who, pick(shows))
            return
        waiting = self._with(place, "Answer")
        if waiting and self._chance.random() < 0.6:
            await self._answer(who, pick(waiting))
            return
        npc = {"as_": "Sidor"}
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            (
                "barmore task start",
                {"who": pick(("Marek", "Ilka")), "hidden": pick((True, False)), **TASK},
            ),
            ("gm time", {"advance": pick(("1 day", "90 days"))}),
            (
                "gm adjust",
                {"character": pick(("Marek", "Ilka")), "what": "new wound", "value": "physical 2"},
            ),
            ("initiative start", {}),
            ("initiative next", {}),
            ("initiative add", {"name": "Sidor"}),
            ("barmore act", {"action": "lurks", "cost": "2", **npc}),
            ("attack", {"target": pick(("Marek", "Ilka")), "approach": "from behind", **npc}),
            ("gm undo", {}),
            ("moves", {}),
        )
        command, options = pick(deeds)
        await self._send(self._rim.emit(who, place, command, **options))

    async def _show(self, who: User, message: Message) -> None:
        """What stands behind a stub; a proposal there is answered."""
        shown = await self._press(who, message, "Show")
        if shown is not None and "Answer" in usable(shown):
            await self._answer(who, shown)

    async def _answer(self, who: User, message: Message) -> None:
        panel = await self._press(who, message, "Answer")
        if panel is None or not has_button(panel, "Call for a roll"):
            return
        offered = entries(panel, MORE)
        chosen = [
            entry
            for entry, likely in ((REFUSAL, 0.5), ("hidden", 0.4))
            if entry in offered and self._chance.random() < likely
        ]
        if chosen:
            panel = await self._rim.choose(who, panel, MORE, *chosen)
        if panel is not None:
            labels = [
                label
                for label in ("Call for a roll", "Impossible", "Grant success")
                if label in usable(panel)
            ]
            if labels:
                await self._press(who, panel, self._chance.choice([labels[0], *labels]))

    async def play(self, who: User, place: Channel) -> None:
        """Something that a player does."""
        for label in self._chance.sample(
            ("Roll", "Roll on", "Join", "Respond", "Defend", "React"), 6
        ):
            found = self._with(place, label)
            if found and self._chance.random() < 0.3:
                await self._take(who, self._chance.choice(found), label)
                return
        pick = self._chance.choice
        other = "Ilka" if who is self._rim.ana else "Marek"
        seen = pick(("public", "public", "private", "blind"))
        options = {"with_": pick(("die: d12-2", "die: d6+1", "convert: 1", "no dice"))}
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("check", {**BOATS, **options, "visibility": seen}),
            ("check", {**BOATS, "skill": "Blades", "visibility": seen}),
            ("attack", {**BOATS, "target": "Sidor", "difficulty": "5"}),
            ("attack", {"skill": "Boats", "approach": "low", "target": other}),
            (
                "heal",
                {
                    "method": "treat",
                    "target": other,
                    "skill": "First Aid",
                    "approach": "b",
                    "difficulty": "3",
                },
            ),
            (
                "contest",
                {"target": other, "skill": "Athletics", "approach": "first there", **options},
            ),
            ("barmore team start", {"mode": pick(("simple addition", "either or")), **BOATS}),
            ("barmore team roll", {}),
            ("barmore task roll", {}),
            ("initiative join", {}),
            ("barmore act", {"action": "runs", "cost": pick(("1", "2, 3"))}),
            ("spend", {}),
            ("moves", {}),
        )
        command, options = pick(deeds)
        await self._send(self._rim.emit(who, place, command, **options))

    async def _take(self, who: User, message: Message, label: str) -> None:
        panel = await self._press(who, message, label)
        if panel is None or not panel.ephemeral:
            return
        if (
            label == "Roll"
            and self._chance.random() < 0.3
            and "Keep the die, roll later" in usable(panel)
        ):
            die = self._chance.choice(("d8", "d12-2"))
            panel = await self._rim.choose(who, panel, "Die", die)
            await self._press(who, panel, "Keep the die, roll later")
        elif label in ("Roll", "Join", "Respond", "Defend"):
            for found in [each for each in usable(panel) if each.startswith(label)][:1]:
                await self._press(who, panel, found)
        elif label == "React":
            labels = [each for each in usable(panel) if each != "Withdraw"]
            if labels:
                await self._press(who, panel, self._chance.choice(labels))

    def _with(self, place: Channel, label: str) -> list[Message]:
        return [message for message in self._rim.said(place)[-40:] if has_button(message, label)]

    async def _press(self, who: User, message: Message, label: str) -> Message | None:
        if label not in usable(message):
            raise LookupError(label)
        return (await self._send(self._rim.press(who, message, label))).response
