"""Adapters for the worked examples of initiative cards: what a line says and does, approved
actions, tasks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from rules.core.cards import Piles
from rules.core.errors import Impossible
from rules.core.rng import ScriptedRng
from rules.systems.masterbook.checks.action_economy import RollAgain, with_line_effect
from rules.systems.masterbook.deck import card_lines, deal, play, skill_resolution, subplots
from rules.systems.masterbook.deck.card_definitions import (
    KINDS,
    Box,
    Face,
    InitiativeLine,
    Setting,
    default_faces,
    default_setting,
)
from rules.systems.masterbook.deck.card_lines import CardDeed
from rules.systems.masterbook.deck.deck_state import (
    DRAW_PILE,
    FACE,
    HAND,
    INITIATIVE,
    POOL,
    Cards,
    Deal,
    Flip,
    Scene,
    Seat,
)
from rules.systems.masterbook.deck.play import Moment
from rules.systems.masterbook.deck.skill_resolution import Task, TaskStep
from rules.systems.masterbook.formulas import damage as harms
from rules.systems.masterbook.formulas import multi_actions
from rules.systems.masterbook.formulas.damage import Harm
from rules.systems.masterbook.formulas.dice import bonus_number, throw
from tests.conformance.masterbook_card_names import apart
from tests.conformance.masterbook_multi_actions import initiative
from tests.conformance.masterbook_names import make_throw
from tests.conformance.runner import Given, MakeDice, Outputs, adapter

WHO = "somebody"
_SIDE = {"P": "P", "G": "G", "players": "P", "gamemaster": "G"}


def effect_of(said: Any) -> tuple[Any, str]:
    """An effect as a line writes it, and the skill that it names."""
    if said is None or isinstance(said, str):
        name, _, skill = (said or "").partition(":")
        return name, skill
    return said["effect"], said.get("skill", "")


def line_of(said: Mapping[str, Any]) -> InitiativeLine:
    """A line as an example writes it."""
    players, _ = effect_of(said.get("p", said.get("p_effect")))
    gms, skill = effect_of(said.get("g", said.get("g_effect")))
    first: Any = _SIDE[said.get("first", "P")]
    return InitiativeLine(first, players, gms, skill)


def box_of(said: Any) -> tuple[Box | None, tuple[str, ...]]:
    """A box: a list of letters, or its kind."""
    if said is None or isinstance(said, str):
        return cast("Box | None", said), ()
    if isinstance(said, Mapping):
        found = cast("Mapping[str, Any]", said)
        return found["kind"], tuple(found.get("letters", ()))
    return "letters", tuple(said)


def settings_of(given: Given) -> Setting:
    """What the table of an example agrees on: it plays with all of the deck, unless something else
    is said.
    """
    said = given.get("settings", {})
    return lambda key: (
        said[key] if key in said else "full" if key == "cards_mode" else default_setting(key)
    )


def _shown(effect: str) -> str | None:
    return effect or None


# --- reading a card -------------------------------------------------------------------------------


@adapter("masterbook-cards.mb-card-02")
@adapter("masterbook-cards.mb-card-i01")
@adapter("masterbook-cards.mb-card-i04")
@adapter("masterbook-cards.mb-card-i06")
def card_read(given: Given, dice: MakeDice) -> Outputs:
    if "successful_rolled_actions" in given:
        return limit(given, dice)
    scene: Scene = given.get("scene", "standard")
    number = given.get("card", given.get("number"))
    face = Face("", "") if number is None else default_faces()[str(number)]
    line = given.get("line")
    if line is not None:
        face = face.replace(standard=line_of(line), dramatic=line_of(line))
    if "approved" in given:
        face = face.replace(approved=tuple(given["approved"]))
    for each in ("standard", "dramatic"):
        if each in given:
            face = face.replace(**{each: line_of(given[each])})
    found = card_lines.read_face(face, scene)
    said = face.dramatic if scene == "dramatic" else face.standard
    return {
        "first_side": found.first,
        "p_effect": _shown(found.players),
        "g_effect": _shown(found.gms),
        "g_skill": _shown(found.skill),
        "approved": found.approved,
        "box": found.letters or found.box,
        "gamemaster_flag": _shown(found.gms),
        "player_flag": _shown(found.players),
        "player_actions_each": deal.action_count(found.players, loses=True),
        "gamemaster_actions_each": deal.action_count(found.gms, loses=True),
        "line": None
        if said is None
        else {"first": found.first, "p": _shown(found.players), "g": _shown(found.gms)},
    }


@adapter("masterbook-cards.mb-card-i02")
@adapter("masterbook-cards.mb-card-i03")
def side_order(given: Given, dice: MakeDice) -> Outputs:
    line = line_of(given["line"])
    scene: Scene = given.get("scene", "standard")
    found = card_lines.read_face(Face("", "", line, line), scene)
    names = ("agility", "confidence")
    sides = {
        side: {each: given[f"{name}_{key}"][each] for each in given[f"{name}_{key}"]}
        for side, key in (("P", "p"), ("G", "g"))
        for name in names
        if f"{name}_{key}" in given
    }
    scores = {who: score for side in sides.values() for who, score in side.items()}
    return {
        "order": multi_actions.initiative_order(
            scores, [sides[each] for each in found.sides if each in sides]
        )
    }


# --- what a line does -----------------------------------------------------------------------------


def _effect(given: Given) -> Any:
    """What befalls the side that an example is about."""
    return effect_of(given.get("p_effect", given.get("g_effect")))[0]


@adapter("masterbook-cards.mb-card-i05")
def fatigued(given: Given, dice: MakeDice) -> Outputs:
    now, _ = harms.Harm(shock=given["shock_taken"]), _effect(given)
    now, _ = card_lines.apply_fatigue(now, given["shock_capacity"])
    return {"shock_taken": now.shock, "unconscious": now.out}


@adapter("masterbook-cards.mb-card-17")
@adapter("masterbook-cards.mb-card-i07")
def inspired(given: Given, dice: MakeDice) -> Outputs:
    if "state" not in given:
        given.get("gamemaster_characters")
        _effect(given)
        now, _ = card_lines.apply_inspiration(Harm(shock=1, k=1, o=True, down=1))
        return {"cards_drawn": 0, "conditions_removed": now == Harm()}
    state = given["state"]
    was = Harm(
        wounds=state.get("wounds", 0),
        shock=state.get("shock", 0),
        k=harms.K_RESTS if state.get("k") else 0,
        o=state.get("o", False),
        fainted=state.get("unconscious", False) and state.get("wounds", 0) < harms.MORTAL,
        down=harms.KNOCKED_DOWN if state.get("knockdown") else 0,
    )
    now, _ = card_lines.apply_inspiration(was)
    return {
        "state": {
            "shock": now.shock,
            "k": now.k > 0,
            "o": now.o,
            "unconscious": now.out,
            "knockdown": now.down > 0,
            "wounds": now.wounds,
        },
        "cards_drawn": int(given.get("player_character", "g_effect" not in given)),
    }


@adapter("masterbook-cards.mb-card-i08")
def setback(given: Given, dice: MakeDice) -> Outputs:
    loses = given.get("choice", "lose_one_action") == "lose_one_action"
    return {
        "actions_left": deal.action_count(_effect(given), given.get("haste_played", 0), loses=loses)
    }


@adapter("masterbook-cards.mb-card-i09")
@adapter("masterbook-cards.mb-card-i10")
def dice_again(given: Given, dice: MakeDice) -> Outputs:
    waiting = RollAgain(int(given.get("taunt_up", False)), given.get("character_stymied", False))
    said = given.get("p_effect", given.get("g_effect"))
    if said is None:
        said = "up" if given.get("line_up") or "up_dice" in given else ""
    now = with_line_effect(effect_of(said)[0], waiting)
    if given.get("stymied", False):
        now = with_line_effect("stymied", now)
    shown: dict[str, object] = {"free_roll_again_dice": max(0, 2 * now.ups - now.stymied)}
    if "dice" in given:
        shown |= _thrown(given, now)
    return shown


def _thrown(given: Given, now: RollAgain) -> dict[str, object]:
    """Dice with what waits for them; what is rolled again and not written down shows a 1."""
    faces = [*given["dice"]]
    for each in ("up_dice", "ten_reroll", "roll_again"):
        faces += given.get(each, [])
    roll = throw(ScriptedRng([*faces, *[1] * 8]), given.get("trained", False), now.ups, now.stymied)
    assert len(roll.dice) >= len(faces), "every die of the example is rolled"
    return {
        "dice_rolled_again": len(roll.dice[2:]),
        "dice_total": roll.total,
        "bonus_number": bonus_number(roll.total),
    }


@adapter("masterbook-cards.mb-card-i11")
def breaks(given: Given, dice: MakeDice) -> Outputs:
    harder = card_lines.trap_penalty(
        achieved=given["achieved"], can_leave=given.get("can_leave", True)
    )
    stays = given["achieved"] or harder > 0
    return {"stays": stays, "breaks_off": not stays, "dn_modifier_all": harder}


def lying(given: Given, *, line: InitiativeLine | None = None, **seat: Any) -> Cards:
    """Somebody with the hand and the pool of an example, in a round whose card has this line."""
    faces = {
        "now": Face(
            "now",
            "action",
            line or InitiativeLine(),
            line or InitiativeLine(),
            approved=tuple(given.get("approved", ())),
        )
    }
    places: dict[str, tuple[str, ...]] = {INITIATIVE: ("now",)}
    for place in (HAND, POOL):
        # The one received last lies on top.
        cards = tuple(given.get(place, ()))[::-1]
        faces |= {each: Face(each, each) for each in cards}
        places[f"{place}:{WHO}"] = cards
    drawn = tuple(str(each) for each in given.get("drawn", ()))
    faces |= {each: Face(each, each if each != each.upper() else "action") for each in drawn}
    places[DRAW_PILE] = drawn
    deal = Deal(3, (Seat(WHO, **seat),), Flip("now"), 1)
    return Cards(
        Piles({place: cards for place, cards in places.items() if cards}), deal, faces, KINDS
    )


@adapter("masterbook-cards.mb-card-i12")
def cards_taken(given: Given, dice: MakeDice) -> Outputs:
    skill = given["g_skill"]
    cards = lying(given, line=InitiativeLine("P", "", "skill", skill))
    gone: list[str] = []
    for at in range(1, given.get("successes_on_same_pc", 1) + 1):
        chosen, index = given.get(f"gm_choice_{at}"), given.get(f"random_index_{at}")
        card = None if chosen is None else chosen.partition(":")[2]
        rng = dice([] if index is None else [index + 1])
        try:
            cards, moves = apart(
                card_lines.take_card(
                    cards.replace(setting=settings_of(given)), WHO, card, rng, skill
                )
            )
        except Impossible as error:
            assert error.code == "mb-card-no-cards", error.code
            continue
        gone += [each for move in moves for each in move.cards]
    return {"discarded": gone, "pool": cards.at(POOL, WHO)[::-1], "hand": cards.at(HAND, WHO)[::-1]}


# --- approved actions -----------------------------------------------------------------------------


def refusal(error: Impossible) -> str:
    """The code of a refusal as the examples write it."""
    return error.code.removeprefix("mb-card-").replace("-", "_")


def _deeds(given: Given) -> dict[str, CardDeed]:
    """What people in an example have done, by who they are."""
    found: dict[str, CardDeed] = {}
    for name in given:
        if isinstance(given[name], Given):
            each = given[name]
            against = [each["attack_total"]] if "attack_total" in each else []
            passive = each.get("melee_parry", each.get("dodge", 0))
            each.get("attacked")
            won = card_lines.has_stopped_attack(each.get("total", passive), against)
            found[name.capitalize()] = CardDeed("defend", "", each["active"], won)
    return found


def _earns(cards: Cards, deed: CardDeed, given: Given) -> str:
    """Why a deed earns nothing; empty where it earns a card, which GMs may take back."""
    try:
        cards = card_lines.earn_card(cards.replace(setting=settings_of(given)), WHO, deed)
    except Impossible as error:
        return refusal(error)
    if given.get("gm_agrees", True):
        return ""
    assert not card_lines.deny_award(cards, WHO).seat(WHO).awards
    return "gm_denied"


@adapter("masterbook-cards.mb-card-a01")
@adapter("masterbook-cards.mb-card-a02")
def awarded(given: Given, dice: MakeDice) -> Outputs:
    if given.get("award"):
        return _drawn(given, dice)
    said = given.get("p_effect")
    cards = lying(given, line=InitiativeLine("P", effect_of(said)[0]))
    if deeds := _deeds(given):
        return {"award": {who: not _earns(cards, deed, given) for who, deed in deeds.items()}}
    word = given.get("used_as", given.get("action", given.get("kind")))
    skill = given.get("skill", "")
    usual = given["approved"][0]
    done = given.get("success", given.get("succeeded", True))
    if word == card_lines.DEFEND or "attacked" in given:
        done = done and given.get("attacked", True)
    deed = CardDeed(word or skill or usual, skill, given.get("rolled", True), done)
    why = _earns(cards, deed, given)
    return {"award": not why, "refusal": why or None}


def _drawn(given: Given, dice: MakeDice) -> Outputs:
    """The card that was earned is dealt, with what follows where it is a subplot."""
    cards = card_lines.end_round(lying(given, awards=1), dice([]))
    for card in cards.seat(WHO).pending:
        cards = subplots.decide(
            cards, WHO, card, given.get("gm_allows", True), given.get("player_keeps", True)
        )
    return {
        "face_up": cards.at(FACE, WHO)[::-1],
        "hand_gains": cards.at(HAND, WHO)[::-1],
        "lock_on": cards.seat(WHO).locks[0][0],
    }


@adapter("masterbook-cards.mb-card-a03")
def limit(given: Given, dice: MakeDice) -> Outputs:
    line = InitiativeLine("P", "flurry" if given.get("flurry") else "")
    cards = lying(given, line=line, extra_actions=given.get("haste_played", 0))
    setting = settings_of(given)
    # A multi-action is one action, whatever it succeeds in.
    several = min(1, given.get("successes_in_multi_action", 0))
    for _ in range(given.get("successful_rolled_actions", several)):
        try:
            cards = card_lines.earn_card(
                cards.replace(setting=setting), WHO, CardDeed("any", "", True, True)
            )
        except Impossible as error:
            assert error.code == "mb-card-limit-reached", error.code
    seat = cards.seat(WHO)
    return {
        "cards_awarded": seat.awards,
        "poolings_allowed": deal.award_limit(cards.replace(setting=setting), seat),
    }


# --- tasks ----------------------------------------------------------------------------------------


def _task(given: Given) -> Task:
    """The task of an example; what it does not tell is as at the beginning, a round for each step
    done.
    """
    level = given.get("level", 0)
    said = given.get("dn", given.get("steps", [15] * 4))
    dns: list[int] = list(said) if isinstance(said, list) else [said] * 4
    skill = given.get("skill")
    barred = tuple(given.get("barred", ()))
    skills = (
        (skill,)
        if skill and given.get("all_steps_same_skill")
        else tuple(x for x in (skill, "other") if x)
    )
    return Task(
        tuple([TaskStep(skills, each, barred) for each in dns]),
        given.get("time_limit"),
        "ABCD".index(given["next"]) if "next" in given else level,
        given.get("dn_mod", 0),
        given.get("rounds_used", level),
    )


def _attempt(now: Task, given: Given, box: Any, success: bool) -> tuple[Task, str]:
    kind, letters = box_of(box)
    skill = given.get("skill", "")
    try:
        skill_resolution.require_step(
            now, kind, letters, per_round=given.get("csr_steps_per_round", 1)
        )
        skill_resolution.require_skill(now.next, skill)
    except Impossible as error:
        return now, refusal(error)
    return skill_resolution.with_step_tried(
        now, kind, skill=skill, success=success, raised=given.get("gm_increase", 0)
    ), ""


@adapter("masterbook-cards.mb-card-c01")
@adapter("masterbook-cards.mb-card-c02")
@adapter("masterbook-cards.mb-card-c03")
@adapter("masterbook-cards.mb-card-c04")
@adapter("masterbook-cards.mb-card-c05")
@adapter("masterbook-cards.mb-card-c06")
@adapter("masterbook-cards.mb-card-c08")
def attempted(given: Given, dice: MakeDice) -> Outputs:
    if "box_current" in given:
        return seized(given, dice)
    now, refused, second = _task(given), "", None
    if "scene" in given:
        card_read(given, dice)
    if "rounds" in given:
        for each in given["rounds"]:
            now, refused = _attempt(now, given, each["box"], each["success"])
            now = skill_resolution.end_task_round(now)
    else:
        success = (
            given.get("success", given.get("total", 0) >= now.difficulty)
            if "box" in given
            else None
        )
        tries = given.get("successes", 1)
        box = given.get("box", "complication")
        tried = now
        for at in range(tries):
            tried, why = _attempt(tried, given, box, bool(success) or "successes" in given)
            refused, second = (why, second) if at == 0 else (refused, why or None)
        now = tried if success is not None else now
        left = now.rounds_left
        now = skill_resolution.end_task_round(now)
        if "box" not in given:
            return {
                "attempt_allowed": not refused,
                "legal": not refused,
                "refusal": refused or None,
                "rounds_left": left,
            }
    return {
        "attempt_allowed": not refused,
        "legal": not refused,
        "refusal": refused or None,
        "second_attempt": second,
        "level": now.level,
        "rounds_used": now.rounds,
        "rounds_left": now.rounds_left,
        "status": now.status,
        "dn_mod": now.harder,
        "dn_now": [each.dn + now.harder for each in now.steps],
        "dn": [each.dn for each in now.steps],
        "barred_for_steps": [
            letter
            for letter, each in zip("ABCD", now.steps, strict=False)
            if given.get("skill", "") in each.barred
        ],
    }


@adapter("masterbook-cards.mb-card-c07")
def last_ditch(given: Given, dice: MakeDice) -> Outputs:
    now = _task(given)
    numbers = skill_resolution.last_ditch_difficulties(now)
    losses = skill_resolution.last_ditch_penalties(
        [WHO] * len(numbers), given.get("priorities", ())
    )
    shown: dict[str, object] = {"dn_needed": numbers, "multi_action_modifiers": losses}
    success = given.get("success")
    if "rolled_before_multi" in given:
        totals = [sum(each) for each in zip(given["rolled_before_multi"], losses, strict=True)]
        success = skill_resolution.has_reached_all(totals, numbers)
        shown |= {"totals": totals, "all_done": success}
    if success is not None:
        lost = given.get("setting") == "task_lost"
        now = skill_resolution.end_task_round(
            skill_resolution.last_ditch(now, success=success, lost=lost)
        )
        shown |= {"status": now.status, "level": now.level, "rounds_used": now.rounds}
    return shown


def _round(given: Given, first: Any, second: Any = None) -> Cards:
    """Somebody with Seize Initiative in the pool, in a round of combat that begins; the next cards
    are these two.
    """
    named = {"first": first, "second": second or Face("second", "action")}
    faces = {key: each.replace(id=key) for key, each in named.items()} | {
        "seize": Face("seize", "seize_initiative")
    }
    piles = Piles({DRAW_PILE: ("first", "second"), f"{POOL}:{WHO}": ("seize",)})
    return Cards(piles, Deal(3, (Seat(WHO),), Flip()), faces, KINDS, settings_of(given))


def _befalls(cards: Cards, now: Harm, capacity: int) -> Harm:
    """What the line of the round's card does to whoever is on the players' side."""
    if cards.lines.players == "fatigued":
        now, _ = card_lines.apply_fatigue(now, capacity)
    return now


@adapter("masterbook-cards.mb-card-e16")
def seized(given: Given, dice: MakeDice) -> Outputs:
    given.get("play")
    how, rng, setting = given.get("mode", "flip"), dice([]), settings_of(given)
    if "box_current" in given:
        boxes = [box_of(given["box_current"]), box_of(given["new_box"])]
        first, second = [
            Face("", "action", InitiativeLine(), InitiativeLine(), *each) for each in boxes
        ]
        cards = card_lines.flip(_round(given, first, second), "standard", rng)
        cards = card_lines.seize(cards.replace(setting=setting), WHO, "seize", how, rng)
        found, before = card_lines.current_reading(cards.replace(setting=setting)), _task(given)
        assert found is not None
        box = found.letters or found.box
        _, refused = _attempt(before, given, box, True)
        after = skill_resolution.end_task_round(before)
        return {
            "attempt_allowed": not refused,
            "refusal": refused or None,
            "box": box,
            "rounds_used_added": after.rounds - before.rounds,
        }
    said = [given["card"]] if "card" in given else []
    effects = [each["p_effect"] for each in said] or [
        given.get(f"{x}_card_p_effect") for x in ("first", "second")
    ]
    faces = [Face("", "action", InitiativeLine("P", effect_of(each)[0])) for each in effects]
    cards, moves = apart(card_lines.flip(_round(given, *faces), "standard", rng))
    flipped, hurt = len(moves), Harm()
    try:
        for at in range(given.get("rounds", 1)):
            if at:
                cards, moves = apart(card_lines.flip(cards, "standard", rng))
                flipped += len([each for each in moves if each.what == "flipped"])
            if at == 0 and how == "flip":
                cards = card_lines.seize(cards.replace(setting=setting), WHO, "seize", how, rng)
            hurt = _befalls(cards, hurt, 100)
            if at == 0 and how == "keep":
                cards = card_lines.seize(cards.replace(setting=setting), WHO, "seize", how, rng)
    except Impossible as error:
        return {"legal": False, "refusal": refusal(error)}
    return {
        "legal": True,
        "refusal": None,
        "shock_total": hurt.shock,
        "shock": hurt.shock,
        "cards_flipped": flipped,
        "initiative_pile_top": cards.at(INITIATIVE)[0],
    }


@adapter("masterbook-cards.mb-card-18")
@adapter("masterbook-cards.mb-card-i13")
def confused(given: Given, dice: MakeDice) -> Outputs:
    setting = settings_of(given)
    effect, rng = effect_of(given["p_effect"])[0], dice([])
    faces = {
        each: Face(each, each)
        for each in ("now", "hero", "double_cross", "seize_initiative", "idea")
    }
    faces["now"] = Face("now", "action", InitiativeLine("P", effect), approved=("any",))
    places = {
        INITIATIVE: ("now",),
        f"{HAND}:{WHO}": ("double_cross",),
        f"{POOL}:{WHO}": ("hero", "seize_initiative"),
        f"{POOL}:other": ("idea",),
    }
    cards = Cards(Piles(places), Deal(3, (Seat(WHO), Seat("other")), Flip("now"), 1), faces, KINDS)
    deed = CardDeed("any", "", True, True)
    again = Moment("roll_pending", WHO, WHO, "total", players=True)
    tries: dict[str, Any] = {
        "play from pool": lambda: play.play(
            cards.replace(setting=setting), WHO, "hero", again, rng
        ),
        "double_cross from hand": lambda: play.play(
            cards.replace(setting=setting), WHO, "double_cross", again, rng
        ),
        "trade": lambda: deal.trade(
            cards.replace(setting=setting), WHO, "other", ("hero",), ("idea",)
        ),
        "pool": lambda: deal.pool(cards.replace(setting=setting), WHO, "double_cross", 1),
        "critical_moment": lambda: deal.declare_critical_moment(
            cards.replace(setting=setting), WHO
        ),
        "seize_initiative": lambda: card_lines.seize(
            cards.replace(setting=setting), WHO, "seize_initiative", "flip", rng
        ),
        "award": lambda: card_lines.earn_card(cards.replace(setting=setting), WHO, deed),
    }
    found: list[str | None] = []
    for each in given["attempts"]:
        try:
            tries[each]()
            found.append(None)
        except Impossible as error:
            found.append(refusal(error))
    return {"refusals": found}


# --- seizing the initiative, and doing without cards ----------------------------------------------


@adapter("masterbook-cards.mb-card-n01")
def without_cards(given: Given, dice: MakeDice) -> Outputs:
    if "entries" in given:
        return initiative(given, dice)
    # 10s roll again though nothing is trained.
    given.get("trained")
    value = given.get("agility", given.get("confidence", 0))
    found = make_throw(given, dice, value, tens=True)
    return {"dice_total": found.roll.total, "bonus_number": found.bonus, "initiative": found.total}


@adapter("masterbook-cards.mb-card-l04")
def bad_luck(given: Given, dice: MakeDice) -> Outputs:
    one, other = given["thrown_pair"]
    struck = card_lines.is_unlucky(given["bad_luck_column"], one + other)
    stymied = struck and given.get("gm_choice") == "stymied"
    setback_ = "setback" if struck and given.get("gm_choice") == "setback" else ""
    shown: dict[str, object] = {
        "triggered": struck,
        "actions_left": deal.action_count(setback_, given.get("haste_played", 0), loses=True),
        "stymied_until": "end_of_scene" if stymied else None,
    }
    if "next_action" in given:
        shown |= _thrown(
            given["next_action"], with_line_effect("stymied" if stymied else "", RollAgain())
        )
    return shown
