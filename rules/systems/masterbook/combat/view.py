"""Blocks of an attack, for everyone, for those involved and for the GMs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.systems.masterbook.checks.roll_stages import CANCEL, OPEN, companion_notes
from rules.systems.masterbook.checks.state import Blow
from rules.systems.masterbook.checks.view import (
    PLAIN_FACTS,
    damage_text,
    dice_of,
    facts_summary,
    lowered_notes,
    modifier_lines,
    of_npcs,
    status_notes,
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
from rules.systems.masterbook.formulas import damage, success_chart
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
    result += [*numbers, *_consequence_notes(game, data)]
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
        return (_place(game, check, seen),)
    if len(data.foes) > 1 and data.blows:
        hit = [each for each in data.blows if each.kind != "miss"]
        text = Text("mb-hits", {"count": len(hit), "of": len(data.foes)})
        tone, worked = (
            shared_blocks.result_tone(game, check, good=bool(hit)),
            None if hit else False,
        )
        return (Verdict(text, tone, seen, worked=worked, bare=bool(hit) and tone == "bad"),)
    return _single(game, check, seen)


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
        told = told.replace(text=Text("check-hit", shown), what=_effect_text(game, blow))
    elif found is not None:
        number = resolution.reported_number(data, foe)
        told = told.replace(numbers=Text("check-numbers", {"total": found.total, "number": number}))
        value = data.sides[0].how.value if game.setting("critical_failure") else None
        if value is not None and success_chart.is_critical_failure(found.total, number, value):
            told = told.replace(text=Text("mb-critical-miss"))
    if seen == GMS_ONLY:
        return [told]
    plain, secret = dict[str, Text](), _secret(game, data, foe)
    if not hit and (secret or is_npc(game, check.actor)):
        plain["text"] = Text("check-miss")  # that it is critical would tell of their values
    if not is_npc(game, foe.who):
        return of_npcs(game, check.actor, told, **plain)
    if secret and hit:
        plain["text"] = told.text.replace(params={**told.text.params, "by": None})
    elif secret and found is not None:
        plain["numbers"] = Text("check-numbers-hidden", {"total": found.total})
    return of_npcs(game, foe.who, told, what=_effect_text(game, blow, full=False), **plain)


def _place(game: Game, check: AnyAttack, seen: Viewers) -> Verdict:
    """Whether something thrown comes down where it should."""
    data = check.data
    strike, number = data.throw_of(STRIKE, data.sides[0].who), resolution.spot_difficulty(data)
    on_it = strike is None or strike.total >= number
    where = (
        {} if data.strayed is None else {"direction": data.strayed[0], "meters": data.strayed[1]}
    )
    text = Text("mb-on-the-spot") if on_it else Text("mb-strays", where)
    tone, worked = shared_blocks.result_tone(game, check, good=on_it), None if on_it else False
    found = Verdict(text, tone, seen, worked=worked, bare=on_it and tone == "bad")
    if strike is None:
        return found
    return found.replace(numbers=Text("check-numbers", {"total": strike.total, "number": number}))


def _effect_text(game: Game, blow: Blow | None, *, full: bool = True) -> Text | None:
    """What a hit does; how much of it an NPC takes only GMs read."""
    if blow is None or blow.kind in ("miss", "clear"):
        return None
    if blow.effect:
        told = full or not is_npc(game, blow.who)
        return Text(
            "mb-maneuvered", {"who": Ref(blow.who), "effect": blow.effect if told else None}
        )
    left = blow.left
    hurt = bool(damage.packages(left))
    shown = damage_text(left) if hurt and (full or not is_npc(game, blow.who)) else None
    return Text("mb-takes", {"who": Ref(blow.who), "hurt": hurt, "damage": shown})


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
        shown = {"name": side.weapon, "skill": side.skill, "value": side.how.value}
        full = Fact(
            title, (Text("mb-weapon", shown), *modifier_lines(side.how.modifiers)), FOR_EVERYONE
        )
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
    if data.sides[0].blast:
        return [
            Fact(shared_blocks.DIFFICULTY_LABEL, resolution.spot_difficulty(data), FOR_EVERYONE)
        ]
    for foe in data.foes:
        seen: Viewers = GMS_ONLY if _secret(game, data, foe) else FOR_EVERYONE
        number = resolution.defense_number(data, foe)
        shown = {"who": Ref(foe.who), "name": foe.means.name, "number": number}
        found.append(Fact(Text("mb-defends", shown), number, seen))
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


#: Of what happens to an NPC players read only what anybody can see.
_VISIBLE: Final = ("knockdown", "knocked_out", "fainted", "mortal", "dead", "held")


def _consequence_notes(game: Game, data: Attack) -> list[Block]:
    """What happened to whom, besides the numbers that stand there already."""
    found = list[Block]()
    for each in data.blows:
        if each.kind == "clear":
            found.append(Note(Text("mb-gets-clear", {"who": Ref(each.who)}), FOR_EVERYONE))
        elif len(data.foes) > 1 or each.zone:
            missed = Text("mb-missed", {"who": Ref(each.who)})
            full, plain = [
                _effect_text(game, each, full=which) or missed for which in (True, False)
            ]
            found += of_npcs(game, each.who, Note(full, FOR_EVERYONE), text=plain)
    for who, facts in data.came:
        told = tuple([each for each in facts if each[0] not in PLAIN_FACTS])
        open_ = told
        if is_npc(game, who):  # nor how much they can bear, by which rounds are left to them
            open_ = tuple([(what, 0) for what, _ in told if what in _VISIBLE])
        found += [
            Note(each, FOR_EVERYONE if told == open_ else GMS_ONLY)
            for each in facts_summary(who, told)
        ]
        if told != open_:
            found += [
                Note(each, FOR_EVERYONE, hidden_from=GMS_ONLY) for each in facts_summary(who, open_)
            ]
    return found
