"""Steps of players and the GM in a week by post; tests look at what comes of them."""

from __future__ import annotations

from typing import Any, Final

from simcord.actors import MemberActor
from simcord.builders import ChannelHandle

from tests.discord.test_gm_call import CLIMB, SEAL
from tests.discord.test_speech import DELETE, EDIT, WHO
from tests.discord.week_table import Week, is_spoken
from tests.discord.world import message_of, private

FERRY: Final = "The ferry"


async def open_ferry(week: Week) -> ChannelHandle:
    """Gina begins a scene with Vesna and Tam; return its thread."""
    world = week.world
    options = {"title": FERRY, "who": "Vesna, Tam", "where": "thread"}
    private(await world.gina.slash(world.zone, "scene start", **options))
    await world.env.settle()
    (thread,) = world.zone.threads
    return thread


async def say(week: Week, who: MemberActor, place: ChannelHandle, text: str) -> None:
    """Speak as a character: by `/post` if the text has paragraphs, else by `/say`."""
    if "\n" in text:
        dialog = await who.slash(place, "post")
        await who.submit_modal(dialog, {"text": text})
    else:
        private(await who.slash(place, "say", text=text))
    await week.world.env.settle()


async def edit_words(week: Week, who: MemberActor, message: Any, text: str) -> None:
    """Edit what a character said, from the menu of its message."""
    dialog = await _press_below_speaker(week, who, message, EDIT)
    await who.submit_modal(dialog, {"text": text})
    await week.world.env.settle()


async def delete_words(week: Week, who: MemberActor, message: Any) -> None:
    """Delete what a character said, from the menu of its message."""
    await _press_below_speaker(week, who, message, DELETE)
    await week.world.env.settle()


async def _press_below_speaker(week: Week, who: MemberActor, message: Any, label: str) -> Any:
    place = next(room for room in week.rooms().values() if room.id == message.channel.id)
    answer = await who.context_menu(place, WHO, message)
    return await week.world.press(who, message_of(answer), label)


def spoken_messages(week: Week, place: ChannelHandle) -> list[Any]:
    """Return the messages in which characters speak, oldest first."""
    return [message for message in week.world.messages(place) if is_spoken(message)]


async def begin_fight(week: Week) -> None:
    """All four characters enter initiative, and the first round begins."""
    world, zone = week.world, week.world.zone
    await world.gina.slash(zone, "initiative start")
    for player in (world.ana, world.ben, week.cleo, week.dan):
        await player.slash(zone, "initiative join")
    await world.gina.slash(zone, "initiative next")


async def call_everybody(week: Week, until: str) -> None:
    """Gina calls for a roll of all four, with a sealed text."""
    options = {"seal": SEAL, "until": until, "text": "Something drips."}
    private(await week.world.gina.slash(week.world.zone, "gm call", **CLIMB, **options))


async def roll_in_call(week: Week, who: MemberActor, *faces: int) -> str:
    """Roll for one's character in the newest call; return the private answer."""
    week.world.dice.lay(*faces)
    return private(await week.world.press(who, week.world.newest("Roll"), "Roll"))


async def amend(week: Week, entry: int, difficulty: int) -> str:
    """Gina corrects the difficulty of her answer; return what the preview says."""
    world = week.world
    change = {"entry": entry, "change": f"difficulty: {difficulty}"}
    preview = await world.gina.slash(world.zone, "gm amend", **change)
    text = private(preview)
    await world.press(world.gina, message_of(preview), "Change it")
    return text
