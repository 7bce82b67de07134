"""The language of the texts: holes, filters, sections, parts; and what keeps the bot from
starting.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.presenters.language.catalog import CatalogPage, parse_template, read_catalog
from bot.presenters.language.text import TextParams, fill_template
from rules.core.errors import Param
from rules.table.blocks import Text


def said_text(text: str, **params: Param) -> str:
    return fill_template(parse_template(text), TextParams(params))


@pytest.mark.parametrize(
    ("text", "params", "words"),
    [
        ("no hole at all", {}, "no hole at all"),
        ("{name} and {n}", {"name": "*Ana*", "n": -2}, r"\*Ana\* and −2"),
        ("{left|plural:point}", {"left": 0}, "no points"),
        ("{left|plural:point}", {"left": -2}, "−2 points"),
        ("{n|plural:die:dice} rolled", {"n": 1}, "1 die rolled"),
        ("{n|plural:die:dice} rolled", {"n": 4}, "4 dice rolled"),
        ("{n|abs}, {n|signed}, {n|abs|plural:level}", {"n": -3}, "3, −3, 3 levels"),
        ("{n|minus:1|signed}; {n|plus:m}", {"n": 3, "m": 2}, "+2; 5"),
        ("{n|minutes}", {"n": 90}, "1 hour and 30 minutes"),
        ("{n|moment}", {"n": 3 * 1440 + 870}, "Day 4, 14:30"),
        ("{all}: {all|or}", {"all": ("a", "b")}, "a and b: a or b"),
        (
            "{all|list}; {all|join}; {all|join: · }",
            {"all": ("a", "b", "_c")},
            r"a, b and \_c; a, b, \_c; a · b · \_c",
        ),
        ("{t|most:5} {t|long} {t}", {"t": "abcdefgh"}, "abcd… abcdefgh abcdefgh"),
        ("{t|lines}", {"t": "a\n# b"}, "a\n\\# b"),
        ("{t|quoted} {t|option}", {"t": "a*b"}, "“a\\*b” `a*b`"),
        ("{t|whom} {u|whom}", {"t": "<@!12>", "u": "<@12> and more"}, "<@!12> Somebody"),
        ("{t|capital} and {t|stop}", {"t": "ana"}, "Ana and ana."),
        ("{t|quoted|stop}", {"t": "Who?"}, "“Who?”."),
        ("one[, {part}]", {"part": "two"}, "one, two"),
        ("one[, {part}]", {}, "one"),
        ("one[, {part}]", {"part": ""}, "one"),
        ("one[, {part}]", {"part": ()}, "one"),
        ("one[, {part}]", {"part": 0}, "one, 0"),
        ("[{a}|{b}|none]", {"b": "B"}, "B"),
        ("[{a}|{b}|none]", {}, "none"),
        ("[{?hit}yes|no]", {"hit": True}, "yes"),
        ("[{?hit}yes|no]", {"hit": False}, "no"),
        ("[{?!hit}no ]way", {"hit": 0}, "way"),
        ("[{?how=a,b}one|{?how!=c}two|three]", {"how": "b"}, "one"),
        ("[{?how=a,b}one|{?how!=c}two|three]", {"how": "x"}, "two"),
        ("[{?how=a,b}one|{?how!=c}two|three]", {"how": "c"}, "three"),
        ("[{?n=0}none|{?n=1,-1}one|many]", {}, "none"),
        ("[{?n=0}none|{?n=1,-1}one|many]", {"n": -1}, "one"),
        ("[{?n=1}is|are]", {"n": ("a",)}, "is"),
        ("[{?n=1}is|are]", {"n": ("a", "b")}, "are"),
        ("[{?n>1}many|{?n<0}less|few]", {"n": ("a", "b")}, "many"),
        ("[{?n>1}many|{?n<0}less|few]", {"n": -1}, "less"),
        ("[{?n>1}many|{?n<0}less|few]", {}, "few"),
        ("[{?a}a [{b}|no b], {c}]", {"a": "x", "c": "C"}, "a no b, C"),
        ("[{?a}a [{b}|no b], {c}]", {"a": "x", "b": "B"}, ""),
        (r"\[{a}\] a|b \{c\} \\", {"a": 1}, r"[1] a|b {c} \ ".strip()),
    ],
)
def test_texts(text: str, params: dict[str, Param], words: str) -> None:
    assert said_text(text, **params) == words


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            "{left|plurl:point}",
            "the filter 'plurl:point' of {left|plurl:point}: there is no such filter",
        ),
        ("{left|plural}", "the filter 'plural' of {left|plural}: "),
        ("{left|signed:1}", "the filter 'signed:1'"),
        ("{left|most:many}", "the filter 'most:many'"),
        (
            "{left|plural:point|abs}",
            "the filter 'abs' of {left|plural:point|abs}: it cannot stand there",
        ),
        ("{left|abs|long}|", "it cannot stand there"),
        ("{left|long|list}", "it cannot stand there"),
        ("{two words}", "this is no hole: {two words}"),
        ("{}", "this is no hole: {}"),
        ("{name!r}", "this is no hole: {name!r}"),
        ("a } b", "a stray } at 2"),
        ("a { b", "a stray { at 2"),
        ("a ] b", "a stray ] at 2"),
        ("a [b", "a section without an end"),
        ("{?hit}", "a condition outside of a section: {?hit}"),
        ("[{?}a]", "this is no condition: {?}"),
        ("[{?!a=b}c]", "this is no condition: {?!a=b}"),
        ("[{?a>b}c]", "invalid literal"),
        ("{>other}", "there is no part 'other'"),
    ],
)
def test_what_is_no_text(text: str, fault: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_template(text)
    assert fault in str(refused.value)


def _loud(params: TextParams) -> str:
    return f"{params['name']}! {params.say(Text('plain'))}"


def test_parts_stand_in_texts_and_functions_too(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        'plain = "so"\nmore = "[{>who}: ]{>loud}"\n[fixes]\nmend = "{>who}"\n'
    )
    (tmp_path / "b.toml").write_text(
        'other = "{n}"\n[parts]\nwho = "{>inner}"\ninner = "[{name}]"\n'
    )
    (tmp_path / "c.toml").write_text('[pages.first]\ntitle = "One"\ntext = """\na \\\n   b\nc"""\n')
    found = read_catalog(tmp_path, {"loud": _loud})
    assert (sorted(found.codes), list(found.fixes)) == (["more", "other", "plain"], ["mend"])
    assert fill_template(found.codes["more"], TextParams({"name": "Ana"})) == "Ana: Ana! plain"
    assert fill_template(found.codes["more"], TextParams({"name": ""})) == "! plain"
    assert found.pages == {"a": {}, "b": {}, "c": {"first": CatalogPage("One", "a b\nc")}}


def test_an_enumeration_has_words_for_each_value(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(
        'shot = "{>mode}, {>cover}, {>ground}"\n'
        '[enum.mode]\n"?" = "how"\nsingle = "one shot"\n"burst,full_auto" = "many shots"\n'
        '[enum.cover]\n"?" = "behind"\nweak = "weak cover"\n"" = "no cover"\n'
        '[enum.ground]\n"?" = "on"\nsoft = "soft ground"\n"" = ""\n'
    )
    shot = read_catalog(tmp_path, {}).codes["shot"]

    def words(**params: Param) -> str:
        return fill_template(shot, TextParams(params))

    assert words(how="single", behind="weak", on="soft") == "one shot, weak cover, soft ground"
    assert words(how="full_auto", behind="none", on="none") == "many shots, no cover, "
    assert words(how="aimed") == "aimed, no cover, ", "without other words: the value"


def test_what_belongs_to_a_game_may_stand_in_several_files(tmp_path: Path) -> None:
    (tmp_path / "game.toml").write_text('[commands]\nroll = "Roll"\n')
    (tmp_path / "game.cards.toml").write_text('[commands]\ndraw = "Draw"\n')
    assert read_catalog(tmp_path, {}).commands == {"game": {"draw": "Draw", "roll": "Roll"}}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            'one = "{n|plurl}"',
            "b.toml: one: the filter 'plurl' of {n|plurl}: there is no such filter",
        ),
        ("a = b", "b.toml: Invalid value"),
        ('plain = "again"', "b.toml: plain: it stands in a.toml as well"),
        ("number = 1", "b.toml: number: this is no text"),
        ('nothing = ""', "b.toml: nothing: this is no text"),
        ('[other]\none = "a"', "b.toml: other: this is no text"),
        ('[parts]\nunused = "a"', "unused"),
        ('[pages.first]\ntitle = "a"', "b.toml: first: this is no page"),
        ('[pages.first]\ntitle = "a"\ntext = ""', "b.toml: first: this is no page"),
        (
            'one = "{>a}"\n[parts]\na = "{>b}"\nb = "{>a}"',
            "b.toml: b: the part 'a' stands in itself",
        ),
        ('one = "{>loud}"\n[parts]\nloud = "a"', "loud"),
        ('[enum.how]\nsingle = "a"', 'b.toml: how: its row "?" names no parameter'),
        ('[enum.how]\n"?" = "how"', "b.toml: how: each value of an enumeration has a text"),
        ('[enum.how]\n"?" = "how"\na = 1', "b.toml: how: each value of an enumeration has a text"),
        (
            '[parts]\nhow = "a"\n[enum.how]\n"?" = "how"\na = "a"',
            "b.toml: how: it is a part and an enumeration",
        ),
    ],
)
def test_a_catalog_with_a_fault_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    (tmp_path / "a.toml").write_text('plain = "{>loud}"\n')
    (tmp_path / "b.toml").write_text(text)
    with pytest.raises(ValueError) as refused:
        read_catalog(tmp_path, {"loud": _loud})
    assert fault in str(refused.value)
