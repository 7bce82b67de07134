"""What `with` may hold: dice, conversion, support, time and the like, read from words and written back.

BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TRAIT.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import Final, Literal

from rules.core.errors import InvalidInput, NotFound
from rules.core.names import similar_or_first
from rules.core.reading import read_whole
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.dice import DIE_TYPES, STANDARD, find_die_type
from rules.systems.barmore.pool import TimeMode, time_factor
from rules.systems.barmore.sheet import BarSheet, find_trait
from rules.systems.barmore.traits import Found, find_node
from rules.table.events import Line
from rules.table.state import Kind
from rules.table.system import Choice

#: The way of working together in which not everybody has a chance (BAR-TEAM).
EITHER: Final = "either_or"
#: The most that a number in `with` can be.
MOST: Final = 100
#: The highest factor of medical attention.
MOST_FACTOR: Final = 100
#: How many dice are offered to be converted, and how many steps of time.
_OFFERED: Final = 3
_SHOWN: Final = 100


@record
class Pace:
    """More or less time than usual (BAR-TIME): phases in detailed time, halvings and doublings in regular time."""

    saved: int = 0
    extra: int = 0
    halvings: int = 0
    doublings: int = 0

    @property
    def mode(self) -> TimeMode:
        """Which kind of time it speaks of."""
        return "detailed" if self.saved or self.extra else "regular"

    @property
    def usual(self) -> bool:
        """Whether it takes neither more nor less time."""
        return not (self.saved or self.extra or self.halvings or self.doublings)

    def dice(self) -> tuple[int, int]:
        """Add Dice and Bonus Dice for it (BAR-TIME). InvalidInput as `time_factor`."""
        if self.usual:
            return 0, 0
        return time_factor(
            self.mode, saved=self.saved, extra=self.extra, halvings=self.halvings, doublings=self.doublings
        )


@record
class Options:
    """What a player chooses: the die (its id), or none at all; what supports; what is converted; the pace.

    `use` is a descendant in the place of the trait that is wanted. `mental` and `nonlethal` speak of an attack without
    a weapon of the sheet's.
    """

    die: str = STANDARD.id
    no_dice: bool = False
    support: str | None = None
    use: str | None = None
    convert: int = 0
    pace: Pace = Pace()
    mental: bool = False
    nonlethal: bool = False


@record
class GmOptions:
    """What a GM grants: a pace, how much faster a treatment lets a Wound heal, how many have a chance (BAR-TEAM).

    None where the GM says nothing.
    """

    pace: Pace = Pace()
    factor: Fraction | None = None
    chances: int | None = None


_Number = Literal["convert", "saved", "extra", "halvings", "doublings", "chances"]
_NUMBERS: Final[dict[str, _Number]] = {
    "convert": "convert",
    "saved": "saved",
    "phases saved": "saved",
    "extra": "extra",
    "phases extra": "extra",
    "extra phases": "extra",
    "halvings": "halvings",
    "doublings": "doublings",
    "chances": "chances",
}
_WORD: Final = re.compile(r"^(?P<key>[a-z][a-z ]*?)\s*(?::|\s)\s*(?P<value>\S.*)$", re.IGNORECASE)
_KEYS: Final = (*_NUMBERS, "die", "support", "use", "factor")
_EXAMPLES: Final = (
    "die: d10-1",
    "no dice",
    "support: …",
    "convert: 1",
    "use: …",
    "halvings: 1",
    "doublings: 1",
    "phases saved: 1",
    "phases extra: 1",
    "mental",
    "non-lethal",
)
_GM_EXAMPLES: Final = (*_EXAMPLES[5:9], "factor: 2", "chances: 1")


def _split(word: str) -> tuple[str, str]:
    """`support: Climbing` or `support Climbing` as its two halves; a bare word has no second one."""
    text = " ".join(word.split())
    found = _WORD.match(text)
    if found is None:
        return text.casefold(), ""
    key, _, rest = text.partition(":")
    if not rest:
        lower = text.casefold()
        key = next(
            (each for each in sorted(_KEYS, key=len, reverse=True) if lower.startswith(f"{each} ")), ""
        )
        if not key:
            return lower, ""
        rest = text[len(key) :]
    return key.strip().casefold(), rest.strip()


def _unknown(word: str, *, gm: bool) -> NotFound:
    allowed = _GM_EXAMPLES if gm else _EXAMPLES
    near = similar_or_first(word, allowed)
    return NotFound("unknown-option", field="with", value=word[:_SHOWN], nearest=near)


def _paced(pace: Pace, key: _Number, number: int) -> Pace:
    changed = Pace(
        number if key == "saved" else pace.saved,
        number if key == "extra" else pace.extra,
        number if key == "halvings" else pace.halvings,
        number if key == "doublings" else pace.doublings,
    )
    changed.dice()  # what contradicts itself is refused
    return changed


def read_options(words: tuple[str, ...], campaign: Campaign) -> Options:
    """What a player's `with` says (BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME).

    NotFound("unknown-option", "unknown-die-type", "not-in-tree"), InvalidInput("not-a-number", "out-of-range"), as
    `time_factor`; ("two-dice") for more than one die, ("no-dice-phobes") where the campaign wants everybody to roll.
    """
    options = Options()
    dice: list[str] = []
    for word in words:
        key, value = _split(word)
        number = _NUMBERS.get(key)
        if key in ("no dice", "dice phobe") and not value:
            if not campaign.dice_phobes:
                raise InvalidInput("no-dice-phobes", field="with", value=word[:_SHOWN])
            options = replace(options, no_dice=True)
        elif key == "mental" and not value:
            options = replace(options, mental=True)
        elif key in ("non-lethal", "nonlethal") and not value:
            options = replace(options, nonlethal=True)
        elif key == "support" and value:
            options = replace(options, support=find_trait(campaign.traits.abilities, value, "support"))
        elif key == "use" and value:
            options = replace(options, use=_descendant(campaign, value))
        elif key == "die" and value:
            dice.append(find_die_type(value).id)
        elif number == "convert" and value:
            options = replace(options, convert=read_whole(value, key, 0, MOST))
        elif number is not None and number != "chances" and value:
            options = replace(options, pace=_paced(options.pace, number, read_whole(value, key, 0, MOST)))
        elif not value and key[:1] == "d" and key[1:2].isdigit():
            dice.append(find_die_type(key).id)
        else:
            raise _unknown(word, gm=False)
    if len(set(dice)) > 1:
        raise InvalidInput("two-dice", field="with", value=None, allowed=tuple(dict.fromkeys(dice)))
    return replace(options, die=dice[0]) if dice else options


def _descendant(campaign: Campaign, text: str) -> str:
    """A trait of either tree."""
    try:
        return find_trait(campaign.traits.abilities, text, "use")
    except NotFound as error:
        try:
            return find_node(campaign.traits.attributes, text, "use").name
        except NotFound:
            raise error from None


def read_gm_options(words: tuple[str, ...]) -> GmOptions:
    """What a GM's `with` says (BAR-TIME, BAR-HEAL, BAR-TEAM). Raises as `read_options`."""
    options = GmOptions()
    for word in words:
        key, value = _split(word)
        number = _NUMBERS.get(key)
        if key == "factor" and value:
            options = replace(options, factor=read_factor(value))
        elif number == "chances" and value:
            options = replace(options, chances=read_whole(value, key, 0, MOST))
        elif number not in (None, "convert", "chances") and value:
            options = replace(options, pace=_paced(options.pace, number, read_whole(value, key, 0, MOST)))
        else:
            raise _unknown(word, gm=True)
    return options


def read_factor(text: str) -> Fraction:
    """How many times as fast a Wound heals: `2`, `1/2`, `1.5`. InvalidInput("bad-factor")."""
    plain = text.strip().replace(",", ".")
    top, _, bottom = plain.partition("/")
    try:
        if len(plain) > 12 or not plain.isascii() or "e" in plain.casefold():
            raise ValueError
        factor = Fraction(top) / Fraction(bottom) if bottom else Fraction(plain)
    except (ValueError, ZeroDivisionError):
        factor = Fraction(0)
    if not 0 < factor <= MOST_FACTOR:
        raise InvalidInput(
            "bad-factor",
            field="factor",
            value=text[:_SHOWN],
            allowed=("2", "1.5", "1/2"),
            highest=MOST_FACTOR,
        )
    return factor


def write_pace(pace: Pace) -> tuple[str, ...]:
    """The words that `read_options` reads back to this pace."""
    found = (
        ("phases saved", pace.saved),
        ("phases extra", pace.extra),
        ("halvings", pace.halvings),
        ("doublings", pace.doublings),
    )
    return tuple(f"{key}: {value}" for key, value in found if value)


def write_options(options: Options) -> tuple[str, ...]:
    """The words that `read_options` reads back to the same options."""
    found: list[str] = []
    if options.die != STANDARD.id:
        found.append(f"die: {options.die}")
    if options.no_dice:
        found.append("no dice")
    if options.support is not None:
        found.append(f"support: {options.support}")
    if options.use is not None:
        found.append(f"use: {options.use}")
    if options.convert:
        found.append(f"convert: {options.convert}")
    found += write_pace(options.pace)
    if options.mental:
        found.append("mental")
    if options.nonlethal:
        found.append("non-lethal")
    return tuple(found)


def write_gm_options(options: GmOptions) -> tuple[str, ...]:
    """The words that `read_gm_options` reads back to the same options."""
    found = list(write_pace(options.pace))
    if options.factor is not None:
        found.append(f"factor: {options.factor}")
    if options.chances is not None:
        found.append(f"chances: {options.chances}")
    return tuple(found)


# --- what is offered ---------------------------------------------------------------------------------------


def die_line(die: str) -> Line:
    """A die type with the range of its values (BAR-DIE)."""
    kind = DIE_TYPES[die]
    code = "bar-die" if kind.can_botch else "bar-die-safe"
    return Line(code, {"die": kind.id, "low": kind.low, "high": kind.high})


def _paces() -> list[Choice]:
    found: list[Choice] = []
    for key, pace in (
        ("halvings", "halvings"),
        ("doublings", "doublings"),
        ("phases saved", "saved"),
        ("phases extra", "extra"),
    ):
        found += [Choice(f"{key}: {n}", Line(f"bar-option-{pace}", {"count": n})) for n in range(1, _OFFERED)]
    return found


def choices(
    campaign: Campaign,
    sheet: BarSheet | None,
    *,
    gm: bool,
    kind: Kind | None = None,
    mode: str = "",
) -> tuple[Choice, ...]:
    """What `with` offers: to a GM what only they grant, to a player what their character can bring.

    Without what belongs to another `kind` of challenge, or another `mode` of it, where they are given.
    """
    if gm:
        offered = _paces()
        if kind in (None, "treat"):
            offered += [
                Choice(f"factor: {each}", Line("bar-option-factor", {"factor": each})) for each in ("2", "3")
            ]
        if kind is None or mode == EITHER:
            offered += [Choice(f"chances: {n}", Line("bar-option-chances", {"count": n})) for n in (1, 2)]
        return tuple(offered)
    found = [Choice(f"die: {die}", die_line(die)) for die in DIE_TYPES]
    if campaign.dice_phobes:
        found.append(Choice("no dice", Line("bar-option-no-dice")))
    found += [
        Choice(f"convert: {n}", Line("bar-option-convert", {"count": n})) for n in range(1, _OFFERED + 1)
    ]
    if kind in (None, "attack"):
        found += [
            Choice("mental", Line("bar-option-mental")),
            Choice("non-lethal", Line("bar-option-nonlethal")),
        ]
    if sheet is not None:
        able = sorted((each for each in sheet.abilities if each[1] > 0), key=lambda each: -each[1])
        found += [
            Choice(f"support: {name}", Line("bar-option-support", {"name": name, "score": score}))
            for name, score in able
        ]
    found += _paces()
    if sheet is not None:
        found += [
            Choice(f"use: {name}", Line("bar-option-use", {"name": name, "score": score}))
            for name, score in (*sheet.abilities, *sheet.attributes)
        ]
    return tuple(found)


def trait_line(code: str, found: Found) -> Line:
    """A trait that is wanted, with the one that stands in for it and its score (BAR-TRAIT)."""
    return Line(code, {"name": found.wanted, "used": found.used, "score": found.score, "via": found.via})
