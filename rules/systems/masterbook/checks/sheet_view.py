"""Characters: blocks of a sheet, reading a character's file, and ready-made characters.

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
from rules.systems.masterbook.character.derived_values import capacity_of, rates_of, toughness_of
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
from rules.table.forms.fields import Option, plain_options
from rules.table.marks import marks_of
from rules.table.people.common_fields import field_blocks, field_pages
from rules.table.permissions import is_gm
from rules.table.state import Character
from rules.table.system import Game, SheetPage, is_npc

MasterbookCharacter = Character[MasterbookSheet]
#: Pages of fields that don't matter in a check.
_THINGS: Final = ((Text("sheet-things"), CHARACTER.part("equipment")),)
_STORY: Final = (
    (Text("sheet-story"), CHARACTER.part("sketch", "species", "weight", "height", "trades")),
)
_POINTS: Final = ("life_points", "skill_points")
#: Codes of health lines under which a character can't act.
OUT: Final = ("mb-is-out",)


def toughness_in_armor(sheet: MasterbookSheet) -> int:
    """Return Toughness with everything that is worn (MB-EQ-30)."""
    return equipment.armored_toughness(toughness_of(sheet), sheet.armour)


def describe_character(game: Game, character: MasterbookCharacter) -> tuple[Block, ...]:
    """Return the blocks that matter in play: points, Attributes with their skills, and weapons."""
    sheet, seen = character.sheet, (character.id,)
    return (
        Group(None, _point_rows(game, character), seen),
        Group(None, _attribute_rows(sheet), seen),
        Fact(_label("toughness"), _toughness_text(sheet), seen),
        Fact(_label("rates"), Text("mb-rates", rates_of(sheet)), seen),
        *_use_blocks(game, character, seen),
        *_weapon_blocks(game, sheet, seen),
        *field_blocks(CHARACTER.part("armour"), sheet, seen),
    )


def _label(what: str) -> Text:
    return Text("mb-sheet-label", {"what": what})


def _point_rows(game: Game, character: MasterbookCharacter) -> tuple[tuple[Text], ...]:
    """Return a sheet's points, and of an NPC its kind."""
    sheet = character.sheet
    surplus = {"life_points": sheet.surplus or None}
    lines: list[Text] = []
    for key in _POINTS:
        about = {"what": key, "points": getattr(sheet, key), "surplus": surplus.get(key)}
        lines.append(Text("mb-sheet-points", about))
    for group, number in sheet.bound_points:
        lines.append(Text("mb-sheet-bound", {"group": group, "points": number}))
    if is_npc(game, character.id):
        lines += npc_kinds.kind_lines(game, sheet)
    return tuple((line,) for line in lines)


def _attribute_rows(sheet: MasterbookSheet) -> tuple[tuple[Text, ...], ...]:
    """Return each Attribute, with the skills that go with it."""
    skills: dict[str, list[Text]] = {}
    for source in learned_sources(sheet):
        skills.setdefault(source.attribute, []).append(_skill_text(sheet, source))
    rows: list[tuple[Text, ...]] = []
    for key in ATTRIBUTES:
        label = Text("mb-rated", {"name": key.capitalize(), "value": attribute(sheet, key)})
        own = tuple(skills.get(key, ()))
        rows.append((label, Text("sheet-items", {"items": own})) if own else (label,))
    return tuple(rows)


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
    facts: list[Block] = []
    effects = option_effects(character.sheet)
    if effects.luck:
        left = luck_left(game, character.id, character.sheet)
        small = sum(not is_great_use(use) for use in left)
        uses: list[Text] = []
        for great, count in ((False, small), (True, len(left) - small)):
            if count:
                uses.append(Text("mb-luck-uses", {"great": great, "count": count}))
        facts.append(
            Fact(_label("luck"), Text("mb-luck-left", {"uses": tuple(uses) or None}), seen)
        )
    if effects.hastes:
        left = hastes_left(game, character.id, character.sheet)
        about = {"left": left, "bonus": effects.initiative}
        text = Text("mb-fast-left", {**about, "cards": mode(game).lines})
        facts.append(Fact(_label("fast"), text, seen))
    return facts


def pages(game: Game, character: MasterbookCharacter) -> tuple[SheetPage, ...]:
    """Return the sheet's other pages: things, effects, background, story."""
    sheet, seen = character.sheet, (character.id,)
    options = background_blocks(game, sheet, seen)
    background = ((_label("background"), options),) if options else ()
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
    return ((_label("effects"), (Group(None, rows, seen),)),)


def effect_text(game: Game, known: KnownEffect, who: str) -> Text:
    """Return an effect in one line, with the figures for a character who knows it (MB-SFX-93)."""
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


def _skill_text(sheet: MasterbookSheet, source: RollSource) -> Text:
    """Return a skill with its value, and the adds in it: `Climbing 10 (+1)`."""
    about = {"name": source.name, "value": source.value(sheet), "adds": source.adds}
    return Text("mb-sheet-skill", {**about, "special": source.special_adds or None})


def _weapon_blocks(game: Game, sheet: MasterbookSheet, seen: Viewers) -> list[Block]:
    """Return a character's weapons with their damage and rounds (MB-DMG-01)."""
    rows: list[tuple[Text]] = []
    for arm in sheet.arms:
        weapon = weapon_of(arm, game.campaign)
        about = {
            **_weapon_params(sheet, arm.name, weapon),
            "maximum": weapon.maximum if weapon.dv is None else None,
            "rounds": arm.rounds,
            "magazine": arm.magazine,
            "away": not arm.drawn,
        }
        rows.append((Text("mb-sheet-weapon", about),))
    for weapon in natural_weapons(sheet):
        about = {**_weapon_params(sheet, weapon.name, weapon), "reach": weapon.reach}
        rows.append((Text("mb-sheet-weapon", about),))
    title = CHARACTER.by_key["arms"].title
    return [Group(title, tuple(rows), seen)] if rows else []


def _weapon_params(
    sheet: MasterbookSheet, name: str, weapon: equipment.WeaponKind
) -> dict[str, Any]:
    """Return a weapon's damage value, and its add to Strength if it has no value of its own."""
    value = equipment.damage_value(weapon, attribute(sheet, "strength"))
    return {"name": name, "damage": value, "add": weapon.add if weapon.dv is None else None}


#: Texts of conditions in which a character can act.
_HEALTH: Final = {
    "unhurt": Text("unhurt"),
    "hurt": Text("hurt"),
    "badly-hurt": Text("badly-hurt"),
}


def health(game: Game, character: MasterbookCharacter, full: bool) -> tuple[Text, ...]:
    """Return the line that everyone reads; with *full* also wounds, shock and their penalties."""
    sheet = character.sheet
    now = sheet.harm
    end = damage.condition(now)
    if end == "dying" and not full and is_npc(game, character.id):
        # Players don't see which unconscious NPCs are dying.
        end = "unconscious"
    lines = [_HEALTH.get(end) or Text("mb-is-out", {"end": end})]
    if full:
        most = capacity_of(sheet, game.setting("resist_shock_add_cap"))
        lines.append(Text("mb-shock", {"shock": now.shock, "capacity": most}))
    if full and now.wounds:
        about = {
            "wounds": now.wounds,
            "level": damage.wound_level_name(now.wounds),
            "physical": damage.penalty(now, True),
            "other": damage.penalty(now, False),
        }
        lines.append(Text("mb-wounds", about))
    if full:
        lines += _action_lines(game, character.id)
    return tuple(lines)


def _action_lines(game: Game, who: str) -> Iterator[Text]:
    """Yield what keeps a character from acting: a casting, and a turn without actions left."""
    for mark in marks_of(game.state, who, CASTING):
        left = None if round_of(game, who) is None else mark.at
        about = {"left": left, "concentrates": mark.value == CONCENTRATING}
        yield Text("mb-is-casting", about)
    if has_done_all(game, who) and not turn_over(game, who):
        yield Text("mb-no-action-now", {"again": bool(marks_of(game.state, who, FURTHER))})


# --- reading --------------------------------------------------------------------------------------

#: Fields that play changes, which a new character has as they begin.
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

    A new character that breaks a rule of creation is refused with everything that is wrong. Ready
    characters as the GM hands them out are not checked (MB-CHAR-18, MB-CHAR-20). A character that
    has been in play keeps options of other tables as words without effect. What a GM brings has the
    GM's consent. If the GM approves new characters, a player's claim of consent doesn't count.
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
            faults = findings(rules, raw, "creation" if new else "play")
            _note_findings(reader, [fault.error for fault in faults if fault.blocks])
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


def _note_findings(reader: Reader, errors: Sequence[RulesError]) -> None:
    """Note what breaks the rules of creation, in place of other errors on the same fields."""
    places = {str(error.params["field"]) for error in errors}
    problems: list[RulesError] = []
    for problem in reader.problems:
        if str(problem.params.get("field")) not in places:
            problems.append(problem)
    reader.problems = [*problems, *errors]


def remarks(game: Game, data: Mapping[str, object], new: bool) -> tuple[Text, ...]:
    """Return what a player and the GMs read about an import (MB-CHAR-18, MB-CHAR-20).

    Of a new character, these are warnings, and the faults of a ready one. Of a character that has
    been in play, they are the options that this table lacks.
    """
    rules = creation_rules(game)
    if not new:
        foreign = foreign_options(rules, data)
        return (Text("mb-foreign-options", {"names": foreign}),) if foreign else ()
    raw = with_given_options(rules, read_raw_sheet(data, rules.rows))
    lines = [Text(fault.error.code, fault.error.params) for fault in findings(rules, raw)]
    if not is_gm(game.state, game.actor):
        lines += _claimed_effects(game, data, raw)
    return tuple(lines)


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
    """Return whether the object is a ready character, possibly with another name."""
    own = _without_name(data)
    return any(own == _without_name(row) for row in ready_characters(game))


def _without_name(data: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in data.items() if key != "name"}


# --- ready ones -----------------------------------------------------------------------------------

_PEOPLE: Final = data_rows.from_json(
    Mapping[str, tuple[dict[str, Any], ...]],
    data_rows.json_loader("rules.systems.masterbook", "people")(),
)
#: The book's ready characters, as a file has them, with what is printed on their sheets.
READY: Final = _PEOPLE["ready"]


def ready_characters(game: Game) -> tuple[dict[str, object], ...]:
    """Return characters to choose from, as a file has them.

    At a table without backgrounds, they have no options.
    """
    rows = copy.deepcopy(READY)
    if not game.setting("background_generation"):
        for row in rows:
            row.pop("advantages", None)
            row.pop("compensations", None)
    return rows


def npc_choices(game: Game) -> tuple[Option, ...]:
    """Return the templates for NPCs."""
    return plain_options([row["name"] for row in _PEOPLE["npcs"]])


def npc_template(game: Game, text: str) -> dict[str, Any] | None:
    """Return the template that *text* names, as a file has it; None if there is none."""
    for row in _PEOPLE["npcs"]:
        if name_key(row["name"]) == name_key(text):
            return copy.deepcopy(row)
    return None
