"""A slip in a name from a list is answered with the right name, wherever a list is."""

from __future__ import annotations

import asyncio
import random
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from bot.presenters.errors import describe_error
from bot.presenters.language.text import unescape
from bot.presenters.language.words import say_bare
from rules.core.errors import RulesError
from rules.table import lookup, resources
from rules.table.actions import AddNpcs, Produce
from rules.table.chance import cards, free_rolls
from rules.table.forms.fields import FormContext, Option, Pick, spoken_value
from rules.table.forms.form import Form
from rules.table.people import npcs
from rules.table.settings import table_settings
from rules.table.system import Game
from tests.property.random_play import Walk
from tests.property.systems import PLAYED, open_table, playing
from tests.sample_table import ANN, BEN, GM, by, make_house, numbered_id

SYSTEMS: Final = tuple(each.name for each in PLAYED)
#: A name in which a missing letter is a slip, and not another name.
_LEAST: Final = 5
#: How a value looks that is the id of somebody, whose name is typed.
_ID: Final = re.compile(r"k[0-9a-z]*[0-9][0-9a-z]*")
#: Entries of a list that are tried, the first and the last.
_TRIED: Final = 8


def near_miss(name: str) -> str:
    """Return a name without a letter in its middle."""
    at = next((at for at in range(len(name) // 2, len(name)) if name[at].isalpha()), len(name) // 2)
    return name[:at] + name[at + 1 :]


async def _open(name: str, folder: Path) -> tuple[Game, ...]:
    system = next(each for each in PLAYED if each.name == name)
    with playing(system), pytest.MonkeyPatch.context() as patch:
        patch.setattr("bot.services.directory.new_id", numbered_id)
        async with make_house(folder) as house:
            session = await open_table(system, house)
            state = await session.state()
            walk = Walk(session, system, random.Random(1))
            return tuple(walk._game(state, who) for who in (ANN, BEN, GM))


@cache
def games(name: str) -> tuple[Game, ...]:
    """Return a table of a system as two players and the GM see it."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_open(name, Path(folder)))


def _forms(game: Game) -> Iterator[tuple[str, Form]]:
    system: Any = game.system
    for kind, procedure in system.procedures.items():
        if isinstance(procedure.form, Form):
            yield kind, procedure.form
    for command in system.commands:
        yield f"/{command.name}", command.form
    yield "settings", table_settings.settings_form(system)


def _typed(option: Option) -> str:
    """Return what a player types for an entry of a list."""
    if _ID.fullmatch(option.value):
        return say_bare(option.label)
    return spoken_value(option.value)


def _some(entries: Iterable[Option]) -> list[Option]:
    found = [each for each in entries if len(_typed(each)) >= _LEAST]
    return found[:_TRIED] + found[_TRIED:][-_TRIED:]


def _problem(find: Callable[[str], object], name: str, meant: object) -> str:
    """Return what is wrong with the answer to a slip; empty where it is right."""
    slip = near_miss(name)
    try:
        found = find(slip)
    except RulesError as error:
        text = unescape(describe_error(error)).replace("_", " ")
        right = "Did you mean" in text and name.casefold() in text.casefold()
        return "" if right else f"{slip!r}: {text}"
    return "" if found == meant else f"{slip!r} is taken as {found!r}"


@pytest.mark.parametrize("system", SYSTEMS)
def test_every_list_of_a_form_suggests_the_right_name(system: str) -> None:
    problems: dict[str, str] = {}
    tried = 0
    for game in games(system):
        who = next(
            (each.id for each in game.state.characters.values() if each.owner == game.actor.id),
            next(iter(game.state.characters)),
        )
        for about, form in _forms(game):
            asking = FormContext(game, None, who)
            for field in form.fields:
                if not isinstance(field, Pick):
                    continue
                for option in _some(field.options(asking)):
                    tried += 1
                    found = _problem(
                        lambda text, field=field, asking=asking: field.find_value(asking, text),
                        _typed(option),
                        option.value,
                    )
                    if found:
                        problems[f"{about} {field.key}"] = found
    assert problems == {}
    assert tried or system == "tiny"


def _people(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    state, actor = game.state, game.actor
    for character in lookup.known_characters(state, actor):
        yield character.name, lambda text: lookup.find_known(state, actor, text, "target")


def _npcs(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for each in npcs.npcs(game.state):
        yield each.name, lambda text: npcs.find_npcs(game.state, text)


def _decks(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for name in cards.decks_of(game):
        yield name, lambda text: cards.deck_of(game, text)


def _cards(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for deck in cards.decks_of(game).values():
        held = tuple(card.id for card in deck.cards[:_TRIED])
        for card in held:
            yield (
                deck.card(card).name,
                lambda text, deck=deck, held=held: cards.find_card(deck, held, text),
            )


def _settings(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for field in table_settings.settings_form(game.system).fields:
        yield spoken_value(field.key), lambda text: table_settings.find_setting(game.system, text)


def _awards(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    sheet = next(iter(game.state.characters.values())).sheet
    points = game.system.resources
    for each in resources.award_options(points):
        yield (
            spoken_value(each.value),
            lambda text: resources.give_award(points, "Anna", sheet, text, 1),
        )


def _tables(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for name in game.system.tables or ():
        yield (
            name,
            lambda text: free_rolls.produce(game.state, Produce(**by(), what=text), game),
        )


def _tools(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    tools = game.system.tools
    if tools is None:
        return
    for character in game.state.characters.values():
        for option in tools.adjustables(character):
            name = spoken_value(option.value.partition(":")[0])
            yield (
                name,
                lambda text, tools=tools, character=character: tools.adjust(
                    game, character, text, "1"
                ),
            )


def _kinds_of_npcs(game: Game) -> Iterator[tuple[str, Callable[[str], object]]]:
    for option in game.sheets.npcs(game):
        yield (
            option.value,
            lambda text: npcs.add_npcs(game.state, AddNpcs(**by(GM), name="X", like=text), game),
        )


#: Lists that all systems share.
SHARED: Final = {
    "awards": _awards,
    "cards": _cards,
    "characters": _people,
    "decks": _decks,
    "kinds of NPCs": _kinds_of_npcs,
    "NPCs": _npcs,
    "settings": _settings,
    "tables": _tables,
    "tools": _tools,
}


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("about", SHARED)
def test_every_shared_list_suggests_the_right_name(about: str, system: str) -> None:
    problems: list[str] = []
    for game in games(system):
        for name, find in SHARED[about](game):
            if len(name) >= _LEAST and (found := _problem(find, name, None)):
                problems.append(found)
    assert problems == []


def test_a_slip_is_one_letter_less() -> None:
    assert near_miss("Climbing") == "Climing"
    assert near_miss("Orc 1") == "Or 1"
