"""What a sheet comes to in a fight: the body, its armor, Action Points, and the counters of the
round.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from rules.core.errors import Impossible
from rules.core.memo import memo_by_identity
from rules.systems.ego.character.sheet import EgoSheet, Round, ability_dice, rating_of
from rules.systems.ego.formulas import damage, dice, effects
from rules.systems.ego.formulas.action_points import ActionPoints
from rules.systems.ego.formulas.damage import Body
from rules.systems.ego.formulas.reference_rows import ArmorKind, rows_of
from rules.table.checks.open_points import secretly_spent
from rules.table.checks.shared_blocks import NumberChange
from rules.table.permissions import is_gm
from rules.table.resources import Resource
from rules.table.system import Game

#: Specialties that act in a fight.
SHARPSHOOTER, FAST_DRAW, TUMBLING = "Sharpshooter", "Fast Draw", "Tumbling"
#: The effect that counts as armor, and is never worn down (EGO-FX-06).
_BODY_ARMOR: Final = "Body Armor"


def body_of(sheet: EgoSheet) -> Body:
    """What somebody can take, an enemy by its profile, and has taken."""
    now, scores = sheet.round, sheet.profile or sheet
    taken = sheet.lethal, sheet.non_lethal, now.stun, now.stopped
    return Body(scores.vitality, *taken, stunned=sheet.stunned, down=sheet.down)


def is_dead(sheet: EgoSheet) -> bool:
    """Return whether a character is dead (EGO-DMG-04)."""
    return sheet.down == damage.DEAD or damage.is_dead(body_of(sheet))


def with_body(sheet: EgoSheet, body: Body) -> EgoSheet:
    """The sheet with what somebody has taken now."""
    return sheet.replace(
        lethal=body.lethal,
        non_lethal=body.non_lethal,
        stunned=body.stunned,
        down=body.down,
        round=sheet.round.replace(stun=body.stun, stopped=body.stopped),
    )


def impairment_of(game: Game, sheet: EgoSheet) -> int:
    """The level of impairment, as the table plays it (EGO-IMP-01)."""
    return damage.impairment(body_of(sheet), game.setting("impairment_mode"))


def armor_of(sheet: EgoSheet) -> int:
    """The one armor that counts (EGO-ARM-01, EGO-FX-06)."""
    return effects.effective_armor(rating_of(sheet, _BODY_ARMOR), worn_armor_rating(sheet))


def worn_armor_rating(sheet: EgoSheet) -> int:
    """The rating of what somebody wears, or of an enemy's hide."""
    if sheet.armour is not None:
        return sheet.armour.ar
    return 0 if sheet.profile is None else sheet.profile.ar


def wear(game: Game, sheet: EgoSheet, stopped: int) -> EgoSheet:
    """Return the sheet after a round in which armor stopped so many points (EGO-ARM-02).

    The sheet comes back unchanged if the armor holds. The character keeps the worn suit on, even if
    a spare one is better now.
    """
    rating = worn_armor_rating(sheet)
    if armor_of(sheet) != rating:
        return sheet
    kind: ArmorKind | None = (
        rows_of(game.campaign, "armour").get(sheet.armour.name) if sheet.armour else None
    )
    now = damage.armor_after_wear(rating, stopped, 1 if kind is None else kind.threshold_factor)
    if now == rating:
        return sheet
    if sheet.armour is not None:
        return sheet.replace(armour=sheet.armour.replace(ar=now))
    profile = sheet.profile
    return sheet if profile is None else sheet.replace(profile=profile.replace(ar=now))


# --- the round ------------------------------------------------------------------------------------


def points_of(sheet: EgoSheet) -> ActionPoints:
    """Action Points of this round; whoever is stunned or out of it has none (EGO-AP-01, EGO-EFF-02,
    EGO-NME-01).
    """
    now, profile = sheet.round, sheet.profile
    most = (
        ability_dice(sheet, "agility")
        if profile is None
        else 1
        if profile.ap is None
        else profile.ap
    )
    able = not sheet.stunned and not sheet.down
    return ActionPoints(most + now.bonus if able else 0, now.spent, now.alone)


def with_points(sheet: EgoSheet, points: ActionPoints) -> EgoSheet:
    """The sheet with so many spent."""
    return sheet.replace(round=sheet.round.replace(spent=points.spent, alone=points.alone))


def new_round(game: Game, sheet: EgoSheet, number: int) -> EgoSheet:
    """The sheet with the counters of a round of that number begun anew (EGO-CMB-01); itself where
    they are so.
    """
    profile, bonus = sheet.profile, 0
    if profile is not None and profile.ap is None and game.setting("enemy_ap") == "def":
        bonus = profile.defence - 1
    begun = Round(number, bonus=bonus)
    return sheet if sheet.round == begun else sheet.replace(round=begun)


def with_current_round(game: Game, who: str, number: int | None) -> Game:
    """The game in which somebody's counters are those of this round; without one each thing done is
    its own.
    """
    sheet: EgoSheet = game.sheet(who)
    if number is not None and sheet.round.number == number:
        return game
    return game.with_sheet(who, new_round(game, sheet, number or 0))


def pay_karma(game: Game, who: str, number: int, round: int | None) -> Game:
    """The game after somebody has bought dice for a roll (EGO-KAR-02)."""
    if not number:
        return game
    game = with_current_round(game, who, round)
    sheet: EgoSheet = game.sheet(who)
    left = dice.karma_after_dice(sheet.karma, number, sheet.round.karma_dice)
    spent = sheet.round.karma_dice + (number if round is not None else 0)
    return game.with_sheet(
        who, sheet.replace(karma=left, round=sheet.round.replace(karma_dice=spent))
    )


def require_able(game: Game, who: str) -> None:
    """Impossible("ego-cannot-act") for whoever is out of it or stunned (EGO-EFF-02, EGO-EFF-03)."""
    sheet: EgoSheet = game.sheet(who)
    if sheet.down or sheet.stunned:
        raise Impossible(
            "ego-cannot-act", name=game.display_name(who), down=sheet.down, rounds=sheet.stunned
        )


def require_alive(game: Game, target: str) -> None:
    """Impossible("ego-dead-already") for what is done to a corpse."""
    if target in game.state.characters and game.sheet(target).down == damage.DEAD:
        raise Impossible("ego-dead-already")


def needs_gm_ruling(game: Game, target: str) -> bool:
    """Whether somebody is attacked who is helpless: that is the GM's to judge, where no GM does it
    (EGO-ATK-01).
    """
    down = target in game.state.characters and game.sheet(target).down
    return bool(down) and not is_gm(game.state, game.actor)


def _with_left(sheet: EgoSheet, left: int) -> EgoSheet:
    points = points_of(sheet)
    return with_points(sheet, points.replace(spent=points.all - left))


AP: Final = Resource[EgoSheet](
    "ap",
    of=lambda sheet: points_of(sheet).left,
    with_value=_with_left,
    shortage_error=lambda have, need: Impossible(
        "ego-no-ap", need=need, left=have, over=need - have
    ),
)
#: Numbers of somebody, by what they are and, where there are several, the name of what they are of.
Numbers = Mapping[tuple[str, str], int]


def number_shifts(who: str, before: Numbers, after: Numbers) -> tuple[NumberChange, ...]:
    """The numbers of somebody that are others now."""
    found = [(key, before[key], each) for key, each in after.items() if before[key] != each]
    return tuple([NumberChange(who, what, was, now, name=name) for (what, name), was, now in found])


@memo_by_identity
def condition(sheet: EgoSheet) -> Numbers:
    """What a hit takes from somebody."""
    body = body_of(sheet)
    return {
        ("vitality", ""): damage.vitality_left(body),
        ("stun", ""): damage.stun_left(body),
        ("armour", ""): armor_of(sheet),
    }


def with_open_karma(game: Game, who: str, check: str) -> Game:
    """Return the game with a character's Karma as everybody may know it in a check (EGO-KAR-04).

    Karma that was spent in secret in another check is there until it is told.
    """
    spent = secretly_spent(game, who, "karma", besides=check)
    if not spent:
        return game
    sheet: EgoSheet = game.sheet(who)
    return game.with_sheet(who, sheet.replace(karma=sheet.karma + spent))
