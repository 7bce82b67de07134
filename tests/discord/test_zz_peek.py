import atexit
from tests.discord.world import *

async def test_peek(world):
    await world.table()
    out=[]
    atexit.register(lambda: Path("/tmp/peek.txt").write_text("\n".join(out)))
    def show(t, m):
        out.append(f"==== {t}\n"+texts(m)); out.append(str([(c.get('label') or c.get('placeholder'), c['custom_id'], [o['value'] for o in c.get('options',())]) for c in controls(m)]))
    c = await world.answered(number="12", hidden=True, options=("flaw",), disallow=("attribute",), note="mind")
    show("answered", c)
    re = said(await world.press(world.ana, c, "React")); show("react before", re)
    re = said(await world.press(world.ben, c, "React")); show("react ben", re)
    c = await world.rolled(4,1)
    show("rolled", c)
    c = await world.answered(attribute=None, skill=None,options=("specialist",))
    show("specialist", c)
    re = (await world.press(world.ana, c, "Roll")); show("press", said(re))
    re = said(await world.press(world.ana, c, "React")); show("react before", re)
    await world.ana.slash(world.zone, "check", skill="Climbing", attribute="Fitness")
    show("noidea",world.card())
    await world.rule()
    c=world.card()
    show("noidea",c)
    re = (await world.press(world.ana, c, "Roll")); show("press", said(re))
    re = said(await world.press(world.ana, c, "React")); show("react before", re)
    lx= await world.spend(c, "Sacrifice a point to just succeed: Fitness")
    out.append(str(lx))
    show("l",world.card())
    for m in world.messages()[-3:]: show("msgs",m)
