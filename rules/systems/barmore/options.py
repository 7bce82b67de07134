"""What `with` may hold: dice, conversion, support, time and the like, read from words and written back.

BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TRAIT.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Final, TypeVar

from rules.core.errors import InvalidInput, NotFound, RulesError
from rules.core.names import name_key
from rules.core.record import record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.dice import DIE_TYPES, STANDARD, find_die_type
from rules.systems.barmore.pool import TimeMode, time_factor
from rules.systems.barmore.sheet import BarSheet, find_trait
from rules.systems.barmore.traits import Scores, Tree, find_node, resolve_trait
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Known, Number, Option, Pick, Typed, Unless, always

#: The way of working together in which not everybody has a chance (BAR-TEAM).
EITHER: Final = "either_or"
#: The most that a number in `with` can be.
MOST: Final = 100
#: The highest factor of medical attention.
MOST_FACTOR: Final = 100
_SHOWN: Final = 100

T = TypeVar("T", bound=str)


@record
class Pace:
    """More or less time than usual (BAR-TIME): phases in detailed time, halvings and doublings in regular time."""

    phases_saved: int = 0
    phases_extra: int = 0
    halvings: int = 0
    doublings: int = 0

    @property
    def mode(self) -> TimeMode:
        """Which kind of time it speaks of."""
        return "detailed" if self.phases_saved or self.phases_extra else "regular"

    def dice(self) -> tuple[int, int]:
        """Add Dice and Bonus Dice for it (BAR-TIME), none for the usual pace. InvalidInput as `time_factor`."""
        saved, extra = self.phases_saved, self.phases_extra
        if not (saved or extra or self.halvings or self.doublings):
            return 0, 0
        more = {"halvings": self.halvings, "doublings": self.doublings}
        return time_factor(self.mode, saved=saved, extra=extra, **more)


@record
class Options(Pace):
    """What a player chooses: the die (its id), or none at all; what supports; what is converted; the pace.

    `use` is a descendant in the place of the trait that is wanted. `mental` and `non_lethal` speak of an attack
    without a weapon of the sheet's.
    """

    die: str = STANDARD.id
    no_dice: bool = False
    support: str | None = None
    use: str | None = None
    convert: int = 0
    mental: bool = False
    non_lethal: bool = False


@record
class GmOptions(Pace):
    """What a GM grants: a pace, how much faster a treatment lets a Wound heal, how many have a chance (BAR-TEAM).

    None where the GM says nothing; `factor` is a fraction as text.
    """

    factor: str | None = None
    chances: int | None = None


def chosen(text: str, allowed: tuple[T, ...], field: str = "value") -> T:
    """The one that is meant, by its beginning. InvalidInput("choose-one")."""
    wanted = name_key(text)
    found = [each for each in allowed if wanted and name_key(each).startswith(wanted)]
    if len(found) != 1:
        raise InvalidInput("choose-one", field=field, value=text[:_SHOWN], allowed=allowed)
    return found[0]


def read_factor(text: str) -> Fraction:
    """How many times as fast a Wound heals: `2`, `1/2`, `1.5`. InvalidInput("bad-factor").

    What a point makes of twelve signs is read again as the fraction that it is.
    """
    plain = text.strip().replace(",", ".")
    top, _, bottom = plain.partition("/")
    try:
        if len(plain) > (12 if "." in plain else 26) or not plain.isascii() or "e" in plain.casefold():
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


def die_line(die: str) -> Line:
    """A die type with the range of its values (BAR-DIE)."""
    kind = DIE_TYPES[die]
    return Line("bar-die", {"die": kind.id, "low": kind.low, "high": kind.high, "safe": not kind.can_botch})


# --- the forms ---------------------------------------------------------------------------------------------


def asking(campaign: Campaign, sheet: BarSheet | None = None) -> Asking:
    """Who fills a form in: with whose sheet, in which campaign."""
    return Asking(Known(campaign, sheet))


def _phobe(asking: Asking, word: str) -> RulesError | None:
    return None if asking.campaign.dice_phobes else InvalidInput("no-dice-phobes", field="with", value=word)


def of_whom(asking: Asking) -> BarSheet | None:
    """Whose sheet counts: a GM who fills in for somebody does so for whom it is done to."""
    check = asking.check
    if check is None or asking.who:
        return asking.sheet
    return None if check.target is None else asking.game.sheet(check.target)


def offered_traits(tree: Tree, scores: Mapping[str, int]) -> tuple[Option, ...]:
    """Every trait of a tree with the score that counts for it: own scores first, then what stands in (BAR-TRAIT)."""
    found = [resolve_trait(tree, scores, node.name) for node in tree.nodes]
    ranks = {"own": 0, "ancestor": 1, "none": 2}
    found.sort(key=lambda each: (ranks.get(each.via, 2), -each.score))
    return tuple(
        Option(
            each.wanted,
            Line(
                "bar-trait-choice",
                {"name": each.wanted, "used": each.used, "score": each.score, "via": each.via},
            ),
        )
        for each in found
    )


def _named(what: str, scores: Scores) -> tuple[Option, ...]:
    """Traits for this, each with its score."""
    return tuple(
        [Option(name, Line("bar-option", {"what": what, "name": name, "score": n})) for name, n in scores]
    )


def _supports(asking: Asking) -> tuple[Option, ...]:
    """Abilities with points, the best first."""
    sheet = of_whom(asking)
    able = [each for each in (() if sheet is None else sheet.abilities) if each[1] > 0]
    return _named("support", tuple(sorted(able, key=lambda each: -each[1])))


def _uses(asking: Asking) -> tuple[Option, ...]:
    sheet = of_whom(asking)
    return () if sheet is None else _named("use", (*sheet.abilities, *sheet.attributes))


def _descendant(asking: Asking, text: str) -> str:
    """A trait of either tree."""
    traits = asking.campaign.traits
    try:
        return find_trait(traits.abilities, text, "use")
    except NotFound as error:
        try:
            return find_node(traits.attributes, text, "use").name
        except NotFound:
            raise error from None


def _count(key: str, *also: str, most: int = 2, unless: Unless = always) -> Number:
    def label(count: int) -> Line:
        return Line("bar-option", {"what": key, "count": count})

    return Number(key, also=also, high=MOST, offered=tuple(range(1, most + 1)), label=label, unless=unless)


def _flag(key: str, *also: str, unless: Unless) -> Flag:
    return Flag(key, also=also, label=Line("bar-option", {"what": key}), unless=unless)


_PACE: Final = (
    _count("halvings"),
    _count("doublings"),
    _count("phases saved", "saved"),
    _count("phases extra", "extra", "extra phases"),
)
_TIME: Final = Form(_PACE)


def _pace_fits(asking: Asking) -> Iterable[RulesError]:
    """What contradicts itself, as `time_factor` says."""
    try:
        _TIME.make(Pace, asking.values).dice()
    except RulesError as error:
        yield error


@cache
def _asked(attack: bool) -> Form:
    def unless(asking: Asking, word: str) -> RulesError | None:
        return None if attack else InvalidInput("attacks-only", field="with", value=word)

    return Form(
        (
            Pick(
                "die",
                among=tuple(Option(die, die_line(die)) for die in DIE_TYPES),
                find=lambda asking, text: find_die_type(text).id,
                example="d10-1",
                alone="d[0-9]",
            ),
            _flag("no dice", "dice phobe", unless=_phobe),
            _count("convert", most=3),
            _flag("mental", unless=unless),
            _flag("non-lethal", "nonlethal", unless=unless),
            Pick(
                "support",
                among=_supports,
                find=lambda asking, text: find_trait(asking.campaign.traits.abilities, text, "support"),
            ),
            *_PACE,
            Pick("use", among=_uses, find=_descendant),
        ),
        check=_pace_fits,
        first=("die: d10-1", "no dice", "support: …", "convert: 1", "use: …"),
    )


@cache
def _ruled(treatment: bool, either: bool) -> Form:
    def treats(asking: Asking, word: str) -> RulesError | None:
        return None if treatment else InvalidInput("treatments-only", field="with", value=word)

    def alone(asking: Asking, word: str) -> RulesError | None:
        fits = either and (asking.check is None or asking.check.data.mode == EITHER)
        return None if fits else InvalidInput("either-or-only", field="with", value=word)

    factor = Typed(
        "factor",
        read=lambda text: str(read_factor(text)),
        among=tuple(
            Option(factor, Line("bar-option", {"what": "factor", "factor": factor})) for factor in ("2", "3")
        ),
        example="2",
        unless=treats,
    )
    first = ("halvings: 1", "doublings: 1", "phases saved: 1", "phases extra: 1", "factor: 2")
    return Form((*_PACE, factor, _count("chances", unless=alone)), check=_pace_fits, first=first)


def player_form(kind: str | None) -> Form:
    """What a player's `with` may hold in a check of this kind; for None in any."""
    return _asked(kind in (None, "attack"))


def gm_form(kind: str | None) -> Form:
    """What a GM's `with` may hold in the answer to a check of this kind; for None to any."""
    return _ruled(kind in (None, "treat"), kind in (None, "team"))


def read_options(words: Sequence[str], campaign: Campaign, kind: str | None = None) -> Options:
    """What a player's `with` says (BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME).

    As `Form.read_words`; NotFound("unknown-die-type", "not-in-tree"), InvalidInput("no-dice-phobes") where the campaign
    wants everybody to roll, ("attacks-only"), and as `time_factor`.
    """
    form = player_form(kind)
    return form.make(Options, form.read_words(words, asking(campaign)))


def granting(pace: Pace) -> GmOptions:
    """This pace, and nothing else."""
    return _TIME.make(GmOptions, _TIME.said(pace))
