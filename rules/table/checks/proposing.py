"""A challenge before the dice: proposed, asked about, answered and defended against.

Implements the shared course of events behind EBB-PROPOSAL, EBB-ATTACK and EBB-HEAL and their kin in the other
systems: the system reads the options and makes the ruling; who may do what when, and who may see it, is decided
here.
"""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput, NotFound, NotPermitted
from rules.core.rng import Streams
from rules.table.actions import Answer, AskBack, Defend, Join, Propose, Revise, Withdraw
from rules.table.checks.challenges import (
    APPROACH_MAX,
    HELPERS_MAX,
    NOTE_MAX,
    TOOL_MAX,
    advanced,
    expect,
    find,
    put,
    require_target,
    without_old,
)
from rules.table.checks.rolling import followed, thrown
from rules.table.checks.views import cast_of, check_events, helpers_of, helps
from rules.table.events import ChallengeStep, Line
from rules.table.lookup import acting_as, find_character, find_known
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, owns, public_name, require_gm, require_owner
from rules.table.state import (
    AnyChallenge,
    AnyCharacter,
    Challenge,
    Counters,
    Helper,
    TableState,
    Visibility,
)
from rules.table.system import Game, HealMethod
from rules.table.texts import trimmed


def find_heal_method(game: Game, text: str) -> HealMethod:
    """The way to recover that is meant, by its value or the beginning of it. NotFound("unknown-heal-method")."""
    methods = game.course.heal_methods()
    wanted = text.strip().casefold()
    for method in methods:
        if wanted and method.value.startswith(wanted):
            return method
    known = tuple(method.value for method in methods)
    raise NotFound("unknown-heal-method", field="method", value=text[:TOOL_MAX], nearest=known)


def _who_acts(state: TableState, action: Propose, *, gm: bool) -> AnyCharacter:
    """Whoever tries it. Who rests is whom it is done to; for a GM, and in secret, that may be anybody."""
    if action.gm_only:
        require_gm(state, action.who)
        if action.kind != "check":
            raise InvalidInput("wrong-type", field="kind", value=action.kind, allowed=("check",))
        if action.as_ is not None:
            return find_character(state.characters.values(), action.as_, "as")
    if action.kind != "rest":
        return acting_as(state, action.who, action.as_, action.place)
    named = action.target or action.as_
    if gm and named is not None:
        return find_known(state, action.who, named, "target")
    return acting_as(state, action.who, named, action.place)


def _done_to(state: TableState, action: Propose, character: AnyCharacter) -> AnyCharacter | None:
    """Whom it is done to. InvalidInput("which-target", "target-is-self") for an attack."""
    if action.kind in ("check", "team"):
        return None
    if action.kind == "rest" or (action.kind == "treat" and action.target is None):
        return character
    if action.target is None:
        contest = action.kind == "contest"
        raise InvalidInput(
            "which-target", field="target", value=None, wanted="opponent" if contest else "victim"
        )
    target = find_known(state, action.who, action.target, "target")
    if action.kind in ("attack", "contest") and target.id == character.id:
        raise InvalidInput("target-is-self", field="target", value=action.target)
    return target


def _tool(state: TableState, action: Propose, target: AnyCharacter | None, game: Game, *, gm: bool) -> str:
    """The weapon; the injury, where the actor may know of it; the way to rest, or to do it with others."""
    if action.kind in ("contest", "team"):
        return game.course.find_mode(action.kind, action.tool)
    tool = trimmed("weapon" if action.kind == "attack" else "injury", action.tool, TOOL_MAX)
    if action.kind == "rest":
        method = find_heal_method(game, tool or "rest")
        if method.gm and not gm:
            raise NotPermitted("gm-only")
        return method.value
    if action.kind == "treat" and target is not None and (gm or owns(state, action.who, target)):
        return game.course.find_injury(target, tool)
    return "" if action.kind == "check" else tool


def _visibility(action: Propose, character: AnyCharacter, target: AnyCharacter | None) -> Visibility:
    """What is kept of NPCs, their injuries too, is theirs alone."""
    if action.kind == "team" and action.visibility != "public":
        raise InvalidInput("wrong-type", field="visibility", value=action.visibility, allowed=("public",))
    theirs = character.owner is None and (target is None or target.owner is None)
    return "private" if theirs and action.kind in ("rest", "treat") else action.visibility


def needs_no_answer(state: TableState, character: AnyCharacter, visibility: Visibility, *, gm: bool) -> bool:
    """Whether a difficulty that is named stands without a GM's answer: in live play, or for NPCs."""
    return (gm and character.owner is None) or (state.settings.live and visibility == "public")


def outlined(state: TableState, action: Propose, game: Game) -> AnyChallenge:
    """The challenge that an action would open, before anything of the character's is read: without id and request.

    Impossible("not-in-these-rules") for a kind that there is not.
    """
    return _opened(state, action, game, None, gm=is_gm(state, action.who))


def _opened(state: TableState, action: Propose, game: Game, number: int | None, *, gm: bool) -> AnyChallenge:
    """The challenge of that number, with its request; without a number only its outline."""
    if action.kind not in game.course.kinds:
        raise Impossible("not-in-these-rules", name=game.system.name)
    character = _who_acts(state, action, gm=gm)
    target = _done_to(state, action, character)
    tool = _tool(state, action, target, game, gm=gm)
    approach = trimmed("approach", action.approach, APPROACH_MAX)
    visibility = _visibility(action, character, target)
    opposed = target is not None and game.course.opposes(action.kind, target, tool)
    return Challenge(
        "" if number is None else f"c{number}",
        action.place,
        character.id,
        action.who.id,
        approach,
        None if number is None else game.course.propose(character, action),
        visibility,
        "proposed",
        action.at,
        kind=action.kind,
        target=None if target is None else target.id,
        tool=tool,
        gm_only=action.gm_only,
        opposed=opposed,
    )


def propose(state: TableState, action: Propose, rng: Streams, game: Game) -> Outcome:
    """Open a challenge; what needs nobody's answer is answered, rolled or done at once.

    That is a difficulty the table lets players set openly, or one a GM sets for NPCs; an attack of
    NPCs, or in live play, on another's character (answered: it waits for the defence); a GM's word
    that somebody rests; and a roll that the players never hear of.
    """
    gm = is_gm(state, action.who)
    number = state.counters.challenge + 1
    challenge = _opened(state, action, game, number, gm=gm)
    character, opposed = state.characters[challenge.character], challenge.opposed
    if action.difficulty is not None and not game.course.measured(challenge):
        raise InvalidInput("no-difficulty-here", field="difficulty", value=action.difficulty[:TOOL_MAX])
    challenges = without_old(state)
    unasked = needs_no_answer(state, character, action.visibility, gm=gm)
    if action.kind == "rest":
        if gm:
            challenge = challenge.but(status="settled", answer="free")
    elif action.gm_only or (
        unasked
        and (action.difficulty is not None or not game.course.measured(challenge))
        and (gm or not game.course.justifications(challenge))  # what somebody claims is for a GM to accept
    ):
        challenge = _answered_as_proposed(challenge, character, action, game)
        if not opposed and action.kind != "team":
            challenge = thrown(state, challenge, character, action.at, rng, game)
    challenges[challenge.id] = challenge
    counters = state.counters
    state = state.with_challenges(
        challenges, Counters(counters.character, number, counters.offer, counters.own)
    )
    if challenge.status == "answered":
        events = check_events(state, game, challenge, "proposed", action.who.id, ping_target=True)
        return Outcome(state, events)
    if challenge.status != "proposed":
        step: ChallengeStep = "rolled" if challenge.rolled is not None else "answered"
        return followed(state, challenge, action.at, action.who, game, step)
    events = check_events(state, game, challenge, "proposed", action.who.id, ping_gms=not gm)
    return Outcome(state, events)


def _answered_as_proposed(
    challenge: AnyChallenge, character: AnyCharacter, action: Propose, game: Game
) -> AnyChallenge:
    difficulty, options, modifier = game.course.suggest(challenge)
    answer = Answer(
        who=action.who,
        place=action.place,
        at=action.at,
        challenge=challenge.id,
        revision=challenge.revision,
        kind="margin-only" if action.gm_only and difficulty is None else "roll",
        difficulty=difficulty,
        options=options,
        modifier=modifier,
    )
    ruling = game.course.rule(character, challenge, answer)
    return challenge.but(status="answered", answer=answer.kind, ruling=ruling)


def revise(state: TableState, action: Revise, rng: Streams, game: Game) -> Outcome:
    """Change the proposal, or answer what the GM asked back. Raises what proposing it so would."""
    challenge = find(state, action)
    expect(challenge, "proposed")
    character = state.characters[challenge.character]
    require_owner(state, action.who, character)
    approach = challenge.approach
    if action.approach is not None:
        approach = trimmed("approach", action.approach, APPROACH_MAX)
    request = game.course.revise(character, challenge, action)
    changed = advanced(challenge, action.at, approach=approach, request=request, question="")
    state = put(state, changed)
    gm = is_gm(state, action.who)
    return Outcome(state, check_events(state, game, changed, "revised", action.who.id, ping_gms=not gm))


def withdraw(state: TableState, action: Withdraw, rng: Streams, game: Game) -> Outcome:
    """The owner, or a GM, takes the proposal off the table before any die is rolled."""
    challenge = find(state, action)
    expect(challenge, "proposed", "answered")
    character = state.characters[challenge.character]
    if not is_gm(state, action.who):
        require_owner(state, action.who, character)
    changed = advanced(challenge, action.at, status="withdrawn")
    state = put(state, changed)
    return Outcome(state, check_events(state, game, changed, "withdrawn", action.who.id))


def ask_back(state: TableState, action: AskBack, rng: Streams, game: Game) -> Outcome:
    """The GM asks; the proposal waits for its owner. InvalidInput("empty") without a question."""
    require_gm(state, action.who)
    challenge = find(state, action)
    expect(challenge, "proposed")
    question = trimmed("question", action.question, NOTE_MAX)
    if not question:
        raise InvalidInput("empty", field="question", value="", wanted="question")
    changed = advanced(challenge, action.at, question=question)
    state = put(state, changed)
    return Outcome(state, check_events(state, game, changed, "asked", action.who.id, ping=True))


def answer(state: TableState, action: Answer, rng: Streams, game: Game) -> Outcome:
    """The GM answers, or answers anew as long as nothing was rolled (EBB-PROPOSAL).

    InvalidInput("answer-does-not-fit"), and what the system's `rule` raises.
    """
    require_gm(state, action.who)
    challenge = find(state, action)
    expect(challenge, "proposed", "answered")
    character = state.characters[challenge.character]
    fitting = _fitting_answers(challenge)
    if action.kind not in fitting:
        raise InvalidInput("answer-does-not-fit", field="kind", value=action.kind, allowed=fitting)
    rolled = action.kind in ("roll", "margin-only")
    changed = advanced(
        challenge,
        action.at,
        status="answered" if rolled else "settled",
        answer=action.kind,
        note=trimmed("note", action.note, NOTE_MAX),
        question="",
        hidden=action.hidden and rolled and action.difficulty is not None and game.course.measured(challenge),
        reveal=state.settings.reveal,
        ruling=game.course.rule(character, challenge, action) if rolled else None,
    )
    if not rolled:
        return followed(state, changed, action.at, action.who, game, "answered", ping=True)
    state = put(state, changed)
    # Whoever is attacked chooses first: until then there is nothing for the other to roll against.
    undefended = changed.opposed and changed.defence is None
    events = check_events(
        state, game, changed, "answered", action.who.id, ping=not undefended, ping_target=undefended
    )
    return Outcome(state, events)


def _fitting_answers(challenge: AnyChallenge) -> tuple[str, ...]:
    """Rest needs no dice, and where both throw them the total decides."""
    if challenge.kind == "rest":
        return ("free", "cannot")
    return ("roll", "free", "cannot") if challenge.opposed else ("roll", "margin-only", "free", "cannot")


def defend(state: TableState, action: Defend, rng: Streams, game: Game) -> Outcome:
    """The owner of whoever is attacked, or a GM in their stead, locks in a defence (EBB-ATTACK).

    It may be changed until the roll. A GM may leave it at the bare dice; Impossible("needs-approach") for others,
    ("not-opposed") where only one side rolls.
    """
    challenge = find(state, action)
    expect(challenge, "answered")
    target = require_target(state, challenge)
    gm = is_gm(state, action.who)
    if not gm:
        require_owner(state, action.who, target)
    if not challenge.opposed:
        raise Impossible("not-opposed", check=challenge.id)
    approach = trimmed("approach", action.approach, APPROACH_MAX)
    if not approach and not gm and game.course.needs_approach:
        raise Impossible("needs-approach", field="approach")
    request = game.course.defend(target, action)
    changed = advanced(challenge, action.at, defence=request, defence_approach=approach)
    state = put(state, changed)
    return Outcome(state, check_events(state, game, changed, "defended", action.who.id, ping=True))


def join(state: TableState, action: Join, rng: Streams, game: Game) -> Outcome:
    """Join in what others do together, such as BAR-TEAM; whoever is in it already changes what they bring.

    Joining leaves the revision as it is: several may have their panels open at once. Impossible("not-a-team"),
    ("leads-it") for the character who began it, ("team-full"), ("not-in-team") for leaving what one is not in.
    """
    challenge = find(state, action)
    expect(challenge, "proposed", "answered")
    if challenge.kind != "team":
        raise Impossible("not-a-team", check=challenge.id)
    others = tuple(each for each in challenge.helpers if helps(state, each))
    if action.leave:
        character = _leaving(state, action, challenge)
    else:
        character = acting_as(state, action.who, action.as_, action.place)
    if character.id == challenge.character:
        raise Impossible("leads-it", name=character.name)
    kept = tuple(each for each in others if each.character != character.id)
    if not action.leave:
        if len(kept) >= HELPERS_MAX:
            raise Impossible("team-full", most=HELPERS_MAX)
        approach = trimmed("approach", action.approach, APPROACH_MAX)
        request = game.course.join(character, challenge, action)
        kept = (*kept, Helper(character.id, action.who.id, approach, request))
    changed = challenge.but(helpers=kept)
    step: ChallengeStep = "left" if action.leave else "joined"
    lines = (Line("steps-back", {"name": public_name(character)}),) if action.leave else ()
    state = put(state, changed)
    if not action.leave:
        game.course.require_team(cast_of(state, changed), changed)
    return Outcome(state, check_events(state, game, changed, step, action.who.id, lines=lines))


def _leaving(state: TableState, action: Join, challenge: AnyChallenge) -> AnyCharacter:
    """Whoever steps back: the one named, or the only one of the actor's own who is in it."""
    mine = helpers_of(state, challenge, action.who)
    if not mine:
        raise Impossible("not-in-team")
    if action.as_ is not None:
        return find_character(mine, action.as_, "as")
    first, *more = mine
    if more:
        names = tuple(each.name for each in mine)
        raise InvalidInput("which-character", field="as", value=None, allowed=names)
    return first
