"""What a result says, as a handful of blocks that tell who may see them, and what an audience gets of them.

Rules build blocks out of codes and values, never out of sentences; `for_audience` is the one place where something
is left out for somebody and where characters get the names that somebody knows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import field
from typing import Final, Literal, Protocol

from rules.core.record import Record, record
from rules.core.rng import Die
from rules.table.state import Reveal

# --- who sees it --------------------------------------------------------------------------------------------


@record
class Audience(Record):
    """Who may see an event: everyone, or the GMs and/or named participants."""

    everyone: bool = False
    gms: bool = False
    people: tuple[str, ...] = ()


EVERYONE = Audience(everyone=True)
GMS = Audience(gms=True)

#: Who may see a block: everybody (None), the GMs (empty), or those who play these characters, and the GMs.
Seen = tuple[str, ...] | None
ALL: Final[Seen] = None
GMS_ONLY: Final[Seen] = ()

# --- values -------------------------------------------------------------------------------------------------


@record
class Ref(Record):
    """A character. Rules give the `id`; an audience gets the `name` it knows instead, empty for somebody of whom it
    knows nothing, and GMs in `alias` what the players say where that is something else.
    """

    id: str = ""
    name: str = ""
    alias: str = ""
    t: Literal["ref"] = "ref"


@record
class Text(Record):
    """Something to be said, as a code and its parameters; presenters own the words."""

    code: str
    params: Mapping[str, Value] = field(default_factory=dict[str, "Value"])
    t: Literal["text"] = "text"


Item = int | str | bool | Ref | Text | None
#: Structure stays structure: a list, or a list of rows.
Value = Item | tuple[Item | tuple[Item, ...], ...]


@record
class Term(Record):
    """One summand of a total: what it is, and how much."""

    label: Text
    value: int


# --- blocks -------------------------------------------------------------------------------------------------
# `seen` has no default: whoever tells something says who may know it. `unless` names those who read something
# else in its place (None: nobody does), so that one thing can be told in a full and in a lesser version.

#: Seen from the players' side: an enemy's miss is good.
Tone = Literal["good", "bad", "open", "neutral"]


@record
class Verdict(Record):
    """How it came out, before everything else: `Hit`, by how much (`degree`), in `numbers` (`8 against 10`).

    `tone` says for whom it is good, seen from the players; `worked` whether it worked, where that is something else.
    """

    text: Text
    tone: Tone
    seen: Seen
    degree: Text | None = None
    unless: Seen = None
    worked: bool | None = None
    numbers: Text | None = None
    t: Literal["verdict"] = "verdict"


@record
class Roll(Record):
    """Dice of somebody for something, in the order they fell, and what they came to.

    `result` is the total or says it in words, None where it is not known. `marks` are the places of dice worth a look
    (successes), `dropped` of those that do not count. `terms` follow the dice; a bare number has no name.
    """

    who: Ref | None
    what: Text | None
    dice: tuple[Die, ...]
    result: int | Text | None
    seen: Seen
    terms: tuple[Term | int, ...] = ()
    marks: tuple[int, ...] = ()
    dropped: tuple[int, ...] = ()
    unless: Seen = None
    t: Literal["roll"] = "roll"


@record
class Fact(Record):
    """Something that is so: `Difficulty: 13`."""

    what: Text
    value: Value
    seen: Seen
    unless: Seen = None
    t: Literal["fact"] = "fact"


@record
class Change(Record):
    """Something that was so and is otherwise now: `Vitality 7 -> 1`."""

    who: Ref | None
    what: Text
    before: Value
    after: Value
    seen: Seen
    unless: Seen = None
    t: Literal["change"] = "change"


@record
class Note(Record):
    """A sentence."""

    text: Text
    seen: Seen
    unless: Seen = None
    t: Literal["note"] = "note"


@record
class Group(Record):
    """Rows that belong together: weapons, armour, trees, odds. The first value of a row with several is its label."""

    title: Text | None
    rows: tuple[tuple[Item, ...], ...]
    seen: Seen
    unless: Seen = None
    t: Literal["group"] = "group"


@record
class Quote(Record):
    """What the participant `by` typed; `label` says what it is where it is not the idea itself."""

    text: str
    by: str
    seen: Seen
    unless: Seen = None
    label: Text | None = None
    t: Literal["quote"] = "quote"


Block = Verdict | Roll | Fact | Change | Note | Group | Quote

# --- leaving out, and names ---------------------------------------------------------------------------------


class Known(Protocol):
    """Who is who at a table."""

    def called(self, character: str, audience: Audience) -> Ref:
        """A character by the name that all of the audience know, without its id."""
        ...

    def players(self, character: str) -> Collection[str]:
        """The participants who play it."""
        ...


def sees(seen: Seen, audience: Audience, known: Known) -> bool:
    """Whether everybody in the audience may see what is for `seen`."""
    if seen is None:
        return True
    if audience.everyone or not (audience.gms or audience.people):
        return False
    return not audience.people or set(audience.people) <= {
        player for character in seen for player in known.players(character)
    }


def for_audience(
    blocks: Iterable[Block], audience: Audience, known: Known, alike: dict[int, Block] | None = None
) -> tuple[Block, ...]:
    """What everybody in the audience may read, with the names they know; who else may read it is taken off.

    `alike` keeps from one audience to the next what all of them read alike, because nobody is named in it: by the id
    of the block, so these blocks have to last as long.
    """
    found: list[Block] = []
    names = 0

    def calling(who: str) -> Ref:
        nonlocal names
        names += 1
        return known.called(who, audience)

    for block in blocks:
        if block.seen is not None and not sees(block.seen, audience, known):
            continue
        if block.unless is not None and sees(block.unless, audience, known):
            continue
        told = None if alike is None else alike.get(id(block))
        if told is None:
            before = names
            told = _named(block, calling)
            if alike is not None and names == before:
                alike[id(block)] = told
        found.append(told)
    return tuple(found)


def named(text: Text, audience: Audience, known: Known) -> Text:
    """A text by itself, with the names that all of the audience know."""
    return _text(text, lambda who: known.called(who, audience))


Calling = Callable[[str], Ref]
#: Values in which a character may be named.
_NAMING: Final = (Ref, Text, tuple)


def _named(block: Block, called: Calling) -> Block:
    """The block with names instead of ids, and for everybody."""
    match block:
        case Verdict():
            degree, numbers = _maybe(block.degree, called), _maybe(block.numbers, called)
            return Verdict(
                _text(block.text, called), block.tone, ALL, degree, worked=block.worked, numbers=numbers
            )
        case Roll():
            result = _text(block.result, called) if isinstance(block.result, Text) else block.result
            terms = tuple(
                [
                    each if isinstance(each, int) else Term(_text(each.label, called), each.value)
                    for each in block.terms
                ]
            )
            who, what = _ref(block.who, called), _maybe(block.what, called)
            return Roll(who, what, block.dice, result, ALL, terms, block.marks, block.dropped)
        case Fact():
            return Fact(_text(block.what, called), _value(block.value, called), ALL)
        case Change():
            before, after = _value(block.before, called), _value(block.after, called)
            return Change(_ref(block.who, called), _text(block.what, called), before, after, ALL)
        case Note():
            return Note(_text(block.text, called), ALL)
        case Group():
            rows = tuple([tuple([_item(each, called) for each in row]) for row in block.rows])
            return Group(_maybe(block.title, called), rows, ALL)
        case Quote():
            return Quote(block.text, block.by, ALL, label=_maybe(block.label, called))


def _ref(who: Ref | None, called: Calling) -> Ref | None:
    return called(who.id) if who is not None and who.id else who


def _maybe(text: Text | None, called: Calling) -> Text | None:
    return None if text is None else _text(text, called)


def _text(text: Text, called: Calling) -> Text:
    """The text itself where no character can be named in it, which is nearly always."""
    for value in text.params.values():
        if isinstance(value, _NAMING):
            return Text(text.code, {key: _value(value, called) for key, value in text.params.items()})
    return text


def _item(value: Item, called: Calling) -> Item:
    if isinstance(value, Ref):
        return called(value.id) if value.id else value
    return _text(value, called) if isinstance(value, Text) else value


def _value(value: Value, called: Calling) -> Value:
    if not isinstance(value, tuple):
        return _item(value, called)
    return tuple(
        [
            tuple([_item(part, called) for part in each]) if isinstance(each, tuple) else _item(each, called)
            for each in value
        ]
    )


# --- a result against a number ------------------------------------------------------------------------------


class MayHide(Protocol):
    """Something that is held against a number, which may be the GM's secret."""

    @property
    def hidden(self) -> bool: ...


class Reveals(Protocol):
    """What players get to know of a result against a hidden number."""

    @property
    def reveal(self) -> Reveal: ...


def graded(
    check: MayHide, settings: Reveals, tell: Callable[[Reveal], tuple[Block, ...]]
) -> tuple[Block, ...]:
    """A result against a number that may be hidden: in no other way may one be told.

    `tell("all")` tells everything. Against a hidden number players read, as the table has it, "verdict" (whether it
    succeeded, beside dice and total: no degree), "degree" (how well, without what would give the total away) or
    "all" after all; GMs always read "all". Neither of the lesser versions may name the number or hold what it
    follows from, together with anything else that the players read. A version that nobody reads is never made.
    """
    if not check.hidden or settings.reveal == "all":
        return tell("all")
    instead = [block.but(unless=GMS_ONLY) for block in tell(settings.reveal)]
    return (*instead, *[block.but(seen=GMS_ONLY, unless=None) for block in tell("all")])
