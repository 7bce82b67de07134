"""What people do at a table of EGO: what is planned in secret before a round, only to be done."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tests.discord.ego.table import FIGHTER
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel
from tests.survival.edge_of_process import Rim

Act = Callable[[], Interaction]


async def karma_table(rim: Rim) -> Channel:
    """A new channel with a table, Ana's Vesna and Ben's Boris."""
    sheets = {name: {"name": name} | FIGHTER for name in ("Vesna", "Boris")}
    return await rim.begin("ego", sheets, grown=True)


async def _gathered(rim: Rim, place: Channel) -> None:
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.settled()


async def planning(rim: Rim, place: Channel) -> Act:
    """Ana is about to plan Karma for the first round, of which nobody else hears."""
    await _gathered(rim, place)
    return lambda: rim.emit(rim.ana, place, "ego karma plan", points=2)


async def planning_on_panel(rim: Rim, place: Channel) -> Act:
    """Ana is about to plan it by the last press in the panel behind the board."""
    await _gathered(rim, place)
    panel = await rim.panel(rim.ana, place, "Plan Karma")
    panel = await rim.choose(rim.ana, panel, "Action Points", "2")
    return lambda: rim.press(rim.ana, panel, "Plan 2 Karma")


async def check_plan_spent(rim: Rim, place: Channel) -> None:
    """The round begins, and the plan is carried out once."""
    await rim.do(rim.gina, place, "initiative next")
    await rim.settled()
    shown = await rim.do(rim.ana, place, "character show")
    assert shown.response is not None and "**Karma** 3\n" in "\n".join(shown.response.texts())


Flow = tuple[Callable[[Rim, Channel], Awaitable[Act]], Callable[[Rim, Channel], Awaitable[object]]]
FLOWS: dict[str, Flow] = {
    "plan": (planning, check_plan_spent),
    "plan on a panel": (planning_on_panel, check_plan_spent),
}
