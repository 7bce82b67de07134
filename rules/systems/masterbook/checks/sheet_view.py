"""Characters: the sheet told to its player and GMs, and ready-made ones.

MB-CHAR-01, MB-CHAR-19, MB-DMG-08.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rules.core import data_rows
from rules.core.errors import RulesError
from rules.core.json_reader import Reader
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.creation_findings import findings
from rules.systems.masterbook.character.creation_rules import creation_rules
from rules.systems.masterbook.character.derived_values import (
    capacity_of,
    rates_of,
    toughness_of,
)
from rules.systems.masterbook.character.effect_approvals import (
    claimed_names,
    new_effects,
    note_effect_errors,
    waits_for_gm,
)
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.given_options import (
    foreign_options,
    with_foreign_options,
    with_given_options,
    without_claims,
)
from rules.systems.masterbook.character.option_approvals import with_consent, without_rulings
from rules.systems.masterbook.character.raw_sheet import RawSheet, read_raw_sheet
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    attribute,
    natural_weapons,
    option_effects,
    weapon_of,
)
from rules.systems.masterbook.character.sheet_io import CHARACTER, read_sheet
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks import npc_kinds
from rules.systems.masterbook.checks.action_economy import (
    CASTING,
    CONCENTRATING,
    FURTHER,
    has_done_all,
    round_of,
    turn_over,
)
from rules.systems.masterbook.checks.background_view import background_blocks
from rules.systems.masterbook.checks.card_windows import hastes_left, luck_left
from rules.systems.masterbook.checks.roll_sources import RollSource, learned_sources
from rules.systems.masterbook.deck.play import is_great_use
from rules.systems.masterbook.deck.table_deck import mode
from rules.systems.masterbook.formulas import damage, equipment
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.effect_worksheet import known_figures
from rules.table.blocks import Block, Fact, Group, Text, Viewers
from rules.table.forms import Option, plain_options
from rules.table.marks import marks_of
from rules.table.people.common_fields import field_blocks, field_pages
from rules.table.permissions import is_gm
from rules.table.state import Character
from rules.table.system import Game, SheetPage, is_npc

MasterbookCharacter = Character[MasterbookSheet]
#: Pages of fields besides those that one plays with.
_THINGS: Final = ((Text("sheet-things"), CHARACTER.part("equipment")),)
_STORY: Final = (
    (Text("sheet-story"), CHARACTER.part("sketch", "species", "weight", "height", "trades")),
)
_POINTS: Final = ("life_points", "skill_points")
#: By which nobody can do anything.
OUT: Final = ("mb-is-out",)


def toughness_in_armor(sheet: MasterbookSheet) -> int:
    """Toughness with everything that is worn (MB-EQ-30)."""
    return equipment.armored_toughness(toughness_of(sheet), sheet.armour)


def describe_character(game: Game, character: MasterbookCharacter) -> tuple[Block, ...]:
    """What one plays with: points first, then Attributes with the skills that go with them,
    defenses, weapons.
    """
    sheet, seen = character.sheet, (character.id,)
    surplus = {"life_points": sheet.surplus or None}
    points = [
        Text(
            "mb-sheet-points",
            {"what": key, "points": getattr(sheet, key), "surplus": surplus.get(key)},
        )
        for key in _POINTS
    ]
    for group, number in sheet.bound_points:
        points.append(Text("mb-sheet-bound", {"group": group, "points": number}))
    rows: list[tuple[Text, ...]] = []
    for key in ATTRIBUTES:
        mine = tuple(
            _skill_text(sheet, each) for each in learned_sources(sheet) if each.attribute == key
        )
        label = Text("mb-rated", {"name": key.capitalize(), "value": attribute(sheet, key)})
        rows.append((label, Text("sheet-items", {"items": mine})) if mine else (label,))
    points += npc_kinds.kind_lines(game, sheet) if is_npc(game, character.id) else ()
    return (
        Group(None, tuple([(each,) for each in points]), seen),
        Group(None, tuple(rows), seen),
        Fact(Text("mb-sheet-label", {"what": "toughness"}), _toughness_text(sheet), seen),
        Fact(Text("mb-sheet-label", {"what": "rates"}), Text("mb-rates", rates_of(sheet)), seen),
        *_use_blocks(game, character, seen),
        *_weapon_blocks(game, sheet, seen),
        *field_blocks(CHARACTER.part("armour"), sheet, seen),
    )


def _toughness_text(sheet: MasterbookSheet) -> Text:
    """Return Toughness, in armor, and against damage that goes through the skin (MB-BG-30)."""
    plain, worn = toughness_of(sheet), toughness_in_armor(sheet)
    gaps = option_effects(sheet).gapped_toughness
    about = {
        "plain": plain,
        "armored": worn if worn != plain else None,
        "thin": plain - sum(number for number, _ in gaps) if gaps else None,
        "gap": tuple(gap for _, gap in gaps),
    }
    return Text("mb-toughness", about)


def _use_blocks(game: Game, character: MasterbookCharacter, seen: Viewers) -> list[Block]:
    """Return what is left of Luck and Fast Reactions in this adventure (MB-BG-13)."""
    found: list[Block] = []
    effects = option_effects(character.sheet)
    if effects.luck:
        left = luck_left(game, character.id, character.sheet)
        small = sum(not is_great_use(use) for use in left)
        counts = ((False, small), (True, len(left) - small))
        uses = tuple(
            Text("mb-luck-uses", {"great": great, "count": count})
            for great, count in counts
            if count
        )
        about = {"uses": uses or None}
        found.append(
            Fact(Text("mb-sheet-label", {"what": "luck"}), Text("mb-luck-left", about), seen)
        )
    if effects.hastes:
        left = hastes_left(game, character.id, character.sheet)
        about = {"left": left, "bonus": effects.initiative}
        text = Text("mb-fast-left", {**about, "cards": mode(game).lines})
        found.append(Fact(Text("mb-sheet-label", {"what": "fast"}), text, seen))
    return found


def pages(game: Game, character: MasterbookCharacter) -> tuple[SheetPage, ...]:
    """Return the sheet's other pages: things, effects, background, story."""
    sheet, seen = character.sheet, (character.id,)
    options = background_blocks(game, sheet, seen)
    background = ((Text("mb-sheet-label", {"what": "background"}), options),) if options else ()
    return (
        *field_pages(_THINGS, sheet, seen),
        *_effect_pages(game, character, seen),
        *background,
        *field_pages(_STORY, sheet, seen),
    )


def _effect_pages(
    game: Game, character: MasterbookCharacter, seen: Viewers
) -> tuple[SheetPage, ...]:
    """Return the page of effects: each with its figures, and how it stands (MB-SFX-11)."""
    effects = character.sheet.effects
    if not effects:
        return ()
    rows = tuple((effect_text(game, known, character.id),) for known in effects)
    return ((Text("mb-sheet-label", {"what": "effects"}), (Group(None, rows, seen),)),)


def effect_text(game: Game, known: KnownEffect, who: str) -> Text:
    """Return a character's effect in one line, with the figures for who knows it (MB-SFX-93)."""
    rules = worksheet_rules(game, known.blueprint.skill)
    figures = known_figures(known, rules)
    waits = waits_for_gm(game, known) and not is_npc(game, who)
    about = {
        "name": known.name,
        "skill": known.blueprint.skill,
        "dn": figures.dn,
        "fv": figures.fv,
        "value": known.blueprint.effect_value,
        "learned": known.learned,
        "refused": known.refused,
        "waits": waits,
    }
    return Text("mb-effect-line", about)


def _skill_text(sheet: MasterbookSheet, means: RollSource) -> Text:
    """Return a skill with its value, and the adds in it: `Climbing 10 (+1)`."""
    about = {"name": means.name, "value": means.value(sheet), "adds": means.adds}
    return Text("mb-sheet-skill", {**about, "special": means.special_adds or None})


def _weapon_blocks(game: Game, sheet: MasterbookSheet, seen: Viewers) -> list[Block]:
    """Return a character's weapons with their damage and rounds (MB-DMG-01)."""
    rows: list[tuple[Text]] = []
    for held in sheet.arms:
        weapon = weapon_of(held, game.campaign)
        strong = weapon.dv is None
        about = {
            "name": held.name,
            "damage": equipment.damage_value(weapon, attribute(sheet, "strength")),
            "add": weapon.add if strong else None,
            "maximum": weapon.maximum if strong else None,
            "rounds": held.rounds,
            "magazine": held.magazine,
            "away": not held.drawn,
        }
        rows.append((Text("mb-sheet-weapon", about),))
    for weapon in natural_weapons(sheet):
        strong = weapon.dv is None
        about = {
            "name": weapon.name,
            "damage": equipment.damage_value(weapon, attribute(sheet, "strength")),
            "add": weapon.add if strong else None,
            "reach": weapon.reach,
        }
        rows.append((Text("mb-sheet-weapon", about),))
    title = CHARACTER.by_key["arms"].title
    return [Group(title, tuple(rows), seen)] if rows else []


#: Words of those who are not out of action.
_HEALTH: Final = {
    "unhurt": Text("unhurt"),
    "hurt": Text("hurt"),
    "badly-hurt": Text("badly-hurt"),
}


def health(game: Game, character: MasterbookCharacter, full: bool) -> tuple[Text, ...]:
    """One line for everybody; in `full` also wounds, shock and what they do."""
    sheet = character.sheet
    now = sheet.harm
    end = damage.condition(now)
    if end == "dying" and not full and is_npc(game, character.id):
        end = "unconscious"  # players don't see which of those who lie there are dying
    lines = [_HEALTH.get(end) or Text("mb-is-out", {"end": end})]
    if full:
        most = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        lines.append(Text("mb-shock", {"shock": now.shock, "capacity": most}))
    if full and now.wounds:
        shown = {"wounds": now.wounds, "level": damage.wound_level_name(now.wounds)}
        hampered = {"physical": damage.penalty(now, True), "other": damage.penalty(now, False)}
        lines.append(Text("mb-wounds", shown | hampered))
    for mark in marks_of(game.state, character.id, CASTING) if full else ():
        in_rounds = round_of(game, character.id) is not None
        left = mark.at if in_rounds else None
        about = {"left": left, "concentrates": mark.value == CONCENTRATING}
        lines.append(Text("mb-is-casting", about))
    if full and has_done_all(game, character.id) and not turn_over(game, character.id):
        again = bool(marks_of(game.state, character.id, FURTHER))
        lines.append(Text("mb-no-action-now", {"again": again}))
    return tuple(lines)


# --- reading --------------------------------------------------------------------------------------

#: What play brings.
_OF_PLAY: Final = (
    "harm",
    "lifted",
    "drowning",
    "rounds_run",
    "grown",
    "taught",
    "life_points",
    "surplus",
    "bound_points",
    "npc_kind",
    "passing",
)


def read(game: Game, data: Mapping[str, object], new: bool) -> tuple[str, MasterbookSheet]:
    """Return a character's name and sheet; a new one as play begins. Raises as `read_sheet`.

    A new character that breaks a rule of creation is refused with everything that is wrong, unless
    it is one of the ready ones as the GM hands them out (MB-CHAR-18, MB-CHAR-20). One that has been
    in play keeps options of other tables as words without effect. What a GM brings has the GM's
    consent; where the GM looks at new characters, a player's word for it counts nothing.
    """
    rules = creation_rules(game)
    if not new:
        data = with_foreign_options(rules, data)
    raw = read_raw_sheet(data, rules.rows)
    leads = is_gm(game.state, game.actor)
    if new and not leads and not _is_ready(game, data):
        raw = without_claims(rules, raw)
    if new:
        raw = with_given_options(rules, raw)
    if new and leads:
        raw = with_consent(rules, raw)

    def note(reader: Reader, sheet: MasterbookSheet) -> None:
        if not (new and _is_ready(game, data)):
            found = findings(rules, raw, "creation" if new else "play")
            _note_findings(reader, [each.error for each in found if each.blocks])
            if new and not leads:
                note_effect_errors(game, reader, sheet)

    name, sheet = read_sheet(data, game.campaign, note)
    if not new:
        return name, sheet
    fresh = MasterbookSheet(life_points=rules.life_points_start)
    sheet = sheet.replace(advantages=raw.advantages, compensations=raw.compensations)
    sheet = sheet.replace(effects=new_effects(sheet, by_gm=leads))
    if rules.approves and not leads:
        sheet = without_rulings(sheet)
    return name, sheet.replace(**{key: getattr(fresh, key) for key in _OF_PLAY})


def carry_passing(before: MasterbookSheet, sheet: MasterbookSheet) -> MasterbookSheet:
    """Return an edited sheet with what effects run on it (MB-SFX-24)."""
    return sheet.replace(passing=before.passing)


def _note_findings(reader: Reader, found: Sequence[RulesError]) -> None:
    """Note what breaks the rules of creation, in the place of what a form says of it."""
    places = {str(error.params["field"]) for error in found}
    reader.problems = [
        problem for problem in reader.problems if str(problem.params.get("field")) not in places
    ]
    reader.problems += found


def remarks(game: Game, data: Mapping[str, object], new: bool) -> tuple[Text, ...]:
    """Return what a player and the GMs read about an import (MB-CHAR-18, MB-CHAR-20).

    Of a new character that are the warnings, and what is wrong with a ready one; of one that has
    been in play, the options that no table here has.
    """
    rules = creation_rules(game)
    if not new:
        foreign = foreign_options(rules, data)
        return (Text("mb-foreign-options", {"names": foreign}),) if foreign else ()
    raw = with_given_options(rules, read_raw_sheet(data, rules.rows))
    found = [Text(each.error.code, each.error.params) for each in findings(rules, raw)]
    if not is_gm(game.state, game.actor):
        found += _claimed_effects(game, data, raw)
    return tuple(found)


def _claimed_effects(game: Game, data: Mapping[str, object], raw: RawSheet) -> Iterator[Text]:
    """Yield which effects a player's new character has yet to learn, in play (MB-SFX-13)."""
    try:
        _, sheet = read_sheet(data, game.campaign)
    except RulesError:
        return
    claimed = claimed_names(sheet.replace(advantages=raw.advantages))
    if claimed:
        yield Text("mb-effect-learns-later", {"names": claimed})


def _is_ready(game: Game, data: Mapping[str, object]) -> bool:
    """Return whether the object is one of the ready characters, under whatever name."""
    own = {key: value for key, value in data.items() if key != "name"}
    return any(
        own == {key: value for key, value in row.items() if key != "name"}
        for row in ready_characters(game)
    )


# --- ready ones -----------------------------------------------------------------------------------

_PEOPLE: Final = data_rows.from_json(
    Mapping[str, tuple[dict[str, Any], ...]],
    data_rows.json_loader("rules.systems.masterbook", "people")(),
)
#: The book's ready characters, as a file has them, with what is printed on their sheets.
READY: Final = _PEOPLE["ready"]


def ready_characters(game: Game) -> tuple[dict[str, object], ...]:
    """Return characters to choose from, as a file has them.

    Where the table plays without backgrounds, they have no options.
    """
    rows = copy.deepcopy(READY)
    if not game.setting("background_generation"):
        for row in rows:
            row.pop("advantages", None)
            row.pop("compensations", None)
    return rows


def npc_choices(game: Game) -> tuple[Option, ...]:
    """Whom an NPC may be made like."""
    return plain_options([each["name"] for each in _PEOPLE["npcs"]])


def npc_template(game: Game, text: str) -> dict[str, Any] | None:
    """A sheet as a file has it, of who is named so; None where it is nobody of these."""
    found = [each for each in _PEOPLE["npcs"] if name_key(each["name"]) == name_key(text)]
    return copy.deepcopy(found[0]) if found else None
