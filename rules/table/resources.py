"""Resources: points on a sheet that shared code awards, sets, spends and restores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, Literal, TypeVar

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.json_reader import read_whole_number
from rules.core.name_matching import name_key, similar_names
from rules.core.record import Record
from rules.table.blocks import Text
from rules.table.check import Cost
from rules.table.forms.fields import QUOTE_MAX, Option

S = TypeVar("S")

#: Kind of a moment at which effects begin or end by themselves.
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
    #: Maximum of points: for all, or for a sheet.
    high: int | Callable[[S], int] = 999
    #: Label in the GM's menu of awards. None: the points can't be awarded.
    award: Text | None = None
    #: Text of an award, given the name, the points and the sheet after it.
    given: Callable[[str, int, S], Text] | None = None
    #: Further parameters of `given`, given the sheet before, the sheet after and the points.
    given_besides: Callable[[S, S, int], dict[str, Any]] | None = None
    #: Characters advance by spending the points.
    grows: bool = False
    #: Label in the menu of values that a GM sets, given a sheet and None. Given the sheets after
    #: and before, the line on the change.
    by_hand: Callable[[S, S | None], Text] | None = None
    #: Error for a price that is too high, given the points there are and the price.
    shortage_error: Callable[[int, int], RulesError] | None = None
    #: Tick that restores the points, and the points after it.
    restore: tuple[TickKind, Callable[[S], int]] | None = None
    #: Points beyond the maximum are lost. Otherwise they are refused.
    spills: bool = False
    #: Whether a standing order may keep a reserve. Only for points that answers in checks cost.
    reserve: bool = True
    #: Returns the sheet with the points beyond the maximum kept elsewhere, by the table's settings.
    keep_surplus: Callable[[S, int, SettingReader], S] | None = None
    #: Setting of the table that is the maximum. Then `high` counts only without a table.
    high_setting: str = ""
    #: Most points of one award. None: as for any award.
    award_most: int | None = None

    def maximum(self, sheet: S, setting: SettingReader = no_settings) -> int:
        """Return the maximum of points on a sheet, at a table with these settings."""
        agreed = setting(self.high_setting) if self.high_setting else None
        if agreed is not None:
            return agreed
        return self.high(sheet) if callable(self.high) else self.high

    def pay(self, sheet: S, points: int) -> S:
        """Return the sheet with fewer points.

        Raises InvalidInput("out-of-range") for a price below 1, and `shortage_error` or
        Impossible("not-enough").
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
        """Return the sheet with more points.

        Raises InvalidInput("out-of-range") for fewer than 1, and beyond the maximum unless the
        resource `spills`.
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
    """Codes of the texts about a resource."""

    #: Label in the menu of awards.
    award: str
    #: Line on an award.
    given: str
    #: Label in the menu of values to set, and line on a value that was set.
    by_hand: str
    #: Error for a price that is too high.
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
    """Return a resource whose points are a field of the sheet.

    A GM can set the points and, with *award*, award them. An award above *usual* points says so.
    *after* returns the sheet with the consequences of a new number. *besides* returns further
    parameters of the line on a number set by hand, given the sheets before and after.
    """

    def of(sheet: Any) -> int:
        return getattr(sheet, key) or 0

    def award_line(name: str, points: int, sheet: Any) -> Text:
        above = usual if usual is not None and points > usual else None
        params = {"name": name, "what": key, "points": points, "now": of(sheet), "usual": above}
        return Text(words.given, params)

    def by_hand(sheet: Any, before: Any) -> Text:
        params: dict[str, Any] = {"what": key, "points": of(sheet)}
        if before is not None:
            params |= {"before": of(before), "done": True, **besides(before, sheet)}
        return Text(words.by_hand, params)

    return Resource(
        key,
        of=of,
        with_value=lambda sheet, points: after(sheet.replace(**{key: points})),
        high=high,
        award=Text(words.award, {"what": key}) if award else None,
        given=award_line,
        grows=grows,
        by_hand=by_hand,
        shortage_error=lambda have, need: Impossible(words.short, what=key, have=have, need=need),
        spills=spills,
        reserve=reserve,
    )


Resources = Sequence[Resource[S]]


def find_resource(resources: Resources[S], key: str) -> Resource[S] | None:
    """Return the resource with a key, in any case; `skill points` finds `skill_points`."""
    for resource in resources:
        if resource.key == key:
            return resource
    wanted = name_key(key.replace(" ", "_"))
    return next((resource for resource in resources if name_key(resource.key) == wanted), None)


def require_resource(resources: Resources[S], key: str) -> Resource[S]:
    """Return the resource with a key. Raises ValueError if the system doesn't have it."""
    resource = find_resource(resources, key)
    if resource is None:
        raise ValueError(f"a cost of {key}, which these rules do not have")
    return resource


def can_afford(resources: Resources[S], sheet: S, cost: Cost) -> bool:
    resource = require_resource(resources, cost.resource)
    return resource.of(sheet) - cost.amount >= resource.low


def pay_cost(resources: Resources[S], sheet: S, cost: Cost) -> S:
    """Return the sheet after a cost was paid. Raises as `Resource.pay`."""
    return require_resource(resources, cost.resource).pay(sheet, cost.amount)


def points_label(key: str) -> Text:
    """Return the name of a resource's points."""
    return Text("points-called", {"what": key, "name": key.replace("-", " ").replace("_", " ")})


def award_options(resources: Iterable[Resource[Any]]) -> tuple[Option, ...]:
    """Return the resources that a GM can award."""
    options: list[Option] = []
    for resource in resources:
        if resource.award is not None:
            options.append(Option(resource.key, resource.award))
    return tuple(options)


def give_award(
    resources: Resources[S],
    name: str,
    sheet: S,
    kind: str,
    points: int,
    setting: SettingReader = no_settings,
) -> tuple[S, Text]:
    """Return a character's sheet with awarded points of a kind, and the line on them.

    Raises Impossible("nothing-to-award") if the system has no awards, NotFound("unknown-award"),
    InvalidInput("out-of-range"), and as `Resource.give`.
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
    """Return whether characters advance by points of a kind."""
    resource = find_resource(resources, kind)
    return resource is not None and resource.grows


def adjustables(resources: Resources[S], sheet: S) -> tuple[Option, ...]:
    """Return the resources of a sheet that a GM can set, with their present points."""
    options: list[Option] = []
    for resource in resources:
        if resource.by_hand is not None:
            options.append(Option(resource.key, resource.by_hand(sheet, None)))
    return tuple(options)


def adjust(
    resources: Resources[S], sheet: S, key: str, typed: str, setting: SettingReader = no_settings
) -> tuple[S, Text] | None:
    """Return the sheet with the typed number of points, and the line on it.

    None if the key is no resource that a GM can set.

    Raises InvalidInput("not-a-number", "out-of-range").
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
    """Return the sheet with points restored by a tick, and the points gained by resource key.

    If nothing is restored, the sheet is the same object.
    """
    regained: list[tuple[str, int]] = []
    for resource in resources:
        if resource.restore is None or resource.restore[0] != tick:
            continue
        before, after = resource.of(sheet), resource.restore[1](sheet)
        if before != after:
            sheet = resource.with_value(sheet, after)
            regained.append((resource.key, after - before))
    return sheet, tuple(regained)
