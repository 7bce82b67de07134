from __future__ import annotations
import json
from typing import Any
from tests.discord.world import World, card, labels, refused, said, texts

def hero(name: str, **changes: Any) -> str:
    return json.dumps({"name": name, "agility": 15, "intellect": 9, "vitality": 10, "muscle": 10, "karma": 5, "skills": [{"name": "Melee Combat", "level": 3}, {"name":"Acrobatics","level":3}], "specialties":[{"name":"Tumbling","level":2}], "armour": "Leather 5/5", "arms": [{"name": "Sword, Long"}], **changes})

async def test_x(world: World) -> None:
    r = await world.setup(system="ego", gm_channel=True)
    print(r.responses if hasattr(r,'responses') else r)
    await world.gina.slash(world.zone, "gm settings", cbp=400)
    for who, name in ((world.ana,"Marek"),(world.ben,"Ilka")):
        r = await world.hand_in(who, "x.json", hero(name), )
        print(texts(said(r)))
    print(texts(said(await world.gina.slash(world.zone, "gm npc add", like="Orc", count=2))))
    print(texts(said(await world.gina.slash(world.zone, "initiative start"))))
    await world.ana.slash(world.zone, "initiative join")
    await world.ben.slash(world.zone, "initiative join")
    print(texts(said(await world.gina.slash(world.zone, "initiative add", name="Orc"))))
    print(texts(said(await world.gina.slash(world.zone, "initiative next"))))
    for m in world.messages(): print("----", texts(m), labels(m))
    assert False
