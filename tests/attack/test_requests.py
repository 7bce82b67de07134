"""Everything else that one person can ask for, at its dearest, by six at a time: the others are
answered in time.

What each takes and how it is bounded stands in docs/limits.md.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

import pytest
import pytest_asyncio

from rules.core.json_reader import MAX_NOTED_PROBLEMS
from tests.attack.siege import ATTACKERS, LATE, SECONDS, Siege, open_siege
from tests.example_counts import nightly
from tests.loopback.interactions import Interaction
from tests.loopback.models import ADMINISTRATOR, Channel, Upload, User
from tests.machine_load import slower
from tests.sample_table import ebb_character

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

#: Each of so many kinds for a part of the time.
EACH = SECONDS if nightly() else SECONDS / 2
HANDS = 30

Attack = Callable[[Siege, User, int], Interaction]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def siege(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Siege]:
    async with open_siege(tmp_path_factory.mktemp("siege")) as made:
        yield made


def upload(content: object) -> Upload:
    data = (
        content if isinstance(content, bytes) else json.dumps(content, ensure_ascii=False).encode()
    )
    return Upload("file.json", data, "application/json")


def _rolls(siege: Siege, user: User, number: int) -> Interaction:
    dice = (
        "1000d1000000",
        "20x " + "+".join(["1d6"] * 49),
        "1000d6" + "kh999" * 30,
        "400d6rr1" + "ro2ro3" * 15,
        "20x " + "(" * 19 + "1d6" + ")" * 19 + "kh1",
        "1d6e1e2e3e4e5" * 5,
    )
    return siege.send(user, "roll", {"dice": dice[number % len(dice)]})


def _saved(siege: Siege, user: User, number: int) -> Interaction:
    if number < 6:
        return siege.send(user, "roll-save", {"name": "all", "dice": "20x 50d20e20mi2ma19"})
    return siege.send(user, "roll", {"dice": "all"})


def _names(siege: Siege, user: User, number: int) -> Interaction:
    options = (
        ("roll", {"dice": "-a b c d e f g h i j" * 9}),
        ("roll", {"dice": "+" + "a-" * 90}),
        ("check", {"as": "Bandit Stalker 1x" * 5}),
        ("attack", {"target": "Bandt 1777 Stalker bandit bandit bandi" * 2}),
        ("check", {"skill": "Climbing", "with": "a," * 99}),
        ("character show", {"character": "ban dit 1 " * 9}),
    )
    return siege.send(user, *options[number % len(options)])


def _texts(siege: Siege, user: User, number: int) -> Interaction:
    if number % 2:
        return siege.send(
            user, "roll", {"dice": "1d6 # " + "*_`<@1>" * 20, "reason": "||`*_~" * 33}
        )
    options = {"skill": "Climbing", "attribute": "Fitness", "approach": "*_`<@1>~|" * 110}
    return siege.send(user, "check", options)


def _completions(siege: Siege, user: User, number: int) -> Interaction:
    options: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
        ("check", "with", {"with": "a," * 49}),
        ("check", "as", {"as": "x" * 100}),
        ("attack", "target", {"target": "b"}),
        ("character show", "character", {"character": ""}),
        ("roll", "dice", {"dice": "{"}),
        ("odds", "check", {"check": ""}),
        ("check", "difficulty", {"difficulty": "9" * 100}),
    )
    command, focused, given = options[number % len(options)]
    return siege.standin.emit_autocomplete(siege.guild, siege.place, user, command, focused, given)


_SHEETS = (
    ebb_character("X") | {f"k{number}": 1 for number in range(18_000)},
    b"[" * 262_000,
    b'{"name": ' + b"9" * 262_000 + b"}",
    ebb_character("X", notes="\U0001f600" * 60_000),
    ebb_character(
        "X", abilities=[{"name": "Q" * 200, "group": "No" * 20, "die": "d7"} for _ in range(60)]
    ),
    ebb_character("X", abilities=[{f"k{number}": 1 for number in range(190)} for _ in range(60)]),
)
_DECKS = (
    {"id": "bad", "name": "B", "cards": [{f"k{n}": 1 for n in range(40)} for _ in range(490)]},
    {
        "id": "bad",
        "name": "B",
        "cards": [{"id": "a b:", "x": 1, "copies": -1} for _ in range(5000)],
    },
)


def _sheets(siege: Siege, user: User, number: int) -> Interaction:
    return siege.send(user, "character import", {"file": upload(_SHEETS[number % len(_SHEETS)])})


def _decks(siege: Siege, user: User, number: int) -> Interaction:
    return siege.send(siege.gm, "deck import", {"file": upload(_DECKS[number % len(_DECKS)])})


def _pictures(siege: Siege, user: User, number: int) -> Interaction:
    return siege.send(user, *(("odds", {"skill": "Climbing"}), ("character show", {}))[number % 2])


ATTACKS: dict[str, Attack] = {
    "rolls": _rolls,
    "saved rolls": _saved,
    "names": _names,
    "texts": _texts,
    "completions": _completions,
    "sheets": _sheets,
    "decks": _decks,
    "pictures": _pictures,
}


@pytest.mark.parametrize("kind", ATTACKS)
async def test_others_roll_beside(siege: Siege, kind: str) -> None:
    found = await siege.stand(lambda user, number: ATTACKS[kind](siege, user, number), seconds=EACH)
    assert found.worst <= found.bound, found.late[-10:]
    assert len(found.attacks) >= ATTACKERS
    assert not [each for each in found.attacks if each.state != "answered"]


_TABLE = {
    "format": "storyguide-table",
    "version": 1,
    "system": "ebb",
    "settings": {},
    "clock": {},
    "characters": [],
}
_FULL = ebb_character("Full", equipment=["x" * 40] * 100, assets=["y" * 20] * 100, notes="n" * 1500)
#: 2 MiB each: as many and as long sheets as there can be, fields that nobody knows, sheets that are
#: wrong throughout.
TABLES = (
    _TABLE
    | {
        "characters": [
            {"id": f"k{n}", "sheet": {**_FULL, "name": f"Full {n}"}, "stage": "off"}
            for n in range(200)
        ]
    },
    _TABLE | {f"k{number}": 1 for number in range(150_000)},
    _TABLE | {"settings": {f"k{number}": 1 for number in range(150_000)}},
    _TABLE
    | {
        "characters": [
            {"id": f"k{n}", "sheet": {f"k{m}": 1 for m in range(900)}} for n in range(200)
        ]
    },
    b'{"a":[' + b"1," * 900_000 + b"1]}",
)


async def test_others_roll_beside_tables_of_two_megabytes(siege: Siege) -> None:
    """Whoever opens tables from files: what is wrong is told, as far as it is enough."""
    role = siege.standin.add_role(siege.guild, "boss", ADMINISTRATOR)
    bosses = [siege.standin.add_member(siege.guild, f"boss{number}", [role]) for number in range(3)]
    empty = siege.standin.add_channel(siege.guild, "empty")
    files = [upload(each) for each in TABLES]
    assert all(len(each.data) < 2 * 1024 * 1024 for each in files)

    def bring(user: User, number: int) -> Interaction:
        boss = bosses[siege.attackers.index(user)]
        file = {"file": files[number % len(files)]}
        return siege.standin.emit_slash(siege.guild, empty, boss, "gm import", file)

    found = await siege.stand(bring, seconds=EACH, attackers=len(bosses))
    assert found.worst <= found.bound, found.late[-10:]
    counts = [int(each) for text in found.said() for each in re.findall(r"Fix\s(\d+) things", text)]
    assert counts and max(counts) <= MAX_NOTED_PROBLEMS + 10
    assert any("Open a table from this file?" in text for text in found.said())


async def test_others_roll_beside_thirty_hands(
    siege: Siege, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All the cards of thirty decks at once, each hand with a picture: none is drawn on the event
    loop.

    Only how late the others are counts: thirty commands at once may wait for a busy machine.
    """
    monkeypatch.setattr(siege.standin.callbacks, "expiry", None)
    rooms = [siege.standin.add_channel(siege.guild, f"hand-{number}") for number in range(HANDS)]

    async def deal(room: Channel, user: User) -> Interaction:
        sent = siege.standin.emit_slash(siege.guild, room, user, "draw-card", {"count": 52})
        return await sent.answered(180)

    dealing = [
        asyncio.create_task(deal(room, siege.attackers[number % len(siege.attackers)]))
        for number, room in enumerate(rooms)
    ]
    await asyncio.sleep(0.05)
    late: list[float] = []
    for _ in range(20):
        start = time.monotonic()
        await siege.send(siege.players[0], "roll", {"dice": "1d20"}).answered(10)
        late.append(time.monotonic() - start)
        await asyncio.sleep(0.05)
    assert max(late) <= LATE * slower(), late
    for each in await asyncio.gather(*dealing):
        assert each.response is not None
        assert each.response.attachments
        for picture in each.response.attachments:
            assert picture.data.startswith(b"\x89PNG") and len(picture.data) > 5_000
