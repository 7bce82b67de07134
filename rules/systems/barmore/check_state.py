"""A check under Barmore's rules: what everybody brings, what the GM made of it, the dice, and what
they mean.

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

#: The way of working together in which not everybody has a chance (BAR-TEAM).
EITHER_OR: Final = "either_or"
#: The contest in which both meet one Difficulty (BAR-OPPOSED).
INDIRECT: Final = "indirect"
#: In which ways time is counted (BAR-TIME).
PACES: Final = ("halvings", "doublings", "phases saved", "phases extra")
#: What a GM says of a weapon that is on no sheet.
YES, NO = "yes", "no"
#: Behind what the GM refuses of the other side's.
OTHER_SIDE = "other"

#: The ways in which several do something, the first one where nothing is said (BAR-TEAM,
#: BAR-OPPOSED).
MODES: dict[str, tuple[str, ...]] = {
    "contest": ("direct", INDIRECT),
    "team": (*dice.TEAM_MODES, EITHER_OR),
}
#: What a GM may refuse of a proposal; of what others bring with `.` and who they are behind it.
SUPPORT, TIME = "support", "time"
REFUSABLE = ("ability", "attribute", SUPPORT, TIME)


class Pace(Record):
    """More or less time than usual (BAR-TIME): phases in detailed time, halvings and doublings in
    regular time.
    """

    halvings: int = 0
    doublings: int = 0
    phases_saved: int = 0
    phases_extra: int = 0

    @property
    def paces(self) -> dict[str, int]:
        """What is said of it, as it is said: `phases saved`."""
        return {key: n for key in PACES if (n := getattr(self, key.replace(" ", "_")))}

    def dice(self) -> tuple[int, int]:
        """Add Dice (may be negative) and Bonus Dice for it (BAR-TIME), of which one only is
        said.
        """
        first = min(1, self.doublings)
        return first - self.phases_saved - self.halvings, self.phases_extra + self.doublings - first

    def time_taken(self, time: int) -> Fraction:
        """So much time, halved and doubled (BAR-TIME)."""
        return Fraction(time) * 2**self.doublings / 2**self.halvings


def pace_text(key: str, count: int) -> Text:
    """Return one way of counting time, such as `1/2 of the usual time` (BAR-TIME)."""
    about: dict[str, Any] = {"what": key, "value": count}
    if key in ("halvings", "doublings"):
        about["times"] = 2**count
    return Text("bar-shift", about)


class Plan(Pace):
    """What somebody says of a task: whoever proposes it or brings something to it, or the GM who
    answers.

    Its fields are those of the forms that it is read from. `skill` and `attribute` are the traits
    that are wanted; `modifier` are Bonus Dice, or Penalty Dice when it is negative, `against` those
    of the other side.

    What a player chooses: the die (its id), or none at all; what supports; what is converted; the
    pace. `use` are descendants in the place of traits that are wanted. `mental` and `non_lethal`
    speak of an attack without a weapon of the sheet's.

    What a GM grants: how much faster a treatment lets a Wound heal (a fraction as text), how many
    have a chance, and who has one without a draw (BAR-TEAM); a success takes this `level` at least.
    Of a weapon that is on no sheet: whether it is `lethal`, whether Muscle Power drives it, and its
    `damage`. None where the GM says nothing. What is refused is in `disallow`; what nobody was
    asked about is not granted `by_gm`.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: int | None = None
    modifier: int = 0
    die: str = STANDARD_DIE.id
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

    @property
    def pace(self) -> Pace:
        """The pace that counts: none where it is refused (BAR-TIME)."""
        return Pace() if TIME in self.disallow else self


BarCharacter = Character[BarSheet]


# --- reading options ------------------------------------------------------------------------------


def read_traits(campaign: Campaign, skill: str | None, attribute: str | None) -> tuple[str, ...]:
    """Ability and attribute as the campaign names them, empty for none (BAR-TRAIT). NotFound as
    `find_trait`.
    """
    said = [
        "" if text.casefold() == NONE_WORD else text
        for text in map(str.strip, (skill or "", attribute or ""))
    ]
    named = zip(said, TREES.items(), strict=True)
    return tuple(
        [text and find_trait(getattr(campaign.traits, of), text, key) for text, (key, of) in named]
    )


def validate_request(sheet: BarSheet, campaign: Campaign, request: Plan) -> Plan:
    """The request, if a pool could be built of it, and what it uses stands in for something
    (BAR-TRAIT).

    Raises as `build_pool`; NotFound("not-a-descendant") for what cannot stand in,
    InvalidInput("use-not-needed") where nothing has to.
    """
    build_pool(sheet, campaign, request)
    traits = find_traits(sheet, campaign, request)
    found = [trait for _, trait in traits.wanted_traits]
    for use in [each for each in request.use if each not in [trait.used for trait in found]]:
        missing = next((each for each in found if each.via in ("none", "descendant")), None)
        if missing is None:
            names = tuple(each.wanted for each in found)
            raise InvalidInput("use-not-needed", field="use", value=use, names=names)
        below = traits.several or (() if missing.used is None else (missing.used,))
        raise NotFound(
            "not-a-descendant", field="use", value=use, wanted=missing.wanted, nearest=below[:10]
        )
    return request


# --- traits and pools -----------------------------------------------------------------------------


class ResolvedTraits(Record):
    """The traits that count, found along the trees, and whether a descendant stands in for one
    (BAR-TRAIT).
    """

    ability: ResolvedTrait = ResolvedTrait()
    attribute: ResolvedTrait = ResolvedTrait()
    #: Descendants one of which could stand in, where several could and none is named.
    several: tuple[str, ...] = ()

    @property
    def wanted_traits(self) -> tuple[tuple[str, ResolvedTrait], ...]:
        """Those that are wanted, each with what it is."""
        both = (("ability", self.ability), ("attribute", self.attribute))
        return tuple([(kind, each) for kind, each in both if each.wanted])

    @property
    def dice(self) -> int:
        """The Add Dice that the ability gives."""
        return max(0, self.ability.score)


def find_traits(
    sheet: BarSheet, campaign: Campaign, request: Plan, refused: Sequence[str] = ()
) -> ResolvedTraits:
    """Which traits count for what is wanted; a lone descendant stands in by itself, of several the
    one named.
    """
    several, found = tuple[str, ...](), dict[str, ResolvedTrait]()
    for kind, (key, of) in zip(("ability", "attribute"), TREES.items(), strict=True):
        if wanted := getattr(request, key):
            tree, scores, may = (
                getattr(campaign.traits, of),
                getattr(sheet, of),
                kind not in refused,
            )
            found[kind], below = resolve_stand_in(
                tree, scores, wanted, request.use, justifications=may
            )
            several += below
    return ResolvedTraits(**found, several=several)


def request_activity(campaign: Campaign, request: Plan) -> Activity:
    """The kind of activity, by the attribute that governs it; physical where none does
    (BAR-TRAUMA).
    """
    wanted = request.attribute
    return (activity_of(campaign.traits.attributes, wanted) if wanted else None) or "physical"


#: A pool that is ready to roll, and where its dice come from.
PoolWithParts = tuple[Pool, tuple[Part, ...]]


def support_key(number: int) -> str:
    """Under what one of several supports is refused: `support`, `support2`."""
    return SUPPORT if not number else f"{SUPPORT}{number + 1}"


def convertible_dice(ruling: Plan, traits: ResolvedTraits) -> int:
    """How many Add Dice can be converted: one remains, of what there is and of what hurrying leaves
    (BAR-POOL).
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
    """The pool of one character, with the cause of every die (BAR-POOL, BAR-TIME, BAR-TRAUMA).

    The player's modifier and pace count until the GM has ruled. Dice are converted before the pace
    counts; with `cut` as many as can be. Raises Impossible("incapacitated"),
    NotFound("not-supporting"), InvalidInput("too-many-converted"), where `highest` can be, and
    ("pool-too-large").
    """
    kind, wounds, given = (
        request_activity(campaign, request),
        sheet.wounds,
        ruling or provisional_ruling(request),
    )
    if is_incapacitated(wounds, kind):
        raise Impossible("incapacitated", activity=kind)
    traits = find_traits(sheet, campaign, request, given.disallow)
    support = [
        Part("support", modifier=_support(sheet, campaign, request, traits, name), name=name)
        for number, name in enumerate(request.support)
        if support_key(number) not in given.disallow
    ]
    highest = convertible_dice(given, traits)
    if request.convert > highest and not cut:
        raise InvalidInput(
            "too-many-converted", field="convert", value=request.convert, highest=highest
        )
    convert = min(request.convert, highest)
    every = (
        Part("start", 1),
        Part("ability", traits.dice, name=traits.ability.name),
        Part("attribute", modifier=traits.attribute.score, name=traits.attribute.name),
        *support,
        Part("convert", -convert, convert),
        Part("time", *given.pace.dice()),
        *[
            Part("wound", modifier=-lost, name=wound.name)
            for wound, lost in penalty_dice(wounds, kind)
        ],
        Part("granted" if given.by_gm else "asked", modifier=given.modifier),
    )
    parts = tuple([each for each in every if each.add or each.modifier])
    return dice.pool_from_parts(parts), parts


def provisional_ruling(request: Plan) -> Plan:
    """What counts as long as no GM has ruled: the player's modifier and pace."""
    return request.replace(by_gm=False, disallow=())


def _support(
    sheet: BarSheet, campaign: Campaign, request: Plan, traits: ResolvedTraits, name: str
) -> int:
    """The points of a supporting Ability (BAR-TRAIT). NotFound("not-supporting") with those that
    could.
    """
    scores, found = dict(sheet.abilities), traits.ability
    used = found.used if found.via == "descendant" else None
    able = supporting_abilities(campaign.traits.abilities, scores, found.wanted, used)
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
    """Whether somebody never rolls: NPCs of whom that is written down, else those without scores
    (BAR-AUTO).
    """
    sheet = character.sheet
    minor = campaign.minor_npcs and not (sheet.abilities or sheet.attributes)
    return character.owner is None and (minor if sheet.minor is None else sheet.minor)


# --- as its procedure keeps it --------------------------------------------------------------------


class Entry(Record):
    """What somebody (`who`, a character) brings: `by` is the participant who said so.

    What they claim waits for a GM until it is `judged`.

    `approach` is in which words others do it than the one who acts; `traits` are those that counted
    when the dice fell.
    """

    who: str
    by: str
    request: Plan
    approach: str = ""
    traits: ResolvedTraits | None = None
    judged: bool = False


class Trial(ProposalData):
    """What a check is about. The first of the `entries` is the one who acts; then the other side,
    or those who help.

    In which words it is done stands on the check for whoever acts. `mode` is how several do it,
    `tool` a weapon or a Wound. `came` is what came of it for whom it is done to, `aside` what of
    that is for the GMs alone.
    """

    entries: tuple[Entry, ...] = ()
    mode: str = ""
    tool: str = ""
    ruling: Plan | None = None
    throws: tuple[PoolRoll, ...] = ()
    came: tuple[Text, ...] = ()
    aside: tuple[Text, ...] = ()

    def entry(self, who: str) -> Entry | None:
        """What somebody brings."""
        return next((each for each in self.entries if each.who == who), None)

    @property
    def other_entries(self) -> tuple[Entry, ...]:
        """What all but the first bring."""
        return self.entries[1:]

    def chances(self, taking_part: Collection[str]) -> tuple[tuple[str, ...], int]:
        """Who of them has a chance because a GM says so, and how many have one in all
        (BAR-TEAM).
        """
        options = self.ruling or Plan()
        named = tuple([who for who in options.chance if who in taking_part])
        return named, len(named) or min(len(taking_part), options.chances or 1)

    def judge_roll(self, thrown: PoolRoll) -> Judgment | None:
        """What somebody has achieved against the Difficulty; None without one (BAR-ROLL)."""
        ruling = self.ruling
        if ruling is None or ruling.difficulty is None:
            return None
        return dice.judge(thrown, ruling.difficulty, ruling.level)

    def _opposition(self) -> Opposition:
        """Both sides against each other, directly or by the same Difficulty (BAR-OPPOSED); nobody
        before the roll.
        """
        if len(self.throws) < 2:
            return dice.NO_WINNER
        mine, other = self.throws[:2]
        first, second = self.judge_roll(mine), self.judge_roll(other)
        if first is not None and second is not None:
            return dice.oppose_indirect(first, second)
        if mine.fixed == other.fixed:
            return dice.oppose(mine, other)
        # The total of whoever never rolls is simply the Difficulty of the other's roll: equal
        # succeeds (BAR-AUTO).
        fixed, rolling = (mine, other) if mine.fixed else (other, mine)
        found = dice.judge(rolling, fixed.total)
        return found.success != mine.fixed, abs(found.degree)

    @property
    def outcome(self) -> Opposition:
        """Whether it goes to whoever acts, None where nobody can say so, and by what level: below 0
        of a failure.
        """
        if self.opposed:
            return self._opposition()
        own = self.judge_roll(self.throws[0]) if self.throws else None
        return (None, 0) if own is None else (own.success, own.degree)

    @property
    def has_succeeded(self) -> bool:
        """Whether the acting side has reached its goal; what works without a roll has."""
        if self.answer in (FREE, MARGIN_ONLY):
            return True
        if self.opposed:
            return self.outcome[0] is True
        return any(
            found.success for each in self.throws if (found := self.judge_roll(each)) is not None
        )


BarCheck = Check[Trial]


#: Setting of a table on which players read what NPCs roll.
NPC_DICE: Final = "npc_dice"


def is_veiled(game: Game, who: str | None) -> bool:
    """Return whether a character's dice are hidden: an NPC's, if the table hides them."""
    return is_npc(game, who) and not game.setting(NPC_DICE)


def is_veiled_check(game: Game, check: BarCheck) -> bool:
    """Return whether hidden dice of an NPC decide a check."""
    sides = (check.actor, check.target if check.data.opposed else check.actor)
    return any(
        is_veiled(game, each.who)
        for each in check.data.throws
        if each.who in sides and not each.out
    )


def is_out_of_action(game: Game, check: BarCheck, who: str) -> bool:
    """Whether somebody's Wounds leave them nothing of what this takes of them: they do not roll
    (BAR-TRAUMA).

    Who has not said yet what they set against it meets an attack, or a contest, with what it is
    aimed at.
    """
    character, own, acting = (
        game.state.characters.get(who),
        check.data.entry(who),
        check.data.entries[0],
    )
    if character is None:
        return False
    kind = request_activity(game.campaign, (own or acting).request)
    if own is None and check.kind == "attack":
        kind = "mental" if acting.request.mental else "physical"
    return is_incapacitated(character.sheet.wounds, kind)


def has_difficulty(check: BarCheck) -> bool:
    """Whether it is rolled against a Difficulty: all but direct opposition (BAR-OPPOSED)."""
    return not check.data.opposed or (check.kind == "contest" and check.data.mode == INDIRECT)


def has_one_pool(check: BarCheck) -> bool:
    """Whether all throw their dice together (BAR-TEAM)."""
    return check.kind == "team" and check.data.mode != EITHER_OR


def is_present(game: Game, entry: Entry) -> bool:
    """Whether somebody is still there and in play."""
    character = game.state.characters.get(entry.who)
    return character is not None and not character.retired


def refusal_suffix(check: BarCheck, who: str) -> str:
    """What stands behind a refusal of what somebody brings: nothing for whoever acts
    (BAR-TRAIT).
    """
    if who == check.actor:
        return ""
    return OTHER_SIDE if check.data.opposed else who


def ruling_for(check: BarCheck, entry: Entry) -> Plan:
    """The ruling as it holds for somebody, and before there is one what counts then.

    What the GM grants whoever acts is theirs alone, the pace is everybody's own, and so is what the
    GM refuses them.
    """
    ruling, behind = check.data.ruling, refusal_suffix(check, entry.who)
    if not behind:
        return ruling or provisional_ruling(entry.request)
    given = ruling or Plan()
    parts = (each.partition(".") for each in given.disallow)
    refused = tuple([kind for kind, _, of in parts if of == behind])
    more = given.against if check.data.opposed else 0
    return entry.request.replace(difficulty=given.difficulty, modifier=more, disallow=refused)


def effective_traits(game: Game, check: BarCheck, entry: Entry) -> ResolvedTraits:
    """The traits of somebody that count: as the dice fell, before that as things are."""
    return entry.traits or _current_traits(game, entry, ruling_for(check, entry).disallow)


def _current_traits(game: Game, entry: Entry, refused: Sequence[str] = ()) -> ResolvedTraits:
    """The traits as things are; of somebody who is gone, or whose trees are, what was wanted."""
    try:
        return find_traits(game.sheet(entry.who), game.campaign, entry.request, refused)
    except (Impossible, NotFound):
        return ResolvedTraits(
            ResolvedTrait(entry.request.skill), ResolvedTrait(entry.request.attribute)
        )


def justified_descendants(game: Game, entry: Entry) -> dict[str, ResolvedTrait]:
    """The descendants that stand in for what is wanted, which is for a GM to accept (BAR-TRAIT)."""
    return {
        kind: each
        for kind, each in _current_traits(game, entry).wanted_traits
        if each.via == "descendant"
    }


def justifications(game: Game, entry: Entry) -> dict[str, Text]:
    """All that somebody justifies, by what it is refused under: what stands in, what supports, and
    the time.

    A GM accepts or refuses each of it (BAR-TRAIT, BAR-POOL, BAR-TIME).
    """
    found = justified_descendants(game, entry).items()
    about: dict[str, Any] = {key: {"name": each.wanted, "used": each.used} for key, each in found}
    about |= {support_key(at): {"name": name} for at, name in enumerate(entry.request.support)}
    paces = tuple(pace_text(key, count) for key, count in entry.request.paces.items())
    if paces:
        about[TIME] = {"paces": paces}
    return {key: Text("bar-justification", each) for key, each in about.items()}


def has_unjudged_claims(game: Game, check: BarCheck) -> bool:
    """Whether somebody justifies something of which no GM has heard yet."""
    waiting = [
        each for each in check.data.other_entries if not each.judged and is_present(game, each)
    ]
    return any(justifications(game, each) for each in waiting)


def entry_pool(game: Game, check: BarCheck, entry: Entry) -> PoolWithParts:
    """The pool of one of them as it stands, with as much converted as can be (BAR-POOL). Raises as
    `build_pool`.
    """
    return build_pool(
        game.sheet(entry.who), game.campaign, entry.request, ruling_for(check, entry), cut=True
    )


def participating_entries(game: Game, check: BarCheck) -> tuple[Entry, ...]:
    """What those bring who are there when the dice fall, and can do anything; who acts is in any
    case.
    """
    helping = [
        each
        for each in check.data.other_entries
        if is_present(game, each) and not is_out_of_action(game, check, each.who)
    ]
    return (check.data.entries[0], *helping)


def current_pool(game: Game, check: BarCheck) -> PoolWithParts:
    """The pool of whoever acts as it stands, of a team all of it (BAR-POOL, BAR-TEAM). As
    `build_pool` and `combined_pool`.
    """
    return (
        combined_pool(game, check)
        if has_one_pool(check)
        else entry_pool(game, check, check.data.entries[0])
    )


def combined_pool(game: Game, check: BarCheck) -> PoolWithParts:
    """The one pool of all who work together, with what each of them brings, by id (BAR-TEAM).

    InvalidInput("pool-too-large", "member-without-dice"), and what building a pool raises.
    """
    pools = {
        each.who: entry_pool(game, check, each)[0] for each in participating_entries(game, check)
    }
    parts = [Part("member", pool.add, pool.modifier, who) for who, pool in pools.items()]
    return dice.team_pool(cast("TeamMode", check.data.mode), tuple(pools.values())), tuple(parts)


# --- the dice of all ------------------------------------------------------------------------------


def roll_trial(game: Game, check: BarCheck) -> Trial:
    """With the dice of all who throw some, in order, and the traits that counted (BAR-ROLL,
    BAR-OPPOSED, BAR-TEAM).

    Who is gone is left out. Raises as `build_pool`.
    """
    data, rng = check.data, game.rng_for(check)
    entries = participating_entries(game, check) if check.kind == "team" else data.entries
    if data.opposed and check.target is not None and data.entry(check.target) is None:
        entries = (*entries, Entry(check.target, "", Plan()))
    check = check.replace(data=data.replace(entries=entries))
    if has_one_pool(check):
        throws = (
            roll_pool(rng, *combined_pool(game, check), entries[0].request).replace(
                who=check.actor
            ),
        )
    else:
        throws = tuple([_roll_entry(game, check, each, rng) for each in entries])
        if check.kind == "team":
            throws = _draw_lucky(check, throws, rng)
    entries = tuple([each.replace(traits=effective_traits(game, check, each)) for each in entries])
    return data.replace(throws=throws, entries=entries)


def _roll_entry(game: Game, check: BarCheck, entry: Entry, rng: Rng) -> PoolRoll:
    if check.data.opposed and entry.who != check.actor and is_out_of_action(game, check, entry.who):
        return PoolRoll(Pool(0), (), entry.request.die, (), entry.who, out=True)
    helps = check.kind == "team" and entry.who != check.actor
    fixed = not helps and never_rolls(game.character(entry.who), game.campaign)
    plan = entry.request.replace(no_dice=True) if fixed else entry.request
    return roll_pool(rng, *entry_pool(game, check, entry), plan).replace(who=entry.who, fixed=fixed)


def _draw_lucky(check: BarCheck, throws: tuple[PoolRoll, ...], rng: Rng) -> tuple[PoolRoll, ...]:
    """Who has a chance at all is drawn, and known only now (BAR-TEAM)."""
    left = [each.who for each in throws]
    named, chances = check.data.chances(left)
    lucky = named or [left.pop(rng.below(len(left))) for _ in range(chances)]
    return tuple([each.replace(lucky=each.who in lucky) for each in throws])


def forget(check: BarCheck, participant: str, characters: Collection[str]) -> Trial:
    """Without what a participant has typed, whose characters these are."""
    data: Trial = stages.without_typed_texts(check, participant, characters)

    def theirs(entry: Entry) -> bool:
        return entry.by == participant or entry.who in characters

    entries = tuple([each.replace(approach="") if theirs(each) else each for each in data.entries])
    if entries != data.entries:
        data = data.replace(entries=entries)
    if data.tool and theirs(entries[0]):
        asked = {key: each for key, each in data.asked.items() if key not in ("weapon", "injury")}
        came, aside = [tuple(map(_without_tool, each)) for each in (data.came, data.aside)]
        data = data.replace(tool="", asked=asked, came=came, aside=aside)
    return data


def _without_tool(line: Text) -> Text:
    """What came of a blow, without what it was done with."""
    terms: Any = line.params.get("sum")
    if not terms:
        return line
    bare = tuple([each.replace(params={**each.params, "tool": ""}) for each in terms])
    return line.replace(params={**line.params, "sum": bare})


def require(game: Game, check: BarCheck) -> None:
    """NotFound where somebody has no more what the check names of them; Impossible("gone") without
    whoever acts.
    """
    game.sheet(check.actor)
    for each in check.data.entries:
        read_traits(game.campaign, each.request.skill, each.request.attribute)
