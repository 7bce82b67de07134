from tests.discord.world import *
async def show(world, msg, who=""):
    print("=====", who); print(texts(msg)); print(labels(msg), [c.get("placeholder") for c in controls(msg)])
def dump(world, room=None, n=3):
    for m in world.messages(room)[n:]: print("-----"); print(texts(m)); print(labels(m), pings(m, world.env))
async def test_c(world: World) -> None:
    await world.table()
    p = await world.propose(skill="Climbing")
    r = await world.press(world.gina, world.newest("Revise"), "Revise")
    w = await world.press(world.gina, said(r), "Withdraw")
    dump(world)
    await show(world, said(w), "withdrawn")
    p = await world.propose(skill="Climbing")
    r = await world.press(world.ana, world.newest("Revise"), "Revise")
    w = await world.press(world.ana, said(r), "Withdraw")
    dump(world)
async def test_b(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    early = await world.press(world.ana, panel, "Send")
    print("EARLY", early.response and texts(early.response), [texts(f) for f in early.followups])
async def test_d(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    panel = said(await world.gina.slash(world.zone, "check", **{"as": "Sidor"}))
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    m = await world.press(world.gina, panel, "Write…")
    print(m.modal)
    await world.gina.submit_modal(m, {"approach": "hits the door", "difficulty": "Tricky"})
    await show(world, panel)
    world.dice.lay(9)
    w = await world.press(world.gina, panel, "Send")
    await show(world, said(w), "w")
    dump(world)
