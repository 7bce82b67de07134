"""`/character create` and `edit`: ready characters, the steps, drafts that survive, and the GM's
approval.
"""

from __future__ import annotations

from typing import Any, Final

import pytest

from rules.registry import SYSTEMS
from rules.table.blocks import Text
from rules.table.system import ApprovalLine, Game
from tests.discord.world import (
    DAY,
    World,
    button,
    controls,
    labels,
    menu,
    message_of,
    pings,
    portrait,
    private,
    refusal_of,
    select,
    texts,
)

WHO = {"name": "Mika Vann", "age": "31", "country": "", "sex": "", "role": "Diver"}
ABILITIES = (
    "Diving, Fitness, d8\nSwimming, Fitness, d6\nKnots, Technical, d6\nPumps, Technical, d6\n"
    "Cold blood, Willpower, d6\nSigns, Intellect, d6\nListening, Alertness, d6\nPrices, "
    "Charisma, d6\n"
    "Currents, Zone, d6\nFirst aid, Education, d4"
)
DRAWBACKS = "\n".join(f"Drawback {number}" for number in range(10))
ROSTER = "A ready character"
STEPS = "Go to a step"


async def _write(world: World, who: Any, panel: Any, **values: str) -> Any:
    """Press Write… on the step that is shown and send these texts in."""
    return await who.submit_modal(await world.press(who, panel, "Write…"), values)


async def _begun(world: World) -> Any:
    """Ana's panel at the first step, with the first step filled."""
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.press(world.ana, panel, "Make your own")
    await _write(world, world.ana, panel, **WHO)
    return panel


async def _finished(world: World) -> Any:
    """Ana's panel with everything that is needed."""
    panel = await _begun(world)
    await world.choose(world.ana, panel, STEPS, "abilities")
    await _write(world, world.ana, panel, abilities=ABILITIES)
    await world.press(world.ana, panel, "Next step")
    await _write(world, world.ana, panel, drawbacks=DRAWBACKS)
    return panel


def _now(world: World, panel: Any) -> str:
    """What the panel shows now."""
    return texts(panel)


def _disabled(panel: Any, label: str) -> bool:
    return next(
        bool(each.get("disabled")) for each in controls(panel) if each.get("label") == label
    )


# --- ready characters -----------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR")
async def test_a_ready_character_is_looked_at_and_taken(world: World) -> None:
    await world.setup()
    opened = await world.ana.slash(world.zone, "character create")
    assert "Pick a ready character" in private(opened)
    panel = message_of(opened)
    assert len(menu(panel, ROSTER)["options"]) == 6
    for number, option in enumerate(menu(panel, ROSTER)["options"]):
        await world.choose(world.ana, panel, ROSTER, str(number))
        assert option["label"].partition(" (")[0] in texts(panel)
        assert "**Fate:**" in texts(panel)
        assert len(texts(panel)) < 700, "a screen"
        styles = {each["label"]: each["style"] for each in controls(panel) if each.get("label")}
        assert styles["Play this one"] == 1 and styles["Make your own"] == 2, (
            "what is expected next stands out"
        )
        assert 3 not in styles.values(), "green reads as a verdict"
    await world.choose(world.ana, panel, ROSTER, "0")
    await world.press(world.ana, panel, "Play this one")
    assert "Oksana Reva joins the table" in texts(panel)
    assert f"{world.ana.mention} plays Oksana Reva." in texts(world.last())
    sheet = private(await world.ana.slash(world.zone, "character show"))
    assert ":** Wound dressing d8" in sheet


async def test_a_name_that_is_taken_is_changed(world: World) -> None:
    await world.setup()
    await world.bring(world.ben, "Oksana Reva")
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.choose(world.ana, panel, ROSTER, "0")
    assert "This table already has a character called Oksana Reva." in texts(panel)
    assert _disabled(panel, "Play this one")
    asked = await world.press(world.ana, panel, "Another name…")
    await world.ana.submit_modal(asked, {"name": "Oksana  Brandt"})
    assert "already" not in texts(panel)
    assert not _disabled(panel, "Play this one")
    await world.press(world.ana, panel, "Play this one")
    assert [each.name for each in (await world.state()).characters.values()] == [
        "Oksana Reva",
        "Oksana Brandt",
    ]


async def test_a_hidden_name_is_not_given_away_by_being_taken(world: World) -> None:
    await world.setup()
    await world.bring(world.gina, "Oksana Reva", npc=True)
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.choose(world.ana, panel, ROSTER, "0")
    assert "already" not in texts(panel)
    await world.press(world.ana, panel, "Play this one")
    assert "Oksana Reva joins the table" in texts(panel)


async def test_whoever_joins_gets_the_next_step(world: World) -> None:
    await world.setup()
    empty = message_of(await world.ana.slash(world.zone, "moves"))
    assert labels(empty) == ["Create a character"]
    done = message_of(await world.bring(world.ana, "Marek"))
    assert labels(done) == ["Try something", "Open sheet"]
    joined = world.last()
    assert "Marek joins the table" in texts(joined)
    sheet = await world.press(world.ana, joined, "Open sheet")
    assert "## Marek" in private(sheet)
    assert world.last().id == joined.id and "Marek joins" in texts(world.last()), (
        "what everybody reads stays"
    )
    refusal_of(await world.press(world.ben, joined, "Open sheet"))
    panel = await world.press(world.ana, joined, "Try something")
    assert "Marek: what do you try?" in private(panel)
    nothing = message_of(await world.ana.slash(world.zone, "moves"))
    assert "Nothing to do right now." in texts(nothing)
    assert "Marek: what do you try?" in private(
        await world.press(world.ana, nothing, "Try something")
    )
    none = message_of(await world.gina.slash(world.zone, "moves"))
    assert "NPCs" in private(await world.press(world.gina, none, "NPCs"))


# --- step by step ---------------------------------------------------------------------------------


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK")
async def test_a_character_is_made_step_by_step(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    assert "Mika Vann · Who it is" in texts(panel)
    assert "1. Who it is Name, Age and Role\n" in texts(panel)
    assert "3. Abilities Fill in Abilities first" in texts(panel)
    assert "4. Drawbacks 0 of 10 drawbacks" in texts(panel)
    await world.press(world.ana, panel, "Next step")
    assert "Step 2 of 5." in texts(panel)
    await _write(
        world,
        world.ana,
        panel,
        tag="Eel",
        group="",
        renown="",
        description="Wet.",
        portrait="https://example.org/eel.png",
    )
    await world.press(world.ana, panel, "Next step")
    assert "A new character has 10 abilities" in texts(panel)
    assert "- Fill in Abilities first." in texts(panel)
    assert "Fix this here" not in texts(panel), "nothing stands there that could be wrong"
    await _write(world, world.ana, panel, abilities=ABILITIES.replace("d4", "d6"))
    assert "**Attributes:** Fitness 1, Alertness 1" in texts(panel)
    assert "10 abilities: 9 at d6, 1 at d8" in texts(panel)
    assert "Put 1 more at d4" in texts(panel)
    await _write(world, world.ana, panel, abilities=ABILITIES)
    assert "Fix this here" not in texts(panel)
    await world.press(world.ana, panel, "Next step")
    await _write(world, world.ana, panel, drawbacks=DRAWBACKS)
    await world.press(world.ana, panel, "Next step")
    await _write(
        world, world.ana, panel, equipment="rope\nlamp", assets="", scarring="", notes="owes Ben"
    )
    await world.press(world.ana, panel, "Review")
    shown = texts(panel)
    assert "Mika Vann · finished" in shown
    assert "“Eel”, Diver\n" in shown and "**Age:** 31" in shown
    assert portrait(panel) == "https://example.org/eel.png"
    await world.press(world.ana, panel, "Join the table")
    assert "Mika Vann joins the table" in texts(world.last())
    character = (await world.state()).characters["k1"]
    assert (character.portrait, character.notes) == ("https://example.org/eel.png", "owes Ben")
    assert character.sheet.equipment == ("rope", "lamp")
    shown = await world.ana.slash(world.zone, "character show")
    assert portrait(message_of(shown)) == "https://example.org/eel.png"
    assert "Notes\nowes Ben" in await world.pages(world.ana, message_of(shown))


@pytest.mark.rule("EBB-CHAR", "EBB-DRAWBACK", "EBB-TIER")
async def test_everything_to_mend_is_listed_with_its_line(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    await _write(world, world.ana, panel, **WHO | {"age": "old", "name": ""})
    await world.choose(world.ana, panel, STEPS, "abilities")
    broken = ABILITIES.replace("Signs, Intellect, d6", "\nSigns").replace(
        "Pumps, Technical", "Pumps, Tecnical"
    )
    await _write(world, world.ana, panel, abilities=broken)
    await world.press(world.ana, panel, "Review")
    shown = texts(panel)
    assert "Fix 5 things first" in shown
    assert "Fill in Name and Drawbacks first." in shown
    assert "**Age:** “old” isn't a whole number." in shown
    assert "**Abilities, line 4:** No attribute “Tecnical”. Use one of these" in shown
    assert "Did you mean “Technical”?" in shown
    assert "**Abilities, line 7:** Can't read “Signs” as an ability." in shown
    assert _disabled(panel, "Join the table")
    assert (await world.state()).characters == {}


async def test_the_draft_outlives_the_bot_and_is_offered_again(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    await world.restart()
    await world.choose(world.ana, panel, STEPS, "abilities")
    await world.restart()
    asked = await world.press(world.ana, panel, "Write…")
    await world.restart()
    await world.ana.submit_modal(asked, {"abilities": ABILITIES})
    await world.restart()
    again = await world.ana.slash(world.zone, "character create")
    assert "You have a draft of Mika Vann: continue it, or start over." in private(again)
    other = message_of(await world.ben.slash(world.zone, "character create"))
    assert "draft of" not in texts(other)
    panel = message_of(again)
    await world.press(world.ana, panel, "Continue draft")
    assert "Mika Vann · Who it is" in texts(panel)
    await world.choose(world.ana, panel, STEPS, "drawbacks")
    await _write(world, world.ana, panel, drawbacks=DRAWBACKS)
    await world.press(world.ana, panel, "Review")
    await world.restart()
    await world.press(world.ana, panel, "Join the table")
    assert "Mika Vann joins the table" in texts(world.last())
    assert "draft of" not in private(await world.ana.slash(world.zone, "character create"))


async def test_a_draft_stays_when_a_ready_character_is_taken(world: World) -> None:
    await world.setup()
    await _begun(world)
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    await world.choose(world.ana, panel, ROSTER, "2")
    await world.press(world.ana, panel, "Play this one")
    assert "draft of Mika Vann" in private(await world.ana.slash(world.zone, "character create"))


async def test_a_draft_is_begun_anew_or_thrown_away(world: World) -> None:
    await world.setup()
    await _begun(world)
    panel = message_of(await world.ana.slash(world.zone, "character create"))
    for answer in ("Keep it", "Start over"):  # what was typed is asked about before it goes
        await world.press(world.ana, panel, "Start over")
        assert labels(panel) == ["Keep it", "Start over"]
        await world.press(world.ana, panel, answer)
        if answer == "Keep it":
            assert "draft of Mika Vann" in private(
                await world.ana.slash(world.zone, "character create")
            )
    assert "A new character · Who it is" in texts(panel)
    await _write(world, world.ana, panel, **WHO)
    await world.press(world.ana, panel, "Discard draft")
    assert labels(panel) == ["Keep it", "Discard"]
    await world.press(world.ana, panel, "Keep it")
    assert "Mika Vann · Who it is" in texts(panel)
    await world.press(world.ana, panel, "Discard draft")
    await world.press(world.ana, panel, "Discard")
    assert "Draft discarded" in texts(panel)
    late = world.emit(world.ana, f"sg:fm:sheet:new1.{world.ana.id}:g:-", panel)
    await world.env.settle()
    assert "That draft is gone." in refusal_of(late)


async def test_a_panel_belongs_to_whoever_opened_it(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    custom_id = button(panel, "Review")
    pressed = world.emit(world.ben, custom_id, world.last())
    await world.env.settle()
    assert "belongs to somebody else" in refusal_of(pressed)
    typed = world.emit_modal(world.ben, f"sg:fmm:sheet:new1.{world.ana.id}", name="Mine")
    await world.env.settle()
    assert "belongs to somebody else" in refusal_of(typed)
    await world.env.advance_time(31 * DAY)
    await world.restart()
    assert "That draft is gone." in refusal_of(await world.press(world.ana, panel, "Review"))


TAMPERED_CONTROLS: Final = (
    "f0",
    "g",
    "g:nothing",
    "nothing",
    "w9",
    "wnope",
    "b:take",
    "b:send",
    "",
)


async def test_controls_that_were_tampered_with_change_nothing(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    before = await world.revision()
    for rest in TAMPERED_CONTROLS:
        pressed = world.emit(world.ana, f"sg:fm:sheet:new1.{world.ana.id}:{rest}", panel)
        await world.env.settle()
        assert pressed._interaction.response_kind is not None, rest
        assert await world.revision() == before, rest


async def test_a_gm_makes_characters_too(world: World) -> None:
    await world.setup()
    panel = message_of(await world.gina.slash(world.zone, "character create"))
    await world.choose(world.gina, panel, ROSTER, "1")
    await world.press(world.gina, panel, "Play this one")
    assert (await world.state()).characters["k1"].owner == "p1"


async def test_where_there_is_no_table_there_is_nothing_to_make(world: World) -> None:
    assert "No table here" in refusal_of(await world.ana.slash(world.zone, "character create"))


# --- approval -------------------------------------------------------------------------------------


async def _asked(world: World, *, gm_channel: bool = True) -> None:
    """A table that wants to approve, with Ana's Marek waiting."""
    await world.setup(gm_channel=gm_channel)
    await world.gina.slash(world.zone, "gm settings", approve=True)
    answer = await world.bring(world.ana, "Marek")
    assert "Marek is waiting for the GM" in private(answer)


async def test_a_new_character_is_approved_by_the_gm(world: World) -> None:
    await _asked(world)
    asked, call = world.messages(world.gm_room)[-2:]
    assert "Marek wants to join" in texts(asked)
    assert world.gina.id in pings(call, world.env)
    assert labels(asked) == ["Show sheet", "Approve", "Send back…"]
    assert "Marek" not in "\n".join(texts(message) for message in world.messages())
    assert "Marek" not in private(await world.ben.slash(world.zone, "character list"))
    assert f"Marek ({world.ana.mention}): waiting for the GM" in private(
        await world.ana.slash(world.zone, "character list")
    )
    assert "Marek is waiting for the GM" in refusal_of(await world.propose(skill="Climbing"))
    assert "Waiting for the GM" in private(await world.ana.slash(world.zone, "character show"))
    sheet = await world.press(world.gina, asked, "Show sheet")
    assert "**Fitness 1:** Climbing d8" in private(sheet)
    await world.restart()
    await world.press(world.gina, message_of(sheet), "Approve")
    told, call = world.messages()[-2:]
    assert f"The GM approved Marek, {world.ana.mention}'s character." in texts(told)
    assert pings(call, world.env) == [world.ana.id]
    assert "Marek" in texts(message_of(await world.propose(skill="Climbing")))
    late = refusal_of(await world.press(world.gina, asked, "Approve"))
    assert "isn't waiting for the GM" in late


async def test_whoever_waits_for_approval_hears_that_it_was_taken_back(world: World) -> None:
    await _asked(world)
    entry = await world.revision()
    before = len(world.messages())
    private(await world.gina.slash(world.zone, "gm undo"))
    assert (await world.state()).characters == {}
    stub = world.last()
    assert len(world.messages()) == before + 1 and pings(stub, world.env) == [world.ana.id]
    assert "Marek" not in texts(stub) and "imported" not in texts(stub)
    refusal_of(await world.press(world.ben, stub, "Show"))
    shown = private(await world.press(world.ana, stub, "Show"))
    assert (
        "Undone: Ana imported a character" in shown
        and f"undid #{entry}" in shown
        and "The GM undid" in shown
    )
    await world.bring(world.ana, "Marek")
    private(await world.ana.slash(world.zone, "table undo"))
    assert [labels(message) for message in world.messages()].count(["Show"]) == 1, (
        "one's own undo is answered"
    )


async def test_only_gms_approve(world: World) -> None:
    await _asked(world)
    for verb in ("ok", "back", "show", "nonsense"):
        pressed = world.emit(world.ana, f"sg:appr:1:k1:{verb}", world.messages()[0])
        await world.env.settle()
        assert "Only the GM can do that." in refusal_of(pressed)
    asked = await world.press(world.gina, world.newest("Send back…", world.gm_room), "Send back…")
    assert asked.modal is not None
    typed = world.emit_modal(world.ana, asked.modal["custom_id"], note="hm")
    await world.env.settle()
    assert "belongs to somebody else" in refusal_of(typed)
    assert (await world.state()).characters["k1"].sent_back == ""


async def test_what_a_gm_approves_is_what_they_have_read(world: World) -> None:
    await _asked(world)
    call = world.newest("Show sheet", world.gm_room)
    read = message_of(await world.press(world.gina, call, "Show sheet"))
    await world.bring(world.ana, "Marek", replace=True, notes="and a tank")
    assert "sheet has changed" in refusal_of(await world.press(world.gina, read, "Approve"))
    assert not (await world.state()).characters["k1"].approved
    read = message_of(await world.press(world.gina, call, "Show sheet"))
    await world.restart()
    private(await world.press(world.gina, read, "Approve"))
    assert (await world.state()).characters["k1"].approved
    assert "isn't waiting for the GM" in refusal_of(await world.press(world.gina, read, "Approve"))


async def test_without_a_gm_channel_it_waits_behind_a_stub(world: World) -> None:
    await _asked(world, gm_channel=False)
    stub = world.last()
    assert "Marek" not in texts(stub)
    refusal_of(await world.press(world.ben, stub, "Show"))
    opened = await world.press(world.gina, stub, "Show")
    assert "Marek wants to join" in private(opened)
    await world.press(world.gina, message_of(opened), "Approve")
    assert (await world.state()).characters["k1"].approved


async def test_a_character_sent_back_is_mended_and_sent_again(world: World) -> None:
    await _asked(world)
    asked = world.newest("Send back…", world.gm_room)
    modal = await world.press(world.gina, asked, "Send back…")
    wrong = await world.gina.submit_modal(modal, {"note": " "})
    assert "Fill in Requested changes first" in private(wrong)
    assert (await world.press(world.gina, message_of(wrong), "Send back")).modal is not None, (
        "it is asked for"
    )
    modal = await world.press(world.gina, message_of(wrong), "Requested changes…")
    await world.gina.submit_modal(modal, {"note": "No stalkers, please."})
    opened = await world.press(world.ana, world.newest("Show"), "Show")
    assert "No stalkers, please." in private(opened)
    assert "No stalkers, please." in private(await world.ana.slash(world.zone, "character show"))
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    assert "1. Who it is Name and Role" in texts(panel)
    await _write(world, world.ana, panel, **WHO | {"name": "Marek", "role": "Cook"})
    await world.restart()
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Send to the GM")
    assert "Marek is waiting for the GM" in texts(panel)
    again = world.newest("Approve", world.gm_room)
    assert "Marek wants to join" in texts(again)
    await world.press(world.gina, again, "Approve")
    character = (await world.state()).characters["k1"]
    assert (character.sheet.role, character.approved, character.sent_back) == ("Cook", True, "")


async def test_made_characters_wait_as_imported_ones_do(world: World) -> None:
    await world.setup(gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", approve=True)
    panel = await _finished(world)
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Send to the GM")
    assert "Mika Vann is waiting for the GM" in texts(panel)
    panel = message_of(await world.ben.slash(world.zone, "character create"))
    await world.choose(world.ben, panel, ROSTER, "0")
    await world.press(world.ben, panel, "Play this one")
    assert "Oksana Reva is waiting for the GM" in texts(panel)
    state = await world.state()
    assert [each.approved for each in state.characters.values()] == [False, False]
    await world.bring(world.gina, "Ilka", owner=world.ben)
    assert (await world.state()).characters["k3"].approved


# --- lines that need consent ----------------------------------------------------------------------


def _gear_lines(game: Game, sheet: Any) -> tuple[ApprovalLine, ...]:
    """A line for each thing; what was ruled stands among the assets."""
    found: list[ApprovalLine] = []
    for thing in sheet.equipment:
        ruled = [asset for asset in sheet.assets if asset.startswith(f"{thing}=")]
        state, _, note = ruled[0].partition("=")[2].partition(",") if ruled else ("open", "", "")
        words = Text("as-written", {"text": thing})
        found.append(ApprovalLine(thing, words, state, note, "things"))
    return tuple(found)


def _rule_gear(game: Game, sheet: Any, line: str, accept: bool, note: str) -> Any:
    others = tuple(asset for asset in sheet.assets if not asset.startswith(f"{line}="))
    return sheet.replace(assets=(*others, f"{line}={'allowed' if accept else 'refused'},{note}"))


@pytest.fixture
def asks_for_gear(monkeypatch: pytest.MonkeyPatch) -> None:
    """EBB, where the GM consents to each thing that a new character has."""
    sheets = SYSTEMS["ebb"].sheets
    assert sheets is not None
    sheets = sheets.replace(approvals=_gear_lines, rule=_rule_gear)
    monkeypatch.setitem(SYSTEMS, "ebb", SYSTEMS["ebb"].replace(sheets=sheets))


LINES = "Allow or refuse a line"


@pytest.mark.usefixtures("asks_for_gear")
async def test_the_gm_rules_on_each_line_and_the_draft_opens_at_a_refused_one(world: World) -> None:
    await world.setup(gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", approve=True)
    await world.bring(world.ana, "Marek", equipment=["old rope", "a big tank"], assets=[])
    call = world.newest("Show sheet", world.gm_room)
    assert [each["label"] for each in menu(call, LINES)["options"]] == [
        "Allow: old rope", "Refuse: old rope", "Allow: a big tank", "Refuse: a big tank",
    ]  # fmt: skip
    sheet = message_of(await world.press(world.gina, call, "Show sheet"))
    assert "What needs the GM's consent" in texts(sheet)
    assert "- old rope: not decided" in texts(sheet)
    options = {each["label"]: each["value"] for each in menu(sheet, LINES)["options"]}
    menu_id, chosen = select(call, LINES), (options["Allow: old rope"],)
    forged = world.emit(world.ana, menu_id, world.last(), values=chosen)
    await world.env.settle()
    assert "Only the GM can do that." in refusal_of(forged)
    await world.choose(world.gina, sheet, LINES, options["Allow: old rope"])
    assert "- old rope: allowed" in texts(sheet), "the sheet is shown as it is now"
    asked = await world.choose(world.gina, sheet, LINES, options["Refuse: a big tank"])
    await world.restart()
    await world.gina.submit_modal(asked, {"note": "Too big."})
    assert "- a big tank: **refused**" in texts(sheet) and "Too big." in texts(sheet)
    assert "You refused 1 line" in refusal_of(await world.press(world.gina, sheet, "Approve"))
    # Its player hears of it, and the draft opens where the line stands.
    assert world.ana.id in pings(world.messages()[-1], world.env)
    told = private(await world.press(world.ana, world.newest("Show"), "Show"))
    assert "Marek: refused" in told and "A big tank" in told and "Too big." in told
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    assert "Marek · Gear and notes" in texts(panel) and "Too big." in texts(panel)
    await _write(
        world, world.ana, panel, equipment="old rope", assets="old rope=allowed,", scarring=""
    )
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Send to the GM")
    call = world.newest("Approve", world.gm_room)
    assert [each for each in labels(call) if "old rope" in each] == ["Refuse: old rope"]
    await world.press(world.gina, call, "Approve")
    assert (await world.state()).characters["k1"].approved


@pytest.mark.usefixtures("asks_for_gear")
async def test_one_line_has_buttons_and_is_ruled_on_once(world: World) -> None:
    await world.setup(gm_channel=True)
    await world.gina.slash(world.zone, "gm settings", approve=True)
    await world.bring(world.ana, "Marek", equipment=["a rope"], assets=[])
    call = world.newest("Show sheet", world.gm_room)
    assert labels(call)[:2] == ["Allow: a rope", "Refuse: a rope"]
    private(await world.press(world.gina, call, "Allow: a rope"))
    assert (await world.state()).characters["k1"].sheet.assets == ("a rope=allowed,",)
    await world.press(world.gina, call, "Approve")
    assert "no such line" in refusal_of(await world.press(world.gina, call, "Allow: a rope"))
    for rest in ("nonsense", "allow:boat", "line"):
        pressed = world.emit(world.gina, f"sg:appl:1:k1:{rest}", world.last())
        await world.env.settle()
        refusal_of(pressed)


# --- editing --------------------------------------------------------------------------------------


async def test_a_player_changes_the_free_texts(world: World) -> None:
    await world.table(gm_channel=True)
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    assert "Marek · Story" in texts(panel)
    assert [option["value"] for option in menu(panel, STEPS)["options"]] == ["story", "things"]
    asked = await world.press(world.ana, panel, "Write…")
    story = {"tag": "Eel", "group": "", "renown": "", "description": "Wet.", "portrait": "ftp://x"}
    await world.ana.submit_modal(asked, story)
    assert (
        "“ftp://x” isn't the address of a picture. Use an address of at most 500 "
        "characters that starts with https://" in texts(panel)
    )
    await world.press(world.ana, panel, "Review")
    assert _disabled(panel, "Save")
    await world.press(world.ana, panel, "Back to steps")
    await _write(world, world.ana, panel, **story | {"portrait": ""})
    await world.press(world.ana, panel, "Review")
    before = len(world.messages())
    await world.press(world.ana, panel, "Save")
    assert f"{world.ana.mention} changed Tag and Description." in texts(panel)
    assert len(world.messages()) == before, "what is on a sheet is not for everybody"
    assert "changed Tag and Description." in texts(world.last(world.gm_room))
    sheet = message_of(await world.ana.slash(world.zone, "character show"))
    assert "Wet." in await world.pages(world.ana, sheet)
    forged = world.emit_modal(world.ana, f"sg:fmm:sheet:new1.{world.ana.id}", name="Mine")
    await world.env.settle()
    assert "That draft is gone" in refusal_of(forged)


async def test_a_gm_changes_any_part_of_any_sheet(world: World) -> None:
    await world.table()
    panel = message_of(await world.gina.slash(world.zone, "character edit", character="Marek"))
    assert len(menu(panel, STEPS)["options"]) == 5
    await world.choose(world.gina, panel, STEPS, "abilities")
    await _write(world, world.gina, panel, abilities="Climbing, Fitness, d12")
    assert "1 ability: 1 at d12" in texts(panel)
    await world.choose(world.gina, panel, STEPS, "drawbacks")
    assert "Remove 9 entries" in texts(panel)
    await _write(world, world.gina, panel, drawbacks="Proud")
    await world.press(world.gina, panel, "Review")
    await world.press(world.gina, panel, "Save")
    assert [a.sides for a in (await world.state()).characters["k1"].sheet.abilities] == [12]
    told = await world.press(world.ana, world.newest("Show"), "Show")
    assert "changed Abilities and Drawbacks." in private(told)


async def test_an_edit_that_changes_nothing_says_so_and_can_be_dropped(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "character edit", character="mar"))
    await world.press(world.ana, panel, "Review")
    assert "The sheet says that already." in refusal_of(await world.press(world.ana, panel, "Save"))
    await world.press(world.ana, panel, "Discard draft")
    assert "The sheet is as it was." in texts(panel)
    assert "to choose here" in refusal_of(
        await world.ana.slash(world.zone, "character edit", character="Ilka")
    )


async def test_a_text_too_long_for_a_dialog_is_left_to_files(world: World) -> None:
    await world.setup()
    many = [f"Thing number {number} " + "x" * 80 for number in range(60)]
    await world.bring(world.ana, "Marek", equipment=many)
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    await world.choose(world.ana, panel, STEPS, "things")
    shown = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(shown, {"notes": "kept"})
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Save")
    character = (await world.state()).characters["k1"]
    assert character.notes == "kept"
    assert len(character.sheet.equipment) == 60


async def test_a_step_full_of_text_still_fits(world: World) -> None:
    await world.setup()
    panel = await _begun(world)
    await world.choose(world.ana, panel, STEPS, "things")
    full = "\n".join("*" * 60 for _ in range(60))
    things = {"equipment": full, "assets": full, "scarring": "x" * 4000, "notes": "y" * 2000}
    done = [await _write(world, world.ana, panel, **things)]
    assert "Gear and notes" in texts(panel)
    await world.choose(world.ana, panel, STEPS, "story")
    story = {
        "tag": "x",
        "group": "x",
        "renown": "x",
        "description": "_" * 2000,
        "portrait": "nonsense",
    }
    done.append(await _write(world, world.ana, panel, **story))
    assert "Story" in texts(panel)
    await world.choose(world.ana, panel, STEPS, "abilities")
    nonsense = "\n".join("nonsense" for _ in range(70))
    done.append(await _write(world, world.ana, panel, abilities=nonsense))
    assert "more mistakes below." in texts(panel)
    done.append(await world.press(world.ana, panel, "Review"))
    assert "more mistakes below." in texts(panel)
    assert [result.followups for result in done] == [[]] * 4, "everything stands in the one panel"
