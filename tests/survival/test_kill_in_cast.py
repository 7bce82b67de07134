"""kill -9 in mid-cast: a ritual goes on with the helpers who have answered, each counted once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from rules.registry import read_only_game
from rules.systems.masterbook.effects.cast_state import Cast
from rules.systems.masterbook.effects.state import effects_of
from rules.table.state import TableState
from tests.discord.masterbook.table import FIGHTER
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, User, walk
from tests.survival.edge_of_process import PATIENCE, Rim, open_rim, upload

CIRCLE: Final[dict[str, Any]] = {
    "name": "Circle",
    "skill": "Conjuration",
    "effect_value": 10,
    "duration_value": 25,
    "range_value": 9,
    "given": {"dn": 12, "fv": 8},
    "conditions": [
        {"kind": "community", "helpers": 3, "participation": "dn8", "text": "chanting in a ring"}
    ],
}
#: Skills so high that no dice fail.
ADEPT: Final = FIGHTER | {
    "life_points": 0,
    "skills": [{"name": "Willpower", "adds": 40}, {"name": "Conjuration", "adds": 60}],
}
CASTER: Final = ADEPT | {"effects": [{"blueprint": CIRCLE, "learned": True, "approved": True}]}

#: What feedback of 8 does to a caster: a wound.
WOUNDS: Final = 1
CHECK: Final = "c1"


@dataclass(frozen=True)
class Ritual:
    """A casting that waits for three helpers: Ben's Boris, Cara's Mira and Dora's Ilka."""

    rim: Rim
    place: Channel
    cara: User
    dora: User

    async def answer(self, who: User, opens: str, label: str) -> Callable[[], Interaction]:
        """Open a panel of the casting. Return the press of its button that begins like that."""
        panel = await self.rim.panel(who, self.place, opens)
        items = [each for each in walk(panel.components) if each.get("label")]
        chosen = next(each for each in items if each["label"].startswith(label))
        return lambda: self.rim.standin.emit_component(panel, who, chosen["custom_id"])

    def shown(self) -> str:
        """Return what the messages of the casting say: its card, then that it takes hold."""
        texts = ["\n".join(each.texts()) for each in self.rim.said(self.place)]
        return "\n".join(each for each in texts if "Circle" in each).replace("\xa0", " ")

    async def state(self) -> TableState:
        ((table_id,),) = self.rim.query("SELECT DISTINCT table_id FROM place")
        return await self.rim.state(table_id)

    async def casting(self) -> Cast:
        """Return the casting as it is stored."""
        check = (await self.state()).checks[CHECK]
        assert isinstance(check.data, Cast)
        return check.data

    async def ready(self) -> list[str]:
        """Return the names of the helpers who are ready, in order."""
        characters = (await self.state()).characters
        helpers = (await self.casting()).helpers
        return [characters[each.who].name for each in helpers if each.ready]


async def begin(rim: Rim) -> Ritual:
    """A table at which Vesna has begun her ritual, and nobody has answered yet."""
    cara, dora = (rim.standin.add_member(rim.guild, name) for name in ("cara", "dora"))
    sheets = {"Vesna": CASTER | {"name": "Vesna"}, "Boris": ADEPT | {"name": "Boris"}}
    place = await rim.begin("masterbook", sheets, grown=True)
    for who, name in ((cara, "Mira"), (dora, "Ilka")):
        file = upload(name, ADEPT | {"name": name})
        await rim.do(who, place, "character import", file=file, grown=True)
    # In live play an effect without a cast time is cast at once.
    await rim.do(rim.gina, place, "gm settings", live=True)
    ritual = Ritual(rim, place, cara, dora)
    helpers = "help Boris, help Mira, help Ilka"
    await rim.do(rim.ana, place, "effect cast", effect="Circle", with_=helpers)
    await rim.settled()
    assert "0 of 3 helpers ready" in ritual.shown(), ritual.shown()
    return ritual


@pytest.mark.slow
@pytest.mark.rule("MB-SFX-31", "MB-SFX-S17")
@pytest.mark.parametrize(
    ("event", "fails"),
    [
        ("storage.committing", False),
        ("table.committed", True),
        (None, False),
    ],
)
async def test_killed_in_mid_cast_with_helpers_half_done(
    event: str | None, fails: bool, tmp_path: Path
) -> None:
    """The second helper answers by the button from before the death, the third never does.

    *event* is where the bot dies as the first helper answers, before or after that is stored; None
    is later, with everything said.
    """
    async with open_rim(tmp_path) as rim:
        await rim.start()
        ritual = await begin(rim)
        first = await ritual.answer(rim.ben, "Help", "Roll")
        once_more = await ritual.answer(rim.ben, "Help", "Roll")
        second = await ritual.answer(ritual.cara, "Help", "Roll")
        if event is not None:
            rim.order(event)
            first()
            await rim.died()
        else:
            await first().answered(PATIENCE)
            await rim.settled()
            await rim.kill()
        await rim.start()
        await rim.settled()
        if event == "storage.committing":
            assert await ritual.ready() == []
            await first().answered(PATIENCE)
            await rim.settled()
        assert await ritual.ready() == ["Boris"]
        assert "1 of 3 helpers ready" in ritual.shown(), ritual.shown()

        await second().answered(PATIENCE)
        await once_more().answered(PATIENCE)
        await rim.settled()
        assert await ritual.ready() == ["Boris", "Mira"], "a second press counts for nothing"
        await rim.kill()
        rim.turn_clock(30)
        await rim.start()
        await rim.settled()
        assert "2 of 3 helpers ready" in ritual.shown(), ritual.shown()
        assert await ritual.ready() == ["Boris", "Mira"]
        assert not (await ritual.casting()).rolled, "silence begins and spoils nothing"

        ruling = "Ilka fails" if fails else "Roll for Ilka"
        decide = await ritual.answer(rim.gina, "GM: the helpers", ruling)
        await decide().answered(PATIENCE)
        await rim.settled()
        await comes_out(ritual, fails=fails)
        rim.check_said()
        await rim.stop()
        await rim.check_files()


async def comes_out(ritual: Ritual, *, fails: bool) -> None:
    """The result has each helper's dice once, and the effect or its feedback once."""
    state, cast = await ritual.state(), await ritual.casting()
    (community,) = cast.rolled
    rolled = [state.characters[each.who].name for each in community.throws]
    vesna = next(each for each in state.characters.values() if each.name == "Vesna")
    running = effects_of(read_only_game(state), vesna.id).running
    text = ritual.shown()
    if fails:
        assert (rolled, community.met) == ([], False)
        assert "The helpers fail" in text, text
        assert (len(running), vesna.sheet.harm.wounds) == (0, WOUNDS)
        return
    assert (rolled, community.met) == (["Boris", "Mira", "Ilka"], True)
    assert "✓ Helpers" in text and "Success" in text, text
    assert (len(running), vesna.sheet.harm.wounds) == (1, 0)
