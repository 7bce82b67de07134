"""`/effect build`: the panel in which a special effect is built (MB-SFX-40, MB-SFX-91 to -93)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, RulesError
from rules.systems.masterbook.character.casting_skills import casting_attribute, casting_skills
from rules.systems.masterbook.character.effect_drafts import (
    blueprint_draft,
    blueprint_from,
    read_draft,
    rush_from,
    with_template,
)
from rules.systems.masterbook.character.effect_forms import effect_form
from rules.systems.masterbook.character.effect_io import library_effects
from rules.systems.masterbook.character.effect_measures import Measure as MeasureField
from rules.systems.masterbook.character.effect_measures import measure_text
from rules.systems.masterbook.character.effect_prices import component_points, total_lines
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.effect_sheet import stat_block
from rules.systems.masterbook.character.effect_workbench import Workbench
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.roll_sources import learned_sources, source_rating
from rules.systems.masterbook.checks.view import damage_text
from rules.systems.masterbook.combat.odds import RollProfile, odds_of_reaching, roll_profile
from rules.systems.masterbook.effects.access import casting_source
from rules.systems.masterbook.effects.build_odds import support_odds
from rules.systems.masterbook.effects.cast_state import Cast
from rules.systems.masterbook.effects.cast_support import action_cost
from rules.systems.masterbook.effects.consent import consent_events
from rules.systems.masterbook.effects.effect_harm import feedback_harm
from rules.systems.masterbook.effects.effect_settings import (
    design_rounds_up,
    may_rush,
    world_figures,
)
from rules.systems.masterbook.effects.known_effects import FoundEffect, find_effect
from rules.systems.masterbook.effects.sheet_effects import require_sound_worksheet, with_effect
from rules.systems.masterbook.formulas.damage import wound_level_name
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect, Rush
from rules.systems.masterbook.formulas.effect_costs import speed_of
from rules.systems.masterbook.formulas.effect_findings import Worksheet
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.effect_values import cast_result
from rules.systems.masterbook.formulas.effect_worksheet import (
    Figures,
    design_value,
    hurried_design_value,
    rushed_figures,
    unlearned_figures,
    work_out,
)
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.systems.masterbook.rounds.adventure_clock import find_clock
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Note, Text
from rules.table.check import Values
from rules.table.commands import AS_FIELD, NAME_MAX, Command, CommandAction, CommandForm
from rules.table.events import Reported
from rules.table.forms.fields import FormContext, Option, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.people.characters import owner_audience
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game, Page

COMMAND: Final = "effect build"
#: Steps of the panel, each with the fields that it has if the form has them.
_STEPS: Final[dict[str, tuple[str, ...]]] = {
    "idea": ("template", "name", "skill", "focus", "summary", "description"),
    "basics": (
        *("effect_value", "range_value", "speed_value", "duration_value", "cast_time_value"),
    ),
    "targets": ("area", "shape", "targets", "target_changes", "traits"),
    "extras": (
        *("switch", "charges", "movement", "maintenance", "focus_targets", "points_down"),
        *("points_up", "accuracy", "extension", "holder", "ward", "extras"),
    ),
    "split": ("dn_share",),
    "conditions": ("conditions", "unreal", "unreal_division"),
    "play": ("action", "resisted_by", "resisting_number", "to_hit", "on_self", "every_round"),
    "hurry": ("rush_steps", "rush_division"),
    "totals": (),
}
_BASICS: Final = _STEPS["basics"]


class KeepEffect(Action, kw_only=True):
    """Write a special effect down on a character's sheet, as a blueprint that isn't learned."""

    blueprint: Blueprint
    rush: Rush = Rush()
    as_: str | None = None


# --- whose effect it is ---------------------------------------------------------------------------


def in_play(game: Game) -> bool:
    """Return whether an adventure or an order of action runs, so that designing takes time."""
    return find_clock(game) is not None or bool(game.state.encounters)


def skills_to_build_with(game: Game, who: AnyCharacter) -> tuple[tuple[str, int], ...]:
    """Return the skills in which a character may build effects now, each with its value.

    GMs may build with every skill.
    """
    values = casting_skills(game, who.sheet)
    if is_gm(game.state, game.actor):
        for name in EFFECT_SKILLS:
            values.setdefault(name, casting_attribute(who.sheet, name))
    return tuple(values.items())


def workbench(game: Game, who: AnyCharacter) -> Workbench:
    """Return the workbench for a character's effects.

    Raises Impossible("mb-effect-no-skill") for a character who can't cast any.
    """
    skills = skills_to_build_with(game, who)
    if not skills:
        about = {"name": who.name, "skills": tuple(EFFECT_SKILLS)}
        raise Impossible("mb-effect-no-skill", **about)
    consent = game.state.settings.approve and not is_gm(game.state, game.actor)
    return Workbench(
        rules=partial(worksheet_rules, game),
        skills=skills,
        known=tuple(source.name for source in learned_sources(who.sheet) if source.all_adds),
        gives_bonus=not consent,
        rushes=in_play(game) and may_rush(game),
    )


def copied_blueprints(game: Game, sheet: MasterbookSheet) -> dict[str, Blueprint]:
    """Return the effects that a new one may copy, by name: the character's own come first."""
    own = {known.name: known.blueprint for known in sheet.effects}
    return {row.name: row for row in library_effects(game.campaign)} | own


def find_blueprint(game: Game, sheet: MasterbookSheet, text: str) -> Blueprint:
    """Return the effect to copy that a name means. Raises as `find_effect`."""
    blueprints = copied_blueprints(game, sheet).values()
    pool = (FoundEffect(KnownEffect(blueprint)) for blueprint in blueprints)
    return find_effect(pool, text, "like").known.blueprint


# --- what a casting comes to ----------------------------------------------------------------------


def casting_profile(game: Game, who: AnyCharacter, blueprint: Blueprint) -> RollProfile | None:
    """Return the profile of a character's casting roll; None if nothing can be rolled."""
    source = casting_source(game, who.sheet, blueprint)
    if source is None:
        return None
    try:
        rating = source_rating(game, who.id, source)
    except Impossible:
        return None
    if cost := action_cost(game, Cast(known=KnownEffect(blueprint))):
        rating = rating.with_causes(("multi_action", cost))
    return roll_profile(rating)


def median_total(profile: RollProfile) -> int:
    """Return the highest total that a roll reaches at least half the time."""
    total = profile.value
    half = Fraction(1, 2)
    while odds_of_reaching(profile, total) < half:
        total -= 1
    while odds_of_reaching(profile, total + 1) >= half:
        total += 1
    return total


def _feedback_text(game: Game, who: AnyCharacter, feedback: int) -> Text | None:
    """Return the damage of feedback, by the table's rule; None for none (MB-SFX-21)."""
    damage = feedback_harm(game, who.sheet, feedback)
    if damage == Damage():
        return None
    about = {"damage": damage_text(damage), "level": wound_level_name(damage.wounds)}
    return Text("mb-effect-build-damage", about)


def _odds_line(
    game: Game, who: AnyCharacter, blueprint: Blueprint, profile: RollProfile, dn: int
) -> Text:
    """Return the chance of the casting roll, and with it of the rolls for conditions."""
    alone = odds_of_reaching(profile, dn)
    support = support_odds(game, who.id, blueprint)
    about: dict[str, Any] = {"skill": blueprint.skill, "value": profile.value}
    about |= {"chance": str(alone), "alone": None, "helpers": support.helpers}
    if support.chance is not None:
        chances = {"chance": alone * support.chance, "alone": alone, "support": support.chance}
        about |= {what: str(chance) for what, chance in chances.items()}
    return Text("mb-effect-build-odds", about)


def casting_lines(
    game: Game, who: AnyCharacter, blueprint: Blueprint, figures: Figures
) -> Iterator[Text]:
    """Yield the chance of a casting, and the damage of its feedback.

    The chances are exact. What the world adds at the casting isn't counted: players may not know
    its number (MB-SFX-14).
    """
    profile = casting_profile(game, who, blueprint)
    if profile is not None:
        yield _odds_line(game, who, blueprint, profile, figures.dn)
    yield Text("mb-effect-build-just-made", {"damage": _feedback_text(game, who, figures.fv)})
    if profile is not None:
        total = median_total(profile)
        result = cast_result(total, figures)
        cost = _feedback_text(game, who, result.feedback)
        about = {"total": total, "fails": not result.success, "damage": cost}
        yield Text("mb-effect-build-median", about)
    if world_figures(game, figures, blueprint.skill, blueprint.effect_value) != figures:
        yield Text("mb-effect-build-world")


def unlearned_line(game: Game, blueprint: Blueprint, figures: Figures, rush: Rush) -> Text:
    """Return the figures and the time of an effect designed in play (MB-SFX-91 to -93)."""
    then = unlearned_figures(rushed_figures(figures, rush))
    value = hurried_design_value(design_value(blueprint, up=design_rounds_up(game)), rush)
    about = {"dn": figures.dn, "fv": figures.fv, "dn_then": then.dn, "fv_then": then.fv}
    time = measure_text("time", max(0, value))
    return Text("mb-effect-unlearned", {**about, "time": time, "hurried": rush.steps > 0})


# --- the panel ------------------------------------------------------------------------------------


class _Builder:
    """The panel of one command: a character who builds an effect."""

    def __init__(self, game: Game, who: AnyCharacter, command_values: Values) -> None:
        self._game, self._who, self._command_values = game, who, command_values
        self._bench = workbench(game, who)

    def form(self, draft: Values) -> Form:
        return effect_form(self._bench, draft)

    def _worked_out(self, draft: Values) -> tuple[Blueprint, Rush, Worksheet]:
        blueprint, rush = read_draft(draft, self._bench)
        return blueprint, rush, self._bench.work_out(blueprint)

    def headline(self, draft: Values) -> Text:
        _, _, sheet = self._worked_out(draft)
        about = {"dn": sheet.dn, "fv": sheet.fv, "subtotal": sheet.subtotal}
        return Text("mb-effect-build-headline", about)

    def outcome(self, draft: Values) -> Iterator[Text]:
        """Yield the lines about casting the effect: learned, and designed in play."""
        blueprint, rush, sheet = self._worked_out(draft)
        figures = Figures(sheet.dn, sheet.fv)
        yield from casting_lines(self._game, self._who, blueprint, figures)
        if in_play(self._game):
            yield unlearned_line(self._game, blueprint, figures, rush)

    def steps(self, draft: Values) -> tuple[Page, ...]:
        """Return the pages of the form, each with the lines that belong there."""
        blueprint, _, sheet = self._worked_out(draft)
        form, pages = self.form(draft), list[Page]()
        for step, keys in _STEPS.items():
            if step == "hurry" and not self._bench.rushes:
                continue
            own = form.part(*(key for key in keys if key in form.keys))
            title = Text("mb-effect-step", {"step": step})
            about = Text("mb-effect-step-about", {"step": step})
            page = Page(step, title, own, about=about)
            if step == "basics":
                page = _basics_page(page, draft, blueprint, sheet)
            elif lines := self._step_lines(step, blueprint, sheet):
                page = page.replace(follows=_always(lines))
            if step == "totals":
                holds = Text("mb-effect-holds-totals", {"total": sheet.subtotal})
                page = page.replace(holds=_always((holds,)))
            pages.append(page)
        return tuple(pages)

    def _step_lines(self, step: str, blueprint: Blueprint, sheet: Worksheet) -> tuple[Text, ...]:
        if step == "totals":
            return total_lines(sheet)
        floors = {"dn": sheet.dn_floor, "fv": sheet.fv_floor, "minimum": sheet.minimum}
        lines = [Text("mb-effect-condition-floors", floors)]
        if step == "split":
            return tuple(lines)
        if step != "conditions":
            return ()
        used = component_points(blueprint)
        if used and self._bench.rules_of(blueprint).component_cap:
            about = {"used": used, "most": sheet.component_most}
            lines.append(Text("mb-effect-component-cap", about))
        if blueprint.unreal is not None:
            about = {"used": sheet.unreal_used, "points": sheet.unreal_reduction}
            lines.append(Text("mb-effect-unreal-left", about))
        return tuple(lines)

    def shows(self, values: Values) -> Iterable[Text]:
        """Return the stat block of a whole effect."""
        blueprint = blueprint_from(values, self._bench)
        return stat_block(blueprint, self._bench.rules_of(blueprint))

    def action(self, values: Values) -> CommandAction:
        """Return the action that keeps the effect. Raises as `keep_effect`."""
        blueprint, rush = blueprint_from(values, self._bench), rush_from(values)
        _kept_sheet(self._game, self._who, blueprint, rush)
        as_ = self._command_values.get("as")
        return CommandAction(KeepEffect, {"blueprint": blueprint, "rush": rush, "as_": as_})


def _always(lines: tuple[Text, ...]) -> Callable[[Game, Any], tuple[Text, ...]]:
    return lambda game, draft: lines


def _basics_page(page: Page, draft: Values, blueprint: Blueprint, sheet: Worksheet) -> Page:
    """Return the page of steps 1 to 5: each value with its measure, stepped up and down."""
    lines: list[Text] = []
    for key in _BASICS:
        field = page.form.by_key[key]
        about: dict[str, Any] = {"key": key, "value": getattr(blueprint, key)}
        if key == "speed_value":
            about |= {"value": speed_of(blueprint), "follows": blueprint.speed_value is None}
        if isinstance(field, MeasureField):
            rounded = field.rounding(draft.get(key, ""))
            about["value"] = measure_text(field.measures, about["value"], rounded)
        lines.append(Text("mb-effect-basic", about))
    about = {"most": sheet.cast_time_most, "minimum": sheet.minimum}
    lines.append(Text("mb-effect-cast-most", about))
    total = Text("mb-effect-basics-head", {"total": sheet.total_after_basics})

    def head(game: Game, draft: Values) -> Text:
        return total

    return page.replace(
        follows=_always(tuple(lines)),
        head=head,
        steppers=_BASICS,
        starts={"effect_value": blueprint.effect_value, "speed_value": speed_of(blueprint)},
    )


def run_build(game: Game, values: Values) -> CommandForm:
    """Open the panel of a new effect, or of a copy. Raises as `workbench`, `find_blueprint`."""
    who = acting_character(game.state, game.actor, values.get("as"))
    builder = _Builder(game, who, values)
    begun: dict[str, Any] = {}
    if values.get("like"):
        begun = blueprint_draft(find_blueprint(game, who.sheet, values["like"]))
    return CommandForm(
        builder.form,
        Text("mb-effect-build"),
        Text("mb-effect-keep"),
        builder.action,
        begun,
        who.id,
        shows=builder.shows,
        steps=builder.steps,
        headline=builder.headline,
        outcome=builder.outcome,
        follow=with_template,
        left=Text("mb-effect-build-closed"),
        is_kept=True,
    )


# --- keeping it -----------------------------------------------------------------------------------


def _kept_sheet(game: Game, who: AnyCharacter, blueprint: Blueprint, rush: Rush) -> MasterbookSheet:
    """Return the sheet with a new blueprint. Raises as `require_sound_worksheet`, `with_effect`."""
    require_sound_worksheet(game, blueprint)
    agreed = is_gm(game.state, game.actor)
    known = KnownEffect(blueprint, rush=rush, undesigned=in_play(game), approved=agreed)
    return with_effect(who, known)


def keep_effect(game: Game, action: KeepEffect) -> Outcome:
    """Write an effect down on a sheet as a blueprint. Raises as `_kept_sheet`, `workbench`.

    Only its owner and the GMs hear of it.
    """
    who = acting_character(game.state, action.who, action.as_, action.place)
    blueprint = action.blueprint
    allowed = dict(workbench(game, who).skills)
    if blueprint.skill not in allowed:
        about = {"name": who.name, "skills": tuple(allowed)}
        raise Impossible("mb-effect-no-skill", **about)
    rush = action.rush if workbench(game, who).rushes else Rush()
    sheet = _kept_sheet(game, who, blueprint, rush)
    game = game.with_sheet(who.id, sheet)
    asked = consent_events(game, game.character(who.id), sheet.effects[-1])
    worked = work_out(blueprint, worksheet_rules(game, blueprint.skill))
    learned = sheet.effects[-1].learned
    about = {
        "who": ref(who),
        "name": blueprint.name,
        "dn": worked.dn,
        "fv": worked.fv,
        "learned": learned,
    }
    note = Note(Text("mb-effect-kept", about), FOR_EVERYONE)
    title = Text("mb-effects-of", {"name": who.name})
    audience = owner_audience(who)
    event = Reported(audience=audience, title=title, blocks=(note,), by=game.actor.id, quiet=True)
    return Outcome(game.state, (event, *asked))


def _like_choices(asking: FormContext) -> tuple[Option, ...]:
    """Return the effects that can be copied, for the completion of `like`."""
    if asking.game is None:
        return ()
    game: Game = asking.game
    try:
        who = acting_character(game.state, game.actor, asking.values.get("as"))
    except RulesError:
        return plain_options(row.name for row in library_effects(game.campaign))
    return plain_options(copied_blueprints(game, who.sheet))


_LIKE: Final = Typed("like", most=NAME_MAX, choices=_like_choices)
COMMANDS: Final[tuple[Command, ...]] = (command(COMMAND, run_build, _LIKE, AS_FIELD),)
#: Actions that no command names: a form sends them.
ACTIONS: Final = {KeepEffect: keep_effect}
