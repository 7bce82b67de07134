"""Kinds of check, each with the stages that it goes through.

BAR-TRAIT, BAR-POOL, BAR-ROLL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TEAM, BAR-OPPOSED, BAR-ARMOR,
BAR-TRAUMA, BAR-HEAL.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.name_matching import without_quotes
from rules.systems.barmore import check_forms, check_state, odds, sheet_wounds, trait_trees
from rules.systems.barmore.check_state import BarCharacter, BarCheck, Entry, Plan, Trial
from rules.systems.barmore.pool import STANDARD_DIE
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.timed_actions import apply_check_pace
from rules.systems.barmore.view import describe
from rules.table.blocks import Text
from rules.table.check import ANY_GM, OVER, Choice, Prompt, Values
from rules.table.checks import stages
from rules.table.checks.access import find_check
from rules.table.checks.procedure import (
    ATTACK_BUTTON,
    CHECK_BUTTON,
    CheckOption,
    Procedure,
    Role,
    Stage,
    StageResult,
    has_throws,
)
from rules.table.checks.stages import ANSWERS, FREE, IMPOSSIBLE
from rules.table.lookup import find_known
from rules.table.permissions import is_gm, owns
from rules.table.system import Game

#: Functions that apply an effect to the target, by kind of check.
_EFFECTS: Final = {
    "attack": sheet_wounds.apply_hit,
    "treat": sheet_wounds.apply_treatment,
    "rest": sheet_wounds.apply_rest,
}
#: Forms of a success without a roll, for kinds of check that need more than a note.
_FREE_FORMS: Final = {
    "attack": check_forms.FREE_HIT_FORM,
    "treat": check_forms.FREE_CARE_FORM,
}
_JOIN: Final = Prompt("join", None, wait=None, button="answer-join")
#: Most helpers in a team.
HELPERS_MAX: Final = 20


# --- helpers --------------------------------------------------------------------------------------


def _helpers(game: Game, check: BarCheck, but: str | None = None) -> list[Entry]:
    """Return the contributions of helpers who are in play, except that of *but*."""
    return [
        entry
        for entry in check.data.other_entries
        if entry.who != but and check_state.is_present(game, entry)
    ]


def require_joining(game: Game, text: str, as_: str | None, *, leave: bool) -> None:
    """Refuse to join or leave a team for reasons of the team itself.

    Raises:
        Impossible("not-a-team"): The check is no team.
        Impossible("leads-it"): The character is the team's leader.
        Impossible("team-full"): The team has `HELPERS_MAX` helpers.
        Impossible("not-in-team"): No character of the actor is in the team.
        NotFound: There is no such check or character.
    """
    state, actor = game.state, game.actor
    check = find_check(game, text)
    if check.kind != "team":
        raise Impossible("not-a-team")
    if check.prompt("join") is None:
        return
    named = None if as_ is None else find_known(state, actor, as_, "as")
    gm = is_gm(state, actor)
    who = named or state.characters.get(state.person(actor.id).active or "")
    if leave:
        inside = [entry.who for entry in check.data.other_entries]
        if named is not None:
            inside = [helper for helper in inside if helper == named.id]
        helpers = (state.characters[key] for key in state.characters if key in inside)
        if not any(gm or owns(state, actor, helper) for helper in helpers):
            raise Impossible("not-in-team")
    elif who is not None and (gm or owns(state, actor, who)):
        if who.id == check.actor:
            raise Impossible("leads-it", name=who.name)
        if len(_helpers(game, check, who.id)) >= HELPERS_MAX:
            raise Impossible("team-full", most=HELPERS_MAX)


def _read_entry(game: Game, who: str, values: Values) -> Entry:
    """Return the contribution of a helper or of the other side."""
    plan = check_forms.SIDE_FORM.make_record(Plan, stages.stated_values(values))
    request = check_state.validate_request(game.sheet(who), game.campaign, plan)
    words = values.get("approach", "").strip()
    gm = is_gm(game.state, game.actor)
    return Entry(who, game.actor.id, request, words, judged=gm)


def _entry_draft(entry: Entry) -> Values:
    """Return the first values of a form that changes a contribution."""
    return stages.draft_values(
        check_forms.SIDE_FORM,
        {"skill": stages.NONE_WORD},
        check_forms.SIDE_FORM.changed_values(entry.request),
        {"approach": entry.approach},
    )


def _opening_values(game: Game, who: str) -> dict[str, Any]:
    """Return the first values of a contribution: without scores there is no skill to choose."""
    return {} if game.sheet(who).abilities else {"skill": stages.NONE_WORD}


def _team_traits(game: Game, check: BarCheck, who: str) -> Values:
    """Return the first values for joining in: the task's traits that the character has."""
    leader, sheet = check.data.entries[0].request, game.sheet(who)
    wanted = {"skill": leader.skill, "attribute": leader.attribute}
    draft: dict[str, Any] = _opening_values(game, who)
    for key, name in wanted.items():
        of = trait_trees.TREES[key]
        tree, scores = getattr(game.campaign.traits, of), dict(getattr(sheet, of))
        if name and trait_trees.resolve_trait(tree, scores, name).used is not None:
            draft[key] = name
    return draft


# --- stages ---------------------------------------------------------------------------------------


class _TeamStage(Stage[Trial]):
    """Stage in which helpers may join, change their contribution, and leave (BAR-TEAM).

    That ends with the roll.
    """

    def ask(self, game: Game, check: BarCheck, /) -> tuple[Prompt, ...]:
        prompts = super().ask(game, check)
        if not prompts or check.kind != "team":
            return prompts
        helpers = _helpers(game, check)
        if len(helpers) < HELPERS_MAX:
            return (*prompts, _JOIN)
        # A full team takes no more helpers. A helper can still leave, or bring something else.
        inside = tuple([helper.who for helper in helpers])
        return (*prompts, _JOIN.replace(who=inside, button=None))

    def options(
        self, game: Game, check: BarCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt != "join":
            return super().options(game, check, prompt, who)
        own = check.data.entry(who)
        if who in (ANY_GM, check.actor):
            return ()
        if own is None and len(_helpers(game, check)) >= HELPERS_MAX:
            return ()
        join = CheckOption("join", Text("answer-join"), check_forms.SIDE_FORM)
        if own is None:
            return (join.replace(values=_team_traits(game, check, who)),)
        leave = CheckOption("leave", Text("answer-leave"), helps="never")
        return join.replace(values=_entry_draft(own)), leave

    def choose(self, game: Game, check: BarCheck, choice: Choice, /) -> StageResult[Trial]:
        if choice.prompt != "join":
            return super().choose(game, check, choice)
        helpers = _helpers(game, check, choice.who)
        if choice.option == "join":
            helpers.append(_read_entry(game, choice.who, choice.values))
        data = check.data.replace(entries=(check.data.entries[0], *helpers))
        changed = check.replace(data=data)
        if choice.option == "join" and check_state.has_one_pool(check):
            # A team that could not roll together is refused. What a helper may not do at the
            # moment keeps no one from joining.
            with suppress(Impossible, NotFound):
                check_state.combined_pool(game, changed)
        is_prepared = check.stage == PoolPreparation.name
        reopen = is_prepared and check_state.has_unjudged_claims(game, changed)
        return StageResult(game.state, data, reopen=reopen)


class Proposal(_TeamStage, stages.ProposalStage[Trial]):
    """Stage in which a GM answers what the roll is made against.

    If no GM has to be asked, the stage ends by itself, and the dice are rolled.
    """

    dice = "rolled"

    def __init__(self, kind: str) -> None:
        rests = kind == "rest"
        answers = (FREE, IMPOSSIBLE) if rests else ANSWERS
        super().__init__(
            check_forms.opening_form(kind), check_forms.ruling_form(kind), answers, wanted="number"
        )
        self.free = "done" if kind in _EFFECTS else OVER
        self.labels = stages.REST_LABELS if rests else {}

    def begin(self, game: Game, check: BarCheck, values: Values) -> BarCheck:
        """Return the check as it is proposed.

        The target of a rest is the actor, and so is that of a treatment by default. Raises
        InvalidInput("which-target"), ("target-is-self"), ("wrong-type") or ("no-difficulty-here"),
        and what `propose` raises.
        """
        kind, target = check.kind, check.target
        if kind == "team" and check.visibility != "public":
            raise InvalidInput(
                "wrong-type", field="visibility", value=check.visibility, allowed=("public",)
            )
        if kind in ("attack", "contest"):
            stages.require_other_target(check, "opponent" if kind == "contest" else "victim")
        elif kind in ("check", "team"):
            target = None
        else:
            target = check.actor if kind == "rest" else target or check.actor
            check = stages.with_npc_privacy(game, check.replace(target=target))
        return self.propose(game, check.replace(target=target), values)

    def read_request(self, game: Game, check: BarCheck, values: Values) -> BarCheck:
        kind, data = check.kind, check.data
        target = None if check.target is None else game.state.characters.get(check.target)
        typed_weapon = values.get("weapon", "")
        mode = values.get("mode") or check_state.MODES.get(kind, ("",))[0]
        # Quotes may be part of a weapon's own name.
        sheet: BarSheet = game.sheet(check.actor)
        is_own = sheet.own_weapon(typed_weapon) is not None
        tool = typed_weapon if is_own else without_quotes(typed_weapon)
        sheet.require_weapon(tool)
        if kind == "treat" and target is not None:
            tool = values.get("injury", "").strip()
            same = bool(data.entries) and tool == data.tool  # the Wound may have healed since
            if not same and _knows_wounds(game, target):
                tool = sheet_wounds.find_injury(target, tool)
            data = data.replace(asked={**data.asked, "injury": tool})
        # The total of a minor character is the Difficulty (BAR-AUTO).
        rolls = (
            mode == check_state.INDIRECT
            or target is None
            or not check_state.never_rolls(target, game.campaign)
        )
        opposed = rolls and kind in ("attack", "contest")
        request = self._ask.make_record(Plan, stages.stated_values(values))
        if kind != "rest":
            check_state.validate_request(sheet, game.campaign, request)
        entry = Entry(check.actor, game.actor.id, request)
        entries = (entry, *data.other_entries)
        data = data.replace(entries=entries, mode=mode, tool=tool, opposed=opposed)
        return check.replace(data=data)

    def has_difficulty(self, check: BarCheck) -> bool:
        return check_state.has_difficulty(check)

    def awaits_other_side(self, check: BarCheck) -> bool:
        """Return whether the other side, or helpers of a team, may still act."""
        return check.data.opposed or check.kind == "team"

    def read_ruling(self, game: Game, check: BarCheck) -> Trial:
        data = check.data
        if data.ruled is None:
            return data.replace(ruling=None)
        ruling = self._rule.make_record(Plan, data.ruled)
        ruling = ruling.replace(by_gm=is_gm(game.state, game.actor))
        entries = tuple([entry.replace(judged=True) for entry in data.entries])
        data = data.replace(ruling=ruling, entries=entries)
        check_state.entry_pool(game, check.replace(data=data), data.entries[0])
        return data

    def automatic_answer(self, game: Game, check: BarCheck) -> str | None:
        """Leave claims, and the healing factor of a Wound, to the GM."""
        if check.kind == "treat" and "factor" not in (check.data.ruled or ()):
            return None
        judges = check.gm_only or is_gm(game.state, game.actor)
        waits = not judges and check_state.justifications(game, check.data.entries[0])
        return None if waits else super().automatic_answer(game, check)

    def ruling_options(self, check: BarCheck) -> tuple[CheckOption, ...]:
        options = super().ruling_options(check)
        form = _FREE_FORMS.get(check.kind)
        if form is None:
            return options
        changes = {"form": form, "values": self.draft(check, form)}
        return tuple(
            [option.replace(**changes) if option.value == FREE else option for option in options]
        )


class PoolPreparation(_TeamStage, stages.ReadyStage[Trial]):
    """Stage before the roll: the other side chooses its contribution, then the owner rolls.

    The owner may choose another die first.
    """

    side = check_forms.SIDE_FORM

    def opposing_label(self, game: Game, check: BarCheck) -> Text | None:
        """Return *Defend* of an attack, else *Respond*; None for a target who is out of action."""
        if check_state.is_out_of_action(game, check, check.target or ""):
            return None
        label = super().opposing_label(game, check)
        if label is not None and check.kind == "attack":
            return Text("answer-defend")
        return label

    def ask(self, game: Game, check: BarCheck, /) -> tuple[Prompt, ...]:
        prompts = super().ask(game, check)
        if not check_state.has_unjudged_claims(game, check):
            return prompts
        # A GM first judges the claims of a helper who came later.
        changed = {"rule": Prompt("rule"), "ready": Prompt("ready", (check.actor,), wait=None)}
        return tuple([changed.get(prompt.key, prompt) for prompt in prompts])

    def roll_options(self, game: Game, check: BarCheck, who: str) -> tuple[CheckOption, ...]:
        if check_state.has_unjudged_claims(game, check):
            return ()
        dice, die = self._dice_form(game, check), check.data.entries[0].request.die

        def says(values: Values) -> Text:
            return check_forms.roll_label({"die": die, **values})

        return (CheckOption("roll", Text("answer-roll"), says=says if dice else None, **dice),)

    def is_plain_roll(self, check: BarCheck, option: CheckOption) -> bool:
        """Return whether the option is Roll: the proposal has chosen the dice.

        A team never rolls by itself, since others may join (BAR-TEAM).
        """
        return check.kind != "team" and option.value == stages.ROLL

    def options_before_roll(self, game: Game, check: BarCheck, who: str) -> tuple[CheckOption, ...]:
        dice = self._dice_form(game, check)
        if not dice:
            return ()
        return (CheckOption("choose", Text("bar-menu", {"what": "before"}), **dice),)

    def _dice_form(self, game: Game, check: BarCheck) -> dict[str, Any]:
        """Return the form of choices before the roll, and its first values.

        It is empty if there is nothing to choose.
        """
        data, own = check.data, check.data.entries[0]
        if data.opposed or data.answer == stages.MARGIN_ONLY:
            return {}
        ruling = check_state.ruling_for(check, own)
        traits = check_state.effective_traits(game, check, own)
        most = check_state.convertible_dice(ruling, traits)
        form = check_forms.dice_form(most)
        request = own.request.replace(convert=min(own.request.convert, most))
        return {"form": form, "values": form.changed_values(request)}

    def apply_choice(self, game: Game, check: BarCheck, choice: Choice) -> StageResult[Trial]:
        """Apply another die, no dice, or converted Add Dice (BAR-DIE, BAR-AUTO, BAR-POOL)."""
        data, values = check.data, choice.values
        if not values:
            return StageResult(game.state, data)
        changes: dict[str, Any] = {}
        if "die" in values or "no dice" in values:
            changes["die"] = values.get("die") or STANDARD_DIE.id
            changes["no_dice"] = bool(values.get("no dice"))
        if "convert" in values:
            changes["convert"] = values["convert"] or 0
        own = data.entries[0]
        own = own.replace(request=own.request.replace(**changes))
        sheet = game.sheet(own.who)
        cut = "convert" not in changes
        check_state.build_pool(sheet, game.campaign, own.request, data.ruling, cut=cut)
        data = data.replace(entries=(own, *data.other_entries))
        if choice.option != "choose":
            return StageResult(game.state, data)
        request = own.request
        chosen = {
            "no_dice": request.no_dice,
            "die": request.die,
            "convert": request.convert or None,
        }
        return StageResult(game.state, data, said=Text("bar-die-kept", chosen))

    def options(
        self, game: Game, check: BarCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options = super().options(game, check, prompt, who)
        if prompt not in ("face", "faced") or check.target is None:
            return options
        start = _opening_values(game, check.target)
        return [option if option.values else option.replace(values=start) for option in options]

    def opposing_values(self, check: BarCheck) -> Values | None:
        own = check.data.entry(check.target or "")
        return None if own is None else _entry_draft(own)

    def with_opposing_values(self, game: Game, check: BarCheck, values: Values) -> Trial:
        entry = _read_entry(game, check.target or "", values)
        return check.data.replace(entries=(check.data.entries[0], entry))


def rolled(game: Game, check: BarCheck) -> StageResult[Trial] | None:
    """Roll the dice of all sides at once, which is final (BAR-ROLL).

    The function's name is the name of its stage, which is stored.
    """
    if check.data.throws:
        return None
    data = check_state.roll_trial(game, check)
    game, events = apply_check_pace(game, check)
    return StageResult(game.state, data, events=events)


def done(game: Game, check: BarCheck) -> StageResult[Trial] | None:
    """Apply the effect of a success to the target.

    The target first heals by the story's time (BAR-HEAL). The function's name is the name of its
    stage, which is stored.
    """
    target = game.state.characters.get(check.target or "")
    if target is None or check.data.consequences:
        return None
    if not check.data.has_succeeded:
        if check.kind != "treat" or not check.data.throws:
            return None
        consequences = (sheet_wounds.record_failure(target),)
        return StageResult(game.state, check.data.replace(consequences=consequences))
    healed, _ = sheet_wounds.heal_until_now(game, target)
    sheet, consequences, aside = _EFFECTS[check.kind](game, check, healed)
    data = check.data.replace(consequences=consequences, aside=aside)
    return StageResult(game.with_sheet(target.id, sheet).state, data)


def _knows_wounds(game: Game, patient: BarCharacter) -> bool:
    """Return whether the acting user may read a patient's Wounds."""
    return is_gm(game.state, game.actor) or owns(game.state, game.actor, patient)


def _require_injury(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse an injury that a patient doesn't have, if the acting user may know.

    Raises what `find_injury` raises.
    """
    patient, injury = game.character(target or who), values.get("injury", "").strip()
    if injury and _knows_wounds(game, patient):
        sheet_wounds.find_injury(patient, injury)


_ROLES: Final[Mapping[str, Role]] = {
    "check": "check",
    "attack": "attack",
    "contest": "contest",
    "treat": "heal",
    "rest": "heal",
}
_BUTTONS: Final = {"check": CHECK_BUTTON, "attack": ATTACK_BUTTON}
_AIMED: Final = ("attack", "contest", "treat", "rest")


def _make_procedure(kind: str) -> Procedure[Trial]:
    """Return the procedure of a kind of check.

    Helpers are no participants of the procedure. A helper who is gone does not roll, and joining
    holds no character back.
    """
    rolls = kind != "rest"
    proposal = Proposal(kind)
    course: list[Any] = [proposal]
    if rolls:
        course += [PoolPreparation(proposal), rolled]
    if kind in _EFFECTS:
        course.append(done)
    return Procedure(
        kind,
        tuple(course),
        data=Trial,
        role=_ROLES.get(kind),
        button=_BUTTONS.get(kind),
        aims=kind in _AIMED,
        form=check_forms.opening_form(kind),
        begin=proposal.begin,
        describe=describe,
        dice_have_fallen=has_throws,
        require=check_state.require,
        require_start=_require_injury,
        forget=check_state.forget,
        anybody=not rolls,
        # Of a private treatment, the patient's player reads nothing.
        private=(lambda check: (check.actor,)) if kind == "treat" else None,
        odds=odds.odds_for_check if rolls else None,
        next_roll=odds.next_roll if rolls else None,
        idle=lambda game, check, who: Text("bar-nothing-to-spend"),
        takes_turn=lambda game, check: check.kind == "attack",
    )


PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    kind: _make_procedure(kind) for kind in ("check", "attack", "contest", "team", "treat", "rest")
}
