"""Points of which somebody has a number: awarded, set by hand, spent and given back by
shared code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, TypeVar

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.json_reader import read_whole_number
from rules.core.name_matching import name_key, similar_names
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Cost
from rules.table.forms import QUOTE_MAX, Option

S = TypeVar("S")

#: What begins, or else is over, when something happens by itself.
TickKind = Literal[
    "action",
    "turn",
    "round-start",
    "round-end",
    "encounter-end",
    "scene",
    "session-start",
    "session",
    "act",
    "adventure",
    "adventure-start",
    "adventure-end",
    "time",
]

#: Reads a setting of the table by its key; None for one that is not known.
SettingReader = Callable[[str], Any]


def no_settings(key: str) -> None:
    """Return None for every setting: no table is at hand."""


class Resource(Record, Generic[S]):
    """Points that lie on a sheet S: read, set, awarded, spent and restored by shared code."""

    key: str
    #: Reads the points.
    of: Callable[[S], int]
    #: Returns the sheet with another number of points.
    with_value: Callable[[S, int], S]
    low: int = 0
    #: The most there may be: for all, or for a sheet.
    high: int | Callable[[S], int] = 999
    #: Entry of the GM's menu of awards. None: they cannot be awarded.
    award: Text | None = None
    #: Text of an award: the name, how many, and the sheet as it is then.
    given: Callable[[str, int, S], Text] | None = None
    #: Returns further parameters of `given`: the sheet before, the sheet after, the points awarded.
    given_besides: Callable[[S, S, int], dict[str, Any]] | None = None
    #: Spending them is what advances a character.
    grows: bool = False
    #: Entry of the menu of values that a GM sets; given the sheet before, what has become of it.
    by_hand: Callable[[S, S | None], Text] | None = None
    #: The refusal of a price that is too high: points there are, points needed.
    shortage_error: Callable[[int, int], RulesError] | None = None
    #: When they come back by themselves, and to how many.
    restore: tuple[TickKind, Callable[[S], int]] | None = None
    #: Points beyond the most are lost. Otherwise they are refused.
    spills: bool = False
    #: Whether a standing order may keep a reserve. Only for points that answers in checks cost.
    reserve: bool = True
    #: Returns the sheet with the points beyond the most kept elsewhere, as the table has agreed.
    keep_surplus: Callable[[S, int, SettingReader], S] | None = None
    #: Setting of the table that says the most there may be; `high` then holds without a table.
    high_setting: str = ""
    #: The most that one award gives. None: as much as any award.
    award_most: int | None = None

    def maximum(self, sheet: S, setting: SettingReader = no_settings) -> int:
        """Return the most there may be on a sheet, at a table with these settings."""
        agreed = setting(self.high_setting) if self.high_setting else None
        if agreed is not None:
            return agreed
        return self.high(sheet) if callable(self.high) else self.high

    def pay(self, sheet: S, points: int) -> S:
        """So many fewer. InvalidInput("out-of-range") below 1, Impossible("not-enough") or what
        `shortage_error` says.
        """
        if points < 1:
            raise InvalidInput("out-of-range", field="points", value=points, lowest=1)
        have = self.of(sheet)
        if have - points < self.low:
            if self.shortage_error is not None:
                raise self.shortage_error(have, points)
            raise Impossible("not-enough", what=self.key, have=have, need=points)
        return self.with_value(sheet, have - points)

    def give(self, sheet: S, points: int, setting: SettingReader = no_settings) -> S:
        """So many more. InvalidInput("out-of-range") below 1, and past the most where nothing
        `spills`.
        """
        have = self.of(sheet)
        room = max(0, self.maximum(sheet, setting) - have)
        if self.spills and points >= 1:
            if self.keep_surplus is not None and points > room:
                sheet = self.keep_surplus(sheet, points - room, setting)
            return self.with_value(sheet, have + min(points, room))
        if not 1 <= points <= room:
            raise InvalidInput("out-of-range", field="points", value=points, lowest=1, highest=room)
        return self.with_value(sheet, have + points)


class Words(Record):
    """The codes of what is said of points: offered as an award, given, set by hand, and fewer than
    something costs.
    """

    award: str
    given: str
    by_hand: str
    short: str


def sheet_resource(
    key: str,
    words: Words,
    *,
    high: int,
    award: bool = True,
    grows: bool = False,
    spills: bool = False,
    usual: int | None = None,
    reserve: bool = True,
    after: Callable[[Any], Any] = lambda sheet: sheet,
    besides: Callable[[Any, Any], dict[str, Any]] = lambda before, now: {},
) -> Resource[Any]:
    """Points that are a field of the sheet, set by hand, and given by a GM where there is an
    `award`.

    An award above what is `usual` says so. `after` draws what follows on the sheet from a number
    that was put; `besides` is what setting it by hand says of that, from the sheet before and the
    sheet then.
    """

    def of(sheet: Any) -> int:
        return getattr(sheet, key) or 0

    def given(name: str, points: int, sheet: Any) -> Text:
        above = usual if usual is not None and points > usual else None
        about = {"name": name, "what": key, "points": points, "now": of(sheet), "usual": above}
        return Text(words.given, about)

    def by_hand(sheet: Any, before: Any) -> Text:
        done = (
            {} if before is None else {"before": of(before), "done": True, **besides(before, sheet)}
        )
        return Text(words.by_hand, {"what": key, "points": of(sheet), **done})

    return Resource(
        key,
        of=of,
        with_value=lambda sheet, points: after(sheet.replace(**{key: points})),
        high=high,
        award=Text(words.award, {"what": key}) if award else None,
        given=given,
        grows=grows,
        by_hand=by_hand,
        shortage_error=lambda have, need: Impossible(words.short, what=key, have=have, need=need),
        spills=spills,
        reserve=reserve,
    )


Resources = Sequence[Resource[S]]


def find_resource(resources: Resources[S], key: str) -> Resource[S] | None:
    """The one that is called so, in any case; `skill points` is `skill_points`."""
    for resource in resources:
        if resource.key == key:
            return resource
    named = name_key(key.replace(" ", "_"))
    return next((resource for resource in resources if name_key(resource.key) == named), None)


def require_resource(resources: Resources[S], key: str) -> Resource[S]:
    known = find_resource(resources, key)
    if known is None:
        raise ValueError(f"a cost of {key}, which these rules do not have")
    return known


def can_afford(resources: Resources[S], sheet: S, cost: Cost) -> bool:
    resource = require_resource(resources, cost.resource)
    return resource.of(sheet) - cost.amount >= resource.low


def pay_cost(resources: Resources[S], sheet: S, cost: Cost) -> S:
    """The sheet after it is paid for. Raises as `Resource.pay`."""
    return require_resource(resources, cost.resource).pay(sheet, cost.amount)


def points_label(key: str) -> Text:
    """What the points of a resource are called."""
    return Text("points-called", {"what": key, "name": key.replace("-", " ").replace("_", " ")})


def award_options(resources: Iterable[Resource[Any]]) -> tuple[Option, ...]:
    return tuple(
        Option(resource.key, resource.award) for resource in resources if resource.award is not None
    )


def give_award(
    resources: Resources[S],
    name: str,
    sheet: S,
    kind: str,
    points: int,
    setting: SettingReader = no_settings,
) -> tuple[S, Text]:
    """Give somebody of that name points of a kind; the line says who has what now.

    Impossible("nothing-to-award") where there is nothing, NotFound("unknown-award"), and as
    `Resource.give`.
    """
    allowed = tuple(option.value.replace("_", " ") for option in award_options(resources))
    if not allowed:
        raise Impossible("nothing-to-award")
    resource = find_resource(resources, kind)
    if resource is None or resource.award is None or resource.given is None:
        near = similar_names(kind, allowed)
        raise NotFound(
            "unknown-award", field="kind", value=kind[:QUOTE_MAX], nearest=near, allowed=allowed
        )
    most = resource.award_most
    if most is not None and not 1 <= points <= most:
        raise InvalidInput("out-of-range", field="amount", value=points, lowest=1, highest=most)
    richer = resource.give(sheet, points, setting)
    line = resource.given(name, resource.of(richer) - resource.of(sheet), richer)
    if resource.given_besides is not None:
        line = Text(line.code, {**line.params, **resource.given_besides(sheet, richer, points)})
    return richer, line


def is_for_growth(resources: Resources[Any], kind: str) -> bool:
    """Return whether characters grow by what is awarded."""
    resource = find_resource(resources, kind)
    return resource is not None and resource.grows


def adjustables(resources: Resources[S], sheet: S) -> tuple[Option, ...]:
    return tuple(
        Option(resource.key, resource.by_hand(sheet, None))
        for resource in resources
        if resource.by_hand is not None
    )


def adjust(
    resources: Resources[S], sheet: S, key: str, typed: str, setting: SettingReader = no_settings
) -> tuple[S, Text] | None:
    """The sheet with as many as are typed, and what became of it; None for what is no such
    resource.

    InvalidInput("not-a-number", "out-of-range").
    """
    resource = find_resource(resources, key)
    if resource is None or resource.by_hand is None:
        return None
    most = resource.maximum(sheet, setting)
    changed = resource.with_value(sheet, read_points(typed, resource.low, most))
    return changed, resource.by_hand(changed, sheet)


def read_points(typed: str, low: int, high: int) -> int:
    """Return a number as a GM types it. Raises InvalidInput("not-a-number", "out-of-range")."""
    try:
        return read_whole_number(typed, "value", low, high)
    except InvalidInput as error:
        if error.code == "not-a-number":
            raise InvalidInput("not-a-number", field="value", value=error.params["value"]) from None
        raise


def restore_points(
    resources: Resources[S], sheet: S, tick: TickKind
) -> tuple[S, tuple[tuple[str, int], ...]]:
    """The sheet after that is over, with what came back: key -> by how much; the same sheet where
    nothing did.
    """
    back: list[tuple[str, int]] = []
    for resource in resources:
        if resource.restore is None or resource.restore[0] != tick:
            continue
        have, then = resource.of(sheet), resource.restore[1](sheet)
        if have != then:
            sheet = resource.with_value(sheet, then)
            back.append((resource.key, then - have))
    return sheet, tuple(back)
