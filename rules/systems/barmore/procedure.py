"""The kinds of check there are, each as the stages it goes through.

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
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.stages import ANSWERS, FREE, IMPOSSIBLE
from rules.table.lookup import find_known
from rules.table.permissions import is_gm, owns
from rules.table.system import Game

#: What is done to somebody, by the kind of check.
_EFFECTS: Final = {
    "attack": sheet_wounds.apply_hit,
    "treat": sheet_wounds.apply_treatment,
    "rest": sheet_wounds.apply_rest,
}
#: Options of a success without a roll, for kinds of check that need more than a note.
_FREE_FORMS: Final = {
    "attack": check_forms.FREE_HIT_FORM,
    "treat": check_forms.FREE_CARE_FORM,
}
_JOIN: Final = Prompt("join", None, wait=None, button="answer-join")
#: How many may join in.
HELPERS_MAX: Final = 20


# --- those who join in ----------------------------------------------------------------------------


def _helpers(game: Game, check: BarCheck, but: str | None = None) -> list[Entry]:
    """Those who help and are still there, without one of them."""
    return [
        each
        for each in check.data.other_entries
        if each.who != but and check_state.is_present(game, each)
    ]


def require_joining(game: Game, text: str, as_: str | None, *, leave: bool) -> None:
    """Say why whoever speaks cannot join in, or step back, where that has to do with the team
    itself.

    Impossible("not-a-team"), ("leads-it") for the character who began it, ("team-full"),
    ("not-in-team"); NotFound.
    """
    state, actor = game.state, game.actor
    check = find_check(game, text)
    if check.kind != "team":
        raise Impossible("not-a-team")
    if check.prompt("join") is None:
        return
    named, gm = None if as_ is None else find_known(state, actor, as_, "as"), is_gm(state, actor)
    who = named or state.characters.get(state.person(actor.id).active or "")
    if leave:
        there = [
            each.who for each in check.data.other_entries if named is None or each.who == named.id
        ]
        if not any(
            gm or owns(state, actor, each) for key, each in state.characters.items() if key in there
        ):
            raise Impossible("not-in-team")
    elif who is not None and (gm or owns(state, actor, who)):
        if who.id == check.actor:
            raise Impossible("leads-it", name=who.name)
        if len(_helpers(game, check, who.id)) >= HELPERS_MAX:
            raise Impossible("team-full", most=HELPERS_MAX)


def _read_entry(game: Game, who: str, values: Values) -> Entry:
    """What somebody brings who joins in, or sets against it."""
    request = check_state.validate_request(
        game.sheet(who),
        game.campaign,
        check_forms.SIDE_FORM.make_record(Plan, stages.stated_values(values)),
    )
    words, gm = values.get("approach", "").strip(), is_gm(game.state, game.actor)
    return Entry(who, game.actor.id, request, words, judged=gm)


def _draft(entry: Entry) -> Values:
    """What bringing something else starts from."""
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
    found: dict[str, Any] = _opening_values(game, who)
    for key, name in wanted.items():
        of = trait_trees.TREES[key]
        tree, scores = getattr(game.campaign.traits, of), dict(getattr(sheet, of))
        if name and trait_trees.resolve_trait(tree, scores, name).used is not None:
            found[key] = name
    return found


# --- stages ---------------------------------------------------------------------------------------


class _TeamStage(Stage[Trial]):
    """Others may join in, bring something else, and step back, for as long as nothing is rolled
    (BAR-TEAM).
    """

    def ask(self, game: Game, check: BarCheck, /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        if not found or check.kind != "team":
            return found
        if len(_helpers(game, check)) < HELPERS_MAX:
            return (*found, _JOIN)
        # A full team takes no more helpers. A helper can still leave, or bring something else.
        inside = tuple([each.who for each in _helpers(game, check)])
        return (*found, _JOIN.replace(who=inside, button=None))

    def options(
        self, game: Game, check: BarCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        if prompt != "join":
            return super().options(game, check, prompt, who)
        join, own = (
            CheckOption("join", Text("answer-join"), check_forms.SIDE_FORM),
            check.data.entry(who),
        )
        if who in (ANY_GM, check.actor) or (
            own is None and len(_helpers(game, check)) >= HELPERS_MAX
        ):
            return ()
        if own is None:
            return (join.replace(values=_team_traits(game, check, who)),)
        leave = CheckOption("leave", Text("answer-leave"), helps="never")
        return join.replace(values=_draft(own)), leave

    def choose(self, game: Game, check: BarCheck, choice: Choice, /) -> StageResult[Trial]:
        if choice.prompt != "join":
            return super().choose(game, check, choice)
        there = _helpers(game, check, choice.who)
        if choice.option == "join":
            there.append(_read_entry(game, choice.who, choice.values))
        data = check.data.replace(entries=(check.data.entries[0], *there))
        found = check.replace(data=data)
        if choice.option == "join" and check_state.has_one_pool(check):
            # A team that could not roll together is refused; what somebody may not do just now
            # keeps nobody out.
            with suppress(Impossible, NotFound):
                check_state.combined_pool(game, found)
        return StageResult(
            game.state,
            data,
            reopen=check.stage == PoolPreparation.name
            and check_state.has_unjudged_claims(game, found),
        )


class Proposal(_TeamStage, stages.ProposalStage[Trial]):
    """A GM says against what it is rolled; where nobody has to be asked, it goes on by itself, dice
    included.
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
        """The check as it is proposed. Whom it is done to is the actor where nobody is named to
        rest or to be treated.

        InvalidInput("which-target", "target-is-self", "wrong-type", "no-difficulty-here"), and as
        `propose`.
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
        whom = None if check.target is None else game.state.characters.get(check.target)
        said, mode = (
            values.get("weapon", ""),
            values.get("mode") or check_state.MODES.get(kind, ("",))[0],
        )
        # Quotes may be part of a weapon's own name.
        sheet: BarSheet = game.sheet(check.actor)
        tool = said if sheet.own_weapon(said) is not None else without_quotes(said)
        sheet.require_weapon(tool)
        if kind == "treat" and whom is not None:
            tool = values.get("injury", "").strip()
            same = bool(data.entries) and tool == data.tool  # it may have healed meanwhile
            if not same and _knows_wounds(game, whom):
                tool = sheet_wounds.find_injury(whom, tool)
            data = data.replace(asked={**data.asked, "injury": tool})
        # The total of who is minor is the Difficulty (BAR-AUTO).
        rolls = (
            mode == check_state.INDIRECT
            or whom is None
            or not check_state.never_rolls(whom, game.campaign)
        )
        opposed = rolls and kind in ("attack", "contest")
        request = self._ask.make_record(Plan, stages.stated_values(values))
        if kind != "rest":
            check_state.validate_request(sheet, game.campaign, request)
        entry = Entry(check.actor, game.actor.id, request)
        return check.replace(
            data=data.replace(
                entries=(entry, *data.other_entries), mode=mode, tool=tool, opposed=opposed
            )
        )

    def has_difficulty(self, check: BarCheck) -> bool:
        return check_state.has_difficulty(check)

    def awaits_other_side(self, check: BarCheck) -> bool:
        """Or whoever joins in."""
        return check.data.opposed or check.kind == "team"

    def read_ruling(self, game: Game, check: BarCheck) -> Trial:
        data = check.data
        if data.ruled is None:
            return data.replace(ruling=None)
        made = self._rule.make_record(Plan, data.ruled).replace(by_gm=is_gm(game.state, game.actor))
        found = data.replace(
            ruling=made, entries=tuple([each.replace(judged=True) for each in data.entries])
        )
        check_state.entry_pool(game, check.replace(data=found), found.entries[0])
        return found

    def automatic_answer(self, game: Game, check: BarCheck) -> str | None:
        """Leave claims, and the healing factor of a Wound, to the GM."""
        if check.kind == "treat" and "factor" not in (check.data.ruled or ()):
            return None
        judges = check.gm_only or is_gm(game.state, game.actor)
        waits = not judges and check_state.justifications(game, check.data.entries[0])
        return None if waits else super().automatic_answer(game, check)

    def ruling_options(self, check: BarCheck) -> tuple[CheckOption, ...]:
        found = super().ruling_options(check)
        form = _FREE_FORMS.get(check.kind)
        if form is None:
            return found
        does = {"form": form, "values": self.draft(check, form)}
        return tuple([each.replace(**does) if each.value == FREE else each for each in found])


class PoolPreparation(_TeamStage, stages.ReadyStage[Trial]):
    """The owner rolls, with the die they like best now; first the other side chooses what to set
    against it.
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
        found, asked = super().ask(game, check), dict[str, Prompt]()
        if check_state.has_unjudged_claims(game, check):  # what somebody claims who came later
            asked = {"rule": Prompt("rule"), "ready": Prompt("ready", (check.actor,), wait=None)}
        return tuple([asked.get(each.key, each) for each in found])

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
        return (
            (CheckOption("choose", Text("bar-menu", {"what": "before"}), **dice),) if dice else ()
        )

    def _dice_form(self, game: Game, check: BarCheck) -> dict[str, Any]:
        """The form of what may still be chosen, and what that starts from; empty where nothing may
        be.
        """
        data, own = check.data, check.data.entries[0]
        if data.opposed or data.answer == stages.MARGIN_ONLY:
            return {}
        most = check_state.convertible_dice(
            check_state.ruling_for(check, own), check_state.effective_traits(game, check, own)
        )
        form = check_forms.dice_form(most)
        return {
            "form": form,
            "values": form.changed_values(
                own.request.replace(convert=min(own.request.convert, most))
            ),
        }

    def apply_choice(self, game: Game, check: BarCheck, choice: Choice) -> StageResult[Trial]:
        """Another die, none at all, or Add Dice converted (BAR-DIE, BAR-AUTO, BAR-POOL)."""
        data, values, now = check.data, choice.values, dict[str, Any]()
        if not values:
            return StageResult(game.state, data)
        if "die" in values or "no dice" in values:
            now = {
                "die": values.get("die") or STANDARD_DIE.id,
                "no_dice": bool(values.get("no dice")),
            }
        if "convert" in values:
            now["convert"] = values["convert"] or 0
        own = data.entries[0]
        own = own.replace(request=own.request.replace(**now))
        check_state.build_pool(
            game.sheet(own.who), game.campaign, own.request, data.ruling, cut="convert" not in now
        )
        data = data.replace(entries=(own, *data.other_entries))
        if choice.option != "choose":
            return StageResult(game.state, data)
        request = own.request
        kept = {
            "no_dice": request.no_dice,
            "die": request.die,
            "convert": request.convert or None,
        }
        return StageResult(game.state, data, said=Text("bar-die-kept", kept))

    def options(
        self, game: Game, check: BarCheck, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        found = super().options(game, check, prompt, who)
        if prompt not in ("face", "faced") or check.target is None:
            return found
        start = _opening_values(game, check.target)
        return [each if each.values else each.replace(values=start) for each in found]

    def opposing_values(self, check: BarCheck) -> Values | None:
        own = check.data.entry(check.target or "")
        return None if own is None else _draft(own)

    def with_opposing_values(self, game: Game, check: BarCheck, values: Values) -> Trial:
        data = check.data
        return data.replace(
            entries=(data.entries[0], _read_entry(game, check.target or "", values))
        )


def rolled(game: Game, check: BarCheck) -> StageResult[Trial] | None:
    """The dice of all who throw some fall at once, and stand (BAR-ROLL)."""
    if check.data.throws:
        return None
    data = check_state.roll_trial(game, check)
    game, events = apply_check_pace(game, check)
    return StageResult(game.state, data, events=events)


def done(game: Game, check: BarCheck) -> StageResult[Trial] | None:
    """What comes of it for whom it is done to, if it succeeds: they are healed first as far as the
    story's time has done that (BAR-HEAL).
    """
    target = game.state.characters.get(check.target or "")
    if target is None or check.data.came:
        return None
    if not check.data.has_succeeded:
        if check.kind != "treat" or not check.data.throws:
            return None
        came = (sheet_wounds.record_failure(target),)
        return StageResult(game.state, check.data.replace(came=came))
    sheet, came, aside = _EFFECTS[check.kind](
        game, check, sheet_wounds.heal_until_now(game, target)[0]
    )
    return StageResult(
        game.with_sheet(target.id, sheet).state, check.data.replace(came=came, aside=aside)
    )


def _knows_wounds(game: Game, patient: BarCharacter) -> bool:
    """Return whether the acting user may read a patient's Wounds."""
    return is_gm(game.state, game.actor) or owns(game.state, game.actor, patient)


def _require_injury(game: Game, who: str, target: str | None, values: Values) -> None:
    """Refuse an injury that a patient doesn't have, if the acting user may know. Raises as
    `find_injury`.
    """
    patient, injury = game.character(target or who), values.get("injury", "").strip()
    if injury and _knows_wounds(game, patient):
        sheet_wounds.find_injury(patient, injury)


def _make_procedure(kind: str) -> Procedure[Trial]:
    """A kind of check. Helpers are not of its cast: who is gone does not roll, and nobody is held
    back by having joined.
    """
    rolls, does = kind != "rest", (done,) if kind in _EFFECTS else ()
    proposal = Proposal(kind)
    return Procedure(
        kind,
        (proposal, *((PoolPreparation(proposal), rolled) if rolls else ()), *does),
        data=Trial,
        form=check_forms.opening_form(kind),
        begin=proposal.begin,
        describe=describe,
        require=check_state.require,
        require_start=_require_injury,
        forget=check_state.forget,
        anybody=not rolls,
        # Of a private treatment whoever is treated hears nothing.
        private=(lambda check: (check.actor,)) if kind == "treat" else None,
        odds=odds.odds_for_check if rolls else None,
        next_roll=odds.next_roll if rolls else None,
        idle=lambda game, check, who: Text("bar-nothing-to-spend"),
        takes_turn=lambda game, check: check.kind == "attack",
    )


PROCEDURES: Final[Mapping[str, Procedure[Any]]] = {
    kind: _make_procedure(kind) for kind in ("check", "attack", "contest", "team", "treat", "rest")
}
