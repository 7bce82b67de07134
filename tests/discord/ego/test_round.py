from __future__ import annotations
import json
from typing import Any
from tests.discord.world import World, card, labels, refused, said, texts

def hero(name: str, **changes: Any) -> str:
    return json.dumps({"name": name, "agility": 15, "intellect": 9, "vitality": 10, "muscle": 10, "karma": 5, "skills": [{"name": "Melee Combat", "level": 3}, {"name":"Acrobatics","level":3}], "specialties":[{"name":"Tumbling","level":2}], "armour": "Leather 5/5", "arms": [{"name": "Sword, Long"}], **changes})

async def test_x(world: World) -> None:
    r = await world.setup(system="ego", gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", cbp=400)
    for who, name in ((world.ana,"Marek"),(world.ben,"Ilka")):
        r = await world.hand_in(who, "x.json", hero(name), )
    await world.gina.slash(world.zone, "gm npc add", like="Orc", count=2)
    await world.gina.slash(world.zone, "initiative start")
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative add", name="Orc")
    await world.gina.slash(world.zone, "initiative next")
    p = said(await world.press(world.ana, world.newest("Spend Karma"), "Spend Karma"))
    print("PANEL", texts(p), labels(p))
    from tests.discord.world import controls
    p = said(await world.press(world.ana, p, "Spend Karma…"))
    print(texts(p), labels(p), [ (c.get('placeholder'), c.get('options')) for c in controls(p)] )
    world.dice.lay(6,1,1,1,1, 2,2,2,2,2, 3,3)
    r = await world.press(world.ben, world.newest("Pass"), "Pass")
    r = await world.press(world.ana, world.newest("Pass"), "Pass")
    print(texts(said(r)))
    for room in (world.zone, world.gm_room):
      for m in world.messages(room)[-4:]: print("----", texts(m), labels(m))
    print(texts(said(await world.ana.slash(world.zone, "ego act", action="draw"))))
    print(texts(said(await world.ana.slash(world.zone, "ego act", action="kick the door in", seconds=30))))
    r = await world.ana.slash(world.zone, "ego act", action="tumbling", karma=1)
    print(texts(said(r)))
    for m in world.messages()[-4:]: print("----", texts(m), labels(m))
    assert False
