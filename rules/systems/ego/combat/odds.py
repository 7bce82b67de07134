"""`/ego odds`: the chances to hit with a weapon, and of what that does, as exact as those of a
check.
"""

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
from rules.table.commands import CommandView
from rules.table.forms import FormContext, Values
from rules.table.lookup import acting_character
from rules.table.state import AnyCharacter
from rules.table.system import Game

Shares = Mapping[int, Fraction]
#: With which chance damage is told.
_SHARES: Final = (Fraction(9, 10), Fraction(1, 2), Fraction(1, 10))


def _percent(chance: Fraction) -> Text:
    return Text("percent", {"share": str(chance)})


def hits(
    game: Game,
    who: str,
    means: weapons.AttackSource,
    plan: weapons.Plan,
    defense: int | None,
    **also: Any,
) -> Shares:
    """The chances of a hit by how many successes more than it goes against it has: at range its
    difficulty, else so many dice (EGO-ATK-01, EGO-RNG-01); `also` as `odds.successes`.

    InvalidInput("ego-say") in close combat without their number, and as `band_of`.
    """
    sheet: EgoSheet = game.sheet(who)
    band, other = "" if means.close else band_of(game, means, plan), plan.karma
    cost = _cost(game, who, means)
    other -= 0 if cost is None else cost.penalty
    if band:
        other += means.beyond(band) + ranged.FIRE[plan.way].dice
    if band and means.row.rate:
        other += ranged.rate_dice(
            means.row.rate, declared_of(means, plan, alone=round_of(game, who) is None)
        )
    pool = close_combat.attack_pool(
        means.base, specialty=means.split, muscle=means.light, other=other
    )
    sources = sources_of(sheet, game.campaign, (means.ability,))
    mine = pool_odds.successes(pool, **reroll_counts(sources), **also)
    moved = sum([by for _, by in moved_by(game, sheet, means)])
    if band:
        number = ranged.difficulty(band, more=moved)
        return {hits - number: chance for hits, chance in enumerate(mine) if hits >= number}
    if defense is None:
        raise missing_error("defense")
    found: dict[int, Fraction] = defaultdict(Fraction)
    # What is added to the number to beat is as if the other side had so many successes more.
    for number, against in enumerate(pool_odds.successes(defense), moved):
        for over, chance in enumerate(mine[number + 1 :], 1):
            found[over] += chance * against
    return found


def _cost(game: Game, who: str, means: weapons.AttackSource) -> Forecast | None:
    """Return the cost of the attack in a round; over-spending takes dice (EGO-AP-02)."""
    return attack_cost(game, who, means, round_of(game, who))


def damages(
    game: Game, means: weapons.AttackSource, way: str, armor: int, hit: Shares
) -> Iterable[tuple[int, Fraction]]:
    """Yield amounts of damage behind armor, each with the chance of that much or more.

    All chances are those of an attack that hits. The chance that no damage gets through, if there
    is one, comes first, with an amount of 0 (EGO-DMG-02, EGO-DMG-04).
    """
    chances = _damage_chances(game, means, way, armor, hit)
    if nothing := chances.pop(0, Fraction(0)):
        yield 0, nothing
    left, wanted = sum(chances.values(), Fraction(0)), list(_SHARES)
    wanted = [share for share in wanted if share <= left] or wanted[-1:]
    for points, chance in sorted(chances.items()):
        after = left - chance
        if wanted and after < wanted[0]:
            yield points, left
            wanted = [share for share in wanted if share <= after]
        left = after


def _damage_chances(
    game: Game, means: weapons.AttackSource, way: str, armor: int, hit: Shares
) -> dict[int, Fraction]:
    """Return the chance of each amount of damage behind armor, once the attack hits."""
    fire, every = ranged.FIRE[way], sum(hit.values())
    count = damage.damage_dice(means.dice, means.muscle, more=fire.damage, factor=fire.factor)
    by_die = game.setting("damage_halving") == "per_die"
    counts = game.setting("excess_successes_to_damage")
    thrown = defaultdict[int, Fraction](Fraction)
    for more, share in hit.items():
        thrown[count + (more if counts else 0)] += share / every
    found = defaultdict[int, Fraction](Fraction)
    for points, chance in pool_odds.damage(thrown, means.flat, by_die=by_die).items():
        found[max(0, points - armor)] += chance
    return dict(found)


def _besides(sheet: EgoSheet, karma: int, chance: Callable[..., Fraction]) -> Iterable[Block]:
    """The same with what Karma and luck may make of it (EGO-KAR-02, EGO-KAR-03)."""
    rows = [(line, _percent(chance(bought, **also))) for line, bought, also in ways(sheet, karma)][
        1:
    ]
    return (Group(None, tuple(rows), FOR_EVERYONE),) if rows else ()


def _contest(game: Game, who: AnyCharacter, given: Values) -> CommandView:
    """The chances to win against so many dice, to tie, and of all else (EGO-DIE-04)."""
    sheet, text = who.sheet, given["skill"]
    known = matches(pools.ABILITIES, text, str)
    means = None if known else pools.find_source(sheet, game.campaign, text)
    if "defense" not in given:
        raise missing_error("defense")
    plan = Plan(attribute=known[0]) if known else Plan(skill=text)
    number, karma = pools.dice_in(pools.terms(sheet, means, plan.attribute)), given.get("karma", 0)
    sources = sources_of(sheet, game.campaign, roll_subjects(game, who.id, plan, None))
    theirs = pool_odds.successes(given["defense"])

    def ends(bought: int, **also: Any) -> tuple[Fraction, ...]:
        return pool_odds.opposed_odds(
            pool_odds.successes(
                dice.pool_size(number, karma=bought), **reroll_counts(sources), **also
            ),
            theirs,
        )

    def won(bought: int, **also: Any) -> Fraction:
        return ends(bought, **also)[0]

    what = means.name if means else plan.attribute.capitalize()
    title = {"name": who.name, "what": what, "dice": given["defense"]}
    rows = zip(("won", "tied", "lost"), ends(karma), strict=True)
    found = [
        Fact(Text("ego-odds-end", {"how": how}), _percent(chance), FOR_EVERYONE)
        for how, chance in rows
    ]
    return CommandView(Text("ego-odds-of", title), (*found, *_besides(sheet, karma, won)))


def attack_odds(game: Game, given: Values) -> CommandView:
    who = acting_character(game.state, game.actor, given.get("as"))
    if "skill" in given:
        return _contest(game, who, given)
    sheet: EgoSheet = who.sheet
    said = FORM.read_words(
        [f"{key}: {given[key]}" for key in ("weapon", "range", "karma") if key in given],
        FormContext(game, None, who.id),
    )
    plan = FORM.make_record(weapons.Plan, said)
    means = weapons.attack_source(game, sheet, plan)
    if means.row.automatic and not means.row.rate:
        # It fires no single shots.
        plan = plan.replace(burst=True)
    defense = given.get("defense")

    def to_hit(bought: int, **also: Any) -> Fraction:
        return sum(
            hits(game, who.id, means, plan.replace(karma=bought), defense, **also).values(),
            Fraction(0),
        )

    cost = _cost(game, who.id, means)
    line = None if cost is None else cost_line(cost, draws=not means.drawn)
    found: list[Block] = [
        *([] if line is None else [Note(line, FOR_EVERYONE)]),
        labeled_fact("hit", _percent(to_hit(plan.karma))),
        *_besides(sheet, plan.karma, to_hit),
    ]
    hit = hits(game, who.id, means, plan, defense)
    found += [
        Fact(Text("ego-does", {"points": points}), _percent(chance), FOR_EVERYONE)
        for points, chance in damages(game, means, plan.way, given.get("armor", 0), hit)
    ]
    title = {"name": who.name, "what": means.name, "burst": plan.burst}
    return CommandView(Text("ego-odds-of", title), tuple(found))


def rollable_names(game: Game, sheet: EgoSheet) -> Iterable[str]:
    known = (
        pools.learned_sources(sheet, game.campaign),
        pools.unlearned_sources(sheet, game.campaign),
    )
    return [
        *[each.name for means in known for each in means],
        *map(str.capitalize, pools.ABILITIES),
    ]
