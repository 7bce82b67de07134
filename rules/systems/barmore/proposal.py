"""Before the dice: what somebody may say about what they do, what a GM may answer, and what others bring to it.

BAR-TRAIT, BAR-POOL, BAR-DIE, BAR-AUTO, BAR-TIME, BAR-TEAM, BAR-OPPOSED.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.names import require_no_slip, unquoted
from rules.systems.barmore import check as trial
from rules.systems.barmore import options
from rules.systems.barmore.campaign import Campaign
from rules.systems.barmore.chances import success_by_die
from rules.systems.barmore.check import BarCheck, Entry, Trial
from rules.systems.barmore.harm import find_injury
from rules.systems.barmore.options import Plan
from rules.systems.barmore.pool import DIE_TYPES, STANDARD, no_dice_total
from rules.systems.barmore.sheet import BarSheet
from rules.systems.barmore.tables import GOVERNS
from rules.systems.barmore.wounds import incapacitated
from rules.table.checks import stages
from rules.table.checks.access import find_check
from rules.table.checks.check import GMS, Choice, Prompt, Values
from rules.table.checks.procedure import Option as Offered
from rules.table.checks.procedure import Stage, Step
from rules.table.checks.stages import FREE, NONE, Proposed, Ready
from rules.table.events import Line
from rules.table.forms import SHOWN, Asking, Field, Form, Many, Option, Pick, Typed, as_written
from rules.table.lookup import find_known
from rules.table.permissions import is_gm, owns
from rules.table.system import Game, is_npc
from rules.table.texts import trimmed

#: Difficulties worth offering.
OFFERED: Final = as_written(map(str, (5, 10, 15, 20, 25, 30, 40)))
_JOIN: Final = Prompt("join", None, wait=None, button="answer-join")
#: How many may join in.
HELPERS_MAX: Final = 20
_DIE, _NO_DICE = "die", "no dice"
#: So many conversions a menu offers at most; more can be written with the proposal.
_MOST_CONVERTED = 10

# --- forms -------------------------------------------------------------------------------------------------


def _number(text: str) -> str:
    found = trial.read_difficulty(text)
    return NONE if found is None else str(found)


def resistances(sheet: BarSheet, campaign: Campaign) -> tuple[Option, ...]:
    """What somebody who does not roll can set against it, the most first; nothing where Wounds leave nothing.

    With no trait, and with the best abilities beside Reaction Time or Speed (BAR-AUTO, BAR-OPPOSED, BAR-TRAUMA).
    """
    if incapacitated(sheet.wounds, "physical"):
        return ()
    best = sorted(sheet.abilities, key=lambda each: -each[1])[:5]
    named = ((ability, attribute) for ability, _ in best for attribute in GOVERNS.phases[:2])
    found: dict[int, Option] = {}
    for ability, attribute in (("", ""), *named):
        total = no_dice_total(trial.build(sheet, campaign, Plan(skill=ability, attribute=attribute))[0])
        about = Line("bar-resists", {"value": total, "ability": ability, "attribute": attribute})
        found.setdefault(total, Option(str(total), about))
    return tuple(found[total] for total in sorted(found, reverse=True))


def _against(asking: Asking) -> tuple[Option, ...]:
    """For GMs also what whoever it is done to can set against it, which tells their numbers."""
    check: BarCheck | None = asking.check
    if check is None or check.target is None or check.kind not in ("attack", "contest"):
        return OFFERED
    against = resistances(asking.game.sheet(check.target), asking.campaign)
    there = {each.value for each in against}
    return (*against, *[each for each in OFFERED if each.value not in there])


def _weapons(asking: Asking) -> tuple[Option, ...]:
    sheet = options.of_whom(asking)
    return as_written(each.name for each in (() if sheet is None else sheet.weapons))


def _find_weapon(asking: Asking, text: str) -> str:
    """A weapon as it is typed: what is on no sheet is makeshift, but no slip is. InvalidInput("near-name")."""
    require_no_slip(text, [each.value for each in _weapons(asking)], field="weapon")
    return trimmed("weapon", text, SHOWN)


def _tool(kind: str) -> tuple[Field, ...]:
    """What it is done with, or to, or how several do it."""
    if kind == "attack":
        return (Pick("weapon", among=_weapons, find=_find_weapon),)
    if kind == "treat":
        return (Typed("injury", most=SHOWN),)
    modes = tuple(Option(mode, Line("bar-mode", {"mode": mode})) for mode in trial.MODES.get(kind, ()))
    return (Pick("mode", among=modes, find=lambda _, text: trial.find_mode(kind, text)),) if modes else ()


def _before(form: Form, *fields: Field) -> Form:
    """The form with more fields before its own."""
    return replace(form, fields=(*fields, *form.fields))


@cache
def opening(kind: str) -> Form:
    """What may be said on proposing something of this kind."""
    if kind == "rest":
        return Form((stages.APPROACH,))
    difficulty = Typed("difficulty", among=OFFERED, read=_number, into=int)
    return _before(
        options.player_form(kind),
        *options.TRAITS,
        difficulty,
        stages.MODIFIER,
        *_tool(kind),
        stages.APPROACH,
        stages.HIDE,
    )


#: What somebody brings who joins in, or is set against it.
SIDE: Final = _before(options.player_form("team"), *options.TRAITS, stages.APPROACH)


def _dice(asking: Asking) -> tuple[Option, ...]:
    """Every die with its chance of success, as far as whoever chooses may know it (BAR-DIE)."""
    check: BarCheck | None = asking.check
    if check is None or check.hidden:
        return tuple(map(options.die_option, DIE_TYPES.values()))
    own, found = check.data.entries[0], dict[str, Fraction]()
    own = own.but(request=own.request.but(convert=asking.values.get("convert", own.request.convert) or 0))
    with suppress(RulesError):  # nothing to be measured, or nothing to be rolled
        found = success_by_die(asking.game, check.but(data=check.data.but(entries=(own, *check.data.joined))))
    return tuple([options.die_option(die, found.get(die.id)) for die in DIE_TYPES.values()])


@cache
def dice_form(convertible: int) -> Form:
    """What may be chosen anew once the Difficulty is known, before the roll (BAR-DIE, BAR-POOL, BAR-AUTO).

    Null takes back what was said before; what is not named stays. A menu has as many conversions as the pool leaves.
    """
    die, no_dice = options.player_form("check").part(_DIE, _NO_DICE).fields
    convert = options.count("convert", most=min(convertible, _MOST_CONVERTED))
    return Form(tuple(replace(field, null=True) for field in (replace(die, among=_dice), no_dice, convert)))


def roll_label(values: Values) -> Line:
    """What rolling is called with the die that is chosen."""
    return Line("answer-roll", {"die": None if values.get(_NO_DICE) else values.get(_DIE) or STANDARD.id})


def disallowable(asking: Asking) -> tuple[Option, ...]:
    """What a GM may refuse of what everybody brings."""
    check: BarCheck | None = asking.check
    sides = () if check is None else [(each, trial.whose(check, each.who)) for each in check.data.entries]
    return tuple(
        Option(f"{kind}.{of}".rstrip("."), Line("bar-claim", {**about, "offered": True}))
        for entry, of in sides
        for kind, about in trial.claims(asking.game, entry).items()
    )


def _refused(asking: Asking, text: str) -> str:
    if text.partition(".")[0].rstrip("0123456789") not in trial.REFUSABLE:
        raise NotFound("unknown-trait", field="disallow", value=text[:SHOWN], nearest=trial.REFUSABLE)
    return text


def _unless(asking: Asking, word: str) -> RulesError | None:
    """What both roll against is a number as well (BAR-OPPOSED)."""
    return None if asking.check and trial.measured(asking.check) else stages.if_measured(asking, word)


@cache
def ruling(kind: str) -> Form:
    """What a GM may say in the answer to something of this kind."""
    return _before(
        options.gm_form(kind),
        Typed("difficulty", among=_against, read=_number, unless=_unless, into=int),
        stages.MODIFIER,
        stages.AGAINST,
        replace(stages.HIDDEN, unless=_unless),
        Many("disallow", among=disallowable, find=_refused),
        stages.NOTE,
    )


# --- what is said, and what it starts from -----------------------------------------------------------------


def read_request(game: Game, who: str, form: Form, kind: str, values: Values) -> Plan:
    """What somebody wants to do, or brings. Raises what building the pool raises."""
    return trial.checked(game.sheet(who), game.campaign, form.make(Plan, stages.said_in(values)), kind)


# --- those who join in -------------------------------------------------------------------------------------


def _helping(game: Game, check: BarCheck, but: str | None = None) -> list[Entry]:
    """Those who help and are still there, without one of them."""
    return [each for each in check.data.joined if each.who != but and trial.here(game, each)]


def require_joining(game: Game, text: str, as_: str | None, *, leave: bool) -> None:
    """Say why whoever speaks cannot join in, or step back, where that has to do with the team itself.

    Impossible("not-a-team"), ("leads-it") for the character who began it, ("team-full"), ("not-in-team"); NotFound.
    """
    state, actor = game.state, game.actor
    check = find_check(game, text)
    if check.kind != "team":
        raise Impossible("not-a-team")
    if check.prompt("join") is None:
        return
    own, gm = state.characters.get(state.person(actor.id).active or ""), is_gm(state, actor)
    who = own if as_ is None else find_known(state, actor, as_, "as")
    if leave:
        there = [each.who for each in check.data.joined if who is None or as_ is None or each.who == who.id]
        known = [state.characters[each] for each in there if each in state.characters]
        if not any(gm or owns(state, actor, each) for each in known):
            raise Impossible("not-in-team")
    elif who is not None and (gm or owns(state, actor, who)):
        if who.id == check.actor:
            raise Impossible("leads-it", name=who.name)
        if len(_helping(game, check, who.id)) >= HELPERS_MAX:
            raise Impossible("team-full", most=HELPERS_MAX)


def _brought(game: Game, who: str, values: Values) -> Entry:
    """What somebody brings who joins in, or sets against it."""
    request = read_request(game, who, SIDE, "team", values)
    words, gm = values.get("approach", "").strip(), is_gm(game.state, game.actor)
    return Entry(who, game.actor.id, request, words, judged=gm)


def _draft(entry: Entry) -> Values:
    """What bringing something else starts from."""
    return stages.drafted(SIDE, SIDE.said(entry.request), {"approach": entry.approach})


# --- stages ------------------------------------------------------------------------------------------------


class _Joined(Stage[Trial]):
    """Others may join in, bring something else, and step back, for as long as nothing is rolled (BAR-TEAM)."""

    def ask(self, game: Game, check: BarCheck, /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        return (*found, _JOIN) if found and check.kind == "team" else found

    def options(self, game: Game, check: BarCheck, prompt: str, who: str, /) -> Iterable[Offered]:
        if prompt != "join":
            return super().options(game, check, prompt, who)
        join, own = Offered("join", Line("answer-join"), SIDE), check.data.entry(who)
        if who in (GMS, check.actor) or (own is None and len(_helping(game, check)) >= HELPERS_MAX):
            return ()
        return (
            (join,) if own is None else (join.but(values=_draft(own)), Offered("leave", Line("answer-leave")))
        )

    def choose(self, game: Game, check: BarCheck, choice: Choice, /) -> Step[Trial]:
        if choice.prompt != "join":
            return super().choose(game, check, choice)
        there = _helping(game, check, choice.who)
        if choice.option == "join":
            there.append(_brought(game, choice.who, choice.values))
        data = check.data.but(entries=(check.data.entries[0], *there))
        found = check.but(data=data)
        if choice.option == "join" and trial.one_pool(check):
            # A team that could not roll together is refused; what somebody may not do just now keeps nobody out.
            with suppress(Impossible, NotFound):
                trial.together(game, found)
        return Step(game.state, data, reopen=check.stage == BeforeRoll.name and trial.unjudged(game, found))


class Proposal(_Joined, Proposed[Trial]):
    """A GM says against what it is rolled; where nobody has to be asked, it goes on by itself, dice included."""

    dice = "rolled"

    def __init__(self, kind: str, answers: tuple[str, ...] = stages.ANSWERS, free: str | None = None) -> None:
        super().__init__(opening(kind), ruling(kind), answers, wanted="number")
        self._kind: str = kind
        if free is not None:
            self.free = free
        if kind == "rest":
            self.labels = stages.TIME

    def begin(self, game: Game, check: BarCheck, values: Values) -> BarCheck:
        """The check as it is proposed. Whom it is done to is the actor where nobody is named to rest or to be treated.

        InvalidInput("which-target", "target-is-self", "wrong-type", "no-difficulty-here"), and as `proposed`.
        """
        kind, target = check.kind, check.target
        if kind == "team" and check.visibility != "public":
            raise InvalidInput("wrong-type", field="visibility", value=check.visibility, allowed=("public",))
        if kind in ("attack", "contest"):
            stages.require_other(check, "opponent" if kind == "contest" else "victim")
        elif kind in ("check", "team"):
            target = None
        else:
            target = check.actor if kind == "rest" else target or check.actor
            if all(is_npc(game, each) for each in (check.actor, target)):
                check = check.but(visibility="private")
        return self.proposed(game, check.but(target=target), values)

    def asked(self, game: Game, check: BarCheck, values: Values) -> BarCheck:
        kind, data = check.kind, check.data
        whom = None if check.target is None else game.state.characters.get(check.target)
        said, mode = values.get("weapon", ""), trial.find_mode(kind, values.get("mode", ""))
        # Quotes may be part of a weapon's own name.
        tool = said if game.sheet(check.actor).on_sheet(said) is not None else unquoted(said)
        if kind == "treat" and whom is not None:
            tool = values.get("injury", "").strip()
            same = bool(data.entries) and tool == data.tool  # it may have healed meanwhile
            if not same and (is_gm(game.state, game.actor) or owns(game.state, game.actor, whom)):
                tool = find_injury(whom, tool)
            data = data.but(asked={**data.asked, "injury": tool})
        if kind == "attack":
            game.sheet(check.actor).require_weapon(tool)
        opposed = whom is not None and trial.opposes(game.campaign, kind, whom, mode)
        entry = Entry(check.actor, game.actor.id, read_request(game, check.actor, self._ask, kind, values))
        return check.but(data=data.but(entries=(entry, *data.joined), mode=mode, tool=tool, opposed=opposed))

    def measured(self, check: BarCheck) -> bool:
        return trial.measured(check)

    def waits(self, check: BarCheck) -> bool:
        """Or whoever joins in."""
        return check.data.opposed or check.kind == "team"

    def ruled(self, game: Game, check: BarCheck) -> Trial:
        data = check.data
        if data.ruled is None:
            return data.but(ruling=None)
        made = self._rule.make(Plan, data.ruled).but(by_gm=is_gm(game.state, game.actor))
        heard = [each.but(judged=True) for each in data.entries]
        found = data.but(ruling=made, entries=tuple(heard))
        trial.built(game, check.but(data=found), found.entries[0])
        return found

    def unasked(self, game: Game, check: BarCheck) -> str | None:
        """What somebody claims is for a GM to accept."""
        if check.gm_only or is_gm(game.state, game.actor) or not trial.claims(game, check.data.entries[0]):
            return super().unasked(game, check)
        return None

    def rulings(self, check: BarCheck) -> tuple[Offered, ...]:
        found = super().rulings(check)
        if self._kind != "attack":
            return found
        does = {"form": _BLOW, "values": self.draft(check, _BLOW)}
        return tuple([each.but(**does) if each.value == FREE else each for each in found])


#: What goes with a hit that takes no roll: what a weapon does that is on no sheet (BAR-TRAUMA).
_BLOW: Final = _before(options.gm_form("attack").part("lethal", "muscle", "damage"), stages.NOTE)


class BeforeRoll(_Joined, Ready[Trial]):
    """The owner rolls, with the die they like best now; first the other side chooses what to set against it."""

    side = SIDE

    def waits(self, game: Game, check: BarCheck) -> bool:
        return super().waits(game, check) and not trial.out(game, check, check.target or "")

    def ask(self, game: Game, check: BarCheck, /) -> tuple[Prompt, ...]:
        found = super().ask(game, check)
        if trial.unjudged(game, check):  # what somebody claims who came later
            asked = {"rule": Prompt("rule"), "ready": Prompt("ready", (check.actor,), wait=None)}
            found = tuple([asked.get(each.key, each) for each in found])
        silent = check.data.opposed and check.target is not None and trial.out(game, check, check.target)
        return tuple([each for each in found if each.key not in ("face", "faced") or not silent])

    def rolls(self, game: Game, check: BarCheck, who: str) -> tuple[Offered, ...]:
        if trial.unjudged(game, check):
            return ()
        dice, die = self._dice(game, check), check.data.entries[0].request.die

        def says(values: Values) -> Line:
            return roll_label({_DIE: die, **values})

        return (Offered("roll", Line("answer-roll"), says=says if dice else None, **dice),)

    def before(self, game: Game, check: BarCheck, who: str) -> tuple[Offered, ...]:
        dice = self._dice(game, check)
        return (Offered("choose", Line("bar-menu", {"what": "before"}), **dice),) if dice else ()

    def _dice(self, game: Game, check: BarCheck) -> dict[str, Any]:
        """The form of what may still be chosen, and what that starts from; empty where nothing may be."""
        data, own = check.data, check.data.entries[0]
        if data.opposed or data.answer == stages.MARGIN_ONLY:
            return {}
        most = trial.convertible(own.request, data.ruling, trial.counting(game, check, own))
        form = dice_form(most)
        return {"form": form, "values": form.said(own.request.but(convert=min(own.request.convert, most)))}

    def chosen(self, game: Game, check: BarCheck, choice: Choice) -> Step[Trial]:
        """Another die, none at all, or Add Dice converted (BAR-DIE, BAR-AUTO, BAR-POOL)."""
        data, values, now = check.data, choice.values, dict[str, Any]()
        if not values:
            return Step(game.state, data)
        if _DIE in values or _NO_DICE in values:
            now = {"die": values.get(_DIE) or STANDARD.id, "no_dice": bool(values.get(_NO_DICE))}
        if "convert" in values:
            now["convert"] = values["convert"] or 0
        own = data.entries[0]
        own = own.but(request=own.request.but(**now))
        trial.build(game.sheet(own.who), game.campaign, own.request, data.ruling, cut="convert" not in now)
        data = data.but(entries=(own, *data.joined))
        return Step(game.state, data, reopen=choice.option == "choose")

    def faced(self, check: BarCheck) -> Values | None:
        own = check.data.entry(check.target or "")
        return None if own is None else _draft(own)

    def facing(self, game: Game, check: BarCheck, values: Values) -> Trial:
        data = check.data
        return data.but(entries=(data.entries[0], _brought(game, check.target or "", values)))
