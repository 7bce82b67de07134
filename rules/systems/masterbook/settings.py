"""What a table that plays MasterBook agrees on besides what all do: options of the rules, and how it reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.table.actions import ChangeSettings
from rules.table.commands import Command, Does
from rules.table.events import Line
from rules.table.forms import Field, Flag, Form, Number, Option, Pick, Values, as_written
from rules.table.settings import WINDOW, setting
from rules.table.system import Game


def _either(key: str, *values: str) -> Field:
    """One of a few ways to read a rule, the first where nothing was agreed on."""
    offers = tuple(Option(each, Line(f"mb-setting-{each.replace('_', '-')}")) for each in values)
    return setting(Pick(key, among=offers, usual=values[0], needed=True))


def _switch(key: str, usual: bool = False) -> Field:
    return setting(Flag(key, usual=usual))


def _number(key: str, usual: int, *offered: int) -> Field:
    def label(number: int) -> Line:
        return Line("mb-setting-number", {"number": number})

    return setting(
        Number(
            key, low=min(offered), high=max(offered), offered=offered, label=label, usual=usual, needed=True
        )
    )


SETTINGS: Final = Form(
    (
        WINDOW,
        _switch("critical_failure"),
        _switch("damage_cap"),
        _switch("non_lethal"),
        _switch("knockout_attacks"),
        _either("bleeding", "off", "gm", "table"),
        _switch("interactive_cap"),
        _either("interactive_cap_on", "result_points", "bonus_number"),
        _switch("limit_shock"),
        _switch("realistic_limits"),
        _switch("interaction_rounds"),
        _switch("combat_options", True),
        _switch("tactical_map"),
        _either("lp_tens_scope", "all", "new_dice_only"),
        _either("cover_hit_rp", "from_defense", "zero"),
        _switch("untrained_heavy_weapons"),
        _switch("untrained_vehicle_piloting", True),
        _switch("untrained_disguise"),
        _switch("resist_shock_add_cap"),
        _switch("computer_ops_macroskill"),
        _switch("medicine_macroskill"),
        _switch("streetwise_macroskill"),
        _switch("magic_skill_focuses"),
        _switch("faith_miracles_professionals_only"),
        _either("stealth_many_watchers", "many_on_one", "multi_target"),
        _either("con_column", "taunt_trick", "general"),
        _switch("persuasion_in_combat"),
        _either("spec_trained_rounding", "round_then_double", "double_then_round"),
        _number("spec_adds_between_adventures", 2, 1, 2),
        _switch("track_first_person_counts", True),
        _switch("toughness_follows_purchased_attributes", True),
        _switch("rifle_point_blank_damage"),
        _number("nonlethal_damage_bump", 0, 0, 1, 2),
        _switch("weapon_handling_mods"),
        _switch("armor_agility_penalty"),
        _number("armor_extra_fatigue", 0, 0, 1, 2),
        _switch("partial_armor_coverage"),
        _switch("grenade_adds_result_points"),
        _either("grenade_deviation_method", "random", "by_miss", "gm"),
        _switch("track_ammunition", True),
        _switch("luck3_gm_rescue"),
        _either("cards_mode", "off", "initiative_only", "play_only", "full"),
        _either("interaction_rounds_use_cards", "both", "lines", "approved", "none"),
        _switch("exceptional_roleplaying_card"),
        _switch("gamemaster_fiat", True),
        _switch("critical_skill_resolution", True),
        _either("rally_to", "pool", "hand"),
        _either("leadership_gifts_to", "pool", "hand"),
        _either("claim_source", "discard_top", "last_card_played_by_another"),
        _switch("effect_card_can_rescue"),
        _either("combat_only_cards_in", "any_rounds", "combat_rounds"),
        _switch("opportunity_counts_in_hand", True),
        _either("setback_default", "lose_one_action", "gamemaster_event"),
        _number("csr_steps_per_round", 1, 1, 2, 3, 4),
        _either("pool_timing", "after_action", "end_of_round"),
        _number("hand_lock_other_draws", 0, 0, 1),
        _either("csr_failed_last_ditch_with_clock", "level_unchanged", "task_lost"),
        _switch("confused_blocks_awards", True),
        _either("reject_award_scope", "adventure", "campaign"),
    )
)

#: Options of the rules that go together; what a preset does not name is as the book has it.
PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "book": {},
    "cinematic": {
        "non_lethal": True,
        "knockout_attacks": True,
        "limit_shock": True,
        "track_ammunition": False,
    },
    "realistic": {
        "critical_failure": True,
        "damage_cap": True,
        "non_lethal": True,
        "bleeding": "table",
        "interactive_cap": True,
        "realistic_limits": True,
        "resist_shock_add_cap": True,
        "partial_armor_coverage": True,
        "armor_agility_penalty": True,
        "armor_extra_fatigue": 1,
    },
}
_CHANGED: Final = tuple(dict.fromkeys([key for each in PRESETS.values() for key in each]))


def _preset(game: Game, given: Values) -> Does:
    values = {key: SETTINGS.usual(key) for key in _CHANGED} | dict(PRESETS[given["preset"]])
    return Does(ChangeSettings, {"values": values}, openly=True)


COMMANDS: Final = (
    Command("preset", _preset, Form((Pick("preset", among=as_written(PRESETS), needed=True),))),
)
