"""The panel for every form: each kind of field, pages, dialogs, what is still wrong, sending and
leaving.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from bot.presenters.forms import PanelForm, SendButton, form_card
from bot.presenters.layout import Body, Piece, controls_of
from bot.presenters.render import to_messages
from bot.ui.context import Context
from bot.ui.router import Press
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.entry_fields import Rows
from rules.table.forms.fields import Flag, FormContext, Many, Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.system import Page
from tests.discord.world import (
    World,
    button,
    controls,
    head,
    is_layout,
    labels,
    menu,
    message_of,
    parts,
    private,
    refusal_of,
    selected_values,
    texts,
)


def _line(text: object) -> Text:
    return Text("as-written", {"text": str(text)})


def _options(*names: str) -> tuple[Option, ...]:
    return tuple(Option(name, _line(name)) for name in names)


def _skills(asking: FormContext) -> Iterable[Option]:
    return _options(*(f"Skill {number}" for number in range(60)))


def _not_both(asking: FormContext) -> Iterable[RulesError]:
    if asking.values.get("levels") == 2 and "careful" in asking.values:
        yield InvalidInput("option-twice", field="levels", value="levels: 2")


def _gm(asking: FormContext, word: str) -> RulesError | None:
    return None if asking.who == "gm" else InvalidInput("gm-gives-that", field="with", value=word)


WOUND = Form((Typed("kind", needed=True), Number("degree", low=1, high=9, needed=True)))
FORM = Form(
    (
        Pick("skill", title=_line("Ability"), choices=_skills),
        Pick("weapon", choices=_options("Spear", "Long Bow"), needed=True),
        Flag("careful", label=_line("Takes care (1 level easier, and it takes twice as long)")),
        Number(
            "levels", high=9, offered=(1, 2), label=lambda count: _line(f"{count} levels harder")
        ),
        Many("support", choices=_options("Climbing", "Boats"), most=2),
        Many(
            "witnesses",
            choices=lambda asking: _options(*(f"Witness {number}" for number in range(40))),
        ),
        Typed("difficulty", choices=_options("Easy", "Tricky")),
        Typed("name", needed=True, most=20),
        Typed("story", long=True, most=2000, help=_line("What happened before")),
        Number("age", high=120),
        Many("things", find=lambda asking, text: text),
        Rows("wounds", WOUND, most=3),
        Typed("secret", hidden_if=_gm),
    ),
    check=_not_both,
)


STEPS = (
    Page("arms", _line("Arms"), Form(FORM.fields[:7]), lambda game, made: tuple(map(_line, made))),
    Page("self", _line("Oneself"), Form(FORM.fields[7:])),
)


class ShownOption:
    """What the tests fill in: keeps what was sent."""

    def __init__(self, steps: tuple[Page, ...] = (), form: Form = FORM) -> None:
        self.steps = steps
        self.form = form
        self.sent: list[tuple[Mapping[str, Any], Values, str]] = []

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values) -> PanelForm:
        def preview(values: Values) -> tuple[Piece, ...]:
            if values.get("difficulty") == "Easy":
                raise Impossible("gone", who="x")
            return (Body(f"It comes to **{len(values)}** values"),)

        return PanelForm(
            self.form,
            FormContext(ctx.game, who=""),
            "Fill it in",
            (SendButton("go", "Go", "primary"), SendButton("say:no", "Say no", always=True)),
            before=(Body(f"About {about['what']}"),),
            preview=preview,
            small="Only a test.",
            steps=self.steps,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str
    ) -> None:
        if values.get("age") == 120:
            raise Impossible("gone", who="x")
        self.sent.append((about, values, option))
        await ctx.show(form_card(PanelForm(Form(), FormContext(), "Sent", ()), "test", "x", {}))


async def _opened(
    world: World,
    values: Values | None = None,
    steps: tuple[Page, ...] = (),
    form: Form = FORM,
) -> tuple[Any, ShownOption]:
    """A form opened by Ana."""
    await world.table()
    shown = ShownOption(steps, form)
    world.bot.forms.add("test", shown)

    async def opens(press: Press) -> None:
        async with world.bot.interactions.respond_to(press.interaction) as response:
            ctx = await world.bot.interactions.context(response)
            await world.bot.forms.open(ctx, "test", {"what": "a wall"}, values or {})

    world.bot.router.add("opens", opens)
    result = world.emit(world.ana, "sg:opens")
    await world.env.settle()
    return message_of(result), shown


async def _fill(world: World, panel: Any, opens: str, **values: str) -> None:
    await world.ana.submit_modal(await world.press(world.ana, panel, opens), values)


async def test_every_kind_of_field_is_filled_in_and_sent(world: World) -> None:
    panel, shown = await _opened(world)
    assert is_layout(panel)
    assert head(panel) == "Fill it in"
    assert "About a wall" in texts(panel)
    assert "Fill in Weapon and Name first." in texts(panel)
    await world.choose(world.ana, panel, "Ability", "Skill 3")
    await world.choose(world.ana, panel, "Weapon", "Long Bow")
    await world.choose(world.ana, panel, "Witnesses", "Witness 1", "Witness 2")
    assert "Fill in Name first." in texts(panel)
    assert "Ability: Skill 3" in texts(panel), "what is chosen says what the menu is for"
    typed = {
        "difficulty": "Tricky",
        "name": "Mika",
        "story": "Wet.\nCold.",
        "age": "31",
        "things": "- rope\nlamp\n",
    }
    await _fill(world, panel, "Difficulty…", **typed)
    assert "**Name:** Mika" in texts(panel)
    assert "It comes to **8** values" in texts(panel)
    await _fill(world, panel, "Wounds…", wounds="kind: burn, degree: 2\nkind cut, degree 1")
    await world.press(world.ana, panel, "More…")
    assert selected_values(panel, "Difficulty") == ["Tricky"]
    assert "Difficulty: Tricky" in texts(panel)
    assert "Takes care 1 level easier, and it takes twice as long" in texts(panel).replace(
        "1 Level", "1 level"
    )
    await world.choose(
        world.ana,
        panel,
        "All the rest",
        "careful",
        "levels: 1",
        "support: Boats",
        "support: Climbing",
    )
    await world.press(world.ana, panel, "Go")
    assert head(panel) == "Sent"
    ((about, values, option),) = shown.sent
    assert (about, option) == ({"what": "a wall"}, "go")
    assert values == {
        "skill": "Skill 3",
        "weapon": "Long Bow",
        "careful": True,
        "levels": 1,
        "support": ("Climbing", "Boats"),
        "witnesses": ("Witness 1", "Witness 2"),
        "difficulty": "Tricky",
        "name": "Mika",
        "story": "Wet.\nCold.",
        "age": 31,
        "things": ("rope", "lamp"),
        "wounds": ({"kind": "burn", "degree": 2}, {"kind": "cut", "degree": 1}),
    }


async def test_what_was_chosen_is_taken_back_and_changed(world: World) -> None:
    before = {
        "skill": "Skill 59",
        "levels": 1,
        "support": ("Boats",),
        "weapon": "Spear",
        "name": "Mika",
    }
    panel, shown = await _opened(world, before)
    assert selected_values(panel, "Ability") == ["Skill 59"], (
        "it is shown though it stands on another page"
    )
    await world.choose(world.ana, panel, "Ability", ":none")
    assert "Ability: none" in texts(panel)
    assert "Skill 59" not in texts(panel)
    await world.choose(world.ana, panel, "Ability", ":more")
    await world.choose(world.ana, panel, "Ability", "Skill 30")
    await world.press(world.ana, panel, "More…")
    assert selected_values(panel, "All the rest") == ["levels: 1", "support: Boats"]
    await world.choose(world.ana, panel, "All the rest", "levels: 1", "levels: 2")
    assert selected_values(panel, "All the rest") == ["levels: 2"]
    await world.choose(world.ana, panel, "All the rest", "levels: 1", "levels: 2", "careful")
    assert selected_values(panel, "All the rest") == ["careful", "levels: 1"]
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1] == {
        "skill": "Skill 30", "weapon": "Spear", "careful": True, "levels": 1, "name": "Mika",
    }  # fmt: skip


async def test_what_is_wrong_stays_with_what_is_wrong_beside_it(world: World) -> None:
    panel, shown = await _opened(
        world, {"weapon": "Spear", "name": "Mika", "levels": 2, "careful": True}
    )
    assert "appears twice, or contradicts" in texts(panel)
    await _fill(world, panel, "Difficulty…", age="old", name="Mika", story="", difficulty="")
    assert "**Age:** “old” isn't" in texts(panel)
    await _fill(world, panel, "Wounds…", wounds="kind: burn, degree: 2\n\ncut")
    assert "**Wounds, line 3** has no “cut”" in texts(panel)
    forged = world.emit(world.ana, button(panel, "Go"), panel)
    await world.env.settle()
    assert "Nothing has changed." in private(forged)
    assert shown.sent == []
    await world.press(world.ana, panel, "Say no")
    assert shown.sent[0][2] == "say:no"


async def test_what_comes_to_nothing_cannot_be_sent(world: World) -> None:
    panel, _ = await _opened(world, {"weapon": "Spear", "name": "Mika", "difficulty": "Easy"})
    assert "It comes to" not in texts(panel)
    assert [each["disabled"] for each in controls(panel) if each.get("label") == "Go"] == [True]


async def test_it_is_left_and_belongs_to_whoever_opened_it(world: World) -> None:
    panel, shown = await _opened(world, {"weapon": "Spear", "name": "Mika", "age": 120})
    foreign = world.emit(world.ben, button(panel, "Go"), panel)
    await world.env.settle()
    assert "belongs to somebody else" in private(foreign)
    refusal_of(await world.press(world.ana, panel, "Go"))
    await world.press(world.ana, panel, "Cancel")
    assert "Nothing was sent." in texts(panel)
    assert labels(panel) == []
    assert shown.sent == []


async def test_a_long_form_is_filled_in_step_by_step_and_keeps_what_is_wrong(world: World) -> None:
    panel, shown = await _opened(world, steps=STEPS)
    assert head(panel) == "Fill it in · Arms"
    assert labels(panel) == ["Write…", "Next step", "Review", "More… (1 of 2)", "Cancel"], (
        "nothing is sent from here"
    )
    assert "1. Arms Fill in Weapon first" in texts(panel)
    await world.choose(world.ana, panel, "Weapon", "Spear")
    assert "1. Arms Weapon\n" in texts(panel)
    assert "What this adds up to\nweapon" in texts(panel)
    await world.press(world.ana, panel, "Next step")
    assert [each["placeholder"] for each in controls(panel) if "placeholder" in each] == [
        "Go to a step"
    ]
    await _fill(world, panel, "Write…", age="old", wounds="kind: cut")
    assert "**Age:** old" in texts(panel), "it is kept as it was typed"
    assert "Fix this here" in texts(
        panel
    ) and "**Story:** Nothing yet. What happened before" in texts(panel)
    await world.press(world.ana, panel, "Review")
    assert "Fix 3 things first" in texts(panel)
    assert "**Age:**" in texts(panel) and "**Wounds, line 1:**" in texts(panel)
    assert [each["disabled"] for each in controls(panel) if each.get("label") == "Go"] == [True]
    forged = world.emit(world.ana, button(panel, "Back to steps").replace("self", "none"), panel)
    await world.env.settle()
    refusal_of(forged)
    await world.press(world.ana, panel, "Back to steps")
    assert selected_values(panel, "Go to a step") == ["self"], "where the first of them is"
    await _fill(world, panel, "Write…", name="Mika", age="31", wounds="")
    await world.press(world.ana, panel, "Review")
    assert head(panel) == "Fill it in · finished" and "It comes to **3** values" in texts(panel)
    await world.press(world.ana, panel, "Go")
    assert shown.sent == [
        ({"what": "a wall"}, {"weapon": "Spear", "name": "Mika", "age": 31}, "go")
    ]


def _odd_age(asking: FormContext) -> Iterable[RulesError]:
    if asking.values.get("age", 0) > 99:
        yield InvalidInput("option-twice", field="age", value="so old")


async def test_a_warning_is_shown_and_refuses_nothing(world: World) -> None:
    form = FORM.part("name", "age").replace(warns=_odd_age)
    panel, shown = await _opened(world, {"name": "Mika", "age": 100}, form=form)
    assert "-# A warning, not a fault:\n-# - **Age:** “so old” appears twice" in texts(panel)
    await _fill(world, panel, "Write…", age="12", name="Mika")
    assert "warning" not in texts(panel)
    await _fill(world, panel, "Write…", age="110", name="Mika")
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1] == {"name": "Mika", "age": 110}


async def test_the_last_look_leads_to_each_finding(world: World) -> None:
    form = FORM.replace(warns=_odd_age)
    panel, _ = await _opened(world, {"age": 100, "levels": 99}, steps=STEPS, form=form)
    await world.press(world.ana, panel, "Next step")
    assert "A warning, not a fault" in texts(panel)
    await _fill(world, panel, "Write…", age="100", wounds="cut\nkind: cut\nkind: burn")
    await world.press(world.ana, panel, "Review")
    told = texts(panel)
    assert told.index("Fix 6 things first") < told.index("A warning, not a fault")
    findings = menu(panel, "Go to a finding")["options"]
    assert [each["label"] for each in findings] == [
        "Arms", "Oneself", "Arms", "Oneself", "Oneself", "More… (1 of 2)",
    ]  # fmt: skip
    assert findings[0]["description"] == "Fill in Weapon first."
    await world.choose(world.ana, panel, "Go to a finding", ":more")
    last = menu(panel, "Go to a finding")["options"][-2]
    assert last["label"] == "Oneself (warning)"
    await world.choose(world.ana, panel, "Go to a finding", last["value"])
    assert head(panel) == "Fill it in · Oneself"
    forged = world.emit(world.ana, _control(panel, "h"), panel)
    await world.env.settle()
    refusal_of(forged)


def _control(panel: Any, control: str) -> str:
    """The id of a control of the form itself."""
    return f"{':'.join(button(panel, 'Cancel').split(':')[:4])}:{control}"


# --- numbers that are stepped ---------------------------------------------------------------------


SCORES = Form((Number("agility", low=5, high=13), Number("strength", low=1, high=3)))
SCORE_STEPS = (
    Page(
        "scores",
        _line("Attributes"),
        SCORES,
        steppers=SCORES.keys,
        stepper=_line("Attribute"),
        starts={"agility": 8},
        state=lambda game, made: _line(f"{10 - made.get('agility', 8)} left"),
    ),
    Page("self", _line("Oneself"), FORM.part("name", "weapon", "witnesses")),
)


async def test_numbers_are_stepped_by_buttons(world: World) -> None:
    form = Form((*SCORES.fields, *SCORE_STEPS[1].form.fields))
    panel, shown = await _opened(world, steps=SCORE_STEPS, form=form)
    assert "Attribute: Agility 8" in texts(panel) and "1. Attributes · 2 left" in texts(panel)
    for _ in range(2):
        await world.press(world.ana, panel, "+1")
    assert "Attribute: Agility 10" in texts(panel) and "1. Attributes · 0 left" in texts(panel)
    await world.choose(world.ana, panel, "Attribute", "strength")
    assert "Attribute: Strength 1" in texts(panel), "the lowest counts where nothing is said"
    await world.restart()
    world.bot.forms.add("test", shown)
    for _ in range(2):
        await world.press(world.ana, panel, "+1")
    disabled = [each["label"] for each in controls(panel) if each.get("disabled")]
    assert disabled == ["+1"]
    await world.press(world.ana, panel, "−1")
    await _fill(world, panel, "Write…", agility="9", strength="2")
    assert "Attribute: Strength 2" in texts(panel)
    for rest in ("u:5", "u", "t"):
        forged = world.emit(world.ana, _control(panel, rest), panel)
        await world.env.settle()
        refusal_of(forged)
    await world.press(world.ana, panel, "Next step")
    await _fill(world, panel, "Write…", name="Mika")
    await world.choose(world.ana, panel, "Weapon", "Spear")
    await world.choose(world.ana, panel, "Witnesses", "Witness 3", "Witness 4")
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1] == {
        "agility": 9,
        "strength": 2,
        "name": "Mika",
        "weapon": "Spear",
        "witnesses": ("Witness 3", "Witness 4"),
    }


async def test_a_text_of_a_draft_is_chosen_in_menus_too(world: World) -> None:
    """A sheet that is edited is a draft of texts."""
    form = FORM.part("careful", "levels", "support", "witnesses").replace(rest=_line("More"))
    texts_of_sheet = {"careful": "yes", "levels": "2", "support": "Boats", "witnesses": "Witness 1"}
    panel, shown = await _opened(world, texts_of_sheet, form=form)
    assert selected_values(panel, "More") == ["careful", "levels: 2", "support: Boats"]
    await world.choose(world.ana, panel, "More", "levels: 2", "support: Climbing")
    await world.choose(world.ana, panel, "Witnesses", "Witness 1", "Witness 2")
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1] == {
        "levels": 2,
        "support": ("Climbing",),
        "witnesses": ("Witness 1", "Witness 2"),
    }


# --- entries that are forms -----------------------------------------------------------------------


GEAR = Form(
    (
        Typed("thing", needed=True, most=20),
        Number("count", low=1, high=9, default=1),
        Pick("maker", choices=_options("Mora", "Voss")),
    )
)


def _gear_form(asking: FormContext, values: Values) -> Form:
    """The maker is asked only of a clock; of a rope, how many."""
    kinds = Pick("thing", title=_line("Kind"), choices=_options("rope", "clock"), needed=True)
    more = "maker" if values.get("thing") == "clock" else "count"
    return Form((kinds, GEAR.by_key[more]), check=_no_second_clock)


def _no_second_clock(asking: FormContext) -> Iterable[RulesError]:
    if asking.values["thing"] == "clock" and "clock" in str(asking.around.get("gear", "")):
        yield InvalidInput("option-twice", field="thing", value="clock")


def _gear_lines(asking: FormContext) -> Iterable[Text]:
    yield _line(f"{asking.around.get('name', 'Somebody')} has {asking.values.get('thing', '?')}")


PACK = Form(
    (
        Typed("name", most=20, needed=True),
        Rows("gear", GEAR, most=9, row=_gear_form, add_label=_line("Add gear"), shows=_gear_lines),
        Rows(
            "spares",
            GEAR,
            most=9,
            row=_gear_form,
            add=lambda asking: (
                (_line("One rope"), {"thing": "rope"}),
                (_line("Mora's clock"), {"thing": "clock", "maker": "Mora"}),
            ),
            add_label=_line("Add a spare"),
        ),
    )
)


async def test_an_entry_is_filled_in_as_a_page_of_its_own(world: World) -> None:
    panel, shown = await _opened(world, {"name": "Mika", "gear": "thing rope, count 2"}, form=PACK)
    assert "Add gear" in labels(panel) and "**Gear:**\nthing rope" in texts(panel)
    await world.press(world.ana, panel, "Add gear")
    assert head(panel) == "Fill it in · Gear" and "Mika has ?" in texts(panel)
    assert labels(panel) == ["Done", "Count…", "Back"]
    await world.restart()
    world.bot.forms.add("test", shown)
    await world.choose(world.ana, panel, "Kind", "clock")
    assert [each["placeholder"] for each in controls(panel) if "placeholder" in each] == [
        "Kind",
        "Maker",
    ]
    await world.choose(world.ana, panel, "Maker", "Voss")
    assert "Mika has clock" in texts(panel) and "**Entry:** thing: clock" in texts(panel)
    await world.press(world.ana, panel, "Done")
    assert head(panel) == "Fill it in" and "thing: clock, maker: Voss" in texts(panel)
    # A second clock is refused by what stands around it; the first one may stay.
    await world.press(world.ana, panel, "Add gear")
    await world.choose(world.ana, panel, "Kind", "clock")
    assert "appears twice" in texts(panel)
    await world.press(world.ana, panel, "Back")
    assert labels(panel) == ["Keep it", "Discard"], "what was chosen is not lost by one press"
    await world.press(world.ana, panel, "Keep it")
    await world.press(world.ana, panel, "Back")
    await world.press(world.ana, panel, "Discard")
    await world.choose(world.ana, panel, "Change or remove an entry", "1.1")
    assert "appears twice" not in texts(panel)
    await world.choose(world.ana, panel, "Maker", "Mora")
    await world.press(world.ana, panel, "Done")
    await world.choose(world.ana, panel, "Change or remove an entry", "1.0")
    await world.press(world.ana, panel, "Remove")
    await world.press(world.ana, panel, "Remove")
    await world.choose(world.ana, panel, "Add a spare", "1")
    assert selected_values(panel, "Maker") == ["Mora"] and "appears twice" in texts(panel)
    await world.press(world.ana, panel, "Back")
    await world.choose(world.ana, panel, "Add a spare", "0")
    await world.press(world.ana, panel, "Done")
    await world.press(world.ana, panel, "Go")
    clock, rope = {"thing": "clock", "maker": "Mora"}, {"thing": "rope"}
    assert shown.sent[0][1] == {"name": "Mika", "gear": (clock,), "spares": (rope,)}


async def test_a_line_that_cannot_be_read_is_opened_as_text(world: World) -> None:
    panel, shown = await _opened(world, {"name": "Mika", "gear": "a rope\nthing: clock"}, form=PACK)
    await world.choose(world.ana, panel, "Change or remove an entry", "1.0")
    assert "**Add gear:** a rope" in texts(panel) and "has no “a rope”" in texts(panel)
    await world.ana.submit_modal(
        await world.press(world.ana, panel, "Add gear…"), {"entry": "thing: rope, count: 3"}
    )
    await world.press(world.ana, panel, "Done")
    assert "thing: rope, count: 3\nthing: clock" in texts(panel)
    # Typing stays, and an entry that is gone meanwhile closes its page.
    await world.choose(world.ana, panel, "Change or remove an entry", "1.1")
    typed = world.emit_modal(world.ana, _dialog_id(panel), name="Mika", gear="thing: rope")
    await world.env.settle()
    assert head(message_of(typed)) == "Fill it in"
    await world.press(world.ana, message_of(typed), "Go")
    assert shown.sent[0][1]["gear"] == ({"thing": "rope"},)


def _dialog_id(panel: Any) -> str:
    """The id of the form's own dialog, while an entry is shown."""
    pieces = button(panel, "Done").split(":")
    return f"sg:fmm:{pieces[2]}:{pieces[3]}"


@pytest.mark.parametrize("rest", ["e", "n1:0", "r1:e", "r1:b:done", "r2:x", "r1", "n0:0", "n1:7"])
async def test_forged_controls_of_entries_change_nothing(world: World, rest: str) -> None:
    panel, shown = await _opened(world, {"name": "Mika", "gear": "thing: rope"}, form=PACK)
    id = f"{button(panel, 'Go').rpartition(':b:')[0]}:{rest}"
    pressed = world.emit(world.ana, id, panel)
    await world.env.settle()
    assert pressed._interaction.response_kind is not None
    if head(panel) != "Fill it in":
        await world.press(world.ana, panel, "Back")
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1] == {"name": "Mika", "gear": ({"thing": "rope"},)}


@pytest.mark.parametrize("plain", [True, False])
def test_the_panel_fits_into_one_message(plain: bool) -> None:
    def fill(draft: Values, page: int) -> Any:
        filling = PanelForm(
            FORM,
            FormContext(who="gm"),
            "Fill it in",
            tuple(SendButton(str(each), f"Option {each}") for each in range(5)),
        )
        return form_card(filling, "long-owner", "new123456.12345678901234567890", draft, page=page)

    for page in range(5):
        card = fill({"skill": "S" * 100, "support": ["Boats", "x" * 100], "name": "n"}, page)
        assert len(to_messages(card, plain=plain)) == 1
        assert all(len(each.id) <= 100 for each in controls_of(card))


WIDE = Form(
    (
        *(Number(f"score-{number}", high=9) for number in range(4)),
        *(
            Rows(
                f"gear-{number}",
                GEAR,
                row=lambda asking, values: GEAR,
                add_label=_line(f"{number}"),
            )
            for number in range(30)
        ),
        Pick("maker", choices=_options("Mora", "Voss")),
        Pick("place", choices=_options("Kelm", "Orr")),
    )
)
WIDE_STEPS = (
    Page("wide", _line("Wide"), WIDE, steppers=WIDE.keys[:4]),
    Page("self", _line("Oneself"), FORM.part("name")),
)


def _rows_shown(panel: Any) -> int:
    """The rows of buttons and menus in a panel."""
    return sum(part["type"] == 1 for part in parts(panel))


async def _dialog_of(world: World, panel: Any, entry: str, **values: str) -> None:
    """Fill in the dialog that an entry of the menu of buttons opens."""
    asked = await world.choose(world.ana, panel, "Add or write…", entry)
    await world.ana.submit_modal(asked, values)


async def test_a_step_with_too_many_buttons_keeps_to_five_rows(world: World) -> None:
    form = Form((*WIDE.fields, *WIDE_STEPS[1].form.fields))
    panel, shown = await _opened(world, {"gear-29": "thing rope"}, steps=WIDE_STEPS, form=form)
    assert _rows_shown(panel) == 5 and "+1" in labels(panel) and "Discard" not in labels(panel)
    there = {each["value"] for each in menu(panel, "Add or write…")["options"]}
    await world.choose(world.ana, panel, "Add or write…", ":more")
    there |= {each["value"] for each in menu(panel, "Add or write…")["options"]}
    buttons = [each for each in labels(panel) if each.isdecimal()]
    assert len(there - {":more"}) + len(buttons) == 30 + 7, "nothing is lost"
    await _dialog_of(world, panel, "w0", **{"score-1": "3"})
    await world.choose(world.ana, panel, "Add or write…", "n33:0")
    assert head(panel) == "Fill it in · Gear 29"
    await _fill(world, panel, "Write…", thing="lamp")
    await world.press(world.ana, panel, "Done")
    for _ in range(3):
        await world.press(world.ana, panel, next(x for x in labels(panel) if x.startswith("More")))
        assert _rows_shown(panel) == 5
    forged = world.emit(world.ana, _control(panel, "k"), panel, ("b:go",))
    await world.env.settle()
    refusal_of(forged)
    await world.press(world.ana, panel, "Next step")
    await _fill(world, panel, "Write…", name="Mika")
    await world.press(world.ana, panel, "Review")
    await world.press(world.ana, panel, "Go")
    assert shown.sent[0][1]["score-1"] == 3
    assert shown.sent[0][1]["gear-29"] == ({"thing": "rope"}, {"thing": "lamp"})
