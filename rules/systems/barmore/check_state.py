"""A check under Barmore's rules: entries of its participants, the ruling, the dice, the result.

BAR-TRAIT, BAR-POOL, BAR-ROLL, BAR-AUTO, BAR-TEAM, BAR-OPPOSED, BAR-TRAUMA, BAR-HEAL.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any, Final, cast

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.record import Record
from rules.core.rng import Rng
from rules.systems.barmore import pool as dice
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.pool import (
    STANDARD_DIE,
    Judgment,
    Opposition,
    Part,
    Pool,
    PoolRoll,
    TeamMode,
)
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.trait_trees import (
    TREES,
    Activity,
    ResolvedTrait,
    activity_of,
    find_trait,
    resolve_stand_in,
    supporting_abilities,
)
from rules.systems.barmore.wounds import is_incapacitated, penalty_dice
from rules.table.blocks import Text
from rules.table.check import Check
from rules.table.checks import stages
from rules.table.checks.stages import FREE, MARGIN_ONLY, NONE_WORD, ProposalData
from rules.table.state import Character
from rules.table.system import Game, is_npc

#: Mode of a team in which not all members have a chance (BAR-TEAM).
EITHER_OR: Final = "either_or"
#: Mode of a contest in which both sides meet one Difficulty (BAR-OPPOSED).
INDIRECT: Final = "indirect"
#: Ways to count time (BAR-TIME).
PACES: Final = ("halvings", "doublings", "phases saved", "phases extra")
#: Answers of a GM about a weapon that is not on the sheet.
YES, NO = "yes", "no"
#: Suffix of refusals that concern the other side.
OTHER_SIDE = "other"

#: Modes by kind of check; the first is the default (BAR-TEAM, BAR-OPPOSED).
MODES: dict[str, tuple[str, ...]] = {
    "contest": ("direct", INDIRECT),
    "team": (*dice.TEAM_MODES, EITHER_OR),
}
#: Claims that a GM may refuse. For those of other participants, `.` and a suffix follow.
SUPPORT, TIME = "support", "time"
REFUSABLE = ("ability", "attribute", SUPPORT, TIME)


class Pace(Record):
    """Time of a task, compared with the usual time (BAR-TIME)."""

    #: Halvings and doublings of the time, in regular time.
    halvings: int = 0
    doublings: int = 0
    #: Phases fewer and phases more, in detailed time.
    phases_saved: int = 0
    phases_extra: int = 0

    @property
    def paces(self) -> dict[str, int]:
        """Ways of counting time that are used, with their numbers, as players type them."""
        counts = {key: getattr(self, key.replace(" ", "_")) for key in PACES}
        return {key: count for key, count in counts.items() if count}

    def dice(self) -> tuple[int, int]:
        """Return the Add Dice (may be negative) and the Bonus Dice for the pace (BAR-TIME).

        Only a single way of counting time is used.
        """
        first_doubling = min(1, self.doublings)
        add = first_doubling - self.phases_saved - self.halvings
        return add, self.phases_extra + self.doublings - first_doubling

    def time_taken(self, time: int) -> Fraction:
        """Return a time, halved and doubled (BAR-TIME)."""
        return Fraction(time) * 2**self.doublings / 2**self.halvings


def pace_text(key: str, count: int) -> Text:
    """Return one way of counting time, such as `1/2 of the usual time` (BAR-TIME)."""
    about: dict[str, Any] = {"what": key, "value": count}
    if key in ("halvings", "doublings"):
        about["times"] = 2**count
    return Text("bar-shift", about)


class Plan(Pace):
    """Statements about a task: by the player who proposes it or joins it, or by the GM who answers.

    The fields are those of the forms that a plan is read from.
    """

    #: Wanted ability; empty for none.
    skill: str = ""
    #: Wanted attribute; empty for none.
    attribute: str = ""
    difficulty: int | None = None
    #: Bonus Dice; Penalty Dice if below 0.
    modifier: int = 0
    #: Id of the player's die type.
    die: str = STANDARD_DIE.id
    #: The player rolls no dice.
    no_dice: bool = False
    #: Abilities that support.
    support: tuple[str, ...] = ()
    #: Descendants in place of wanted traits.
    use: tuple[str, ...] = ()
    #: Add Dice that are converted.
    convert: int = 0
    #: The attack is mental.
    mental: bool = False
    #: The attack is not lethal.
    non_lethal: bool = False
    #: Bonus Dice of the other side; Penalty Dice if below 0.
    against: int = 0
    #: Factor by which a treated Wound heals faster, as text.
    factor: str | None = None
    #: Number of members who have a chance; None if the GM does not say (BAR-TEAM).
    chances: int | None = None
    #: Members who have a chance without a draw (BAR-TEAM).
    chance: tuple[str, ...] = ()
    #: Least level of a success.
    level: int = 0
    #: Whether a weapon that is not on the sheet is lethal; None if the GM does not say.
    lethal: str | None = None
    #: Whether Muscle Power drives such a weapon; None if the GM does not say.
    muscle: str | None = None
    #: Modifier of such a weapon.
    damage: int = 0
    #: Claims that the GM refuses.
    disallow: tuple[str, ...] = ()
    #: The modifier was granted by a GM.
    by_gm: bool = True

    @property
    def pace(self) -> Pace:
        """Pace that counts; none if the GM refuses it (BAR-TIME)."""
        return Pace() if TIME in self.disallow else self


BarCharacter = Character[BarSheet]


# --- reading options ------------------------------------------------------------------------------


def read_traits(campaign: Campaign, skill: str | None, attribute: str | None) -> tuple[str, ...]:
    """Return the ability and the attribute as the campaign names them (BAR-TRAIT).

    They are empty for none. Raises NotFound as `find_trait`.
    """
    traits: list[str] = []
    for typed, (key, of) in zip((skill, attribute), TREES.items(), strict=True):
        text = (typed or "").strip()
        if not text or text.casefold() == NONE_WORD:
            traits.append("")
        else:
            traits.append(find_trait(getattr(campaign.traits, of), text, key))
    return tuple(traits)


def validate_request(sheet: BarSheet, campaign: Campaign, request: Plan) -> Plan:
    """Return the request if its pool can be built and each trait in *use* stands in (BAR-TRAIT).

    Raises what `build_pool` raises, and:

    - NotFound("not-a-descendant") for a trait that cannot stand in;
    - InvalidInput("use-not-needed") if no trait has to stand in.
    """
    build_pool(sheet, campaign, request)
    traits = find_traits(sheet, campaign, request)
    wanted_traits = [trait for _, trait in traits.wanted_traits]
    used = [trait.used for trait in wanted_traits]
    for use in [name for name in request.use if name not in used]:
        replaceable = (trait for trait in wanted_traits if trait.via in ("none", "descendant"))
        missing = next(replaceable, None)
        if missing is None:
            names = tuple(trait.wanted for trait in wanted_traits)
            raise InvalidInput("use-not-needed", field="use", value=use, names=names)
        below = traits.several or (() if missing.used is None else (missing.used,))
        raise NotFound(
            "not-a-descendant", field="use", value=use, wanted=missing.wanted, nearest=below[:10]
        )
    return request


# --- traits and pools -----------------------------------------------------------------------------


class ResolvedTraits(Record):
    """Traits that count, found along the trees (BAR-TRAIT)."""

    ability: ResolvedTrait = ResolvedTrait()
    attribute: ResolvedTrait = ResolvedTrait()
    #: Descendants of which the player has to name one, since several could stand in.
    several: tuple[str, ...] = ()

    @property
    def wanted_traits(self) -> tuple[tuple[str, ResolvedTrait], ...]:
        """Traits that are wanted, each with its kind."""
        both = (("ability", self.ability), ("attribute", self.attribute))
        return tuple([(kind, trait) for kind, trait in both if trait.wanted])

    @property
    def dice(self) -> int:
        """Add Dice that the ability gives."""
        return max(0, self.ability.score)


def find_traits(
    sheet: BarSheet, campaign: Campaign, request: Plan, refused: Sequence[str] = ()
) -> ResolvedTraits:
    """Return the traits that count for the wanted ones.

    A single descendant stands in by itself; of several it is the named one. *refused* are the
    kinds of trait for which the GM refuses descendants.
    """
    several: tuple[str, ...] = ()
    traits: dict[str, ResolvedTrait] = {}
    for kind, (key, of) in zip(("ability", "attribute"), TREES.items(), strict=True):
        wanted = getattr(request, key)
        if wanted:
            tree, scores = getattr(campaign.traits, of), getattr(sheet, of)
            traits[kind], below = resolve_stand_in(
                tree, scores, wanted, request.use, justifications=kind not in refused
            )
            several += below
    return ResolvedTraits(**traits, several=several)


def request_activity(campaign: Campaign, request: Plan) -> Activity:
    """Return the kind of activity that the attribute governs; physical by default (BAR-TRAUMA)."""
    if not request.attribute:
        return "physical"
    return activity_of(campaign.traits.attributes, request.attribute) or "physical"


#: Pool that is ready to roll, and the sources of its dice.
PoolWithParts = tuple[Pool, tuple[Part, ...]]


def support_key(number: int) -> str:
    """Return the key under which a support is refused, by its number from 0: `support2` for 1."""
    return SUPPORT if not number else f"{SUPPORT}{number + 1}"


def convertible_dice(ruling: Plan, traits: ResolvedTraits) -> int:
    """Return how many Add Dice can be converted (BAR-POOL).

    One die remains, of the ability's dice and of what hurrying leaves of them.
    """
    return max(0, traits.dice + min(0, ruling.pace.dice()[0]))


def build_pool(
    sheet: BarSheet,
    campaign: Campaign,
    request: Plan,
    ruling: Plan | None = None,
    *,
    cut: bool = False,
) -> PoolWithParts:
    """Return the pool of one character, with its sources (BAR-POOL, BAR-TIME, BAR-TRAUMA).

    The player's modifier and pace count until the GM has ruled. Dice are converted before the pace
    counts; with *cut* at most as many as possible.

    Raises:
        Impossible("incapacitated"): Wounds leave no such activity.
        NotFound("not-supporting"): A supporting ability cannot support.
        InvalidInput("too-many-converted"): Only `highest` dice can be converted.
        InvalidInput("pool-too-large"): The pool has too many dice.
    """
    kind = request_activity(campaign, request)
    wounds = sheet.wounds
    given = ruling or provisional_ruling(request)
    if is_incapacitated(wounds, kind):
        raise Impossible("incapacitated", activity=kind)
    traits = find_traits(sheet, campaign, request, given.disallow)
    support: list[Part] = []
    for number, name in enumerate(request.support):
        if support_key(number) not in given.disallow:
            points = _support_points(sheet, campaign, request, traits, name)
            support.append(Part("support", modifier=points, name=name))
    highest = convertible_dice(given, traits)
    if request.convert > highest and not cut:
        raise InvalidInput(
            "too-many-converted", field="convert", value=request.convert, highest=highest
        )
    convert = min(request.convert, highest)
    sources = (
        Part("start", 1),
        Part("ability", traits.dice, name=traits.ability.name),
        Part("attribute", modifier=traits.attribute.score, name=traits.attribute.name),
        *support,
        Part("convert", -convert, convert),
        Part("time", *given.pace.dice()),
        *[
            Part("wound", modifier=-penalty, name=wound.name)
            for wound, penalty in penalty_dice(wounds, kind)
        ],
        Part("granted" if given.by_gm else "asked", modifier=given.modifier),
    )
    parts = tuple([part for part in sources if part.add or part.modifier])
    return dice.pool_from_parts(parts), parts


def provisional_ruling(request: Plan) -> Plan:
    """Return the ruling before a GM has ruled: the player's own modifier and pace."""
    return request.replace(by_gm=False, disallow=())


def _support_points(
    sheet: BarSheet, campaign: Campaign, request: Plan, traits: ResolvedTraits, name: str
) -> int:
    """Return the points of a supporting ability (BAR-TRAIT).

    Raises NotFound("not-supporting") with the abilities that could support.
    """
    scores, ability = dict(sheet.abilities), traits.ability
    used = ability.used if ability.via == "descendant" else None
    able = supporting_abilities(campaign.traits.abilities, scores, ability.wanted, used)
    if name not in able:
        raise NotFound("not-supporting", field="support", value=name, nearest=able[:10])
    return scores[name]


# --- the dice -------------------------------------------------------------------------------------


def roll_pool(rng: Rng, pool: Pool, parts: tuple[Part, ...], plan: Plan) -> PoolRoll:
    """Roll a whole pool with one die type, or nothing (BAR-DIE, BAR-ROLL, BAR-AUTO)."""
    below, sides = rng.below, dice.DIE_TYPES[plan.die].sides
    faces = tuple([below(sides) + 1 for _ in range(0 if plan.no_dice else pool.size)])
    return PoolRoll(pool, parts, plan.die, faces)


def never_rolls(character: BarCharacter, campaign: Campaign) -> bool:
    """Return whether a character never rolls (BAR-AUTO).

    Those are NPCs whose sheet says so, else NPCs without scores.
    """
    sheet = character.sheet
    minor = campaign.minor_npcs and not (sheet.abilities or sheet.attributes)
    return character.owner is None and (minor if sheet.minor is None else sheet.minor)


# --- data of the check ----------------------------------------------------------------------------


class Entry(Record):
    """Contribution of a character to a check."""

    #: Id of the character.
    who: str
    #: Participant who typed it.
    by: str
    request: Plan
    #: Words of a contribution; those of the actor stand on the check.
    approach: str = ""
    #: Traits that counted when the dice fell; None before.
    traits: ResolvedTraits | None = None
    #: A GM has judged its claims. Until then they wait.
    judged: bool = False


class Trial(ProposalData):
    """Data of a check."""

    #: Contributions: the actor's, then the other side's or those of helpers.
    entries: tuple[Entry, ...] = ()
    #: Mode of a team or contest.
    mode: str = ""
    #: Weapon of an attack, or Wound of a treatment.
    tool: str = ""
    #: The GM's answer; None until there is one.
    ruling: Plan | None = None
    #: Rolls, in the order of the entries.
    throws: tuple[PoolRoll, ...] = ()
    #: Effect on the target, as reported.
    consequences: tuple[Text, ...] = ()
    #: Effect on the target, as reported to the GMs alone.
    aside: tuple[Text, ...] = ()

    def entry(self, who: str) -> Entry | None:
        """Return the contribution of a character; None without one."""
        return next((entry for entry in self.entries if entry.who == who), None)

    @property
    def other_entries(self) -> tuple[Entry, ...]:
        """Contributions of all but the actor."""
        return self.entries[1:]

    def chances(self, taking_part: Collection[str]) -> tuple[tuple[str, ...], int]:
        """Return the members with a chance by the GM's word, and how many have one in all.

        BAR-TEAM.
        """
        options = self.ruling or Plan()
        named = tuple([who for who in options.chance if who in taking_part])
        return named, len(named) or min(len(taking_part), options.chances or 1)

    def judge_roll(self, roll: PoolRoll) -> Judgment | None:
        """Return the result of a roll against the Difficulty; None without one (BAR-ROLL)."""
        ruling = self.ruling
        if ruling is None or ruling.difficulty is None:
            return None
        return dice.judge(roll, ruling.difficulty, ruling.level)

    def _opposition(self) -> Opposition:
        """Return the winner of both sides, directly or by the same Difficulty (BAR-OPPOSED).

        Neither side wins before the roll.
        """
        if len(self.throws) < 2:
            return dice.NO_WINNER
        mine, other = self.throws[:2]
        first, second = self.judge_roll(mine), self.judge_roll(other)
        if first is not None and second is not None:
            return dice.oppose_indirect(first, second)
        if mine.fixed == other.fixed:
            return dice.oppose(mine, other)
        # The total of a character who never rolls is the Difficulty of the other side's roll: an
        # equal total succeeds (BAR-AUTO).
        fixed, rolling = (mine, other) if mine.fixed else (other, mine)
        judgment = dice.judge(rolling, fixed.total)
        return judgment.success != mine.fixed, abs(judgment.degree)

    @property
    def outcome(self) -> Opposition:
        """Success of the actor's side, and its level, which is below 0 for a failure.

        The first is None if that cannot be said.
        """
        if self.opposed:
            return self._opposition()
        own = self.judge_roll(self.throws[0]) if self.throws else None
        if own is None:
            return None, 0
        return own.success, own.degree

    @property
    def has_succeeded(self) -> bool:
        """True if the acting side has reached its goal, with or without a roll."""
        if self.answer in (FREE, MARGIN_ONLY):
            return True
        if self.opposed:
            return self.outcome[0] is True
        judgments = (self.judge_roll(roll) for roll in self.throws)
        return any(judgment.success for judgment in judgments if judgment is not None)


BarCheck = Check[Trial]


#: Setting of a table by which players read NPCs' dice.
NPC_DICE: Final = "npc_dice"


def is_veiled(game: Game, who: str | None) -> bool:
    """Return whether a character's dice are hidden: an NPC's, if the table hides them."""
    return is_npc(game, who) and not game.setting(NPC_DICE)


def is_veiled_check(game: Game, check: BarCheck) -> bool:
    """Return whether hidden dice of an NPC decide a check."""
    sides = (check.actor, check.target if check.data.opposed else check.actor)
    rolls = [roll for roll in check.data.throws if roll.who in sides and not roll.out]
    return any(is_veiled(game, roll.who) for roll in rolls)


def is_out_of_action(game: Game, check: BarCheck, who: str) -> bool:
    """Return whether a character does not roll because of Wounds (BAR-TRAUMA).

    The Wounds leave no activity of the kind that the check takes. A character whose contribution
    is not typed yet meets an attack or contest with the kind that it is aimed at.
    """
    character = game.state.characters.get(who)
    own, acting = check.data.entry(who), check.data.entries[0]
    if character is None:
        return False
    kind = request_activity(game.campaign, (own or acting).request)
    if own is None and check.kind == "attack":
        kind = "mental" if acting.request.mental else "physical"
    return is_incapacitated(character.sheet.wounds, kind)


def has_difficulty(check: BarCheck) -> bool:
    """Return whether the check has a Difficulty: all but direct opposition (BAR-OPPOSED)."""
    return not check.data.opposed or (check.kind == "contest" and check.data.mode == INDIRECT)


def has_one_pool(check: BarCheck) -> bool:
    """Return whether all participants throw their dice together (BAR-TEAM)."""
    return check.kind == "team" and check.data.mode != EITHER_OR


def is_present(game: Game, entry: Entry) -> bool:
    """Return whether the character of a contribution is still in play."""
    character = game.state.characters.get(entry.who)
    return character is not None and not character.retired


def refusal_suffix(check: BarCheck, who: str) -> str:
    """Return the suffix of a refusal of a character's claims; empty for the actor (BAR-TRAIT)."""
    if who == check.actor:
        return ""
    return OTHER_SIDE if check.data.opposed else who


def ruling_for(check: BarCheck, entry: Entry) -> Plan:
    """Return the ruling that holds for a contribution; before there is one, what counts then.

    Grants of the GM hold for the actor alone. The pace is each character's own, and so are the
    refusals.
    """
    ruling, suffix = check.data.ruling, refusal_suffix(check, entry.who)
    if not suffix:
        return ruling or provisional_ruling(entry.request)
    given = ruling or Plan()
    refusals = (refusal.partition(".") for refusal in given.disallow)
    refused = tuple([kind for kind, _, of in refusals if of == suffix])
    modifier = given.against if check.data.opposed else 0
    return entry.request.replace(difficulty=given.difficulty, modifier=modifier, disallow=refused)


def effective_traits(game: Game, check: BarCheck, entry: Entry) -> ResolvedTraits:
    """Return the traits that count: those of the roll, or before it the present ones."""
    return entry.traits or _current_traits(game, entry, ruling_for(check, entry).disallow)


def _current_traits(game: Game, entry: Entry, refused: Sequence[str] = ()) -> ResolvedTraits:
    """Return the present traits of a character; the wanted ones if sheet or trees are gone."""
    try:
        return find_traits(game.sheet(entry.who), game.campaign, entry.request, refused)
    except (Impossible, NotFound):
        return ResolvedTraits(
            ResolvedTrait(entry.request.skill), ResolvedTrait(entry.request.attribute)
        )


def justified_descendants(game: Game, entry: Entry) -> dict[str, ResolvedTrait]:
    """Return the descendants that stand in for wanted traits, for a GM to accept (BAR-TRAIT)."""
    traits = _current_traits(game, entry).wanted_traits
    return {kind: trait for kind, trait in traits if trait.via == "descendant"}


def justifications(game: Game, entry: Entry) -> dict[str, Text]:
    """Return all claims of a contribution, by the keys under which a GM refuses them.

    They are descendants that stand in, supports, and the time (BAR-TRAIT, BAR-POOL, BAR-TIME).
    """
    about: dict[str, Any] = {}
    for key, trait in justified_descendants(game, entry).items():
        about[key] = {"name": trait.wanted, "used": trait.used}
    for number, name in enumerate(entry.request.support):
        about[support_key(number)] = {"name": name}
    paces = tuple(pace_text(key, count) for key, count in entry.request.paces.items())
    if paces:
        about[TIME] = {"paces": paces}
    return {key: Text("bar-justification", params) for key, params in about.items()}


def has_unjudged_claims(game: Game, check: BarCheck) -> bool:
    """Return whether another participant claims something that no GM has judged yet."""
    others = check.data.other_entries
    waiting = [entry for entry in others if not entry.judged and is_present(game, entry)]
    return any(justifications(game, entry) for entry in waiting)


def entry_pool(game: Game, check: BarCheck, entry: Entry) -> PoolWithParts:
    """Return the pool of a contribution as it stands (BAR-POOL); raises as `build_pool`.

    As many dice are converted as asked for and possible.
    """
    return build_pool(
        game.sheet(entry.who), game.campaign, entry.request, ruling_for(check, entry), cut=True
    )


def participating_entries(game: Game, check: BarCheck) -> tuple[Entry, ...]:
    """Return the contributions of characters who are in play and able to act.

    The actor's is always among them.
    """
    helping = [
        entry
        for entry in check.data.other_entries
        if is_present(game, entry) and not is_out_of_action(game, check, entry.who)
    ]
    return (check.data.entries[0], *helping)


def current_pool(game: Game, check: BarCheck) -> PoolWithParts:
    """Return the actor's pool as it stands, or the one pool of a team (BAR-POOL, BAR-TEAM).

    Raises as `build_pool` and `combined_pool`.
    """
    if has_one_pool(check):
        return combined_pool(game, check)
    return entry_pool(game, check, check.data.entries[0])


def combined_pool(game: Game, check: BarCheck) -> PoolWithParts:
    """Return the one pool of a team, with the part of each member by id (BAR-TEAM).

    Raises InvalidInput("pool-too-large") or ("member-without-dice"), and what building a pool
    raises.
    """
    entries = participating_entries(game, check)
    pools = {entry.who: entry_pool(game, check, entry)[0] for entry in entries}
    parts = [Part("member", pool.add, pool.modifier, who) for who, pool in pools.items()]
    return dice.team_pool(cast("TeamMode", check.data.mode), tuple(pools.values())), tuple(parts)


# --- rolls ----------------------------------------------------------------------------------------


def roll_trial(game: Game, check: BarCheck) -> Trial:
    """Return the data with the rolls of all sides, in order, and the traits that counted.

    BAR-ROLL, BAR-OPPOSED, BAR-TEAM. Helpers who are gone are left out. Raises as `build_pool`.
    """
    data, rng = check.data, game.rng_for(check)
    entries = participating_entries(game, check) if check.kind == "team" else data.entries
    if data.opposed and check.target is not None and data.entry(check.target) is None:
        entries = (*entries, Entry(check.target, "", Plan()))
    check = check.replace(data=data.replace(entries=entries))
    if has_one_pool(check):
        roll = roll_pool(rng, *combined_pool(game, check), entries[0].request)
        throws = (roll.replace(who=check.actor),)
    else:
        throws = tuple([_roll_entry(game, check, entry, rng) for entry in entries])
        if check.kind == "team":
            throws = _draw_lucky(check, throws, rng)
    entries = tuple(
        [entry.replace(traits=effective_traits(game, check, entry)) for entry in entries]
    )
    return data.replace(throws=throws, entries=entries)


def _roll_entry(game: Game, check: BarCheck, entry: Entry, rng: Rng) -> PoolRoll:
    """Return the roll of one contribution; a character who is out of action sets nothing."""
    if check.data.opposed and entry.who != check.actor and is_out_of_action(game, check, entry.who):
        return PoolRoll(Pool(0), (), entry.request.die, (), entry.who, out=True)
    helps = check.kind == "team" and entry.who != check.actor
    fixed = not helps and never_rolls(game.character(entry.who), game.campaign)
    plan = entry.request.replace(no_dice=True) if fixed else entry.request
    return roll_pool(rng, *entry_pool(game, check, entry), plan).replace(who=entry.who, fixed=fixed)


def _draw_lucky(check: BarCheck, throws: tuple[PoolRoll, ...], rng: Rng) -> tuple[PoolRoll, ...]:
    """Draw the members who have a chance at all, which is known only now (BAR-TEAM)."""
    remaining = [roll.who for roll in throws]
    named, chances = check.data.chances(remaining)
    lucky = named or [remaining.pop(rng.below(len(remaining))) for _ in range(chances)]
    return tuple([roll.replace(lucky=roll.who in lucky) for roll in throws])


def forget(check: BarCheck, participant: str, characters: Collection[str]) -> Trial:
    """Return the data without what a participant has typed; *characters* are the participant's."""
    data = stages.without_typed_texts(check, participant, characters)

    def theirs(entry: Entry) -> bool:
        return entry.by == participant or entry.who in characters

    entries = tuple(
        [entry.replace(approach="") if theirs(entry) else entry for entry in data.entries]
    )
    if entries != data.entries:
        data = data.replace(entries=entries)
    if data.tool and theirs(entries[0]):
        asked = dict(data.asked)
        for key in ("weapon", "injury"):
            asked.pop(key, None)
        consequences, aside = [
            tuple(map(_without_tool, lines)) for lines in (data.consequences, data.aside)
        ]
        data = data.replace(tool="", asked=asked, consequences=consequences, aside=aside)
    return data


def _without_tool(line: Text) -> Text:
    """Return a line about a blow, without the name of its weapon."""
    terms: Any = line.params.get("sum")
    if not terms:
        return line
    bare = tuple([term.replace(params={**term.params, "tool": ""}) for term in terms])
    return line.replace(params={**line.params, "sum": bare})


def require(game: Game, check: BarCheck) -> None:
    """Raise NotFound if a trait of the check is gone, Impossible("gone") if the actor is."""
    game.sheet(check.actor)
    for entry in check.data.entries:
        read_traits(game.campaign, entry.request.skill, entry.request.attribute)
