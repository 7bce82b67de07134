"""Who gets to see what: private and blind checks, stubs, the GM channel, and a hidden number hunted
for.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from simcord.actors import MemberActor
from simcord.results import InteractionResult

from tests.discord.world import (
    DAY,
    World,
    button,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    secret_room,
    select,
    texts,
)
from tests.sample_table import barmore_character, ebb_character, ego_character, masterbook_character

STUB = "rivate message"
ROLLED, TRICKY = "d10 (9) + d8 (5) + Fitness 1 = **15**", "against 10"
IDEA = "poison in the mayor's soup"
#: What a check of EBB may ask, and what may be answered.
PROMPTS = ("rule", "own", "reply", "ready", "react", "also", "stand")
OPTIONS = ("roll", "withdraw", "reroll", "pass")


async def _private(world: World, visibility: str = "private", **options: Any) -> InteractionResult:
    return await world.propose(
        skill="Climbing", attribute="Fitness", approach=IDEA, visibility=visibility, **options
    )


async def _opened(world: World, who: MemberActor) -> Any:
    """What stands behind the newest stub."""
    shown = await world.press(who, world.newest("Show"), "Show")
    private(shown)
    return message_of(shown)


async def _prompt(world: World, check: str, prompt: str, route: str) -> str:
    """The beginning of the ids of a prompt that is open."""
    asked = (await world.state()).checks[check].prompt(prompt)
    assert asked is not None, prompt
    return f"sg:{route}:1:{check}.{asked.number}:{prompt}"


async def _pressed(world: World, who: MemberActor, custom_id: str) -> InteractionResult:
    """What comes of an id, wherever its button is."""
    result = world.emit(who, custom_id)
    await world.env.settle()
    return result


def _nothing_public(world: World) -> None:
    assert IDEA not in "\n".join(texts(message) for message in world.messages())
    assert IDEA not in world.told(world.ben)


# --- without a GM channel -------------------------------------------------------------------------


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_a_check_that_is_not_public_goes_by_stubs(world: World, visibility: str) -> None:
    await world.table()
    proposal = await _private(world, visibility)
    assert IDEA in private(proposal)
    stub = world.last()
    assert STUB in texts(stub)
    assert stub.content.startswith(f"{world.gina.mention}: a private message, for your eyes only.")
    assert labels(stub) == ["Show"]
    assert pings(stub, world.env) == [world.gina.id]
    assert "Marek" not in texts(stub)
    assert "That's meant for somebody else." in refusal_of(
        await world.press(world.ben, stub, "Show")
    )
    assert "That's meant for somebody else." in refusal_of(
        await world.press(world.ana, stub, "Show")
    )
    card = await _opened(world, world.gina)
    assert IDEA in texts(card)
    assert labels(card) == ["Answer", "Edit", "React"]
    answered = await world.rule(card, level="Tricky")
    assert "against 10" in private(answered)
    mine = world.last()
    assert mine.content.startswith(f"{world.ana.mention}: a private message, for your eyes only.")
    assert pings(mine, world.env) == [world.ana.id]
    assert sum(STUB in texts(each) for each in world.messages()) == 1, (
        "what moved on leaves nothing behind"
    )
    ready = await _opened(world, world.ana)
    assert labels(ready) == ["Roll", "React"]
    assert "That's meant for somebody else." in refusal_of(
        await world.press(world.ben, mine, "Show")
    )
    world.dice.lay(9, 5)
    rolled = await world.press(world.ana, ready, "Roll")
    private(rolled)
    gm = await _opened(world, world.gina)
    assert ROLLED in texts(gm)
    assert TRICKY in texts(gm)
    if visibility == "private":
        assert ROLLED in private(rolled)
        assert TRICKY in private(rolled)
        assert "Only you and the GMs see this" in private(rolled)
    else:
        assert "Rolled: only the GM sees the result" in private(rolled)
        assert "**15**" not in private(rolled)
        assert "d10 (" not in world.told(world.ana)
    _nothing_public(world)


async def test_blind_dice_are_the_gms_alone_to_react_to(world: World) -> None:
    await world.table()
    await _private(world, "blind")
    await world.rule(await _opened(world, world.gina), level="Tricky")
    world.dice.lay(2, 2)
    rolled = await world.press(world.ana, await _opened(world, world.ana), "Roll")
    assert labels(message_of(rolled)) == [], "nobody can react to what they do not see"
    forged = world.emit(world.ana, "sg:cho:1:h1.3:react:k1:reroll")
    await world.env.settle()
    assert refusal_of(forged)
    assert "You have no open check to spend on." in private(
        await world.ana.slash(world.zone, "spend")
    )
    assert "failure" not in world.told(world.ana).casefold()
    assert not (await world.state()).checks["h1"].is_open
    assert "failure" not in world.told(world.ana).casefold()


async def test_others_learn_nothing_of_a_private_check_by_its_ids(world: World) -> None:
    await world.table()
    await _private(world)
    for custom_id in (
        "sg:chk:1:h1",
        *(f"sg:chq:1:h1.{number}:{prompt}" for number in (1, 7) for prompt in PROMPTS),
        "sg:cho:1:h1.1:own:k1:withdraw",
        "sg:cho:1:h1.1:own:k1:revise",
        "sg:cho:1:h1.1:rule:-:roll",
        "sg:cho:1:h1.7:own:k1:withdraw",
        "sg:cho:1:h1.2:ready:k1:luck:Fitness",
        "sg:chm:1:h1.1:rule:-:0",
    ):
        forged = world.emit(world.ben, custom_id)
        await world.env.settle()
        refusal_of(forged)
    assert "Nothing to do right now." in private(await world.ben.slash(world.zone, "moves"))
    assert "Open checks" not in private(await world.ben.slash(world.zone, "table show"))
    text = private(await world.ana.slash(world.zone, "table show"))
    assert "h1 · Marek, " in text and ": waiting for the GM" in text
    private(await world.ben.slash(world.zone, "table last"))
    _nothing_public(world)


async def test_a_private_check_is_reminded_of_by_a_stub(world: World) -> None:
    await world.table()
    await _private(world)
    count = len(world.messages()) - 1  # the reminder takes the place of what stood there
    await world.env.advance_time(DAY + 10)
    new = world.messages()[count:]
    assert [pings(message, world.env) for message in new if "Show" in labels(message)] == [
        [world.gina.id]
    ]
    assert all(STUB in texts(message) for message in new)
    _nothing_public(world)


async def test_a_gms_own_secret_roll_needs_no_stub_for_anybody(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    count = len(world.messages())
    world.dice.lay(4)
    rolled = await world.propose(
        world.gina, difficulty="Tricky", visibility="private", approach=IDEA, **{"as": "Sidor"}
    )
    assert "d10 (4) = **4**" in private(rolled)
    assert TRICKY in private(rolled)
    assert len(world.messages()) == count
    for who in (world.ana, world.ben):
        assert "Sidor" not in world.told(who)
    _nothing_public(world)


# --- with a GM channel ----------------------------------------------------------------------------


async def test_secrets_go_to_the_gm_channel(world: World) -> None:
    await world.table(gm_channel=True)
    await _private(world, "blind")
    assert STUB not in texts(world.last())
    proposal, call = world.messages(world.gm_room)
    assert IDEA in texts(proposal)
    assert call.content == f"{world.gina.mention}, your call on Marek: “{IDEA}”"
    assert pings(call, world.env) == [world.gina.id]
    await world.rule(proposal, level="Tricky")
    assert labels(world.messages(world.gm_room)[0]) == [], "its buttons are gone"
    world.dice.lay(9, 5)
    rolled = await world.press(world.ana, await _opened(world, world.ana), "Roll")
    assert "only the GM sees the result" in private(rolled)
    result = world.last(world.gm_room)
    assert ROLLED in texts(result)
    assert TRICKY in texts(result)
    assert "Only GMs see this" in texts(result)
    assert pings(result, world.env) == []
    _nothing_public(world)


async def test_the_hidden_side_of_a_public_roll_goes_to_the_gm_channel(world: World) -> None:
    await world.table(gm_channel=True)
    message = await world.rolled(5, 3, hidden=True, level="Legendary")
    assert "(22)" not in texts(message)
    assert "d10 (5) + d8 (3) + Fitness 1 = **9**" in texts(world.last(world.gm_room))
    assert "against 22" in texts(world.last(world.gm_room))
    assert "Only GMs see this" in texts(world.last(world.gm_room))


async def test_without_a_gm_channel_the_hidden_side_is_under_react(world: World) -> None:
    await world.table()
    count = len(world.messages())
    message = await world.rolled(5, 3, hidden=True, level="Legendary")
    assert len(world.messages()) == count + 1, "no stub for what can be looked up"
    assert "against 22" in private(await world.press(world.gina, message, "React"))
    assert "(22)" not in private(await world.press(world.ana, message, "React"))


async def test_a_gm_channel_that_became_readable_gets_nothing_more(world: World) -> None:
    await world.table(gm_channel=True)
    world.let_read(world.gm_room, world.guild.default_role)
    await _private(world)
    assert world.messages(world.gm_room) == []
    stub = world.last()
    assert STUB in texts(stub)
    card = await _opened(world, world.gina)
    assert IDEA in texts(card)
    await world.rule(card, level="Tricky")
    world.dice.lay(9, 5)
    await world.press(world.ana, await _opened(world, world.ana), "Roll")
    assert world.messages(world.gm_room) == []
    _nothing_public(world)


async def test_a_gm_channel_that_is_gone_leaves_a_stub(world: World) -> None:
    await world.table(gm_channel=True)
    world.env.backend.delete_channel(world.gm_room.id)
    await _private(world)
    assert STUB in texts(world.last())
    assert IDEA in texts(await _opened(world, world.gina))


async def test_a_new_gm_channel_is_checked(world: World) -> None:
    await world.table()
    answer = await world.gina.slash(world.zone, "gm channel", channel=world.zone)
    assert "Everybody can read that channel" in refusal_of(answer)
    changed = await world.gina.slash(world.zone, "gm channel", channel=world.gm_room)
    private(changed)
    assert f"Secrets for the GMs go to {world.gm_room.mention}." in texts(world.last())
    assert (await world.state()).settings.gm_place == str(world.gm_room.id)
    shown = await world.gina.slash(world.zone, "gm channel")
    assert f"Now: Secrets for the GMs go to {world.gm_room.mention}." in private(shown)
    assert (await world.state()).settings.gm_place == str(world.gm_room.id), "it was only shown"
    none = await world.press(world.gina, message_of(shown), "No GM channel")
    private(none)
    assert "wait behind a button" in texts(world.last())
    assert (await world.state()).settings.gm_place is None
    shown = await world.gina.slash(world.zone, "gm channel")
    assert "Now:" not in private(shown)
    await world.gina.select(
        message_of(shown),
        [world.gm_room],
        custom_id=select(message_of(shown), "A channel for GMs only"),
    )
    assert (await world.state()).settings.gm_place == str(world.gm_room.id)
    refusal_of(await world.ana.slash(world.zone, "gm channel"))


async def test_a_role_that_leads_may_read_the_gm_channel(world: World) -> None:
    await world.table()
    masters = world.guild.create_role("masters")
    room = secret_room(world.env, world.guild, "masters-room", world.gina)
    world.let_read(room, masters)
    refusal_of(await world.gina.slash(world.zone, "gm channel", channel=room))
    await world.gina.slash(world.zone, "gm members", add_role=masters)
    private(await world.gina.slash(world.zone, "gm channel", channel=room))
    await world.gina.slash(world.zone, "gm members", remove_role=masters)
    await _private(world)
    assert world.messages(room) == [], "it is not fit any more"


# --- the first moment -----------------------------------------------------------------------------


async def test_what_may_be_secret_is_answered_privately_from_the_first_moment(world: World) -> None:
    """The options of a command that is answered in public can be read by everybody."""
    await world.table(gm_channel=True)
    await world.bring(world.gina, "Sidor", npc=True)
    calls: list[tuple[MemberActor, str, dict[str, Any]]] = [
        (world.ana, "check", {}),
        (world.ana, "check", {"visibility": "private", "skill": "Climbing", "approach": "x"}),
        (world.ana, "check", {"visibility": "blind", "skill": "Climbing", "approach": "x"}),
        (world.ana, "moves", {}),
        (world.ana, "help", {}),
        (world.ana, "character show", {}),
        (world.ana, "character list", {}),
        (world.gina, "character use", {"character": "Sidor"}),
        (world.gina, "character show", {"character": "Sidor"}),
        (world.ana, "table show", {}),
        (world.ana, "table last", {}),
        (world.ana, "table undo", {}),
        (world.ana, "table plain", {"on": True}),
        (world.gina, "gm members", {}),
        (world.gina, "gm settings", {}),
        (world.gina, "gm settings", {"reveal": "all"}),
        (world.gina, "gm channel", {}),
        (world.gina, "gm undo", {}),
    ]
    for who, command, options in calls:
        result = await who.slash(world.zone, command, **options)
        assert result.ephemeral, (command, options)
        private(result)


async def test_a_slow_private_answer_is_announced_privately(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    world.slow_down(monkeypatch)
    result = await _private(world)
    assert IDEA in private(result)
    callbacks = [request.json for request in world.requests("POST", "/interactions")]
    assert (callbacks[-1] or {})["type"] == 5
    assert (callbacks[-1] or {})["data"]["flags"] & 64


async def test_a_slow_refusal_leaves_nothing_in_public(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    world.slow_down(monkeypatch)
    count = len(world.messages())
    refusal = await world.propose(skill="Climbin_", approach="x", visibility="public")
    assert refusal.response is None, "the public place that was announced is taken back"
    assert len(world.messages()) == count
    whispered = world.requests("POST", "/webhooks")[-1].json or {}
    assert whispered["flags"] & 64
    assert "Did you mean “Climbing”?" in str(whispered["components"])


@pytest.mark.parametrize("crowded", [False, True])
@pytest.mark.parametrize(
    ("system", "sheet", "options"),
    [
        ("ebb", ebb_character("Zorvath"), {"skill": "Climbing", "attribute": "Fitness"}),
        ("barmore", barmore_character("Zorvath"), {"skill": "Athletics"}),
        ("ego", ego_character("Zorvath"), {"attribute": "agility"}),
        ("masterbook", masterbook_character("Zorvath"), {"attribute": "dexterity"}),
    ],
)
async def test_what_a_gm_hides_in_a_check_is_private_from_its_first_answer(
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    system: str,
    sheet: dict[str, Any],
    options: dict[str, str],
    crowded: bool,
) -> None:
    """The options of a public answer can be read by all; who acts need not be said where a GM has
    one NPC.
    """
    await world.setup(system=system)
    private(await world.hand_in(world.gina, "z.json", json.dumps(sheet), npc=True, grown=True))
    await world.gina.slash(world.zone, "gm npc reveal", npc="Zorvath")
    if crowded:
        monkeypatch.setattr("bot.ui.interactions.QUEUE_THRESHOLD", -1)
    hidden = {"difficulty": "13", "approach": "x", "with": "hidden", **options}
    private(await world.gina.slash(world.zone, "check", **hidden))
    assert (await world.check()).hidden
    refusal_of(await world.gina.slash(world.zone, "check", **hidden | {"with": "hiden"}))
    assert (world.requests("POST", "/interactions")[-1].json or {})["data"]["flags"] & 64


# --- the hunt -------------------------------------------------------------------------------------

NUMBER, NAMED = "9137", "Legendary+3"
NOTE = "The mayor wears a mask of wax"


async def _everything(world: World, number: str) -> None:
    """A play in which the GM hides this difficulty, with every command, mistake, edit and restart
    in it.
    """
    await world.bring(world.gina, "Sidor", npc=True)
    for visibility in ("public", "private", "blind"):
        await world.propose(
            world.ana,
            skill="Climbing",
            attribute="Fitness",
            approach="quietly",
            visibility=visibility,
        )
        name = list((await world.state()).checks)[-1]
        stale = message_of(
            await _pressed(world, world.ana, await _prompt(world, name, "own", "chq"))
        )
        if visibility == "public":
            call: Any = world.newest("Answer")
        elif (await world.state()).settings.gm_place:
            call = world.newest("Answer", world.gm_room)
        else:
            call = await _opened(world, world.gina)
        await world.rule(call, number=number, hidden=True, note="Go on.")
        for label in labels(stale):
            world.emit(world.ana, button(stale, label), stale)
        await _poke(world, name)
        world.dice.lay(4, 3)
        await _pressed(world, world.ana, await _prompt(world, name, "ready", "chq"))
        assert world.dice.left == 0
        await _poke(world, name)
        if (await world.check(name)).is_open:  # blind, nobody reacts
            await _pressed(
                world, world.ana, f"{await _prompt(world, name, 'react', 'cho')}:k1:reroll"
            )
        await _poke(world, name)
        await world.restart()
        await _poke(world, name)
    await world.gina.slash(world.zone, "gm undo")
    await world.gina.slash(world.zone, "gm undo", entry=6)
    for _ in range(3):
        await world.env.advance_time(DAY)
    await _poke(world, "c1")
    world.env.inject_error("POST", "/interactions/*", status=404, code=10062)
    await world.gina.slash(world.zone, "gm settings", reveal="degree")
    await world.gina.slash(world.zone, "gm settings", reveal="verdict")
    # The GM's own: nothing of it is for players at all.
    own = {"as": "Sidor", "difficulty": number, "visibility": "private", "approach": NOTE}
    await world.propose(world.gina, skill="Climbing", **own)
    await _poke(world, "c4")
    pressed = world.last()
    for row in range(1, 80):
        for who in (world.ana, world.ben):
            world.emit(who, f"sg:show:{row}", pressed)
    await world.env.settle()


async def _poke(world: World, name: str) -> None:
    """Everything players can ask, complete and press around a check, also what is not theirs."""
    pressed = world.last()
    for who in (world.ana, world.ben):
        for command in (
            "moves",
            "table show",
            "table last",
            "character list",
            "character show",
            "help",
        ):
            await who.slash(world.zone, command)
        for command in ("gm undo", "gm settings", "gm members", "gm channel", "table undo"):
            if who is world.ana and command == "table undo":
                continue
            await who.slash(world.zone, command)
        for option in ("skill", "attribute", "difficulty", "with", "as"):
            await who.autocomplete(world.zone, "check", option, "")
        await who.slash(world.zone, "odds", check=name)
        await who.autocomplete(world.zone, "odds", "check", "")
        await who.slash(world.zone, "spend", check=name)
        for option in ("what", "choice", "check"):
            await who.autocomplete(world.zone, "spend", option, "")
        await who.autocomplete(world.zone, "gm undo", "entry", "")
        await who.autocomplete(world.zone, "character show", "character", "")
        await who.slash(world.zone, "check", skill="none such", approach="x")
        check = (await world.state()).checks.get(name)
        numbers = {99} | {each.number for each in (() if check is None else check.asked)}
        ids = [f"sg:chk:1:{name}"]
        for at in (
            f"1:{name}.{number}:{prompt}" for number in sorted(numbers) for prompt in PROMPTS
        ):
            ids.append(f"sg:chq:{at}")
            if not (who is world.ana and at.rpartition(":")[2] in ("own", "ready", "react")):
                ids += [
                    f"sg:cho:{at}:{asked}:{option}" for asked in ("-", "k1") for option in OPTIONS
                ]
        for custom_id in (*ids, f"sg:undo:1:{await world.revision()}"):
            # What is Ana's to do at once is done elsewhere.
            if who is world.ana and custom_id.endswith((":ready", ":own")):
                continue
            world.emit(who, custom_id, pressed)
        await world.env.settle()


@pytest.mark.parametrize(("number", "gm_channel"), [(NUMBER, False), (NAMED, True)])
async def test_a_hidden_number_never_reaches_the_players(
    world: World, number: str, gm_channel: bool
) -> None:
    await world.table(gm_channel=gm_channel)
    await _everything(world, number)
    gina = world.told(world.gina)
    assert number in gina, "the hunt would find it"
    assert NOTE in gina
    for who in (world.ana, world.ben):
        # The ladder itself is no secret: it is offered for every proposal.
        told = world.told(who).replace(f'"name": "{NAMED} (31)", "value": "{NAMED}"', "")
        told = told.replace(f'"label": "{NAMED} (31)", "value": "{NAMED}", "default": false', "")
        for secret in (NOTE, "Sidor", NUMBER, NAMED, "31)"):
            assert secret not in told, f"{who.name}: …{_around(told, secret)}…"


def _around(text: str, secret: str) -> str:
    at = text.index(secret)
    return text[max(0, at - 300) : at + 60]


# --- what was fixed with the answer ---------------------------------------------------------------


@pytest.mark.parametrize("window", ["ready", "react"])
async def test_reveal_changed_while_a_window_is_open_tells_nothing(
    world: World, window: str
) -> None:
    await world.table(step_in_minutes=10, reveal="verdict")
    await world.propose(skill="Climbing", attribute="Fitness", approach="quietly")
    await world.rule(number=NUMBER, hidden=True)
    if window == "react":
        world.dice.lay(4, 3)
        await _pressed(world, world.ana, await _prompt(world, "c1", "ready", "chq"))
    assert (await world.check("c1")).prompt(window) is not None
    await world.gina.slash(world.zone, "gm settings", reveal="all")
    await world.restart()
    await _poke(world, "c1")
    if window == "ready":
        world.dice.lay(4, 3)
        await _pressed(world, world.ana, await _prompt(world, "c1", "ready", "chq"))
    await _poke(world, "c1")
    await world.env.advance_time(DAY)
    assert not (await world.check("c1")).is_open
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "table last")
        (file,) = message_of(await who.slash(world.zone, "privacy export")).attachments
        assert NUMBER not in world.told(who) + (await file.read()).decode()
    (file,) = message_of(
        await world.gina.slash(world.zone, "gm export", what="players", journal=True)
    ).attachments
    assert NUMBER not in (await file.read()).decode()
    assert "Failure" in texts(world.card("c1")) and NUMBER in world.told(world.gina)


async def test_what_was_private_while_the_gms_played_it_is_not_for_who_plays_it_now(
    world: World,
) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm npc add", name="Iwo", stage="revealed")
    sly = {"attribute": "Fitness", "visibility": "private", "approach": IDEA, "as": "Iwo"}
    await world.propose(world.gina, **sly)
    give = {"character": "Iwo", "to": world.ben}
    going = refusal_of(await world.gina.slash(world.zone, "character give", **give))
    assert "open checks: h1" in going, going
    await world.gina.slash(world.zone, "gm undo")
    world.dice.lay(9)
    await world.propose(world.gina, difficulty="Easy", **sly)
    check = [*(await world.state()).checks][-1]
    assert not (await world.state()).checks[check].is_open
    await world.gina.slash(world.zone, "character give", **give)
    await world.restart()
    for who in (world.ben, world.ana):
        for command in ("odds", "spend"):
            nothing = refusal_of(await who.slash(world.zone, command, check=check))
            assert "That check is gone" in nothing, (command, nothing)
        assert IDEA not in world.told(who)
    assert "The check is over" in refusal_of(
        await world.gina.slash(world.zone, "odds", check=check)
    )
