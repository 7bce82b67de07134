"""A check and an attack from proposal to outcome, by post and live, and the messages that everybody
sees of them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from simcord.actors import MemberActor
from simcord.types import HttpLogEntry

from tests.discord.world import World, is_layout, labels, message_of, texts

_MESSAGE, _UPDATE = 4, 7


@dataclass(frozen=True)
class Figures:
    """Public messages: sent, edits of them, deletions; calls among those sent; cards and calls at
    most at one time.
    """

    sent: int
    edits: int
    deletions: int
    calls: int
    cards_at_once: int
    calls_at_once: int


class Counted:
    """What stands in the channel besides what stood there before: cards, and what calls
    somebody.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._eve = world.member("eve")
        self._before = {each.id for each in world.messages()}
        self._asked = len(world.env.http_requests)
        self._most = (0, 0)
        self._calls: set[int] = set()

    def __call__(self) -> tuple[int, int]:
        """How many cards and calls there are now: one card, and at most one call."""
        new = [each for each in self._world.messages() if each.id not in self._before]
        calls = {each.id for each in new if not is_layout(each)}
        self._calls |= calls
        found = (len(new) - len(calls), len(calls))
        self._most = (max(self._most[0], found[0]), max(self._most[1], found[1]))
        assert found[0] == 1 and found[1] <= 1, [texts(each) for each in new]
        return found

    def figures(self) -> Figures:
        """Everything that was sent since, as far as a bystander sees it."""
        done = [self._done(each) for each in self._world.env.http_requests[self._asked :]]
        sent, edits, deletions = (done.count(each) for each in ("sent", "edited", "deleted"))
        return Figures(sent, edits, deletions, len(self._calls), *self._most)

    def _done(self, request: HttpLogEntry) -> str:
        pieces = request.path.strip("/").split("/")
        if pieces[0] not in ("channels", "interactions", "webhooks") or "pins" in pieces:
            return ""
        if not self._world.reaches(self._eve, request):
            return ""
        if pieces[0] == "interactions":
            kind = int((request.json or {}).get("type", 0))
            return {_MESSAGE: "sent", _UPDATE: "edited"}.get(kind, "")
        return {"POST": "sent", "PATCH": "edited", "DELETE": "deleted"}.get(request.method, "")


async def defend(world: World) -> None:
    """Ben's Ilka runs from an attack."""
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    modal = await world.press(world.ben, panel, "Approach…")
    await world.ben.submit_modal(modal, {"approach": "behind the curb"})
    await world.choose(world.ben, panel, "Skill", "Running")
    await world.press(world.ben, panel, "Defend")


async def _accept(world: World, who: MemberActor) -> None:
    """Accept the result for a player, if the table waits for that."""
    if "Accept result" in labels(world.card()):
        await world.press(who, world.card(), "Accept result")


async def a_check(world: World, *, live: bool) -> Figures:
    """Proposed, answered, rolled and accepted; a live one is rolled by the command."""
    await world.table(live=live)
    there = Counted(world)
    if live:
        world.dice.lay(5, 3)
        await world.propose(skill="Climbing", difficulty="Tricky")
    else:
        await world.propose(skill="Climbing")
        assert there() == (1, 1), "the GM is called"
        await world.rule()
        assert there() == (1, 1), "the player is called"
        world.dice.lay(5, 3)
        await world.press(world.ana, world.newest("Roll"), "Roll")
    assert there() == (1, 0), "nobody is called for what they may leave"
    await _accept(world, world.ana)
    assert there() == (1, 0)
    return there.figures()


async def an_attack(world: World, *, live: bool) -> Figures:
    """One player's character hits another's, who takes a flesh wound."""
    await world.table(live=live)
    there = Counted(world)
    await world.ana.slash(
        world.zone,
        "attack",
        target="Ilka",
        skill="Rifles",
        attribute="Alertness",
        approach="from the bus",
    )
    assert there() == (1, 1)
    if not live:
        await world.rule(level=None)
        assert there() == (1, 1)
    world.dice.lay(9, 6, 2, 3)
    await defend(world)
    assert there() == (1, 0), "who has answered last is there already"
    await _accept(world, world.ben)
    assert there() == (1, 0), "who was hit is there already"
    await world.press(world.ben, world.card(), "Flesh wound")
    assert there()[0] == 1
    return there.figures()


#: By what they are called in tables of figures.
WALKS: Final[dict[str, Callable[..., Awaitable[Figures]]]] = {"check": a_check, "attack": an_attack}
