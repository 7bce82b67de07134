"""Refusals in sentences that say what is wrong and what to do: everything that systems share."""

from __future__ import annotations

import re
from typing import Final

from bot.presenters.text import Said, Template, listing, plural

_MENTION = re.compile(r"<@[!&]?[0-9]+>")
_MOVED: Final[dict[str, str]] = {
    "proposed": "the proposal has changed",
    "answered": "the GM has answered, or what is rolled was changed",
    "rolled": "the dice have been rolled",
    "hit": "it is a hit",
    "settled": "it is settled",
    "withdrawn": "it was withdrawn",
}


#: Settings that are called otherwise in `/gm settings`.
SETTING_OPTIONS: Final[dict[str, str]] = {
    "window": "window_minutes",
    "remind_after": "remind_hours",
    "hit_window": "hit_hours",
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
        return f"{said['character'] or 'Somebody'} belongs to the GMs, so only a GM may do that."
    return f"{said['character']} is the character of {said.person('owner')}, and only they may do that."


def _unknown_character(said: Said) -> str:
    if said.raw("field") == "target":
        return f"You know of nobody called {said.quoted()} here."
    if said.raw("field") == "as":
        start = f"You have no character {said.quoted()} to act with here."
    else:
        start = f"There is nobody called {said.quoted()} whom you can choose here."
    return start if said.items("nearest") else f"{start} /character list shows who there is."


def _too_long(said: Said) -> str:
    if "fix" in said:
        return f"too long, with {said['length']} characters"
    return f"too long: {said['length']} characters, and {said['highest']} are the most"


def _out_of_range(said: Said) -> str:
    if "fix" in said:
        return f"{said['value']} does not fit"
    if "highest" in said:
        return (
            f"{said['value']} is not possible; it goes from {said.text('lowest')} to {said.text('highest')}"
        )
    return f"{said['value']} is not possible; {said.text('lowest')} is the least"


def _not_a_number(said: Said) -> str:
    what = "a whole number"
    if "highest" in said:
        what += f" from {said.text('lowest')} to {said.text('highest')}"
    return f"{said.quoted()} is not {what}" if said.raw("value") else f"{what} is missing"


def _too_many_entries(said: Said) -> str:
    return f"too many entries: {said['value']}, and {said['highest']} are the most"


def _unknown_field(said: Said) -> str:
    if said.items("nearest"):
        return "there is no such field"
    return f"there is no such field; there are {said.text('allowed')}"


#: What has to be written where nothing stands.
WANTED: Final[dict[str, str]] = {
    "actor": "who or what acts",
    "effect": "what the hit does",
    "field-name": "a name for each field",
    "goal": "what is to be done",
    "level": "a level or a number",
    "mending": "what is to be mended",
    "name": "a name",
    "name-or-sheet": "a name, or attach a sheet with one",
    "number": "a whole number",
    "order": "the names from first to last",
    "origin": "how it came about",
    "own-id": "an id of its own",
    "question": "what you want to know",
    "text": "a text",
}


def _wanted(said: Said) -> str:
    return WANTED.get(str(said.raw("wanted")), "a text")


def _switch_number(said: Said) -> str:
    return f"1 to {said['highest']}" if said.number("highest") else "no number"


def _bad_duration(said: Said) -> str:
    return (
        f"{said.option()} has to lie between {said['lowest']} and {said['highest']} days; 0 switches it off."
    )


def _setting_unused(said: Said) -> str:
    field = str(said.raw("field"))
    option = f"`{SETTING_OPTIONS[field]}`" if field in SETTING_OPTIONS else said.option()
    return f"{option} means nothing at this table: {said['name']} has no use for it. Leave it out."


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


def _somebody(said: Said) -> str:
    """Whose turn it is; some NPCs nobody knows of."""
    return said.text("name") if "name" in said else "somebody"


def _leaders(said: Said) -> str:
    named = [said.mention(gm) for gm in said.raws("gms")]
    named += [f"<@&{role}>" for role in said.raws("roles") if role.isdigit()]
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
    "no-rules-here": (
        "No table is open here, only dice and cards. Somebody who may manage channels can open one with /setup."
    ),
    "place-taken": "This channel has a table already: {name}. Use another channel or thread for a new one.",
    "one-place": "Name exactly one channel.",
    "place-is-gm-channel": (
        "That is where this table's secrets go, so the game cannot be played there. Choose another channel, "
        "or change the GM channel with /gm channel first."
    ),
    "place-bound": "That channel belongs to this table already; so do the threads of its channels.",
    "last-place": "That is the only channel of this table, and it needs one. Bind another with /gm bind first.",
    "not-a-place": (
        "That channel is not bound to this table. /table show lists those that are; "
        "a thread goes with its channel."
    ),
    "place-not-text": "A table is played in a text channel, a forum or a thread. Choose one.",
    "place-not-yours": "You cannot read that channel and write there yourself. Choose another.",
    "place-bot-cannot": (
        "Storyguide cannot read that channel or write there. Give it those rights, or choose another channel."
    ),
    "unknown-system": "{quoted} is no system that can be played here. There are: {allowed}.",
    "bad-name": "A table's name has {lowest} to {highest} characters; this one does not. Choose another.",
    "bad-duration": _bad_duration,
    "setting-unused": _setting_unused,
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
    "no-character": (
        "You have no character at this table yet. Make one with /character create, "
        "or bring one in with /character import."
    ),
    "unknown-character": _unknown_character,
    "ambiguous-character": "{quoted} could be {allowed}. Write more of the name.",
    "which-character": (
        "You have several characters here: {allowed}. Say with the option `as` who acts, "
        "or choose one for good with /character use."
    ),
    "already-active": "You act as {value} already.",
    "name-taken": _name_taken,
    "which-of-them": "You have several characters here: {allowed}. Say with the option `character` whom you mean.",
    "not-approved-yet": (
        "{name} waits for a GM, and until then nobody can act as {name}. "
        "/character edit changes the sheet meanwhile."
    ),
    "not-in-play": "{name} has retired. /character retire with `back` brings {name} back into play.",
    "approved-already": "That character does not wait for a GM any more. /character list shows who is there.",
    "nobody-to-approve": "Nobody waits to be let in.",
    "gm-edits-that": "Only a GM may change {field} of a character in play. Ask yours.",
    "nothing-edited": "That changes nothing: the sheet says so already. Write something else.",
    "name-is-taken": "there is somebody of that name at this table already; choose another",
    "bad-portrait": "{quoted} is no address of a picture",
    "already-theirs": "{name} is theirs already. Name another.",
    "give-to-whom": "Say with `to` who plays the character from now on; GMs can give it to the table with `npc`.",
    "open-checks": (
        "{name} still has open checks: {checks}. Settle or withdraw them first; /moves lists what you can do."
    ),
    "too-long-for-dialogue": (
        "What stands there is longer than a dialogue holds. /character export gives you the sheet as a file; "
        "change it there and bring it in with /character import and `replace`."
    ),
    "create-gone": "That draft is not there any more. /character create and /character edit open a new one.",
    "create-sent": (
        "That draft has been sent or thrown away. /character create and /character edit open a new one."
    ),
    "table-full": "This table holds {most} characters, and that is as many as it can.",
    "too-many-characters": (
        "One person can have {most} characters at a table, and that many are here already."
    ),
    # Sessions, the story's time, awards, values set by hand.
    "session-is-on": "Session {session} is on already. End it first with /session end.",
    "no-session": "No session is on. Begin one with /session start.",
    "one-time": "Give one of the two: how much time passes (`advance`), or what time it is then (`set`).",
    "no-time-passes": "That is the time already. Give another.",
    "time-out-of-bounds": (
        "The story's time goes from day 1, 00:00 to about a thousand years later, and that lies outside. "
        "/gm time shows where it is."
    ),
    "bad-span": lambda said: (
        f"{said.quoted()} is no time that passes. Write weeks, days, hours and minutes, such as {said['allowed']}"
        + ("; a minus in front sets the time back." if said.raw("field") == "advance" else ".")
    ),
    "span-too-long": "{quoted} is too long: 1000 years at most.",
    "bad-moment": "{quoted} is no time of the story. Write the day and the hour, such as {allowed}.",
    "nobody-to-award": "No player's character is in play here. Name somebody with `to`.",
    "unknown-award": "{quoted} cannot be awarded. There is: {allowed}.",
    "unknown-adjustable": (
        "{quoted} cannot be set by hand. Choose from the suggestions of `what`, such as {allowed}."
    ),
    "already-so": "That changes nothing: it is like that already.",
    # NPCs.
    "unknown-npc": lambda said: (
        f"The GMs have nobody called {said.quoted()}."
        + ("" if said.items("nearest") else " /gm npc add brings somebody in.")
    ),
    "npc-name-taken": (
        "Somebody or some group at this table is called {name} already. Choose another name or alias."
    ),
    "npc-unchanged": "That changes nothing about {value}. Give another value.",
    "npc-in-checks": (
        "{name} cannot go while checks are open: {checks}. Settle or withdraw them first; "
        "/moves has the buttons."
    ),
    "needs-alias": "Without an alias the players have nothing to call them. Give one: `alias` here, or /gm npc alias.",
    # Files that are imported.
    "character-file-too-large": "The file is too large. A character comes in a file of {allowed}.",
    "campaign-file-too-large": "The file is too large. A campaign comes in a file of {allowed}.",
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
    "deck-file-too-large": "The file is too large. A deck comes in a file of {allowed}.",
    "table-file-too-large": (
        "The file is too large: {allowed} fit. A file without the journal is smaller: /gm export with `journal` off."
    ),
    "export-too-large": (
        "The file would be larger than Discord takes on this server ({allowed}). Export without the journal."
    ),
    # Tables as files.
    "other-format": (
        "That file is no table for import. /gm export with `what: full` makes one; what it makes for players "
        "holds no sheets and cannot be imported."
    ),
    "other-version": "The file has form {value}, and this release reads form {allowed}. Export it again there.",
    "other-system": (
        "The file is a table of another system: {quoted}, and this one plays {allowed}. "
        "/gm import in a channel without a table opens a new one from it."
    ),
    "bad-table": "The file cannot be used yet.",
    "table-not-empty": (
        "{name} has begun already, and a file fills only a table at which nothing has been done. "
        "/gm import in a channel without a table opens a new one from the file."
    ),
    "unknown-owner": "{quoted} owns nobody in that file.",
    # What is kept about people.
    "nobody-to-forget": "There is nobody to forget.",
    "person-forgotten": "What is kept about you was deleted meanwhile. Do it again to take part anew.",
    # Rights and channels of the server.
    "needs-manage-channels": "Opening a table needs the right to manage channels on this server.",
    "needs-manage-server": "Taking a table over needs the right to manage this server.",
    "no-bots": "A bot cannot take part in the game. Name {allowed}.",
    "not-a-member": "That person is not on this server. Name somebody who is here.",
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
    "not-a-number": _not_a_number,
    # The order of action.
    "no-timeline": "Time is not kept in phases here: the rules of this table go by turns. Use /initiative.",
    "not-on-timeline": "{name} is not on the timeline. Join with /initiative join first.",
    "still-busy": lambda said: (
        f"{said['name'] or 'Somebody'} is busy until phase {said['ends']}. Wait for it, or break it off with "
        "`switch`, which takes time as well."
    ),
    "nothing-to-break-off": lambda said: (
        f"{said['name'] or 'Somebody'} does nothing that could be broken off. Begin something without `switch`."
    ),
    "nobody-does-anything": (
        "Nobody does anything now. Whoever wants to act begins something, or takes their moment with "
        "/initiative delay and `back`; a GM can do that for anybody."
    ),
    "no-encounter": "No order of action is kept here. A GM begins with /initiative start.",
    "encounter-here": "The order of action is kept here already. /initiative end ends it first.",
    "already-in-order": "{name} is in the order already.",
    "encounter-full": "An order of action holds {most}, and that many are in it.",
    "not-in-order": lambda said: (
        f"{said.quoted()} is not in the order of action here."
        + ("" if said.items("nearest") else " /initiative show says who is.")
    ),
    "ambiguous-in-order": "{quoted} could be {allowed}. Write more of the name.",
    "named-twice": "{quoted} is named twice. Name everybody once.",
    "turn-moved-on": lambda said: (
        f"Meanwhile the turn has moved on: in {'phase' if said.raw('timeline') else 'round'} {said['round']} "
        f"{_somebody(said)} acts."
        if said.number("round")
        else "Meanwhile the order has begun anew: nobody acts yet."
    ),
    "not-your-turn": lambda said: f"It is not your turn: {_somebody(said)} acts.",
    "not-on-turn": lambda said: f"It is not the turn of {_somebody(said)}.",
    "nobody-in-order": "Nobody is in the order yet. Join with /initiative join; GMs use /initiative add.",
    "round-not-begun": "The order of action has not begun: a GM begins it with /initiative next.",
    "nobody-else-acts": "All others wait already, so somebody has to act. Act, or go on with /initiative next.",
    "nobody-waits": "Nobody of yours waits for their moment.",
    "which-waits": "Several wait: {allowed}. Say with the option `as` who acts now.",
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
    "which-target": "That needs somebody it is done to. Say with `target` {allowed}.",
    "target-is-self": "Nobody does that to themselves. Name somebody else.",
    "no-difficulty-here": "Both sides roll against each other here, so there is no difficulty. Leave it out.",
    "unknown-mode": lambda said: f"{said.quoted()} is no way to do it here.{_allowed(said)}",
    "not-in-these-rules": "The rules of this table, {name}, have nothing like that.",
    "not-this-system": "That needs a table that plays {name}, and this one does not.",
    "which-team": "Say with `check` {allowed}: nothing of yours waits for that roll.",
    "not-a-team": "Nobody else joins in that: it is no work of several. `/help` says how to begin one.",
    "leads-it": "{name} has begun this, and is in it already. React changes what {name} brings.",
    "team-full": "{most} others are in it already, and that is as many as can join.",
    "not-in-team": "Nobody of yours is in it, so there is nobody to step back.",
    "campaign-in-use": (
        "Check {check} is open and names something that is not in that file. Let it end, or withdraw it, first."
    ),
    "no-campaign": "The rules of this table have nothing that a campaign could set. Leave the file out.",
    "answer-does-not-fit": lambda said: f"{said.quoted()} does not fit here.{_allowed(said)}",
    "unknown-heal-method": "{quoted} is no way to recover here.",
    "needs-defence": lambda said: (
        f"{said['character'] or 'Whoever is attacked'} has not chosen a defence yet. Their player does that "
        "with Defend, or a GM in their stead."
    ),
    "not-opposed": "There is nothing to defend against here: the GM sets a difficulty for it.",
    "no-target": "Whoever this was done to is not there any more. Withdraw it, or let it stand.",
    "other-side-may-react": (
        "The other side lost and may still spend something on it, so only they or a GM can let it stand now."
    ),
    "unknown-hit-choice": "{quoted} is nothing to choose here.",
    "hit-waits-for-gm": "You have chosen that already; the GM says what it does.",
    "not-answered": "The GM has not answered this proposal yet.",
    "hidden-odds": "The GM keeps this difficulty hidden, and its odds with it.",
    "odds-unmeasured": "This check has no fixed difficulty to be measured against, and so no odds.",
    "odds-of-dice-alone": "The odds of dice need no other option. Give `dice` alone, or leave it out.",
    "odds-of-check-alone": (
        "With {quoted} the odds are those of the check as the GM ruled it. Leave out either that or the rest."
    ),
    "nothing-to-spend": "Nothing can be spent there now. /spend without options says why.",
    "which-spend": "Several things can be spent on {check}: {allowed}. Say with the option `what` which.",
    "which-choice": "There is a choice: {allowed}. Say with the option `choice` which.",
    "cannot-spend": "{quoted} cannot be spent now. Possible: {allowed}.",
    "no-choice": "There is nothing to choose for that. Leave the option `choice` out.",
    "no-difficulty": lambda said: f"A roll needs a difficulty. Give {_wanted(said)}.",
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
    "unknown-option": lambda said: (
        f"{said.quoted()} does not belong in {said.option()}."
        + ("" if said.items("nearest") else _allowed(said))
    ),
    "bad-option-number": lambda said: (
        f"The number in {said.quoted()} does not fit. Behind the colon goes {_switch_number(said)}."
    ),
    "option-twice": (
        "{quoted} comes twice or contradicts another word. Give each word once, with a number if need be, "
        "such as dilemma:2."
    ),
    "empty": lambda said: f"{said.option()} is empty. Write {_wanted(said)}.",
    # Taking back.
    "undo-redacted": (
        "#{entry} cannot be taken back: somebody has had their data deleted since, and with it went how things "
        "were before. What came from #{first} on can be."
    ),
    "no-dice-there": "Entry #{value} rolled no dice, or it is not yours to know. Results show their number below.",
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
        "too-long", "not-a-number", "out-of-range", "too-many-entries", "empty-text", "unprintable-text", "wrong-type",
        "missing-field", "unknown-field", "duplicate-field", "unknown-die", "name-is-taken", "bad-portrait",
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
    "write-address": "Write an address that begins with https:// and has 500 characters at most",
}
