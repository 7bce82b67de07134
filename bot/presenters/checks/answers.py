"""Answers to a check: options and their buttons, the panel that shows them, and receipts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Final, Literal

from bot.presenters import control_limits
from bot.presenters.blocks import result_card, verdict_text
from bot.presenters.checks.calls import gm_call_text
from bot.presenters.checks.headlines import (
    ROLL_BUTTON,
    SENT_TO_GM,
    button_label,
    first_awaited,
    headline,
    is_awaited,
    lead_lines,
    pass_label,
)
from bot.presenters.checks.messages import ANSWER_LABEL, audience_note, check_card
from bot.presenters.control_ids import option_token
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Rows,
    Style,
    button_rows,
    prompt_id,
)
from bot.presenters.hands import hand_button
from bot.presenters.language import limits
from bot.presenters.language.text import name_text, percent, user_text, with_capital
from bot.presenters.language.words import TEMPLATES, label_text, phrase, say, say_bare
from bot.presenters.layout import (
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Row,
    Section,
    SmallPrint,
    rows_of,
)
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from rules.registry import read_only_game
from rules.table.blocks import Block, Roll, Text, Verdict, first_verdict
from rules.table.chance.cards import system_deck
from rules.table.check import ANY_GM, PASS
from rules.table.checks.available_moves import Move, is_losing
from rules.table.checks.procedure import CheckOption
from rules.table.events import CheckChanged, PromptView
from rules.table.resources import points_label
from rules.table.state import TableState

#: Placeholder for the GMs in the id of a button.
GMS_ID: Final = "-"
#: Most options of one prompt that have a line each; more become a menu.
_MAX_OPTION_LINES: Final = 5
_NO_HELP: Final = Text("no-help")


def option_id(table_id: int, move: Move, option: str, route: str = "cho") -> str:
    """Return the id of the button of one option, for one asked character.

    A menu of options has a `route` of its own.
    """
    at = f"{move.check}.{move.number}:{move.prompt}:{move.who or GMS_ID}"
    return f"sg:{route}:{table_id}:{at}:{option_token(option)}"


# --- texts of options -----------------------------------------------------------------------------


def option_text(option: CheckOption) -> str:
    """Return an option with its cost and odds (`Re-roll Climbing, 1 Fate · 63%`), bare."""
    text = say_bare(option.label)
    if option.cost is not None:
        name = resource_text(option.cost.resource)
        if name.casefold().removesuffix("s") not in text.casefold():
            text += f", {option.cost.amount} {name}"
    if isinstance(option.odds, Fraction):
        odds = say_bare(_NO_HELP) if is_hopeless(option) else percent(option.odds)
        text += f" · {odds}"
    return text


def is_hopeless(option: CheckOption) -> bool:
    """Return whether an option is known to turn nothing around."""
    return option.odds == 0


def resource_text(key: str) -> str:
    """Return the name of a kind of points: `Fate`, `Life points`."""
    return say_bare(points_label(key))


def owner_name(move: Move, scene: Scene, *, gm: bool) -> str:
    """Return the name of the character that a move is for, or the label of the GM."""
    character = scene.state.characters.get(move.who)
    return label_text("the-gm-acts") if character is None else bare_name(character, gm=gm)


def helpful_option(
    state: TableState, move: Move, blocks: Iterable[Block]
) -> CheckOption | Literal["pass"] | None:
    """Return the option, or the pass, that helps the asked player as far as the player knows.

    None for an offered move, and where nothing helps.
    """
    check = state.checks.get(move.check)
    if move.offer or check is None:
        return None
    verdict = first_verdict(blocks)
    losing = is_losing(read_only_game(state), check, move.who, verdict)
    for option in move.options:
        if option.is_helpful(losing=losing):
            return option
    return PASS if move.passes else None


def merge_gm_moves(moves: Sequence[Move]) -> tuple[Move, ...]:
    """Return the moves without those of an NPC that the GMs are offered as GMs too.

    The move of the GMs stays. It waits for an answer if one of the others does.
    """
    keyed = [(move, _move_key(move)) for move in moves]
    gm_keys = {key for move, key in keyed if move.who == ANY_GM}
    asked = {key for move, key in keyed if move.who != ANY_GM and not move.offer}
    awaited = {key for move, key in keyed if move.who != ANY_GM and move.waited_for}
    merged: list[Move] = []
    for move, key in keyed:
        if move.who != ANY_GM:
            if key not in gm_keys:
                merged.append(move)
            continue
        move = move.replace(offer=move.offer and key not in asked)
        merged.append(move.replace(waited_for=True) if key in awaited else move)
    return tuple(merged)


def _move_key(move: Move) -> tuple[str, frozenset[str]]:
    """Return the check of a move and its options: what is the same for an NPC and the GMs."""
    return move.check, frozenset([option.value for option in move.options])


# --- buttons --------------------------------------------------------------------------------------


def say_buttons(
    event: CheckChanged,
    scene: Scene,
    able: Sequence[str],
    held: Sequence[str],
    *,
    gm: bool,
) -> list[Button]:
    """Return the buttons to want a say for these characters, and to give it up.

    `sg:say:<table>:<check>:<character>:<on|off>`; a GM lets the check stand with `-`.
    """
    base = f"sg:say:{scene.table_id}:{event.check}"
    several = len(able) + len(held) > 1
    buttons: list[Button] = []
    for who, verb, label in (
        *[(who, "on", Text("answer-wait-for-me")) for who in able],
        *[(who, "off", Text("answer-no-more-say")) for who in held],
    ):
        name = say_bare(label)
        if several:
            name += f" ({bare_name(scene.state.characters[who], gm=gm)})"
        buttons.append(Button(f"{base}:{who}:{verb}", limits.clip(name, limits.BUTTON_LABEL)))
    if gm and event.held_by:
        label = label_text("answer-let-it-stand")
        buttons.append(Button(f"{base}:{GMS_ID}:off", label))
    return buttons


def _answer_names(move: Move) -> list[str]:
    """Return the button labels of one prompt."""
    names = [say_bare(option.short or option.label) for option in move.options]
    return [*names, pass_label(move.prompt)] if move.passes else names


def _names_of_several(moves: Sequence[Move]) -> frozenset[str]:
    """Return the button labels that the moves of several characters share."""
    owners: dict[str, set[str]] = {}
    for move in moves:
        for name in _answer_names(move):
            owners.setdefault(name, set()).add(move.who)
    return frozenset(name for name, who in owners.items() if len(who) > 1)


def move_pieces(
    scene: Scene,
    move: Move,
    blocks: Iterable[Block],
    whose: str = "",
    ambiguous: Collection[str] = (),
    routes: tuple[str, str] = ("cho", "chm"),
) -> list[Piece]:
    """Return the options of one prompt with their buttons, or as a menu if there are many.

    `blocks` are those of the check. A button with an `ambiguous` name says `whose` it is. `routes`
    are those of a button and of a menu.
    """
    table_id = scene.table_id
    lines = _count_option_lines(move)
    pieces: list[Piece] = []
    helpful = helpful_option(scene.state, move, blocks)
    bare: list[Button] = []  # whose label already says everything
    for option in move.options[:lines]:
        name = say_bare(option.short or option.label) + ("…" if option.form is not None else "")
        label, text = limits.clip(name, limits.BUTTON_LABEL), option_text(option)
        style: Style = "primary" if option is helpful else "secondary"
        button = Button(option_id(table_id, move, option.value, routes[0]), label, style)
        says_all = label.removesuffix("…") == text
        if name.removesuffix("…") in ambiguous:
            button = button.replace(label=limits.clip(f"{name} for {whose}", limits.BUTTON_LABEL))
        if says_all:
            bare.append(button)
        else:
            pieces.append(Section(user_text(text), button))
    pieces += _option_menus(scene, move, move.options[lines:], routes[1])
    if move.passes:
        style = "primary" if helpful == PASS else "secondary"
        label = pass_label(move.prompt)
        if label in ambiguous:
            label = limits.clip(f"{label} for {whose}", limits.BUTTON_LABEL)
        bare.append(Button(option_id(table_id, move, PASS), label, style))
    return [*pieces, *rows_of(button_rows(bare, BUTTONS_PER_ROW))]


def _count_option_lines(move: Move) -> int:
    """Return how many options have a line and a button; the others become a menu."""
    if len(move.options) <= _MAX_OPTION_LINES:
        return len(move.options)
    # The first option of an awaited move is the expected one. It keeps its button.
    return 0 if move.offer else 1


def _option_menus(
    scene: Scene, move: Move, options: Sequence[CheckOption], route: str
) -> list[Piece]:
    """Return menus of these options, as many as Discord's limit demands."""
    rows: list[Piece] = []
    for page, at in enumerate(range(0, len(options), limits.SELECT_OPTIONS)):
        entries = [(option_token(option.value), option_text(option)) for option in options[at:]]
        id = option_id(scene.table_id, move, str(page), route)
        rows.append(Row((control_limits.menu(id, label_text("check-choose"), entries),)))
    return rows


# --- the panel of a check -------------------------------------------------------------------------


def react_panel(
    event: CheckChanged,
    scene: Scene,
    moves: Sequence[Move],
    *,
    gm: bool,
    onward: Button,
    more: Sequence[Button] = (),
    below: Sequence[Button] = (),
) -> Layout:
    """Return a check as its reader may see it now, with a button for each possible answer.

    `more` are further buttons, and those `below` follow. `onward` is what the reader can begin if
    there is nothing to answer.
    """
    message = check_card(event, scene, copy=True)
    pieces: list[Piece] = [
        piece for piece in message.pieces if not isinstance(piece, SmallPrint | Row | Section)
    ]
    moves = merge_gm_moves(moves)
    several = len({move.who for move in moves}) > 1
    ambiguous = _names_of_several(moves)
    before = ""
    for move in moves:
        whose = owner_name(move, scene, gm=gm)
        # A GM's answer stands for everybody.
        button_owner = "everybody" if move.who == ANY_GM else whose
        answers = move_pieces(scene, move, event.blocks, button_owner, ambiguous)
        if sum(isinstance(piece, Row) for piece in (*pieces, *answers)) > limits.ROWS:
            pieces.append(SmallPrint(say(Text("check-more-moves"))))
            break
        pieces.append(Heading(name_text(whose)) if several and whose != before else Gap())
        before = whose
        pieces += answers
    if more:
        pieces += [Gap(), *rows_of(button_rows([*more], BUTTONS_PER_ROW))]
    elif not moves:
        nothing = say(Text("check-nothing-to-do", {"gm": gm}))
        pieces += [Gap(), Body(nothing), Row((onward, *below))]
    if below and (more or moves):
        pieces.append(Row(tuple(below)))
    if moves:
        pieces.append(Gap())
    secret = "" if gm or event.visibility == "public" else audience_note(event)
    pieces.append(SmallPrint("\n".join(filter(None, [f"check {event.check}", secret]))))
    return Layout("own", tuple(pieces))


# --- receipts -------------------------------------------------------------------------------------


def done_card(event: CheckChanged, scene: Scene) -> Layout:
    """Return the short answer to a player or GM whose deed the check's message shows already.

    If the same player or GM has to act next, the answer has the button for it.
    """
    head = _done_headline(event)
    verdict = first_verdict(event.blocks)
    result = Text("see-check", {"check": event.check, "rolled": verdict is not None})
    small = SmallPrint(say(result))
    private = _private_pieces(event, head, verdict)
    return Layout("own", (Head(head), *private, small, *rows_of(_done_rows(event, scene))))


def _begins_own(event: CheckChanged) -> bool:
    """Return whether the GM's own check begins, or the GM acted."""
    return (event.owner is None and event.step == "begun") or event.by_gm


def _done_headline(event: CheckChanged) -> str:
    """Return what the player or GM did, or what the check waits for now."""
    if event.said is not None:
        return _receipt_text(event, event.said)
    if event.step == "passed":
        return say(Text("done-answer-stand"))
    awaited = first_awaited(event)
    if event.step == "begun":
        awaits_gm = awaited is not None and awaited.gms
        if awaited is not None and awaits_gm and not awaited.who and not _begins_own(event):
            return SENT_TO_GM
        if awaits_gm and event.actor is not None:
            return with_capital(gm_call_text(event))
        if awaited is not None or first_verdict(event.blocks) is not None:
            return headline(event, over=event.over)[0]
    # A check without an actor says by itself what it is.
    return headline(event, over=event.over)[0] if event.actor is None else phrase("done")


def _receipt_text(event: CheckChanged, said: Text) -> str:
    """Return what a participant did, in the past tense; a button's label is never repeated."""
    if f"done-{said.code}" not in TEMPLATES:
        return phrase("done") if said.code.startswith("answer-") else with_capital(say(said))
    waits = any(
        is_awaited(prompt) and prompt.button in (ROLL_BUTTON, "answer-evade")
        for prompt in event.asked
    )
    rolled = any(isinstance(block, Roll) for block in event.blocks)
    about = {**said.params, "who": event.actor, "waits": waits, "rolled": rolled}
    return say(Text(f"done-{said.code}", about))


def _done_rows(event: CheckChanged, scene: Scene) -> Rows:
    """Return the button of the next thing to do, or of the hand after an act with cards."""
    prompt = _next_prompt(event)
    if prompt is not None:
        id = prompt_id(scene.table_id, event.check, prompt.number, prompt.prompt)
        label = limits.clip_label(button_label(prompt) or ANSWER_LABEL, limits.BUTTON_LABEL)
        return ((Button(id, label, "primary"),),)
    # A check without an actor at a table with a deck is about cards: a deal, a draw, a trade. GMs
    # hold none.
    if event.actor is None and not event.audience.gms:
        deck = system_deck(read_only_game(scene.state))
        if deck is not None:
            return ((hand_button(scene.table_id, deck.id),),)
    return ()


def _next_prompt(event: CheckChanged) -> PromptView | None:
    """Return the first prompt with a plain button that the same player or GM has to answer."""
    for prompt in event.asked:
        if is_awaited(prompt) and _waits_for_same(prompt, event):
            if not prompt.reacts and not prompt.choices:
                return prompt
    return None


def _waits_for_same(prompt: PromptView, event: CheckChanged) -> bool:
    """Return whether a prompt waits for the player or GM who has just acted."""
    if prompt.gms and (_begins_own(event) or event.audience.gms):
        return True
    if event.by not in prompt.people:
        return False
    # A player who has begun the check alone, or has chosen the die, still has to roll.
    if event.step == "chosen":
        return prompt.button == ROLL_BUTTON
    first = first_awaited(event)
    awaits_actor = first is not None and not first.gms and event.by in first.people
    return event.step == "begun" and awaits_actor


def _private_pieces(event: CheckChanged, head: str, verdict: Verdict | None) -> list[Piece]:
    """Return what only the acting player may read: the choices made, and a private result.

    The GM has just read what another player proposes, so it isn't repeated.
    """
    if event.audience.is_open or (verdict is None and event.audience.gms):
        return []
    blocks: list[Block] = [block for block in event.blocks if not isinstance(block, Verdict)]
    lead, rest = lead_lines(event, head, blocks)
    if verdict is not None:
        lead.insert(0, f"**{verdict_text(verdict, so_far=True)}**")
    return [*result_card(rest, who="\n".join(lead)).pieces, Gap()]
