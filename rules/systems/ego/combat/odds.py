"""`/ego odds`: exact chances to hit with a weapon, and of the damage of a hit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.name_matching import matches
from rules.systems.ego.character import pools
from rules.systems.ego.character.labels import labeled_fact
from rules.systems.ego.character.sheet import EgoSheet
from rules.systems.ego.checks.odds import reroll_counts, ways
from rules.systems.ego.checks.procedure import Plan, roll_subjects
from rules.systems.ego.checks.roll_stages import sources_of
from rules.systems.ego.checks.rounds import round_of
from rules.systems.ego.checks.view import cost_line
from rules.systems.ego.combat import weapons
from rules.systems.ego.combat.declaration import (
    FORM,
    attack_cost,
    band_of,
    declared_of,
    moved_by,
)
from rules.systems.ego.command_forms import missing_error
from rules.systems.ego.formulas import close_combat, damage, dice, pool_odds, ranged
from rules.systems.ego.formulas.action_points import Forecast
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Group, Note, Text
from rules.table.check import Values
from rules.table.commands import CommandView
from rules.table.forms.fields import FormContext
from rules.table.lookup import acting_character
from rules.table.state import AnyCharacter
from rules.table.system import Game

Shares = Mapping[int, Fraction]
#: Falling chances: for each, the damage is shown that is reached with at least this chance.
_SHARES: Final = (Fraction(9, 10), Fraction(1, 2), Fraction(1, 10))


def _percent(chance: Fraction) -> Text:
    return Text("percent", {"share": str(chance)})


def hit_chances(
    game: Game,
    who: str,
    means: weapons.AttackSource,
    plan: weapons.Plan,
    defense: int | None,
    **also: Any,
) -> Shares:
    """Return the chances of a hit by its excess of successes (EGO-ATK-01, EGO-RNG-01).

    At range, a hit reaches the difficulty. In close combat it needs more successes than a roll of
    *defense* dice. *also* are further arguments of `pool_odds.successes`.

    Raises InvalidInput("ego-say") in close combat without a defense, and as `band_of`.
    """
    sheet: EgoSheet = game.sheet(who)
    band = "" if means.close else band_of(game, means, plan)
    pool = _attack_pool(game, who, means, plan, band)
    sources = sources_of(sheet, game.campaign, (means.ability,))
    own_chances = pool_odds.successes(pool, **reroll_counts(sources), **also)
    movement = sum([penalty for _, penalty in moved_by(game, sheet, means)])
    if band:
        difficulty = ranged.difficulty(band, more=movement)
        return {
            successes - difficulty: chance
            for successes, chance in enumerate(own_chances)
            if successes >= difficulty
        }
    if defense is None:
        raise missing_error("defense")
    excess_chances: dict[int, Fraction] = defaultdict(Fraction)
    # Movement counts as if the other side had so many successes more.
    for number, defense_chance in enumerate(pool_odds.successes(defense), movement):
        for excess, chance in enumerate(own_chances[number + 1 :], 1):
            excess_chances[excess] += chance * defense_chance
    return excess_chances


def _attack_pool(
    game: Game, who: str, means: weapons.AttackSource, plan: weapons.Plan, band: str
) -> int:
    """Return the dice pool of an attack at a range *band*, empty in close combat."""
    cost = _cost(game, who, means)
    other = plan.karma
    if cost is not None:
        other -= cost.penalty
    if band:
        other += means.beyond(band) + ranged.FIRE[plan.way].dice
        if means.row.rate:
            declared = declared_of(means, plan, alone=round_of(game, who) is None)
            other += ranged.rate_dice(means.row.rate, declared)
    return close_combat.attack_pool(
        means.base, specialty=means.split, muscle=means.light, other=other
    )


def _cost(game: Game, who: str, means: weapons.AttackSource) -> Forecast | None:
    """Return the cost of the attack in a round; over-spending takes dice (EGO-AP-02)."""
    return attack_cost(game, who, means, round_of(game, who))


def damage_chances(
    game: Game, means: weapons.AttackSource, way: str, armor: int, hit: Shares
) -> Iterable[tuple[int, Fraction]]:
    """Yield amounts of damage behind armor, each with the chance of that much or more.

    All chances are those of an attack that hits. The chance that no damage gets through, if there
    is one, comes first, with an amount of 0 (EGO-DMG-02, EGO-DMG-04).
    """
    chances = _damage_chances(game, means, way, armor, hit)
    nothing = chances.pop(0, Fraction(0))
    if nothing:
        yield 0, nothing
    remaining = sum(chances.values(), Fraction(0))
    shares = [share for share in _SHARES if share <= remaining] or [*_SHARES[-1:]]
    for points, chance in sorted(chances.items()):
        after = remaining - chance
        if shares and after < shares[0]:
            yield points, remaining
            shares = [share for share in shares if share <= after]
        remaining = after


def _damage_chances(
    game: Game, means: weapons.AttackSource, way: str, armor: int, hit: Shares
) -> dict[int, Fraction]:
    """Return the chance of each amount of damage behind armor, once the attack hits."""
    fire, hit_chance = ranged.FIRE[way], sum(hit.values())
    count = damage.damage_dice(means.dice, means.muscle, more=fire.damage, factor=fire.factor)
    by_die = game.setting("damage_halving") == "per_die"
    adds_excess = game.setting("excess_successes_to_damage")
    chances_by_dice = defaultdict[int, Fraction](Fraction)
    for excess, chance in hit.items():
        damage_dice = count + excess if adds_excess else count
        chances_by_dice[damage_dice] += chance / hit_chance
    chances = defaultdict[int, Fraction](Fraction)
    rolled = pool_odds.damage(chances_by_dice, means.flat, by_die=by_die)
    for points, chance in rolled.items():
        chances[max(0, points - armor)] += chance
    return dict(chances)


def _spending_blocks(
    sheet: EgoSheet, karma: int, chance: Callable[..., Fraction]
) -> Iterable[Block]:
    """Return the chances with Karma and luck that may be spent (EGO-KAR-02, EGO-KAR-03)."""
    rows: list[tuple[Text, Text]] = []
    # The first way spends nothing.
    for line, bought, also in [*ways(sheet, karma)][1:]:
        rows.append((line, _percent(chance(bought, **also))))
    return (Group(None, tuple(rows), FOR_EVERYONE),) if rows else ()


def _contest(game: Game, who: AnyCharacter, given: Values) -> CommandView:
    """Show the chances to win, tie and lose against so many dice (EGO-DIE-04)."""
    sheet, text = who.sheet, given["skill"]
    abilities = matches(pools.ABILITIES, text, str)
    source = None if abilities else pools.find_source(sheet, game.campaign, text)
    if "defense" not in given:
        raise missing_error("defense")
    plan = Plan(attribute=abilities[0]) if abilities else Plan(skill=text)
    number = pools.dice_in(pools.terms(sheet, source, plan.attribute))
    karma = given.get("karma", 0)
    sources = sources_of(sheet, game.campaign, roll_subjects(game, who.id, plan, None))
    other_chances = pool_odds.successes(given["defense"])

    def ends(bought: int, **also: Any) -> tuple[Fraction, ...]:
        pool = dice.pool_size(number, karma=bought)
        own_chances = pool_odds.successes(pool, **reroll_counts(sources), **also)
        return pool_odds.opposed_odds(own_chances, other_chances)

    def win_chance(bought: int, **also: Any) -> Fraction:
        return ends(bought, **also)[0]

    what = source.name if source else plan.attribute.capitalize()
    title = {"name": who.name, "what": what, "dice": given["defense"]}
    blocks: list[Block] = []
    for how, chance in zip(("won", "tied", "lost"), ends(karma), strict=True):
        blocks.append(Fact(Text("ego-odds-end", {"how": how}), _percent(chance), FOR_EVERYONE))
    blocks += _spending_blocks(sheet, karma, win_chance)
    return CommandView(Text("ego-odds-of", title), tuple(blocks))


def attack_odds(game: Game, given: Values) -> CommandView:
    """Show the chances of an attack and of its damage, or with `skill` those of a contest."""
    who = acting_character(game.state, game.actor, given.get("as"))
    if "skill" in given:
        return _contest(game, who, given)
    sheet: EgoSheet = who.sheet
    words = [f"{key}: {given[key]}" for key in ("weapon", "range", "karma") if key in given]
    values = FORM.read_words(words, FormContext(game, None, who.id))
    plan = FORM.make_record(weapons.Plan, values)
    means = weapons.attack_source(game, sheet, plan)
    if means.row.automatic and not means.row.rate:
        # It fires no single shots.
        plan = plan.replace(burst=True)
    defense = given.get("defense")

    def hit_chance(bought: int, **also: Any) -> Fraction:
        chances = hit_chances(game, who.id, means, plan.replace(karma=bought), defense, **also)
        return sum(chances.values(), Fraction(0))

    cost = _cost(game, who.id, means)
    line = None if cost is None else cost_line(cost, draws=not means.drawn)
    blocks: list[Block] = []
    if line is not None:
        blocks.append(Note(line, FOR_EVERYONE))
    blocks.append(labeled_fact("hit", _percent(hit_chance(plan.karma))))
    blocks += _spending_blocks(sheet, plan.karma, hit_chance)
    hit = hit_chances(game, who.id, means, plan, defense)
    for points, chance in damage_chances(game, means, plan.way, given.get("armor", 0), hit):
        label = Text("ego-does", {"points": points})
        blocks.append(Fact(label, _percent(chance), FOR_EVERYONE))
    title = {"name": who.name, "what": means.name, "burst": plan.burst}
    return CommandView(Text("ego-odds-of", title), tuple(blocks))


def rollable_names(game: Game, sheet: EgoSheet) -> Iterable[str]:
    """Return the skills, specialties and abilities that a character can roll."""
    learned = pools.learned_sources(sheet, game.campaign)
    unlearned = pools.unlearned_sources(sheet, game.campaign)
    sources = [source.name for source in (*learned, *unlearned)]
    return [*sources, *map(str.capitalize, pools.ABILITIES)]
