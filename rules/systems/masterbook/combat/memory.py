"""Marks left by interaction: earlier tries, fear and attitude, per pair of characters.

They count automatically at the pair's next attempt (MB-INT-03 to MB-INT-09). `/mb memory` shows and
changes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from rules.core.errors import Impossible, InvalidInput
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.attempt_values import split_row
from rules.systems.masterbook.formulas import skills
from rules.systems.masterbook.formulas.success_chart import NO_RESULT
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Note, Ref, Text
from rules.table.check import Values
from rules.table.commands import NAME_MAX, CommandResult, CommandView, known_character_options
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Flag, FormContext, Number, Pick, Typed, plain_options
from rules.table.lookup import find_known
from rules.table.marks import marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.state import AnyCharacter, Mark, Until
from rules.table.system import Game

#: Rows of the charts that follow from earlier interaction.
_TRIED, _FRIGHTENED, _FRIENDLY = "tried_before", "already_intimidated", "friendly"
_ATTITUDE: Final = "attitude"
#: Skills whose attempts are remembered, whether or not they succeeded.
_TRICKS: Final = ("Taunt", "Trick", "Con")
_INTIMIDATION, _CHARM, _PERSUASION = "Intimidation", "Charm", "Persuasion"
#: Attitudes of the charts by id, those of interrogation first.
_ATTITUDES: Final = {
    row.id: row
    for row in (*skills.rows_of("Interrogation"), *skills.rows_of(_CHARM))
    if row.group == _ATTITUDE
}
#: Attitudes that are no worse than a friendly acquaintance.
_WARM: Final = ("agreeable", _FRIENDLY)
#: Kinds of memory as `/mb memory` names them, with the keys of their marks. The `what` of a mark is
#: the other character's id. Its value is the number that a GM chose from the row's range.
_TRIES: Final[Mapping[str, str]] = {name.casefold(): f"tried-{name.casefold()}" for name in _TRICKS}
_KEYS: Final[Mapping[str, str]] = {
    **_TRIES,
    "intimidation": "intimidated",
    **{attitude: f"{_ATTITUDE}-{attitude}" for attitude in _ATTITUDES},
}
#: Tries and fear fade with the scene; an attitude lasts for the adventure.
_LASTS: Final[Mapping[str, Until]] = {
    key: "adventure" if key.startswith(_ATTITUDE) else "scene" for key in _KEYS.values()
}


def _mark(key: str, about: str, value: int = 0) -> Mark:
    return Mark(key, about, value, _LASTS[key])


def _attitude_of(game: Game, who: str, about: str) -> tuple[str, int] | None:
    """Return the row and number of *who*'s attitude to a character; None if there is none."""
    for attitude in _ATTITUDES:
        for mark in marks_of(game.state, who, _KEYS[attitude], about):
            return attitude, mark.value
    return None


def _remembered_rows(game: Game, actor: str, target: str, skill: str) -> Iterable[str]:
    """Yield the chart rows by *target*'s memory of *actor*.

    Only the row of an attitude has a number.
    """
    tried = _TRIES.get(skill.casefold())
    if tried and marks_of(game.state, target, tried, actor):
        yield _TRIED
    if marks_of(game.state, target, _KEYS["intimidation"], actor):
        yield _FRIGHTENED
    attitude = _attitude_of(game, target, actor)
    if attitude is not None:
        row, number = attitude
        yield f"{row} {number}"


def with_remembered_rows(
    game: Game, actor: str, target: str, skill: str, said: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the rows of a check, with those that the target remembers.

    A row in *said* takes the place of a remembered row of its group.
    """
    chart = {row.id: row for row in skills.rows_of(skill)}
    names = {split_row(row)[0] for row in said}
    groups = {chart[name].group for name in names if name in chart} - {""}
    rows = list(said)
    for remembered in _remembered_rows(game, actor, target, skill):
        name, number = split_row(remembered)
        row = chart.get(name)
        if row is None or name in names or row.group in groups:
            continue
        try:
            skills.row_value(row, number)
        except InvalidInput:
            # The chart of this skill has another range.
            continue
        rows.append(remembered if row.modifier is None else name)
    return tuple(rows)


def remember(
    game: Game, actor: str, target: str, skill: str, reached: str, rows: tuple[str, ...]
) -> Game:
    """Return the game in which the target remembers a finished attempt."""
    state = game.state
    if skill in _TRICKS:
        state = with_marks(state, target, _mark(_TRIES[skill.casefold()], actor))
    if reached == NO_RESULT:
        return game.with_state(state)
    if skill == _INTIMIDATION:
        state = with_marks(state, target, _mark(_KEYS["intimidation"], actor))
    if skill in (_CHARM, _PERSUASION):
        return _win_attitude(game.with_state(state), actor, target, skill, rows)
    return game.with_state(state)


def _win_attitude(game: Game, actor: str, target: str, skill: str, rows: tuple[str, ...]) -> Game:
    """Set the attitude won by Charm (at least friendly) or by Persuasion (as the GM ruled)."""
    attitude: tuple[str, int] | None = None
    for row, number in map(split_row, rows):
        if attitude is None and row in _ATTITUDES:
            attitude = (row, number or 0)
    if skill == _CHARM and (attitude is None or attitude[0] not in _WARM):
        attitude = (_FRIENDLY, 0)
    return game if attitude is None else _with_attitude(game, target, actor, *attitude)


def _with_attitude(game: Game, who: str, about: str, row: str, number: int) -> Game:
    state = _without_attitude(game, who, about).state
    return game.with_state(with_marks(state, who, _mark(_KEYS[row], about, number)))


def _without_attitude(game: Game, who: str, about: str) -> Game:
    state = game.state
    for attitude in _ATTITUDES:
        state = without_marks(state, who, _KEYS[attitude], about)
    return game.with_state(state)


# --- `/mb memory` ---------------------------------------------------------------------------------


def _line(who: Ref, about: Ref, what: str, number: int = 0, *, gone: bool = False) -> Text:
    attitude = what in _ATTITUDES
    words = _ATTITUDES[what].words if attitude else what
    said = {"who": who, "about": about, "what": words, "attitude": attitude}
    return Text("mb-remembers", {**said, "number": number or None, "gone": gone})


def _openness_lines(who: AnyCharacter, about: AnyCharacter, what: str) -> tuple[Text, ...]:
    """Return a warning to the GM that players will see an attitude in the difficulty.

    The difficulty of talking to a player's character is public. A GM decides about that of an NPC.
    """
    if who.owner is None or what not in _ATTITUDES:
        return ()
    return (Text("mb-remembered-openly", {"who": who.name, "about": about.name}),)


def _attitude_number(row: str, number: int | None) -> int:
    """Return the number of an attitude. Raises InvalidInput("mb-row-number") out of its range."""
    kind = _ATTITUDES[row]
    if kind.modifier is not None:
        return kind.modifier
    return skills.row_value(kind, skills.offered_numbers(kind)[0] if number is None else number)


class Remember(Action, kw_only=True):
    """Change what a character remembers of another, for a GM."""

    #: Character who remembers.
    target: str
    about: str = ""
    what: Literal[
        "",
        "taunt",
        "trick",
        "con",
        "intimidation",
        "helpful",
        "cooperative",
        "resistant",
        "hostile",
        "enemy",
        "agreeable",
        "friendly",
        "neutral",
    ] = ""
    #: Number of an attitude that has several.
    number: int | None = None
    forget: bool = False


def change_memory(game: Game, action: Remember) -> Outcome:
    """Change what a character remembers of another (MB-INT-03 to MB-INT-09).

    Raises:
        NotPermitted("gm-only") for players,
        NotFound for an unknown character,
        InvalidInput("target-is-self") for a memory of the character itself,
        InvalidInput("mb-row-number") outside the range of an attitude,
        Impossible("mb-nothing-remembered") if there is nothing to forget.
    """
    require_gm(game.state, game.actor)
    who = find_known(game.state, game.actor, action.target, "target")
    about = find_known(game.state, game.actor, action.about, "about")
    if about.id == who.id:
        raise InvalidInput("target-is-self", field="about", value=None)
    key, number, state = _KEYS[action.what], 0, game.state
    if action.forget:
        if not marks_of(state, who.id, key, about.id):
            raise Impossible("mb-nothing-remembered", who=who.name, about=about.name)
        state = without_marks(state, who.id, key, about.id)
    elif action.what in _ATTITUDES:
        number = _attitude_number(action.what, action.number)
        state = _with_attitude(game, who.id, about.id, action.what, number).state
    else:
        state = with_marks(state, who.id, _mark(key, about.id))
    names = Ref(name=who.name), Ref(name=about.name)
    line = _line(*names, action.what, number, gone=action.forget)
    title = Text("mb-memory", {"name": who.name})
    lines = (line, *_openness_lines(who, about, action.what))
    blocks = tuple(Note(line, FOR_EVERYONE) for line in lines)
    report = Reported(audience=GMS, title=title, blocks=blocks, by=game.actor.id)
    return Outcome(state, (report,))


def _show_memory(game: Game, said: Values) -> CommandView:
    """Show all memories of a character. Raises as `find_known`."""
    who = find_known(game.state, game.actor, said["target"], "target")
    names = {key: what for what, key in _KEYS.items()}
    notes: list[Note] = []
    for mark in marks_of(game.state, who.id):
        about = game.state.characters.get(mark.what)
        if mark.key in names and about is not None:
            line = _line(Ref(name=who.name), Ref(name=about.name), names[mark.key], mark.value)
            notes.append(Note(line, FOR_EVERYONE))
    nothing = Note(Text("mb-remembers-nothing", {"name": who.name}), FOR_EVERYONE)
    return CommandView(Text("mb-memory", {"name": who.name}), tuple(notes) or (nothing,))


def _character_field(key: str, *, needed: bool = False) -> Typed:
    return Typed(key, most=NAME_MAX, needed=needed, choices=known_character_options)


#: The bot completes what a memory is: Discord would count the choices as text of the command.
WHAT: Final = Pick("what", choices=lambda asking: plain_options(_KEYS))
_REMEMBER: Final = Deed(
    "memory",
    Remember,
    change_memory,
    (
        _character_field("target", needed=True),
        _character_field("about"),
        WHAT,
        Number("number", low=-50, high=50),
        Flag("forget"),
    ),
    openly=False,
)


def _run(game: Game, said: Values) -> CommandResult:
    """Show or change a memory.

    Raises:
        NotPermitted("gm-only"): the actor is no GM.
        InvalidInput("mb-memory-of-whom"): the option `about` is missing.
        NotFound("unknown-choice", "ambiguous-choice"): `what` names no memory, or several.
    """
    if "what" not in said:
        require_gm(game.state, game.actor)
        return _show_memory(game, said)
    if "about" not in said:
        raise InvalidInput("mb-memory-of-whom", field="about", value=None)
    what = WHAT.find_value(FormContext(game), said["what"])
    return _REMEMBER.run(game, {**said, "what": what})


DEEDS: Final = (_REMEMBER,)
COMMANDS: Final = (command(_REMEMBER.command, _run, *_REMEMBER.options),)
