"""Everything that people can name is named as awkwardly as can be: it reaches Discord escaped, and
whole.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from bot.presenters.errors import FAULT
from bot.presenters.language.text import unescape
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN, write_campaign
from tests.discord.barmore import MAREK, rule
from tests.discord.rounds import begin_confirmed
from tests.discord.world import World, message_of
from tests.sample_table import ebb_character

#: Commas separate things in lists that are typed in one line, so that only some names may hold one.
ODD = "||boo|| *x* a|b|=c `d` @everyone <@1>"
ODDER = f"{ODD}, __e__"
#: What no typed text may bring about where Markdown is shown.
BARE = re.compile(r"(?<!\\)(\|\|boo|\*x|`d`|<@1>|__e)|@everyone")


def shown_texts(data: Any) -> Iterator[str]:
    """Each text of a request that Discord shows as Markdown."""
    if isinstance(data, list):
        for item in data:
            yield from shown_texts(item)
    if not isinstance(data, dict):
        return
    for key, value in data.items():
        if key == "content" and isinstance(value, str):
            yield value
        elif key == "embeds":
            for embed in value:
                yield from (embed.get("title") or "", embed.get("description") or "")
                for field in embed.get("fields", ()):
                    yield from (field["name"], field["value"])
        else:
            yield from shown_texts(value)


def broken_names(text: str) -> list[str]:
    """Names in a text that came out with something missing or added; a name may be cut short with
    an ellipsis.
    """
    plain = unescape(text)
    found: list[str] = []
    for match in re.finditer(r"\|?\|?boo(?!k)", plain):
        rest = plain[match.start() : match.start() + len(ODD)]
        whole, kept = rest.casefold() == ODD.casefold(), rest.partition("…")[0]
        if not whole and not (
            len(kept) < len(rest) and ODD.casefold().startswith(kept.casefold().rstrip())
        ):
            found.append(plain[max(0, match.start() - 20) : match.start() + 60])
    return found


def check_typed(world: World, least: int) -> None:
    """Nothing bare or broken in all that was sent, and the names are there at all, `least`
    times.
    """
    texts = [text for request in world.env.http_requests for text in shown_texts(request.json)]
    assert [text for text in texts if BARE.search(text)] == []
    assert sorted({part for text in texts for part in broken_names(text)}) == []
    assert sum("boo" in text for text in texts) >= least
    assert FAULT not in "\n".join(texts)


def test_the_check_finds() -> None:
    assert (
        BARE.search("a ||boo||")
        and BARE.search("x @everyone")
        and not BARE.search(r"\|\|boo\|\| \*x")
    )
    assert broken_names("||boo| *x*") and broken_names("boo") and broken_names("") == []
    assert not broken_names("||boo|| *x* a…") and not broken_names(f"({ODD})")


async def _ask(world: World, *more: tuple[str, dict[str, Any]]) -> None:
    """Everything that shows what is there, by a player and by the GM."""
    commands = (
        ("character show", {}),
        ("character show", {"character": f"Sid {ODD}"}),
        ("character list", {}),
        ("table show", {}),
        ("table last", {}),
        ("moves", {}),
        ("check", {}),
        ("attack", {}),
        ("heal", {"method": "rest"}),
        ("odds", {}),
        ("card hand", {}),
        ("deck info", {"deck": "omens"}),
        ("initiative show", {}),
        ("gm npc list", {}),
        ("gm log", {}),
        ("gm settings", {}),
        ("character edit", {}),
        *more,
    )
    for who in (world.ana, world.ben, world.gina):
        for command, options in commands:
            await who.slash(world.zone, command, **options)


async def _play(world: World) -> None:
    """What every table has: people, a deck, saved rolls, the order of action, things set by
    hand.
    """
    gina, ana, zone = world.gina, world.ana, world.zone
    cards = [
        {"id": f"c{n}", "name": f"{n} {ODDER}", "text": ODDER, "fields": {ODD: ODD}}
        for n in range(5)
    ]
    deck = json.dumps({"id": "omens", "name": f"Omens {ODDER}", "cards": cards})
    await gina.slash(zone, "deck import", file=("deck.json", deck.encode()))
    for command, options in (
        ("draw-card", {"deck": "omens", "count": 3}),
        ("card play", {"card": "1", "deck": "omens"}),
        ("card show", {"card": "2", "deck": "omens"}),
        ("roll-save", {"name": ODD, "dice": "2d6"}),
        ("roll", {"dice": ODD}),
        ("roll", {"dice": "2d6[*x*]", "reason": ODDER}),
    ):
        await ana.slash(zone, command, **options)
    for command, options in (
        (
            "gm npc add",
            {"name": f"Sid {ODD}", "alias": f"The {ODD}", "notes": ODDER, "stage": "aliased"},
        ),
        ("gm npc add", {"name": f"Rat {ODDER}", "count": 2, "stage": "revealed"}),
        ("gm npc edit", {"npc": f"Sid {ODD}", "notes": f"{ODDER}!"}),
        ("session start", {}),
        ("initiative start", {}),
        ("initiative add", {"name": f"Sid {ODD}"}),
        ("initiative add", {"name": f"Rat {ODDER}"}),
        ("initiative add", {"name": f"Storm {ODDER}"}),
        ("initiative add", {"name": f"Marek {ODDER}"}),
        ("initiative next", {}),
        ("gm roll", {"as": f"Sid {ODD}", "note": ODDER}),
        ("gm npc reveal", {"npc": f"Sid {ODD}"}),
        ("gm time", {"advance": ODD}),
        ("character show", {"character": ODD}),
        ("gm npc remove", {"npc": ODD}),
        ("gm adjust", {"character": f"Marek {ODDER}", "what": ODD, "value": ODD, "reason": ODDER}),
    ):
        await gina.slash(zone, command, **options)


async def test_at_a_barmore_table(world: World) -> None:
    zone, ana, ben, gina = world.zone, world.ana, world.ben, world.gina
    data = json.loads(json.dumps(write_campaign(DEFAULT_CAMPAIGN)))
    data["traits"]["abilities"] += [
        {"name": f"Root {ODD}", "parent": None},
        {"name": f"Leaf {ODD}", "parent": f"Root {ODD}"},
        {"name": f"Bud {ODD}", "parent": f"Root {ODD}"},
    ]
    data["traits"]["attributes"].append(
        {"name": f"Will {ODD}", "parent": None, "activity": "mental"}
    )
    for row in data["chart"]["rows"]:
        row["name"], row["effect"] = f"{row['name']} {ODDER}"[:60], ODDER
    file = ("campaign.json", json.dumps(data).encode())
    await gina.slash(zone, "setup", name=f"Marshes {ODDER}", game="barmore", file=file)
    sheet = {
        **MAREK,
        "name": f"Marek {ODDER}",
        "concept": ODDER,
        "description": ODDER,
        "notes": ODDER,
        "attributes": {**MAREK["attributes"], f"Will {ODD}": 2},
        "abilities": {**MAREK["abilities"], f"Leaf {ODD}": 3, f"Bud {ODD}": 1},
        "weapons": [{"name": f"Hook {ODD}", "modifier": 6, "kind": ODD}],
        "armour": [{"name": f"Coat {ODD}", "rating": 1, "covers": [ODD], "converts": [ODD]}],
        "equipment": [f"Lamp {ODDER}", f"Rope {ODDER}"],
    }
    for who, name in ((ana, f"Marek {ODDER}"), (ben, f"Ilka {ODDER}")):
        await world.hand_in(who, "x.json", json.dumps({**sheet, "name": name}))
    await _play(world)
    mine = {"skill": f"Leaf {ODD}", "attribute": f"Will {ODD}", "approach": ODDER}
    ways = (
        ana.slash(zone, "check", **mine, **{"with": f"support: Bud {ODD}, halvings: 1"}),
        ana.slash(
            zone, "check", **{**mine, "skill": f"Root {ODD}"}, **{"with": f"use: Leaf {ODD}"}
        ),
        ana.slash(zone, "attack", **mine, target=f"Sid {ODD}", weapon=f"Hook {ODD}"),
    )
    for way in ways:
        await way
        await rule(world, "1")
        await world.press(ana, world.newest("Roll"), "Roll")
    for command, options in (
        ("barmore team start", {**mine, "mode": "either or"}),
        ("barmore team join", {**mine, "check": "c4"}),
        ("contest", {**mine, "target": f"Marek {ODDER}"}),
        ("barmore act", {"action": ODDER, "cost": "3"}),
        ("barmore at-once", {"times": ODD}),
    ):
        await (ana if command == "barmore team start" else ben).slash(zone, command, **options)
    await gina.slash(
        zone,
        "barmore task start",
        name=f"Dig {ODDER}",
        who=f"Marek {ODDER}",
        difficulty="5",
        required=40,
        every="1 hour",
    )
    await ana.slash(zone, "barmore task roll", **{"with": f"support: Leaf {ODD}"})
    for what, value in (
        ("new wound", "physical 4"),
        ("new wound", "mental 3"),
        ("ability", f"Leaf {ODD} 5"),
    ):
        await gina.slash(
            zone, "gm adjust", character=f"Marek {ODDER}", what=what, value=value, reason=ODDER
        )
    await ben.slash(zone, "heal", **mine, method="treat", target=f"Marek {ODDER}")
    await _ask(world, ("barmore task show", {}), ("initiative show", {}))
    check_typed(world, 100)


async def test_at_an_ebb_table(world: World) -> None:
    zone, ana, ben, gina = world.zone, world.ana, world.ben, world.gina
    await gina.slash(zone, "setup", name=f"Canal {ODDER}", game="ebb")
    sheet = ebb_character(f"Marek {ODDER}")
    sheet["abilities"][0]["name"] = f"Climb {ODD}"
    sheet |= {
        "drawbacks": [f"{n} {ODDER}" for n in range(10)],
        "equipment": [f"Rope {ODDER}", ODDER],
    }
    sheet |= {"role": ODDER, "country": ODDER, "description": ODDER, "notes": ODDER}
    for who, name in ((ana, f"Marek {ODDER}"), (ben, f"Ilka {ODDER}")):
        await world.hand_in(who, "x.json", json.dumps({**sheet, "name": name}))
    await _play(world)
    mine = {"skill": f"Climb {ODD}", "attribute": "Fitness", "approach": ODDER}
    await world.answer(message_of(await ana.slash(zone, "check", **mine)), level="Easy", note=ODDER)
    await world.press(ana, world.newest("Roll"), "Roll")
    await begin_confirmed(world, ana, "attack", **mine, target=f"Ilka {ODDER}")
    await world.answer(world.newest("Answer"), level=None)
    await ben.slash(zone, "check", **mine, visibility="private")
    for what, value in (
        ("injury", f"cut {ODD}; arm {ODD}; serious"),
        ("drawback", ODDER),
        (f"die:Climb {ODD}", "d10"),
        ("equipment", ODDER),
    ):
        await gina.slash(
            zone, "gm adjust", character=f"Marek {ODDER}", what=what, value=value, reason=ODDER
        )
    learned = {
        "skill": f"Swim {ODD}",
        "attribute": "Fitness",
        "drawback": ODDER,
        "explanation": ODDER,
    }
    await ana.slash(zone, "character learn", **learned)
    await ben.slash(zone, "heal", method="treat", target=f"Marek {ODDER}", approach=ODDER)
    await _ask(world)
    check_typed(world, 100)
