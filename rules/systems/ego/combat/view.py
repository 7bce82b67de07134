"""Blocks of an attack for everyone, for those who take part, and for the GMs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.ego.character import labels
from rules.systems.ego.checks import casualties, view
from rules.systems.ego.checks.group_rolls import due_rolls
from rules.systems.ego.checks.roll_stages import HURT
from rules.systems.ego.checks.view import event_notes
from rules.systems.ego.combat import declaration
from rules.systems.ego.combat.weapons import AttackSource
from rules.systems.ego.formulas import damage, ranged
from rules.systems.ego.formulas.dice import Pool
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Note, Ref, Roll, Text, Verdict
from rules.table.check import OVER, Check
from rules.table.checks.shared_blocks import (
    DIFFICULTY_LABEL,
    WITH_LABEL,
    approach_blocks,
    dice_result_blocks,
    gm_quotes,
    result_tone,
)
from rules.table.checks.stages import FREE, IMPOSSIBLE
from rules.table.system import Game

#: Most damage dice that are added up in words; of more, only the sum is shown.
_MOST_COUNTED: Final = 20
_DAMAGE: Final = labels.label("damage")


def describe(game: Game, check: declaration.AnyAttack) -> tuple[Block, ...]:
    """Return everything about an attack, the verdict first."""
    waits = check.data.means is None
    check = check.replace(data=declaration.expected_attack(game, check))
    data = check.data
    blocks = [*_outcome(game, check)]
    if means := _source_lines(game, check):
        blocks.append(Fact(WITH_LABEL, means, FOR_EVERYONE))
    if data.terms:
        blocks += _pool(game, check, waits=waits)
    blocks += approach_blocks(check)
    against, dice = _against(game, check), _dice(game, check)
    if data.means is not None and not data.means.close:
        blocks += against
        against = []
    # For a single hit, the headline tells the damage and its end.
    one = len(data.harms) == 1
    events = [event for event in data.consequences if not (one and event.code == HURT)]
    consequences = event_notes(game, events, ends=False)
    due = [*due_rolls(game, data)]
    blocks += dice_result_blocks(
        check, [*dice, *against, *_changes(game, check), *consequences, *due]
    )
    return (*blocks, *gm_quotes(check))


# --- how it came out ------------------------------------------------------------------------------


def _outcome(game: Game, check: declaration.AnyAttack) -> Iterable[Block]:
    data, seen = check.data, GMS_ONLY if check.visibility == "blind" else FOR_EVERYONE
    if data.answer == IMPOSSIBLE:
        return (
            Verdict(
                Text("check-cannot"),
                result_tone(game, check, good=False),
                FOR_EVERYONE,
                worked=False,
            ),
        )
    if not data.throws and not data.faces:
        return ()
    hit = declaration.is_hit(data)
    seen_as, final = result_tone(game, check, good=hit), check.stage != declaration.OPEN
    total, number = (0, 0) if data.answer == FREE else declaration.balance(data)
    if not hit:
        close = data.means is not None and data.means.close
        what = Text("check-evades", {"who": Ref(check.target or "")}) if close and final else None
        numbers = Text("check-numbers", {"total": total, "number": number})
        miss = Verdict(Text("check-miss"), seen_as, seen, what=what)
        return _by_audience(game, check, miss.replace(numbers=numbers), miss)
    text = Text("check-hit", {"by": total - number or None})
    bare = Text("check-hit") if view.is_npc(game, check.actor) else text
    if final:
        full, *plain = struck_lines(game, check, lethal=declaration.is_lethal(data))
    else:
        full, *plain = _would_strike(game, check)
    return _by_audience(
        game,
        check,
        Verdict(text, seen_as, seen, what=full, conditional=final),
        Verdict(bare, seen_as, seen, what=(*plain, full)[0], conditional=final),
        always=bool(plain),
    )


def _by_audience(
    game: Game,
    check: declaration.AnyAttack,
    full: Verdict,
    plain: Verdict,
    *,
    always: bool = False,
) -> tuple[Verdict, ...]:
    """Return one verdict, or one for the GMs and one for players if the two differ.

    The margin of an NPC's hit or miss would tell players how hurt it is (EGO-IMP-01).
    """
    if full.visible_to is not FOR_EVERYONE or not (always or view.is_npc(game, check.actor)):
        return (full,)
    return full.replace(visible_to=GMS_ONLY), plain.replace(hidden_from=GMS_ONLY)


def _would_strike(game: Game, check: declaration.AnyAttack) -> tuple[Text, ...]:
    """Return what a hit does unless the dice change, without dice for a weapon that spreads."""
    data = check.data
    if data.means is None or data.means.spreads:
        return (Text("ego-would-take", {"who": Ref(check.target or "")}),)
    dice = declaration.damage_pool(game, data)
    return would_take_lines(game, check, dice, data.means.flat)


def would_take_lines(game: Game, check: Check[Any], dice: int, flat: int = 0) -> tuple[Text, ...]:
    """Return the damage dice that the target takes unless the dice of a hit change.

    An NPC's attack has two lines, one for GMs and one for players: only GMs read its dice.
    """
    who = Ref(check.target or "")
    plain = Text("ego-would-take", {"who": who})
    full = Text("ego-would-take", {"who": who, "dice": dice, "flat": flat or None})
    return (full, plain) if view.is_npc(game, check.actor) else (full,)


def struck_lines(game: Game, check: Check[Any], *, lethal: bool) -> tuple[Text, ...]:
    """Return the line of what a hit does, or a line for GMs and a line for players.

    Players read no numbers of an NPC, and nothing of a character whom they don't know.
    """
    data = check.data
    harmed = casualties.casualties(data.consequences)
    stakes = casualties.consciousness_stakes(check)
    if len(harmed) != 1:
        return _caught_lines(game, harmed, stakes)
    hit = harmed[0]
    risk = "roll" if stakes[1] else ""
    if stakes[0]:
        risk = "dice"
    about: dict[str, Any] = {"who": Ref(hit.who), "hurt": (hit.points or 0) > 0, "stun": not lethal}
    about |= {"how": hit.end if hit.fell else "", "risk": risk}
    full = Text("ego-takes", {**about, "points": hit.points, "stopped": hit.stopped})
    if not view.is_npc(game, hit.who):
        return (full,)
    if view.is_unknown(game, hit.who):
        about |= {"how": "", "risk": ""}
    else:
        health = damage.PASSED_OUT if hit.end == casualties.ASLEEP else hit.end
        about["health"] = view.health_line(health) if health else None
        # That a roll is due would tell how hurt an NPC is.
        about["risk"] = risk if stakes[0] else ""
    return full, Text("ego-takes", {**about, "points": None, "stopped": 0})


def _caught_lines(
    game: Game, found: tuple[casualties.Casualty, ...], stakes: casualties.Stakes
) -> tuple[Text, ...]:
    """Return how many a blast has caught, and the worst ends."""

    def line(caught: tuple[casualties.Casualty, ...], risks: casualties.Stakes) -> Text:
        ends = casualties.end_lines(casualties.worst(caught))
        shown = {"count": len(caught), "ends": ends}
        return Text("ego-several", {**shown, "stakes": casualties.stake_lines(risks, inside=True)})

    full, seen = line(found, stakes), casualties.known_to_players(game, found)
    failed = casualties.known_to_players(game, stakes[0])
    plain = line(seen, (failed, casualties.without_npcs(game, stakes[1])))
    return (full,) if full == plain else (full, plain)


# --- what led to it -------------------------------------------------------------------------------


def _source_lines(game: Game, check: declaration.AnyAttack) -> tuple[Text, ...]:
    """Return the weapon with its number of dice; only GMs read an NPC's number."""
    data, means = check.data, check.data.means
    name = data.plan.weapon if means is None else means.name
    pool = None if means is None or view.is_npc(game, check.actor) else data.pool
    weapon = [] if data.unnamed or not name else [_weapon_line(means, name, pool)]
    plan, near = data.plan, means is not None and means.close
    way = "single" if near else plan.way
    ways = {way: way != "single", "two_hands": plan.two_hands, "thrown": plan.thrown}
    said: dict[str, Any] = {
        "skill": plan.skill,
        "shots": 0 if near else plan.shots,
        "pounds": plan.weight,
        "damage": plan.to_damage,
        "dice": 0 if data.terms else plan.karma,
        "karma": plan.karma_damage,
        "type": plan.type,
    }
    if not data.band or plan.range.isdecimal():
        said["meters" if plan.range.isdecimal() else "range"] = plan.range
    more = [Text("ego-said", {key: value}) for key, value in said.items() if value]
    return (*weapon, *factor_lines([key for key, so in ways.items() if so]), *more)


def _pool(game: Game, check: declaration.AnyAttack, *, waits: bool) -> list[Block]:
    """Return the pool of the attack; only GMs read that of an NPC.

    Before the roll, the pool has its number of dice, at range its chance, and the cost.
    """
    data, who, means = check.data, check.actor, check.data.means
    assert means is not None, "the terms are those of a weapon"
    if not waits:
        lines = view.term_lines(data.terms)
        npc = view.is_npc(game, who)
        return [] if npc else [labels.labeled_fact("pool", lines)]
    needed = 0 if means.close else declaration.balance(data)[1]
    line = view.pool_line(data.terms, needed)
    found = view.blocks_by_audience(game, who, labels.labeled_fact("pool", line))
    cost = declaration.attack_cost(game, who, means, check.round)
    if cost is not None:
        note = Note(view.cost_line(cost, draws=not means.drawn), FOR_EVERYONE)
        found += view.blocks_by_audience(game, who, note)
    return found


def _weapon_line(means: AttackSource | None, name: str, dice: int | None) -> Text:
    """Return the weapon and its dice, and whether it had to be drawn first."""
    drawn = means is not None and not means.drawn
    return Text("ego-weapon", {"name": name, "dice": dice, "drawn": drawn})


def factor_lines(factors: Iterable[str]) -> tuple[Text, ...]:
    """Return what makes it harder or easier at range (EGO-RNG-02)."""
    return tuple([Text("ego-with", ranged.factor_params(key)) for key in factors])


def _against(game: Game, check: declaration.AnyAttack) -> list[Block]:
    """Return the difficulty or the defense, and what changes it."""
    data, means = check.data, check.data.means
    near = [who for who in declaration.victims(check) if who != check.target]
    # Players read nothing of a character that they know nothing of.
    seen = GMS_ONLY if any(view.is_unknown(game, who) for who in near) else FOR_EVERYONE
    what = Text("ego-listed", {"what": tuple(map(Ref, near))})
    blocks: list[Block] = [labels.labeled_fact("nearby", what, seen)] if near else []
    if means is not None and not means.close:
        blocks += range_facts(game, check.actor, declaration.balance(data)[1], data.band)
    elif data.throws and (data.moved or len(data.throws) > 2):
        beat = labels.labeled_fact("beat", declaration.balance(data)[1])
        blocks += view.blocks_by_audience(game, check.actor, beat)
    return blocks + view.adjusted(game, check.actor, data.moved, factor_lines(data.plan.factors))


def range_facts(game: Game, who: str, number: int, band: str) -> list[Block]:
    """Return the difficulty at range; only GMs read an NPC's number (EGO-IMP-01)."""
    full = Fact(DIFFICULTY_LABEL, Text("ego-range", {"number": number, "band": band}), FOR_EVERYONE)
    plain = full.replace(value=Text("ego-range", {"number": None, "band": band}))
    return view.blocks_by_audience(game, who, full, plain)


def _dice(game: Game, check: declaration.AnyAttack) -> list[Block]:
    data = check.data
    blocks = [block for throw in data.throws for block in view.dice_blocks(game, throw)]
    if data.faces or data.harms:
        flat = 0 if data.means is None else data.means.flat
        blocks += damage_of(game, check.actor, data.faces, data.dealt, flat)
    return blocks


def damage_of(
    game: Game, who: str, faces: tuple[int, ...], points: int, flat: int = 0, what: Text = _DAMAGE
) -> list[Block]:
    """Return the damage dice with what each counts; only GMs read how many an NPC has."""
    result: int | Text = points
    if len(faces) <= _MOST_COUNTED:
        result = _sum_line(game, faces, points, flat)
    roll = Roll(None, what, Pool(faces).dice, result, FOR_EVERYONE)
    return view.blocks_by_audience(game, who, roll, Fact(what, points, FOR_EVERYONE))


def _sum_line(game: Game, faces: tuple[int, ...], points: int, flat: int) -> Text:
    """Return how damage dice add up (EGO-DMG-01, EGO-DMG-02)."""
    shown: dict[str, Any] = {"points": points, "more": max(0, flat) or None}
    shown["less"] = max(0, -flat) or None
    if game.setting("damage_halving") == "total_half_up":
        shown["total"] = sum(faces)
    elif len(faces) > 1 or flat or faces != (points,):
        shown["counts"] = damage.counted_faces(faces)
    return Text("ego-dealt", shown)


def _changes(game: Game, check: declaration.AnyAttack) -> list[Block]:
    """Return each changed number once; the target's costs only once the dice lie open.

    Action Points mean something only in a round.
    """
    data = check.data
    paid = bool(data.throws) or check.stage == OVER
    shown = [change for change in data.shifts if change.what != "ap" or check.round is not None]
    known = shown if paid else [change for change in shown if change.who == check.actor]
    return view.shifted(game, known, data.throws)
