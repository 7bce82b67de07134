"""Cards that are laid out: as Discord takes them, on as many messages as they need, and
read aloud.
"""

from __future__ import annotations

from typing import Any

import discord
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from simcord.components import validate_message_state

from bot.presenters.blocks import result_card
from bot.presenters.control_ids import container_id
from bot.presenters.controls import Attachment, Button, Drawing, Option, Picture, Rows, Select
from bot.presenters.layout import (
    Body,
    Divider,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Portrait,
    QuotedText,
    Row,
    Section,
    SmallPrint,
    build_layout,
    plain_text,
    with_entry_number,
    with_head_prefix,
    without_controls,
)
from bot.presenters.render import (
    as_edit,
    as_layout,
    container_ids,
    is_layout,
    to_messages,
    walk_components,
)
from rules.core.rng import Die
from rules.table.blocks import (
    FOR_EVERYONE,
    Change,
    Fact,
    Group,
    Note,
    Quote,
    Ref,
    Roll,
    Text,
    Verdict,
)
from tests.presenters.discord_limits import LAYOUT, check_message, components

REACT = Button("sg:react:1", "React", "primary")
MENU = Select(
    "sg:menu", "Die", (Option("d6", "Die: d6 · 56%"), Option("d8", "Die: d8 · 61%", default=True))
)
CHECK = Layout(
    "open",
    (
        Head("✗ Failure so far: 8 against 10"),
        Body("Vesna: Climbing d8, Fitness 2"),
        QuotedText("Left of the spillway,\nrope first."),
        Divider(),
        Body("d10 (4) + d8 (2, ~~1~~) − 2 = **8**"),
        Gap(),
        Section("**Re-roll Climbing**\nFate 3 → 2", Button("sg:do:1", "Re-roll")),
        Gap(),
        SmallPrint("Vesna can still react · check 14"),
        Row((REACT, Button("sg:pass:1", "Accept result"))),
        Row((MENU,)),
    ),
)


def every(message: dict[str, Any]) -> list[Any]:
    return list(walk_components(components(message)))


def texts(message: dict[str, Any]) -> str:
    return "\n".join(each["content"] for each in every(message) if "content" in each)


def test_a_card_is_laid_out_from_above_to_below() -> None:
    (message,) = to_messages(CHECK, row=17)
    check_message(message)
    (container,) = components(message)
    assert (container["type"], container["accent_color"], container["id"]) == (
        17,
        0x56B4E9,
        container_id(17),
    )
    head, quote, rule, dice, section, small, buttons, menu = container["components"]
    assert head["content"] == (
        "## ✗ Failure so far: 8 against\u00a010\nVesna: Climbing\u00a0d8, Fitness\u00a02"
    )
    assert quote["content"] == "> Left of the spillway,\n> rope first."
    assert rule["type"] == 14
    assert dice["content"] == "d10 (4) + d8 (2, ~~1~~) − 2 =\u00a0**8**"
    assert section["components"] == [
        {"type": 10, "content": "**Re-roll Climbing**\nFate\u00a03\u00a0→\u00a02"}
    ]
    assert section["accessory"]["label"] == "Re-roll"
    assert small["content"] == "-# Vesna can still react\u00a0· check\u00a014"
    assert [each["label"] for each in buttons["components"]] == ["React", "Accept result"]
    assert menu["components"][0]["options"][1]["default"] is True


def test_discord_py_reads_it_as_a_layout() -> None:
    """The parts that are handed over as they are make the view that the library itself would have
    sent.
    """
    (message,) = to_messages(CHECK)
    (container,) = components(message)
    raw: Any = container
    parsed = discord.components._component_factory(raw)
    assert isinstance(parsed, discord.Container)
    view = discord.ui.LayoutView(timeout=None)
    view.add_item(discord.ui.Container.from_component(parsed))
    (again,) = view.to_components()
    kinds = [each["type"] for each in walk_components([again])]
    assert kinds == [each["type"] for each in walk_components([container])]
    assert view.content_length() == sum(
        len(each.get("content", "")) for each in walk_components([container])
    )


def test_it_is_read_aloud_in_words() -> None:
    assert plain_text(CHECK) == (
        "Failure so far: 8 against 10\n"
        "Vesna: Climbing d8, Fitness 2\n"
        "“Left of the spillway,\nrope first.”\n"
        "d10 (4) + d8 (2, 1 dropped) minus 2 = 8\n"
        "Re-roll Climbing\nFate 3 to 2 [Re-roll]\n"
        "Vesna can still react, check 14"
    )
    signs = build_layout(
        "own", "Head", "→ Next: a\n· Later: b\n• c → d", "```\n2d6)\n   ^\n```\nIt never opens."
    )
    assert plain_text(signs) == "Head\nNext: a\nLater: b\nc to d\n2d6)\nIt never opens.", (
        "no sign begins a line"
    )
    (message,) = to_messages(CHECK, plain=True)
    assert message["content"] == plain_text(CHECK)
    rows = message["view"].to_components()
    labels = [[each.get("label") for each in row["components"]] for row in rows]
    assert labels == [["Re-roll"], ["React", "Accept result"], [None]]


def test_pictures_portraits_and_files() -> None:
    card = Layout(
        "own",
        (
            Section("## Vesna", Portrait("https://example.org/v.png", "Vesna with a rope.")),
            Picture("odds.png", Drawing(bytes, (b"png",)), "Easy 4, 90%."),
        ),
        attachment=Attachment("dice.txt", b"1, 2"),
    )
    (message,) = to_messages(card)
    check_message(message)
    assert [each.filename for each in message["files"]] == ["odds.png", "dice.txt"]
    assert message["files"][0].description == "Easy 4, 90%."
    (shown,) = to_messages(card, plain=True)
    assert shown["content"] == (
        "Vesna\nPortrait: Vesna with a rope. <https://example.org/v.png>\nPicture: Easy 4, 90%."
    )
    assert [each.filename for each in shown["files"]] == ["dice.txt"]


def test_who_is_called_is_called_by_a_message_of_its_own() -> None:
    card = Layout("open", (Head("<@8>"),), call="<@8>, you’re up.", mentions=(8,))
    message, call = to_messages(card)
    check_message(message)
    assert call["content"] == "<@8>, you’re up."
    assert call["allowed_mentions"].to_dict() == {"parse": [], "users": [8], "roles": []}
    (said,) = to_messages(card, plain=True)
    assert said["content"].startswith("<@8>, you’re up.\n")
    assert said["allowed_mentions"].to_dict() == {"parse": [], "users": [8], "roles": []}


def test_a_long_card_becomes_several_and_loses_nothing() -> None:
    pieces: list[Piece] = [Head("Long")]
    pieces += [Body(f"line {n}: some text that takes room") for n in range(300)]
    pieces += [
        Heading(f"part {n}") if n % 2 else Section(f"row {n}", Button(f"sg:b{n}", f"b{n}"))
        for n in range(60)
    ]
    pieces += [QuotedText("word " * 1200), SmallPrint("the end"), Row((REACT,))]
    messages = to_messages(Layout("own", tuple(pieces)), row=5)
    assert len(messages) > 3
    for number, message in enumerate(messages, 1):
        check_message(message)
        assert f"Long ({number} of {len(messages)})" in texts(message).replace("\u00a0", " ")
        assert container_ids(components(message)) == [container_id(5)]
    read = "\n".join(map(texts, messages)).replace("\u00a0", " ")
    assert all(f"line {n}:" in read for n in range(300))
    assert all(f"row {n}" in read for n in range(0, 60, 2))
    assert read.count("word") == 1200
    labels = [
        each.get("label") for message in messages for each in every(message) if "custom_id" in each
    ]
    assert labels == [f"b{n}" for n in range(0, 60, 2)] + ["React"]


def test_what_discord_would_refuse_is_an_error() -> None:
    with pytest.raises(ValueError, match="twice"):
        to_messages(Layout("own", (Section("x", REACT), Row((REACT,)))))
    many = tuple(Row(tuple(Button(f"sg:{row}.{n}", "x") for n in range(5))) for row in range(9))
    with pytest.raises(ValueError, match="more than 40 parts"):
        to_messages(Layout("own", (Head("x"), *many)))


PARTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=2500).filter(
    str.strip
)
PIECES = st.one_of(
    st.builds(Head, PARTS),
    st.builds(Heading, PARTS),
    st.builds(Body, PARTS),
    st.builds(QuotedText, PARTS),
    st.builds(SmallPrint, PARTS),
    st.just(Gap()),
    st.just(Divider()),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=20), st.booleans())
def test_whatever_a_card_holds_can_be_sent(pieces: list[Piece], spoken: bool) -> None:
    card = Layout("own", (Body("first"), *pieces))
    for message in to_messages(card, plain=spoken):
        check_message(message)
        assert len(message.get("content", "")) <= 2000


def test_a_card_that_is_over_or_taken_back() -> None:
    over = without_controls(with_entry_number(CHECK, 14))
    assert not [each for each in over.pieces if isinstance(each, Row)]
    assert Body("**Re-roll Climbing**\nFate 3 → 2") in over.pieces
    assert over.pieces[-1] == SmallPrint("Vesna can still react · check 14 · #14")
    assert with_head_prefix(over, "Undone (#15): ").pieces[0] == Head(
        "Undone (#15): ✗ Failure so far: 8 against 10"
    )
    bare = with_entry_number(Layout("own", (Head("x"), Row((REACT,)))), 14)
    assert bare.pieces == (Head("x"), SmallPrint("#14"), Row((REACT,)))


def test_what_was_laid_out_stays_so() -> None:
    """A message that is a layout takes no content any more, whatever comes next."""
    card = build_layout(
        "own", "Private", "b" * 1800, "n" * 1900, small="#14", rows=((REACT,), (MENU,))
    )
    for message in (*to_messages(card), *to_messages(card, plain=True)):
        edit = as_edit(message, layout=True)
        assert edit["content"] is None
        assert is_layout(edit)
        validate_message_state(
            components(edit), flags=LAYOUT, content=None, embeds=[], previous_flags=LAYOUT
        )
        if "view" in message:
            assert [each["custom_id"] for each in every(edit) if "custom_id" in each] == [
                "sg:react:1",
                "sg:menu",
            ]
    (text,) = to_messages(build_layout("own", "Title", "Body", small="#1"), plain=True)
    assert not is_layout(text)
    assert texts(as_layout(text)) == "Title\nBody\n#1"
    (layout,) = to_messages(CHECK)
    assert as_layout(layout) is layout


# --- blocks ---------------------------------------------------------------------------------------

WHO = Ref(name="Vesna")
TOLD = (
    Roll(WHO, None, (Die("main", 10, 4), Die("ability", 8, 2)), 8, FOR_EVERYONE, terms=(2,)),
    Verdict(
        Text("ebb-verdict", {"how": "near_miss"}),
        "bad",
        FOR_EVERYONE,
        Text("ebb-degree", {"just": True}),
    ),
    Quote("*rope* first", "p2", FOR_EVERYONE),
    Note(Text("ebb-note", {"how": "near_miss"}), FOR_EVERYONE),
    Change(WHO, Text("initiative-as-before", {"score": 3}), 3, 2, FOR_EVERYONE),
    Fact(Text("hidden-difficulty"), ("a", 1, WHO), FOR_EVERYONE),
    Group(None, (("Easy", 4, "90%"), ("alone",)), FOR_EVERYONE),
)


def test_blocks_make_a_card() -> None:
    rows: Rows = ((REACT,),)
    card = result_card(TOLD, who="Vesna: Climbing", small="Final", rows=rows)
    assert card.accent == "bad"
    assert card.pieces == (
        Head("✗ Near miss, only just"),
        Body("Vesna: Climbing"),
        QuotedText(r"\*rope\* first"),
        Divider(),
        Body("Vesna: d10 (4) + d8 (2) + 2 = **8**"),
        Gap(),
        Body(
            "It has some effect. Another character can try the same way; "
            "this one needs "
            "another approach."
        ),
        Body("Vesna: Same score as before: 3. 3 → 2"),
        Body("**hidden:** a, 1 and Vesna"),
        Gap(),
        Body("**Easy:** 4 · 90%"),
        Body("alone"),
        Gap(),
        SmallPrint("Final"),
        Row((REACT,)),
    )


POOL = (Die("d", 6, 5), Die("d", 6, 1))


@pytest.mark.parametrize(
    ("roll", "text"),
    [
        (Roll(None, None, (), 14, FOR_EVERYONE), "no dice = **14**"),
        (
            Roll(
                WHO, None, tuple(Die("d", 8, n) for n in (8, 7, 2)), 15, FOR_EVERYONE, dropped=(2,)
            ),
            "Vesna: 3d8 (8, 7, ~~2~~) = **15**",
        ),
        (
            Roll(
                None,
                None,
                (Die("d", 6, 5), Die("d", 6, 1)),
                Text("ebb-degree", {"count": 1}),
                FOR_EVERYONE,
                marks=(0,),
            ),
            "2d6 (**5**, 1): 1 extra result",
        ),
        (Roll(None, None, (), 9, FOR_EVERYONE, terms=(11, -2)), "11 − 2 = **9**"),
        (Roll(None, None, (Die("d", 6, 5),), None, FOR_EVERYONE, terms=(-1,)), "d6 (5) − 1"),
    ],
)
def test_dice_on_a_line(roll: Roll, text: str) -> None:
    card = result_card((roll,), head="x")
    assert Body(text) in card.pieces
