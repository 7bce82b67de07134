"""Tables for stories: at the table or by post, with a room for the GM, in each of the systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.discord import barmore
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.masterbook.cards.deck import DECK, order
from tests.discord.waiting.story import Counts, Person, Script, Story, StoryError
from tests.discord.world import World, private, texts

#: What a table at the table has set; by post is what nobody has changed.
AT_THE_TABLE: Final[dict[str, Any]] = {
    "live": True,
    "attacks_at_once": True,
    "answer_hours": 1,
    "step_in_minutes": 5,
}
PLAYERS: Final = {"ana": "Vesna", "ben": "Boris", "cleo": "Tilda", "dana": "Zoran", "emil": "Radek"}
RIVERSIDE: Final = {"ana": "Marek", "ben": "Ilka"}
#: Cards on top of the deck: three for each of four players, then the first round's.
CARDS: Final = (39, 44, 56, 5, 16, 30, 61, 62, 63, 64, 65, 66, 14)


@dataclass(frozen=True)
class Cast:
    """A table and the persons at it, by name."""

    world: World
    people: dict[str, Person]
    live: bool

    @property
    def players(self) -> list[Person]:
        """The players, without the GM."""
        return [person for key, person in self.people.items() if key != "gina"]

    async def play(self, first: str, ends: str, **scripts: Script) -> Counts:
        """Play a story that this person begins, by everybody's script.

        StoryError: the last card of a check doesn't say how the story `ends`.
        """
        for name, script in scripts.items():
            self.people[name].script = [*script]
        counts = await Story(self.world, [*self.people.values()]).play(self.people[first])
        if ends and ends not in texts(self.world.card()):
            raise StoryError(f"no {ends!r} in:\n{texts(self.world.card())}")
        return counts


def _cast(world: World, live: bool, names: dict[str, str], *npcs: str) -> Cast:
    people: dict[str, Person] = {}
    for key, name in names.items():
        member = getattr(world, key, None) or world.member(key)
        people[key] = Person(member, (name, key.title()))
    # NPCs are the GM's: what a card asks of one, it asks of Gina.
    people["gina"] = Person(world.gina, ("the GM", "Gina", *npcs))
    return Cast(world, people, live)


async def _set(world: World, live: bool, switches: dict[str, Any], *unknown: str) -> None:
    """Set the pace, without settings that the system doesn't know, and some switches."""
    pace = AT_THE_TABLE if live else {}
    values = {key: value for key, value in (pace | switches).items() if key not in unknown}
    if values:
        private(await world.gina.slash(world.zone, "gm settings", **values))


async def ebb_cast(world: World, live: bool, **switches: Any) -> Cast:
    """Ana's Marek, Ben's Ilka, and Sidor, an NPC with a sheet."""
    await world.table(gm_channel=True)
    await _set(world, live, switches)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    return _cast(world, live, RIVERSIDE, "Sidor")


async def barmore_cast(world: World, live: bool, **switches: Any) -> Cast:
    """Ana's Marek and Ben's Ilka."""
    await barmore.bar_table(world, gm_channel=True)
    await _set(world, live, switches, "step_in_minutes")
    return _cast(world, live, RIVERSIDE)


async def ego_cast(
    world: World, live: bool, karma: Sequence[int] = (5, 5), **switches: Any
) -> Cast:
    """A player for each number of Karma, and an orc."""
    await world.setup(system="ego", gm_channel=True)
    await _set(world, live, switches)
    cast = _cast(world, live, dict([*PLAYERS.items()][: len(karma)]), "Orc")
    for person, points in zip(cast.players, karma, strict=True):
        await ego.bring(world, person.member, person.names[0], ego.FIGHTER | {"karma": points})
    await ego.bring(world, world.gina, "Orc", ego.ORC, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Orc")
    return cast


async def masterbook_cast(
    world: World, live: bool, *, cards: bool = False, **switches: Any
) -> Cast:
    """Four players and a thug; with `cards`, an adventure has begun with three for each player."""
    await world.setup(system="masterbook", gm_channel=True)
    await _set(world, live, switches)
    if cards:
        for key, value in DECK.items():
            await world.gina.slash(world.zone, "gm settings", setting=key, value=value)
    cast = _cast(world, live, dict([*PLAYERS.items()][:4]), "Thug")
    for person in cast.players:
        await masterbook.bring(world, person.member, person.names[0], masterbook.FIGHTER)
    await masterbook.bring(world, world.gina, "Thug", masterbook.THUG, npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Thug")
    if cards:
        world.dice.lay(*order(*CARDS))
        await world.gina.slash(world.zone, "mb adventure start", name="The Dam")
        assert world.dice.left == 0
    return cast


async def join_rounds(cast: Cast, *npcs: str) -> None:
    """Let everybody wait for the first round."""
    world = cast.world
    await world.gina.slash(world.zone, "initiative start")
    for person in cast.players:
        await person.member.slash(world.zone, "initiative join")
    for name in npcs:
        await world.gina.slash(world.zone, "initiative add", name=name)
