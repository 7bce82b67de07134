"""Blocks of a message, each with its viewers, and the blocks that one audience reads.

Rules build blocks out of codes and values, never out of sentences. `blocks_for_audience` is the one
place where blocks are left out for an audience, and where characters get the names that it knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

from rules.core.record import Record, field
from rules.core.rng import Die
from rules.table.check import Check, Reveal, Viewers

# --- audiences ------------------------------------------------------------------------------------


class Audience(Record):
    """Participants who may see an event: all, or the GMs and/or named ones."""

    everyone: bool = False
    gms: bool = False
    people: tuple[str, ...] = ()
    #: Place of the whisper scene in which all of them are told; empty for any other audience.
    whisper: str = ""

    @property
    def is_open(self) -> bool:
        """Whether it is told openly in a place: to everybody, or to the cast of a whisper scene."""
        return self.everyone or bool(self.whisper)


EVERYONE = Audience(everyone=True)
GMS = Audience(gms=True)

#: Viewers of a block: all participants, or the GMs alone.
FOR_EVERYONE: Final[Viewers] = None
GMS_ONLY: Final[Viewers] = ()

# --- values ---------------------------------------------------------------------------------------


class Ref(Record, tag_field="t", tag="ref"):
    """A reference to a character: by id in the rules, by name for an audience."""

    #: Id of the character; empty for an audience.
    id: str = ""
    #: Name that the audience knows; empty for an unknown character.
    name: str = ""
    #: Name that the players know, for GMs, if it is another one.
    alias: str = ""


def _nothing() -> dict[str, Value]:
    return {}


class Text(Record, tag_field="t", tag="text"):
    """A text, as a code and its parameters. Presenters own the words."""

    code: str
    params: Mapping[str, Value] = field(default_factory=_nothing)


@lru_cache(maxsize=4096)
def _shared_text(code: str, params: tuple[tuple[str, Item], ...]) -> Text:
    return Text(code, dict(params))


def shared_text(code: str, params: Mapping[str, Item]) -> Text:
    """Return a text that is used again and again; equal texts are one object."""
    return _shared_text(code, tuple(params.items()))


def typed_text(text: str, by: str) -> Text:
    """Return the words that the participant *by* typed, as a value.

    Deleting the participant's data removes them, as it does a `Quote`.
    """
    return Text("typed", {"text": text, "by": by})


Item = int | str | bool | Ref | Text | None
#: Parameter of a text: one item, a list, or a list of rows.
Value = Item | tuple[Item | tuple[Item, ...], ...]


class Term(Record):
    """One summand of a total."""

    label: Text
    value: int


# --- blocks ---------------------------------------------------------------------------------------
# `visible_to` has no default: a block always says who may read it. `hidden_from` are those who
# read another block in its place (None: all read this one), so that one thing can be told in a full
# and in a lesser version.

#: Meaning of a result for the players: an enemy's miss is good.
Tone = Literal["good", "bad", "open", "neutral"]


class Verdict(Record, tag_field="t", tag="verdict"):
    """Result of a check, first of its blocks."""

    #: The result in a word: `Hit`.
    text: Text
    tone: Tone
    visible_to: Viewers
    degree: Text | None = None
    hidden_from: Viewers = None
    #: Whether the check succeeded, if the tone doesn't say so.
    worked: bool | None = None
    #: The numbers behind the result: `8 against 10`.
    numbers: Text | None = None
    #: Effect of the result, or the player who has to choose it: `Vesna takes a flesh wound`.
    what: Text | None = None
    #: Character whose result it is, if it isn't the actor.
    who: Ref | None = None
    #: Whether it has no sign. A cross before a hit would read as a miss.
    bare: bool = False
    #: Whether the result only follows if nothing changes.
    conditional: bool = False


class Roll(Record, tag_field="t", tag="roll"):
    """Dice of a roll, in the order in which they fell, and their result."""

    who: Ref | None
    #: Purpose of the roll.
    what: Text | None
    dice: tuple[Die, ...]
    #: Total, or the result in words; None if it isn't known.
    result: int | Text | None
    visible_to: Viewers
    #: Summands after the dice. A number alone has no label.
    terms: tuple[Term | int, ...] = ()
    #: Places of dice to highlight, such as successes.
    marks: tuple[int, ...] = ()
    #: Places of dice that don't count.
    dropped: tuple[int, ...] = ()
    hidden_from: Viewers = None
    #: Dice that were rolled again: the place of each, and a face that it showed before, the oldest
    #: first.
    replaced: tuple[tuple[int, int], ...] = ()


class Fact(Record, tag_field="t", tag="fact"):
    """A label and its value: `Difficulty: 13`."""

    what: Text
    value: Value
    visible_to: Viewers
    hidden_from: Viewers = None
    #: Card of the system's deck whose picture is shown beside it.
    card: str = ""


class Change(Record, tag_field="t", tag="change"):
    """A changed value: `Vitality 7 -> 1`."""

    who: Ref | None
    what: Text
    before: Value
    after: Value
    visible_to: Viewers
    hidden_from: Viewers = None


class Note(Record, tag_field="t", tag="note"):
    """A sentence."""

    text: Text
    visible_to: Viewers
    hidden_from: Viewers = None


class Group(Record, tag_field="t", tag="group"):
    """Rows that belong together: weapons, armor, trees, odds."""

    title: Text | None
    #: Values of each row. The first of several values is the row's label.
    rows: tuple[tuple[Item, ...], ...]
    visible_to: Viewers
    hidden_from: Viewers = None


class Quote(Record, tag_field="t", tag="quote"):
    """Words that a participant typed."""

    text: str
    #: Participant who typed them.
    by: str
    visible_to: Viewers
    hidden_from: Viewers = None
    #: Label; None for the approach itself.
    label: Text | None = None


Block = Verdict | Roll | Fact | Change | Note | Group | Quote


def first_verdict(blocks: Iterable[Block]) -> Verdict | None:
    """Return the verdict that stands first among blocks; None if there is none."""
    return next((block for block in blocks if isinstance(block, Verdict)), None)


def is_same_result(one: Verdict | None, other: Verdict | None) -> bool:
    """Return whether two verdicts tell the same result, whatever the numbers behind them."""
    if one is None or other is None:
        return one is other
    return (one.text, one.degree, one.what) == (other.text, other.degree, other.what)


def public_verdict(blocks: Iterable[Block]) -> Verdict | None:
    """Return the first verdict that all participants read; None if there is none."""
    verdicts = (block for block in blocks if isinstance(block, Verdict))
    return next((verdict for verdict in verdicts if verdict.visible_to is FOR_EVERYONE), None)


# --- blocks and names for an audience -------------------------------------------------------------


class Names(Protocol):
    """Names and players of the characters at a table."""

    def ref_for(self, character: str, audience: Audience) -> Ref:
        """Return a character by the name that all of the audience know, without its id."""
        ...

    def players(self, character: str) -> Collection[str]:
        """Return the participants who play a character."""
        ...


def can_audience_see(seen: Viewers, audience: Audience, known: Names) -> bool:
    """Return whether every member of the audience may see a block that is for *seen*."""
    if seen is None:
        return True
    people = audience.people
    if audience.everyone or not (audience.gms or people):
        return False
    if not people or not seen:
        return not people
    players: set[str] = set()
    for character in seen:
        players.update(known.players(character))
    return players.issuperset(people)


def blocks_for_audience(
    blocks: Iterable[Block], audience: Audience, known: Names, named: dict[int, Block] | None = None
) -> tuple[Block, ...]:
    """Return the blocks that all of an audience may read, with the names that it knows.

    The blocks have no viewers any more. *named* is a cache of named blocks, by the id of the
    original block, for audiences that know all characters by the same names.
    """

    def ref_for(who: str) -> Ref:
        return known.ref_for(who, audience)

    readable: list[Block] = []
    named = {} if named is None else named
    for block in blocks:
        if block.visible_to is not None and not can_audience_see(block.visible_to, audience, known):
            continue
        if block.hidden_from is not None and can_audience_see(block.hidden_from, audience, known):
            continue
        key = id(block)
        if key not in named:
            named[key] = _with_names(block, ref_for)
        readable.append(named[key])
    return tuple(readable)


def text_for_audience(text: Text, audience: Audience, known: Names) -> Text:
    """Return a text with the names that all of the audience know."""
    return _value_with_names(text, lambda who: known.ref_for(who, audience))


#: Function from a character's id to the reference that an audience reads.
RefFor = Callable[[str], Ref]
#: Fields of each block in which a character may be named.
_NAMED_FIELDS: Final[Mapping[type[Block], tuple[str, ...]]] = {
    Verdict: ("who", "text", "degree", "numbers", "what"),
    Roll: ("who", "what", "result", "terms"),
    Fact: ("what", "value"),
    Change: ("who", "what", "before", "after"),
    Note: ("text",),
    Group: ("title", "rows"),
    Quote: ("label",),
}


def _with_names(block: Block, ref_for: RefFor) -> Block:
    """Return a block with names in place of ids, and without viewers.

    If it has neither ids nor viewers, it comes back unchanged.
    """
    changes: dict[str, Any] = {}
    if block.visible_to is not None or block.hidden_from is not None:
        changes = {"visible_to": FOR_EVERYONE, "hidden_from": None}
    for name in _NAMED_FIELDS[block.__class__]:
        value = getattr(block, name)
        if value.__class__ in _NAMED_VALUES:
            named = _value_with_names(value, ref_for)
            if named is not value:
                changes[name] = named
    return block.replace(**changes) if changes else block


def _value_with_names(value: Any, ref_for: RefFor) -> Any:
    """Return a value with names in place of ids; the same value if it names no character."""
    kind = value.__class__
    if kind is Ref:
        return ref_for(value.id) if value.id else value
    if kind is Term:
        label = _value_with_names(value.label, ref_for)
        return value if label is value.label else Term(label, value.value)
    items = value.params if kind is Text else value
    changed: Any = None
    for key, item in items.items() if kind is Text else enumerate(items):
        if item.__class__ not in _NAMED_VALUES:
            continue
        named = _value_with_names(item, ref_for)
        if named is not item:
            if changed is None:
                changed = {**items} if kind is Text else [*items]
            changed[key] = named
    if changed is None:
        return value
    return Text(value.code, changed) if kind is Text else tuple(changed)


#: Classes of values in which a character may be named.
_NAMED_VALUES: Final[frozenset[type]] = frozenset((Ref, Text, Term, tuple))


# --- a result against a number --------------------------------------------------------------------


def blocks_only_for(seen: Viewers, blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return blocks for *seen* alone, without the versions that others would have read instead."""
    if seen is FOR_EVERYONE:
        return tuple(blocks)
    narrowed: list[Block] = []
    for block in blocks:
        if block.hidden_from is None:
            gms_only = block.visible_to == GMS_ONLY
            narrowed.append(block if gms_only else block.replace(visible_to=seen))
    return tuple(narrowed)


def graded_blocks(
    check: Check[Any], tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """Return the blocks of a result against a number that may be hidden.

    Every result against a number has to go through this function. *tell* returns the blocks of one
    version. GMs always read "all". Against a hidden number, players read the version of the
    table's settings: "verdict" (success or failure beside dice and total, no degree), "degree" (the
    degree, nothing that gives the total away) or "all".

    Neither of the lesser versions may name the number, or reveal it together with other blocks that
    the players read. A version without readers is never made.
    """
    if not check.hidden or check.reveal == "all":
        return tell("all")
    lesser = [block.replace(hidden_from=GMS_ONLY) for block in tell(check.reveal)]
    return (*lesser, *blocks_only_for(GMS_ONLY, tell("all")))
