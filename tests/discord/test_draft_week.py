from __future__ import annotations
import pytest
from tests.discord.week_table import open_week
from tests.discord.test_speech import WHO, EDIT, DELETE, let
from tests.discord.world import head, message_of, private, texts
from tests.discord.test_gm_call import SEAL, CLIMB

@pytest.fixture
def patience() -> bool:
    return False

@pytest.fixture
def block_turns() -> bool:
    return True

def show(title, lines):
    print("==", title)
    for l in lines: print("   ", repr(l))

async def test_draft(world):
    week = await open_week(world)
    z = world.zone
    await world.gina.slash(z, "gm digest", day="Sunday", hour=18, zone="Europe/Berlin")
    await world.propose(skill="Climbing")
    show("propose", week.read())
    show("14h", await week.pass_hours(14))
    await world.rule()
    ruled = await world.revision()
    show("ruled", week.read())
    await world.restart()
    world.dice.lay(5, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    show("rolled", week.read())
    r = await world.gina.slash(z, "scene start", title="The ferry", who="Vesna, Tam", where="thread")
    await world.env.settle()
    show("scene", week.read())
    (ferry,) = z.threads
    await week.cleo.slash(ferry, "say", text="Nobody else aboard.")
    await world.env.settle()
    await world.restart()
    dialog = await week.dan.slash(ferry, "post")
    await week.dan.submit_modal(dialog, {"text": "Then who is steering?\n\nTam looks astern."})
    await world.env.settle()
    await week.dan.slash(ferry, "say", text="// back on Saturday")
    await world.env.settle()
    show("said", week.read())
    msgs = [m for m in ferry.history() if m.webhook_id]
    async def change(who, message, label):
        answer = await who.context_menu(ferry, WHO, message)
        return await world.press(who, message_of(answer), label)
    dialog = await change(week.cleo, msgs[0], EDIT)
    await week.cleo.submit_modal(dialog, {"text": "Nobody else aboard?"})
    await world.env.settle()
    await change(week.dan, msgs[-1], DELETE)
    await world.env.settle()
    show("changed", week.read())
    await world.gina.slash(z, "initiative start")
    for player in (world.ana, world.ben, week.cleo, week.dan):
        await player.slash(z, "initiative join")
    await world.gina.slash(z, "initiative next")
    await week.cleo.slash(z, "away", until="4 days")
    await week.dan.slash(z, "initiative next")
    await world.ana.slash(z, "initiative next")
    show("fight", week.read())
    private(await world.gina.slash(z, "gm call", **CLIMB, seal=SEAL, until="2 days", text="Up the hull?"))
    show("call", week.read())
    world.dice.lay(8, 7)
    print(private(await world.press(world.ana, world.newest("Roll"), "Roll")))
    world.dice.lay(2, 2)
    print(private(await world.press(week.dan, world.newest("Roll"), "Roll")))
    show("call rolled", week.read())
    await world.restart()
    world.dice.lay(8, 7, 2, 2)
    show("50h", await week.pass_hours(50))
    print(world.dice.left)
    print(texts(world.last()))
    moves = await world.ben.slash(z, "moves")
    print(private(moves))
    a = await world.gina.slash(z, "gm amend", entry=ruled, change="difficulty: 7")
    print(private(a))
    await world.restart()
    print(private(await world.press(world.gina, message_of(a), "Change it")))
    show("amended", week.read())
    print(private(await world.gina.slash(z, "gm undo", entry=await world.revision())))
    show("amend undone", week.read())
    a = await world.gina.slash(z, "gm amend", entry=ruled, change="difficulty: 5")
    print(private(a))
    print(private(await world.press(world.gina, message_of(a), "Change it")))
    show("amended again", week.read())
    await world.gina.slash(ferry, "scene end", summary="They landed at dusk.")
    show("scene over", week.read())
    await world.restart()
    show("100h", await week.pass_hours(100))
    print(week.loud, week.silent, week.direct, week.posted)
    print([texts(m) for m in world.messages() if head(m).startswith("This week")])
    print(private(await world.ben.slash(z, "recap", since="8 days")))
    for who, opts in ((world.ben, {}), (week.dan, {}), (world.ana, {"mine": True}), (world.gina, {"mine": True})):
        result = await who.slash(z, "chronicle", format="Markdown", **opts)
        (file,) = message_of(result).attachments
        print("=== book", who.name, opts); print((await file.read()).decode())
