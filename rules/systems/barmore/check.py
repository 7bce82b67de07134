"""A check under Barmore's rules, from the proposal's options to what the dice say.

BAR-TRAIT, BAR-POOL, BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.reading import read_whole
from rules.core.record import Record, record
from rules.core.rng import Rng
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.options import EITHER, GmOptions, Options, granting
from rules.systems.barmore.pool import Pool, build_pool
from rules.systems.barmore.sheet import (
    BarSheet,
    find_trait,
    is_minor,
)
from rules.systems.barmore.task import (
    Judgement,
    Opposition,
    PoolRoll,
    judge,
    judge_roll,
    no_dice_total,
    oppose_direct,
    roll_pool,
)
from rules.systems.barmore.traits import (
    Activity,
    Found,
    activity_of,
    stand_in,
    supporting,
)
from rules.systems.barmore.wounds import incapacitated, penalty_dice
from rules.table.events import Line
from rules.table.state import Character

#: Typed for "none of them" where an option may be taken away again.
NONE = "none"
#: The lowest and the highest Difficulty.
LOWEST, HIGHEST = -100, 1000
#: The most Bonus or Penalty Dice that a GM grants at once.
MODIFIER_MAX = 20
#: Behind what the GM refuses of the other side's.
OTHER_SIDE = "other"

DIRECT, INDIRECT = "direct", "indirect"
MODES: dict[str, tuple[str, ...]] = {
    "contest": (DIRECT, INDIRECT),
    "team": ("simple_addition", "combining_dice", "worst_roller", EITHER),
}
#: What a GM may refuse of a proposal; of what others bring with `.` and who they are behind it.
JUSTIFICATION_ABILITY, JUSTIFICATION_ATTRIBUTE, JUSTIFICATION_SUPPORT = "ability", "attribute", "support"
JUSTIFICATIONS = (JUSTIFICATION_ABILITY, JUSTIFICATION_ATTRIBUTE, JUSTIFICATION_SUPPORT)


@record
class Justification:
    """A descendant in the place of a wanted trait (BAR-TRAIT): of which kind (`ability` or `attribute`)."""

    kind: str
    wanted: str
    used: str


@record
class BarRequest:
    """What a player proposes: the traits that are wanted, a Difficulty they have in mind, and what they choose.

    `modifier` are Bonus Dice, or Penalty Dice when it is negative, that the GM has granted. `justifications` are
    for the GM to accept.
    """

    ability: str | None
    attribute: str | None
    difficulty: int | None
    options: Options
    modifier: int = 0
    justifications: tuple[Justification, ...] = ()


@record
class BarRuling(Record):
    """What the GM made of it: the Difficulty (None where both sides roll against each other), dice, and refusals.

    `against` are Bonus or Penalty Dice for the other side.
    """

    difficulty: int | None
    options: GmOptions
    modifier: int = 0
    against: int = 0
    refused: tuple[str, ...] = ()


@record
class Part:
    """Where some of a pool's dice come from: how many Add, Bonus (above 0) or Penalty Dice (below), and why."""

    code: str
    add: int = 0
    modifier: int = 0
    name: str = ""


@record
class Thrown:
    """A pool with what it came to: the roll, or None where nothing is rolled (BAR-AUTO, BAR-POOL)."""

    pool: Pool
    parts: tuple[Part, ...]
    roll: PoolRoll | None
    total: int

    @property
    def botch(self) -> bool:
        """Whether the dice botched (BAR-ROLL)."""
        return self.roll is not None and self.roll.botch


BarCharacter = Character[BarSheet]

PLAIN = BarRuling(None, GmOptions())
_START = Part("bar-part-start", 1)


# --- reading options ---------------------------------------------------------------------------------------


def _named(text: str | None) -> str | None:
    if text is None:
        return None
    return None if text.strip().casefold() in ("", NONE) else text


def read_difficulty(text: str | None) -> int | None:
    """A Difficulty as it is typed. InvalidInput("not-a-number", "out-of-range")."""
    named = _named(text)
    if named is None:
        return None
    return read_whole(named, "difficulty", LOWEST, HIGHEST)


def read_traits(
    campaign: Campaign, skill: str | None, attribute: str | None
) -> tuple[str | None, str | None]:
    """Ability and attribute as the campaign names them, None for none (BAR-TRAIT). NotFound as `find_node`."""
    ability, governing = _named(skill), _named(attribute)
    return (
        None if ability is None else find_trait(campaign.traits.abilities, ability, "skill"),
        None if governing is None else find_trait(campaign.traits.attributes, governing, "attribute"),
    )


def checked(sheet: BarSheet, campaign: Campaign, request: BarRequest, kind: str = "check") -> BarRequest:
    """The request with its justifications, if a pool could be built of it. Raises as `_check_use`."""
    if kind == "rest":
        return request
    options = request.options
    traits = build(sheet, campaign, request).traits
    named = ((JUSTIFICATION_ABILITY, traits.ability), (JUSTIFICATION_ATTRIBUTE, traits.attribute))
    if options.use is not None:
        _check_use(options.use, traits)
    justifications = tuple(
        Justification(key, found.wanted, found.used or "")
        for key, found in named
        if found is not None and found.via == "descendant"
    )
    return replace(request, justifications=justifications)


def _check_use(use: str, traits: Traits) -> None:
    """Whether what is to be used stands in for anything (BAR-TRAIT).

    NotFound("not-a-descendant") for what cannot, InvalidInput("use-not-needed") where nothing has to.
    """
    found = [trait for trait in (traits.ability, traits.attribute) if trait is not None]
    if any(trait.used == use for trait in found):
        return
    missing = next((trait for trait in found if trait.via in ("none", "descendant")), None)
    if missing is not None:
        below = traits.several or (() if missing.used is None else (missing.used,))
        raise NotFound("not-a-descendant", field="use", value=use, wanted=missing.wanted, nearest=below[:10])
    names = tuple(trait.wanted for trait in found)
    raise InvalidInput("use-not-needed", field="use", value=use, names=names)


def find_mode(kind: str, text: str) -> str:
    """The way in which several do something (BAR-TEAM, BAR-OPPOSED); the first one where nothing is said."""
    modes = MODES.get(kind, ())
    wanted = text.strip().casefold().replace(" ", "_").replace("/", "_")
    for mode in modes:
        if mode.startswith(wanted):
            return mode
    raise NotFound("unknown-mode", field="mode", value=text[:100], nearest=(), allowed=modes)


def opposes(campaign: Campaign, kind: str, target: BarCharacter, mode: str) -> bool:
    """Whether whom it is done to rolls: not who is minor, whose total is the Difficulty (BAR-AUTO, BAR-OPPOSED)."""
    if kind not in ("attack", "contest"):
        return False
    return mode == INDIRECT or not never_rolls(target, campaign)


# --- traits and pools --------------------------------------------------------------------------------------


@record
class Traits:
    """The traits that count, found along the trees, and whether a descendant stands in for one (BAR-TRAIT)."""

    ability: Found | None
    attribute: Found | None
    #: Descendants one of which could stand in, where several could and none is named.
    several: tuple[str, ...] = ()


#: The traits found last, by the identity of sheet and campaign, which are kept beside them.
_found_traits: dict[tuple[object, ...], tuple[BarSheet, Campaign, Traits]] = {}
_MOST_FOUND = 1024


def find_traits(
    sheet: BarSheet, campaign: Campaign, request: BarRequest, refused: Sequence[str] = ()
) -> Traits:
    """Which traits count for what is wanted; a lone descendant stands in by itself, of several the one named.

    They are kept, since every look at a check asks for them.
    """
    key = (
        id(sheet),
        id(campaign),
        request.ability,
        request.attribute,
        request.options.use,
        JUSTIFICATION_ABILITY in refused,
        JUSTIFICATION_ATTRIBUTE in refused,
    )
    kept = _found_traits.get(key)
    if kept is not None and kept[0] is sheet and kept[1] is campaign:
        return kept[2]
    if len(_found_traits) >= _MOST_FOUND:
        _found_traits.clear()
    found = _look_up(sheet, campaign, request, refused)
    _found_traits[key] = sheet, campaign, found
    return found


def _look_up(sheet: BarSheet, campaign: Campaign, request: BarRequest, refused: Sequence[str]) -> Traits:
    use, several, trees = request.options.use, (), campaign.traits
    ability = attribute = None
    if request.ability is not None:
        ability, several = stand_in(
            trees.abilities,
            dict(sheet.abilities),
            request.ability,
            use,
            justifications=JUSTIFICATION_ABILITY not in refused,
        )
    if request.attribute is not None:
        attribute, more = stand_in(
            trees.attributes,
            dict(sheet.attributes),
            request.attribute,
            use,
            justifications=JUSTIFICATION_ATTRIBUTE not in refused,
        )
        several = (*several, *more)
    return Traits(ability, attribute, several)


def activity(campaign: Campaign, request: BarRequest) -> Activity:
    """The kind of activity, by the attribute that governs it; physical where none does (BAR-TRAUMA)."""
    if request.attribute is None:
        return "physical"
    return activity_of(campaign.traits.attributes, request.attribute) or "physical"


@record
class Built:
    """A pool that is ready to roll, where its dice come from, and the traits that count."""

    pool: Pool
    parts: tuple[Part, ...]
    traits: Traits


def build(
    sheet: BarSheet,
    campaign: Campaign,
    request: BarRequest,
    ruling: BarRuling = PLAIN,
    *,
    modifier: int | None = None,
) -> Built:
    """The pool of one character, with the cause of every die (BAR-POOL, BAR-TIME, BAR-TRAUMA).

    The player's modifier and pace count until the GM has ruled; `modifier` is another than the ruling's.
    Raises Impossible("incapacitated"), NotFound("not-supporting"), and what `build_pool` raises.
    """
    options, kind = request.options, activity(campaign, request)
    wounds = sheet.wounds
    if wounds and incapacitated(wounds, kind):
        raise Impossible("incapacitated", activity=kind)
    ruled = ruling is not PLAIN
    traits = find_traits(sheet, campaign, request, ruling.refused)
    parts: list[Part] = [_START]
    ability = 0 if traits.ability is None else max(0, traits.ability.score)
    attribute = 0 if traits.attribute is None else traits.attribute.score
    if traits.ability is not None and ability:
        parts.append(Part("bar-part-ability", ability, name=traits.ability.used or traits.ability.wanted))
    if traits.attribute is not None and attribute:
        name = traits.attribute.used or traits.attribute.wanted
        parts.append(Part("bar-part-attribute", modifier=attribute, name=name))
    support = None
    if options.support is not None and JUSTIFICATION_SUPPORT not in ruling.refused:
        support = _support(sheet, campaign, request, traits)
        parts.append(Part("bar-part-support", modifier=support, name=options.support))
    if options.convert:
        parts.append(Part("bar-part-convert", -options.convert, options.convert))
    pace = ruling.options if ruled else options
    add, bonus = pace.dice()
    if add or bonus:
        parts.append(Part("bar-part-quicker" if add < 0 else "bar-part-slower", add, bonus))
    penalty = 0
    for wound, dice in penalty_dice(wounds, kind) if wounds else ():
        parts.append(Part("bar-part-wound", modifier=-dice, name=wound.name))
        penalty += dice
    granted = modifier if modifier is not None else ruling.modifier if ruled else request.modifier
    if granted:
        parts.append(Part("bar-part-granted", modifier=granted))
    pool = build_pool(
        ability,
        attribute,
        support=support,
        convert=options.convert,
        wounds=penalty + max(0, -granted),
        add=add,
        bonus=bonus + max(0, granted),
    )
    return Built(pool, tuple(parts), traits)


def _support(sheet: BarSheet, campaign: Campaign, request: BarRequest, traits: Traits) -> int:
    """The points of the supporting Ability (BAR-TRAIT). NotFound("not-supporting") with those that could."""
    scores, name = dict(sheet.abilities), request.options.support or ""
    if request.ability is None or traits.ability is None:
        able = tuple(each for each, score in sheet.abilities if score > 0)
    else:
        used = traits.ability.used if traits.ability.via == "descendant" else None
        able = supporting(campaign.traits.abilities, scores, request.ability, used)
    if name not in able:
        raise NotFound("not-supporting", field="support", value=name, nearest=able[:10])
    return scores[name]


# --- the dice ----------------------------------------------------------------------------------------------


def throw(rng: Rng, pool: Pool, parts: tuple[Part, ...], options: Options) -> Thrown:
    """Roll a pool, or total it without dice (BAR-ROLL, BAR-AUTO); hurried to nothing it fails (BAR-POOL)."""
    if pool.fails_without_roll:
        return Thrown(pool, parts, None, 0)
    if options.no_dice:
        return Thrown(pool, parts, None, no_dice_total(pool))
    roll = roll_pool(rng, pool, DIE_TYPES[options.die])
    return Thrown(pool, parts, roll, roll.total)


def judged(thrown: Thrown, difficulty: int) -> Judgement:
    """What a total means against a Difficulty (BAR-ROLL, BAR-AUTO)."""
    if thrown.pool.fails_without_roll:
        return replace(judge(0, 0, max(difficulty, 1), rolled=False), difficulty=difficulty)
    if thrown.roll is None:
        return judge(thrown.total, thrown.pool.add, difficulty, rolled=False)
    return judge_roll(thrown.roll, difficulty)


def oppose(first: Thrown, second: Thrown) -> Opposition:
    """Two sides against each other without a Difficulty (BAR-OPPOSED); who hurried to nothing fails like a botch."""
    return oppose_direct(first.total, second.total, first_botch=_lost(first), second_botch=_lost(second))


def of_other(ruling: BarRuling | None, request: BarRequest, who: str) -> BarRuling:
    """The ruling as it holds for somebody who did not begin it: a helper by their id, or `OTHER_SIDE`.

    What the GM granted the one who began it is theirs alone, the pace is everybody's own, and so is what the GM
    refuses them.
    """
    refused = () if ruling is None else ruling.refused
    own = tuple(kind for kind, _, whose in (each.partition(".") for each in refused) if whose == who)
    difficulty = None if ruling is None else ruling.difficulty
    return BarRuling(difficulty, granting(request.options), refused=own)


def never_rolls(character: BarCharacter, campaign: Campaign) -> bool:
    """Whether somebody never rolls: minor NPCs (BAR-AUTO)."""
    return character.owner is None and is_minor(character.sheet, campaign)


# --- what it means -----------------------------------------------------------------------------------------


def against_fixed(mine: Thrown, other: Thrown, *, mine_fixed: bool) -> Opposition:
    """The total of whoever never rolls is simply the Difficulty of the other's roll: equal succeeds (BAR-AUTO)."""
    fixed, rolling = (mine, other) if mine_fixed else (other, mine)
    found = judged(rolling, fixed.total)
    if found.success == mine_fixed:
        return Opposition("second", max(0, abs(found.degree)))
    return Opposition("first", max(0, abs(found.degree)))


def _lost(thrown: Thrown) -> bool:
    """A botch, or a pool that was hurried to nothing: it fails as well."""
    return thrown.botch or thrown.pool.fails_without_roll


def line_of(part: Part) -> Line:
    """A part of a pool in codes."""
    return Line(part.code, {"add": part.add, "modifier": part.modifier, "name": part.name})
