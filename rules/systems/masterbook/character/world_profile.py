"""Profile of a campaign's world, a part of the campaign's file (MB-GM-13, MB-GM-15).

The book has no numbers for worlds, and no axioms: limits of a world are texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from rules.core.data_rows import from_json, json_loader
from rules.core.errors import InvalidInput, Problems, RulesError
from rules.core.json_reader import MAX_NOTED_PROBLEMS, Reader
from rules.core.name_matching import similar_or_first
from rules.core.record import Record, field, to_plain
from rules.systems.masterbook.formulas.effect_blueprint import BLUEPRINT_BOUNDS, Blueprint
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.equipment import CampaignRows
from rules.table.blocks import Text
from rules.table.system import Campaign

#: Key of the profile in a campaign's file.
KEY: Final = "world"
#: Longest text of a profile, in characters.
TEXT_MAX: Final = 500
#: Most entries of a list.
ENTRIES_MAX: Final = 50
#: Most that a world adds to a difficulty or feedback, or takes from it.
ADJUST_MAX: Final = 20
EFFECT_VALUE_MAX: Final = BLUEPRINT_BOUNDS["effect_value"][1]

Genre = Literal[
    "pulp_fiction", "high_fantasy", "low_fantasy", "real_world", "science_fiction", "custom"
]
Effect = Literal["magic", "miracles", "psionics", "super_science"]
#: Elements that a world may forbid, by the fields of a blueprint (MB-SFX-14).
Element = Literal[
    "area",
    "targets",
    "traits",
    "target_changes",
    "variable_effect",
    "switch",
    "extension",
    "accuracy",
    "movement",
    "maintenance",
    "focus_targets",
    "charges",
    "ward",
    "unreal",
]


class EffectAdjustment(Record):
    """Change of some effects by the world: of a skill, or from an effect value (MB-SFX-14)."""

    #: Skill by its name in the list; empty: every skill.
    skill: str = ""
    #: Lowest effect value that it counts for.
    from_effect_value: int = 0
    difficulty: int = 0
    feedback: int = 0
    #: Total that the design of such effects begins with, whatever the effect value (MB-SFX-S00).
    start_total: int = 0


class Technology(Record):
    """Level and kind of a world's technology."""

    level: str = ""
    kind: str = ""
    exceptions: str = ""


class WorldEffects(Record):
    """Special effects that a world allows, and the changes it makes to them."""

    magic: bool = False
    miracles: bool = False
    psionics: bool = False
    super_science: bool = False
    #: Added by the world to the difficulty of effects, and to their feedback.
    difficulty_adjust: int = 0
    feedback_adjust: int = 0
    #: Changes for single skills, or from an effect value.
    adjustments: tuple[EffectAdjustment, ...] = ()
    #: Elements that no effect may have.
    forbidden: tuple[Element, ...] = ()
    #: Further cost of every casting, for players to read: an ounce of gold for each point.
    requirement: str = ""


class WorldProfile(Record):
    """The GM's notes on a world."""

    genre: Genre | None = None
    tone: str = ""
    realism: str = ""
    technology: Technology = Technology()
    special_effects: WorldEffects | None = None
    #: Each character's knowledge of the world, by the character's name.
    world_awareness: Mapping[str, str] = field(default_factory=dict[str, str])
    #: Entries of the world's history, the oldest first.
    history: tuple[str, ...] = ()
    adventure_types: str = ""
    overall_goal: str = ""


class _WorldData(Record):
    """Data of genres, and a profile to copy from."""

    sample: WorldProfile
    #: Kinds of special effects by genre: those that are usual, and those that are unusual.
    usual_effects: Mapping[str, tuple[Effect, ...]]
    unusual_effects: Mapping[str, tuple[Effect, ...]]


_DATA: Final = from_json(_WorldData, json_loader("rules.systems.masterbook", "world")())


class MasterbookCampaign(CampaignRows):
    """Rows that a campaign adds to the tables, and the profile of its world."""

    #: The campaign's library of effects.
    effects: tuple[Blueprint, ...] = ()
    world: WorldProfile = WorldProfile()


def preset_for_genre(genre: str | None) -> str | None:
    """Return the preset of background limits that a genre proposes (MB-BG-02).

    None for a custom genre, or none at all.
    """
    return genre if genre in _DATA.usual_effects else None


def read_world(value: object) -> WorldProfile:
    """Read a profile from a campaign's file. Raises Problems("bad-campaign")."""
    reader = Reader()
    profile = WorldProfile()
    try:
        profile = from_json(WorldProfile, value, KEY)
        _check(reader, profile)
    except ValueError as error:
        where, _, wrong = str(error).partition(": ")
        reader.add_problem("bad-row", where, wrong, "mend-row")
    except RulesError as error:
        reader.problems.append(InvalidInput(error.code, **{**error.params, "field": KEY}))
    if reader.problems:
        count = len(reader.problems)
        raise Problems("bad-campaign", reader.problems[:MAX_NOTED_PROBLEMS], count=count)
    return profile


def _check(reader: Reader, profile: WorldProfile) -> None:
    for place, text in _texts(profile):
        reader.read_text(place, text, TEXT_MAX)
    for key in ("world_awareness", "history"):
        reader.note_too_many(f"{KEY}.{key}", len(getattr(profile, key)), ENTRIES_MAX)
    effects = profile.special_effects or WorldEffects()
    for key in ("difficulty_adjust", "feedback_adjust"):
        place = f"{KEY}.special_effects.{key}"
        reader.read_number(place, getattr(effects, key), -ADJUST_MAX, ADJUST_MAX)
    _check_adjustments(reader, effects)


def _check_adjustments(reader: Reader, effects: WorldEffects) -> None:
    place = f"{KEY}.special_effects.adjustments"
    reader.note_too_many(place, len(effects.adjustments), ENTRIES_MAX)
    for at, adjustment in enumerate(effects.adjustments):
        if adjustment.skill and adjustment.skill not in EFFECT_SKILLS:
            near = similar_or_first(adjustment.skill, EFFECT_SKILLS)
            reader.add_problem(
                "not-in-tables", f"{place}[{at}].skill", adjustment.skill, "mend-row", nearest=near
            )
        for key in ("difficulty", "feedback", "start_total"):
            number = getattr(adjustment, key)
            reader.read_number(f"{place}[{at}].{key}", number, -ADJUST_MAX, ADJUST_MAX)
        lowest = adjustment.from_effect_value
        reader.read_number(f"{place}[{at}].from_effect_value", lowest, 0, EFFECT_VALUE_MAX)


def _texts(profile: WorldProfile) -> Iterator[tuple[str, str]]:
    """Yield every free text of a profile, with its place in the file."""
    for key in ("tone", "realism", "adventure_types", "overall_goal"):
        yield f"{KEY}.{key}", getattr(profile, key)
    for key in ("level", "kind", "exceptions"):
        yield f"{KEY}.technology.{key}", getattr(profile.technology, key)
    if profile.special_effects is not None:
        yield f"{KEY}.special_effects.requirement", profile.special_effects.requirement
    for name, text in profile.world_awareness.items():
        yield f"{KEY}.world_awareness", name
        yield f"{KEY}.world_awareness.{name}", text
    for at, text in enumerate(profile.history):
        yield f"{KEY}.history[{at}]", text


def write_world(profile: WorldProfile) -> dict[str, Any]:
    """Return the JSON object that `read_world` reads back to the same profile.

    Values of an empty profile are left out.
    """
    plain, empty = to_plain(profile), to_plain(WorldProfile())
    return {key: value for key, value in plain.items() if value != empty[key]}


def describe_world(profile: WorldProfile) -> tuple[Text, ...]:
    """Return the profile in lines, for GMs; none for an empty one."""
    lines = [*announce_world(profile)]
    for name, text in profile.world_awareness.items():
        lines.append(Text("mb-world-awareness", {"name": name, "text": text}))
    for text in profile.history:
        lines += _line("history", text)
    for key in ("adventure_types", "overall_goal"):
        lines += _line(key, getattr(profile, key))
    return tuple(lines)


def announce_world(profile: WorldProfile) -> tuple[Text, ...]:
    """Return the lines of a profile that players need to make characters."""
    lines: list[Text] = []
    if profile.genre is not None:
        lines += _genre_lines(profile.genre)
    for key in ("tone", "realism"):
        lines += _line(key, getattr(profile, key))
    if profile.technology != Technology():
        lines.append(Text("mb-world-technology", to_plain(profile.technology)))
    if profile.special_effects is not None:
        lines += _effects_lines(profile.special_effects)
    return tuple(lines)


def _genre_lines(genre: Genre) -> tuple[Text, ...]:
    """Return a genre with its preset, and the special effects that are usual in it."""
    about = {"genre": genre, "preset": preset_for_genre(genre)}
    line = Text("mb-world-genre", about)
    usual = _DATA.usual_effects.get(genre, ())
    unusual = _DATA.unusual_effects.get(genre, ())
    if not usual and not unusual:
        return (line,)
    effects = {"usual": _effect_texts(usual), "unusual": _effect_texts(unusual)}
    return (line, Text("mb-world-usual", effects))


def _line(key: str, text: str) -> tuple[Text, ...]:
    return (Text("mb-world-text", {"what": key, "text": text}),) if text else ()


def _effects_lines(effects: WorldEffects) -> Iterator[Text]:
    yield _effects_line(effects)
    for adjustment in effects.adjustments:
        about = {
            "skill": adjustment.skill or None,
            "lowest": adjustment.from_effect_value or None,
            "difficulty": adjustment.difficulty or None,
            "feedback": adjustment.feedback or None,
            "start": adjustment.start_total or None,
        }
        yield Text("mb-world-adjustment", about)
    if effects.forbidden:
        names = tuple(Text("mb-world-element", {"element": key}) for key in effects.forbidden)
        yield Text("mb-world-forbidden", {"elements": names})
    if effects.requirement:
        yield Text("mb-world-text", {"what": "requirement", "text": effects.requirement})


def _effects_line(effects: WorldEffects) -> Text:
    kinds = ("magic", "miracles", "psionics", "super_science")
    allowed = tuple(kind for kind in kinds if getattr(effects, kind))
    about = {
        "difficulty": effects.difficulty_adjust or None,
        "feedback": effects.feedback_adjust or None,
    }
    return Text("mb-world-effects", {"allowed": _effect_texts(allowed), **about})


def _effect_texts(kinds: tuple[str, ...]) -> tuple[Text, ...]:
    return tuple(Text("mb-world-effect", {"effect": kind}) for kind in kinds)


def with_world(campaign: Campaign) -> Campaign:
    """Return a campaign of added rows whose file also has the world's profile.

    The rows have to be a `MasterbookCampaign`.
    """

    def read(data: Mapping[str, object]) -> MasterbookCampaign:
        rows: MasterbookCampaign = campaign.read(
            {key: value for key, value in data.items() if key != KEY}
        )
        return rows.replace(world=read_world(data[KEY])) if KEY in data else rows

    def write(held: MasterbookCampaign) -> dict[str, object]:
        file = campaign.write(held)
        world = write_world(held.world)
        return {**file, KEY: world} if world else file

    def describe(held: MasterbookCampaign) -> tuple[Text, ...]:
        return (*campaign.describe(held), *describe_world(held.world))

    def announce(held: MasterbookCampaign) -> tuple[Text, ...]:
        return (*campaign.describe(held), *announce_world(held.world))

    return campaign.replace(
        read=read,
        write=write,
        describe=describe,
        announce=announce,
        sample=lambda: {**campaign.sample(), KEY: write_world(_DATA.sample)},
    )
