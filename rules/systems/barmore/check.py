"""A check under Barmore's rules, from the proposal's options to what the dice say.

BAR-TRAIT, BAR-POOL, BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Literal, cast

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.reading import read_whole
from rules.core.record import Record, record
from rules.core.rng import Rng
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.dice import DIE_TYPES
from rules.systems.barmore.options import EITHER, GmOptions, Options, gm_form, granting, read_options
from rules.systems.barmore.pool import Pool, TeamMode, build_pool, team_pool
from rules.systems.barmore.sheet import (
    BarSheet,
    attribute_score,
    find_trait,
    find_weapon,
    is_minor,
    require_weapon,
)
from rules.systems.barmore.tables import MUSCLE_POWER
from rules.systems.barmore.task import (
    Judgement,
    Opposition,
    PoolRoll,
    either_or,
    judge,
    judge_roll,
    no_dice_total,
    oppose_direct,
    oppose_indirect,
    roll_pool,
)
from rules.systems.barmore.traits import (
    Activity,
    Found,
    activity_of,
    stand_in,
    supporting,
)
from rules.systems.barmore.wounds import Weapon, incapacitated, penalty_dice
from rules.table.actions import Answer, Defend, Join, Propose, Revise
from rules.table.events import Line
from rules.table.state import Challenge, Character, Kind
from rules.table.system import Cast

#: Typed for "none of them" where an option may be taken away again.
NONE = "none"
#: The lowest and the highest Difficulty.
LOWEST, HIGHEST = -100, 1000
#: The most Bonus or Penalty Dice that a GM grants at once.
MODIFIER_MAX = 20
#: Behind what the GM refuses of the other side's.
OTHER_SIDE = "other"

DIRECT, INDIRECT = "direct", "indirect"
MODES: dict[Kind, tuple[str, ...]] = {
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


@record
class BarRolled:
    """What came of it. `other` is the other side's; `helpers` are those who roll apart, each with a character's id,
    `lucky` the ids of those who had a chance (BAR-TEAM). An attack keeps what it was made with, and with whose strength
    (BAR-TRAUMA). Where one of two sides never rolls, its total is `fixed`: the Difficulty of the other's roll
    (BAR-AUTO). The attack is `veiled` where NPCs made it: what they bring is not for the players.
    """

    mine: Thrown
    other: Thrown | None = None
    helpers: tuple[tuple[str, Thrown], ...] = ()
    lucky: tuple[str, ...] | None = None
    weapon: Weapon | None = None
    muscle_power: int = 0
    fixed: Literal["", "mine", "other"] = ""
    veiled: bool = False


BarChallenge = Challenge[BarRequest, BarRuling, BarRolled]
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


def checked(sheet: BarSheet, campaign: Campaign, request: BarRequest, kind: Kind = "check") -> BarRequest:
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


def propose(sheet: BarSheet, campaign: Campaign, action: Propose) -> BarRequest:
    """Read the options of a proposal (BAR-POOL). Raises also what building the pool would."""
    request = BarRequest(
        *read_traits(campaign, action.skill, action.attribute),
        read_difficulty(action.difficulty),
        read_options(action.options, campaign, action.kind),
        _modifier(action.modifier, "modifier"),
    )
    if action.kind == "attack":
        require_weapon(sheet, action.tool)
    return checked(sheet, campaign, request, action.kind)


def revise(
    sheet: BarSheet, campaign: Campaign, old: BarRequest, action: Revise, kind: Kind = "check"
) -> BarRequest:
    """Read changed options over the old ones; `none` takes a trait or the Difficulty away."""
    ability, attribute = read_traits(campaign, action.skill, action.attribute)
    kept = old.options
    if action.skill is not None or action.attribute is not None:
        kept = replace(kept, use=None)  # it was named for other traits
    request = BarRequest(
        old.ability if action.skill is None else ability,
        old.attribute if action.attribute is None else attribute,
        old.difficulty if action.difficulty is None else read_difficulty(action.difficulty),
        kept if action.options is None else read_options(action.options, campaign, kind),
        old.modifier if action.modifier is None else _modifier(action.modifier, "modifier"),
    )
    return checked(sheet, campaign, request, kind)


def join(sheet: BarSheet, campaign: Campaign, action: Join | Defend) -> BarRequest:
    """What somebody brings who joins in, or sets against it (BAR-TEAM, BAR-OPPOSED)."""
    options = read_options(action.options, campaign, "team")
    request = BarRequest(*read_traits(campaign, action.skill, action.attribute), None, options)
    return checked(sheet, campaign, request)


def _modifier(value: int, field: str) -> int:
    if not -MODIFIER_MAX <= value <= MODIFIER_MAX:
        raise InvalidInput(
            "out-of-range", field=field, value=value, lowest=-MODIFIER_MAX, highest=MODIFIER_MAX
        )
    return value


def find_mode(kind: Kind, text: str) -> str:
    """The way in which several do something (BAR-TEAM, BAR-OPPOSED); the first one where nothing is said."""
    modes = MODES.get(kind, ())
    wanted = text.strip().casefold().replace(" ", "_").replace("/", "_")
    for mode in modes:
        if mode.startswith(wanted):
            return mode
    raise NotFound("unknown-mode", field="mode", value=text[:100], nearest=(), allowed=modes)


def measured(challenge: BarChallenge) -> bool:
    """Whether it is rolled against a Difficulty: all but direct opposition (BAR-OPPOSED)."""
    return not challenge.opposed or (challenge.kind == "contest" and challenge.tool == INDIRECT)


def opposes(campaign: Campaign, kind: Kind, target: BarCharacter, mode: str) -> bool:
    """Whether whom it is done to rolls: not who is minor, whose total is the Difficulty (BAR-AUTO, BAR-OPPOSED)."""
    if kind not in ("attack", "contest"):
        return False
    return mode == INDIRECT or not never_rolls(target, campaign)


def rule(challenge: BarChallenge, answer: Answer) -> BarRuling:
    """The GM's ruling: Difficulty, granted dice and pace, and what is refused (BAR-TRAIT, BAR-TIME)."""
    difficulty = read_difficulty(answer.difficulty) if measured(challenge) else None
    if difficulty is None and answer.kind == "roll" and measured(challenge):
        raise InvalidInput("no-difficulty", field="difficulty", value=None, wanted="number")
    form = gm_form(challenge.kind, challenge.tool)
    options = form.make(GmOptions, form.read_words(answer.options))
    for disallowed in answer.disallow:
        if disallowed.partition(".")[0] not in JUSTIFICATIONS:
            raise NotFound("unknown-trait", field="disallow", value=disallowed[:100], nearest=JUSTIFICATIONS)
    return BarRuling(
        difficulty,
        options,
        _modifier(answer.modifier, "modifier"),
        _modifier(answer.against, "against") if challenge.opposed else 0,
        tuple(dict.fromkeys(answer.disallow)),
    )


def ruling_of(challenge: BarChallenge) -> BarRuling:
    """The ruling of an answered challenge; Impossible("not-answered") before."""
    if challenge.ruling is None:
        raise Impossible("not-answered", check=challenge.id)
    return challenge.ruling


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


def throw_one(
    rng: Rng, sheet: BarSheet, campaign: Campaign, request: BarRequest, ruling: BarRuling, modifier: int
) -> Thrown:
    built = build(sheet, campaign, request, ruling, modifier=modifier)
    return throw(rng, built.pool, built.parts, request.options)


def team(who: Cast, campaign: Campaign, challenge: BarChallenge) -> tuple[Pool, tuple[Part, ...]]:
    """The one pool of all who work together, with what each of them brings (BAR-TEAM)."""
    ruling = challenge.ruling or PLAIN
    first = build(who.actor.sheet, campaign, challenge.request, ruling)
    pools, parts = [first.pool], [_share(who.actor.name, first.pool)]
    for character, helper in who.helpers:
        granted = of_other(ruling, helper.request, character.id)
        pool = build(character.sheet, campaign, helper.request, granted, modifier=0).pool
        pools.append(pool)
        parts.append(_share(character.name, pool))
    return team_pool(cast("TeamMode", challenge.tool), pools), tuple(parts)


def require_team(who: Cast, campaign: Campaign, challenge: BarChallenge) -> None:
    """InvalidInput("pool-too-large", "member-without-dice") where all of them could not roll together (BAR-TEAM).

    What somebody else may not do at the moment, such as with a Wound, keeps nobody from joining.
    """
    if challenge.tool == EITHER:
        return
    try:
        team(who, campaign, challenge)
    except (Impossible, NotFound):
        return


def _share(name: str, pool: Pool) -> Part:
    return Part("bar-part-member", pool.add, pool.bonus - pool.penalty, name)


def of_other(ruling: BarRuling | None, request: BarRequest, who: str) -> BarRuling:
    """The ruling as it holds for somebody who did not begin it: a helper by their id, or `OTHER_SIDE`.

    What the GM granted the one who began it is theirs alone, the pace is everybody's own, and so is what the GM
    refuses them.
    """
    refused = () if ruling is None else ruling.refused
    own = tuple(kind for kind, _, whose in (each.partition(".") for each in refused) if whose == who)
    difficulty = None if ruling is None else ruling.difficulty
    return BarRuling(difficulty, granting(request.options), refused=own)


def roll(who: Cast, campaign: Campaign, challenge: BarChallenge, rng: Rng) -> BarRolled:
    """Throw the dice (BAR-ROLL): alone, both sides, one pool for all, or everybody apart (BAR-OPPOSED, BAR-TEAM)."""
    ruling, request = ruling_of(challenge), challenge.request
    if challenge.kind == "team" and challenge.tool != EITHER:
        pool, parts = team(who, campaign, challenge)
        return BarRolled(throw(rng, pool, parts, request.options))
    sheet: BarSheet = who.actor.sheet
    fixed = never_rolls(who.actor, campaign)
    if fixed:
        request = replace(request, options=replace(request.options, no_dice=True))
    mine = throw_one(rng, sheet, campaign, request, ruling, ruling.modifier)
    if challenge.kind == "team":
        return _either(who, campaign, challenge, rng, mine)
    rolled = BarRolled(mine)
    if challenge.kind == "attack":
        weapon = find_weapon(sheet, challenge.tool)
        if request.options.mental:
            weapon = replace(weapon, mental=True, powered=False)
        if request.options.non_lethal:
            weapon = replace(weapon, lethal=False)
        power = attribute_score(sheet, campaign, MUSCLE_POWER)
        veiled = who.actor.owner is None
        rolled = replace(rolled, weapon=weapon, muscle_power=power, veiled=veiled)
    if challenge.opposed and who.target is not None and challenge.defence is not None:
        defence = challenge.defence
        theirs = never_rolls(who.target, campaign)
        if theirs:
            defence = replace(defence, options=replace(defence.options, no_dice=True))
        granted = of_other(ruling, defence, OTHER_SIDE)
        other = throw_one(rng, who.target.sheet, campaign, defence, granted, ruling.against)
        one = "mine" if fixed and not theirs else "other" if theirs and not fixed else ""
        rolled = replace(rolled, other=other, fixed=one)
    return rolled


def never_rolls(character: BarCharacter, campaign: Campaign) -> bool:
    """Whether somebody never rolls: minor NPCs (BAR-AUTO)."""
    return character.owner is None and is_minor(character.sheet, campaign)


def _either(who: Cast, campaign: Campaign, challenge: BarChallenge, rng: Rng, mine: Thrown) -> BarRolled:
    """Everybody rolls; who has a chance at all is drawn, and known only now (BAR-TEAM)."""
    ruling = ruling_of(challenge)
    helpers = tuple(
        (
            character.id,
            throw_one(
                rng,
                character.sheet,
                campaign,
                helper.request,
                of_other(ruling, helper.request, character.id),
                0,
            ),
        )
        for character, helper in who.helpers
    )
    left = [who.actor.id, *(name for name, _ in helpers)]
    chances = min(len(left), ruling.options.chances or 1)
    lucky = tuple(left.pop(rng.below(len(left))) for _ in range(chances))
    return BarRolled(mine, helpers=helpers, lucky=lucky)


# --- what it means -----------------------------------------------------------------------------------------


def verdict(challenge: BarChallenge) -> Judgement | None:
    """What whoever acts has achieved against the Difficulty; None without one or before the roll (BAR-ROLL)."""
    ruling, rolled = challenge.ruling, challenge.rolled
    if ruling is None or rolled is None or ruling.difficulty is None:
        return None
    own = judged(rolled.mine, ruling.difficulty)
    if rolled.lucky is None:
        return own
    return either_or((own,), (challenge.character in rolled.lucky,))[0]


def helper_verdict(challenge: BarChallenge, character: str) -> Judgement | None:
    """What a helper has achieved who rolls apart (BAR-TEAM); None before the roll."""
    ruling, rolled = challenge.ruling, challenge.rolled
    if ruling is None or rolled is None or ruling.difficulty is None or rolled.lucky is None:
        return None
    thrown = dict(rolled.helpers).get(character)
    if thrown is None:
        return None
    return either_or((judged(thrown, ruling.difficulty),), (character in rolled.lucky,))[0]


def opposition(challenge: BarChallenge) -> Opposition | None:
    """Both sides against each other, directly or by the same Difficulty (BAR-OPPOSED); None before the roll."""
    rolled, ruling = challenge.rolled, challenge.ruling
    if rolled is None or rolled.other is None:
        return None
    if ruling is not None and ruling.difficulty is not None:
        return oppose_indirect(
            judged(rolled.mine, ruling.difficulty), judged(rolled.other, ruling.difficulty)
        )
    mine, other = rolled.mine, rolled.other
    if rolled.fixed:
        return against_fixed(mine, other, mine_fixed=rolled.fixed == "mine")
    return oppose(mine, other)


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


def succeeded(challenge: BarChallenge) -> bool:
    """Whether the acting side has reached its goal; what works without a roll has."""
    if challenge.answer in ("free", "margin-only"):
        return True
    if challenge.opposed:
        found = opposition(challenge)
        return found is not None and found.winner == "first"
    own = verdict(challenge)
    if own is not None and own.success:
        return True
    rolled = challenge.rolled
    apart = () if rolled is None else rolled.helpers
    return any(found.success for name, _ in apart if (found := helper_verdict(challenge, name)) is not None)


def level(challenge: BarChallenge) -> int:
    """The success level of an attack that hit (BAR-ROLL, BAR-OPPOSED); 0 where nothing was rolled."""
    found = opposition(challenge) if challenge.opposed else None
    if found is not None:
        return found.degree or 0
    own = verdict(challenge)
    return max(0, own.degree) if own is not None else 0


def treatment(challenge: BarChallenge) -> Fraction | None:
    """How many times as fast a Wound heals after this treatment, as the GM has set it (BAR-HEAL)."""
    factor = None if challenge.ruling is None else challenge.ruling.options.factor
    return None if factor is None else Fraction(factor)


def line_of(part: Part) -> Line:
    """A part of a pool in codes."""
    return Line(part.code, {"add": part.add, "modifier": part.modifier, "name": part.name})
