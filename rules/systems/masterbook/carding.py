"""What cards may go on in an attack, and what becomes of its numbers (MB-CARD-13, MB-CARD-E01 to MB-CARD-E18)."""

from __future__ import annotations

from typing import Any

from rules.core.errors import RulesError
from rules.systems.masterbook import arms, blows
from rules.systems.masterbook.aiming import DEFEND, STRIKE, AnyAttack, Attack, Foe, Side, victims
from rules.systems.masterbook.deck import rolls
from rules.systems.masterbook.deck.playing import Effect, Moment, Named
from rules.systems.masterbook.means import find
from rules.systems.masterbook.sides import side_of
from rules.systems.masterbook.standing import FAILS, TRAINING, Ending, Reading, Training
from rules.systems.masterbook.telling import is_npc
from rules.table.checks.stages import ROLL
from rules.table.system import Game


def _about(game: Game, check: AnyAttack) -> Moment:
    """The attack itself."""
    foes = tuple([each.who for each in check.data.foes])
    players = any(not is_npc(game, each) for each in foes if each != check.actor)
    return Moment(actor=check.actor, whose=check.actor, against=foes, players=players)


def open_moments(game: Game, check: AnyAttack) -> tuple[Moment, ...]:
    """While the dice lie open: every total, and each defence that stands without a roll."""
    data, about = check.data, _about(game, check).but(window="roll_pending", number="total")
    if not data.throws:
        return ()
    if blows.unawares(data):
        about = about.but(blind=about.against)
    sides = {each.who: each for each in data.sides}
    found: list[Moment] = []
    for each in data.throws:
        foe = next((one for one in data.foes if one.who == each.who), None)
        if each.what == DEFEND and foe is not None:
            found.append(_defends(about, foe))
        else:
            means = find(game.sheet(each.who), sides[each.who].skill)
            adds = means.all_adds
            skill = bool(means.skill)
            found.append(
                about.but(whose=each.who, what=each.what, attribute=means.attribute, adds=adds, skill=skill)
            )
    thrown = {each.who for each in data.throws if each.what == DEFEND}
    if not data.sides[0].blast:
        found += [
            _defends(about, each).but(number="value")
            for each in data.foes
            if each.who not in thrown and each.held is None and not data.plan.defence
        ]
    return tuple(found)


def _defends(about: Moment, foe: Foe) -> Moment:
    """A defence; nobody helps that of somebody who is wholly surprised (MB-SUR-01)."""
    adds = foe.means.all_adds
    about = about.but(whose=foe.who, what=DEFEND, attribute=foe.means.attribute, adds=adds)
    return about.but(players=False, skill=bool(foe.means.skill), aware=not about.blind)


def stood(data: Any, effect: Effect) -> Any:
    """The data with a card on a defence that stands without a roll."""
    thrown = {each.who for each in data.throws if each.what == DEFEND}
    added = (effect.name, effect.amount)
    foes = [
        each.but(how=each.how.but(modifiers=(*each.how.modifiers, added)))
        if each.who == effect.whose
        and each.who not in thrown
        and (effect.lasts or (effect.number, effect.what) == ("value", DEFEND))
        else each
        for each in data.foes
    ]
    return data.but(foes=tuple(foes))


def kind_of(data: Attack, side: Side) -> Named:
    """What an attack's effect is read from: its result points, or a damage value."""
    if blows.as_maneuver(data):
        return "result"
    return "strength_damage" if side.strong else "damage"


def hit(game: Game, check: AnyAttack) -> tuple[Foe, ...]:
    """Everybody it reaches, before what it does is read."""
    data = check.data
    if data.sides and data.sides[0].blast:
        return tuple([each for each in data.foes if blows.zone_of(data, each) < arms.CLEAR])
    return tuple([each for each in data.foes if blows.landed(game, data, each)[0] != "miss"])


class Untaught(Training[Attack]):
    """Somebody lacks the training that their weapon takes; nothing is paid for yet."""

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data, who = check.data, check.actor
        if data.answer != ROLL or data.sides or not rolls.may_train(game, who):
            return ()
        about = Moment("pre_roll", who, who, "total", STRIKE, against=victims(check))
        try:
            barred = side_of(game, check, who, data.plan).how.barred
        except RulesError:  # what was declared cannot be any more: whoever waits withdraws
            barred = check.prompt(TRAINING) is not None
        return (about,) if barred else ()


class Impact(Reading[Attack]):
    """It has hit, and nobody has read what that does (MB-CARD-E07, OP-44)."""

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data = check.data
        if not data.sides or not rolls.dealt(game) or data.blows:
            return ()
        reached = hit(game, check)
        about = _about(game, check).but(window="effect_pending")
        if not reached:
            return ()
        found = [
            about.but(whose=each.who, actor=each.who, number=kind_of(data, each), what=STRIKE)
            for each in data.sides
        ]
        tough = [about.but(whose=each.who, number="toughness", players=False) for each in reached]
        return (*found, *(() if blows.as_maneuver(data) else tough))


class After(Ending[Attack]):
    """All of it is known, and nothing of it has been taken (MB-CARD-E12, MB-CARD-E15)."""

    orders = FAILS

    def moments(self, game: Game, check: AnyAttack) -> tuple[Moment, ...]:
        data = check.data
        if not data.sides or data.failed:
            return ()
        return (_about(game, check).but(window="after_resolution", what=STRIKE),)

    def undone(self, data: Any, who: str) -> Any:
        kept = tuple([each for each in data.throws if each.who != who or each.what == DEFEND])
        return data.but(throws=kept, blows=(), bleeding=(), strayed=None, placed=False)
