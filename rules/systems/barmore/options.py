"""What `with` may hold: dice, conversion, support, time and the like, read from words and written back.

BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TRAIT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.names import the_one
from rules.core.reading import shown
from rules.core.record import Record, record
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.pool import DIE_TYPES, STANDARD, find_die_type
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.tables import DieType
from rules.systems.barmore.traits import (
    TREES,
    Tree,
    find_trait,
    resolve_trait,
    supporting,
    usable_descendants,
)
from rules.table.blocks import Value
from rules.table.checks.stages import NONE
from rules.table.events import Line
from rules.table.forms import Asking, Flag, Form, Known, Many, Number, Option, Pick, Typed, Unless, always

#: The way of working together in which not everybody has a chance (BAR-TEAM).
EITHER: Final = "either_or"
#: The contest in which both meet one Difficulty (BAR-OPPOSED).
INDIRECT: Final = "indirect"
#: The most that a number in `with` can be.
MOST: Final = 100
#: The highest factor of medical attention.
MOST_FACTOR: Final = 100
#: The most that a weapon which is on no sheet adds to a hit, or takes from it.
MOST_DAMAGE: Final = 20
YES, NO = "yes", "no"
#: In which order traits are offered, by the way in which they count.
_BEFORE: Final = {"own": 0, "ancestor": 1}


@record
class Pace(Record):
    """More or less time than usual (BAR-TIME): phases in detailed time, halvings and doublings in regular time."""

    phases_saved: int = 0
    phases_extra: int = 0
    halvings: int = 0
    doublings: int = 0

    def dice(self) -> tuple[int, int]:
        """Add Dice (may be negative) and Bonus Dice for it (BAR-TIME), of which one only is said."""
        first = min(1, self.doublings)
        return first - self.phases_saved - self.halvings, self.phases_extra + self.doublings - first

    def of(self, time: int) -> Fraction:
        """So much time, halved and doubled (BAR-TIME)."""
        return Fraction(time) * 2**self.doublings / 2**self.halvings


@record
class Plan(Pace):
    """What somebody says of a task: whoever proposes it or brings something to it, or the GM who answers.

    Its fields are those of the forms that it is read from. `skill` and `attribute` are the traits that are wanted;
    `modifier` are Bonus Dice, or Penalty Dice when it is negative, `against` those of the other side.

    What a player chooses: the die (its id), or none at all; what supports; what is converted; the pace. `use` are
    descendants in the place of traits that are wanted. `mental` and `non_lethal` speak of an attack without a weapon of
    the sheet's.

    What a GM grants: how much faster a treatment lets a Wound heal (a fraction as text), how many have a chance, and
    who has one without a draw (BAR-TEAM); a success takes this `level` at least. Of a weapon that is on no sheet:
    whether it is `lethal`, whether Muscle Power drives it, and its `damage`. None where the GM says nothing. What is
    refused is in `disallow`; what nobody was asked about is not granted `by_gm`.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: int | None = None
    modifier: int = 0
    die: str = STANDARD.id
    no_dice: bool = False
    support: tuple[str, ...] = ()
    use: tuple[str, ...] = ()
    convert: int = 0
    mental: bool = False
    non_lethal: bool = False
    against: int = 0
    factor: str | None = None
    chances: int | None = None
    chance: tuple[str, ...] = ()
    level: int = 0
    lethal: str | None = None
    muscle: str | None = None
    damage: int = 0
    disallow: tuple[str, ...] = ()
    by_gm: bool = True


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
        allowed, value = ("2", "1.5", "1/2"), shown(text)
        raise InvalidInput("bad-factor", field="factor", value=value, highest=MOST_FACTOR, allowed=allowed)
    return factor


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


def _known(asking: Asking, of: str) -> tuple[Tree, dict[str, int]]:
    """One of the trees, with the scores in it of whoever's sheet counts."""
    sheet = of_whom(asking)
    return getattr(asking.campaign.traits, of), {} if sheet is None else dict(getattr(sheet, of))


def offered_traits(tree: Tree, scores: Mapping[str, int]) -> tuple[Option, ...]:
    """Every trait of a tree with the score that counts for it: own scores first, then what stands in (BAR-TRAIT)."""
    found = [resolve_trait(tree, scores, node.name) for node in tree.nodes]
    found.sort(key=lambda each: (_BEFORE.get(each.via, len(_BEFORE)), -each.score))
    return tuple(Option(each.wanted, Line("bar-trait", {**each.told(), "offered": True})) for each in found)


def _trait(key: str, of: str) -> Pick:
    """A trait of one of the campaign's trees; `none` for none of them."""

    def among(asking: Asking) -> tuple[Option, ...]:
        return () if asking.game is None else offered_traits(*_known(asking, of))

    def find(asking: Asking, text: str) -> str:
        none = text.strip().casefold() == NONE
        return NONE if none else find_trait(getattr(asking.campaign.traits, of), text, key)

    return Pick(key, among=among, find=find)


TRAITS: Final = tuple(_trait(key, of) for key, of in TREES.items())


def _says(what: str, **about: Value) -> Line:
    return Line("bar-option", {"what": what, **about})


def _named(what: str, scores: Iterable[tuple[str, int]]) -> tuple[Option, ...]:
    """Traits for this, each with its score."""
    return tuple([Option(name, _says(what, name=name, score=score)) for name, score in scores])


def _wanted(asking: Asking, key: str) -> tuple[str | None, Tree, dict[str, int]]:
    """The trait that is named so far, None for none, or what is none; with its tree, and the scores there."""
    tree, scores = _known(asking, TREES[key])
    said, found = asking.values.get(key), None
    with suppress(NotFound):
        found = None if said in (None, NONE) else find_trait(tree, said)
    return found, tree, scores


def _supports(asking: Asking) -> tuple[Option, ...]:
    """Abilities with points, the best first: those that can support what is wanted."""
    wanted, tree, scores = _wanted(asking, "skill")
    able = supporting(tree, scores, wanted) if wanted else [name for name in scores if scores[name] > 0]
    return _named("support", [(name, scores[name]) for name in sorted(able, key=lambda each: -scores[each])])


def _uses(asking: Asking) -> tuple[Option, ...]:
    """Traits that can stand in for what is wanted: all as long as nothing is."""
    found: list[tuple[str, int]] = []
    trees = [_wanted(asking, key) for key in TREES]
    for wanted, tree, scores in trees:
        if wanted and resolve_trait(tree, scores, wanted).used is None:
            found += [(name, scores[name]) for name in usable_descendants(tree, scores, wanted)]
        elif not any(each for each, _, _ in trees):
            found += scores.items()
    return _named("use", found)


def _descendant(asking: Asking, text: str) -> str:
    """A trait of either tree."""
    traits = asking.campaign.traits
    for tree in (traits.abilities, traits.attributes):
        with suppress(NotFound):
            return find_trait(tree, text, "use")
    return find_trait(traits.abilities, text, "use")


def count(key: str, *also: str, most: int = 2, unless: Unless = always, topic: Line | None = None) -> Number:
    """A number of which a menu offers 1 up to `most`."""

    def label(count: int) -> Line:
        return _says(key, count=count, times=2**count)

    offered = tuple(range(1, most + 1))
    return Number(key, also=also, high=MOST, offered=offered, label=label, unless=unless, topic=topic)


def _flag(key: str, *also: str, unless: Unless) -> Flag:
    return Flag(key, also=also, label=_says(key), unless=unless)


_TIME: Final = Line("as-written", {"text": "time"})
PACE: Final = Form.of(
    count("halvings", topic=_TIME),
    count("doublings", topic=_TIME),
    count("phases saved", "saved", topic=_TIME),
    count("phases extra", "extra", "extra phases", topic=_TIME),
)


def _pace_fits(asking: Asking) -> Iterable[RulesError]:
    """Time is counted in one way, and either saved or taken (BAR-TIME)."""
    said = tuple(key for key in PACE.keys if asking.values.get(key))
    if len(said) > 1:
        yield InvalidInput("two-paces", field="with", value=None, allowed=said)


def _only(wanted: str, kind: str | None, so: Callable[[Any], bool] = lambda check: True) -> Unless:
    """What is for one kind of check alone, None being any, and there for what is `so`."""

    def unless(asking: Asking, word: str) -> RulesError | None:
        fits = kind in (None, wanted) and (asking.check is None or so(asking.check))
        return None if fits else InvalidInput("other-kind", field="with", value=word, wanted=wanted)

    return unless


def _with_level(check: Any) -> bool:
    """A level of success is against a Difficulty: where both roll directly against each other there is none."""
    return not check.data.opposed or check.data.mode == INDIRECT


def _makeshift(kind: str | None) -> Unless:
    """Of an attack without a weapon that is on the sheet."""
    only = _only("attack", kind)

    def unless(asking: Asking, word: str) -> RulesError | None:
        check = asking.check
        known = check and kind == "attack" and asking.game.sheet(check.actor).on_sheet(check.data.tool)
        return Impossible("weapon-is-known", field="with", name=known.name) if known else only(asking, word)

    return unless


def _either(key: str, unless: Unless) -> Pick:
    """Whether something of an attack is so."""
    offered = tuple(Option(each, _says(key, so=each == YES)) for each in (YES, NO))
    title, nothing = Line("bar-menu", {"what": key}), Line("bar-menu", {"what": key, "usual": True})
    return Pick(key, among=offered, example=YES, unless=unless, title=title, nothing=nothing)


def _taking_part(asking: Asking) -> tuple[Option, ...]:
    if asking.check is None:
        return ()
    there = asking.game.state.characters  # a helper may have gone since
    people = [there[each.who] for each in asking.check.data.entries if each.who in there]
    return tuple([Option(each.id, _says("chance", name=each.name)) for each in people])


def _one_of(asking: Asking, text: str) -> str:
    """Somebody who takes part, by name. NotFound("unknown-choice", "ambiguous-choice")."""
    if asking.check is None:
        return text
    named = {each.value: str(each.label.params["name"]) for each in _taking_part(asking)}
    return the_one(named, text, named.__getitem__, str, field="chance")


def die_option(die: DieType, chance: Fraction | None = None) -> Option:
    """A die type with the range of its values, and its chance of success where that is known (BAR-DIE)."""
    about = {"die": die.id, "low": die.low, "high": die.high, "safe": not die.can_botch}
    about |= {"chance": None if chance is None else str(chance)}
    return Option(die.id, Line("bar-die", about))


@cache
def player_form(kind: str | None) -> Form:
    """What a player's `with` may hold in a check of this kind; for None in any."""
    return Form.of(
        Pick(
            "die",
            among=tuple(map(die_option, DIE_TYPES.values())),
            find=lambda asking, text: find_die_type(text).id,
            example="d10-1",
            alone="d[0-9]",
            nothing=Line("bar-menu", {"what": "die", "die": STANDARD.id, "usual": True}),
        ),
        _flag("no dice", "dice phobe", unless=_phobe),
        count("convert", most=3),
        _flag("mental", unless=_only("attack", kind)),
        _flag("non-lethal", "nonlethal", unless=_only("attack", kind)),
        Many(
            "support",
            among=_supports,
            find=lambda asking, text: find_trait(asking.campaign.traits.abilities, text, "support"),
        ),
        *PACE.fields,
        Many("use", among=_uses, find=_descendant),
        check=_pace_fits,
        first=("die: d10-1", "no dice", "support: …", "convert: 1", "use: …"),
    )


@cache
def gm_form(kind: str | None) -> Form:
    """What a GM's `with` may hold in the answer to a check of this kind; for None to any."""
    factor = Typed(
        "factor",
        read=lambda text: str(read_factor(text)),
        among=tuple(Option(each, _says("factor", factor=each)) for each in ("1", "2", "3")),
        example="2",
        unless=_only("treat", kind),
    )
    lucky = _only("team", kind, lambda check: check.data.mode == EITHER)
    return Form.of(
        *PACE.fields,
        factor,
        count("level", most=3, unless=_only("difficulty", None, _with_level)),
        count("chances", unless=lucky),
        Many("chance", among=_taking_part, find=_one_of, unless=lucky),
        _either("lethal", unless=_makeshift(kind)),
        _either("muscle", unless=_makeshift(kind)),
        Number("damage", low=-MOST_DAMAGE, high=MOST_DAMAGE, unless=_makeshift(kind)),
        check=_pace_fits,
        first=(*[f"{each}: 1" for each in PACE.keys], "factor: 2"),
    )


def read_options(words: Sequence[str], campaign: Campaign) -> Plan:
    """What a player's `with` says (BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME).

    As `Form.read_words`; NotFound("unknown-choice", "not-in-tree"), InvalidInput("two-paces"), ("no-dice-phobes") where
    the campaign wants everybody to roll, ("other-kind").
    """
    form = player_form(None)
    return form.make(Plan, form.read_words(words, asking(campaign)))
