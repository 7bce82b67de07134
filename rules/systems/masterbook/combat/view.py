"""Blocks of an attack, for everyone, for those involved and for the GMs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.systems.masterbook.checks.roll_stages import CANCEL, OPEN, companion_notes
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
    """Everything about an attack, the verdict first."""
    data = check.data
    found = [*_verdicts(game, check), *_weapon_facts(game, check)]
    found += shared_blocks.approach_blocks(check)
    result = [*_defense_facts(game, data), *dice_of(game, data), *lowered_notes(game, check)]
    numbers = shared_blocks.number_change_blocks(
        game, data.shifts, lambda what, name: Text("mb-number", {"what": what, "name": name})
    )
    result += [*numbers, *_consequence_notes(game, check)]
    return (*found, *dice_result_blocks(check, result), *status_notes(check))


def _secret(game: Game, data: Attack, foe: Foe) -> bool:
    """Whether what has to be reached is for the GMs: how good an NPC is that does not roll."""
    return is_npc(game, foe.who) and data.throw_of(DEFEND, foe.who) is None


def _verdicts(game: Game, check: AnyAttack) -> Iterable[Block]:
    data, seen = check.data, GMS_ONLY if check.visibility == "blind" else FOR_EVERYONE
    if data.failed or data.answer == IMPOSSIBLE:
        bad = shared_blocks.result_tone(game, check, good=False)
        if data.answer == IMPOSSIBLE:
            return (shared_blocks.no_roll_verdict(IMPOSSIBLE, bad),)
        return (Verdict(Text("mb-card-fails", {"who": Ref(data.failed)}), bad, seen),)
    if not data.sides:
        return ()
    side = data.sides[0]
    if resolution.is_aiming_only(data):
        return (Verdict(Text("mb-aims", {"who": Ref(check.actor)}), "neutral", FOR_EVERYONE),)
    if not (data.throws or data.blows):
        return ()
    if check.stage in (OPEN, CANCEL) and any(_secret(game, data, each) for each in data.foes):
        seen = GMS_ONLY  # before the GM tells how it came out nobody else knows (MB-DIE-03)
    if side.blast:
        return _with_ends(game, check, _place(game, check, seen))
    if len(data.foes) > 1 and data.blows:
        hit = [each for each in data.blows if each.kind != "miss"]
        text = Text("mb-hits", {"count": len(hit), "of": len(data.foes)})
        tone, worked = (
            shared_blocks.result_tone(game, check, good=bool(hit)),
            None if hit else False,
        )
        told = Verdict(text, tone, seen, worked=worked, bare=bool(hit) and tone == "bad")
        return _with_ends(game, check, told)
    return _single(game, check, seen)


def _with_ends(game: Game, check: AnyAttack, told: Verdict) -> list[Verdict]:
    """Return a verdict on several targets with the condition of each target that was hit.

    While that can change, only GMs read it about NPCs. About NPCs whom players don't know, only
    GMs ever read it.
    """
    data, pending = check.data, check.is_open
    found = [(each.who, _end_of(game, check, each)) for each in data.blows]
    ends = [(who, end) for who, end in found if end]
    shown = [
        (who, end)
        for who, end in ends
        if not is_npc(game, who) or not (pending or is_unknown(game, who))
    ]
    full, plain = [ends_text(each, pending=pending) for each in (ends, shown)]
    return verdicts_with(told, full, plain)


def _end_of(game: Game, check: AnyAttack, blow: Blow) -> str:
    """Return the condition in which a blow has left its target, or will.

    Empty for a miss, and for a blow that the end of the check has kept from counting.
    """
    if blow.kind in ("miss", "clear"):
        return ""
    found = check.data.end_of(blow.who)
    if found or not check.is_open or blow.who not in game.state.characters:
        return found
    left = blow.left
    if blow.effect:
        left = fatigue_damage(game, blow.who, interaction.effects(blow.effect).shock)
    return condition_after(game, blow.who, left)


def _single(game: Game, check: AnyAttack, seen: Viewers) -> list[Block]:
    """How it came out for the only target, or the first; where it is not for the GMs alone, others
    read less of it.
    """
    data, foe = check.data, check.data.foes[0]
    blow = next((each for each in data.blows if each.who == foe.who), None)
    found = (
        resolution.best_attack(data, foe)
        if data.throws and (blow is None or blow.kind == "miss")
        else None
    )
    kind = (
        blow.kind
        if blow is not None
        else "miss"
        if found is None
        else resolution.result_against(game, data, foe).kind
    )
    hit, of = kind != "miss", data.plan.group or len(data.sides)
    # A miss is one whomever it is good for.
    told = Verdict(
        Text("check-miss"),
        shared_blocks.result_tone(game, check, good=hit),
        seen,
        worked=None if hit else False,
    )
    if hit:
        by, count = (None, None) if blow is None else (blow.points, blow.count if of > 1 else None)
        shown = {"by": by, "through": kind == "through_cover", "count": count, "of": of}
        told = told.replace(text=Text("check-hit", shown), what=_effect_text(game, check, blow))
    hidden = resolution.hidden_difficulty(data, foe)
    open_number = resolution.reported_number(data, foe)
    if not hit and found is not None:
        number = open_number + hidden
        told = told.replace(numbers=Text("check-numbers", {"total": found.total, "number": number}))
        value = data.sides[0].rating.value if game.setting("critical_failure") else None
        if value is not None and success_chart.is_critical_failure(found.total, number, value):
            told = told.replace(text=Text("mb-critical-miss"))
    if seen == GMS_ONLY:
        return [told]
    plain, secret = dict[str, Text](), _secret(game, data, foe)
    if not hit and (secret or is_npc(game, check.actor)):
        plain["text"] = Text("check-miss")  # that it is critical would tell of their values
    if told.numbers is not None and hidden and found is not None:
        about = {"total": found.total, "number": open_number}
        plain["numbers"] = Text("check-numbers", about)
    if not is_npc(game, foe.who):
        if "numbers" in plain:
            return [*shared_blocks.full_and_plain(told, **plain)]
        return of_npcs(game, check.actor, told, **plain)
    if secret and hit:
        plain["text"] = told.text.replace(params={**told.text.params, "by": None})
    elif secret and found is not None:
        plain["numbers"] = Text("check-numbers-hidden", {"total": found.total})
    return of_npcs(game, foe.who, told, what=_effect_text(game, check, blow, full=False), **plain)


def _place(game: Game, check: AnyAttack, seen: Viewers) -> Verdict:
    """Whether something thrown comes down where it should."""
    data = check.data
    strike, number = data.throw_of(STRIKE, data.sides[0].who), resolution.spot_difficulty(data)
    on_it = strike is None or not resolution.spot_shortfall(data)
    where = (
        {} if data.strayed is None else {"direction": data.strayed[0], "meters": data.strayed[1]}
    )
    text = Text("mb-on-the-spot") if on_it else Text("mb-strays", where)
    tone, worked = shared_blocks.result_tone(game, check, good=on_it), None if on_it else False
    found = Verdict(text, tone, seen, worked=worked, bare=on_it and tone == "bad")
    if strike is None:
        return found
    return found.replace(numbers=Text("check-numbers", {"total": strike.total, "number": number}))


def _effect_text(
    game: Game, check: AnyAttack, blow: Blow | None, *, full: bool = True
) -> Text | None:
    """Return how a hit leaves its target: in which condition, and by what.

    How much an NPC takes only GMs read, and before it counts what that comes to.
    """
    if blow is None or blow.kind in ("miss", "clear"):
        return None
    told, pending = full or not is_npc(game, blow.who), check.is_open
    end = _end_of(game, check, blow) if told or not pending else ""
    if not told and is_unknown(game, blow.who):
        end = visible_end(game, blow.who, end)
    about = {"who": Ref(blow.who), "end": end, "pending": pending}
    if blow.effect:
        out = end if end in damage.OUT_CONDITIONS else ""
        return Text("mb-maneuvered", {**about, "end": out, "effect": blow.effect if told else None})
    left = blow.left
    hurt = bool(damage.packages(left))
    shown = damage_text(left) if hurt and told else None
    return Text("mb-takes", {**about, "hurt": hurt, "damage": shown})


def _weapon_facts(game: Game, check: AnyAttack) -> list[Block]:
    """Weapons, how they are used, and with which value; an NPC's value is for the GMs."""
    data, plan, found = check.data, check.data.plan, list[Block]()
    words = tuple([Text("mb-option", {"why": each}) for each in plan.options])
    if not data.sides:
        said = (*([Text("mb-weapon", {"name": plan.weapon})] if plan.weapon else []), *words)
        return [
            *([Fact(shared_blocks.WITH_LABEL, said, FOR_EVERYONE)] if said else []),
            *companion_notes(plan.together),
        ]
    for at, side in enumerate(data.sides):
        title = shared_blocks.WITH_LABEL if at == 0 else Text("mb-helps", {"who": Ref(side.who)})
        shown = {"name": side.weapon, "skill": side.skill, "value": side.rating.value}
        causes = (*side.rating.modifiers, *side.rating.bonuses)
        full = Fact(title, (Text("mb-weapon", shown), *modifier_lines(causes)), FOR_EVERYONE)
        if not is_npc(game, side.who):
            found.append(full)
            continue
        plain = (Text("mb-weapon", {"name": side.weapon}), *(words if at == 0 else ()))
        found += of_npcs(game, side.who, full, value=plain)
    return found


def _defense_facts(game: Game, data: Attack) -> list[Block]:
    """What has to be reached, where that is no secret, and what is in the way."""
    found, plan = list[Block](), data.plan
    if not data.sides or data.answer == FREE:
        return found
    for side in data.sides:
        if side.hidden_shifts:
            title = Text("check-adjustments")
            found.append(Fact(title, shift_lines(side.hidden_shifts), GMS_ONLY))
    if data.sides[0].blast:
        spot = resolution.spot_difficulty(data)
        return [*found, Fact(shared_blocks.DIFFICULTY_LABEL, spot, FOR_EVERYONE)]
    for foe in data.foes:
        seen: Viewers = GMS_ONLY if _secret(game, data, foe) else FOR_EVERYONE
        number = resolution.defense_number(data, foe)
        shown = {"who": Ref(foe.who), "name": foe.means.name, "number": number}
        found.append(Fact(Text("mb-defends", shown), number, seen))
        if foe.hidden_shifts:
            easier = tuple((why, -number) for why, number in foe.hidden_shifts)
            found.append(Fact(Text("check-adjustments"), shift_lines(easier), GMS_ONLY))
    behind = [f"{HIDDEN_PREFIX}{plan.concealment}"] if plan.concealment else []
    behind += [plan.cover] if plan.cover else []
    if behind:
        found.append(
            Fact(
                Text("mb-behind"),
                tuple([Text("mb-option", {"why": each}) for each in behind]),
                FOR_EVERYONE,
            )
        )
    return found


def _body_notes(game: Game, data: Attack, blow: Blow) -> list[Block]:
    """Return what a target's abilities did about a hit (MB-BG-30)."""
    seen: Viewers = GMS_ONLY if is_npc(game, blow.who) else FOR_EVERYONE
    found: list[Block] = []
    if blow.kept_off:
        about = {"who": Ref(blow.who), "number": blow.kept_off}
        found.append(Note(Text("mb-wound-kept-off", about), seen))
    foe = next((each for each in data.foes if each.who == blow.who), None)
    if foe is not None and blow.kind not in ("miss", "clear"):
        gap = resolution.gap_in_skin(game, data, foe)
        if gap:
            about = {"who": Ref(blow.who), "number": gap}
            found.append(Note(Text("mb-skin-fails", about), seen))
    return found


#: Of what happens to an NPC players read only what anybody can see.
_VISIBLE: Final = ("knockdown", "knocked_out", "fainted", "mortal", "dead", "held")


def _consequence_notes(game: Game, check: AnyAttack) -> list[Block]:
    """What happened to whom, besides the numbers that stand there already."""
    data, found = check.data, list[Block]()
    for each in data.blows:
        found += _body_notes(game, data, each)
        if each.kind == "clear":
            found.append(Note(Text("mb-gets-clear", {"who": Ref(each.who)}), FOR_EVERYONE))
        elif each.kind == "miss" and len(data.foes) > 1:
            found.append(Note(Text("mb-missed", {"who": Ref(each.who)}), FOR_EVERYONE))
        elif len(data.foes) > 1 or each.zone:
            text = _effect_text(game, check, each)
            if text is None or not (text.params.get("damage") or each.effect):
                continue  # the head says it
            if is_npc(game, each.who) and not each.effect:
                found.append(Note(text, GMS_ONLY))
                continue
            plain = _effect_text(game, check, each, full=False)
            found += of_npcs(game, each.who, Note(text, FOR_EVERYONE), text=plain)
    for who, facts in data.came:
        told = tuple([each for each in facts if each[0] not in PLAIN_FACTS])
        open_ = told
        if is_npc(game, who):  # nor how much they can bear, by which rounds are left to them
            seen_ones = () if is_unknown(game, who) else _VISIBLE
            open_ = tuple([(what, 0) for what, _ in told if what in seen_ones])
        found += [
            Note(each, FOR_EVERYONE if told == open_ else GMS_ONLY)
            for each in facts_summary(who, told)
        ]
        if told != open_:
            found += [
                Note(each, FOR_EVERYONE, hidden_from=GMS_ONLY) for each in facts_summary(who, open_)
            ]
    return found
