"""Blocks of an attack, for everyone, for those involved and for the GMs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.masterbook.checks.companions import companion_notes
from rules.systems.masterbook.checks.roll_stages import CANCEL, OPEN
from rules.systems.masterbook.checks.sheet_damage import condition_after, fatigue_damage
from rules.systems.masterbook.checks.state import Blow
from rules.systems.masterbook.checks.view import (
    PLAIN_FACTS,
    damage_text,
    dice_of,
    ends_text,
    facts_summary,
    is_unknown,
    lowered_notes,
    modifier_lines,
    of_npcs,
    shift_lines,
    status_notes,
    verdicts_with,
    visible_end,
)
from rules.systems.masterbook.combat import resolution
from rules.systems.masterbook.combat.declaration import (
    DEFEND,
    HIDDEN_PREFIX,
    STRIKE,
    AnyAttack,
    Attack,
    Foe,
)
from rules.systems.masterbook.formulas import damage, interaction, success_chart
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Ref,
    Text,
    Verdict,
    Viewers,
)
from rules.table.checks import shared_blocks
from rules.table.checks.shared_blocks import dice_result_blocks
from rules.table.checks.stages import FREE, IMPOSSIBLE
from rules.table.system import Game, is_npc


def describe_attack(game: Game, check: AnyAttack) -> tuple[Block, ...]:
    """Return the blocks of an attack, the verdict first."""
    data = check.data
    result = [*_defense_facts(game, data), *dice_of(game, data), *lowered_notes(game, check)]
    result += shared_blocks.number_change_blocks(
        game, data.shifts, lambda what, name: Text("mb-number", {"what": what, "name": name})
    )
    result += _consequence_notes(game, check)
    return (
        *_verdicts(game, check),
        *_weapon_facts(game, check),
        *shared_blocks.approach_blocks(check),
        *dice_result_blocks(check, result),
        *status_notes(check),
    )


def _is_number_secret(game: Game, data: Attack, foe: Foe) -> bool:
    """Return whether only GMs know the number to hit: the passive value of an NPC."""
    return is_npc(game, foe.who) and data.throw_of(DEFEND, foe.who) is None


def _verdicts(game: Game, check: AnyAttack) -> Iterable[Block]:
    """Return the verdicts on an attack; none before the dice."""
    data = check.data
    seen: Viewers = GMS_ONLY if check.visibility == "blind" else FOR_EVERYONE
    if data.failed or data.answer == IMPOSSIBLE:
        tone = shared_blocks.result_tone(game, check, good=False)
        if data.answer == IMPOSSIBLE:
            return (shared_blocks.no_roll_verdict(IMPOSSIBLE, tone),)
        return (Verdict(Text("mb-card-fails", {"who": Ref(data.failed)}), tone, seen),)
    if not data.sides:
        return ()
    if resolution.is_aiming_only(data):
        return (Verdict(Text("mb-aims", {"who": Ref(check.actor)}), "neutral", FOR_EVERYONE),)
    if not (data.throws or data.blows):
        return ()
    may_change = check.stage in (OPEN, CANCEL)
    if may_change and any(_is_number_secret(game, data, foe) for foe in data.foes):
        # Before the GM tells the result, only GMs know it (MB-DIE-03).
        seen = GMS_ONLY
    if data.sides[0].blast:
        return _with_ends(game, check, _place_verdict(game, check, seen))
    if len(data.foes) > 1 and data.blows:
        return _with_ends(game, check, _count_verdict(game, check, seen))
    return _single_verdict(game, check, seen)


def _count_verdict(game: Game, check: AnyAttack, seen: Viewers) -> Verdict:
    """Return the verdict that tells how many of several targets were hit."""
    data = check.data
    hits = sum(blow.kind != "miss" for blow in data.blows)
    text = Text("mb-hits", {"count": hits, "of": len(data.foes)})
    tone = shared_blocks.result_tone(game, check, good=hits > 0)
    worked = None if hits else False
    return Verdict(text, tone, seen, worked=worked, bare=hits > 0 and tone == "bad")


def _with_ends(game: Game, check: AnyAttack, verdict: Verdict) -> list[Verdict]:
    """Return a verdict on several targets with the condition of each target that was hit.

    While that can change, only GMs read it about NPCs. About NPCs whom players don't know, only
    GMs ever read it.
    """
    pending = check.is_open
    full: list[tuple[str, str]] = []
    plain: list[tuple[str, str]] = []
    for blow in check.data.blows:
        who, end = blow.who, _end_of(game, check, blow)
        if not end:
            continue
        full.append((who, end))
        if not is_npc(game, who) or not (pending or is_unknown(game, who)):
            plain.append((who, end))
    return verdicts_with(
        verdict, ends_text(full, pending=pending), ends_text(plain, pending=pending)
    )


def _end_of(game: Game, check: AnyAttack, blow: Blow) -> str:
    """Return the condition in which a blow has left its target, or will.

    Empty for a miss, and for a blow that the end of the check has kept from counting.
    """
    if blow.kind in resolution.MISSES:
        return ""
    end = check.data.end_of(blow.who)
    if end or not check.is_open or blow.who not in game.state.characters:
        return end
    left = blow.left
    if blow.effect:
        left = fatigue_damage(game, blow.who, interaction.result_effect(blow.effect).shock)
    return condition_after(game, blow.who, left)


def _single_verdict(game: Game, check: AnyAttack, seen: Viewers) -> list[Block]:
    """Return the verdict on the only target, or on the first; players read less of an NPC's."""
    data, foe = check.data, check.data.foes[0]
    blow = next((blow for blow in data.blows if blow.who == foe.who), None)
    attack: resolution.AttackResult | None = None
    if data.throws and (blow is None or blow.kind == "miss"):
        attack = resolution.best_attack(data, foe)
    if blow is not None:
        kind = blow.kind
    else:
        kind = "miss" if attack is None else resolution.result_against(game, data, foe).kind
    if kind == "miss":
        return _miss_verdict(game, check, seen, attack)
    return _hit_verdict(game, check, seen, kind, blow)


def _hit_verdict(
    game: Game, check: AnyAttack, seen: Viewers, kind: str, blow: Blow | None
) -> list[Block]:
    """Return the verdict on a hit, with what it does. Only GMs read the result points on an NPC."""
    data, foe = check.data, check.data.foes[0]
    attackers = data.plan.group or len(data.sides)
    about: dict[str, Any] = {"by": None, "through": kind == "through_cover"}
    about |= {"count": None, "of": attackers}
    if blow is not None:
        about |= {"by": blow.points, "count": blow.count if attackers > 1 else None}
    verdict = Verdict(
        Text("check-hit", about),
        shared_blocks.result_tone(game, check, good=True),
        seen,
        what=_effect_text(game, check, blow),
    )
    if seen == GMS_ONLY:
        return [verdict]
    if not is_npc(game, foe.who):
        return of_npcs(game, check.actor, verdict)
    plain: dict[str, Text] = {}
    if _is_number_secret(game, data, foe):
        plain["text"] = verdict.text.replace(params={**about, "by": None})
    what = _effect_text(game, check, blow, full=False)
    return of_npcs(game, foe.who, verdict, what=what, **plain)


def _miss_verdict(
    game: Game, check: AnyAttack, seen: Viewers, attack: resolution.AttackResult | None
) -> list[Block]:
    """Return the verdict on a miss. Players read no hidden numbers, and nothing that tells them."""
    data, foe = check.data, check.data.foes[0]
    miss = Text("check-miss")
    tone = shared_blocks.result_tone(game, check, good=False)
    verdict = Verdict(miss, tone, seen, worked=False)
    hidden = resolution.hidden_difficulty(data, foe)
    open_number = resolution.reported_number(data, foe)
    if attack is not None:
        number = open_number + hidden
        numbers = Text("check-numbers", {"total": attack.total, "number": number})
        verdict = verdict.replace(numbers=numbers)
        value = data.sides[0].rating.value
        critical = game.setting("critical_failure") and success_chart.is_critical_failure(
            attack.total, number, value
        )
        if critical:
            verdict = verdict.replace(text=Text("mb-critical-miss"))
    if seen == GMS_ONLY:
        return [verdict]

    plain: dict[str, Text] = {}
    is_secret = _is_number_secret(game, data, foe)
    if is_secret or is_npc(game, check.actor):
        # That the miss is critical would tell of the NPC's values.
        plain["text"] = miss
    if attack is not None and hidden:
        about = {"total": attack.total, "number": open_number}
        plain["numbers"] = Text("check-numbers", about)
    if not is_npc(game, foe.who):
        if "numbers" in plain:
            return [*shared_blocks.full_and_plain(verdict, **plain)]
        return of_npcs(game, check.actor, verdict, **plain)
    if is_secret and attack is not None:
        plain["numbers"] = Text("check-numbers-hidden", {"total": attack.total})
    return of_npcs(game, foe.who, verdict, what=None, **plain)


def _place_verdict(game: Game, check: AnyAttack, seen: Viewers) -> Verdict:
    """Return the verdict that tells whether a throw comes down on its place."""
    data = check.data
    strike = data.throw_of(STRIKE, data.sides[0].who)
    on_it = strike is None or not resolution.spot_shortfall(data)
    text = Text("mb-on-the-spot")
    if not on_it:
        where: dict[str, Any] = {}
        if data.strayed is not None:
            where = {"direction": data.strayed[0], "meters": data.strayed[1]}
        text = Text("mb-strays", where)
    tone = shared_blocks.result_tone(game, check, good=on_it)
    worked = None if on_it else False
    verdict = Verdict(text, tone, seen, worked=worked, bare=on_it and tone == "bad")
    if strike is None:
        return verdict
    about = {"total": strike.total, "number": resolution.spot_difficulty(data)}
    return verdict.replace(numbers=Text("check-numbers", about))


def _effect_text(
    game: Game, check: AnyAttack, blow: Blow | None, *, full: bool = True
) -> Text | None:
    """Return in which condition a hit leaves its target, and by what damage or effect.

    Only GMs read an NPC's damage, and its condition before the damage counts.
    """
    if blow is None or blow.kind in resolution.MISSES:
        return None
    tells_all, pending = full or not is_npc(game, blow.who), check.is_open
    end = _end_of(game, check, blow) if tells_all or not pending else ""
    if not tells_all and is_unknown(game, blow.who):
        end = visible_end(game, blow.who, end)
    about = {"who": Ref(blow.who), "end": end, "pending": pending}
    if blow.effect:
        about["end"] = end if end in damage.OUT_CONDITIONS else ""
        return Text("mb-maneuvered", {**about, "effect": blow.effect if tells_all else None})
    left = blow.left
    hurt = bool(damage.packages(left))
    shown = damage_text(left) if hurt and tells_all else None
    return Text("mb-takes", {**about, "hurt": hurt, "damage": shown})


def _weapon_facts(game: Game, check: AnyAttack) -> list[Block]:
    """Return each attacker's weapon, options and value. Only GMs read the value of an NPC."""
    data, plan = check.data, check.data.plan
    words = tuple(Text("mb-option", {"why": option}) for option in plan.options)
    if not data.sides:
        said = words
        if plan.weapon:
            said = (Text("mb-weapon", {"name": plan.weapon}), *words)
        facts = [Fact(shared_blocks.WITH_LABEL, said, FOR_EVERYONE)] if said else []
        return [*facts, *companion_notes(plan.together)]
    blocks: list[Block] = []
    for at, side in enumerate(data.sides):
        title = shared_blocks.WITH_LABEL if at == 0 else Text("mb-helps", {"who": Ref(side.who)})
        about = {"name": side.weapon, "skill": side.skill, "value": side.rating.value}
        causes = (*side.rating.modifiers, *side.rating.bonuses)
        full = Fact(title, (Text("mb-weapon", about), *modifier_lines(causes)), FOR_EVERYONE)
        plain = (Text("mb-weapon", {"name": side.weapon}), *(words if at == 0 else ()))
        blocks += of_npcs(game, side.who, full, value=plain)
    return blocks


def _defense_facts(game: Game, data: Attack) -> list[Block]:
    """Return the numbers to hit, as far as they are open, and what covers the targets."""
    if not data.sides or data.answer == FREE:
        return []
    facts: list[Block] = []
    for side in data.sides:
        if side.hidden_shifts:
            title = Text("check-adjustments")
            facts.append(Fact(title, shift_lines(side.hidden_shifts), GMS_ONLY))
    if data.sides[0].blast:
        spot = resolution.spot_difficulty(data)
        return [*facts, Fact(shared_blocks.DIFFICULTY_LABEL, spot, FOR_EVERYONE)]
    for foe in data.foes:
        seen: Viewers = GMS_ONLY if _is_number_secret(game, data, foe) else FOR_EVERYONE
        number = resolution.defense_number(data, foe)
        about = {"who": Ref(foe.who), "name": foe.source.name, "number": number}
        facts.append(Fact(Text("mb-defends", about), number, seen))
        if foe.hidden_shifts:
            easier = tuple((why, -shift) for why, shift in foe.hidden_shifts)
            facts.append(Fact(Text("check-adjustments"), shift_lines(easier), GMS_ONLY))
    behind: list[Text] = []
    if data.plan.concealment:
        behind.append(Text("mb-option", {"why": f"{HIDDEN_PREFIX}{data.plan.concealment}"}))
    if data.plan.cover:
        behind.append(Text("mb-option", {"why": data.plan.cover}))
    if behind:
        facts.append(Fact(Text("mb-behind"), tuple(behind), FOR_EVERYONE))
    return facts


def _body_notes(game: Game, data: Attack, blow: Blow) -> list[Block]:
    """Return what a target's abilities did about a hit (MB-BG-30)."""
    seen: Viewers = GMS_ONLY if is_npc(game, blow.who) else FOR_EVERYONE
    lines: list[Block] = []
    if blow.kept_off:
        about = {"who": Ref(blow.who), "number": blow.kept_off}
        lines.append(Note(Text("mb-wound-kept-off", about), seen))
    foe = next((foe for foe in data.foes if foe.who == blow.who), None)
    if foe is not None and blow.kind not in resolution.MISSES:
        gap = resolution.gap_in_skin(game, data, foe)
        if gap:
            about = {"who": Ref(blow.who), "number": gap}
            lines.append(Note(Text("mb-skin-fails", about), seen))
    return lines


#: Facts about an NPC that players can see.
_VISIBLE: Final = ("knockdown", "knocked_out", "fainted", "mortal", "dead", "held")


def _consequence_notes(game: Game, check: AnyAttack) -> list[Block]:
    """Return what happened to each character, besides the numbers that changed."""
    data, lines = check.data, list[Block]()
    for blow in data.blows:
        lines += _body_notes(game, data, blow)
        lines += _blow_notes(game, check, blow)
    for who, facts in data.consequences:
        lines += _fact_notes(game, who, facts)
    return lines


def _blow_notes(game: Game, check: AnyAttack, blow: Blow) -> list[Block]:
    """Return the notes on one blow of several, or on one of a blast."""
    is_one_of_several = len(check.data.foes) > 1
    if blow.kind == "clear":
        return [Note(Text("mb-gets-clear", {"who": Ref(blow.who)}), FOR_EVERYONE)]
    if not is_one_of_several and not blow.zone:
        return []
    if is_one_of_several and blow.kind == "miss":
        return [Note(Text("mb-missed", {"who": Ref(blow.who)}), FOR_EVERYONE)]
    text = _effect_text(game, check, blow)
    if text is None or not (text.params.get("damage") or blow.effect):
        # The verdict says it.
        return []
    if is_npc(game, blow.who) and not blow.effect:
        return [Note(text, GMS_ONLY)]
    plain = _effect_text(game, check, blow, full=False)
    return of_npcs(game, blow.who, Note(text, FOR_EVERYONE), text=plain)


def _fact_notes(game: Game, who: str, facts: damage.Facts) -> list[Block]:
    """Return the notes on facts about a character. Of an NPC, players read what they can see."""
    full = tuple(fact for fact in facts if fact[0] not in PLAIN_FACTS)
    plain = full
    if is_npc(game, who):
        # Without numbers: rounds that are left would tell how much the NPC can bear.
        visible = () if is_unknown(game, who) else _VISIBLE
        plain = tuple((what, 0) for what, _ in full if what in visible)
    if plain == full:
        return [Note(line, FOR_EVERYONE) for line in facts_summary(who, full)]
    return [
        *[Note(line, GMS_ONLY) for line in facts_summary(who, full)],
        *[Note(line, FOR_EVERYONE, hidden_from=GMS_ONLY) for line in facts_summary(who, plain)],
    ]
