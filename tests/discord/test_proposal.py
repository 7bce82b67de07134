"""`/check`: proposing with options or in the panel, changing it, taking it back, and what is
refused.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from simcord.actors import MemberActor

from tests.discord.world import (
    DAY,
    World,
    button,
    card,
    dialog_values,
    head,
    is_layout,
    labels,
    menu,
    menus,
    message_of,
    pings,
    private,
    public,
    refusal_of,
    selected_values,
    texts,
)
from tests.sample_table import ebb_character

ABILITY = "Skill"
ATTRIBUTE = "Attribute"
LEVEL = "Difficulty"
OPTIONS = "All the rest"


async def _turn_to(world: World, who: MemberActor, panel: Any, placeholder: str) -> None:
    """Turn the pages of a panel until a menu is there."""
    for _ in range(4):
        if menus(panel, placeholder):
            return
        await world.press(who, panel, "More…")
    raise AssertionError(f"no menu {placeholder!r}")


async def _pick(world: World, who: MemberActor, panel: Any, placeholder: str, *values: str) -> Any:
    """Choose in a menu, on whatever page of the panel it is."""
    await _turn_to(world, who, panel, placeholder)
    return await world.choose(who, panel, placeholder, *values)


async def _write(world: World, who: MemberActor, panel: Any, approach: str) -> Any:
    """Say in the panel how it is done; what stands in the dialog's other fields stays."""
    dialog = await world.press(who, panel, "Write…")
    assert dialog.modal is not None
    stand = {row["component"]["custom_id"]: row["component"] for row in dialog.modal["components"]}
    kept = {key: each["value"] for key, each in stand.items() if each.get("value")}
    return await who.submit_modal(dialog, kept | {"approach": approach})


def _cards(world: World) -> list[Any]:
    """The cards in the channel."""
    return [each for each in world.messages()[3:] if is_layout(each)]


def _calls(world: World) -> list[Any]:
    """The short messages that called somebody and stand there still."""
    return [each for each in world.messages()[3:] if not is_layout(each)]


# --- with options ---------------------------------------------------------------------------------


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_proposal_stands_in_the_channel_and_calls_the_gm(world: World) -> None:
    await world.table()
    proposal = await world.propose(
        skill="climb",
        attribute="fit",
        difficulty="tricky",
        modifier=1,
        **{"with": "dilemma:2, drawback"},
    )
    text = public(proposal)
    assert text.startswith("## Waiting for the GM\nMarek: Climbing")
    assert "Climbing d8 (veteran) and Fitness (doesn't count while defying a drawback)" in text
    assert "> up the drainpipe, slowly" in text
    assert "**Suggested difficulty:** Tricky (10)" in text
    assert "removes 2 major dilemmas (2 levels easier)" in text
    assert "+1 to the total" in text
    assert labels(message_of(proposal)) == ["Edit", "React"]
    assert pings(message_of(proposal).message, world.env) == [], "a layout calls nobody"
    (call,) = _calls(world)
    assert call.content == (f"{world.gina.mention}, your call on Marek: “up the drainpipe, slowly”")
    assert labels(call) == ["Answer"]
    assert pings(call, world.env) == [world.gina.id]


async def test_the_beginning_of_a_name_is_enough(world: World) -> None:
    await world.table()
    assert ": Climbing d8" in public(await world.propose(skill="Climbin"))
    assert "Alertness" in public(await world.propose(skill="Climbing", attribute="Alertnes"))


MISTYPED_OPTIONS: Final = (
    ({"skill": "Climbjng"}, "No ability “Climbjng” on this sheet. Did you mean “Climbing”?"),
    ({"skill": "R"}, "could be Running or Rifles"),
    ({"attribute": "Fitnes s"}, "Did you mean “Fitness”?"),
    ({"difficulty": "Trickyy"}, "No difficulty “Trickyy”."),
    ({"difficulty": "0"}, "A plain number works too."),
    ({"difficulty": "10000"}, "A plain number works too."),
    ({"with": "drawbak"}, "`with` has no “drawbak”. Did you mean “drawback”?"),
    ({"with": "flaw:3"}, "`flaw`: invalid value: 3. Use 1 to 2."),
    ({"with": "specialist"}, "`with` has no “specialist”."),
    ({"with": "flaw, flaw:2"}, "appears twice, or contradicts another word"),
    ({"difficulty": "3"}, "Invalid value: 3. Easy is 4, and nothing is easier."),
    ({"as": "Mark"}, "You have no character “Mark” to act as here. Did you mean “Marek”?"),
    ({"as": "Ilka"}, "You have no character “Ilka” to act as here."),
    ({"approach": "\x07"}, "has characters that can't be shown"),
)


async def test_a_mistyped_option_is_told_privately_and_changes_nothing(world: World) -> None:
    await world.table()
    before = await world.revision()
    for options, expected in MISTYPED_OPTIONS:
        text = refusal_of(await world.propose(**({"skill": "Climbing"} | options)))
        assert expected in text
        assert "in this file" not in text
        assert await world.revision() == before
        assert len(world.messages()) == 3


async def test_a_slow_answer_calls_the_gm_all_the_same(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was announced is filled in by an edit, and edits call nobody."""
    await world.table()
    world.slow_down(monkeypatch)
    proposal = await world.propose(skill="Climbing")
    assert public(proposal).startswith("## Waiting for the GM\n")
    (call,) = _calls(world)
    assert call.content.startswith(
        f"{world.gina.mention}, your call on Marek: “up the drainpipe, slowly”"
    )
    assert pings(call, world.env) == [world.gina.id]
    await world.answer(message_of(proposal))
    assert call.id not in [each.id for each in world.messages()], (
        "whoever has answered is not called"
    )
    assert card(world).startswith("## Marek, roll d10")
    assert len(_cards(world)) == 1


async def test_what_players_type_is_shown_as_text(world: World) -> None:
    await world.table()
    approach = "# loud\n@everyone <@1> **bold** [x](http://a.b) ||z||"
    proposal = await world.propose(approach=approach)
    text = public(proposal)
    assert "> \\# loud" in text
    assert "**bold**" not in text
    assert "@everyone" not in text
    assert "@everyone" not in world.last().content
    assert pings(world.last(), world.env) == [world.gina.id]


async def test_the_longest_idea_fits(world: World) -> None:
    await world.table()
    idea = "é" * 1000
    assert idea in public(await world.propose(approach=idea, skill="Climbing"))
    shown = await world.press(world.gina, world.last(), "Answer")
    assert "é" * 900 in private(shown)


async def test_a_proposal_without_anything_is_the_main_die_alone(world: World) -> None:
    await world.table()
    text = public(await world.propose())
    assert ": no skill (d10 only)" in text


# --- the panel ------------------------------------------------------------------------------------


async def test_the_panel_has_everything_and_tells_nobody(world: World) -> None:
    await world.table()
    opened = await world.ana.slash(world.zone, "check")
    text = private(opened)
    panel = message_of(opened)
    assert "Marek: what do you try?" in text
    assert labels(panel) == ["Send", "Write…", "More… (1 of 2)", "Cancel"]
    assert [option["label"] for option in menu(panel, ABILITY)["options"]][:3] == [
        "Skill: none",
        "Climbing d8",
        "Running d6",
    ]
    assert len(menu(panel, ATTRIBUTE)["options"]) == 9
    assert menu(panel, LEVEL)["options"][0]["label"] == "Difficulty: none"
    assert [option["label"] for option in menu(panel, "Who sees it")["options"]] == [
        "Who sees it: everyone",
        "only you and the GMs",
        "only the GMs see the result",
    ]
    left = await world.press(world.ana, panel, "Cancel")
    assert "Nothing was sent." in private(left)
    assert len(world.messages()) == 3
    assert await world.revision() == 3


@pytest.mark.rule("EBB-ROLL", "EBB-SHIFT", "EBB-DRAWBACK")
async def test_the_odds_in_the_panel_are_right_and_live(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    # The main die alone: 2..9 and a 10 with anything after it; a 1 always fails. The menu tells it,
    # the panel not yet.
    assert "Easy (4) · 70%" in texts(panel) and "Tricky (10) · 10%" in texts(panel)
    assert "Easy (4): " not in texts(panel)
    changed = await _pick(world, world.ana, panel, ABILITY, "Climbing")
    # d10 + d8 >= 10: for 2..9 there are 1..8 faces of eight, and a 10 is always enough: (36/8 + 1)
    # / 10.
    assert "Tricky (10): 55% · " in private(changed)
    assert selected_values(message_of(changed), ABILITY) == ["Climbing"]
    await _pick(world, world.ana, panel, ATTRIBUTE, "Fitness")
    await _pick(world, world.ana, panel, LEVEL, "Tricky")
    text = texts(panel)
    # One point more: (2/8 + 3/8 + … + 8/8 + 8/8 + 1) / 10 = (43/8 + 1) / 10.
    assert "Tricky (10): 64% · 1+ extra" in text
    assert "automatic failure" not in text, "as likely at every level"
    assert "Easy (4)" not in text.split("### Odds\n")[1].split("\n")[0], "only the level in mind"
    await _pick(world, world.ana, panel, OPTIONS, "drawback")
    # No attribute counts and one level harder: d10 + d8 >= 13: (0+0+0+1/8+…+5/8 + 1·…)
    assert "Difficult (13):" in texts(panel)
    await _pick(world, world.ana, panel, OPTIONS, "dilemma: 3")
    assert "Easy (4):" in texts(panel)
    await _pick(world, world.ana, panel, ABILITY, ":none")
    await _pick(world, world.ana, panel, ATTRIBUTE, ":none")
    assert "Easy (4): 70%" in texts(panel)


@pytest.mark.rule("EBB-PROPOSAL")
async def test_superior_equipment_and_missing_tools_may_both_be_so(world: World) -> None:
    await world.table()
    options = {"skill": "Climbing", "with": "superior, missing-tools"}
    text = public(await world.propose(**options))
    assert (
        "superior equipment (1 level easier)" in text and "missing tools (1 level harder)" in text
    )


async def test_the_panel_describes_and_sends(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await _pick(world, world.ana, panel, ABILITY, "Climbing")
    early = await world.press(world.ana, panel, "Send")
    assert early.modal is not None, "what is missing is asked for"
    assert "First say how you do it" in early.modal["components"][0]["description"]
    assert early.modal["components"][0]["label"] == "Approach"
    assert (await world.state()).checks == {}
    described = await _write(world, world.ana, panel, "through the window")
    assert "through the window" in private(described), "after Write… it is looked at before it goes"
    assert selected_values(panel, ABILITY) == ["Climbing"], "what was chosen is there still"
    again = await world.press(world.ana, panel, "Write…")
    assert again.modal is not None
    stands = [row["component"].get("value") for row in again.modal["components"]]
    assert "through the window" in stands
    private(await world.press(world.ana, panel, "Send"))
    assert "> through the window" in card(world)
    assert ": Climbing d8 (veteran)" in card(world)
    assert pings(world.last(), world.env) == [world.gina.id]


async def test_a_proposal_is_sent_once_however_often_the_button_is_pressed(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await _write(world, world.ana, panel, "through the window")
    send = button(panel, "Send")
    private(await world.press(world.ana, panel, "Send"))
    again = world.emit(world.ana, send, panel)
    await world.env.settle()
    assert "That panel is gone. Open a new one" in refusal_of(again)
    assert len((await world.state()).checks) == 1
    assert len(_cards(world)) == 1


@pytest.mark.parametrize(
    ("chosen_", "mark"),
    [
        ("private", "Only you and the GMs see this"),
        ("blind", "Blind: only the GM sees the dice and the result"),
    ],
)
async def test_the_panel_says_who_sees_it(world: World, chosen_: str, mark: str) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await _pick(world, world.ana, panel, "Who sees it", chosen_)
    await _write(world, world.ana, panel, "quietly")
    sent = await world.press(world.ana, panel, "Send")
    assert mark in private(sent)
    assert "quietly" not in world.told(world.ben)
    assert (await world.state()).checks["h1"].visibility == chosen_


async def test_a_visibility_may_be_taken_back_in_the_panel(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check", visibility="private"))
    await _write(world, world.ana, panel, "loudly")
    await _turn_to(world, world.ana, panel, "Who sees it")
    none = menu(panel, "Who sees it")["options"][0]["value"]
    await world.choose(world.ana, panel, "Who sees it", none)
    await world.press(world.ana, panel, "Send")
    assert "> loudly" in card(world)


async def test_a_visibility_alone_opens_the_panel_with_it(world: World) -> None:
    await world.table()
    opened = await world.ana.slash(world.zone, "check", visibility="blind")
    private(opened)
    await _turn_to(world, world.ana, message_of(opened), "Who sees it")
    assert selected_values(message_of(opened), "Who sees it") == ["blind"]
    assert await world.revision() == 3


async def test_the_panel_is_for_one_of_ones_characters(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Jana", abilities=_swimmer())
    panel = message_of(await world.ana.slash(world.zone, "check", **{"as": "Jana"}))
    assert "Jana: what do you try?" in texts(panel)
    await _pick(world, world.ana, panel, ABILITY, "Swimming")
    await _turn_to(world, world.ana, panel, "Who acts")
    marek = next(
        each for each in menu(panel, "Who acts")["options"] if each["label"].endswith("Marek")
    )
    await world.choose(world.ana, panel, "Who acts", marek["value"])
    assert "Marek: what do you try?" in texts(panel)
    await _write(world, world.ana, panel, "across the canal")
    assert "Swimming d" not in texts(panel), "another sheet has other abilities"


def _swimmer() -> list[dict[str, str]]:
    abilities = ebb_character("x")["abilities"]
    abilities[0]["name"] = "Swimming"
    return abilities


async def test_a_gms_panel_for_their_npcs_rolls_at_once(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    panel = message_of(await world.gina.slash(world.zone, "check", **{"as": "Sidor"}))
    await _pick(world, world.gina, panel, LEVEL, "Tricky")
    await _write(world, world.gina, panel, "hits the door")
    assert "Tricky (10): 10%" in texts(panel)
    world.dice.lay(9)
    rolled = await world.press(world.gina, panel, "Roll")
    assert "d10 (9) = **9**" in private(rolled)
    assert "d10 (9) = **9**\nIt has some effect." in card(world)
    assert "Sidor" not in world.told(world.ana)


async def test_many_abilities_are_offered_as_far_as_a_menu_goes(world: World) -> None:
    await world.setup()
    many = [{"name": f"Craft {number}", "group": "Education", "die": "d6"} for number in range(40)]
    await world.bring(
        world.ana, "Marek", grown=True, abilities=many, drawbacks=[f"D{n}" for n in range(40)]
    )
    panel = message_of(await world.ana.slash(world.zone, "check"))
    assert len(menu(panel, ABILITY)["options"]) == 25
    shown: set[str] = set()
    for _ in range(2):
        shown |= {option["value"] for option in menu(panel, ABILITY)["options"]}
        await world.choose(world.ana, panel, ABILITY, ":more")
    assert {f"Craft {number}" for number in range(40)} <= shown, "its pages have all of them"
    choices = await world.ana.autocomplete(world.zone, "check", "skill", "craft 3")
    assert [choice["value"] for choice in choices][:2] == ["Craft 3", "Craft 30"]
    public(await world.propose(skill="Craft 39"))


async def test_the_panel_belongs_to_whoever_opened_it(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await _write(world, world.ana, panel, "up the drainpipe")
    pressed = world.emit(world.ben, button(panel, "Send"), panel)
    await world.env.settle()
    assert "That panel belongs to somebody else." in refusal_of(pressed)
    assert (await world.state()).checks == {}


# --- changing and withdrawing ---------------------------------------------------------------------


async def test_a_proposal_is_changed_in_the_panel(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", attribute="Fitness", difficulty="Tricky")
    (call,) = _calls(world)
    panel = message_of(await world.press(world.ana, message_of(proposal), "Edit"))
    assert selected_values(panel, ABILITY) == ["Climbing"]
    assert selected_values(panel, ATTRIBUTE) == ["Fitness"]
    assert selected_values(panel, LEVEL) == ["Tricky"]
    assert "up the drainpipe" in texts(panel)
    await _pick(world, world.ana, panel, ABILITY, "Running")
    await _pick(world, world.ana, panel, ATTRIBUTE, ":none")
    await _write(world, world.ana, panel, "a run-up and a jump")
    old = button(call, "Answer")
    private(await world.press(world.ana, panel, "Save changes"))
    text = card(world)
    assert text.startswith("## Waiting for the GM\n")
    assert ": Running d6" in text
    assert "> a run-up and a jump" in text
    assert "Climbing" not in text
    assert "drainpipe" not in text
    (call,) = _calls(world)
    assert pings(call, world.env) == [world.gina.id]
    assert len(_cards(world)) == 1, "it is the same card"
    late = world.emit(world.gina, old, call)
    await world.env.settle()
    assert "That has moved on" in refusal_of(late), "a GM answers only what they have read"


async def test_only_the_owner_changes_a_proposal(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
    pressed = await world.press(world.ben, proposal, "Edit")
    assert f"Marek belongs to {world.ana.mention}, so only they can do that." in refusal_of(pressed)
    shown = await world.press(world.gina, proposal, "Edit")
    assert labels(message_of(shown)) == ["Withdraw"], (
        "a GM takes it off the table, and changes nothing in it"
    )
    number = (await world.state()).checks["c1"].prompt("own")
    assert number is not None
    forged = world.emit(world.ben, f"sg:cho:1:c1.{number.number}:own:k1:revise", proposal)
    await world.env.settle()
    assert f"Marek belongs to {world.ana.mention}, so only they can do that." in refusal_of(forged)
    assert (await world.state()).checks["c1"].is_open


async def test_owner_and_gm_may_withdraw(world: World) -> None:
    await world.table()
    for name, who, told in (
        ("c1", world.ana, "## Withdrawn\n"),
        ("c2", world.gina, "## Withdrawn by the GM\n"),
    ):
        proposal = message_of(await world.propose(skill="Climbing"))
        panel = message_of(await world.press(who, proposal, "Edit"))
        assert (await world.state()).checks[name].is_open, (
            "nothing is done that the button does not say"
        )
        await world.press(who, panel, "Withdraw")
        assert card(world, name).startswith(told)
        assert labels(_cards(world)[-1]) == []
        assert not [each for each in world.messages() if labels(each) == ["Answer"]]
        assert pings(_cards(world)[-1], world.env) == []
        assert not (await world.state()).checks[name].is_open
        assert world.dice.left == 0
    await world.propose(skill="Climbing")
    number = (await world.state()).checks["c3"].prompt("own")
    assert number is not None
    forged = world.emit(world.ben, f"sg:cho:1:c3.{number.number}:own:k1:withdraw")
    await world.env.settle()
    refusal_of(forged)
    assert (await world.state()).checks["c3"].is_open


async def _ask_back(world: World, question: str) -> Any:
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    dialog = await world.press(world.gina, panel, "Ask…")
    return message_of(await world.gina.submit_modal(dialog, {"question": question}))


async def test_the_gm_asks_back_and_the_player_answers(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    question = (
        "Which hand holds the rope, and what do you do about the dog at the bottom of the wall?"
    )
    assert head(await _ask_back(world, question)) == "Question sent", (
        "what is typed is asked at once"
    )
    (call,) = _calls(world)
    assert call.content.startswith(
        f"{world.ana.mention}, the GM asks Marek: “Which hand holds the rope, and"
    )
    assert pings(call, world.env) == [world.ana.id]
    assert card(world).startswith("## The GM asks Marek\n")
    assert question in card(world)
    assert labels(_cards(world)[0]) == ["Reply", "Withdraw"]
    dialog = await world.press(world.ana, call, "Reply")
    assert dialog.modal is not None
    first = dialog.modal["components"][0]
    assert (first["label"], first["description"]) == ("Approach", question), (
        "whoever replies can read it"
    )
    panel = message_of(await world.ana.submit_modal(dialog, dialog_values(dialog)))
    assert "Your reply changes nothing yet." in texts(panel)
    assert selected_values(panel, ABILITY) == ["Climbing"], "what else may be changed is there"
    assert (await world.state()).checks["c1"].data.question == question
    await _write(world, world.ana, panel, "the left one; the dog gets my lunch")
    (call,) = _calls(world)
    assert pings(call, world.env) == [world.gina.id]
    assert "my lunch" in card(world)
    assert question not in card(world)
    assert (await world.state()).checks["c1"].data.question == ""
    assert "the left one" in private(await world.press(world.gina, call, "Answer"))


async def test_an_empty_question_is_refused(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    panel = await _ask_back(world, "   ")
    assert "Fill in Question first." in texts(panel)
    dialog = await world.press(world.gina, panel, "Ask")
    assert dialog.modal is not None, "what is missing is asked for"
    assert dialog.modal["components"][0]["description"] == "Question: missing."
    assert (await world.state()).checks["c1"].data.question == ""


# --- reminders ------------------------------------------------------------------------------------


async def test_the_gm_is_reminded_of_a_proposal_three_times_and_no_more(world: World) -> None:
    await world.table(silence=0)
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.env.advance_time(DAY - 10)
    assert len(world.messages()) == count
    await world.env.advance_time(20)
    call = f"{world.gina.mention}, reminder: your call on Marek: “up the drainpipe, slowly”"
    reminder = world.last()
    assert reminder.content == call
    assert pings(reminder, world.env) == [world.gina.id]
    assert labels(reminder) == ["Answer"]
    assert len(_calls(world)) == 1, "the call has moved on to the reminder"
    await world.env.advance_time(DAY)
    second = world.last()
    assert (second.id != reminder.id, second.content) == (True, call)
    await world.env.advance_time(2 * DAY)
    last = world.last()
    assert last.content == f"{call}. This is the last reminder. It stays in `/moves`."
    count = len(world.messages())
    await world.env.advance_time(50 * DAY)
    assert len(world.messages()) == count
    await world.restart()
    await world.env.advance_time(50 * DAY)
    assert len(world.messages()) == count
    assert "drainpipe" in texts(message_of(await world.gina.slash(world.zone, "moves")))
    await world.rule(message_of(await world.press(world.gina, last, "Answer")))
    assert world.newest("Roll") is not None


async def test_the_player_is_reminded_of_the_question_and_of_the_roll(world: World) -> None:
    await world.table(answer_hours=2)
    await world.propose(skill="Climbing")
    await _ask_back(world, "how?")
    await world.env.advance_time(2 * 3600 + 1)
    assert world.last().content == (f"{world.ana.mention}, reminder: the GM asks Marek: “how?”")
    assert pings(world.last(), world.env) == [world.ana.id]
    await world.answered(who=world.ben)
    await world.env.advance_time(2 * 3600 + 1)
    assert world.last().content.startswith(f"{world.ben.mention}, reminder: Ilka, roll d10")
    assert pings(world.last(), world.env) == [world.ben.id]


async def test_a_reminder_that_was_due_while_the_bot_was_away_comes_at_its_start(
    world: World,
) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.bot.close()
    await world.env.advance_time(3 * DAY)
    await world.restart()
    await world.env.settle()
    assert len(world.messages()) == count + 1, (
        "the call has moved on to the reminder, and the old card is a link"
    )
    assert "reminder:" in world.last().content
