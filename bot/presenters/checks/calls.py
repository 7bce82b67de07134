"""Calls: the short messages that ping players or GMs for a check.

A call is an ordinary message, because the notification of a layout is empty.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.checks.headlines import (
    SNIPPET_LENGTH,
    button_label,
    call_headline,
    deed_text,
    headline,
    is_awaited,
    is_gm_question,
    quoted_approach,
)
from bot.presenters.checks.messages import (
    ANSWER_LABEL,
    HARMING_PROMPTS,
    REACT_LABEL,
    choice_button,
    rolled_themselves,
    spend_text,
    stake_text,
)
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Rows,
    more_time_button,
    prompt_id,
    react_id,
)
from bot.presenters.language import limits
from bot.presenters.language.text import Markdown, ref_text, user_text
from bot.presenters.language.words import phrase, say
from bot.presenters.layout import Layout, rows_of
from bot.presenters.names import event_mentions
from bot.presenters.scene import Scene
from rules.table.blocks import Ref, Roll, Text, Verdict, first_verdict
from rules.table.events import CheckChanged, PromptView


def call_card(event: CheckChanged, scene: Scene) -> Layout:
    """Return the message that calls players or GMs to a check."""
    called = event_mentions(event, scene)
    again = "reminder: " if event.step in ("reminded", "stalled") else ""
    prompts = [prompt for prompt in event.asked if is_awaited(prompt)]
    if event.ping_gms and not (event.step == "stalled" and event.ping):
        head, rows = _gm_call(prompts, event, scene)
    else:
        head, rows = _player_call(prompts, event, scene)
    if event.step == "stalled":
        head += f". {_stalled_text(event)}"
    return Layout(
        "open", rows_of(rows), None, f"{called.text}, {again}{head}", called.users, called.roles
    )


def with_call(card: Layout, event: CheckChanged, scene: Scene) -> Layout:
    """Return a message that not everyone sees, with the call for it."""
    if not event.ping and not event.ping_gms:
        return card
    call = call_card(event, scene)
    return card.replace(call=call.call, mentions=call.mentions, role_mentions=call.role_mentions)


def _stalled_text(event: CheckChanged) -> str:
    """Return what the last reminder adds: who can go on now."""
    who: list[Ref] = []
    for prompt in event.asked:
        if {*prompt.people} & {*event.ping}:
            who += prompt.who
    return say(Text("calls-stalled", {"who": tuple(who)}))


# --- calls of GMs ---------------------------------------------------------------------------------


def _gm_call(prompts: Sequence[PromptView], event: CheckChanged, scene: Scene) -> tuple[str, Rows]:
    """Return what a call says to the GMs, and its button."""
    head, _ = headline(event, over=False)
    if first_verdict(event.blocks) is None:
        head = gm_call_text(event) or head
    for prompt in prompts:
        if prompt.gms:
            id = prompt_id(scene.table_id, event.check, prompt.number, prompt.prompt)
            return head, ((Button(id, button_label(prompt) or ANSWER_LABEL, "primary"),),)
    for prompt in prompts:
        if prompt.away:
            absence = phrase("call-away", scene.names, by=prompt.away[0], who=prompt.who)
            button = Button(react_id(scene.table_id, event.check), ANSWER_LABEL, "primary")
            return f"{head}. {absence}" if head else absence, ((button,),)
    return head, ()


def gm_call_text(event: CheckChanged) -> str:
    """Return what the GM has to answer; empty for a check without an actor and a name."""
    deed, approach = deed_text(event), quoted_approach(event)
    if not deed:
        return ""
    if event.actor is None or deed != ref_text(event.actor):
        about = {"deed": Markdown(deed), "idea": Markdown(approach)}
        return say(Text("check-call-deed", about))
    return say(Text("check-call-actor", {"who": Markdown(deed), "idea": Markdown(approach)}))


# --- calls of players -----------------------------------------------------------------------------


def _player_call(
    prompts: Sequence[PromptView], event: CheckChanged, scene: Scene
) -> tuple[str, Rows]:
    """Return what a call says to players, and its buttons."""
    for prompt in prompts:
        if set(prompt.people) & set(event.ping):
            text = _with_end(_player_call_text(prompt, event, scene), prompt, event)
            rows: Rows = (_player_call_buttons(prompt, event, scene),)
            if event.step == "reminded" and prompt.more_time:
                more = more_time_button(scene.table_id, event.check, prompt.number, prompt.prompt)
                rows = (*rows, (more,))
            return text, rows
    return headline(event, over=False)[0], ()


def _with_end(text: str, prompt: PromptView, event: CheckChanged) -> str:
    """Return a call with the time until which it can be answered, and what happens then.

    That stands last: the first letters say who is called, to what, and what is at stake.
    """
    if prompt.due is None or event.step == "stalled" or not text:
        return text
    end = say(Text("calls-until", {"due": prompt.due, "default": prompt.default}))
    return f"{text} {end}" if text.endswith((".", "?", "!", "”")) else f"{text}. {end}"


def _player_call_buttons(
    prompt: PromptView, event: CheckChanged, scene: Scene
) -> tuple[Button, ...]:
    """Return a button for each choice, for the answer, or the neutral one."""
    id = prompt_id(scene.table_id, event.check, prompt.number, prompt.prompt)
    if prompt.choices:
        return tuple(choice_button(id, choice) for choice in prompt.choices[:BUTTONS_PER_ROW])
    if label := button_label(prompt, event.blocks):
        return (Button(id, limits.clip_label(label, limits.BUTTON_LABEL), "primary"),)
    return (Button(react_id(scene.table_id, event.check), REACT_LABEL, "primary"),)


def _player_call_text(prompt: PromptView, event: CheckChanged, scene: Scene) -> str:
    """Return what a player is called for: what is at stake, the result, or what to do."""
    head, _ = headline(event, over=False)
    verdict = first_verdict(event.blocks)
    if stake := stake_text(prompt):
        return stake if verdict is None else f"{head}. {stake}"
    if prompt.reacts:
        return _reaction_call(prompt, event, scene) or head
    if prompt.prompt in HARMING_PROMPTS:
        return say(Text("calls-harm", {"who": prompt.who}))
    if prompt.prompt == "cancel":
        return say(Text("calls-cancel", {"who": event.actor}))
    return head if verdict is not None else _deed_call(prompt, event, head)


def _deed_call(prompt: PromptView, event: CheckChanged, head: str) -> str:
    """Return the call to do something in a check without a verdict; `head` is its headline."""
    deed = deed_text(event)
    if button_label(prompt):
        head, _ = call_headline(prompt, [*event.blocks], event)
    else:
        head = deed or head
    by = event.actor
    if by is not None and by not in prompt.who and ref_text(by) not in head:
        # The check is about another character's deed.
        approach = quoted_approach(event)
        deed = f"{deed}: {approach}" if approach else deed
        head = f"{deed}. {head}."
    question = next(filter(is_gm_question, event.blocks), None)
    if question is not None and prompt.button == "answer-reply":
        head += f": “{user_text(limits.clip(question.text, SNIPPET_LENGTH))}”"
    return head


def _reaction_call(prompt: PromptView, event: CheckChanged, scene: Scene) -> str:
    """Return the call to decide about open dice; empty if the check's message says it already."""
    if not rolled_themselves(prompt, event):
        deed = deed_text(event)
        return say(Text("calls-say", {"deed": Markdown(deed)})) if deed else ""
    spend = spend_text(scene, {})
    has_roll = any(isinstance(block, Roll) for block in event.blocks)
    who = next(iter(prompt.who), None)
    if who is None or not spend or not has_roll:
        return ""
    verdict = first_verdict(event.blocks)
    if verdict is not None and who == event.actor:
        result = _own_result_text(event, verdict, who)
        if result:
            return f"{result} {spend}"
    head, _ = headline(event, over=False)
    return f"{head}. {spend}"


def _own_result_text(event: CheckChanged, verdict: Verdict, who: Ref) -> str:
    """Return the called character's own total and margin; empty for a verdict without numbers."""
    if verdict.numbers is None:
        return ""
    numbers = verdict.numbers.params
    total, number = numbers.get("total"), numbers.get("number")
    if not isinstance(total, int):
        return ""
    margin = abs(total - number) if isinstance(number, int) else None
    about = {
        "who": who,
        "total": total,
        "hidden": margin is None,
        "kind": event.kind,
        "worked": verdict.tone == "good" if verdict.worked is None else verdict.worked,
        "by": margin or None,
    }
    return say(Text("calls-react", about))
