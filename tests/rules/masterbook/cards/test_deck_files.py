"""The default deck, the kinds of cards, and deck files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import cycle
from typing import Any, get_args

import pytest

from rules.core.errors import Problems, RulesError
from rules.systems.masterbook.deck import deck_files
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    LETTERS,
    MODES,
    Box,
    Drawn,
    Due,
    Face,
    Held,
    InitiativeLine,
    LineEffect,
    Op,
    Target,
    Type,
    Window,
    card_limit,
    default_faces,
)
from rules.systems.masterbook.deck.deal import lay_out_deck
from rules.systems.masterbook.deck.deck_files import deck_findings, load_deck, read_file
from rules.systems.masterbook.deck.deck_state import DRAW_PILE, REMOVED
from rules.systems.masterbook.settings import SETTINGS

SKILLS = ("intimidation", "taunt", "trick")
HEAD = {"format": "masterbook-deck", "format_version": 1, "deck_id": "ours", "title": "Ours"}
LINE = {"first": "P", "p": None, "g": {"effect": "stymied"}}


def file_of(*cards: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {**HEAD, "cards": list(cards), **more}


def full(number: int, name: str, **more: Any) -> dict[str, Any]:
    line = {"standard": LINE, "dramatic": LINE, "critical": {"kind": "complication"}}
    return {"number": number, "name": name, **line, **more}


@pytest.mark.rule("MB-CARD-01", "MB-CARD-D01", "MB-CARD-B01")
def test_how_many_there_are_of_each() -> None:
    types = Counter(KINDS[each.kind].type for each in default_faces().values())
    assert types == {"enhancement": 83, "subplot": 17, "picture": 6, "blank": 2}
    copies = Counter(each.kind for each in default_faces().values())
    assert (copies["action"], copies["claim"], copies["martyr"], copies["alertness"]) == (
        5,
        4,
        2,
        1,
    )
    piles = lay_out_deck(default_faces())
    assert (len(piles.cards_at(DRAW_PILE)), piles.cards_at(REMOVED)) == (106, ("107", "108"))


@pytest.mark.rule("MB-CARD-D02")
def test_numbers_follow_the_names_of_each_type() -> None:
    names = [default_faces()[str(number)].kind for number in range(1, 109)]
    assert names[:83] == sorted(names[:83])
    assert names[83:100] == sorted(names[83:100])
    assert names[100:106] == ["disaster", "general", "general", "interloper", "opportunity", "wild"]


#: What goes round on the cards: who is first, what befalls players and NPCs; boxes; approved
#: actions.
_STANDARD = (
    "P - -",
    "P - fatigued",
    "P flurry -",
    "G - -",
    "P - setback",
    "P up -",
    "P - stymied",
    "G fatigued -",
    "P inspiration -",
    "P - breaks",
    "G stymied -",
    "G - skill",
)
_DRAMATIC = (
    "G - -",
    "P - -",
    "G - flurry",
    "P inspiration -",
    "G - up",
    "G setback -",
    "G stymied -",
    "P up setback",
    "G fatigued -",
    "G confused -",
    "G - skill",
    "P flurry breaks",
    "G - inspiration",
)
_BOXES = (
    "AB",
    "AC",
    "AD",
    "BC",
    "BD",
    "CD",
    "ABC",
    "ABD",
    "ACD",
    "BCD",
    "ABCD",
    "ABD",
    "complication",
    "possible_setback",
    "critical_problem",
)
_ACTS = (
    "defend intimidation",
    "defend maneuver",
    "defend taunt",
    "defend trick",
    "intimidation maneuver",
    "intimidation taunt",
    "intimidation trick",
    "maneuver taunt",
    "maneuver trick",
    "taunt trick",
    "any",
)


def _line(row: str, skills: Iterator[str]) -> InitiativeLine:
    said: Any = row.replace("-", "").split(" ")
    first, players, gms = said
    return InitiativeLine(first, players, gms, next(skills) if gms == "skill" else "")


@pytest.mark.rule("MB-CARD-D01", "MB-CARD-D02", "MB-CARD-D03")
def test_the_default_deck_is_made_by_its_rule() -> None:
    by_pair, by_card = cycle(SKILLS), cycle(SKILLS)
    order = ("enhancement", "subplot", "picture", "blank")
    kinds = [each for each in KINDS.values() for _ in range(each.copies)]
    kinds.sort(key=lambda each: (order.index(each.type), each.key))
    line = InitiativeLine()
    for number, kind in enumerate(kinds, 1):
        face, pair = default_faces()[str(number)], (number + 1) // 2
        assert face.kind == kind.key
        if kind.type == "blank":
            assert face == Face(str(number), "blank", in_play=False)
            continue
        if number % 2:
            line = _line(_STANDARD[(pair - 1) % 12], by_pair)
        box = _BOXES[14 * (number - 1) % 15]
        assert face.standard == line
        assert face.dramatic == _line(_DRAMATIC[9 * (number - 1) % 13], by_card)
        assert box == ("".join(face.letters) or face.box)
        assert " ".join(face.approved) == _ACTS[(pair + 6) % 11]


@pytest.mark.rule("MB-CARD-02", "MB-CARD-D03", "MB-CARD-D04")
def test_what_stands_on_the_cards() -> None:
    faces = [each for each in default_faces().values() if each.in_play]
    standard = [each.standard for each in faces if each.standard is not None]
    dramatic = [each.dramatic for each in faces if each.dramatic is not None]
    assert len(standard) == len(dramatic) == 106
    assert Counter(each.players or "none" for each in standard) == {
        "fatigued": 8,
        "flurry": 10,
        "inspiration": 8,
        "none": 64,
        "stymied": 8,
        "up": 8,
    }
    assert Counter(each.gms or "none" for each in dramatic) == {
        "breaks": 8,
        "flurry": 8,
        "inspiration": 8,
        "none": 58,
        "setback": 8,
        "skill": 8,
        "up": 8,
    }
    assert Counter("".join(each.letters) or each.box for each in faces) == {
        "AB": 8,
        "ABC": 7,
        "ABCD": 7,
        "ABD": 14,
        "AC": 7,
        "ACD": 7,
        "AD": 7,
        "BC": 7,
        "BCD": 7,
        "BD": 7,
        "CD": 7,
        "complication": 7,
        "critical_problem": 7,
        "possible_setback": 7,
    }
    pair = default_faces()["13"], default_faces()["14"]
    assert pair[0].standard == pair[1].standard
    assert pair[0].approved == pair[1].approved == ("defend", "taunt")


@pytest.mark.rule("MB-CARD-04")
@pytest.mark.parametrize(("characters", "cards"), [(1, 5), (2, 3), (5, 3), (6, 2), (20, 2)])
def test_fewer_players_hold_more_cards(characters: int, cards: int) -> None:
    assert card_limit(characters) == cards


@pytest.mark.rule("MB-CARD-00", "MB-CARD-N02")
def test_how_far_a_table_plays_with_the_deck() -> None:
    assert SETTINGS.defaults["cards_mode"] == "off"
    assert {key for key in MODES if MODES[key].lines} == {"initiative_only", "full"}
    assert {key for key, each in MODES.items() if each.hands} == {"play_only", "full"}
    assert {key for key, each in MODES.items() if each.awards} == {"full"}


@pytest.mark.rule("MB-CARD-D05")
def test_the_default_deck_as_a_file_is_the_default_deck() -> None:
    def line(lines: Any) -> Any:
        skill = {"skill": lines.skill} if lines.skill else {}
        return {
            "first": lines.first,
            "p": {"effect": lines.players} if lines.players else None,
            "g": {"effect": lines.gms, **skill} if lines.gms else None,
        }

    def card(face: Face) -> dict[str, Any]:
        letters = {"letters": list(face.letters)} if face.letters else {}
        return {
            "number": int(face.id),
            "name": face.kind,
            "in_play": face.in_play,
            "standard": face.standard and line(face.standard),
            "dramatic": face.dramatic and line(face.dramatic),
            "critical": face.box and {"kind": face.box, **letters},
            "approved": list(face.approved),
        }

    file, notes = load_deck(file_of(*map(card, default_faces().values())), MODES["full"], 4)
    assert file.faces == tuple(default_faces().values())
    assert [each.code for each in notes] == ["general_undefined"]


@pytest.mark.rule("MB-CARD-D05")
def test_a_card_of_ones_own_is_another_row() -> None:
    effect = {"op": "modify_total", "amount": 2, "scope": ["mind"], "also_effect_value": 1}
    own = {"name": "Luck", "type": "enhancement", "summary": "Fortune smiles.", "effect": effect}
    file, _ = read_file(
        file_of(full(1, "luck"), definitions={"luck": {**own, "windows": ["pre_roll"]}})
    )
    (kind,) = file.kinds
    assert (kind.key, kind.op, kind.amount, kind.scope) == ("luck", "modify_total", 2, ("mind",))
    assert (kind.counts_in_hand, kind.replacement_draw, kind.on_draw) == (True, False, "to_hand")
    assert (kind.windows, kind.also_effect_value) == (("pre_roll",), 1)


def codes(data: dict[str, Any]) -> list[tuple[str, object]]:
    with pytest.raises(Problems) as told:
        load_deck(data, MODES["full"])
    return [(each.code, each.params["field"]) for each in told.value.problems]


@pytest.mark.rule("MB-CARD-D06")
def test_every_fault_of_a_file_is_told_with_its_card() -> None:
    wrong = {"first": "P", "p": {"effect": "breaks"}, "g": {"effect": "skill"}}
    found = codes(
        file_of(
            full(1, "hero", standard=wrong, color="red"),
            full(0, "Hero", critical={"kind": "letters", "letters": ["A", "A"]}),
            {"name": "hero"},
            format_version=2,
        )
    )
    assert found == [
        ("out-of-range", "format_version"),
        ("unknown-field", "card 1.color"),
        ("wrong-type", "card 1.standard.p.effect"),
        ("missing-field", "card 1.standard.g.skill"),
        ("out-of-range", "card 0.number"),
        ("mb-card-bad-key", "card 0.name"),
        ("duplicate-field", "card 0.critical.letters[1]"),
        ("missing-field", "cards[2].number"),
    ]


@pytest.mark.rule("MB-CARD-D06")
def test_a_deck_as_a_whole_has_to_make_sense() -> None:
    found = codes(
        file_of(
            full(1, "hero", type="subplot"),
            full(1, "nobody"),
            full(2, "idea", standard=None),
            full(3, "blank"),
            definitions={"hero": {"name": "Hero", "type": "enhancement", "summary": "Stronger."}},
        )
    )
    assert found == [
        ("mb-card-dup-number", "card 1"),
        ("mb-card-unknown-name", "card 1"),
        ("mb-card-type-mismatch", "card 1"),
        ("mb-card-shadowed-builtin", "definitions.hero"),
        ("mb-card-lines-missing", "card 2"),
        ("mb-card-blank-in-play", "card 3"),
    ]


@pytest.mark.rule("MB-CARD-D06", "MB-CARD-N02")
def test_lines_matter_only_where_cards_are_flipped() -> None:
    file, types = read_file(file_of({"number": 1, "name": "general", "approved": ["dancing"]}))
    found = deck_findings(file, MODES["play_only"], 2, types)
    assert [(each.code, each.severity) for each in found] == [
        ("box_missing", "warning"),
        ("general_undefined", "warning"),
        ("unknown_approved", "warning"),
        ("too_few_cards", "warning"),
        ("size_differs", "info"),
    ]
    assert deck_findings(file, MODES["initiative_only"])[0].code == "lines_missing"


@pytest.mark.rule("MB-CARD-D05", "MB-CARD-D06")
@pytest.mark.parametrize(
    "value", [None, 3, "x", [], [{}], {"cards": 3}, {"cards": [[]], "definitions": []}]
)
def test_no_file_brings_the_reader_down(value: Any) -> None:
    data = value if isinstance(value, dict) else {"cards": value, "definitions": value}
    with pytest.raises(RulesError) as told:
        load_deck({**HEAD, **data}, MODES["full"])
    assert told.value.code == "deck-problems"


@pytest.mark.rule("MB-CARD-D05")
def test_a_file_may_say_what_the_rules_know() -> None:
    card, own = (
        deck_files.SCHEMA["properties"]["cards"]["items"],
        deck_files.SCHEMA["properties"]["definitions"],
    )
    line, kind = deck_files.SCHEMA["$defs"]["line"], own["additionalProperties"]["properties"]
    sides = {
        side: {"", *line["properties"][side]["properties"]["effect"]["enum"]} for side in ("p", "g")
    }
    assert all(
        card["properties"][each] == {"$ref": "#/$defs/line"} for each in ("standard", "dramatic")
    )
    assert sides["p"] | sides["g"] == {*get_args(LineEffect)}
    assert (sides["g"] - sides["p"], sides["p"] - sides["g"]) == ({"breaks", "skill"}, {"confused"})
    assert card["properties"]["critical"]["properties"]["kind"]["enum"] == [*get_args(Box)]
    assert card["properties"]["critical"]["properties"]["letters"]["items"]["enum"] == [*LETTERS]
    assert card["properties"]["type"]["enum"] == [*get_args(Type)]
    assert kind["type"]["enum"] == [*get_args(Type)][:3]
    assert {*kind["effect"]["properties"]["op"]["enum"]} == {*get_args(Op)} - {
        "",
        "any_card",
        "campaign",
    }
    assert kind["effect"]["properties"]["target"]["enum"] == [*get_args(Target)]
    assert kind["windows"]["items"]["enum"] == [*get_args(Window)]
    assert kind["in_rounds_from"]["enum"] == [*get_args(Held)]
    assert kind["on_draw"]["enum"] == [*get_args(Drawn)]
    assert kind["award"]["properties"]["when"]["enum"] == [*get_args(Due)]
