"""Messages of roll calls: one for all characters, the pings, details, and sealed texts.

`sg:rolls:<table>:<call>:<verb>` are the controls; the verbs are `roll`, `show`, for readers of a
sealed text `read`, and for GMs `open`, `end`, `drop` and `add`.
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.blocks import verdict_text
from bot.presenters.catalog_cards import card, quote_pieces
from bot.presenters.checks.headlines import (
    difficulty_facts,
    is_awaited,
    reaction_window,
)
from bot.presenters.controls import (
    Button,
    Option,
    Rows,
    Select,
    Style,
    even_rows,
    prompt_id,
    react_id,
)
from bot.presenters.corrections import result_button
from bot.presenters.language.limits import BUTTON_LABEL, SELECT_OPTIONS, clip
from bot.presenters.language.text import Markdown, bare_text, listing, name_text, ref_text
from bot.presenters.language.words import label_text, phrase, value_text
from bot.presenters.layout import Body, Gap, Layout, build_layout, rows_of
from bot.presenters.names import event_mentions
from bot.presenters.scene import Scene
from rules.core.record import Record
from rules.table.blocks import Ref, Text, first_verdict
from rules.table.events import (
    CheckChanged,
    PromptView,
    RollCallChanged,
    RollCallLine,
    SealRead,
)
from rules.table.roll_calls.roll_call import RollCall, unread_checks
from rules.table.system import Game


def roll_call_id(table_id: int, call: str, verb: str) -> str:
    """Return the id of a control of a roll call."""
    return f"sg:rolls:{table_id}:{call}:{verb}"


def roll_call_card(event: RollCallChanged, scene: Scene) -> Layout:
    """Return the message of a roll call, with a line for each character in the order of the call.

    It's the same with a sealed text and without one.
    """
    small = ""
    if event.until is not None:
        # The entry's number follows on the same line.
        until = phrase("roll-call-until", until=event.until, rolls=event.rolls)
        small = until.removesuffix(".")
    is_open = any(not line.view.over for line in event.lines)
    return build_layout(
        "open" if is_open else "waiting",
        _title(event.traits, event.lines),
        *quote_pieces(event.text),
        Body("\n".join(map(_line_text, event.lines))),
        small=small,
        rows=(_buttons(event, scene),),
    )


def _buttons(event: RollCallChanged, scene: Scene) -> tuple[Button, ...]:
    show = _details_button(event, scene)
    if not any(_is_missing(line) for line in event.lines):
        return (show,)
    id = roll_call_id(scene.table_id, event.call, "roll")
    return Button(id, label_text("roll-call-roll"), "primary"), show


def _details_button(event: RollCallChanged, scene: Scene) -> Button:
    return Button(roll_call_id(scene.table_id, event.call, "show"), label_text("roll-call-show"))


def _is_missing(line: RollCallLine) -> bool:
    return not line.rolled and not line.view.over


def _title(traits: Sequence[str], lines: Sequence[RollCallLine]) -> str:
    """Return what is rolled, and against what, as everybody may know it."""
    views = [line.view for line in lines]
    return phrase("roll-call", what=_rolled_with(traits), **_difficulty(views))


def _rolled_with(traits: Sequence[str]) -> Markdown | None:
    """Return the traits that are rolled with; None if they aren't the same for all."""
    return Markdown(listing(map(name_text, traits))) if traits else None


def _difficulty(views: Sequence[CheckChanged]) -> dict[str, Markdown | bool | None]:
    """Return the difficulty of the checks, if a check still shows it by itself."""
    for view in views:
        facts = difficulty_facts(view.blocks)
        if not facts:
            continue
        value = facts[0].value
        hidden = isinstance(value, Text) and value.code == "hidden-difficulty"
        return {"difficulty": None if hidden else Markdown(value_text(value)), "hidden": hidden}
    return {"difficulty": None, "hidden": False}


def _line_text(line: RollCallLine) -> str:
    """Return a character's name, and how far its check is."""
    who = Ref() if line.view.actor is None else line.view.actor
    result = Markdown(_result_text(line))
    # Events from before `how` was stored know only the clock.
    how = "clock" if line.by_clock else line.how
    return phrase("roll-call-line", who=Markdown(ref_text(who)), result=result, how=how)


def _result_text(line: RollCallLine) -> str:
    view = line.view
    verdict = first_verdict(view.blocks)
    if verdict is not None:
        so_far = not view.over and reaction_window(view) is not None
        return verdict_text(verdict, so_far=so_far)
    status = "missing"
    if line.rolled:
        status = "rolled"
    elif view.over:
        status = "over"
    return phrase("roll-call-status", status=status, lacks=line.lacks)


# --- pings ----------------------------------------------------------------------------------------


def roll_call_ping(event: RollCallChanged, scene: Scene) -> Layout:
    """Return the message that calls players to a roll call, or GMs to one of its checks."""
    called = event_mentions(event, scene)
    missing = _called_names(event, missing=True)
    others = _called_names(event, missing=False)
    views = [line.view for line in event.lines]
    text = phrase(
        "roll-call-ping",
        missing=missing,
        others=others,
        what=_rolled_with(event.traits),
        again=event.again,
        **_difficulty(views),
    )
    end = []
    if event.until is not None and missing:
        end.append(phrase("roll-call-until", until=event.until, rolls=event.rolls))
    text = " ".join((text, *end, *_absences(event, scene)))
    if missing:
        buttons = _buttons(event, scene)
    else:
        buttons = _check_buttons(event, scene)
    call = f"{called.text}, {text}" if called.text else text
    return Layout("open", rows_of(even_rows(buttons)), None, call, called.users, called.roles)


def _check_buttons(event: RollCallChanged, scene: Scene) -> tuple[Button, ...]:
    """Return a button for each check that is to be decided, in place of *Roll*."""
    buttons: list[Button] = []
    for line in event.lines:
        if _calls_to_line(event, line):
            name = clip(_button_name(line), BUTTON_LABEL)
            buttons.append(Button(react_id(scene.table_id, line.view.check), name))
    return (*buttons, _details_button(event, scene))


def _called_names(event: RollCallChanged, *, missing: bool) -> tuple[Ref, ...]:
    """Return the characters whose players an event calls: to roll, or to decide."""
    names: list[Ref] = []
    for line in event.lines:
        view = line.view
        if _is_missing(line) != missing or view.actor is None:
            continue
        if _calls_to_line(event, line):
            names.append(view.actor)
    return tuple(names)


def _calls_to_line(event: RollCallChanged, line: RollCallLine) -> bool:
    """Return whether an event calls a participant to the check of a line."""
    return any(_calls_to(event, prompt) for prompt in _asked(line.view))


def _absences(event: RollCallChanged, scene: Scene) -> list[str]:
    """Return a sentence for each absent player in whose place the GMs are called."""
    if not event.ping_gms:
        return []
    prompts = [prompt for line in event.lines for prompt in _asked(line.view) if prompt.away]
    return [
        f"{phrase('call-away', scene.names, by=prompt.away[0], who=prompt.who)}."
        for prompt in prompts
    ]


def _asked(view: CheckChanged) -> list[PromptView]:
    return [prompt for prompt in view.asked if is_awaited(prompt)]


def _calls_to(event: RollCallChanged, prompt: PromptView) -> bool:
    """Return whether an event calls a participant to a prompt; GMs answer for absent players."""
    of_gms = prompt.gms or bool(prompt.away)
    return bool({*prompt.people} & {*event.ping}) or (of_gms and event.ping_gms)


def roll_call_receipt(
    scene: Scene,
    event: RollCallChanged,
    lines: Sequence[RollCallLine],
    *,
    seals: bool,
    link: str,
) -> Layout:
    """Return the private answer to the GM who has called for a roll.

    *lines* are those of the characters who were called, as the GM sees them; *seals* tells whether
    the call has a sealed text, and *link* is the web address of its message, if it's posted.
    """
    views = [line.view for line in lines]
    names = tuple(view.actor for view in views if view.actor is not None)
    end = None
    if event.until is not None:
        end = Markdown(phrase("roll-call-until", until=event.until, rolls=event.rolls))
    return card(
        "own",
        "roll-call-made",
        scene.names,
        *quote_pieces(event.text),
        rows=((_details_button(event, scene),),),
        who=names,
        count=len(names),
        what=_rolled_with(event.traits),
        end=end,
        seals=seals,
        link=Markdown(link) if link else None,
        difficulty=_difficulty(views)["difficulty"],
        hidden=_difficulty([line.view for line in event.lines])["hidden"],
    )


# --- for one reader -------------------------------------------------------------------------------


def own_rolls_card(scene: Scene, checks: Sequence[tuple[str, str, int, str]]) -> Layout:
    """Return the choice between a reader's characters who have still to roll.

    *checks* holds the id of each check, its prompt and its number, and the character's name.
    """
    buttons = [
        Button(prompt_id(scene.table_id, check, number, prompt), clip(name, BUTTON_LABEL))
        for check, prompt, number, name in checks
    ]
    return card("own", "roll-call-own", scene.names, rows=even_rows(buttons))


class GmDetails(Record):
    """What only GMs see of a roll call, by the names of characters."""

    #: Characters whose players may read the sealed text, and those whose players have.
    entitled: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    #: Ids and names of the characters that can still be called.
    others: tuple[tuple[str, str], ...] = ()


def roll_call_details(
    scene: Scene,
    call: RollCall,
    lines: Sequence[RollCallLine],
    *,
    unread: bool,
    gm: GmDetails | None,
) -> Layout:
    """Return a roll call as one reader sees it, with a button for each check.

    *unread* tells whether the sealed text waits for the reader; *gm* is what GMs see besides, None
    for players.
    """
    buttons = [
        Button(react_id(scene.table_id, line.view.check), clip(_button_name(line), BUTTON_LABEL))
        for line in lines
    ]
    parts: list[str | Body | Gap] = [Body("\n".join(map(_line_text, lines)))]
    rows = even_rows(buttons)
    if unread:
        rows = ((seal_button(scene, call.id),), *rows)
    if gm is not None:
        if call.seal:
            about = phrase("seal-for", who=gm.entitled, read=gm.read, opened=call.opened)
            parts += [Gap(), Body(about), *quote_pieces(call.seal)]
        rows = (*rows, *_gm_rows(scene, call, lines, gm))
    accent = "own" if gm is None else "gm"
    return build_layout(accent, _title(call.traits, lines), *parts, rows=rows)


def _gm_rows(scene: Scene, call: RollCall, lines: Sequence[RollCallLine], gm: GmDetails) -> Rows:
    """Return a GM's controls of a call.

    They end it early, tell its sealed text, correct what has been rolled, and call more characters.
    """

    def button(verb: str, label: str, style: Style = "secondary") -> Button:
        return Button(roll_call_id(scene.table_id, call.id, verb), label, style)

    buttons: list[Button] = []
    if any(map(_is_missing, lines)):
        buttons.append(button("end", label_text("roll-call-end")))
        buttons.append(button("drop", label_text("roll-call-drop")))
    if call.seal and not call.opened:
        buttons.append(button("open", label_text("seal-open")))
    if any(line.rolled for line in lines):
        buttons.append(result_button(scene.table_id, call.id))
    rows: Rows = (tuple(buttons),) if buttons else ()
    if gm.others:
        options = tuple(Option(key, clip(name, BUTTON_LABEL)) for key, name in gm.others)
        menu = roll_call_id(scene.table_id, call.id, "add")
        rows = (*rows, (Select(menu, label_text("roll-call-add"), options[:SELECT_OPTIONS]),))
    return rows


def _button_name(line: RollCallLine) -> str:
    return bare_text("" if line.view.actor is None else line.view.actor.name)


def seal_card(event: SealRead) -> Layout:
    """Return a sealed text for the player whose character has succeeded."""
    return card("own", "seal-read", None, *quote_pieces(event.text), name=event.name)


def seal_button(scene: Scene, call: str) -> Button:
    """Return the button with which a player reads the sealed text of a call."""
    return Button(roll_call_id(scene.table_id, call, "read"), label_text("seal-show"), "primary")


def seal_lines(scene: Scene, game: Game, calls: Sequence[RollCall]) -> list[tuple[str, Button]]:
    """Return a line of `/moves` for each sealed text that the game's actor hasn't read."""
    lines: list[tuple[str, Button]] = []
    for call in calls:
        unread = unread_checks(game, call, game.actor.id)
        if unread:
            names = tuple(game.character(check.actor).name for check in unread)
            lines.append((phrase("seal-to-do", names=names), seal_button(scene, call.id)))
    return lines
