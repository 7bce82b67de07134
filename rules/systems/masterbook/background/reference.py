"""`/mb background show` and `find`: a character's options with their state, and all options."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from rules.core.errors import NotFound
from rules.core.name_matching import name_key, similar_names
from rules.systems.masterbook.background.completions import WHO_FIELD
from rules.systems.masterbook.background.flaws import is_switched_off
from rules.systems.masterbook.background.prices import (
    is_price_due,
    is_used,
    life_point_prices,
    price_points,
)
from rules.systems.masterbook.background.quirks import quirk_difficulty
from rules.systems.masterbook.background.state import option_name, own_or_known, state_of
from rules.systems.masterbook.character.option_lines import CUSTOM_NOTE
from rules.systems.masterbook.character.options import BackgroundOption, gives_of, kind_of
from rules.systems.masterbook.character.sheet import MasterbookSheet, option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.card_awards import fortune_of
from rules.systems.masterbook.formulas.option_kinds import (
    LIST_COLUMNS,
    SIDES,
    AbilityKind,
    BackgroundRows,
    OptionKind,
    Side,
    ability_kinds,
    option_kinds,
)
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Text
from rules.table.check import Values
from rules.table.commands import CommandView
from rules.table.forms.fields import FormContext, Option, Typed, plain_options
from rules.table.lookup import readable_characters
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Most options that one answer lists.
_MOST: Final = 12
_TEXT_MOST: Final = 80
#: Inputs that take any skill.
_SKILL_INPUTS: Final = ("skills", "macroskill")


def _words(text: str) -> Text:
    return Text("as-written", {"text": text})


# --- of a character -------------------------------------------------------------------------------


def _show(game: Game, given: Values) -> CommandView:
    """Return a character's options, after the Life Points that their prices will take.

    Players read their own characters, GMs any. Raises as `own_or_known` and `find_own`.
    """
    who = own_or_known(game, given.get("character"))
    sheet: MasterbookSheet = who.sheet
    blocks: list[Block] = [*_price_notes(game, who)]
    for side in SIDES:
        options = sheet.advantages if side == "advantage" else sheet.compensations
        blocks += [_option_fact(game, who, side, option) for option in options]
    if state_of(game, who.id).handed_in:
        blocks.append(Note(Text("mb-background-handed-in"), FOR_EVERYONE))
    nothing = Note(Text("mb-background-empty", {"name": who.name}), FOR_EVERYONE)
    return CommandView(Text("mb-background-of", {"name": who.name}), tuple(blocks) or (nothing,))


def _price_notes(game: Game, who: AnyCharacter) -> Iterator[Note]:
    """Yield the sum of the prices in Life Points, if the character has any (MB-BG-56)."""
    prices = life_point_prices(who.sheet)
    if not prices:
        return
    total = sum(price_points(price) for price in prices)
    certain = all(is_price_due(game, who.id, price) for price in prices)
    text = Text("mb-background-prices", {"number": total, "certain": certain})
    yield Note(text, FOR_EVERYONE)


def _option_fact(game: Game, who: AnyCharacter, side: Side, option: BackgroundOption) -> Fact:
    """Return an option with its effect and its state."""
    kind = kind_of(option, side, game.campaign)
    about = option.note(CUSTOM_NOTE) if kind is None else kind.about
    states = tuple(_state_lines(game, who, side, option))
    line = Text("mb-background-line", {"about": about or option.title, "states": states})
    return Fact(_words(option_name(option)), line, FOR_EVERYONE)


def _state_lines(
    game: Game, who: AnyCharacter, side: Side, option: BackgroundOption
) -> Iterator[Text]:
    """Yield the lines on the state of a character's option."""
    state, name = state_of(game, who.id), option_name(option)
    if option.state == "lost":
        yield Text("mb-background-state", {"how": "resolved" if side != "advantage" else "lost"})
    if option.state == "suspended":
        off = is_switched_off(game, who.id, option)
        yield Text("mb-background-state", {"how": "off" if off else "suspended"})
    if side == "advantage" and option.is_active and is_used(game, who.id, option):
        yield Text("mb-background-state", {"how": "used"})
    if name in state.unpaid:
        points = price_points(option) or None
        yield Text("mb-background-state", {"how": "unpaid", "number": points})
    if option in life_point_prices(who.sheet):
        about = {"number": price_points(option), "certain": is_price_due(game, who.id, option)}
        yield Text("mb-background-state", {"how": "price", **about})
    fortune = fortune_of(game, who.id)
    if fortune.triggers and any(gives.bad_luck for gives in gives_of(option, side)):
        numbers = {"number": fortune.triggers, "banked": fortune.banked or None}
        yield Text("mb-background-state", {"how": "struck", **numbers})
    for quirk in option_effects(who.sheet).quirks:
        if quirk.option is option and state.raised(name):
            number = quirk_difficulty(game, who.id, quirk)
            yield Text("mb-background-state", {"how": "raised", "number": number})


# --- all options ----------------------------------------------------------------------------------


def _find(game: Game, given: Values) -> CommandView:
    """Return the options that a name, a skill or a word of a summary fits, of all columns.

    Raises NotFound("mb-background-unfound") with the nearest titles.
    """
    text = given["text"]
    matches = tuple(matching_kinds(text, game.campaign))
    if not matches:
        titles = [title for title, _ in _titled_rows(game.campaign)]
        nearest = similar_names(text, titles)
        shown = text[:_TEXT_MOST]
        raise NotFound("mb-background-unfound", field="text", value=shown, nearest=nearest)
    if len(matches) == 1:
        title, row = matches[0]
        return CommandView(_words(title), tuple(_details(row)))
    blocks: list[Block] = []
    for title, row in matches[:_MOST]:
        blocks.append(Fact(_words(title), _summary(row), FOR_EVERYONE))
    more = len(matches) - _MOST
    if more > 0:
        blocks.append(Note(Text("mb-background-more", {"number": more}), FOR_EVERYONE))
    return CommandView(Text("mb-background-found", {"text": text[:_TEXT_MOST]}), tuple(blocks))


_Row = OptionKind | AbilityKind


def _titled_rows(rows: BackgroundRows | None) -> Iterator[tuple[str, _Row]]:
    """Yield all options of both sides, then the special abilities, each with its title."""
    for side in SIDES:
        for kind in option_kinds(side, rows):
            yield kind.title, kind
    for column in range(1, LIST_COLUMNS + 1):
        for ability in ability_kinds(column, rows):
            yield ability.title, ability


def matching_kinds(text: str, rows: BackgroundRows | None) -> Iterator[tuple[str, _Row]]:
    """Yield the options that a text fits: its title alone, else by name, skill or summary."""
    wanted = name_key(text)
    everything = tuple(_titled_rows(rows))
    exact = [(title, row) for title, row in everything if name_key(title) == wanted]
    if exact:
        yield from exact
        return
    is_skill = any(name_key(skill) == wanted for skill in SKILLS)
    for title, row in everything:
        if is_skill and any(asked.kind in _SKILL_INPUTS for asked in row.inputs):
            yield title, row
            continue
        words = [title, row.about, *_skills(row)]
        if any(wanted in name_key(word) for word in words):
            yield title, row


def _skills(row: _Row) -> Iterator[str]:
    """Yield the skills that a row names."""
    for gives in (row.gives, *(mode.gives for mode in row.modes)):
        yield from (*gives.listed, *gives.totals)
        if gives.recognition is not None:
            yield from gives.recognition.skills
        for situation in gives.situations:
            yield from (*situation.skills, *situation.likely)


def _summary(row: _Row) -> Text:
    """Return the effect and the inputs of a row in few words."""
    return Text("mb-background-line", {"about": row.about, "inputs": _needed_inputs(row)})


def _needed_inputs(row: _Row) -> tuple[str, ...]:
    return tuple(needed.title for needed in row.inputs if not needed.optional)


def _details(row: _Row) -> Iterator[Block]:
    """Yield all facts about one row."""
    side = row.kind if isinstance(row, OptionKind) else "ability"
    yield Note(Text("mb-background-kind", {"side": side, "column": row.column}), FOR_EVERYONE)
    yield Note(Text("mb-background-about", {"about": row.about}), FOR_EVERYONE)
    for mode in row.modes:
        name = mode.id.replace("_", " ").capitalize()
        yield Fact(_words(name), _words(mode.about or "–"), FOR_EVERYONE)
    needed = _needed_inputs(row)
    if needed:
        yield Fact(Text("mb-background-asks-for"), needed, FOR_EVERYONE)
    yield Note(Text("mb-background-acts", {"how": row.acts}), FOR_EVERYONE)
    if isinstance(row, OptionKind):
        yield from _limits(row)


def _limits(row: OptionKind) -> Iterator[Block]:
    """Yield the limit of an option, whether it needs consent, and what goes with it."""
    if row.most is not None:
        yield Note(Text("mb-background-most", {"number": row.most}), FOR_EVERYONE)
    if row.consent:
        yield Note(Text("mb-background-consent"), FOR_EVERYONE)
    if row.suggests:
        yield Note(Text("mb-background-suggests", {"names": row.suggests}), FOR_EVERYONE)


# --- commands -------------------------------------------------------------------------------------


def _readable(asking: FormContext) -> tuple[Option, ...]:
    """Return the characters whose background the asking participant may read."""
    if asking.game is None:
        return ()
    characters = readable_characters(asking.game.state, asking.game.actor)
    return plain_options(character.name for character in characters)


def _all_titles(asking: FormContext) -> Iterable[Option]:
    rows = None if asking.game is None else asking.campaign
    return plain_options(dict.fromkeys(title for title, _ in _titled_rows(rows)))


_TEXT: Final = Typed("text", most=_TEXT_MOST, needed=True, choices=_all_titles)
COMMANDS: Final = (
    command("background show", _show, WHO_FIELD.replace(choices=_readable)),
    command("background find", _find, _TEXT),
)
