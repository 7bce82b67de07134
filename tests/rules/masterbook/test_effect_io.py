"""Special effects in files: read, written, refused with their place; who may use them."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from rules.core.errors import Impossible, Problems
from rules.registry import read_only_game
from rules.systems.masterbook.character.effect_approvals import (
    effect_approvals,
    new_effects,
    with_kept_rulings,
    with_ruling,
)
from rules.systems.masterbook.character.effect_io import library_effect, library_effects
from rules.systems.masterbook.character.effect_pages import entry_draft, entry_line
from rules.systems.masterbook.character.options import BackgroundOption
from rules.systems.masterbook.character.sheet import MasterbookSheet, Skill
from rules.systems.masterbook.character.sheet_io import CHARACTER, read_sheet, write_sheet
from rules.systems.masterbook.character.world_profile import (
    MasterbookCampaign,
    WorldEffects,
    WorldProfile,
)
from rules.systems.masterbook.effects.access import flaw_difficulty, learning_value, require_access
from rules.systems.masterbook.effects.learning import learned_limit
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect, Rush
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.effect_worksheet import work_out
from rules.systems.masterbook.formulas.interaction import UNTRAINED
from rules.systems.masterbook.system import SYSTEM
from rules.table.forms.fields import FormContext
from rules.table.marks import with_marks
from rules.table.state import Character, Mark
from rules.table.system import Game
from tests.property.every_option import table

_TABLE: Final = table(SYSTEM)
_GLOW: Final = Blueprint("Glow", "Conjuration")


def _game(campaign: MasterbookCampaign | None = None, *, approve: bool = False, **own: Any) -> Game:
    settings = _TABLE.settings
    settings = settings.replace(own={**settings.own, **own}, approve=approve)
    state = _TABLE.replace(settings=settings, campaign=campaign)
    return read_only_game(state.with_character(Character("k1", "Ana", "p1", MasterbookSheet())))


def _with_sheet(game: Game, **changes: Any) -> tuple[Game, str]:
    """A game whose character has what a test needs, and the character's id."""
    return game.with_sheet("k1", game.sheet("k1").replace(**changes)), "k1"


# --- files ----------------------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-11")
@pytest.mark.parametrize("blueprint", READY_MADE, ids=lambda blueprint: blueprint.name)
def test_an_effect_is_written_as_it_is_read(blueprint: Blueprint) -> None:
    known = KnownEffect(blueprint, True, False, Rush(2, 1, 1), True, True, False, "Fine")
    sheet = MasterbookSheet(effects=(known, KnownEffect(_GLOW)))
    text = json.dumps(write_sheet("Ana", sheet))
    name, read = read_sheet(json.loads(text))
    assert read == sheet
    assert json.dumps(write_sheet(name, read)) == text


def test_a_draft_of_texts_holds_the_same_effects() -> None:
    sheet = MasterbookSheet(effects=tuple(map(KnownEffect, READY_MADE)))
    draft = CHARACTER.write_draft({**CHARACTER.all_values(sheet), "name": "Ana"})
    values, problems = CHARACTER.read_draft(draft)
    assert problems == ()
    assert CHARACTER.make_record(MasterbookSheet, values).effects == sheet.effects


@pytest.mark.parametrize("blueprint", READY_MADE, ids=lambda blueprint: blueprint.name)
def test_an_entry_of_creation_keeps_the_effect_and_how_it_is_known(blueprint: Blueprint) -> None:
    asking = FormContext(_game())
    known = KnownEffect(blueprint, learned=True, approved=True)
    values = CHARACTER.all_values(MasterbookSheet(effects=(known,)))
    line = CHARACTER.write_draft(values)["effects"]
    draft = entry_draft(asking, line)
    again = entry_line(asking, draft)
    read, problems = CHARACTER.read_draft({"name": "Ana", "effects": again})
    assert problems == ()
    made = CHARACTER.make_record(MasterbookSheet, read)
    assert made.effects[0].learned and made.effects[0].approved
    assert work_out(made.effects[0].blueprint) == work_out(blueprint)


def _row(**changes: Any) -> dict[str, Any]:
    return {"blueprint": {"name": "Glow", "skill": "Conjuration", **changes}}


@pytest.mark.rule("MB-SFX-40")
@pytest.mark.parametrize(
    ("effects", "code", "place"),
    [
        ("Flight", "wrong-type", "effects"),
        ([3], "bad-row", "effects[0]"),
        ([{}], "bad-row", "effects[0].blueprint"),
        (["Wish"], "not-in-tables", "effects[0]"),
        (["Flight", "flight"], "mb-effect-twice", "effects[1]"),
        ([_row(skill="Cooking")], "not-in-tables", "effects[0].blueprint.skill"),
        ([_row(name="")], "empty-text", "effects[0].blueprint.name"),
        ([_row(name="x" * 81)], "too-long", "effects[0].blueprint.name"),
        ([_row(description="x" * 2001)], "too-long", "effects[0].blueprint.description"),
        ([_row(charges=101)], "out-of-range", "effects[0].blueprint.charges"),
        ([_row(wings=2)], "bad-row", "effects[0].blueprint.wings"),
        (
            [_row(conditions=[{"kind": "component"}] * 26)],
            "too-many-entries",
            "effects[0].blueprint.conditions",
        ),
        (
            [_row(conditions=[{"kind": "component", "level": 8}])],
            "out-of-range",
            "effects[0].blueprint.conditions[0].level",
        ),
        ([{**_row(), "rush": {"steps": -1}}], "out-of-range", "effects[0].rush.steps"),
        ([_row()] * 51, "too-many-entries", "effects"),
    ],
)
def test_faults_of_effects_are_told_with_their_place(effects: Any, code: str, place: str) -> None:
    with pytest.raises(Problems) as refused:
        read_sheet({"name": "Ana", "effects": effects})
    found = [(problem.code, problem.params["field"]) for problem in refused.value.problems]
    assert (code, place) in found, found


@pytest.mark.rule("MB-SFX-10")
def test_an_unknown_skill_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(Problems) as refused:
        read_sheet({"name": "Ana", "effects": [_row(skill="Conjurtion")]})
    shown: dict[str, Any] = refused.value.problems[0].params
    assert shown["nearest"][0] == "Conjuration"
    _, sheet = read_sheet({"name": "Ana", "effects": [_row(skill="psionic manipulation")]})
    assert sheet.effects[0].blueprint.skill == "Psionic Manipulation"


def test_the_campaigns_effects_go_before_those_of_their_name() -> None:
    own = Blueprint("flight", "Faith")
    campaign = MasterbookCampaign(effects=(own, _GLOW))
    assert library_effect(campaign, "Flight") == own
    assert len([*library_effects(campaign)]) == len(READY_MADE) + 1
    _, sheet = read_sheet({"name": "Ana", "effects": ["glow"]}, campaign)
    assert sheet.effects == (KnownEffect(_GLOW),)


def test_a_campaigns_file_checks_its_effects() -> None:
    assert SYSTEM.campaign.read({"effects": [{"name": "Glow", "skill": "Faith"}]}).effects
    for wrong in ({"skill": "faith"}, {"skill": "Faith", "charges": 101}):
        with pytest.raises(Problems):
            SYSTEM.campaign.read({"effects": [{"name": "Glow", **wrong}]})


# --- ready-made effects ---------------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-40", "MB-SFX-41")
@pytest.mark.parametrize("blueprint", READY_MADE, ids=lambda blueprint: blueprint.name)
def test_ready_made_effects_are_legal(blueprint: Blueprint) -> None:
    sheet = work_out(blueprint)
    # The book's flight belt has more components than its worksheet allows.
    expected = ["mb-effect-components"] if blueprint.name == "Flight Belt" else []
    assert [finding.code for finding in sheet.errors] == expected
    assert sheet.warnings == ()


# --- access and learning --------------------------------------------------------------------------


def _refusal(game: Game, who: str, known: KnownEffect) -> str:
    with pytest.raises(Impossible) as refused:
        require_access(game, who, known)
    return refused.value.code


@pytest.mark.rule("MB-SFX-12")
def test_an_add_in_the_skill_or_in_the_effect_itself_gives_access() -> None:
    known = KnownEffect(_GLOW)
    game, who = _with_sheet(_game(), skills=())
    assert _refusal(game, who, known) == "mb-effect-no-adds"
    game, who = _with_sheet(game, skills=(Skill("Conjuration", 2),))
    assert require_access(game, who, known).source.all_adds == 2
    special = Skill("Conjuration", 0, specializations=(("glow", 1), ("wall", 3)))
    game, who = _with_sheet(game, skills=(special,))
    assert require_access(game, who, known).source.special == "glow"
    wall = KnownEffect(_GLOW.replace(name="Gate"))
    assert _refusal(game, who, wall) == "mb-effect-no-adds"


@pytest.mark.rule("MB-SFX-12")
def test_a_focus_counts_where_skills_of_effects_are_learned_by_focus() -> None:
    known = KnownEffect(_GLOW.replace(focus="light"))
    other = (Skill("Conjuration", 2, "stone"),)
    game, who = _with_sheet(_game(), skills=other)
    assert require_access(game, who, known).source.focus == "stone"
    game, who = _with_sheet(_game(magic_skill_focuses=True), skills=other)
    assert _refusal(game, who, known) == "mb-effect-no-adds"
    game, who = _with_sheet(game, skills=(*other, Skill("Conjuration", 1, "Light")))
    assert require_access(game, who, known).source.focus == "Light"


@pytest.mark.rule("MB-SFX-12")
def test_an_untrained_character_casts_nothing() -> None:
    game, who = _with_sheet(_game(), skills=(Skill("Conjuration", 2),))
    game = game.with_state(with_marks(game.state, who, Mark(UNTRAINED)))
    assert _refusal(game, who, KnownEffect(_GLOW)) == "mb-effect-untrained"


@pytest.mark.rule("MB-SFX-12", "MB-BG-31")
def test_a_kind_that_the_world_lacks_takes_special_effects() -> None:
    world = WorldProfile(special_effects=WorldEffects(miracles=True))
    game, who = _with_sheet(
        _game(MasterbookCampaign(world=world)), skills=(Skill("Conjuration", 2),)
    )
    assert _refusal(game, who, KnownEffect(_GLOW)) == "mb-effect-world"
    gift = BackgroundOption("Special Effects", 3, targets=("Conjuration",))
    game, who = _with_sheet(game, advantages=(gift,), skills=())
    assert require_access(game, who, KnownEffect(_GLOW)).source.all_adds == 1
    game = _game(MasterbookCampaign(world=world), special_effects_free_add="never")
    game, who = _with_sheet(game, advantages=(gift,), skills=())
    assert _refusal(game, who, KnownEffect(_GLOW)) == "mb-effect-no-adds"


@pytest.mark.rule("MB-SFX-12", "MB-BG-41")
def test_a_flaw_of_special_effects_makes_every_use_harder() -> None:
    gift = BackgroundOption("Special Effects", 3, targets=("Conjuration",), label="gift")
    flaw = BackgroundOption("Advantage Flaw", 1, link=("gift",), numbers=(("difficulty", 2),))
    game, who = _with_sheet(_game(), advantages=(gift,), compensations=(flaw,), skills=())
    access = require_access(game, who, KnownEffect(_GLOW))
    assert access.difficulty == 2 == flaw_difficulty(game.sheet(who), access.source)


@pytest.mark.rule("MB-SFX-12")
def test_the_gm_agrees_to_effects_where_new_characters_are_looked_at() -> None:
    game, who = _with_sheet(_game(approve=True), skills=(Skill("Conjuration", 2),))
    known = KnownEffect(_GLOW)
    assert _refusal(game, who, known) == "mb-effect-unapproved"
    assert _refusal(game, who, known.replace(refused=True)) == "mb-effect-refused"
    assert require_access(game, who, known.replace(approved=True))
    game = game.with_state(game.state.replace(campaign=MasterbookCampaign(effects=(_GLOW,))))
    assert require_access(game, who, known)


@pytest.mark.rule("MB-SFX-13")
@pytest.mark.parametrize(("adds", "each", "most"), [(0, 3, 3), (1, 3, 3), (2, 3, 4), (5, 4, 4)])
def test_the_skills_value_limits_learning(adds: int, each: int, most: int) -> None:
    game = _game(effect_skill_points_each=each)
    skill = Skill("Conjuration", adds, specializations=(("glow", 3),))
    learned = (KnownEffect(_GLOW, learned=True), KnownEffect(_GLOW.replace(name="Wall")))
    game, who = _with_sheet(game, mind=8, skills=(skill,), effects=learned)
    sheet = game.sheet(who)
    assert learning_value(game, sheet, _GLOW) == 8 + adds
    limit = learned_limit(game, sheet, _GLOW)
    assert (limit.known, limit.most) == (1, most)


# --- new characters and consent -------------------------------------------------------------------


@pytest.mark.rule("MB-SFX-12", "MB-BG-31")
def test_special_effects_brings_one_learned_effect_and_others_are_learned_in_play() -> None:
    gift = BackgroundOption("Special Effects", 3, targets=("Conjuration",))
    claimed = tuple(
        KnownEffect(_GLOW.replace(name=name), learned=True, free=True, approved=True)
        for name in ("One", "Two")
    )
    sheet = MasterbookSheet(advantages=(gift,), effects=claimed)
    first, second = new_effects(sheet, by_gm=False)
    assert first.learned and first.free and not first.approved
    assert second == KnownEffect(claimed[1].blueprint)
    assert [known.approved for known in new_effects(sheet, by_gm=True)] == [True, True]


@pytest.mark.rule("MB-SFX-12")
def test_a_ruling_is_tied_to_the_blueprint() -> None:
    game = _game(approve=True)
    sheet = MasterbookSheet(effects=(KnownEffect(_GLOW), KnownEffect(_GLOW.replace(name="Wall"))))
    lines = [*effect_approvals(game, sheet)]
    assert [line.state for line in lines] == ["open", "open"]
    ruled = with_ruling(sheet.effects, lines[0].id, False, "Too  bright")
    assert ruled[0].refused and ruled[0].ruling == "Too bright" and not ruled[1].refused
    allowed = with_ruling(ruled, lines[0].id, True, "")
    assert allowed[0].approved and not allowed[0].refused
    assert with_kept_rulings(allowed, sheet.effects)[0].approved
    changed = (KnownEffect(_GLOW.replace(effect_value=20)),)
    assert not with_kept_rulings(allowed, changed)[0].approved
