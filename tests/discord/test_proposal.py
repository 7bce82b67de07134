"""`/check`: proposing with options or in the panel, changing it, taking it back, and what is refused."""

from __future__ import annotations

import pytest

from tests.builders import ebb_character
from tests.discord.world import (
    DAY,
    World,
    chosen,
    controls,
    labels,
    menu,
    pings,
    private,
    public,
    refused,
    said,
    texts,
)

ABILITY = "Ability"
ATTRIBUTE = "Attribute"
LEVEL = "Difficulty you have in mind"
OPTIONS = "What makes it easier or harder"


# --- with options -------------------------------------------------------------------------------------------


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_proposal_stands_in_the_channel_and_calls_the_gm(world: World) -> None:
    await world.table()
    proposal = await world.propose(
        skill="climb", attribute="fit", difficulty="tricky", modifier=1, **{"with": "dilemma:2, drawback"}
    )
    text = public(proposal)
    assert f"{world.gina.mention}, Marek's proposal waits for your answer." in text
    assert "Marek · Climbing + Fitness" in text
    assert "**Proposal.** Waiting for the GM's answer." in text
    assert "> up the drainpipe, slowly" in text
    assert "Difficulty in mind: Tricky (10)" in text
    assert "removes 2 major dilemmas (2 levels easier)" in text
    assert "Not counted: Fitness, because a drawback is defied" in text
    assert "+1 on the total" in text
    assert labels(said(proposal)) == ["Answer", "React"]
    assert pings(said(proposal).message, world.env) == [world.gina.id]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"skill": "Climbin"}, "Did you mean “Climbing”?"),
        ({"skill": "Climbjng"}, "“Climbjng” is no ability on this sheet. Did you mean “Climbing”?"),
        ({"skill": "R"}, "could be several abilities: Running or Rifles"),
        ({"attribute": "Fitnes s"}, "Did you mean “Fitness”?"),
        ({"attribute": "Alertnes"}, "Alertness"),
        ({"difficulty": "Trickyy"}, "“Trickyy” is no difficulty."),
        ({"difficulty": "0"}, "A plain number works too."),
        ({"difficulty": "10000"}, "A plain number works too."),
        ({"with": "drawbak"}, "“drawbak” does not belong in `with`. Did you mean “drawback”?"),
        ({"with": "flaw:3"}, "The number in “flaw:3” does not fit. Behind the colon goes 1 to 2."),
        ({"with": "specialist"}, "“specialist” does not belong in `with`."),
        ({"with": "flaw, flaw:2"}, "comes twice or contradicts another word"),
        ({"with": "superior, missing-tools"}, "comes twice or contradicts another word"),
        ({"as": "Mark"}, "You have no character “Mark” to act with here. Did you mean “Marek”?"),
        ({"as": "Ilka"}, "You have no character “Ilka” to act with here."),
        ({"approach": "\x07"}, ""),
    ],
)
async def test_a_mistyped_option_is_told_privately_and_changes_nothing(
    world: World, options: dict[str, str], expected: str
) -> None:
    await world.table()
    before = await world.revision()
    answer = await world.propose(**({"skill": "Climbing"} | options))
    if options == {"skill": "Climbin"}:  # the beginning of a name is enough
        assert "Marek · Climbing" in public(answer)
        return
    if expected in ("", "Alertness"):
        assert expected in public(answer)
        return
    text = refused(answer)
    assert expected in text
    assert await world.revision() == before
    assert len(world.messages()) == 3


async def test_a_slow_answer_calls_the_gm_all_the_same(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was announced is filled in by an edit, and edits call nobody."""
    await world.table()
    world.slow_down(monkeypatch)
    proposal = await world.propose(skill="Climbing")
    assert "**Proposal.** Waiting for the GM's answer." in public(proposal)
    (call,) = proposal.followups
    assert call.content == f"{world.gina.mention}, Marek's proposal waits for your answer."
    assert pings(call.message, world.env) == [world.gina.id]
    await world.answer(said(proposal))
    assert labels(said(proposal)) == []


async def test_what_players_type_is_shown_as_text(world: World) -> None:
    await world.table()
    approach = "# loud\n@everyone <@1> **bold** [x](http://a.b) ||z||"
    proposal = await world.propose(approach=approach)
    text = public(proposal)
    assert "> \\# loud" in text
    assert "**bold**" not in text
    assert "@everyone" not in text
    assert pings(said(proposal).message, world.env) == [world.gina.id]


async def test_the_longest_idea_fits(world: World) -> None:
    await world.table()
    idea = "é" * 1000
    assert idea in public(await world.propose(approach=idea, skill="Climbing"))
    shown = await world.press(world.gina, world.last(), "Answer")
    assert "é" * 900 in private(shown)


async def test_a_proposal_without_anything_is_the_main_die_alone(world: World) -> None:
    await world.table()
    text = public(await world.propose())
    assert "With the main die alone" in text


# --- the panel ----------------------------------------------------------------------------------------------


async def test_the_panel_has_everything_and_tells_nobody(world: World) -> None:
    await world.table()
    opened = await world.ana.slash(world.zone, "check")
    text = private(opened)
    panel = said(opened)
    assert "Marek tries something" in text
    assert "Only you see this panel." in text
    assert "Press **Describe…** and say how. Without an idea there is no roll." in text
    assert labels(panel) == ["Describe…", "Seen by everyone", "Propose to the GM"]
    assert [option["label"] for option in menu(panel, ABILITY)["options"]][:3] == [
        "No ability",
        "Climbing d8",
        "Running d6",
    ]
    assert len(menu(panel, ATTRIBUTE)["options"]) == 9
    assert menu(panel, LEVEL)["options"][0]["label"] == "The GM decides"
    assert menu(panel, OPTIONS)["min_values"] == 0
    assert len(world.messages()) == 3
    assert await world.revision() == 3


@pytest.mark.rule("EBB-ROLL", "EBB-SHIFT", "EBB-DRAWBACK")
async def test_the_odds_in_the_panel_are_right_and_live(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    # The main die alone: 2..9 and a 10 with anything after it; a 1 always fails.
    assert "Easy (4): 70 % · " in texts(panel)
    assert "Tricky (10): 10 % · " in texts(panel)
    changed = await world.choose(world.ana, panel, ABILITY, "Climbing")
    # d10 + d8 >= 10: for 2..9 there are 1..8 faces of eight, and a 10 is always enough: (36/8 + 1) / 10.
    assert "Tricky (10): 55 % · " in private(changed)
    assert chosen(said(changed), ABILITY) == ["Climbing"]
    await world.choose(world.ana, panel, ATTRIBUTE, "Fitness")
    await world.choose(world.ana, panel, LEVEL, "Tricky")
    text = texts(panel)
    # One point more: (2/8 + 3/8 + … + 8/8 + 8/8 + 1) / 10 = (43/8 + 1) / 10.
    assert "Tricky (10): 64 % · 1+ extra" in text
    assert "automatic failure 10 %" in text
    assert "Easy (4)" not in text.split("Odds\n")[1].split("\n")[0], "only the level in mind"
    await world.choose(world.ana, panel, OPTIONS, "drawback")
    # No attribute counts and one level harder: d10 + d8 >= 13: (0+0+0+1/8+…+5/8 + 1·…)
    assert "Difficult (13):" in texts(panel)
    await world.choose(world.ana, panel, OPTIONS, "dilemma:3")
    assert "Easy (4):" in texts(panel)
    await world.choose(world.ana, panel, ABILITY, "none")
    await world.choose(world.ana, panel, ATTRIBUTE, "none")
    assert "Easy (4): 70 %" in texts(panel)


async def test_menus_that_contradict_each_other_say_so_in_the_panel(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    changed = await world.choose(world.ana, panel, OPTIONS, "superior", "missing-tools")
    assert "comes twice or contradicts another word" in private(changed)
    assert sorted(chosen(said(changed), OPTIONS)) == ["missing-tools", "superior"]
    await world.choose(world.ana, panel, OPTIONS, "superior")
    assert texts(panel).count("Easy (4): ") == 1, "levels that come to the same are told once"
    assert "Legendary (22): " not in texts(panel)


async def test_the_panel_describes_and_sends(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    await world.choose(world.ana, panel, ABILITY, "Climbing")
    early = await world.press(world.ana, panel, "Propose to the GM")
    assert "There is no idea yet, and without one there is no roll" in refused(early)
    dialogue = await world.press(world.ana, panel, "Describe…")
    assert dialogue.modal is not None
    assert dialogue.modal["title"] == "How do you go about it?"
    described = await world.ana.submit_modal(dialogue, {"approach": "through the window"})
    assert "through the window" in private(described)
    again = await world.press(world.ana, panel, "Describe…")
    assert again.modal is not None
    assert again.modal["components"][0]["component"]["value"] == "through the window"
    sent = await world.press(world.ana, panel, "Propose to the GM")
    assert "> through the window" in public(sent)
    assert "With Climbing d8 (veteran)" in public(sent)
    assert pings(said(sent).message, world.env) == [world.gina.id]


async def test_a_proposal_is_sent_once_however_often_the_button_is_pressed(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    dialogue = await world.press(world.ana, panel, "Describe…")
    await world.ana.submit_modal(dialogue, {"approach": "through the window"})
    public(await world.press(world.ana, panel, "Propose to the GM"))
    again = await world.press(world.ana, panel, "Propose to the GM")
    assert "That proposal has been sent. Open a new panel with /check, or change it with React." in refused(
        again
    )
    assert len((await world.state()).challenges) == 1


async def test_the_panel_cycles_through_who_sees_it(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    seen = []
    for _ in range(4):
        label = labels(panel)[1]
        seen.append(label)
        await world.press(world.ana, panel, label)
    assert seen == [
        "Seen by everyone",
        "Only you and the GM",
        "Only the GM sees the result",
        "Seen by everyone",
    ]
    assert labels(panel)[1] == "Only you and the GM"
    dialogue = await world.press(world.ana, panel, "Describe…")
    await world.ana.submit_modal(dialogue, {"approach": "quietly"})
    sent = await world.press(world.ana, panel, "Propose to the GM")
    assert "Private: only you and the GM see this." in private(sent)
    assert "quietly" not in world.told(world.ben)


async def test_a_visibility_alone_opens_the_panel_with_it(world: World) -> None:
    await world.table()
    opened = await world.ana.slash(world.zone, "check", visibility="blind")
    assert "Only the GM sees the result" in private(opened)
    assert await world.revision() == 3


async def test_the_panel_cycles_through_ones_characters(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Jana", abilities=_swimmer())
    panel = said(await world.ana.slash(world.zone, "check", **{"as": "Jana"}))
    await world.choose(world.ana, panel, ABILITY, "Swimming")
    assert "As Jana" in labels(panel)
    await world.press(world.ana, panel, "As Jana")
    assert "Marek tries something" in texts(panel)
    assert chosen(panel, ABILITY) == ["none"], "another sheet has other abilities"
    assert "Swimming" not in texts(panel)


def _swimmer() -> list[dict[str, str]]:
    abilities = ebb_character("x")["abilities"]
    abilities[0]["name"] = "Swimming"
    return abilities


async def test_a_gms_panel_for_their_npcs_rolls_at_once(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    panel = said(await world.gina.slash(world.zone, "check", **{"as": "Sidor"}))
    assert "Propose to the GM" in labels(panel)
    await world.choose(world.gina, panel, LEVEL, "Tricky")
    assert "Roll" in labels(panel)
    dialogue = await world.press(world.gina, panel, "Describe…")
    await world.gina.submit_modal(dialogue, {"approach": "hits the door"})
    world.dice.lay(9)
    rolled = await world.press(world.gina, panel, "Roll")
    assert "Total: 9 against Tricky (10)" in public(rolled)


async def test_many_abilities_are_offered_as_far_as_a_menu_goes(world: World) -> None:
    await world.setup()
    many = [{"name": f"Craft {number}", "group": "Education", "die": "d6"} for number in range(40)]
    await world.bring(world.ana, "Marek", grown=True, abilities=many, drawbacks=[f"D{n}" for n in range(40)])
    panel = said(await world.ana.slash(world.zone, "check"))
    assert len(menu(panel, ABILITY)["options"]) == 25
    assert "The list shows the first 24; `/check skill:` completes all of them." in texts(panel)
    choices = await world.ana.autocomplete(world.zone, "check", "skill", "craft 3")
    assert [choice["value"] for choice in choices][:2] == ["Craft 3", "Craft 30"]
    public(await world.propose(skill="Craft 39"))


async def test_the_panel_belongs_to_whoever_opened_it(world: World) -> None:
    await world.table()
    panel = said(await world.ana.slash(world.zone, "check"))
    send = controls(panel)[-1]["custom_id"]
    pressed = world.emit(world.ben, send, panel)
    await world.env.settle()
    assert "That panel belongs to somebody else. Open your own with /check or with React." in refused(pressed)
    assert (await world.state()).challenges == {}


# --- changing and withdrawing -------------------------------------------------------------------------------


async def test_a_proposal_is_changed_in_the_panel(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing", attribute="Fitness", difficulty="Tricky")
    react = said(await world.press(world.ana, said(proposal), "React"))
    assert "What you can do now:" in texts(react)
    panel = said(await world.press(world.ana, react, "Change the proposal"))
    assert chosen(panel, ABILITY) == ["Climbing"]
    assert chosen(panel, ATTRIBUTE) == ["Fitness"]
    assert chosen(panel, LEVEL) == ["Tricky"]
    assert "up the drainpipe" in texts(panel)
    await world.choose(world.ana, panel, ABILITY, "Running")
    await world.choose(world.ana, panel, ATTRIBUTE, "none")
    dialogue = await world.press(world.ana, panel, "Describe…")
    await world.ana.submit_modal(dialogue, {"approach": "a run-up and a jump"})
    saved = await world.press(world.ana, panel, "Save changes")
    text = public(saved)
    assert "Marek · Running" in text
    assert "**Changed proposal.** Waiting for the GM's answer." in text
    assert "> a run-up and a jump" in text
    assert pings(said(saved).message, world.env) == [world.gina.id]
    assert labels(world.messages()[3]) == [], "the first message has no buttons any more"


async def test_only_the_owner_changes_a_proposal(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing")
    for who, expected in (
        (world.ben, "There is nothing for you to do here now."),
        (world.gina, "What you can do now:"),
    ):
        react = await world.press(who, said(proposal), "React")
        assert expected in private(react)
        assert "Change the proposal" not in labels(said(react))
    forged = world.emit(world.ben, "sg:do:1:c1:1:revise", said(proposal))
    await world.env.settle()
    assert f"Marek is the character of {world.ana.mention}, and only they may do that." in refused(forged)


async def test_owner_and_gm_may_withdraw(world: World) -> None:
    await world.table()
    for who in (world.ana, world.gina):
        proposal = await world.propose(skill="Climbing")
        react = said(await world.press(who, said(proposal), "React"))
        withdrawn = await world.press(who, react, "Withdraw")
        assert f"**Withdrawn.** Taken off the table by {who.mention}; no dice were rolled." in public(
            withdrawn
        )
        assert labels(said(withdrawn)) == []
        assert pings(said(withdrawn).message, world.env) == []
    forged = world.emit(world.ben, "sg:do:1:c1:1:withdraw")
    await world.env.settle()
    refused(forged)


async def test_the_gm_asks_back_and_the_player_answers(world: World) -> None:
    await world.table()
    proposal = await world.propose(skill="Climbing")
    panel = said(await world.press(world.gina, said(proposal), "Answer"))
    dialogue = await world.press(world.gina, panel, "Ask back…")
    question = "Which hand holds the rope, and what do you do about the dog at the bottom of the wall?"
    asked = await world.gina.submit_modal(dialogue, {"question": question})
    assert question in private(asked)
    message = world.last()
    assert message.content == f"{world.ana.mention}, the GM's question about Marek's proposal waits for you."
    assert pings(message, world.env) == [world.ana.id]
    assert "**The GM asks back.**" in texts(message)
    assert question in texts(message)
    react = said(await world.press(world.ana, message, "React"))
    change = said(await world.press(world.ana, react, "Change the proposal"))
    assert question in texts(change), "whoever answers the question can read it"
    described = await world.press(world.ana, change, "Describe…")
    await world.ana.submit_modal(described, {"approach": "the left one; the dog gets my lunch"})
    saved = await world.press(world.ana, change, "Save changes")
    assert pings(said(saved).message, world.env) == [world.gina.id]
    assert "my lunch" in public(saved)
    assert "The GM asks back" not in public(saved)
    assert (await world.check()).question == ""
    assert "the left one" in private(await world.press(world.gina, said(saved), "Answer"))


async def test_an_empty_question_is_refused(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    asked = world.emit_modal(world.gina, "sg:askm:1:c1:1", question="   ")
    await world.env.settle()
    assert "`question` is empty. Write what you want to know." in refused(asked)


# --- reminders ----------------------------------------------------------------------------------------------


async def test_the_gm_is_reminded_of_a_proposal_exactly_once(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.env.advance_time(DAY - 10)
    assert len(world.messages()) == count
    await world.env.advance_time(20)
    reminder = world.last()
    assert len(world.messages()) == count + 1
    assert (
        reminder.content == f"{world.gina.mention}, a reminder: Marek's proposal still waits for your answer."
    )
    assert pings(reminder, world.env) == [world.gina.id]
    assert labels(reminder) == ["Answer", "React"]
    assert labels(world.messages()[-2]) == [], "its buttons have moved on to the reminder"
    await world.env.advance_time(5 * DAY)
    assert len(world.messages()) == count + 1
    await world.restart()
    await world.env.advance_time(5 * DAY)
    assert len(world.messages()) == count + 1
    await world.answer(reminder)
    assert world.newest("Roll") is not None


async def test_the_player_is_reminded_of_the_question_and_of_the_roll(world: World) -> None:
    await world.table(remind_hours=2)
    await world.propose(skill="Climbing")
    world.emit_modal(world.gina, "sg:askm:1:c1:1", question="how?")
    await world.env.settle()
    await world.env.advance_time(2 * 3600 + 1)
    assert world.last().content == (
        f"{world.ana.mention}, a reminder: the GM's question about Marek's proposal still waits for you."
    )
    assert pings(world.last(), world.env) == [world.ana.id]
    await world.answered(who=world.ben)
    count = len(world.messages())
    await world.env.advance_time(2 * 3600 + 1)
    assert len(world.messages()) == count + 1
    assert world.last().content == f"{world.ben.mention}, a reminder: the roll for Ilka is still to come."
    await world.env.advance_time(2 * 3600 + 1)
    assert len(world.messages()) == count + 1


async def test_a_reminder_that_was_due_while_the_bot_was_away_comes_at_its_start(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.bot.close()
    await world.env.advance_time(3 * DAY)
    await world.restart()
    await world.env.settle()
    assert len(world.messages()) == count + 1
    assert "a reminder" in world.last().content


async def test_without_reminders_nobody_is_reminded(world: World) -> None:
    await world.table(remind_hours=0)
    await world.propose(skill="Climbing")
    count = len(world.messages())
    await world.env.advance_time(30 * DAY)
    assert len(world.messages()) == count
