"""Refusals in sentences that say what is wrong and what to do: everything that systems share."""

from __future__ import annotations

import re
from typing import Final

from bot.presenters.text import Said, Template, listing, plural

_MENTION = re.compile(r"<@[!&]?[0-9]+>")
_MOVED: Final[dict[str, str]] = {
    "proposed": "the proposal has changed",
    "answered": "the GM has answered",
    "rolled": "the dice have been rolled",
    "settled": "it is settled",
    "withdrawn": "it was withdrawn",
}


def _moved_on(said: Said) -> str:
    happened = _MOVED.get(str(said.raw("status")), "it has changed")
    return (
        f"Meanwhile {happened}. Use the buttons of its latest message, or see /moves for what you can do now."
    )


def _allowed(said: Said, start: str = "Possible are") -> str:
    return f" {start}: {said.either('allowed')}." if said.items("allowed") else ""


def _there_are(said: Said) -> str:
    """What may be chosen, where the way to mend it does not say so anyway."""
    return "" if "fix" in said or not said.items("allowed") else f"; there are {said.either('allowed')}"


def _owner_only(said: Said) -> str:
    if said.raw("owner") is None:
        return f"{said['character']} belongs to the GMs, so only a GM may do that."
    return f"{said['character']} is the character of {said.person('owner')}, and only they may do that."


def _unknown_character(said: Said) -> str:
    start = f"You have no character {said.quoted()} to act with here."
    return start if said.items("nearest") else f"{start} /character list shows who there is."


def _too_long(said: Said) -> str:
    if "fix" in said:
        return f"too long, with {said['length']} characters"
    if "highest" in said:
        return f"too long: {said['length']} characters, and {said['highest']} are the most"
    return f"too long: {said['value']} characters; {said['allowed']} fit"


def _out_of_range(said: Said) -> str:
    if "fix" in said:
        return f"{said['value']} does not fit"
    if "highest" in said:
        return (
            f"{said['value']} is not possible; it goes from {said.text('lowest')} to {said.text('highest')}"
        )
    return f"{said['value']} is not possible; {said.text('lowest')} is the least"


def _too_many_entries(said: Said) -> str:
    return f"too many entries: {said['value']}, and {said['highest']} are the most"


def _unknown_field(said: Said) -> str:
    if said.items("nearest"):
        return "there is no such field"
    return f"there is no such field; there are {said.text('allowed')}"


def _bad_duration(said: Said) -> str:
    return (
        f"{said.option()} has to lie between {said['allowed'].replace(' to ', ' and ')}; 0 switches it off."
    )


def _cannot_undo(said: Said) -> str:
    if "value" not in said:
        return "There is nothing left that you could take back. /table last shows the last results."
    return (
        f"Entry #{said['value']} cannot be taken back: it is not there, was taken back before, or changed "
        "nothing. /table last shows the last results."
    )


def _others_first(said: Said) -> str:
    others = said.items("others")
    builds = "builds" if len(others) == 1 else "build"
    return (
        f"Entry #{said['entry']} cannot be taken back alone: {said.text('others')} {builds} on it. "
        "Take those back first, newest first; a GM can also take all of them back together, "
        "with /gm undo and `dependents`."
    )


def _leaders(said: Said) -> str:
    people = said.raw("gms")
    roles = said.raw("roles")
    named = [said.mention(gm) for gm in people] if isinstance(people, tuple) else []
    named += [f"<@&{role}>" for role in roles if role.isdigit()] if isinstance(roles, tuple) else []
    return listing(named) or "somebody"


def _leaky(start: str) -> Template:
    def words(said: Said) -> str:
        whom = said.raw("whom")
        # A mention made by the bot itself: it must stay one.
        who = whom if isinstance(whom, str) and _MENTION.fullmatch(whom) else "Somebody"
        return (
            f"{start.format(whom=who)}, so no secret may go there. "
            "Take the right to view it away, or choose another channel."
        )

    return words


def _name_taken(said: Said) -> str:
    return (
        f"There is already somebody called {said['name']} at this table. Change the name, "
        "or import again with `replace` to give that character a new sheet."
    )


#: For what should never happen.
FAULT: Final = (
    "That is a fault in Storyguide, not yours. What was saved before is safe. See with /table last "
    "whether this "
    "was still carried out, before you do it again. Whoever runs this bot finds more in the log."
)

REFUSALS: Final[dict[str, Template]] = {
    # Who may.
    "gm-only": "Only a GM of this table may do that.",
    "system-only": "Only the clock does that, when the time has come.",
    "owner-only": _owner_only,
    "not-yours-to-undo": (
        "You may take back your own last action only, and #{entry} is not that. A GM can use /gm undo."
    ),
    "undo-drew-dice": "Dice were rolled in #{entry}, so only a GM may take it back, with /gm undo.",
    "undo-revealed": "#{entry} has shown something hidden, so only a GM may take it back, with /gm undo.",
    # Tables, GMs and settings.
    "no-table": (
        "There is no table in this channel. Somebody who may manage channels can open one with /setup."
    ),
    "place-taken": "This channel has a table already: {name}. Use another channel or thread for a new one.",
    "unknown-system": "{quoted} is no system that can be played here. There are: {allowed}.",
    "bad-name": "A table's name has {allowed}; this one does not. Choose another.",
    "bad-duration": _bad_duration,
    "nothing-to-change": "That changes nothing: the table is set like that already. Give another value.",
    "one-change": "Change exactly one thing at a time: add or remove one person or one role.",
    "already-gm": lambda said: f"{said.person('who')} is a GM of this table already.",
    "already-gm-role": lambda said: f"{said.role('role')} leads this table already.",
    "not-a-gm": lambda said: (
        f"{said.person('who')} is not named as a GM of this table. /table show lists who is."
    ),
    "not-a-gm-role": lambda said: (
        f"{said.role('role')} is not a GM role of this table. /table show lists those that are."
    ),
    "last-gm": lambda said: (
        f"{said.person('who')} is the last GM, and a table needs one. "
        "Add somebody else first with /gm members."
    ),
    "too-many-gms": "A table can name {most} GMs and GM roles at most. Remove one first with /gm members.",
    # Characters.
    "no-character": "You have no character at this table yet. Bring one in with /character import.",
    "unknown-character": _unknown_character,
    "ambiguous-character": "{quoted} could be {allowed}. Write more of the name.",
    "which-character": (
        "You have several characters here: {allowed}. Say with the option `as` who acts, "
        "or choose one for good with /character use."
    ),
    "already-active": "You act as {value} already.",
    "name-taken": _name_taken,
    "table-full": "This table holds {most} characters, and that is as many as it can.",
    "too-many-characters": (
        "One person can have {most} characters at a table, and that many are here already."
    ),
    # Files that are imported.
    "file-too-large": "The file is too large. A character comes in a file of {allowed}.",
    "not-text": "The file cannot be read as text. Save it as {allowed} and attach it again.",
    "not-json": lambda said: (
        f"The file is not valid JSON: line {said.number('line')}, column {said.number('column')} "
        f"does not fit. "
        "A comma or a bracket is often missing just before."
    ),
    "odd-json": (
        "The file cannot be read: it nests too deeply, or holds a number with thousands of digits. "
        "A character needs neither."
    ),
    "not-an-object": "The file has to hold {allowed}: everything between one pair of braces.",
    # Rights and channels of the server.
    "needs-manage-channels": "Opening a table needs the right to manage channels on this server.",
    "needs-manage-server": "Taking a table over needs the right to manage this server.",
    "no-bots": "A bot cannot take part in the game. Name {allowed}.",
    "not-a-member": "That person is not on this server. Name {allowed}.",
    "not-everyone": "Everybody on the server has that role. Name {allowed}.",
    "table-has-gm": lambda said: (
        f"This table still has a GM here: {_leaders(said)}. It can be taken over only when all of them "
        "have left the server."
    ),
    "gm-channel-gone": "That channel is not there any more. Choose another.",
    "gm-channel-not-text": "Secrets can go to an ordinary text channel of this server only. Choose one.",
    "gm-channel-everyone": _leaky("Everybody can read that channel"),
    "gm-channel-role": _leaky("{whom} can read that channel and is no GM role of this table"),
    "gm-channel-member": _leaky("{whom} can read that channel and is no GM of this table"),
    "gm-channel-bot-cannot": (
        "Storyguide cannot read that channel, write in it, or embed links there. "
        "Give it those rights, or choose another channel."
    ),
    # Faults, buttons and panels.
    "unexpected": FAULT,
    "not-for-you": "That is meant for somebody else.",
    "not-your-panel": "That panel belongs to somebody else. Open your own with /check or with React.",
    "panel-gone": (
        "That panel is not there any more. Open a new one with /check, or with the buttons of the check."
    ),
    "panel-sent": "That proposal has been sent. Open a new panel with /check, or change it with React.",
    "unknown-control": (
        "That button means nothing any more. Use those of the latest message, "
        "or see /moves for what you can do now."
    ),
    "not-a-number": "{quoted} is not {allowed}.",
    # Checks.
    "unknown-check": (
        "That check is not here any more: it has been over for long, or it was taken back. "
        "/table show lists what is open."
    ),
    "check-moved-on": _moved_on,
    "wait-over": "That is settled by now.",
    "not-yet-due": "It is not time for that yet.",
    "too-many-checks": (
        "{most} checks are open at this table, and that is as many as it can hold. "
        "Settle or withdraw some first; /moves lists yours."
    ),
    "describe-first": "There is no idea yet, and without one there is no roll: press Describe… and say how.",
    "needs-approach": (
        "A roll needs a proposal: say first how it is done, with Describe in the panel "
        "or with React under the check."
    ),
    "blind-roll": "Only the GMs see these dice, so nothing can be spent on them.",
    "not-answered": "The GM has not answered this proposal yet.",
    "no-difficulty": "A roll needs a difficulty. Give {allowed}.",
    "unknown-difficulty": lambda said: (
        f"{said.quoted()} is no difficulty.{_allowed(said)} A plain number works too."
    ),
    "unknown-attribute": lambda said: (
        f"{said.quoted()} is no attribute."
        + ("" if "fix" in said or said.items("nearest") else " /character show lists those there are.")
    ),
    "ambiguous-attribute": "{quoted} could be {nearest}. Write more of the name.",
    "unknown-trait": "{quoted} is not part of this proposal, so it cannot be refused.",
    "unknown-spend": "{quoted} is nothing that can be spent.",
    "unknown-switch": lambda said: (
        f"{said.quoted()} does not belong in {said.option()}."
        + ("" if said.items("nearest") else _allowed(said))
    ),
    "bad-switch-number": lambda said: (
        f"The number in {said.quoted()} does not fit. Behind the colon goes {said['allowed']}."
    ),
    "switch-twice": (
        "{quoted} comes twice or contradicts another word. Give each word once, with a number if need be, "
        "such as dilemma:2."
    ),
    "empty": lambda said: f"{said.option()} is empty. Write {said['allowed']}.",
    # Taking back.
    "nothing-to-undo": _cannot_undo,
    "undo-others-first": _others_first,
    # Sheets and single values; the field stands in front of them.
    "bad-character": "The sheet cannot be used yet.",
    "too-long": _too_long,
    "out-of-range": _out_of_range,
    "too-many-entries": _too_many_entries,
    "empty-text": "it is empty",
    "unprintable-text": "it holds signs that cannot be shown, such as control characters",
    "wrong-type": lambda said: f"{said.quoted()} is of the wrong kind{_there_are(said)}",
    "missing-field": "it is missing",
    "unknown-field": _unknown_field,
    "duplicate-field": lambda said: f"it is there twice; the first is {said.option('first')}",
    "unknown-die": lambda said: f"{said.quoted()} is no die of an ability{_there_are(said)}",
}

#: Statements about a value: the name of the field stands in front.
FIELD_FIRST: Final = frozenset(
    {
        "too-long", "out-of-range", "too-many-entries", "empty-text", "unprintable-text", "wrong-type",
        "missing-field", "unknown-field", "duplicate-field", "unknown-die",
    }
)  # fmt: skip

FIXES: Final[dict[str, Template]] = {
    "use-object": "Write an object there, with fields in braces",
    "use-list": "Write a list there, in square brackets",
    "use-text": "Write a text there, in quotation marks",
    "use-whole-number": "Write a whole number there, without quotation marks",
    "use-true-or-false": "Write true or false there, without quotation marks",
    "remove-entries": lambda said: f"Take out {plural(said.number('count'), 'entry', 'entries')}",
    "write-something": "Write something there",
    "shorten": lambda said: f"Shorten it to {said['highest']} characters",
    "remove-control-characters": "Type the text anew, on one line and without special signs",
    "choose-in-range": lambda said: f"Choose a number from {said.text('lowest')} to {said.text('highest')}",
    "rename-or-remove": "Rename it or take it out",
    "choose-allowed": lambda said: f"Choose one of these: {said.text('allowed')}",
    "add-field": "Add the field",
}
