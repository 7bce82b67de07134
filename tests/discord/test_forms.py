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
from rules.table.forms import (
    Flag,
    Form,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Rows,
    Typed,
    Values,
)
from rules.table.system import Page
from tests.discord.world import (
    World,
    button,
    chosen,
    controls,
    head,
    labels,
    laid_out,
    private,
    refused,
    said,
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


class Shown:
    """What the tests fill in: keeps what was sent."""

    def __init__(self, steps: tuple[Page, ...] = ()) -> None:
        self.steps = steps
        self.sent: list[tuple[Mapping[str, Any], Values, str]] = []

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values) -> PanelForm:
        def preview(values: Values) -> tuple[Piece, ...]:
            if values.get("difficulty") == "Easy":
                raise Impossible("gone", who="x")
            return (Body(f"It comes to **{len(values)}** values"),)

        return PanelForm(
            FORM,
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
    world: World, values: Values | None = None, steps: tuple[Page, ...] = ()
) -> tuple[Any, Shown]:
    """A form opened by Ana."""
    await world.table()
    shown = Shown(steps)
    world.bot.forms.add("test", shown)

    async def opens(press: Press) -> None:
        async with world.bot.interactions.respond_to(press.interaction) as response:
            ctx = await world.bot.interactions.context(response)
            await world.bot.forms.open(ctx, "test", {"what": "a wall"}, values or {})

    world.bot.router.add("opens", opens)
    result = world.emit(world.ana, "sg:opens")
    await world.env.settle()
    return said(result), shown


async def _fill(world: World, panel: Any, opens: str, **values: str) -> None:
    await world.ana.submit_modal(await world.press(world.ana, panel, opens), values)


async def test_every_kind_of_field_is_filled_in_and_sent(world: World) -> None:
    panel, shown = await _opened(world)
    assert laid_out(panel)
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
    assert chosen(panel, "Difficulty") == ["Tricky"]
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
    assert chosen(panel, "Ability") == ["Skill 59"], "it is shown though it stands on another page"
    await world.choose(world.ana, panel, "Ability", ":none")
    assert "Ability: none" in texts(panel)
    assert "Skill 59" not in texts(panel)
    await world.choose(world.ana, panel, "Ability", ":more")
    await world.choose(world.ana, panel, "Ability", "Skill 30")
    await world.press(world.ana, panel, "More…")
    assert chosen(panel, "All the rest") == ["levels: 1", "support: Boats"]
    await world.choose(world.ana, panel, "All the rest", "levels: 1", "levels: 2")
    assert chosen(panel, "All the rest") == ["levels: 2"]
    await world.choose(world.ana, panel, "All the rest", "levels: 1", "levels: 2", "careful")
    assert chosen(panel, "All the rest") == ["careful", "levels: 1"]
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
    refused(await world.press(world.ana, panel, "Go"))
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
    refused(forged)
    await world.press(world.ana, panel, "Back to steps")
    assert chosen(panel, "Go to a step") == ["self"], "where the first of them is"
    await _fill(world, panel, "Write…", name="Mika", age="31", wounds="")
    await world.press(world.ana, panel, "Review")
    assert head(panel) == "Fill it in · finished" and "It comes to **3** values" in texts(panel)
    await world.press(world.ana, panel, "Go")
    assert shown.sent == [
        ({"what": "a wall"}, {"weapon": "Spear", "name": "Mika", "age": 31}, "go")
    ]


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
