"""People who press what they should not, or too late, or look where something may be read off
sideways.
"""

from __future__ import annotations

import json
import re
import time
from typing import Any

from tests.discord.world import (
    World,
    card,
    controls,
    labels,
    message_of,
    private,
    refusal_of,
    secret_room,
    texts,
)
from tests.sample_table import ebb_character

NUMBER = "9137"
#: What somebody can look up of their checks.
COMMANDS = ("moves", "table show", "spend")
#: Buttons and menus for GMs alone.
FOR_GMS = (
    *("sg:set:1:0:p", "sg:setm:1:0:0", "sg:gms:1:add", "sg:npc:1:check:k1:-", "sg:npcs:1:list:0:-"),
    *("sg:gmch:1", "sg:nogm:1", "sg:release:1:public:go", "sg:deliver:1", "sg:first:1:channel"),
)


async def test_an_old_button_does_not_show_a_hidden_answer(world: World) -> None:
    """The panel for changing a proposal is filled with what there is: after the answer that is the
    GM's number.
    """
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
    panel = message_of(await world.press(world.ana, proposal, "Edit"))
    await world.rule(number=NUMBER, hidden=True)
    for label in labels(panel):
        if label != "Cancel":
            assert "That has moved on" in refusal_of(await world.press(world.ana, panel, label))
    assert NUMBER not in world.told(world.ana)


async def test_a_hidden_measure_stays_hidden(world: World) -> None:
    await world.table(step_in_minutes=0)
    asked = await world.answered(number="7", hidden=True, press="Roll how well")
    assert "against a hidden difficulty" in texts(asked)
    world.dice.lay(9, 8)
    await world.press(world.ana, asked, "Roll")
    text = card(world)
    assert "d10 (9) + d8 (8) + Fitness 1 = **18**" in text
    assert "extra" not in text, "with the total that would tell the number"
    looked = world.emit(world.gina, "sg:chk:1:c1")
    await world.env.settle()
    assert "**Difficulty:** 7 (Routine)" in private(looked)


async def test_others_cannot_tell_a_private_check_from_none(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", visibility="private")
    marek = {"as": "Marek", "skill": "Climbing", "note": "x", "difficulty": NUMBER}
    await world.gina.slash(world.zone, "gm roll", **marek)
    told: dict[str, set[str]] = {}
    for name in ("h1", "h2", "c77"):
        results = {"chk": world.emit(world.ben, f"sg:chk:1:{name}")}
        for number in (1, 2):
            for prompt in ("rule", "own", "ready", "react", "hit"):
                at = f"1:{name}.{number}:{prompt}"
                results[f"chq:{number}:{prompt}"] = world.emit(world.ben, f"sg:chq:{at}")
                for option in ("roll", "withdraw", "reroll"):
                    results[f"cho:{number}:{prompt}:{option}"] = world.emit(
                        world.ben, f"sg:cho:{at}:k1:{option}"
                    )
        await world.env.settle()
        for tail, result in results.items():
            told.setdefault(tail, set()).add(refusal_of(result).replace(name, "cN"))
        for command in ("odds", "spend"):
            answer = refusal_of(await world.ben.slash(world.zone, command, check=name))
            told.setdefault(command, set()).add(answer.replace(name, "cN"))
    assert {tail: answers for tail, answers in told.items() if len(answers) > 1} == {}


async def test_draws_do_not_tell_of_blind_dice(world: World) -> None:
    """A ten is thrown again: how many draws there were would tell that one fell."""
    await world.table(gm_channel=True)
    await world.propose(skill="Climbing", visibility="blind")
    await world.rule(world.newest("Answer", world.gm_room))
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, moves, "Open · h1"))
    world.dice.lay(10, 3, 4)
    await world.press(world.ana, panel, "Roll")
    assert world.dice.left == 0
    entry = await world.revision()
    shown = private(await world.ana.slash(world.zone, "table fair show", entry=entry))
    assert "secret rolls." in shown
    assert not re.search(r"\d draw", shown)
    assert "3 draws" in private(await world.gina.slash(world.zone, "table fair show", entry=entry))
    warning = message_of(await world.gina.slash(world.zone, "table fair rotate", rolls="secret"))
    await world.press(world.gina, warning, "Reveal it")
    assert "3 draws" in private(await world.ana.slash(world.zone, "table fair show", entry=entry))


async def _blind_attack(world: World, *faces: int) -> tuple[str, str]:
    """Ana's blind attack on an NPC, to its end: what Ana is told, and what she can look up."""
    opened = message_of(
        await world.ana.slash(
            world.zone,
            "attack",
            target="Sidor",
            skill="Rifles",
            approach="at dawn",
            visibility="blind",
        )
    )
    assert "Marek attacks Sidor" in texts(opened)
    await world.rule(world.newest("Answer", world.gm_room))
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, moves, labels(moves)[0]))
    count = len(world.told(world.ana))
    world.dice.lay(*faces)
    await world.press(world.ana, panel, "Roll")
    assert world.dice.left == 0
    name = list((await world.state()).checks)[-1]
    asked: list[str] = []
    assert not (await world.state()).checks[name].is_open
    asked += [private(await world.ana.slash(world.zone, command)) for command in COMMANDS]
    for custom_id in (f"sg:chk:1:{name}", f"sg:chq:1:{name}.4:words", f"sg:chq:1:{name}.3:react"):
        forged = world.emit(world.ana, custom_id)
        await world.env.settle()
        asked.append(private(forged))
    # How somebody looks can be seen, whoever struck them.
    shown = re.sub(r"\(NPC\): [a-z ]+", "", "\n".join(asked))
    return world.told(world.ana)[count:], re.sub(r"\b[ch]\d+", "N", shown)


async def test_a_blind_attack_does_not_tell_whether_it_hit(world: World) -> None:
    await world.table(gm_channel=True, step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    await world.gina.slash(world.zone, "gm npc reveal", npc="Sidor")
    hit = await _blind_attack(world, 9, 5)
    missed = await _blind_attack(world, 2, 1)
    assert hit[1] == missed[1]
    assert (
        0
        < hit[0].count("only the GM sees the result")
        == missed[0].count("only the GM sees the result")
    )
    # The table's settings say what a hit does, whether there was one or not.
    told = hit[0].replace("doesn't choose takes a flesh wound, if Fitness allows", "")
    for word in ("It is a hit", "It hits", "Change the hit", "lesh wound"):
        assert word not in told, word


async def test_wounds_of_npcs_are_treated_out_of_sight(world: World) -> None:
    await world.table()
    await world.bring(
        world.gina,
        "Sidor",
        npc=True,
        injuries=[{"text": "bitten", "part": "", "severity": "light"}],
    )
    count = len(world.messages())
    mine: dict[str, Any] = {"as": "Sidor", "target": "Sidor", "method": "treat"}
    private(await world.gina.slash(world.zone, "heal", skill="First aid", approach="salt", **mine))
    assert len(world.messages()) == count
    assert "bitten" not in world.told(world.ana)


async def test_whoever_is_out_of_play_is_not_written_on_the_board(world: World) -> None:
    """The name of something that is no character is everybody's to read."""
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Zorvath", count=2)
    for name in ("Zorvath 1", "Zorvath 2"):
        await world.gina.slash(world.zone, "character retire", character=name)
    await world.gina.slash(world.zone, "initiative start")
    for name in ("Zorvath 1", "zorvath", "k3"):
        assert "has retired" in refusal_of(
            await world.gina.slash(world.zone, "initiative add", name=name)
        )
    assert "Zorvath" not in world.told(world.ana)


async def test_a_stub_behind_which_nothing_stands(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "initiative start")
    for row in range(1, 12):
        result = world.emit(world.ana, f"sg:show:{row}")
        await world.env.settle()
        assert "a fault in Storyguide" not in private(result)


async def _draft(world: World) -> str:
    """The id before the controls of Ana's draft of a character."""
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    panel = message_of(await world.press(world.ana, panel, "Make your own"))
    return controls(panel)[0]["custom_id"].rpartition(":")[0]


async def test_a_text_is_no_switch(world: World) -> None:
    """A switch that is none would put what no text is into the draft, which could never be shown
    again.
    """
    await world.setup()
    base = await _draft(world)
    for number in range(20):
        result = world.emit(world.ana, f"{base}:t{number}")
        await world.env.settle()
        assert "a fault in Storyguide" not in refusal_of(result)
    again = message_of(await world.ana.slash(world.zone, "character create"))
    assert "draft" not in texts(again), "nothing was written into it"


async def test_a_private_panel_never_replaces_a_public_message(world: World) -> None:
    await world.setup()
    base = await _draft(world)
    before = texts(world.last())
    result = world.emit(world.ana, f"{base}:p", world.last())
    await world.env.settle()
    assert result.ephemeral and texts(world.last()) == before


async def test_thousands_of_wrong_lines_make_nobody_wait(world: World) -> None:
    await world.setup(system="barmore")
    draft = (await _draft(world)).split(":")[3]
    begun = time.process_time()
    world.emit_modal(
        world.ana, f"sg:fmm:sheet:{draft}", abilities="x\n" * 2000, attributes="x\n" * 2000
    )
    await world.env.settle()
    assert time.process_time() - begun < 1, "the time grew with the square of their number"


async def test_a_file_full_of_mistakes_is_answered_in_a_few_messages(world: World) -> None:
    await world.setup()
    answer = await world.hand_in(
        world.ana, "Marek.json", json.dumps({f"k{n}": 1 for n in range(20_000)})
    )
    text = private(answer)
    assert "Fix 503 things in this sheet" in text
    assert "And 3 more mistakes." in text, "after so many the rest isn't looked at"
    assert len(answer.followups) < 50


async def test_what_is_for_gms_alone_is_nobody_elses(world: World) -> None:
    await world.setup()
    before = await world.state()
    for custom_id in FOR_GMS:
        result = world.emit(world.ana, custom_id, values=("start",))
        await world.env.settle()
        assert "Only the GM" in refusal_of(result), custom_id
    assert await world.state() == before


async def test_only_gms_say_where_secrets_go(world: World) -> None:
    await world.setup()
    for who in (world.ana, world.gina):
        for value in ("", "x", "-1", "²", "9" * 30, str(world.zone.id), str(world.gm_room.id)):
            result = world.emit(who, "sg:gmch:1", values=(value,))
            await world.env.settle()
            text = texts(message_of(result))
            assert "a fault in Storyguide" not in text
            assert who is world.gina or "GM" in refusal_of(result)
    assert (await world.state()).settings.gm_place == str(world.gm_room.id)


async def test_a_table_is_not_reached_from_a_channel_that_is_none_of_its_own(world: World) -> None:
    """Ids are short, and those of a table behind closed doors can be guessed."""
    await world.table()
    dora = world.member("dora")
    room = secret_room(world.env, world.guild, "behind doors", world.gina, dora)
    await world.gina.slash(room, "setup", game="ebb", name="Nocturne")
    await dora.slash(
        room, "character import", file=("d.json", json.dumps(ebb_character("Dorov")).encode())
    )
    await dora.slash(room, "check", skill="Climbing", approach="hushhush")
    rows = [f"sg:show:{row}" for row in range(1, 30)]
    for custom_id in ("sg:chk:2:c1", "sg:chq:2:c1.1:own", f"sg:board:2:{room.id}:0:0:join", *rows):
        result = world.emit(world.ana, custom_id)
        await world.env.settle()
        told = private(result)
        for secret in ("Nocturne", "Dorov", "hushhush"):
            assert secret not in told, custom_id
