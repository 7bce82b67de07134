"""The message of a check: its headline, blocks, notes, buttons and small print."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.presenters.blocks import ACCENTS, result_card
from bot.presenters.checks.headlines import (
    awaited_names,
    button_label,
    difficulty_facts,
    first_awaited,
    headline,
    is_awaited,
    is_gm_question,
    lead_lines,
    pass_label,
    reaction_window,
    roll_headline,
)
from bot.presenters.control_ids import option_token
from bot.presenters.controls import Button, Rows, Style, button_rows, prompt_id, react_id
from bot.presenters.hands import card_pictures
from bot.presenters.language import limits
from bot.presenters.language.text import (
    Markdown,
    listing,
    quoted_text,
    timestamp_text,
    with_capital,
)
from bot.presenters.language.words import TEMPLATES, label_text, phrase, say, say_bare
from bot.presenters.layout import Accent, Layout, Piece, Section, SmallPrint
from bot.presenters.scene import Scene
from rules.registry import read_only_game
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Ref, Text, Value, first_verdict
from rules.table.events import CheckChanged, PromptView, ShownOption, StepView
from rules.table.roll_calls.roll_call import is_roll_call

REACT_LABEL: Final = label_text("check-react")
ANSWER_LABEL: Final = label_text("check-answer")
STEP_IN_LABEL: Final = label_text("check-step-in")
#: Prompts in which a player says how a character takes harm.
HARMING_PROMPTS: Final = frozenset({"hit", "lower"})


# --- the message ----------------------------------------------------------------------------------


def check_card(
    event: CheckChanged,
    scene: Scene,
    *,
    closed: bool = False,
    copy: bool = False,
    undone_by: int | None = None,
) -> Layout:
    """Return a check as its audience sees it.

    A `closed` check has no buttons and names nobody as waited for. A `copy` is for one reader and
    is never edited again, so it says what has happened, and nothing of those the check waits for.
    `undone_by` is the number of the entry that undid it.
    """
    undone = undone_by is not None
    over = closed or event.over or undone
    head, rest = headline(event, over=event.over, ages=copy or (closed and not undone))
    lead, rest = lead_lines(event, head, rest)
    lead, rest = _with_question_first(event, lead, rest)
    accent = _accent(event, over=over)
    if undone:
        head, accent = f"Undone (#{undone_by}): {head}", "waiting"
    small = [
        *_stand_in_lines(event, scene),
        *_held_lines(event, scene, over=over),
        _small_print(event, scene, over=over, copy=copy, undone=undone),
    ]
    choices: list[Piece] = [*_pictures(event, scene)]
    if not over:
        choices += _choice_lines(event, scene.table_id)
    rows: Rows = ()
    if not closed and not undone:
        rows = _button_rows(event, scene.table_id)
        if not copy:
            rows = (*rows, *_step_in_rows(event, scene.table_id))
    return result_card(
        [*rest, *_time_notes(event)],
        head=head,
        who="\n".join(lead),
        accent=accent,
        small="\n".join(small),
        choices=tuple(choices),
        rows=rows,
    )


def moved_card(
    check: str, guild: str, place: str, message: str, *, elsewhere: bool = False
) -> Layout:
    """Return the link that replaces the message of a check or roll call that goes on below.

    If it goes on *elsewhere*, the link names the channel.
    """
    link = f"https://discord.com/channels/{guild}/{place}/{message}"
    about = {"check": check, "call": is_roll_call(check), "link": Markdown(link)}
    about["elsewhere"] = place if elsewhere else ""
    return Layout(
        "waiting",
        (SmallPrint(say(Text("check-continued", about))),),
    )


def _with_question_first(
    event: CheckChanged, lead: list[str], blocks: list[Block]
) -> tuple[list[str], list[Block]]:
    """Return the lead lines and blocks with the GM's question first while its reply is awaited.

    The headline says already who asks.
    """
    question = next(filter(is_gm_question, blocks), None)
    awaited = first_awaited(event)
    if question is None or awaited is None or awaited.button != "answer-reply":
        return lead, blocks
    rest = [block for block in blocks if block is not question]
    return [f"“{quoted_text(question.text)}”", *lead], rest


def _pictures(event: CheckChanged, scene: Scene) -> list[Piece]:
    """Return pictures of the playing cards that the check's facts name."""
    shown = [block.card for block in event.blocks if isinstance(block, Fact) and block.card]
    return [*card_pictures(read_only_game(scene.state), shown)] if shown else []


def _time_notes(event: CheckChanged) -> list[Note]:
    """Return a note for each participant whose answer Storyguide gave, with that answer.

    Their time ran out, or a GM ended the roll call that waited for them.
    """
    notes: list[Note] = []
    for step in event.took:
        if step.how != "clock":
            continue
        who = step.who if step.who is not None and step.who.name else None
        passed = step.step == "passed"
        usual = None
        if step.said is not None and not passed:
            usual = say_bare(step.said).partition(":")[0]
        line = Text("time-was-up", {"who": who, "passed": passed, "usual": usual})
        if event.by_gm:
            line = Text("call-was-ended", {"who": who})
        note = Note(line, FOR_EVERYONE)
        if note not in notes:
            notes.append(note)
    return notes


def _accent(event: CheckChanged, *, over: bool) -> Accent:
    verdict = first_verdict(event.blocks)
    if over and verdict is not None:
        return ACCENTS[verdict.tone]
    audience = event.audience
    if not audience.is_open:
        return "gm" if audience.gms and not audience.people else "own"
    if over or not any(prompt.who or prompt.people for prompt in event.asked):
        return "waiting"
    return "open"


# --- buttons --------------------------------------------------------------------------------------


def _choice_lines(event: CheckChanged, table_id: int) -> list[Piece]:
    """Return a line with its button for each choice that is no secret."""
    lines: list[Piece] = []
    if event.audience.gms:
        return lines
    for prompt in event.asked:
        base = prompt_id(table_id, event.check, prompt.number, prompt.prompt)
        for choice in prompt.choices:
            lines.append(Section(say(choice.line), choice_button(base, choice)))
    return lines


def choice_button(base: str, choice: ShownOption) -> Button:
    """Return the button of a choice; `base` is the id of its prompt."""
    label = limits.clip_label(say_bare(choice.button), limits.BUTTON_LABEL)
    return Button(f"{base}:{option_token(choice.value)}", label)


def _step_in_rows(event: CheckChanged, table_id: int) -> Rows:
    """Return the *Step in* button of a final result, the same for every reader."""
    if not event.over or event.step_in_until is None:
        return ()
    return ((Button(f"sg:sip:{table_id}:{event.check}", STEP_IN_LABEL),),)


def _button_rows(event: CheckChanged, table_id: int) -> Rows:
    """Return the buttons of the prompts, then *React* and *Accept result*."""
    if event.over and not event.asked:
        return ()
    buttons: list[Button] = []
    for prompt in event.asked:
        label = _prompt_label(prompt, event)
        if not label:
            continue
        style: Style = "primary" if is_awaited(prompt) else "secondary"
        id = prompt_id(table_id, event.check, prompt.number, prompt.prompt)
        buttons.append(Button(id, limits.clip_label(label, limits.BUTTON_LABEL), style))
    window = reaction_window(event)
    if _has_react_button(event):
        style = "secondary" if window is None else "primary"
        buttons.append(Button(react_id(table_id, event.check), REACT_LABEL, style))
    if window is not None:
        accept = prompt_id(table_id, event.check, window.number, window.prompt, "cha")
        buttons.append(Button(accept, pass_label(window.prompt)))
    return button_rows(buttons, limits.ROW_BUTTONS)[: limits.ROWS]


def _prompt_label(prompt: PromptView, event: CheckChanged) -> str:
    """Return the label of a prompt's button on the check's message; empty for no button."""
    gms = event.audience.gms
    if gms and prompt.people and not prompt.gms:
        return ""  # only players press it
    label = button_label(prompt, event.blocks)
    if not label and prompt.gms and gms:
        label = ANSWER_LABEL
    if prompt.choices or (prompt.reacts and label == ANSWER_LABEL):
        return ""
    return label


def _has_react_button(event: CheckChanged) -> bool:
    """Return whether the check's message has the neutral button.

    If GMs answer for NPCs of their own, no player is called, and the GMs' choices stand behind it.
    """
    if event.over:
        return False
    if event.react:
        return True
    if event.audience.gms:
        return not any(prompt.gms for prompt in event.asked)
    return event.owner is None and any(
        prompt.gms and not button_label(prompt) for prompt in event.asked
    )


# --- small print ----------------------------------------------------------------------------------


def _small_print(event: CheckChanged, scene: Scene, *, over: bool, copy: bool, undone: bool) -> str:
    """Return who can act until when and the check's number, then who sees the message."""
    parts: list[str] = []
    if not undone:
        if event.over:
            parts.append(say(Text("final-result", {"until": event.step_in_until})))
        elif copy:
            parts.append(say(Text("check-copy")))
        elif not over:
            parts += _waiting_parts(event, scene)
    first = with_capital(" · ".join([*parts, f"check {event.check}"]))
    return "\n".join(filter(None, [first, audience_note(event)]))


def _waiting_parts(event: CheckChanged, scene: Scene) -> list[str]:
    """Return the people an open check waits for; only the time if the headline names them."""
    waiting = [prompt for prompt in event.asked if is_awaited(prompt)]
    head_names_first = (
        first_verdict(event.blocks) is None and roll_headline(event, [*event.blocks]) is None
    )
    parts: list[str] = []
    if head_names_first:
        for prompt in waiting[:1]:
            if prompt.due is not None:
                parts.append(f"due {timestamp_text(prompt.due)}")
        waiting = waiting[1:]
    parts += [_waiting_text(prompt, event, scene) for prompt in waiting]
    return parts


def audience_note(event: CheckChanged) -> str:
    """Return who can see a message that not everyone sees; empty for a public one."""
    if event.audience.is_open:
        return ""
    about = {"gm_only": event.gm_only, "gms": event.audience.gms and not event.audience.people}
    return phrase("check-seen", visibility=event.visibility, over=event.over, **about)


def _stand_in_lines(event: CheckChanged, scene: Scene) -> list[str]:
    """Return the lines of passes and answers by an order, a stand-in, a GM or absence."""
    passed = [_passed_line(step.who, scene) for step in event.took if _is_ordered_pass(step)]
    # Characters by the stand-in who answered; None for a standing order.
    answered: dict[str | None, list[Ref]] = {}
    for step in event.took:
        if step.step != "chosen" or step.who is None or not step.who.name:
            continue
        if step.how in ("order", "stand-in"):
            by = event.by if step.how == "stand-in" else None
            answered.setdefault(by, []).append(step.who)
    lines = [
        phrase("answered-for", scene.names, by=by, who=(*who,)) for by, who in answered.items()
    ]
    return [*_absence_lines(event, scene), *dict.fromkeys(filter(None, passed)), *lines]


def _is_ordered_pass(step: StepView) -> bool:
    """Return whether a standing order has passed for a character."""
    return step.step == "passed" and step.how == "order"


def _passed_line(who: Ref | None, scene: Scene) -> str:
    """Return that a player's character passed by standing order; empty for NPCs."""
    if who is None:
        return ""
    characters = scene.state.characters.values()
    is_players = any(
        character.owner is not None for character in characters if character.name == who.name
    )
    return say(Text("passed-by-order", {"who": who})) if is_players else ""


def _absence_lines(event: CheckChanged, scene: Scene) -> list[str]:
    """Return which characters passed because their player is away."""
    away: dict[str, list[Ref]] = {}
    for step in event.took:
        if step.how == "away" and step.who is not None and step.who.name:
            away.setdefault(step.by, []).append(step.who)
    return [phrase("passed-away", scene.names, by=by, who=tuple(who)) for by, who in away.items()]


def _held_lines(event: CheckChanged, scene: Scene, *, over: bool) -> list[str]:
    """Return the line with the players who want a say before the check is final."""
    if over or not event.held_by:
        return []
    who = Markdown(listing([scene.names.name(person) for person in event.held_by]))
    return [say(Text("wants-a-say", {"who": who, "count": len(event.held_by)}))]


# --- who decides ----------------------------------------------------------------------------------


def _waiting_text(awaited: PromptView, event: CheckChanged, scene: Scene) -> str:
    """Return who decides what, and until when."""
    when = "" if awaited.due is None else timestamp_text(awaited.due)
    if awaited.reacts:
        stake = stake_text(awaited)
        decision = f"{stake}." if stake else _decision_text(awaited, event, scene)
        return f"{decision} Final {when}." if when else decision
    if awaited.prompt in HARMING_PROMPTS and awaited.people:
        who = _player_names(awaited, scene)
        decision = say(Text("decides-harm", {"who": who, "count": _count_deciders(awaited)}))
        return f"{decision} Due {when}." if when else decision
    about = {"who": Markdown(awaited_names(awaited)), "when": Markdown(when)}
    return say(Text("check-waits", about))


def _decision_text(awaited: PromptView, event: CheckChanged, scene: Scene) -> str:
    """Return who decides about open dice, and with what where the number is known."""
    if not awaited.people:
        return say(Text("decides", {"who": Text("the-gm"), "count": 1}))
    deciders = {"who": _player_names(awaited, scene), "count": _count_deciders(awaited)}
    spend = "" if awaited.away else spend_text(scene, deciders)
    if spend and _is_open_result(event) and rolled_themselves(awaited, event):
        return spend
    return say(Text("decides", deciders))


def spend_text(scene: Scene, deciders: Mapping[str, Value]) -> str:
    """Return what can be spent on open dice by the table's rules; empty for nothing."""
    code = f"spend-or-keep-{scene.state.settings.system}"
    if code not in TEMPLATES:
        return ""
    return say(Text(f"spend-or-keep-{scene.state.settings.system}", deciders))


def _player_names(awaited: PromptView, scene: Scene) -> Markdown:
    """Return the players who decide; the GM decides for those who are away."""
    names = [scene.names.name(person) for person in awaited.people if person not in awaited.away]
    if awaited.away:
        names.append(say(Text("the-gm")))
    return Markdown(listing(names))


def _count_deciders(awaited: PromptView) -> int:
    return len({*awaited.people} - {*awaited.away}) + bool(awaited.away)


def _is_open_result(event: CheckChanged) -> bool:
    """Return whether every player sees what the roll is measured against."""
    verdict = first_verdict(event.blocks)
    if verdict is None or (verdict.numbers and verdict.numbers.code == "check-numbers-hidden"):
        return False
    values = [fact.value for fact in difficulty_facts(event.blocks)]
    return not any(
        isinstance(value, Text) and value.code == "hidden-difficulty" for value in values
    )


def rolled_themselves(awaited: PromptView, event: CheckChanged) -> bool:
    """Return whether only the check's own characters are asked."""
    return all(who in (event.actor, event.target) for who in awaited.who)


def stake_text(awaited: PromptView) -> str:
    """Return what a waiting player has to do, and what is at stake; empty if there is no text."""
    code = f"calls-{awaited.button}"
    if not awaited.reacts or not awaited.who or code not in TEMPLATES:
        return ""
    return say(Text(code, {"who": awaited.who}))
