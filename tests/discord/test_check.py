"""One check from proposal to undo, through the real commands and buttons."""

from __future__ import annotations

from tests.discord.world import World, button, texts


async def test_from_proposal_to_undo(world: World) -> None:
    created = await world.setup()
    print(texts(created.response))
    for f in created.followups: print("F", texts(f))
    print(texts((await world.bring(world.ana, "Marek")).response))
    p = await world.propose(skill="Climbing", attribute="Fitness")
    print(texts(p.response))
    a = await world.answer(p.response, hidden=True)
    print("ANSWER", texts(a.response))
    for m in world.zone.history(): print("----", texts(m))
    roll = world.zone.last_message
    r = await world.ana.click(roll, label="Roll")
    print(texts(r.response))
    q = await world.ana.click(r.response, label="React")
    print("REACT", texts(q.response))
    u = await world.gina.slash(world.zone, "gm undo")
    print("UNDO", texts(u.response))
    for m in world.zone.history(): print("----", texts(m))
