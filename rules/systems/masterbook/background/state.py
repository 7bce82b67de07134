"""State of backgrounds in play: per character, and matters that wait for a GM (MB-BG-13)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.background import Culture
from rules.systems.masterbook.formulas.option_kinds import Side
from rules.table.blocks import Text
from rules.table.forms.fields import Option
from rules.table.lookup import find_known, playable_characters, readable_characters
from rules.table.people.characters import find_own
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game

_STATE: Final = "background"
_MATTERS: Final = "background-matters"
_OPEN: Final = f"{_MATTERS}:open"
#: Longest name of an option, in characters.
NAME_MOST: Final = 100


class BackgroundState(Record):
    """State of one character's background in play (MB-BG-13)."""

    #: Points that the GM has added to the difficulty of each Quirk, by its name (MB-BG-57).
    raises: tuple[tuple[str, int], ...] = ()
    #: Names of the Advantages used in this adventure, for those that have a price.
    used: tuple[str, ...] = ()
    #: Names of the prices that are due and not paid (MB-BG-56).
    unpaid: tuple[str, ...] = ()
    #: Whether all goods are with the lender until the next adventure (MB-BG-47).
    handed_in: bool = False

    def raised(self, name: str) -> int:
        """Return by how much the GM has raised the difficulty of a Quirk."""
        return dict(self.raises).get(name, 0)


#: Requests of players, a result to announce, dues when an adventure ends, reminders when it begins.
MatterKind = Literal[
    "contact",
    "recognize",
    "recognized",
    "price",
    "fee",
    "debt",
    "goods",
    "loot",
    "lend",
    "employer",
    "enemy",
    "dependency",
]
#: Moment at which a matter came up; `asked`: a player or GM asked.
MatterMoment = Literal["asked", "adventure-start", "act-end", "adventure-end"]


class Matter(Record):
    """An entry of the GMs' list: a request, a result, something due, or a reminder."""

    number: int
    kind: MatterKind
    who: str
    #: Name of the option.
    option: str
    moment: MatterMoment = "asked"
    #: Another character that it is about.
    other: str = ""
    culture: Culture = "elsewhere"
    #: Life Points of a price.
    points: int = 0
    #: Whether a GM has put it off.
    later: bool = False


class Matters(Record):
    """All matters that wait for a GM, the oldest first."""

    last: int = 0
    open: tuple[Matter, ...] = ()


#: Classes of these parts of a table's state.
PARTS: Final[dict[str, type]] = {_STATE: BackgroundState, _MATTERS: Matters}
_NOTHING: Final = BackgroundState()


def state_of(game: Game, who: str) -> BackgroundState:
    """Return the state of a character's background."""
    state: BackgroundState | None = game.state.own.get(f"{_STATE}:{who}")
    return _NOTHING if state is None else state


def with_state_of(game: Game, who: str, state: BackgroundState) -> Game:
    """Return the game with this state of a character's background."""
    part = None if state == _NOTHING else state
    return game.with_state(game.state.with_own(f"{_STATE}:{who}", part))


# --- matters --------------------------------------------------------------------------------------


def open_matters(game: Game) -> Iterator[Matter]:
    """Yield the matters of characters in play, the oldest first."""
    for matter in _all_matters(game).open:
        character = game.state.characters.get(matter.who)
        if character is not None and character.in_play:
            yield matter


def _all_matters(game: Game) -> Matters:
    """Return the GMs' list, with matters of characters out of play."""
    return game.state.own.get(_OPEN) or Matters()


def _with_matters(game: Game, matters: Matters) -> Game:
    return game.with_state(game.state.with_own(_OPEN, matters))


def with_matter(game: Game, matter: Matter) -> tuple[Game, Matter]:
    """Return the game with a new matter, and the matter with its number."""
    matters = _all_matters(game)
    matter = matter.replace(number=matters.last + 1)
    changed = matters.replace(last=matter.number, open=(*matters.open, matter))
    return _with_matters(game, changed), matter


def require_new_matter(game: Game, matter: Matter) -> None:
    """Raise Impossible("mb-background-waits") if the GMs have the same request already."""
    if any(waiting.replace(number=0) == matter for waiting in open_matters(game)):
        raise Impossible("mb-background-waits")


def without_matter(game: Game, number: int) -> Game:
    """Return the game without a matter."""
    matters = _all_matters(game)
    others = tuple(matter for matter in matters.open if matter.number != number)
    return _with_matters(game, matters.replace(open=others))


def without_moments(game: Game, *moments: MatterMoment) -> Game:
    """Return the game without the matters that came up at these moments."""
    for matter in tuple(open_matters(game)):
        if matter.moment in moments:
            game = without_matter(game, matter.number)
    return game


def postpone(game: Game, number: int) -> Game:
    """Return the game with a matter put off."""
    matters = _all_matters(game)
    changed: list[Matter] = []
    for matter in matters.open:
        changed.append(matter.replace(later=True) if matter.number == number else matter)
    return _with_matters(game, matters.replace(open=tuple(changed)))


def require_matter(game: Game, number: int) -> Matter:
    """Return an open matter. Raises Impossible("mb-background-settled")."""
    for matter in open_matters(game):
        if matter.number == number:
            return matter
    raise Impossible("mb-background-settled")


# --- options of a sheet ---------------------------------------------------------------------------


def option_name(option: BackgroundOption) -> str:
    """Return the player's name of an option, else its title with its first note, link or target."""
    if option.label:
        return option.label
    notes = [text for _, text in option.notes if text]
    about = next(iter((*notes, *option.link, *option.targets)), None)
    if about is None:
        return option.title[:NAME_MOST]
    return f"{option.title}: {about}"[:NAME_MOST]


def find_option(options: Options, text: str | None, *, field: str, name: str) -> BackgroundOption:
    """Return the option that a text names; without a text the only one.

    Raises:
        Impossible("mb-background-none"): the character has none of this sort.
        InvalidInput("mb-background-which"): the text names no option, or several.
    """
    if not options:
        raise Impossible("mb-background-none", name=name)
    matches = list(options)
    if text is not None:
        matches = [option for option in options if _is_named_by(option, text)]
    if len(matches) == 1:
        return matches[0]
    names = tuple(option_name(option) for option in matches or options)
    raise InvalidInput("mb-background-which", field=field, value=(text or "")[:100], allowed=names)


def _is_named_by(option: BackgroundOption, text: str) -> bool:
    """Return whether a text is the beginning of one of an option's names."""
    wanted = " ".join(text.casefold().split())
    names = (option_name(option), option.title, option.label)
    return bool(wanted) and any(name.casefold().startswith(wanted) for name in names)


def linked_advantages(sheet: MasterbookSheet, option: BackgroundOption) -> Options:
    """Return the Advantages that a flaw, price or burn-out hangs on, suspended ones too."""
    held = (advantage for advantage in sheet.advantages if advantage.state != "lost")
    return tuple(advantage for advantage in held if hangs_on(option, advantage))


def hangs_on(option: BackgroundOption, advantage: BackgroundOption) -> bool:
    """Return whether a Compensation is linked to an Advantage, by its title or its label."""
    names = (advantage.title.casefold(), advantage.label.casefold())
    return any(link.casefold() in names for link in option.link)


def with_option(
    game: Game, who: str, side: Side, old: BackgroundOption, new: BackgroundOption
) -> Game:
    """Return the game with one option of a character in the place of another."""
    sheet: MasterbookSheet = game.sheet(who)
    key = f"{side}s"
    held: list[BackgroundOption] = list(getattr(sheet, key))
    held[held.index(old)] = new
    return game.with_sheet(who, sheet.replace(**{key: tuple(held)}))


# --- characters -----------------------------------------------------------------------------------


def own_or_known(game: Game, text: str | None, field: str = "character") -> AnyCharacter:
    """Return the character that a text names: any for a GM, an own one for a player.

    Raises as `find_known` and `find_own`.
    """
    if text is not None and is_gm(game.state, game.actor):
        return find_known(game.state, game.actor, text, field)
    pool = playable_characters(game.state, game.actor)
    if text is not None:
        pool = readable_characters(game.state, game.actor)
    return find_own(game.state, game.actor, text, pool)


def name_options(options: Options) -> tuple[Option, ...]:
    """Return options of a sheet for autocompletion."""
    names = dict.fromkeys(option_name(option) for option in options)
    return tuple(Option(name, Text("as-written", {"text": name})) for name in names)
