"""`/chronicle`: the story as a book, for everybody in a place or for one reader, and no secrets."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Final

import pytest
from simcord.actors import MemberActor

from tests.discord.ebb.test_ends import shoot_npc
from tests.discord.test_places import secret_room
from tests.discord.world import DAY, World, message_of, private

#: Words that players may never read, whatever the edition.
HIDDEN: Final = ("xbaronx", "xoffstagex", "9137", "xgmreasonx")
SECRET: Final = "xsecretx"


async def book(world: World, who: MemberActor, room: Any = None, **options: Any) -> str:
    """Return the text of a book, as one file of Markdown."""
    options = {"format": "Markdown"} | options
    result = await who.slash(room or world.zone, "chronicle", **options)
    private(result)
    (file,) = message_of(result).attachments
    assert file.filename == "the-dry-canal-chronicle.md"
    return (await file.read()).decode()


async def play_secrets(world: World) -> None:
    """Play a table with something of everything that isn't told to everybody."""
    zone = world.zone
    await world.gina.slash(zone, "gm npc add", name="xbaronx", alias="the hooded one")
    await world.gina.slash(zone, "gm npc add", name="xoffstagex", stage="off")
    await world.rolled(8, 7, number="9137", level=None, hidden=True)
    await world.ana.slash(zone, "roll", dice="2d6", reason=SECRET, visibility="private")
    await world.gina.slash(zone, "roll", dice="2d6", reason="xgmreasonx", visibility="blind")
    await world.gina.slash(zone, "gm time", advance="3 days")


async def test_the_story_reads_like_a_book(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    await world.env.advance_time(3 * DAY)
    await world.gina.slash(world.zone, "session start")
    await world.gina.slash(world.zone, "initiative start")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative end")
    await world.ben.slash(world.zone, "roll", dice="4d6kh3", reason="for the loot")
    await world.gina.slash(world.zone, "session end")
    text = await book(world, world.ben)
    assert text.startswith("# The Dry Canal\n\n*As everybody here was told it*\n\nEBB · January 1")
    assert "- **Marek**, played by Ana" in text
    parts = text.split("\n\n")
    said = parts.index("**Marek**: “up the drainpipe, slowly”")
    assert parts[said + 1].startswith("Near miss, 8 against 10.")
    assert parts[said + 2].startswith("<sub>Climbing d8 (veteran) and Fitness 1</sub>")
    assert text.index("## The week of") < text.index("Near miss") < text.index("## Session 1")
    assert text.index("## Session 1") < text.index("### Round by round") < text.index("It's over")
    assert "Ben rolls" in text and "“for the loot”" in text and "#1" not in text


async def test_a_check_stands_with_its_last_outcome_and_undone_ones_are_gone(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    world.dice.lay(8)
    await world.ana.slash(world.zone, "spend", what="reroll")
    text = await book(world, world.ben)
    assert text.count("up the drainpipe") == 1 and "Near miss" not in text and "2→8" in text
    await world.rolled(5, 3, approach="taken back")
    assert "taken back" in await book(world, world.ben)
    await world.gina.slash(world.zone, "gm undo")
    assert "taken back" not in await book(world, world.ben)
    assert "taken back" not in await book(world, world.ana, mine=True)


async def test_no_secret_stands_in_a_book_of_another(world: World) -> None:
    await world.table()
    await play_secrets(world)
    for who in (world.ana, world.ben, world.gina):
        shared = await book(world, who)
        assert not [word for word in (*HIDDEN, SECRET) if word in shared]
        assert "16 against a hidden difficulty" in shared
    assert await book(world, world.ana) == await book(world, world.gina), "one edition for all"
    own = await book(world, world.ana, mine=True)
    assert own.startswith("# The Dry Canal\n\n*As Ana was told it, in private too*")
    assert "*In private:* Ana rolls" in own and SECRET in own
    assert not [word for word in HIDDEN if word in own]
    bens = await book(world, world.ben, mine=True)
    assert not [word for word in (*HIDDEN, SECRET) if word in bens]
    gms = await book(world, world.gina, mine=True)
    assert "9137" in gms and "xgmreasonx" in gms


async def test_names_are_those_that_were_told_then(world: World) -> None:
    await world.table()
    zone = world.zone
    await world.gina.slash(zone, "gm npc add", name="xbaronx", alias="the hooded one")
    await shoot_npc("the hooded one", 9, 4)(world)
    await world.env.advance_time(5 * DAY)
    before = await book(world, world.ben)
    assert "**Marek attacks the hooded one**" in before and "xbaronx" not in before
    assert "- **the hooded one**" in before
    await world.gina.slash(zone, "gm npc reveal", npc="xbaronx")
    after = await book(world, world.ben)
    assert "**Marek attacks the hooded one**" in after
    assert "The hooded one is xbaronx" in after


async def test_a_closed_place_stays_closed(world: World) -> None:
    await world.table()
    vault = secret_room(world.env, world.guild, "xvaultx", world.gina, world.ana)
    await world.gina.slash(world.zone, "gm bind", channel=vault)
    await world.ana.slash(vault, "roll", dice="31d4", reason="xvaultreasonx")
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="in the open")
    for who in (world.ben, world.ana, world.gina):
        text = await book(world, who)
        assert "in the open" in text and "xvault" not in text and "31d4" not in text
    told = private(await world.ben.slash(world.zone, "chronicle"))
    assert "not every player can read" in told
    assert "xvault" not in await book(world, world.ben, mine=True)
    assert "xvaultreasonx" in await book(world, world.ana, vault), "everybody there was told"
    own = await book(world, world.ana, mine=True)
    assert "xvaultreasonx" in own and "*In \\#xvaultx*" in own


async def test_a_new_owner_inherits_nothing(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "roll", dice="2d6", reason=SECRET, visibility="private")
    await world.gina.slash(world.zone, "character give", character="Marek", to=world.ben)
    assert SECRET not in await book(world, world.ben, mine=True)
    await world.bring(world.ana, "Nour")
    assert SECRET in await book(world, world.ana, mine=True)


async def test_a_book_of_a_span_of_time(world: World) -> None:
    await world.table()
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="first")
    await world.env.advance_time(5 * DAY)
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="second")
    late = await book(world, world.ana, since="3 days")
    assert "second" in late and "first" not in late
    early = await book(world, world.ana, until="3 days ago")
    assert "first" in early and "second" not in early
    assert "first" in await book(world, world.ana, since="2026-01-01", until="2026-01-01")
    await world.gina.slash(world.zone, "session start")
    await world.ben.slash(world.zone, "roll", dice="1d6", reason="third")
    assert "second" not in (told := await book(world, world.ana, since="session 1"))
    assert "third" in told


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"since": "a while"}, "“a while” isn't a time"),
        ({"until": "2031-01-01"}, "“2031-01-01” is still to come"),
        ({"since": "session 7"}, "session"),
        ({"since": "yesterday", "until": "3 days"}, "`since` is later than `until`"),
        ({"since": "today", "until": "today"}, "Nothing was told here in that time"),
        ({}, "There's no story to tell yet"),
    ],
)
async def test_what_makes_no_book(world: World, options: dict[str, str], words: str) -> None:
    await world.setup()
    if options:
        await world.gina.slash(world.zone, "roll", dice="1d6", reason="first")
        await world.env.advance_time(2 * DAY)
    result = await world.gina.slash(world.zone, "chronicle", **options)
    assert words in private(result).replace("\N{NO-BREAK SPACE}", " ")
    assert not message_of(result).attachments


async def test_every_format_is_sent(world: World) -> None:
    await world.table()
    await world.rolled(5, 2, approach="<b>over</b> *the* wall")
    page = message_of(await world.ana.slash(world.zone, "chronicle")).attachments[0]
    assert page.filename.endswith(".html")
    assert "&lt;b&gt;over&lt;/b&gt; *the* wall" in (await page.read()).decode()
    packed = message_of(await world.ana.slash(world.zone, "chronicle", format="EPUB")).attachments
    with zipfile.ZipFile(io.BytesIO(await packed[0].read())) as epub:
        assert b"&lt;b&gt;over&lt;/b&gt;" in epub.read("EPUB/chapter-1.xhtml")


async def test_a_restart_changes_nothing(world: World) -> None:
    await world.table()
    await world.rolled(5, 2)
    before = await book(world, world.ben, mine=True)
    await world.restart()
    assert await book(world, world.ben, mine=True) == before
