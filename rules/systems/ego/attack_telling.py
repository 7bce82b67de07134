"""An attack in blocks: what everybody, those who take part and the GMs may read of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rules.systems.ego import aiming, ranged, telling
from rules.systems.ego.dice import Pool
from rules.systems.ego.standing import HURT
from rules.table.blocks import ALL, GMS_ONLY, Block, Fact, Note, Ref, Roll, Text, Verdict
from rules.table.checks.check import OVER
from rules.table.checks.describing import DIFFICULTY, WITH, asked_and_noted, in_words, read_by, tone
from rules.table.checks.stages import FREE, IMPOSSIBLE
from rules.table.system import Game

_DAMAGE: Final = telling.label("damage")


def describe(game: Game, check: aiming.AnyAttack) -> tuple[Block, ...]:
    """Everything about an attack, the verdict first."""
    data = check.data
    found = [*_outcome(game, check)]
    if means := _with(game, check):
        found.append(Fact(WITH, means, ALL))
    if data.terms and not telling.is_npc(game, check.actor):
        found.append(telling.labelled("pool", telling.term_lines(data.terms)))
    found += in_words(check)
    against, dice = _against(game, check), _dice(game, check)
    if data.means is not None and not data.means.close:
        found += against
        against = []
    # Where one was hit the head says what they have taken, and that they are down.
    one = len(data.harms) == 1
    came = befell(game, [each for each in data.came if not (one and (each.code == HURT or _is_down(each)))])
    found += read_by(check, [*dice, *against, *_changes(game, check), *came])
    return (*found, *asked_and_noted(check))


# --- how it came out -------------------------------------------------------------------------------------------


def _outcome(game: Game, check: aiming.AnyAttack) -> Iterable[Block]:
    data, seen = check.data, GMS_ONLY if check.visibility == "blind" else ALL
    if data.answer == IMPOSSIBLE:
        return (Verdict(Text("check-cannot"), tone(game, check, good=False), ALL, worked=False),)
    if not data.throws and not data.faces:
        return ()
    hit = aiming.is_hit(data)
    seen_as, final = tone(game, check, good=hit), check.stage != aiming.OPEN
    total, number = (0, 0) if data.answer == FREE else aiming.balance(data)
    if not hit:
        close = data.means is not None and data.means.close
        what = Text("check-evades", {"who": Ref(check.target or "")}) if close and final else None
        numbers = Text("check-numbers", {"total": total, "number": number})
        return (Verdict(Text("check-miss"), seen_as, seen, numbers=numbers, what=what),)
    text = Text("check-hit", {"by": total - number or None})
    if not final:
        return (Verdict(text, seen_as, seen),)
    full, *plain = _struck(game, data)
    found = [Verdict(text, seen_as, ALL, unless=GMS_ONLY, what=each) for each in plain if seen is ALL]
    return (Verdict(text, seen_as, GMS_ONLY if plain else seen, what=full), *found)


def _struck(game: Game, data: aiming.Attack) -> tuple[Text, ...]:
    """What a hit does; of an NPC how much, only the GMs read, and behind it stands what the others do."""
    harms = data.harms
    if len(harms) != 1:
        return (Text("ego-several", {"count": len(harms)}),)
    who, taken, stopped = (harms[0][each] for each in ("who", "points", "stopped"))
    fell = ["", *[each.params["how"] for each in data.came if each.code == "ego-hit-down"]]
    about = {"who": who, "hurt": taken > 0, "stun": not aiming.is_lethal(data), "how": fell[-1]}
    full = Text("ego-takes", {**about, "points": taken, "stopped": stopped})
    if not telling.is_npc(game, who.id):
        return (full,)
    about |= {"how": ""} if telling.is_unknown(game, who.id) else {}
    return full, Text("ego-takes", {**about, "points": None, "stopped": 0})


def _is_down(said: Text) -> bool:
    return said.code == "ego-hit-down" and bool(said.params["how"])


#: What tells numbers of somebody, and what is told of an NPC instead.
_NUMBERS: Final = ("ego-hit-impaired", HURT, "ego-lasts")


def befell(game: Game, came: Iterable[Text]) -> list[Note]:
    """What happened to everybody; whoever is down for it need not be called hurt."""
    came, found = tuple(came), list[Note]()
    down = [each.params["who"] for each in came if _is_down(each)]
    for each in came:
        full, *plain = _befell(game, each)
        hurt = each.code == HURT and each.params["who"] in down
        found += [full] if hurt else [full, *plain]
    return found


def _befell(game: Game, said: Text) -> tuple[Note, ...]:
    """What happened to somebody; how much an NPC takes, and how it is for that, only the GMs read."""
    who = said.params.get("who")
    if not isinstance(who, Ref) or not telling.is_npc(game, who.id):
        return (Note(said, ALL),)
    unknown = telling.is_unknown(game, who.id)
    if not unknown and said.code not in _NUMBERS:
        return (Note(said, ALL),)
    if unknown or said.code != HURT:
        return (Note(said, GMS_ONLY),)
    plain = Text("ego-hurt", {"who": who, "unhurt": said.params["unhurt"]})
    return Note(said, GMS_ONLY), Note(plain, ALL, GMS_ONLY)


# --- what led to it --------------------------------------------------------------------------------------------


def _with(game: Game, check: aiming.AnyAttack) -> tuple[Text, ...]:
    """The weapon, and with how many dice; of an NPC its GMs know."""
    data, means = check.data, check.data.means
    name = data.plan.weapon if means is None else means.name
    pool = None if means is None or telling.is_npc(game, check.actor) else data.pool
    found = [] if data.unnamed or not name else [Text("ego-weapon", {"name": name, "dice": pool})]
    plan, way = data.plan, aiming.fire_of(data)
    ways = {way: way != "single", "two_hands": plan.two_hands}
    said: dict[str, Any] = {"pounds": plan.weight, "damage": plan.to_damage, "karma": plan.karma_damage}
    if not data.band:
        said["metres" if plan.range.isdecimal() else "range"] = plan.range
    more = [Text("ego-said", {key: each}) for key, each in said.items() if each]
    return (*found, *factor_lines([each for each, so in ways.items() if so]), *more)


def factor_lines(factors: Iterable[str]) -> tuple[Text, ...]:
    """What makes it harder or easier at range (EGO-RNG-02)."""
    return tuple([Text("ego-with", ranged.said_of(each)) for each in factors])


def _against(game: Game, check: aiming.AnyAttack) -> list[Block]:
    """What it goes against, and what moves that."""
    data, means = check.data, check.data.means
    near = [who for who in aiming.victims(check) if who != check.target]
    # Players hear nothing of somebody whom they know nothing of.
    seen = GMS_ONLY if any(telling.is_unknown(game, who) for who in near) else ALL
    what = Text("ego-listed", {"what": tuple(map(Ref, near))})
    found: list[Block] = [telling.labelled("nearby", what, seen)] if near else []
    if means is not None and not means.close:
        text = Text("ego-range", {"number": aiming.balance(data)[1], "band": data.band})
        found.append(Fact(DIFFICULTY, text, ALL))
    elif data.throws and (data.moved or len(data.throws) > 2):
        found.append(telling.labelled("beat", aiming.balance(data)[1]))
    return found + telling.adjusted(game, check.actor, data.moved, factor_lines(data.plan.factors))


def _dice(game: Game, check: aiming.AnyAttack) -> list[Block]:
    data = check.data
    found = [block for each in data.throws for block in telling.dice_of(game, each)]
    if data.faces or data.harms:
        flat = 0 if data.means is None else data.means.flat
        found += damage_of(game, check.actor, data.faces, data.dealt, flat)
    return found


def damage_of(
    game: Game, who: str, faces: tuple[int, ...], points: int, flat: int = 0, what: Text = _DAMAGE
) -> list[Block]:
    """The damage dice; how many an NPC has only GMs read."""
    roll = Roll(None, what, Pool(faces).dice, points, ALL, (flat,) if flat else ())
    return telling.told(game, who, roll, Fact(what, points, ALL))


def _changes(game: Game, check: aiming.AnyAttack) -> list[Block]:
    """Every number that is another now, each once; what the target has paid, once the dice lie open.

    Action Points mean something only in a round.
    """
    data = check.data
    paid = bool(data.throws) or check.stage == OVER
    shown = [each for each in data.shifts if each.what != "ap" or check.round is not None]
    known = shown if paid else [each for each in shown if each.who == check.actor]
    return telling.shifted(game, known, data.throws)
