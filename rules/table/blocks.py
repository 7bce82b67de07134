"""What a result says, as a handful of blocks that tell who may see them, and what an audience gets
of them.

Rules build blocks out of codes and values, never out of sentences; `blocks_for_audience` is the one
place where something is left out for somebody and where characters get the names that somebody
knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

from rules.core.record import Record, field
from rules.core.rng import Die
from rules.table.check import Check, Reveal, Viewers

# --- who sees it ----------------------------------------------------------------------------------


class Audience(Record):
    """Who may see an event: everyone, or the GMs and/or named participants."""

    everyone: bool = False
    gms: bool = False
    people: tuple[str, ...] = ()


EVERYONE = Audience(everyone=True)
GMS = Audience(gms=True)

#: Viewers of a block: all participants, or the GMs alone.
FOR_EVERYONE: Final[Viewers] = None
GMS_ONLY: Final[Viewers] = ()

# --- values ---------------------------------------------------------------------------------------


class Ref(Record, tag_field="t", tag="ref"):
    """A character. Rules give the `id`; an audience gets the `name` it knows instead, empty for
    somebody of whom it knows nothing, and GMs in `alias` what the players say where that is
    something else.
    """

    id: str = ""
    name: str = ""
    alias: str = ""


def _nothing() -> dict[str, Value]:
    return {}


class Text(Record, tag_field="t", tag="text"):
    """Something to be said, as a code and its parameters; presenters own the words."""

    code: str
    params: Mapping[str, Value] = field(default_factory=_nothing)


@lru_cache(maxsize=4096)
def _made(code: str, params: tuple[tuple[str, Item], ...]) -> Text:
    return Text(code, dict(params))


def shared_text(code: str, params: Mapping[str, Item]) -> Text:
    """Return a text that is used again and again; equal texts are one object."""
    return _made(code, tuple(params.items()))


def typed_text(text: str, by: str) -> Text:
    """What the participant `by` typed, as a value: forgetting them takes it away, as it does a
    Quote.
    """
    return Text("typed", {"text": text, "by": by})


Item = int | str | bool | Ref | Text | None
#: Structure stays structure: a list, or a list of rows.
Value = Item | tuple[Item | tuple[Item, ...], ...]


class Term(Record):
    """One summand of a total: what it is, and how much."""

    label: Text
    value: int


# --- blocks ---------------------------------------------------------------------------------------
# `visible_to` has no default: a block always says who may read it. `hidden_from` names those who
# read something else in its place (None: nobody does), so that one thing can be told in a full and
# in a lesser version.

#: Seen from the players' side: an enemy's miss is good.
Tone = Literal["good", "bad", "open", "neutral"]


class Verdict(Record, tag_field="t", tag="verdict"):
    """Result of a check, first of its blocks: `Hit`, with `degree` and `numbers` (`8 against 10`).

    `what` is the effect, or who has to choose it: `Vesna takes a flesh wound`. `tone` says whom the
    result is good for, from the players' side; `worked` whether it worked, if that differs. `who`
    is named if the result isn't the actor's own. A `bare` verdict has no sign: a cross before a
    hit reads as a miss.
    """

    text: Text
    tone: Tone
    visible_to: Viewers
    degree: Text | None = None
    hidden_from: Viewers = None
    worked: bool | None = None
    numbers: Text | None = None
    what: Text | None = None
    who: Ref | None = None
    bare: bool = False
    #: Whether it says what happens unless something changes: it isn't so far, and not over.
    conditional: bool = False


class Roll(Record, tag_field="t", tag="roll"):
    """Dice of somebody for something, in the order they fell, and what they came to.

    `result` is the total or says it in words, None where it is not known. `marks` are the places of
    dice worth a look (successes), `dropped` of those that do not count. `terms` follow the dice; a
    bare number has no name.
    """

    who: Ref | None
    what: Text | None
    dice: tuple[Die, ...]
    result: int | Text | None
    visible_to: Viewers
    terms: tuple[Term | int, ...] = ()
    marks: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    hidden_from: Viewers = None
    #: Dice that were rolled again: the place of each, and a face that it showed before, the oldest
    #: first.
    replaced: tuple[tuple[int, int], ...] = ()


class Fact(Record, tag_field="t", tag="fact"):
    """Something that is so: `Difficulty: 13`. `card` is one of the system's deck, which a picture
    shows beside it.
    """

    what: Text
    value: Value
    visible_to: Viewers
    hidden_from: Viewers = None
    card: str = ""


class Change(Record, tag_field="t", tag="change"):
    """Something that was so and is otherwise now: `Vitality 7 -> 1`."""

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
    """Rows that belong together: weapons, armor, trees, odds. The first value of a row with
    several is its label.
    """

    title: Text | None
    rows: tuple[tuple[Item, ...], ...]
    visible_to: Viewers
    hidden_from: Viewers = None


class Quote(Record, tag_field="t", tag="quote"):
    """What the participant `by` typed; `label` says what it is where it is not the idea itself."""

    text: str
    by: str
    visible_to: Viewers
    hidden_from: Viewers = None
    label: Text | None = None


Block = Verdict | Roll | Fact | Change | Note | Group | Quote


def first_verdict(blocks: Iterable[Block]) -> Verdict | None:
    """Return the verdict that stands first among blocks; None if there is none."""
    return next((block for block in blocks if isinstance(block, Verdict)), None)


def public_verdict(blocks: Iterable[Block]) -> Verdict | None:
    """Return the first verdict that everybody reads; None if there is none."""
    verdicts = (block for block in blocks if isinstance(block, Verdict))
    return next((verdict for verdict in verdicts if verdict.visible_to is FOR_EVERYONE), None)


# --- leaving out, and names -----------------------------------------------------------------------


class Names(Protocol):
    """Names and players of the characters at a table."""

    def ref_for(self, character: str, audience: Audience) -> Ref:
        """Return a character by the name that all of the audience know, without its id."""
        ...

    def players(self, character: str) -> Collection[str]:
        """Return the participants who play a character."""
        ...


def can_audience_see(seen: Viewers, audience: Audience, known: Names) -> bool:
    """Return whether every member of the audience may see what is for `seen`."""
    if seen is None:
        return True
    people = audience.people
    if audience.everyone or not (audience.gms or people):
        return False
    if not people or not seen:
        return not people
    return set(people) <= {player for character in seen for player in known.players(character)}


def blocks_for_audience(
    blocks: Iterable[Block], audience: Audience, known: Names, told: dict[int, Block] | None = None
) -> tuple[Block, ...]:
    """What everybody in the audience may read, with the names they know; who else may read it is
    taken off.

    `told` are blocks as others read them who know everybody by the same names, each by the id of
    the whole one.
    """

    def called(who: str) -> Ref:
        return known.ref_for(who, audience)

    found: list[Block] = []
    told = {} if told is None else told
    for block in blocks:
        if (block.visible_to is None or can_audience_see(block.visible_to, audience, known)) and (
            block.hidden_from is None or not can_audience_see(block.hidden_from, audience, known)
        ):
            key = id(block)
            if key not in told:
                told[key] = _named(block, called)
            found.append(told[key])
    return tuple(found)


def text_for_audience(text: Text, audience: Audience, known: Names) -> Text:
    """Return a text with the names that all of the audience know."""
    return _value(text, lambda who: known.ref_for(who, audience))


Calling = Callable[[str], Ref]
#: The fields of each block in which a character may be named.
_NAMING: Final[Mapping[type[Block], tuple[str, ...]]] = {
    Verdict: ("who", "text", "degree", "numbers", "what"),
    Roll: ("who", "what", "result", "terms"),
    Fact: ("what", "value"),
    Change: ("who", "what", "before", "after"),
    Note: ("text",),
    Group: ("title", "rows"),
    Quote: ("label",),
}


def _named(block: Block, called: Calling) -> Block:
    """Return a block with names for ids and without its viewers; the same block if it has
    neither.
    """
    apart = block.visible_to is not None or block.hidden_from is not None
    named: dict[str, Any] = {"visible_to": FOR_EVERYONE, "hidden_from": None} if apart else {}
    for name in _NAMING[block.__class__]:
        value = getattr(block, name)
        if value.__class__ in _HOLDING and (read := _value(value, called)) is not value:
            named[name] = read
    return block.replace(**named) if named else block


def _value(value: Any, called: Calling) -> Any:
    """Return a value with names for ids; the same value if it names no character."""
    kind = value.__class__
    if kind is Ref:
        return called(value.id) if value.id else value
    if kind is Term:
        label = _value(value.label, called)
        return value if label is value.label else Term(label, value.value)
    held = value.params if kind is Text else value
    read: Any = None
    for key, each in held.items() if kind is Text else enumerate(held):
        if each.__class__ in _HOLDING and (one := _value(each, called)) is not each:
            if read is None:
                read = {**held} if kind is Text else [*held]
            read[key] = one
    if read is None:
        return value
    return Text(value.code, read) if kind is Text else tuple(read)


#: Values in which a character may be named.
_HOLDING: Final[frozenset[type]] = frozenset((Ref, Text, Term, tuple))


# --- a result against a number --------------------------------------------------------------------


def blocks_only_for(seen: Viewers, told: Iterable[Block]) -> tuple[Block, ...]:
    """For those alone what more might read, without what others would have read in its place."""
    if seen is FOR_EVERYONE:
        return tuple(told)
    found = [block for block in told if block.hidden_from is None]
    return tuple(
        [
            block if block.visible_to == GMS_ONLY else block.replace(visible_to=seen)
            for block in found
        ]
    )


def graded_blocks(
    check: Check[Any], tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """A result against a number that may be hidden: in no other way may one be told.

    `tell("all")` tells everything. Against a hidden number players read, as the table has it,
    "verdict" (whether it succeeded, beside dice and total: no degree), "degree" (how well, without
    what would give the total away) or "all" after all; GMs always read "all". Neither of the lesser
    versions may name the number or hold what it follows from, together with anything else that the
    players read. A version that nobody reads is never made.
    """
    if not check.hidden or check.reveal == "all":
        return tell("all")
    instead = [block.replace(hidden_from=GMS_ONLY) for block in tell(check.reveal)]
    return (*instead, *blocks_only_for(GMS_ONLY, tell("all")))
