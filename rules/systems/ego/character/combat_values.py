"""Values of a sheet in a fight: body, armor, Action Points, and counters of the round."""

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
from rules.table.checks.secret_costs import secretly_spent
from rules.table.checks.shared_blocks import NumberChange
from rules.table.permissions import is_gm
from rules.table.resources import Resource
from rules.table.system import Game

#: Specialties that act in a fight.
SHARPSHOOTER, FAST_DRAW, TUMBLING = "Sharpshooter", "Fast Draw", "Tumbling"
#: Effect that counts as armor, and never wears (EGO-FX-06).
_BODY_ARMOR: Final = "Body Armor"


def body_of(sheet: EgoSheet) -> Body:
    """Return the Vitality of a character, or of an enemy's profile, and the damage taken."""
    now, scores = sheet.round, sheet.profile or sheet
    taken = sheet.lethal, sheet.non_lethal, now.stun, now.stopped
    return Body(scores.vitality, *taken, stunned=sheet.stunned, down=sheet.down)


def is_dead(sheet: EgoSheet) -> bool:
    """Return whether a character is dead (EGO-DMG-04)."""
    return sheet.down == damage.DEAD or damage.is_dead(body_of(sheet))


#: Words for the health of a character who can act, as messages and the board have them.
UNHURT, LIGHTLY_HURT, BADLY_HURT = "unhurt", "hurt", "badly-hurt"
#: Level of impairment above which a character is badly hurt.
_BADLY: Final = 2


def health_of(game: Game, sheet: EgoSheet) -> str:
    """Return how a character is: what makes them helpless, or the word for their health."""
    if sheet.down:
        return sheet.down
    if impairment_of(game, sheet) > _BADLY:
        return BADLY_HURT
    return LIGHTLY_HURT if sheet.lethal or sheet.non_lethal else UNHURT


def with_body(sheet: EgoSheet, body: Body) -> EgoSheet:
    """Return the sheet with the damage of a body."""
    return sheet.replace(
        lethal=body.lethal,
        non_lethal=body.non_lethal,
        stunned=body.stunned,
        down=body.down,
        round=sheet.round.replace(stun=body.stun, stopped=body.stopped),
    )


def impairment_of(game: Game, sheet: EgoSheet) -> int:
    """Return the level of impairment at this table (EGO-IMP-01)."""
    return damage.impairment(body_of(sheet), game.setting("impairment_mode"))


def armor_of(sheet: EgoSheet) -> int:
    """Return the armor rating that counts (EGO-ARM-01, EGO-FX-06)."""
    return effects.effective_armor(rating_of(sheet, _BODY_ARMOR), worn_armor_rating(sheet))


def worn_armor_rating(sheet: EgoSheet) -> int:
    """Return the rating of the worn armor, or of an enemy's hide."""
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
    kind: ArmorKind | None = None
    if sheet.armour:
        kind = rows_of(game.campaign, "armour").get(sheet.armour.name)
    now = damage.armor_after_wear(rating, stopped, 1 if kind is None else kind.threshold_factor)
    if now == rating:
        return sheet
    if sheet.armour is not None:
        return sheet.replace(armour=sheet.armour.replace(ar=now))
    profile = sheet.profile
    if profile is None:
        return sheet
    return sheet.replace(profile=profile.replace(ar=now))


# --- the round ------------------------------------------------------------------------------------


def points_of(sheet: EgoSheet) -> ActionPoints:
    """Return the Action Points of this round (EGO-AP-01, EGO-EFF-02, EGO-NME-01).

    A character that is stunned or helpless has none.
    """
    now, profile = sheet.round, sheet.profile
    if profile is None:
        base = ability_dice(sheet, "agility")
    else:
        base = 1 if profile.ap is None else profile.ap
    able = not sheet.stunned and not sheet.down
    return ActionPoints(base + now.bonus if able else 0, now.spent, now.alone)


def with_points(sheet: EgoSheet, points: ActionPoints) -> EgoSheet:
    """Return the sheet with these Action Points spent."""
    return sheet.replace(round=sheet.round.replace(spent=points.spent, alone=points.alone))


def new_round(game: Game, sheet: EgoSheet, number: int) -> EgoSheet:
    """Return the sheet with fresh counters for the round of that number (EGO-CMB-01).

    It is the same object if the counters are fresh already.
    """
    profile, bonus = sheet.profile, 0
    if profile is not None and profile.ap is None and game.setting("enemy_ap") == "def":
        bonus = profile.defence - 1
    fresh = Round(number, bonus=bonus)
    if sheet.round == fresh:
        return sheet
    return sheet.replace(round=fresh)


def with_current_round(game: Game, who: str, number: int | None) -> Game:
    """Return the game with a character's counters of this round.

    Outside rounds, each action has fresh counters.
    """
    sheet: EgoSheet = game.sheet(who)
    if number is not None and sheet.round.number == number:
        return game
    return game.with_sheet(who, new_round(game, sheet, number or 0))


def pay_karma(game: Game, who: str, number: int, round: int | None) -> Game:
    """Return the game after a character has bought dice for a roll (EGO-KAR-02).

    Raises as `karma_after_dice`.
    """
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
    """Require that a character can act. Raises Impossible("ego-cannot-act") (EGO-EFF-02,
    EGO-EFF-03).
    """
    sheet: EgoSheet = game.sheet(who)
    if sheet.down or sheet.stunned:
        raise Impossible(
            "ego-cannot-act", name=game.display_name(who), down=sheet.down, rounds=sheet.stunned
        )


def require_alive(game: Game, target: str) -> None:
    """Require that the target is not dead. Raises Impossible("ego-dead-already")."""
    if target in game.state.characters and game.sheet(target).down == damage.DEAD:
        raise Impossible("ego-dead-already")


def needs_gm_ruling(game: Game, target: str) -> bool:
    """Return whether an attack on a helpless target needs the ruling of a GM (EGO-ATK-01).

    The attack of a GM needs none.
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
#: Numbers of a character, by kind and, where there are several, by name.
Numbers = Mapping[tuple[str, str], int]


def number_shifts(who: str, before: Numbers, after: Numbers) -> tuple[NumberChange, ...]:
    """Return the changed numbers of a character."""
    changes: list[NumberChange] = []
    for (what, name), now in after.items():
        was = before[what, name]
        if was != now:
            changes.append(NumberChange(who, what, was, now, name=name))
    return tuple(changes)


@memo_by_identity
def condition(sheet: EgoSheet) -> Numbers:
    """Return the numbers that a hit can change."""
    body = body_of(sheet)
    return {
        ("vitality", ""): damage.vitality_left(body),
        ("stun", ""): damage.stun_left(body),
        ("armour", ""): armor_of(sheet),
    }


def with_open_karma(game: Game, who: str, check: str) -> Game:
    """Return the game with a character's Karma as other participants may know it (EGO-KAR-04).

    Karma that was spent in secret in another check counts until its purchase is public.
    """
    spent = secretly_spent(game, who, "karma", besides=check)
    if not spent:
        return game
    sheet: EgoSheet = game.sheet(who)
    return game.with_sheet(who, sheet.replace(karma=sheet.karma + spent))
