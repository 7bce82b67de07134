"""Everything that MasterBook's deck offers is chosen once: every card, every line, adventures,
rounds, tasks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from rules.registry import read_only_game
from rules.systems.masterbook.deck.card_definitions import KINDS, default_faces
from rules.systems.masterbook.deck.deck_state import (
    DISCARD_PILE,
    DRAW_PILE,
    FACE,
    HAND,
    POOL,
    character_place,
)
from rules.systems.masterbook.deck.table_deck import require_cards, with_cards
from rules.systems.masterbook.system import SYSTEM
from rules.table.actions import (
    AddNpcs,
    AddToEncounter,
    Begin,
    ChangeSettings,
    Choose,
    ImportCharacter,
    JoinEncounter,
    NextTurn,
    StartEncounter,
)
from rules.table.state import TableState
from tests.property.every_option import Course, Deed, Fare, Ordered, Step, after, table
from tests.property.masterbook.sample_inputs import DECK as SETTINGS
from tests.property.masterbook.sample_inputs import sheet
from tests.sample_table import ANN, BEN, GM, own_action

FACES: Final = default_faces()
ApproveDeed, Arrange, Martyr, SetTask, Sit, Tell = map(
    own_action, ("ApproveDeed", "Arrange", "Martyr", "SetTask", "Sit", "Tell")
)


def _first(key: str) -> str:
    """The first card of a kind."""
    return next(each.id for each in FACES.values() if each.kind == key)


#: One of each kind that somebody plays from a hand or a pool.
_PLAYED: Final = {key: _first(key) for key, kind in KINDS.items() if kind.type != "blank"}
_NAMES: Final = tuple(KINDS[key].name for key in _PLAYED)
_SECOND: Final = tuple(
    [each.id for each in FACES.values() if each.kind == key][1] for key in ("hero", "drama")
)


def _bring(who: Any, name: str, **more: Any) -> Step:
    return ImportCharacter, who, {"data": sheet(name) | more, "grown": True}


def _tells(what: str, **more: Any) -> Step:
    return Tell, GM, {"what": what, **more}


_PEOPLE: Final = (
    _bring(ANN, "Anna", advantages=["Luck (III)", "Fast Reactions (III)"], life_points=1),
    _bring(BEN, "Boris"),
    (AddNpcs, GM, {"name": "Guard", "data": sheet("Guard"), "stage": "revealed"}),
)
_RULES: Final = {
    "cards_mode": "full",
    "critical_skill_resolution": True,
    "exceptional_roleplaying_card": True,
    "luck3_gm_rescue": True,
}
_WAITING: Final = table(SYSTEM, (ChangeSettings, GM, {"values": _RULES}), *_PEOPLE)
_BEGUN: Final = after(_WAITING, _tells("adventure-start"))


def _dealt(state: TableState, places: dict[tuple[str, str], Iterable[str]]) -> TableState:
    """The table where these cards lie there: before or in the hand of somebody."""
    game = read_only_game(state)
    cards = require_cards(game)
    for (place, name), wanted in places.items():
        who = next((each.id for each in state.characters.values() if each.name == name), "")
        for card in wanted:
            source = next(key for key, there in cards.piles.places.items() if card in there)
            cards = cards.with_cards_moved(
                source, character_place(place, who) if who else place, card
            )
    return with_cards(game, cards).state


def _emptied(state: TableState) -> TableState:
    """Nobody holds anything."""
    held = [
        card
        for place, there in require_cards(read_only_game(state)).piles.places.items()
        if ":" in place
        for card in there
    ]
    return _dealt(state, {(DRAW_PILE, ""): held})


_BARE: Final = _emptied(_BEGUN)
_ON: Final = after(_BARE, _tells("scene-start"))
#: What lies in the draw pile wherever those are held.
_FREE: Final = tuple(each for each in FACES if each not in (*_PLAYED.values(), *_SECOND))[:3]
_LAID: Final = tuple(each for each in FACES if each not in (*_PLAYED.values(), *_SECOND))[-2:]
_ALL: Final = {
    (HAND, "Anna"): _PLAYED.values(),
    (HAND, "Boris"): _SECOND,
    (DISCARD_PILE, ""): _LAID,
}
_FIGHT: Final = (
    (StartEncounter, GM, {}),
    (JoinEncounter, ANN, {}),
    (JoinEncounter, BEN, {}),
    (AddToEncounter, GM, {"name": "Guard"}),
    (NextTurn, GM, {}),
)
_ROUNDS: Final = _emptied(after(_ON, *_FIGHT))
_STEPS: Final = {
    "name": "The winch",
    "step_a": "Stealth 5",
    "step_b": "Stealth, Agility 6",
    "step_c": "Stealth 5",
    "step_d": "Strength 5",
}
_FACED: Final = [
    _PLAYED[key] for key, kind in KINDS.items() if kind.type == "subplot" and key != "campaign"
]
_SO: Final = {"approach": "so"}
_TABLES: dict[str, TableState] = {
    "": _dealt(_ON, _ALL),
    "waiting": _WAITING,
    "rounds": _dealt(_ROUNDS, _ALL),
    "pools": _dealt(_ROUNDS, {(POOL, "Anna"): _PLAYED.values(), (POOL, "Boris"): _SECOND}),
    "faced": _dealt(_ON, {(FACE, "Anna"): _FACED, (HAND, "Anna"): [_PLAYED["campaign"]]}),
    "left": after(_dealt(_ON, _ALL), _bring(ANN, "Cleo")),
    "task": after(_dealt(_ROUNDS, _ALL), _bring(ANN, "Cleo"), (SetTask, GM, _STEPS)),
    "between": _dealt(_BARE, _ALL),
    "bare": _BARE,
    "open": _ON,
    "approved": after(_dealt(_ROUNDS, _ALL), (ApproveDeed, GM, {"target": "Anna"})),
    "acted": after(
        _dealt(_ROUNDS, _ALL),
        (
            Begin,
            ANN,
            {
                "kind": "check",
                "as_": "Anna",
                "values": {"skill": "Stealth", "difficulty": "3", **_SO},
            },
        ),
    ),
}
#: What is drawn and waits for somebody to say what becomes of it.
_DRAWN: Final = tuple(key for key, kind in KINDS.items() if kind.type in ("subplot", "picture"))
# Where everybody is waited for, a result can be answered before it is final.
for _name in ("", "pools"):
    _TABLES[f"{_name} patient".strip()] = after(
        _TABLES[_name], (ChangeSettings, GM, {"values": {"wait_for_everybody": True}})
    )
_TABLES["named"] = after(_TABLES["faced"], (Martyr, GM, {"how": "named", "character": "Anna"}))
_COURSES: Final = tuple(
    Course(kind, {**values, **_SO}, where, target, fields=())
    for where in ("", "pools", "patient", "pools patient")
    for kind, values, target in (
        ("check", {"skill": "Stealth"}, None),
        ("check", {"skill": "Perception", "difficulty": "3"}, None),
        ("contest", {"skill": "Stealth"}, "Boris"),
        ("attack", {"weapon": "Knife"}, "Boris"),
        ("attack", {"weapon": "Knife", "modifier": 15}, "Guard"),
        ("interact", {"skill": "Charm" if "pools" not in where else "Taunt"}, "Boris"),
    )
) + tuple(
    Course("attack", {"weapon": "unarmed", **more, **_SO}, where, "Anna", "Guard", GM, ())
    for where in ("", "pools", "patient", "pools patient")
    for more in ({}, {"modifier": 20})
)
_ANNA: Final = {"character": "Anna"}
_ORDERS: Final = (
    *(Ordered("card play", {"card": name}, "", ANN) for name in ("Rally", "Claim", "Leadership")),
    Ordered("card play", {"card": "Wild", "as_name": "Romance"}, "", ANN),
    Ordered("card play", {"card": "Leadership", "gifts": "Hero", "to": "Boris"}, "", ANN),
    Ordered("card luck", {"effect": "Alertness"}, "", ANN),
    Ordered("card luck", {"effect": "Haste"}, "rounds", ANN),
    Ordered("card play", {"card": "Haste"}, "pools", ANN),
    Ordered("card rescue", _ANNA),
    Ordered("card use", {**_ANNA, "card": "Alertness"}, "faced"),
    Ordered("card martyr", {**_ANNA, "how": "named"}, "faced"),
    Ordered("card martyr", {**_ANNA, "how": "done"}, "named"),
    Ordered("card seat", {**_ANNA, "how": "bonus"}),
    Ordered("card seat", {"character": "Cleo", "how": "joins"}, "left"),
    Ordered("deck peek", {"number": 3}),
    Ordered("deck stack", {"cards": _FREE[0]}),
    Ordered("deck blank", {"cards": "Hero"}),
    Ordered("card pool", {"card": "Hero"}, "acted", ANN),
    Ordered("card moment", {}, "pools", ANN),
    Ordered("card moment", {"sure": 1}, "pools", ANN),
    Ordered("card fast", {}, "pools", ANN),
    Ordered("card side", {"target": "Guard", "side": "players"}, "rounds"),
    Ordered("card approve", {"target": "Anna"}, "rounds"),
    Ordered("card approve", {"target": "Anna", "takes": True}, "approved"),
    Ordered("deck fiat", {}, "rounds"),
    Ordered("card trade", {"cards": "Hero", "to": "Boris"}, "", ANN),
    Ordered("card campaign", {"subplot": "Nemesis"}, "faced", ANN),
    Ordered("adventure start", {}, "waiting"),
    Ordered("adventure end", {"number": 10}),
    Ordered("adventure end", {}, "faced", asks=True),
    Ordered("adventure act", {"what": "end"}, "faced", asks=True),
    Ordered("adventure act", {"what": "end", "number": 2}),
    Ordered("adventure act", {"what": "start"}),
    Ordered("adventure scene", {"what": "start"}, "between"),
    Ordered("adventure scene", {"what": "end"}),
    Ordered("task start", _STEPS, "rounds"),
    Ordered("task try", {"as": "Anna"}, "task", ANN, asks=True),
    Ordered("task ditch", {"as": "Anna"}, "task", ANN, asks=True),
    Ordered("task show", {}, "task"),
    Ordered("task clock", {}, "task"),
    Ordered("task end", {}, "task"),
)


def _flips(card: str, scene: str) -> Deed:
    """A round that opens with that card."""
    steps: tuple[Step, ...] = (
        _tells("scene-start", kind=scene),
        (Arrange, GM, {"how": "stack", "cards": card}),
        *_FIGHT,
    )
    return Deed(f"flips {card} in a {scene} scene", steps, "bare")


def _draws(key: str, *chosen: tuple[Any, str]) -> Deed:
    """Somebody draws a card of that kind, and this is said of it."""
    steps: tuple[Step, ...] = (
        (Arrange, GM, {"how": "stack", "cards": _PLAYED[key]}),
        (Sit, GM, {"how": "bonus", "character": "Anna"}),
        *((Choose, who, {"option": option}) for who, option in chosen),
    )
    return Deed(f"draws {key} {' '.join([option for _, option in chosen])}", steps, "open")


_DRAWS: Final = tuple(
    _draws(key, *said)
    for key in _DRAWN
    for said in (
        ((),)
        if KINDS[key].type == "picture" or key == "campaign"
        else (((GM, "allow"), (ANN, "keep")), ((GM, "allow"), (ANN, "decline")), ((GM, "refuse"),))
    )
)
_SEIZED: Final = tuple(
    Deed(
        f"seizes the initiative: {how}",
        (
            *((NextTurn, GM, {}),) * 3,
            (Choose, ANN, {"option": f"{how}:{_PLAYED['seize_initiative']}"}),
        ),
        "pools",
    )
    for how in ("keep", "flip")
)
#: Each card in play as it opens a round of either scene.
FLIPS: Final = tuple(
    (card, scene, _flips(card, scene))
    for card, each in FACES.items()
    if each.in_play
    for scene in ("standard", "dramatic")
)
_DEEDS: Final = (*_DRAWS, *_SEIZED, *(deed for _, _, deed in FLIPS))
FARE: Final = Fare(
    SYSTEM,
    _TABLES,
    _COURSES,
    _ORDERS,
    {
        "card": _NAMES,
        "as_name": ("Romance", "Campaign", "Disaster"),
        "gifts": ("Hero", "Hero, Idea"),
        "to": ("Boris",),
        "question": ("Where does it lead?",),
        "/card trade.cards": ("Hero",),
        "/card use.card": ("Alertness", "Connection"),
        "/deck stack.cards": (", ".join(_FREE[:1]), ", ".join(_FREE)),
        "hint": ("In the cellar.",),
        "/deck blank.cards": _NAMES,
        "character": ("Anna", "Boris"),
        "target": ("Guard", "Anna"),
        "subplot": (),
        "effect": (),
        "/task start.step_a": ("Stealth 8",),
        "/task start.step_b": ("Strength 8",),
        "/task start.step_c": ("Agility 8",),
        "/task start.step_d": ("Stealth 9",),
        "/task ditch.step_a": ("Stealth", "Cleo: Stealth"),
        "/task ditch.step_b": ("Agility",),
        "/task ditch.step_c": ("Cleo: Stealth",),
        "/task ditch.step_d": ("Cleo: Strength",),
        "name": ("The winch",),
        "ranks": ("2 1 3 4",),
        "skill": (),
    },
    deeds=_DEEDS,
    settings=(),
    usual={
        "rule.roll": {"difficulty": "Average"},
        "face.face": {"skill": "Perception"},
        "faced.face": {"skill": "Perception"},
        "reply.reply": {"approach": "in another way"},
    },
)


def is_about_cards(key: str) -> bool:
    """Whether it is said by a command of the deck's own, or is a card; the rest of a check is
    chosen without cards.
    """
    return key.startswith("/") or "card:" in key or "luck:" in key


def is_of(kind: str, key: str) -> bool:
    """Whether something was done with a card of that kind: between actions, on a check, as it was
    drawn or seized.
    """
    name = KINDS[kind].name
    said = (f"/card play card={name}", f"/card use card={name}", f"deed draws {kind}")
    return f":{kind}:" in key or key in said or key.startswith(said[-1]) or (kind, key) == _SEIZING


_SEIZING: Final = ("seize_initiative", "deed seizes the initiative: keep")
#: What is refused everywhere: Luck that is for rolls, what does not last as a subplot of the
#: campaign, a gift of the card that gives it, what a Wild card cannot be there.
REFUSED: Final = {
    **{
        f"/card luck effect={name}": {"mb-card-wrong-window"}
        for name in ("Second Chance", "Breakthrough", "Opponent Fails")
    },
    "/card luck effect=Hero": {"mb-card-precondition"},
    "/card play gifts=Leadership": {"mb-card-not-there", "unknown-character"},
    "/card play as_name=Campaign": {"mb-card-not-wild", "mb-card-precondition"},
    "/card play as_name=Disaster": {"mb-card-not-wild", "mb-card-picture-not-allowed"},
    "/card campaign subplot=Alertness": {"mb-card-precondition"},
}
#: Names that nothing follows from, what only its owner reads, packages that are worth the same, one
#: way to do it alone; the ends of what can be typed for an act, which the rules refuse.
SILENT: Final = frozenset(
    (
        *("/adventure start name", "/adventure act name", "/adventure scene name"),
        *("/card play gifts", "/deck blank cards", "/deck peek number", "/task try skill"),
        *("/adventure act number", "/adventure act replenish.discard cards"),
        *(f"attack lower.{by}:hero:0:packages: packages" for by in ("card", "luck")),
        "attack lower.card:drama:0:packages: packages",
        *(f"attack lower.card:{kind}:0:packages:{kind} packages" for kind in ("hero", "drama")),
    )
)
#: Settings of the deck for which nothing here is another: walks have them
#: (tests/discord/masterbook/cards).
ELSEWHERE: Final = (
    *("combat_only_cards_in", "confused_blocks_awards", "csr_failed_last_ditch_with_clock"),
    *("csr_steps_per_round", "interaction_rounds_use_cards"),
    *("leadership_gifts_to", "rally_to", "reject_award_scope"),
)
#: What is done where one of the deck's settings is another.
AGREED: Final = replace(
    FARE, deeds=(*_DRAWS, *[deed for _, _, deed in FLIPS[::9]]), settings=SETTINGS
)
