"""Tables for stories: at the table or by post, with a room for the GM, in each of the systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from rules.table.settings.pace import AT_THE_TABLE
from tests.discord import barmore
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.masterbook.cards.deck import DECK, order
from tests.discord.waiting.story import Counts, Person, Script, Story, StoryError
from tests.discord.world import World, private, texts

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

    async def play(self, first: str, ends: str = "", **scripts: Script) -> Counts:
        """Play a story that this person begins, by everybody's script.

        StoryError: the newest card of a check doesn't say how the story `ends`.
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


async def _open(world: World, system: str, live: bool, **switches: Any) -> None:
    """`/setup` at that pace; by post is what nobody has chosen. Then `/gm settings`."""
    pace = {"pace": AT_THE_TABLE} if live else {}
    named = {"game": system, "name": "The Dry Canal", "gm_channel": world.gm_room}
    await world.gina.slash(world.zone, "setup", **named, **pace)
    if switches:
        private(await world.gina.slash(world.zone, "gm settings", **switches))


async def ebb_cast(world: World, live: bool, **switches: Any) -> Cast:
    """Ana's Marek, Ben's Ilka, and Sidor, an NPC with a sheet."""
    await _open(world, "ebb", live, **switches)
    await world.bring(world.ana, "Marek")
    await world.bring(world.ben, "Ilka")
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    return _cast(world, live, RIVERSIDE, "Sidor")


async def barmore_cast(world: World, live: bool, **switches: Any) -> Cast:
    """Ana's Marek and Ben's Ilka."""
    await _open(world, "barmore", live, **switches)
    await barmore.bring(world, world.ana, barmore.MAREK)
    await barmore.bring(world, world.ben, barmore.ILKA)
    return _cast(world, live, RIVERSIDE)


async def ego_cast(
    world: World, live: bool, karma: Sequence[int] = (5, 5), **switches: Any
) -> Cast:
    """A player for each number of Karma, and an orc."""
    await _open(world, "ego", live, **switches)
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
    await _open(world, "masterbook", live, **switches)
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
