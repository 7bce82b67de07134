"""Headlines of checks: the deed, the call, the roll or the verdict, and the lines below."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeGuard

from bot.presenters.blocks import block_pieces, next_roll, verdict_text
from bot.presenters.language import limits
from bot.presenters.language.text import (
    Markdown,
    listing,
    ref_text,
    sentence,
    user_text,
    with_capital,
)
from bot.presenters.language.words import TEMPLATES, label_text, say, say_bare, value_text
from bot.presenters.layout import Body
from rules.table.blocks import (
    Block,
    Fact,
    Note,
    Quote,
    Roll,
    Text,
    Value,
    Verdict,
    first_verdict,
)
from rules.table.check import REACT
from rules.table.events import CheckChanged, PromptView

#: Label of the answer that leaves dice as they are.
ACCEPT_LABEL: Final = label_text("answer-stand")
#: Code of the button that rolls.
ROLL_BUTTON: Final = "answer-roll"
#: Confirmation of a message that isn't edited again when the GM has answered.
SENT_TO_GM: Final = say(Text("check-sent"))
#: Most letters of an approach that a call or a list quotes.
SNIPPET_LENGTH: Final = 80


# --- who is awaited -------------------------------------------------------------------------------


def is_awaited(awaited: PromptView) -> bool:
    """Return whether a prompt waits for an answer; an offer doesn't."""
    return bool(awaited.who or awaited.people or awaited.gms)


def first_awaited(event: CheckChanged) -> PromptView | None:
    """Return the prompt that waits for an answer before all others."""
    return next((prompt for prompt in event.asked if is_awaited(prompt)), None)


def reaction_window(event: CheckChanged) -> PromptView | None:
    """Return the open prompt for reactions to dice."""
    return next(
        (prompt for prompt in event.asked if prompt.reacts and is_awaited(prompt)),
        None,
    )


def awaited_names(awaited: PromptView) -> str:
    """Return the names of the characters that a prompt waits for, the GMs last."""
    names = [ref_text(who) for who in awaited.who if who.name]
    if awaited.gms:
        names.append(say(Text("the-gm")))
    return listing(names) or "somebody"


def button_label(awaited: PromptView, blocks: Iterable[Block] = ()) -> str:
    """Return the label of a prompt's own button; empty if it has none.

    `blocks` tell how many dice the button rolls.
    """
    if awaited.button is None:
        return ""
    ahead = next_roll(blocks) if awaited.button == ROLL_BUTTON else None
    return say_bare(Text(awaited.button, {} if ahead is None else {"die": ahead.value}))


def pass_label(prompt: str) -> str:
    """Return the label of the answer that adds nothing: accept the dice, or pass before a roll."""
    return ACCEPT_LABEL if prompt == REACT else say(Text("answer-pass"))


# --- facts of a check -----------------------------------------------------------------------------


def facts_of(blocks: Iterable[Block], code: str) -> tuple[Fact, ...]:
    """Return the facts with this code."""
    return tuple([block for block in blocks if isinstance(block, Fact) and block.what.code == code])


def difficulty_facts(blocks: Iterable[Block]) -> tuple[Fact, ...]:
    """Return the facts that name the difficulty."""
    return facts_of(blocks, "check-difficulty")


def is_gm_question(block: Block) -> TypeGuard[Quote]:
    """Return whether a block quotes a question of the GM."""
    return (
        isinstance(block, Quote)
        and block.label is not None
        and block.label.code == "check-question"
    )


def quoted_approach(event: CheckChanged) -> str:
    """Return a player's own words of how the check is done, in quotes; empty without any."""
    quotes = [block for block in event.blocks if isinstance(block, Quote)]
    typed = next((quote.text for quote in quotes if quote.label is None), "")
    return f"“{user_text(limits.clip(typed, SNIPPET_LENGTH))}”" if typed.strip() else ""


def used_effect(event: CheckChanged) -> Value:
    """Return the name of the effect that is used, for systems whose checks have one."""
    rolled_with = facts_of(event.blocks, "check-with")
    return _effect_of(rolled_with[0]) if rolled_with else None


def _effect_of(fact: Fact) -> Value:
    return fact.value.params.get("effect") if isinstance(fact.value, Text) else None


def with_effect_apart(event: CheckChanged) -> list[Block]:
    """Return a check's blocks with the effect that is used apart from what is rolled.

    The effect has a label of its own; a deed against another character names it already.
    """
    blocks: list[Block] = []
    for block in event.blocks:
        if isinstance(block, Fact) and block.what.code == "check-with":
            effect = _effect_of(block)
            if effect is not None and value_text(effect) == value_text(block.value):
                if event.target is not None:
                    continue
                block = block.replace(what=Text("check-effect"))
        blocks.append(block)
    return blocks


# --- deeds ----------------------------------------------------------------------------------------


def deed_text(event: CheckChanged) -> str:
    """Return who does what to whom, unless the system says it in blocks of its own."""
    alone = event.target in (None, event.actor) and f"does-{event.kind}-oneself" in TEMPLATES
    code = f"does-{event.kind}-oneself" if alone else f"does-{event.kind}"
    if code in TEMPLATES:
        about = {"actor": event.actor, "target": event.target, "effect": used_effect(event)}
        return say(Text(code, about))
    both = (event.actor, event.target)
    return listing([ref_text(ref) for ref in both if ref is not None])


def deed_line(event: CheckChanged) -> str:
    """Return who does what, and with what, as a line of a list."""
    deed = deed_text(event) or "A check"
    rolled_with = facts_of(event.blocks, "check-with")
    if not rolled_with or event.target is not None:
        return deed
    used = _without_effect(value_text(rolled_with[0].value), used_effect(event))
    return f"{deed}, {used}" if used else deed


def _without_effect(used: str, effect: Value) -> str:
    """Return what is rolled without the effect, which the deed names already."""
    if effect is None:
        return used
    return used.removeprefix(value_text(effect)).removeprefix(", ")


# --- headlines ------------------------------------------------------------------------------------


def headline(event: CheckChanged, *, over: bool, ages: bool = False) -> tuple[str, list[Block]]:
    """Return what matters most about a check in a line, and the blocks that it doesn't say.

    A headline that `ages` is never edited again, so it doesn't name whom the check waits for.
    """
    blocks = list(event.blocks)
    verdict = first_verdict(event.blocks)
    if verdict is not None:
        return _verdict_headline(event, verdict, blocks, over=over)
    if over:
        return _final_headline(event, blocks, ages=ages)
    awaited = first_awaited(event)
    if awaited is None:
        return deed_text(event) or "A check", blocks
    if awaited.gms and not awaited.who:
        return _gm_headline(event, awaited, ages=ages), blocks
    rolled = roll_headline(event, blocks)
    if rolled is None:
        rolled = call_headline(awaited, blocks, event, quotes=False)
    head, rest = rolled
    return with_capital(head), rest


def _verdict_headline(
    event: CheckChanged, verdict: Verdict, blocks: list[Block], *, over: bool
) -> tuple[str, list[Block]]:
    """Return the verdict and the blocks below it; its numbers tell the difficulty too."""
    so_far = not over and reaction_window(event) is not None
    said: list[Block] = [verdict]
    if verdict.numbers is not None:
        said += difficulty_facts(blocks)
    said_ids = {id(block) for block in said}
    rest = [block for block in blocks if id(block) not in said_ids]
    return verdict_text(verdict, so_far=so_far), rest


def _final_headline(
    event: CheckChanged, blocks: list[Block], *, ages: bool
) -> tuple[str, list[Block]]:
    """Return the headline of a finished check without a verdict, and the blocks below it."""
    if event.step == "ended":
        return say(Text("check-ended")), blocks
    for note in blocks:
        if isinstance(note, Note) and note.text.code == "check-rolled-blind":
            rest: list[Block] = [block for block in blocks if block is not note]
            if ages:
                # Players needn't read again what they wrote.
                rest = [block for block in rest if not isinstance(block, Quote)]
            return say(note.text), rest
    said = _last_step_text(event)
    return sentence(said)[:-1] if said else say(Text("check-over")), blocks


def _last_step_text(event: CheckChanged) -> str:
    for step in reversed(event.took):
        if step.said is not None:
            if step.said.code == "answer-withdraw":
                by = "gms" if step.who is None else "owner"
                return say(Text("done-withdraw", {"by": by}))
            return say(step.said)
    return "" if event.said is None else say(event.said)


def _gm_headline(event: CheckChanged, awaited: PromptView, *, ages: bool) -> str:
    """Return that a check waits for the GM, or for an aging message that it was sent."""
    if ages:
        return say(Text("check-your-call")) if event.audience.gms else SENT_TO_GM
    if f"gm-{awaited.button}" in TEMPLATES:
        return say(Text(f"gm-{awaited.button}"))
    return say(Text("check-waits-gm"))


def roll_headline(event: CheckChanged, blocks: list[Block]) -> tuple[str, list[Block]] | None:
    """Return the total of open dice without a verdict, or whose dice they are and for what.

    With it come the blocks that it doesn't say. None if no dice are open to reactions.
    """
    rolls = [block for block in blocks if isinstance(block, Roll) and block.who is not None]
    if not rolls or reaction_window(event) is None:
        return None
    total = next((roll.result for roll in rolls if roll.who == event.actor), None)
    if isinstance(total, Text):
        total = total.params.get("total", total)
    # Of several characters who roll for the same thing no total stands for all.
    if event.target is not None or (len(rolls) == 1 and isinstance(total, int)):
        if total is None:
            return None
        return say(Text("so-far-total", {"who": event.actor, "total": total})), blocks
    rolled_with = facts_of(blocks, "check-with")[:1]
    if not rolled_with:
        return deed_text(event), blocks
    names = dict.fromkeys(ref_text(roll.who) for roll in rolls if roll.who)
    head = f"{listing([*names])}: {value_text(rolled_with[0].value)}"
    return head, [block for block in blocks if block not in rolled_with]


def call_headline(
    awaited: PromptView, blocks: list[Block], event: CheckChanged, *, quotes: bool = True
) -> tuple[str, list[Block]]:
    """Return what an awaited character has to do, and the blocks that this doesn't say.

    With `quotes` it has the acting player's own words too.
    """
    if awaited.button in (ROLL_BUTTON, "answer-evade"):
        return _roll_call_headline(awaited, blocks, event)
    who = {"who": awaited.who}
    code = f"calls-{awaited.button}"
    if code in TEMPLATES:
        attacker = _attacker_params(awaited, event, quotes=quotes)
        return say(Text(code, {**who, **attacker})), blocks
    names, label = awaited_names(awaited), button_label(awaited)
    if not label:
        return say(Text("check-waits", {"who": Markdown(names)})), blocks
    if awaited.gms:
        return f"{names}: {label}", blocks
    return f"{names}, {label[:1].lower()}{label[1:]}", blocks


def _roll_call_headline(
    awaited: PromptView, blocks: list[Block], event: CheckChanged
) -> tuple[str, list[Block]]:
    """Return who has to roll what against which difficulty, and the other blocks."""
    difficulties = difficulty_facts(blocks)
    value = difficulties[0].value if difficulties else None
    hidden = isinstance(value, Text) and value.code == "hidden-difficulty"
    by = event.actor if awaited.button == "answer-evade" else None
    about: dict[str, Value] = {"who": awaited.who, "by": by}
    ahead = next_roll(blocks)
    if ahead is not None:
        about |= {"pool": ahead.value, "chance": ahead.what.params.get("chance")}
    text = Text("calls-roll", {**about, "hidden": hidden, "difficulty": value})
    return say(text), [block for block in blocks if block not in difficulties]


def _attacker_params(awaited: PromptView, event: CheckChanged, *, quotes: bool) -> dict[str, Value]:
    """Return who acts against the asked character, as far as the audience knows.

    With `quotes` also how, in the player's own words.
    """
    has_both = event.actor is not None and event.target is not None
    if not has_both or event.target not in awaited.who or event.actor in awaited.who:
        return {}
    approach = quoted_approach(event) if quotes else ""
    return {
        "by": event.actor,
        "deed": Markdown(deed_text(event)),
        "kind": event.kind,
        "matter": Markdown(approach) if approach else None,
    }


# --- below the headline ---------------------------------------------------------------------------


def lead_lines(
    event: CheckChanged, head: str, blocks: list[Block]
) -> tuple[list[str], list[Block]]:
    """Return the lines below a headline (who acts with what), and the blocks after them.

    A character whom the headline names isn't named again, unless another is the target.
    """
    name = deed_text(event)
    lines: list[str] = []
    count = _count_leading_facts(blocks)
    named = _names_deed(event, head, name)
    for block in blocks[:count]:
        if isinstance(block, Fact) and block.what.code == "check-with" and not lines:
            what = value_text(block.value)
            if not named and name:
                what = _without_effect(what, used_effect(event))
                what = f"{name}: {what}" if what else name
            lines.append(what)
            named = True
        else:
            lines += [piece.text for piece in block_pieces((block,)) if isinstance(piece, Body)]
    if not named and not (event.target is None and any(name in line for line in lines)):
        lines.insert(0, name)
    return lines, _with_unnamed_roll(event, blocks[count:])


def _count_leading_facts(blocks: Sequence[Block]) -> int:
    """Return how many facts stand before the first other block."""
    for at, block in enumerate(blocks):
        if not isinstance(block, Fact):
            return at
    return len(blocks)


def _names_deed(event: CheckChanged, head: str, name: str) -> bool:
    """Return whether a headline says already who does what."""
    if event.target is None:
        begins = head.startswith((f"{name}:", f"{name},", f"{name} "))
    else:
        begins = head.startswith(f"{name}: ")
    if begins or _names_both(event, head):
        return True
    return bool(name) and head in (name, f"{head.partition(':')[0]}: {name}")


def _names_both(event: CheckChanged, head: str) -> bool:
    """Return whether the head of a check without a verdict names who acts and against whom."""
    if event.actor is None or event.target is None or first_verdict(event.blocks) is not None:
        return False
    return ref_text(event.actor) in head and ref_text(event.target) in head


def _with_unnamed_roll(event: CheckChanged, blocks: list[Block]) -> list[Block]:
    """Return the blocks with the actor's name left off the only roll."""
    rolls = [(place, block) for place, block in enumerate(blocks) if isinstance(block, Roll)]
    if len(rolls) == 1 and rolls[0][1].who == event.actor:
        place, roll = rolls[0]
        blocks[place] = roll.replace(who=None)
    return blocks
