"""Blocks of a casting's message: what is cast, how far it has come, and what feedback does."""

from __future__ import annotations

from typing import Any, Final

from rules.systems.masterbook.checks.sheet_damage import condition_after
from rules.systems.masterbook.checks.view import (
    damage_text,
    describe,
    lowered_notes,
    verdicts_with,
)
from rules.systems.masterbook.effects.cast_declaration import target_ref
from rules.systems.masterbook.effects.cast_state import HELP, Cast, SupportRoll
from rules.systems.masterbook.effects.cast_support import HELPERS, failed_rollers
from rules.systems.masterbook.effects.cast_time import (
    CASTING_STAGE,
    casting_of,
    round_of_casting,
    story_minute,
    time_is_over,
)
from rules.systems.masterbook.effects.effect_harm import feedback_harm
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.effect_blueprint import Condition
from rules.systems.masterbook.formulas.effect_condition_points import condition_dn
from rules.systems.masterbook.formulas.effect_values import (
    DAY_VALUE,
    Detour,
    cast_seconds,
    rounds_of,
)
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Text,
    Verdict,
    Viewers,
)
from rules.table.check import Check
from rules.table.checks.shared_blocks import WITH_LABEL, full_and_plain
from rules.table.checks.stages import IMPOSSIBLE
from rules.table.system import Game, is_npc

_AT: Final = Text("mb-cast-at")
_AROUND: Final = Text("mb-cast-around")
_COSTS: Final = Text("mb-cast-costs")


def thing_text(condition: Condition) -> Text:
    """Return a thing that a casting needs, in words."""
    about: dict[str, Any] = {"text": condition.text or None, "used_up": condition.destroyed}
    if condition.kind == "community":
        about["helpers"] = condition.helpers
    return Text("mb-cast-thing", about)


def cost_text(cost: str) -> Text:
    """Return the world's cost of a casting, as a thing that it uses up (MB-SFX-14)."""
    return Text("mb-cast-thing", {"text": cost, "used_up": True})


def describe_cast(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a casting: the outcome, the effect, then how it came about."""
    data: Cast = check.data
    if data.known is None:
        return ()
    heads, rest = _heads_and_rest(game, check)
    return (
        *heads,
        *_effect_facts(game, check),
        *rest,
        *_support_notes(game, check),
        *lowered_notes(game, check),
    )


def _effect_facts(game: Game, check: Check[Any]) -> list[Block]:
    """Return the effect and its targets; only GMs read the effect of an NPC."""
    data: Cast = check.data
    viewers: Viewers = GMS_ONLY if is_npc(game, check.actor) else FOR_EVERYONE
    name = Text("mb-cast-with", {"effect": data.effect.name})
    blocks: list[Block] = [Fact(WITH_LABEL, name, viewers)]
    if data.aims and not data.blueprint.on_self:
        aims = tuple(target_ref(aim) for aim in data.aims)
        blocks.append(Fact(_AT, aims, FOR_EVERYONE))
    if data.cost and not data.broken_off:
        blocks.append(Fact(_COSTS, Text("mb-cast-cost", {"text": data.cost}), FOR_EVERYONE))
    return [*blocks, *detour_facts(data.around)]


def detour_facts(around: Detour | None) -> list[Block]:
    """Return the detour of an effect on the way to its target (MB-SFX-S12)."""
    if around is None:
        return []
    return [Fact(_AROUND, Text("mb-cast-detour", {"way": around}), FOR_EVERYONE)]


def _heads_and_rest(game: Game, check: Check[Any]) -> tuple[list[Block], list[Block]]:
    """Return the verdicts of a casting, and what stands below them."""
    head = _own_head(game, check)
    blocks = describe(game, check)
    if head is not None:
        # What is rolled with says nothing as long as no dice are about to fall.
        hidden = (Verdict,) if check.data.throws else (Verdict, Fact)
        rest: list[Block] = [block for block in blocks if not isinstance(block, hidden)]
        return [head], _with_condition_named(game, check, rest)
    effect = _feedback_text(game, check)
    plain = None if is_npc(game, check.actor) else effect
    heads: list[Block] = []
    below: list[Block] = []
    for block in blocks:
        if not isinstance(block, Verdict):
            below.append(block)
        elif effect is None:
            heads.append(block)
        else:
            heads += verdicts_with(block, effect, plain)
    return heads, _with_condition_named(game, check, below)


def _with_condition_named(game: Game, check: Check[Any], blocks: list[Block]) -> list[Block]:
    """Return blocks in which the roll for a condition is titled by it: `Concentration`.

    Helpers have no skill in common, so their group gets a line of its own. Only GMs read the number
    of an NPC's group.
    """
    data: Cast = check.data
    condition = data.condition
    if condition is None or not data.throws:
        return blocks
    about = {"kind": condition.kind, "text": condition.text or None}
    title = Text("mb-cast-condition", about)
    if condition.kind == "community":
        dn = Text("mb-cast-condition-dn", {"dn": condition_dn(condition)})
        seen: Viewers = GMS_ONLY if is_npc(game, check.actor) else FOR_EVERYONE
        return [Fact(title, dn, seen), *blocks]
    titled: list[Block] = []
    for block in blocks:
        if isinstance(block, Fact) and block.what == WITH_LABEL:
            block = block.replace(what=title)
        titled.append(block)
    return titled


def _own_head(game: Game, check: Check[Any]) -> Verdict | None:
    """Return the head of a casting that is not about dice; None where they are."""
    data: Cast = check.data
    if data.answer == IMPOSSIBLE:
        return None
    if data.throws:
        return _failing_head(game, check)
    if data.broken_off:
        return Verdict(Text("mb-cast-broken-off"), "neutral", FOR_EVERYONE)
    if data.spoiled:
        return _spoiled_head(game, check)
    if check.stage == HELPERS:
        return _helpers_head(data)
    if check.stage == CASTING_STAGE and not data.ready:
        return _time_head(game, check)
    return None


def _spoiled_head(game: Game, check: Check[Any]) -> Verdict:
    """Return the head of a casting that fails without a roll; of an NPC without its feedback."""
    text = Text("mb-cast-spoiled", {"why": check.data.spoiled})
    if is_npc(game, check.actor):
        return Verdict(text, "good", FOR_EVERYONE, worked=False)
    head = Verdict(text, "bad", FOR_EVERYONE, worked=False)
    return head.replace(what=_feedback_text(game, check))


def _failing_head(game: Game, check: Check[Any]) -> Verdict | None:
    """Return the number of helpers who fail as the dice lie; None for none, or an NPC's group."""
    data: Cast = check.data
    condition = data.condition
    if condition is None or condition.kind != "community" or is_npc(game, check.actor):
        return None
    failed = len(failed_rollers(check))
    if not failed:
        return None
    about = {"failed": failed, "of": len(data.throws)}
    return Verdict(Text("mb-cast-helpers-failing", about), "bad", FOR_EVERYONE, worked=False)


def _helpers_head(data: Cast) -> Verdict:
    """Return the number of helpers who have answered."""
    answered = [helper.answered for helper in data.helpers]
    if data.crowd is not None:
        answered.append(data.crowd.answered)
    about = {"done": sum(answered), "of": len(answered)}
    return Verdict(Text("mb-cast-helpers", about), "neutral", FOR_EVERYONE)


def _time_head(game: Game, check: Check[Any]) -> Verdict | None:
    """Return until when the caster is busy."""
    casting = casting_of(game, check)
    if casting is None:
        return None
    if time_is_over(game, check):
        return Verdict(Text("mb-cast-time-over"), "neutral", FOR_EVERYONE)
    about: dict[str, Any] = {"concentrates": casting.concentrates}
    cast_time = cast_seconds(check.data.blueprint.cast_time_value)
    about["designs"] = check.data.effect.undesigned and casting.seconds_left > cast_time
    if check.round is not None:
        about |= {"round": round_of_casting(casting), "rounds": rounds_of(casting.seconds)}
    else:
        about |= {"round": None, "time": story_minute(game, casting)}
        about["days"] = check.data.blueprint.cast_time_value > DAY_VALUE
    return Verdict(Text("mb-cast-time", about), "neutral", FOR_EVERYONE)


def _feedback_text(game: Game, check: Check[Any]) -> Text | None:
    """Return the damage of feedback to the caster, as the dice lie; None before they fall."""
    data: Cast = check.data
    remaining = data.feedback
    if remaining is None:
        result = data.cast_result
        if result is None:
            return None
        remaining = result.feedback
    who = check.actor
    if data.blows:
        hurt = data.blows[0].left
    else:
        sheet = game.sheet(who) if who in game.state.characters else None
        hurt = feedback_harm(game, sheet, remaining)
    is_hurt = bool(damage.packages(hurt))
    pending = check.is_open and not data.over
    end = data.end_of(who)
    if not end and pending and is_hurt:
        end = condition_after(game, who, hurt)
    about = {
        "left": remaining,
        "damage": damage_text(hurt) if is_hurt else None,
        "end": end if end in damage.OUT_CONDITIONS else "",
        "pending": pending,
    }
    return Text("mb-cast-feedback", about)


def _support_notes(game: Game, check: Check[Any]) -> list[Block]:
    """Return a line for each roll of a condition; those of NPCs without their numbers."""
    data: Cast = check.data
    notes: list[Block] = []
    for roll in data.rolled:
        condition = data.blueprint.conditions[roll.condition]
        full = Note(_support_text(condition, roll, numbers=True), FOR_EVERYONE)
        if is_npc(game, check.actor):
            plain = _support_text(condition, roll, numbers=False)
            notes += full_and_plain(full, text=plain)
        else:
            notes.append(full)
    if check.stage == HELPERS:
        notes.append(_waiting_note(data))
    return notes


def _support_text(condition: Condition, roll: SupportRoll, *, numbers: bool) -> Text:
    totals = tuple(throw.total for throw in roll.throws)
    about: dict[str, Any] = {
        "kind": condition.kind,
        "text": condition.text or None,
        "met": roll.met,
    }
    if numbers and totals:
        about |= {"dn": roll.dn, "totals": totals}
    if numbers and roll.totals:
        about |= {"crowd": roll.totals, "crowd_dn": roll.crowd_dn}
    return Text("mb-cast-support", about)


def _waiting_note(data: Cast) -> Note:
    condition = data.condition
    text = "" if condition is None else condition.text
    crowd = 0 if data.crowd is None else data.crowd.number
    about = {"text": text or None, "crowd": crowd or None, "what": HELP}
    return Note(Text("mb-cast-group", about), FOR_EVERYONE)
