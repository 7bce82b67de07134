"""Blocks of an effect that meets its targets: hits, resistance and results (MB-SFX-22, -23)."""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook.combat.view import describe_attack
from rules.systems.masterbook.effects.areas import hit_bonus
from rules.systems.masterbook.effects.effect_results import (
    COLUMNS,
    column_of,
)
from rules.systems.masterbook.effects.resistance import (
    is_compulsion,
)
from rules.systems.masterbook.effects.strike_reduction import lowered_results
from rules.systems.masterbook.effects.strike_state import AnyStrike, EffectResult, cast_of, start_of
from rules.systems.masterbook.effects.strike_targets import (
    blueprint_of,
    hit_total,
    is_hit,
    needs_hit,
)
from rules.systems.masterbook.effects.taking_hold import (
    duration_note,
    result_notes,
)
from rules.systems.masterbook.formulas.effect_values import detour_concealment
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Note, Ref, Text, Verdict
from rules.table.checks.shared_blocks import WITH_LABEL, dice_viewers, full_and_plain
from rules.table.system import Game, is_npc

#: Actions whose verdict says everything.
_SHOWN: Final = ("damage", *COLUMNS)


def describe_strike(game: Game, check: AnyStrike) -> tuple[Block, ...]:
    """Return the blocks of an effect that meets its targets."""
    data = check.data
    if data.start is None or not data.sides:
        return ()
    blueprint = blueprint_of(check)
    blocks = _attack_blocks(game, check)
    if data.settled:
        blocks += _held_blocks(game, check)
    elif not any(isinstance(block, Verdict) for block in blocks):
        blocks.insert(0, Note(Text("mb-effect-meets", {"name": blueprint.name}), FOR_EVERYONE))
    return tuple(blocks)


def _attack_blocks(game: Game, check: Any) -> list[Block]:
    """Return the blocks of an attack, with the verdict on effects that don't hurt."""
    data = check.data
    if not data.foes:
        return []
    blocks: list[Block] = []
    for block in describe_attack(game, _without_levels(check)):
        if isinstance(block, Verdict) and data.blows:
            block = _verdict(game, check, block)
        elif isinstance(block, Verdict) and not start_of(check).roller:
            continue
        elif isinstance(block, Fact) and block.what == WITH_LABEL:
            block = _effect_fact(check, block)
        blocks.append(block)
    blocks += _lowered_notes(game, check)
    if needs_hit(start_of(check)) and not start_of(check).roller:
        blocks += _hit_total_notes(game, check)
    unseen = detour_concealment(cast_of(check).around)
    if needs_hit(start_of(check)) and unseen:
        blocks.append(Note(Text("mb-effect-unseen", {"number": unseen}), FOR_EVERYONE))
    return blocks


def _without_levels(check: Any) -> Any:
    """Return a check without levels of General Success, which the results say."""
    if not is_compulsion(blueprint_of(check)):
        return check
    blows = tuple(blow.replace(effect="") for blow in check.data.blows)
    return check.replace(data=check.data.replace(blows=blows))


def _lowered_notes(game: Game, check: AnyStrike) -> list[Note]:
    """Return the results that targets have lowered with a Life Point; only GMs read NPCs'."""
    notes: list[Note] = []
    for blow in lowered_results(check):
        about = {"who": Ref(blow.who), "result": Text("mb-effect", {"result": blow.effect})}
        seen = GMS_ONLY if is_npc(game, blow.who) else dice_viewers(check)
        notes.append(Note(Text("mb-lowered-result", about), seen))
    return notes


def _hit_total_notes(game: Game, check: AnyStrike) -> list[Block]:
    """Return the casting's total as the roll to hit; only GMs read an NPC's bonus on it."""
    total = hit_total(check)
    if total is None:
        return []
    bonus = hit_bonus(game, blueprint_of(check)) or None
    text = Text("mb-effect-hits-with", {"total": total, "bonus": bonus})
    note = Note(text, dice_viewers(check))
    if bonus is None or not is_npc(game, cast_of(check).caster):
        return [note]
    plain = Text("mb-effect-hits-with", {"total": total, "bonus": None})
    return [*full_and_plain(note, text=plain)]


def _effect_fact(check: AnyStrike, block: Fact) -> Fact:
    """Return the fact of the attack's weapon: only the effect's name without a roll to hit."""
    if start_of(check).roller:
        return block
    return block.replace(value=(Text("mb-weapon", {"name": blueprint_of(check).name}),))


def _verdict(game: Game, check: AnyStrike, block: Verdict) -> Verdict:
    """Return the verdict of an attack in the words of an effect."""
    data, blueprint = check.data, blueprint_of(check)
    if blueprint.action in COLUMNS and block.what is not None and "effect" in block.what.params:
        if block.what.params["effect"] is None:
            # Players read no result of an NPC.
            block = block.replace(what=None)
    has_hit = any(blow.kind != "miss" for blow in data.blows)
    if not has_hit and _meets_resistance(check):
        text = Text("mb-effect-resisted", {"who": tuple(Ref(foe.who) for foe in data.foes)})
        return block.replace(text=text, numbers=None, what=None)
    if blueprint.action not in _SHOWN:
        block = block.replace(what=None)
    if not needs_hit(start_of(check)) and len(data.foes) == 1:
        text = Text("mb-effect-reaches", {"name": blueprint.name})
        return block.replace(text=text, numbers=None)
    return block


def _meets_resistance(check: AnyStrike) -> bool:
    """Return whether only a resistance can keep an effect off a target.

    Such an effect can't miss, or it has hit and is read on a column.
    """
    if not needs_hit(start_of(check)):
        return True
    on_column = column_of(blueprint_of(check)) is not None
    return on_column and any(is_hit(check, foe) for foe in check.data.foes)


def _held_blocks(game: Game, check: AnyStrike) -> list[Block]:
    """Return the results of the effect, and its duration."""
    data, start = check.data, start_of(check)
    blueprint = start.cast.known.blueprint
    results: list[EffectResult] = []
    for result in data.results:
        if result.changes or result.points is not None or blueprint.action not in _SHOWN:
            results.append(result)
    blocks = result_notes(game, blueprint, results, start.cast.caster)
    note = duration_note(game, start, data.lasting)
    if note is not None:
        blocks.append(note)
    return blocks
