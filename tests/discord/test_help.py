"""`/help`: what it begins with, and that everything it names is there and works when typed."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import AsyncIterator, Container, Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, Final

import pytest
import pytest_asyncio
from discord import AppCommandOptionType, AppCommandType, app_commands

from bot.pasted_commands import read_line, read_options
from bot.presenters.help import GM_TOPICS, TOPICS, topics_of_game
from bot.presenters.language.words import LOCALE, PAGES
from bot.samples import load_sample, sample_keys
from bot.services.loaded_table import Table
from cogs.system_commands import system_groups
from rules.core.dice import parse
from rules.core.errors import RulesError
from rules.registry import PLAYABLE
from rules.table.actions import Actor
from rules.table.forms.fields import FormContext
from tests.discord.ego.table import FIGHTER
from tests.discord.sample_tables import open_sample
from tests.discord.world import World, labels, menu, message_of, private, texts
from tests.sample_table import ego_character, open_game

ROOT: Final = Path(__file__).resolve().parents[2]
GAMES: Final = sample_keys()
CODE: Final = re.compile(r"`([^`]+)`")
#: Bold is a button, unless it leads a line (it ends with a mark) or names a term (a mark follows).
BOLD: Final = re.compile(r"\*\*([^*]+)\*\*([:,]?)")
#: What the help names that is neither a command of Discord nor one of its options.
OF_THE_TERMINAL: Final = {"make play"}
#: Pages about campaigns by post, whose commands and options are read as those of the help.
BY_POST: Final = ("by-post-gm.md", "by-post-players.md")
#: Beginnings of what a player says out of character.
ASIDES: Final = {"//", "(("}
#: Refusals of commands that were read: it isn't the moment for them at the sample table.
NOTHING_TO_DO: Final = (
    "has nothing that rest heals",
    "has no magic or psionic pool to sleep for",
    "no untreated injury",
    "No session has begun here",
)
#: Words that a skill's own charts give, and the field that holds the options of an attack.
SKILL_WORDS: Final = {"rows", "given", "options"}
#: Documents that name buttons as the help does.
DOCUMENTS: Final = (
    *("discord.md", "tour.md", "characters.md", "decks.md"),
    *("barmore.md", "ego.md", "masterbook.md"),
    *BY_POST,
)
#: How many terms of each game stand on messages at least.
TERMS: Final = {"ebb": 8, "barmore": 10, "ego": 14, "masterbook": 24}


# --- what there is --------------------------------------------------------------------------------


def page_texts(game: str | None) -> dict[str, str]:
    """The texts of a game's topics, or of those about every table."""
    pages = PAGES[game or "help"]
    return {key: page.text for key, page in pages.items()}


def every_page() -> Iterator[tuple[str | None, str, str]]:
    for game in (None, *GAMES):
        for topic, text in page_texts(game).items():
            yield game, topic, text


@cache
def catalog_text(*names: str) -> str:
    files = [path for name in names for path in sorted(LOCALE.glob(f"{name}*.toml"))]
    text = "\n".join(path.read_text("utf-8").partition("[pages.")[0] for path in files)
    return text.replace("\\\n", "").casefold()


@cache
def known_labels() -> frozenset[str]:
    """Everything that could be a label: pieces of catalog texts, and literals of the code."""
    pieces: set[str] = set()
    for path in LOCALE.glob("*.toml"):
        before, _, rest = path.read_text("utf-8").partition("[pages.")
        text = before + rest.partition("[enum.")[2]
        quoted = re.findall(r'"""(.*?)"""|"((?:[^"\\]|\\.)*)"', text.replace("\\\n", ""), re.DOTALL)
        for long, short in quoted:
            pieces.update(re.split(r"[\[\]|\n]|\{[^}]*\}", long or short))
            pieces.add(re.sub(r"\[[^\[\]]*\]", "", long or short))
    for folder in ("bot/presenters", "bot/ui", "cogs"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    pieces.add(node.value)
    return frozenset(piece.strip().removesuffix("…").rstrip() for piece in pieces)


def is_label(text: str) -> bool:
    """Whether a button has that label; the letter of a step is a hole."""
    return re.sub(r" [A-D]$|…$", "", text) in known_labels()


def declared_commands(world: World) -> dict[str, list[dict[str, Any]]]:
    """The options of each command, those of all games among them, as Discord gets them."""
    groups = [*world.bot.tree.walk_commands(type=AppCommandType.chat_input)]
    for system in PLAYABLE.values():
        for group in system_groups(system.key) if system.commands else ():
            groups += group.walk_commands()
    return {
        each.qualified_name: each.to_dict(world.bot.tree).get("options", [])
        for each in groups
        if isinstance(each, app_commands.Command)
    }


def named_commands(text: str) -> list[str]:
    return [code for code in CODE.findall(text) if code.startswith("/")]


def with_words(text: str, options: Container[str]) -> list[str]:
    """The words of `with` that a text about a game shows: whatever is no command and no option."""
    return [
        code.removeprefix("with:")
        for code in CODE.findall(text)
        if not code.startswith("/") and code not in options
    ]


# --- the topics -----------------------------------------------------------------------------------


@pytest.mark.parametrize("game", GAMES)
async def test_at_a_table_help_begins_with_its_game(world: World, game: str) -> None:
    await world.setup(system=game)
    first = await world.ana.slash(world.zone, "help")
    text = private(first)
    assert f"{PLAYABLE[game].name}: how to play" in text
    assert "</check:" in text and "More" not in labels(message_of(first)), "one page"
    topics = [each["value"] for each in menu(first.response, "Choose: topic")["options"]]
    assert topics[:4] == ["play", "fights", "words", "with"]
    assert {"own", "try", "turn", "post"} <= {*topics} and "start" not in topics
    assert not {*topics} & {*GM_TOPICS}
    own = await world.help(world.ana, "own")
    for_gm = await world.help(world.gina, "own")
    for command in PLAYABLE[game].commands:
        assert f"{command.name}:" in for_gm, command.name
    assert "GMs: " not in for_gm and "For the GM" not in own
    assert {*GM_TOPICS} <= {
        each["value"]
        for each in menu((await world.gina.slash(world.zone, "help")).response, "Choose: topic")[
            "options"
        ]
    }


async def test_without_a_table_help_begins_with_the_start(world: World) -> None:
    first = await world.ana.slash(world.zone, "help")
    assert "Start here" in private(first)
    other = await world.ana.slash(world.zone, "help", game="ego")
    assert "EGO: how to play" in private(other)
    chosen = await world.ana.select(message_of(first), ["masterbook"], custom_id="sg:help:game")
    assert "MasterBook: how to play" in private(chosen)
    words = await world.ana.select(
        message_of(chosen), ["words"], custom_id="sg:help:topic:masterbook"
    )
    assert "stymied" in private(words), "the game stays the one that was chosen"
    more = await world.press(world.ana, message_of(words), "More")
    assert "subplot" in private(more)


async def test_every_topic_can_be_asked_for(world: World) -> None:
    await world.setup(system="masterbook")
    for topic in TOPICS:
        asker = world.gina if topic in GM_TOPICS else world.ana
        assert len(private(await asker.slash(world.zone, "help", topic=topic))) > 200, topic
    kept = private(await world.ana.slash(world.zone, "help", topic="gms"))
    assert "how to play" in kept, "that is the GM's"


@pytest.mark.parametrize("game", GAMES)
async def test_players_read_nothing_that_is_the_gms(world: World, game: str) -> None:
    await world.setup(system=game)
    shown = [topic for topic in (*topics_of_game(game), *PAGES["help"]) if topic not in GM_TOPICS]
    text = "".join([await world.help(world.ana, topic) for topic in TOPICS if topic in shown])
    assert "/gm " not in text and "GMs: " not in text
    hidden = [npc for npc in load_sample(game).npcs if npc.alias and npc.stage != "revealed"]
    for npc in hidden:
        assert str(npc.data["name"]) not in text


def test_each_game_has_its_words() -> None:
    """A line for each term that stands on messages, and no term that stands nowhere."""
    for game, least in TERMS.items():
        terms = [term for term, mark in BOLD.findall(page_texts(game)["words"]) if mark]
        assert len(terms) == len(set(terms)) >= least, game
        known = catalog_text(game, "checks", "values", "order", "cards", "options", "ebb.")
        data = "".join(
            path.read_text("utf-8") for path in (ROOT / "rules/systems" / game).rglob("*.json")
        ).casefold()
        for term in terms:
            assert term.casefold() in known or term.casefold() in data, (game, term)


# --- what it names --------------------------------------------------------------------------------


async def test_every_command_and_option_exists(world: World) -> None:
    declared = declared_commands(world)
    options = {str(option["name"]) for known in declared.values() for option in known}
    for game, topic, text in every_page():
        for line in named_commands(text):
            read = read_line(line, declared)
            assert read is not None, (game, topic, line)
            name, rest = read
            assert not rest or read_options(rest, declared[name]) is not None, (topic, line)
            named = re.findall(r"(?:^|\s)([a-z_]+):", rest.partition(" with:")[0])
            assert {*named} <= {str(each["name"]) for each in declared[name]}, (topic, line)
        for code in CODE.findall(text) if game is None else ():
            if not code.startswith("/") and code not in OF_THE_TERMINAL:
                assert code in options or is_dice(code), (topic, code)


@pytest.mark.parametrize("document", BY_POST)
async def test_every_command_and_option_of_a_document_exists(world: World, document: str) -> None:
    declared = declared_commands(world)
    options = {str(option["name"]) for known in declared.values() for option in known}
    text = (ROOT / "docs" / document).read_text("utf-8")
    codes = [code for code in CODE.findall(text) if code not in ASIDES | OF_THE_TERMINAL]
    assert len(codes) > 20
    for code in codes:
        if not code.startswith("/"):
            assert code.partition(":")[0] in options, code
            continue
        read = read_line(code, declared)
        assert read is not None, code
        name, rest = read
        assert not rest or read_options(rest, declared[name]) is not None, code


def is_dice(code: str) -> bool:
    """Whether a code is what stands behind dice: `kl1`."""
    try:
        return bool(parse(f"2d6{code}"))
    except RulesError:
        return False


def test_every_button_has_that_label() -> None:
    texts_of = {(game, topic): text for game, topic, text in every_page()}
    texts_of |= {("docs", name): (ROOT / "docs" / name).read_text("utf-8") for name in DOCUMENTS}
    unknown = [
        (place, label)
        for place, text in texts_of.items()
        for label, mark in BOLD.findall(text)
        if not mark and not label.endswith((".", ",", ":", "?")) and not is_label(label)
    ]
    assert unknown == []


async def test_the_menu_of_a_message_has_what_the_help_names(world: World) -> None:
    for type_ in (AppCommandType.message,):
        for command in world.bot.tree.get_commands(type=type_):
            assert f"**{command.name}**" in PAGES["help"]["dice"].text


# --- what it says to type -------------------------------------------------------------------------


@pytest_asyncio.fixture
async def sample_world(
    world: World, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Any]:
    """The sample table of a game, with Gina, Ana and Ben in the places of its people."""
    sample, table = await open_sample(world, request.param, monkeypatch)
    if sample.system == "ego":
        arms = [*FIGHTER["arms"], {"name": "Sword, Bastard"}]
        fighter = json.dumps(ego_character("Nova", **{**FIGHTER, "arms": arms}))
        await world.hand_in(world.ana, "Nova.json", fighter, grown=True)
    yield world, sample, table


def reads(table: Table, text: str) -> bool:
    """Whether some check of some character takes that word of `with`."""
    system = PLAYABLE[table.state.settings.system]
    actors = {Actor(c.owner) for c in table.state.characters.values() if c.owner} | {
        Actor(gm) for gm in table.state.settings.gms
    }
    words = [each.strip() for each in text.split(",")]
    for course, (key, character) in product(
        system.procedures.values(), table.state.characters.items()
    ):
        if course.form is None or character.sheet is None:
            continue
        arms = [str(arm.name) for arm in getattr(character.sheet, "arms", ())]
        skills = [str(skill.name) for skill in getattr(character.sheet, "skills", ())]
        effects = [str(known.name) for known in getattr(character.sheet, "effects", ())]
        chosen = [{"weapon": arm} for arm in arms] + [{"skill": skill} for skill in skills]
        chosen += [{"effect": effect} for effect in effects]
        for actor in actors:
            game = open_game(table.state, actor)
            for beside in ({}, *chosen):
                try:
                    course.form.read_words(words, FormContext(game, None, key, beside))
                except RulesError:
                    continue
                return True
    return False


@pytest.mark.parametrize("sample_world", GAMES, indirect=True)
async def test_every_example_works_when_it_is_typed(sample_world: Any) -> None:
    """At the game's sample table, by each of its people; the words of `with` by some check."""
    world, sample, table = sample_world
    declared = declared_commands(world)
    options = {str(option["name"]) for known in declared.values() for option in known}
    for topic, text in page_texts(sample.system).items():
        words = with_words(text, options)
        assert [word for word in words if not reads(table, word)] == [], topic
    for topic, text in (page_texts(sample.system) | page_texts(None)).items():
        for line in named_commands(text):
            read = read_line(line, declared)
            assert read is not None
            name, rest = read
            if not rest:
                continue
            given = read_options(rest, declared[name])
            assert given is not None, line
            if "check" in given or "entry" in given:
                continue  # test_what_messages_name_can_be_typed
            asked = [world.gina] if topic in GM_TOPICS else [world.ana, world.ben]
            told = [await type_command(world, asker, name, given) for asker in asked]
            assert any(map(is_understood, told)), (line, told)


def is_understood(answer: str) -> bool:
    """Whether a command was carried out, or is fine but has nothing to do at the sample table."""
    return "Nothing has changed." not in answer or any(each in answer for each in NOTHING_TO_DO)


@pytest.mark.parametrize("sample_world", GAMES, indirect=True)
async def test_every_word_of_with_is_explained(sample_world: Any) -> None:
    """What a player can say in `with` of a check or an attack stands on the game's page."""
    world, sample, table = sample_world
    declared = declared_commands(world)
    options = {str(each["name"]) for name in ("check", "attack") for each in declared[name]}
    page = page_texts(sample.system)["with"].casefold()
    unexplained: set[str] = set()
    for key, character in table.state.characters.items():
        if character.owner is None:
            continue
        game = open_game(table.state, Actor(character.owner))
        for kind in ("check", "attack"):
            for field in PLAYABLE[sample.system].procedures[kind].form.fields:
                hidden = field.hidden_if(FormContext(game, None, key), field.key)
                if hidden is None and field.key not in options and field.key not in page:
                    unexplained.add(field.key)
    assert unexplained <= SKILL_WORDS


async def type_command(world: World, who: Any, name: str, options: dict[str, Any]) -> str:
    """Everything that answers a command; numbers are sent as Discord sends them."""
    declared = {each["name"]: each["type"] for each in declared_commands(world)[name]}
    given = {
        key: int(value) if declared[key] == AppCommandOptionType.integer.value else value
        for key, value in options.items()
    }
    result = await who.slash(world.zone, name, **given)
    shown = [message for message in (result.response, *result.followups) if message is not None]
    return "\n".join(map(texts, shown))


async def test_what_messages_name_can_be_typed(world: World) -> None:
    """`check c1` and `#4` on a message are what `/odds`, `/spend` and `/gm undo` take."""
    await world.table()
    await world.propose(skill="Climbing")
    await world.rule()
    for name in ("odds", "spend"):
        assert "Nothing has changed." not in await type_command(
            world, world.ana, name, {"check": "c1"}
        )
    entry = re.search(r"#(\d+)", texts(world.card()))
    assert entry is not None
    undone = await type_command(world, world.gina, "gm undo", {"entry": entry[1]})
    assert "Nothing has changed." not in undone
