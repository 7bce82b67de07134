"""An attack in blocks: what everybody, those who take part and the GMs may read of it."""

from __future__ import annotations

from typing import Final

from rules.systems.masterbook import damage
from rules.systems.masterbook.aiming import (
    DEFEND,
    HIDDEN,
    STRIKE,
    AnyAttack,
    Attack,
    Blow,
    Foe,
)
from rules.systems.masterbook.blows import (
    aims,
    landed,
    number_of,
    reached,
    shown_number,
    spot_number,
    throw_by,
)
from rules.systems.masterbook.chart import Damage
from rules.systems.masterbook.deck.rolls import notes
from rules.systems.masterbook.standing import CANCEL, OPEN, together, untrained
from rules.systems.masterbook.telling import (
    card_notes,
    dice_of,
    happened,
    is_npc,
    lowered_notes,
    modifier_lines,
    point_notes,
)
from rules.table.blocks import (
    ALL,
    GMS_ONLY,
    Block,
    Fact,
    Note,
    Quote,
    Ref,
    Seen,
    Text,
    Verdict,
)
from rules.table.checks.describing import DIFFICULTY, WITH, asked_and_noted, shifted, tone, veiled
from rules.table.checks.stages import FREE, IMPOSSIBLE
from rules.table.system import Game


def _number(what: str, name: str | None) -> Text:
    return Text("mb-number", {"what": what, "name": name})


def describe(game: Game, check: AnyAttack) -> tuple[Block, ...]:
    """Everything about an attack, the verdict first."""
    data = check.data
    found = [*_outcome(game, check), *_with(game, check)]
    if check.approach:
        found.append(Quote(check.approach, check.by, ALL))
    result = [*_against(game, data), *dice_of(game, data.throws), *point_notes(data.points)]
    result += notes(data.effects)
    result += [*_dropped(game, data), *shifted(game, data.shifts, _number), *_befell(game, data)]
    if check.visibility == "blind" and data.throws:
        result = [each.but(seen=GMS_ONLY) for each in result]
    found += result
    found += [*untrained(check), *card_notes(check), *asked_and_noted(check)]
    return tuple(found)


# --- how it came out -------------------------------------------------------------------------------------------


def _secret(game: Game, data: Attack, foe: Foe) -> bool:
    """Whether what has to be reached is for the GMs: how good an NPC is that does not roll."""
    return is_npc(game, foe.who) and throw_by(data, foe.who, DEFEND) is None


def _outcome(game: Game, check: AnyAttack) -> tuple[Block, ...]:
    data, seen = check.data, GMS_ONLY if check.visibility == "blind" else ALL
    if data.failed:
        return (
            Verdict(Text("mb-card-fails", {"who": Ref(data.failed)}), tone(game, check, good=False), seen),
        )
    if data.answer == IMPOSSIBLE:
        return (Verdict(Text("check-cannot"), tone(game, check, good=False), ALL, worked=False),)
    if aims(data):
        return (Verdict(Text("mb-aims", {"who": Ref(check.actor)}), "neutral", ALL),) if data.sides else ()
    side = next(iter(data.sides), None)
    if side is None or not (data.throws or data.blows):
        return ()
    if check.stage in (OPEN, CANCEL):
        # Before the GM tells how it came out nobody else knows (MB-DIE-03).
        seen = GMS_ONLY if any(_secret(game, data, each) for each in data.foes) else seen
    if side.blast:
        return _place(game, check, seen)
    if len(data.foes) > 1 and data.blows:
        hit = [each for each in data.blows if each.kind != "miss"]
        text = Text("mb-hits", {"count": len(hit), "of": len(data.foes)})
        return (Verdict(text, tone(game, check, good=bool(hit)), seen),)
    foe = next(iter(data.foes))
    blow = next((each for each in data.blows if each.who == foe.who), None)
    return _single(game, check, foe, blow, seen)


def _single(game: Game, check: AnyAttack, foe: Foe, blow: Blow | None, seen: Seen) -> tuple[Block, ...]:
    data, found = check.data, reached(check.data, foe) if check.data.throws else None
    number = shown_number(data, foe)
    total = None if found is None else found.total
    kind = blow.kind if blow is not None else "miss" if total is None else landed(game, data, foe)[0]
    hit = kind != "miss"
    by = blow.points if blow is not None and hit else None
    numbers = None if total is None or hit else Text("check-numbers", {"total": total, "number": number})
    through = kind == "through_cover"
    of = data.plan.group or len(data.sides)
    shown = {"through": through, "count": blow.count if blow is not None and of > 1 else None, "of": of}
    text = Text("mb-hit", {"by": by, **shown}) if hit else Text("check-miss")
    # A miss is one whomever it is good for.
    worked, what = None if hit else False, _does(game, blow, full=True)
    full = Verdict(text, tone(game, check, good=hit), seen, worked=worked, numbers=numbers, what=what)
    plain = full.but(what=_does(game, blow, full=False))
    if _secret(game, data, foe):
        plain = plain.but(
            text=Text("mb-hit", {"by": None, **shown}) if hit else text,
            numbers=None if numbers is None else Text("check-numbers-hidden", {"total": total}),
        )
    if seen == GMS_ONLY or full == plain:
        return (full,)
    return full.but(seen=GMS_ONLY), plain.but(seen=ALL, unless=GMS_ONLY)


def _place(game: Game, check: AnyAttack, seen: Seen) -> tuple[Block, ...]:
    """Whether something thrown comes down where it should."""
    data = check.data
    strike = throw_by(data, data.sides[0].who, STRIKE)
    if strike is None:
        return (Verdict(Text("mb-on-the-spot"), tone(game, check, good=True), seen),)
    on_it = strike.total >= spot_number(data)
    numbers = {"total": strike.total, "number": spot_number(data)}
    where = {} if data.strayed is None else {"direction": data.strayed[0], "metres": data.strayed[1]}
    text = Text("mb-on-the-spot") if on_it else Text("mb-strays", where)
    return (Verdict(text, tone(game, check, good=on_it), seen, numbers=Text("check-numbers", numbers)),)


def damage_text(done: Damage) -> Text:
    """What a result is made of: `2 wounds, K, 3 shock`."""
    parts = [
        ("wound", done.wounds),
        ("bleeder", done.bleeders),
        ("knockdown", int(done.knockdown)),
        ("ko", done.ko),
        ("shock", done.shock),
    ]
    items = tuple([Text("mb-part", {"what": what, "number": number}) for what, number in parts if number])
    return Text("mb-damage", {"items": items})


def _does(game: Game, blow: Blow | None, *, full: bool) -> Text | None:
    """What a hit does; how much of it an NPC takes only GMs read."""
    if blow is None or blow.kind in ("miss", "clear"):
        return None
    if blow.effect:
        return Text("mb-maneuvered", {"who": Ref(blow.who), "effect": blow.effect})
    left = blow.left
    hurt = bool(damage.packages(left))
    shown = damage_text(left) if hurt and (full or not is_npc(game, blow.who)) else None
    return Text("mb-takes", {"who": Ref(blow.who), "hurt": hurt, "damage": shown})


# --- what led to it --------------------------------------------------------------------------------------------


def _with(game: Game, check: AnyAttack) -> list[Block]:
    """Weapons, how they are used, and with which value; an NPC's value is for the GMs."""
    data, found = check.data, list[Block]()
    plan = data.plan
    words = tuple([Text("mb-option", {"why": each}) for each in plan.options])
    if not data.sides:
        name = Text("mb-weapon", {"name": plan.weapon or None})
        said = [Fact(WITH, (*([name] if plan.weapon else []), *words), ALL)] if plan.weapon or words else []
        return [*said, *together(plan.together)]
    for at, side in enumerate(data.sides):
        title = WITH if at == 0 else Text("mb-helps", {"who": Ref(side.who)})
        shown = {"name": side.weapon, "skill": side.skill, "value": side.how.value}
        more = modifier_lines(side.how.modifiers)
        full = Fact(title, (Text("mb-weapon", shown), *more), ALL)
        if not is_npc(game, side.who):
            found.append(full)
            continue
        plain = (Text("mb-weapon", {"name": side.weapon}), *(words if at == 0 else ()))
        found += veiled(full, value=plain)
    return found


def _against(game: Game, data: Attack) -> list[Block]:
    """What has to be reached, where that is no secret, and what is in the way."""
    found, plan = list[Block](), data.plan
    if not data.sides or data.answer == FREE:
        return found
    if data.sides[0].blast:
        return [Fact(DIFFICULTY, spot_number(data), ALL)]
    for foe in data.foes:
        seen: Seen = GMS_ONLY if _secret(game, data, foe) else ALL
        shown = {"who": Ref(foe.who), "name": foe.means.name, "number": number_of(data, foe)}
        found.append(Fact(Text("mb-defends", shown), number_of(data, foe), seen))
    if plan.concealment or plan.cover:
        concealed = f"{HIDDEN}{plan.concealment}" if plan.concealment else ""
        behind = [each for each in (concealed, plan.cover) if each]
        items = tuple([Text("mb-option", {"why": each}) for each in behind])
        found.append(Fact(Text("mb-behind"), items, ALL))
    return found


def _dropped(game: Game, data: Attack) -> list[Block]:
    """Who has spent a Life Point on what."""
    return [
        note.but(seen=GMS_ONLY if is_npc(game, each.who) else ALL)
        for each in data.blows
        for note in lowered_notes(each.who, each.dropped, own=each.own > 0)
    ]


#: Of what happens to an NPC players read only what anybody can see.
_VISIBLE: Final = ("knockdown", "knocked_out", "fainted", "mortal", "dead", "held")
_PLAIN: Final = ("wounds", "shock", "bleeders")


def _befell(game: Game, data: Attack) -> list[Block]:
    """What happened to whom, besides the numbers that stand there already."""
    found = list[Block]()
    for each in data.blows:
        if each.kind == "clear":
            found.append(Note(Text("mb-gets-clear", {"who": Ref(each.who)}), ALL))
        elif len(data.foes) > 1 or each.zone:
            full, plain = _does(game, each, full=True), _does(game, each, full=False)
            code = Text("mb-missed", {"who": Ref(each.who)})
            if full == plain:
                found.append(Note(full or code, ALL))
            elif full is not None and plain is not None:
                found += [Note(full, GMS_ONLY), Note(plain, ALL, unless=GMS_ONLY)]
    for who, facts in data.came:
        told = tuple([each for each in facts if each[0] not in _PLAIN])
        open_ = tuple([each for each in told if each[0] in _VISIBLE])
        if not is_npc(game, who) or told == open_:
            found += [Note(each, ALL) for each in happened(who, told)]
            continue
        found += [Note(each, GMS_ONLY) for each in happened(who, told)]
        found += [Note(each, ALL, unless=GMS_ONLY) for each in happened(who, open_)]
    return found
