"""The card of a check at each of its steps: verdict first and in words, then what led to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from bot.presenters.card import Button, Card, Field, Rows, Tone
from bot.presenters.layout import Layout, laid, rows_of
from bot.presenters.limits import BODY, EMBED_FIELD_VALUE, EMBED_TITLE, clip, size
from bot.presenters.names import Called, gm_mentions, people_mentions
from bot.presenters.people import Names
from bot.presenters.systems import words_of
from bot.presenters.systems.base import SystemWords
from bot.presenters.text import listing, moment, name_text, quote, sentence, strike, user_text, who_text
from bot.presenters.words import say
from rules.table.events import ChallengeChanged, CheckView, Line, OtherSide
from rules.table.state import SYSTEM

MISSED: Final = "This could not be shown to you earlier"
PRIVATE: Final = "Something private"
_PREFIXES: Final = {"reminded": "Reminder: ", "reopened": "Open again: "}
_NOBODY: Final = Called("")
#: How much of a trait's name stands in a title.
_TRAIT = 60
#: How much is said of all who join in, and how much of the idea of each, the most that fits.
_HELPERS = 1600
_IDEAS: Final = (120, 40, 0)


def title_of(view: CheckView) -> str:
    """`Pilgrim · Climbing + Fitness`, `Pilgrim and 2 others · Climbing`, `Pilgrim attacks Sidor`."""
    if view.kind not in ("check", "team"):
        return clip(_deed(view), EMBED_TITLE - 10)
    traits: list[str] = []
    for line in view.traits:
        called = line.params.get("name")
        if isinstance(called, str):
            traits.append(name_text(called, _TRAIT))
    if not traits:
        traits = [say(line) for line in view.traits]
    name = who_text(view.character, view.alias)
    if view.helpers:
        name = together(name, [each.name for each in view.helpers])
    return clip(f"{name} · {' + '.join(traits)}" if traits else name, EMBED_TITLE - 10)


def together(name: str, helpers: Sequence[str]) -> str:
    """`Pilgrim`, `Pilgrim and Sidor`, `Pilgrim and 2 others`."""
    if len(helpers) > 1:
        return f"{name} and {len(helpers)} others"
    return f"{name} and {who_text(helpers[0])}" if helpers else name


def whom_text(view: CheckView) -> str:
    """Whom it is done to, as the onlooker knows them."""
    return who_text("" if view.other is None else view.other.name)


def _deed(view: CheckView) -> str:
    who = who_text(view.character, view.alias)
    if view.kind == "rest":
        return f"{who} rests"
    if view.kind == "treat":
        itself = view.other is not None and view.other.name == view.character
        return f"{who} treats an injury" if itself else f"{who} treats {whom_text(view)}"
    if view.kind == "contest":
        return f"{who} against {whom_text(view)}"
    return f"{who} attacks {whom_text(view)}"


def _against(view: CheckView) -> str:
    return "" if view.target is None else f" against {say(view.target)}"


def _verdict(view: CheckView) -> str:
    assert view.verdict is not None
    verdict = say(view.verdict)
    return f"{verdict}, {say(view.degree)}" if view.degree is not None else verdict


def _answered(event: ChallengeChanged, names: Names) -> tuple[str, str]:
    view = event.view
    if view.kind == "rest":
        return ("Time enough to rest", "") if view.answer == "free" else ("There is no time to rest", "")
    if view.answer == "free":
        return "It succeeds", "No roll is needed."
    if view.answer == "cannot":
        return "This cannot work", "No roll is made."
    if view.opposed:
        return _opposed(view, names)
    roller = names.mention(view.owner) if view.owner is not None else "a GM"
    if view.answer == "margin-only":
        measure = f", measured{_against(view)}" if view.target is not None else ""
        return f"It succeeds; roll to see how well{measure}", f"Waiting for {roller} to roll."
    others = " Until then others may join in." if view.kind == "team" else ""
    return f"Roll{_against(view)}", f"Waiting for {roller} to roll.{others}"


def _opposed(view: CheckView, names: Names) -> tuple[str, str]:
    """An attack or a contest before the dice: whose choice it waits for."""
    assert view.other is not None
    if view.kind == "contest":
        if not view.other.ready:
            chooses = sentence(_owner(view.other.owner, names))[:-1]
            both = f", both{_against(view)}" if view.target is not None else ""
            return f"Waiting for the other side{both}", f"{chooses} chooses what to set against it."
        return f"Both sides have chosen{_against(view)}", f"Waiting for {_owner(view.owner, names)} to roll."
    if not view.other.ready:
        return "Waiting for the defence", f"{sentence(_owner(view.other.owner, names))[:-1]} chooses it."
    return "The defence is chosen", f"Waiting for {_owner(view.owner, names)} to roll."


def _owner(owner: str | None, names: Names) -> str:
    return names.mention(owner) if owner is not None else "a GM"


def _hit(view: CheckView, names: Names) -> str:
    """Who has to say what a hit does."""
    if view.other is None or view.other.ready:
        return "Waiting for the GM to say what it does."
    return f"Waiting for {_owner(view.other.owner, names)} to choose what it does."


def _awaited(view: CheckView, names: Names) -> str:
    """Who is expected to go on with what several do."""
    if view.status != "proposed":
        return f"Waiting for {_owner(view.owner, names)} to roll."
    asked = f"Waiting for {_owner(view.owner, names)} to answer the GM's question."
    return asked if view.question else "Waiting for the GM's answer."


def _headline(event: ChallengeChanged, names: Names) -> tuple[str, str]:
    """What matters most, and who is expected to do what."""
    view = event.view
    if view.status == "withdrawn":
        return "Withdrawn", f"Taken off the table by {names.mention(event.by)}; no dice were rolled."
    if event.step == "taken" and event.lines:
        late = "The time to choose was up." if event.by == SYSTEM else ""
        return f"{whom_text(view)}: {say(event.lines[0])}", late
    if event.step == "left" and event.lines:
        return say(event.lines[0]), _awaited(view, names)
    if event.step == "joined" and view.helpers:
        return f"{who_text(view.helpers[-1].name)} joins in", _awaited(view, names)
    if view.status == "proposed":
        if view.question or (view.veiled and event.step == "asked"):
            owner = names.mention(view.owner) if view.owner is not None else "a GM"
            return "The GM asks back", f"Waiting for {owner}: press React to answer."
        changed = event.step == "revised"
        return "Changed proposal" if changed else "Proposal", "Waiting for the GM's answer."
    if view.verdict is not None:
        measured = view.answer == "margin-only" and view.status != "hit"
        more = "The total shows how well, fast or dramatically." if measured else ""
        return _verdict(view), _hit(view, names) if view.status == "hit" else more
    if view.status == "hit":
        return "It is a hit", _hit(view, names)
    if view.status == "answered" or view.answer in ("free", "cannot"):
        return _answered(event, names)
    return "Rolled", "Only the GM sees the result."


def _marks(event: ChallengeChanged, names: Names) -> str:
    """Who can see this card, which is not everybody."""
    view, audience = event.view, event.audience
    if view.gm_only:
        return "Secret: the players never hear of this."
    if view.visibility == "public" and not audience.gms:
        return "Only you and the GMs see this; the others see it once the dice are thrown."
    if view.visibility == "public":
        return "For the GMs only: the players do not see all of this."
    owner = None if view.owner is None else names.mention(view.owner)
    if view.visibility == "blind":
        if audience.gms:
            return "Blind: only the GMs see the dice and the result." if owner else "Only the GMs see this."
        return "Blind: the dice and the result are for the GM alone."
    if view.opposed:
        return "Private: only those who take part and the GMs see this."
    if audience.gms:
        return f"Private: only {owner} and the GMs see this." if owner else "Only the GMs see this."
    return "Private: only you and the GM see this."


def _added(view: CheckView) -> str:
    """`17 + 4 + 2 = 23`."""
    if len(view.terms) < 2:
        return f"Total: {view.total}"
    first, *rest = view.terms
    left = str(first.value)
    for term in rest:
        value = term.value
        left += f" − {-value}" if value < 0 else f" + {value}"
    return f"{left} = {view.total}"


def _sum(view: CheckView) -> str:
    """`17 + 4 + 2 = 23 against Difficult (13)`."""
    if view.total is None:
        return "" if view.verdict is None or view.target is None else sentence(_against(view).strip())
    return f"{_added(view)}{_against(view)}"


def _sides(view: CheckView, words: SystemWords | None) -> list[str]:
    """The dice of each side, and of each helper who threw some, with what they add up to, one line each."""
    other = view.other
    if view.total is not None and other is not None and other.total is not None:
        name = who_text(view.character, view.alias)
        return [_side(name, view, words), _side(whom_text(view), _as_theirs(view, other), words)]
    lines = [_dice(view, words), _sum(view)]
    apart = [each for each in view.helpers if each.total is not None or each.verdict is not None]
    if not apart:
        return lines
    if any(lines):
        lines = [f"**{who_text(view.character, view.alias)}:** {'; '.join(line for line in lines if line)}"]
    return [*lines, *(_side(who_text(each.name), _as_theirs(view, each), words) for each in apart)]


def _as_theirs(view: CheckView, side: OtherSide) -> CheckView:
    """The check as if that side had made it, for reading its dice."""
    return replace(
        view,
        traits=side.traits,
        shifts=side.shifts,
        dice=side.dice,
        terms=side.terms,
        total=side.total,
        verdict=side.verdict,
        notes=(),
    )


def _side(name: str, view: CheckView, words: SystemWords | None) -> str:
    """`**Pilgrim:** d8: 7, d8: 4; 7 + 4 = 11`; for helpers with their own verdict."""
    added = "" if view.total is None else _added(view)
    own = view.verdict if view.kind == "team" else None
    parts = (_dice(view, words), added, "" if own is None else say(own))
    return f"**{name}:** {'; '.join(part for part in parts if part)}"


def _helpers(event: ChallengeChanged) -> list[str]:
    """Who joins in with what; in full while there is room, and the idea of whoever has just joined."""
    view = event.view
    new = view.helpers[-1] if event.step == "joined" else None
    tried = [[_helper(view, each, 0 if each is new else most) for each in view.helpers] for most in _IDEAS]
    lines = next((each for each in tried if size("\n".join(each)) <= _HELPERS), tried[-1])
    if new is not None and new.approach.strip():
        lines.append(f"{quote(clip(new.approach, _HELPERS // 2))}\n")
    return lines


def _helper(view: CheckView, helper: OtherSide, most: int) -> str:
    """`Sidor joins in with Climbing and Fitness; +1 on the total: “holds the rope”`."""
    found = [listing(say(line) for line in helper.traits)] if helper.traits else []
    found += [say(line) for line in helper.shifts]
    brings = f" with {'; '.join(found)}" if found else ""
    idea = f": “{user_text(clip(helper.approach, most))}”" if most and helper.approach.strip() else ""
    joins = "joins in" if view.status in ("proposed", "answered") else "joined in"
    return f"{who_text(helper.name)} {joins}{brings}{idea}"


def _other_lines(view: CheckView, other: OtherSide) -> list[str]:
    """What the other side sets against it, as far as the onlooker may know."""
    if not other.traits:
        return []
    lines: list[str] = []
    defends = "" if view.kind == "contest" else " defends"
    if other.approach:
        lines.append(f"{whom_text(view)}{defends}:\n{quote(other.approach)}\n")
    if other.total is None:
        lines.append(f"{whom_text(view)}{defends} with {listing(say(line) for line in other.traits)}")
    if other.shifts:
        lines.append(f"{whom_text(view)}, adjustments: {'; '.join(say(line) for line in other.shifts)}")
    return lines


def _tool(view: CheckView) -> str:
    if view.kind not in ("attack", "treat"):
        return ""
    return f"{'Weapon' if view.kind == 'attack' else 'Injury'}: {user_text(view.tool)}"


def _idea(view: CheckView, words: SystemWords | None) -> str:
    """What is tried, in the player's words; who fights keeps it to themselves until the dice are thrown."""
    if view.veiled:
        waiting = view.status in ("proposed", "answered")
        return "Both sides choose in secret; their dice are thrown together." if waiting else ""
    idea = quote(view.approach)
    if idea.strip("> \n"):
        # The blank line after it ends the quotation for every reader of Markdown.
        return f"{idea}\n"
    if view.kind == "rest" or view.gm_only or view.status not in ("proposed", "answered"):
        return ""
    return "How it is done has not been said yet." if words is None or words.needs_idea else ""


def _dice(view: CheckView, words: SystemWords | None) -> str:
    if words is not None:
        return "; ".join(words.dice(view))
    return "; ".join(f"{user_text(die.name)} d{die.sides}: {die.face}" for die in view.dice)


def _traits(view: CheckView, words: SystemWords | None) -> list[str]:
    disallowed: list[str] = []
    counted: list[Line] = []
    for line in view.traits:
        if words is not None and line.code in words.refused:
            disallowed.append(say(line))
        else:
            counted.append(line)
    lines: list[str] = []
    if counted and view.kind != "rest" and view.total is None:
        lines.append(f"With {listing(say(line) for line in counted)}")
    if disallowed:
        lines.append(f"Not counted: {'; '.join(disallowed)}")
    return lines


def _shifts(view: CheckView, words: SystemWords | None) -> str:
    proposed = "Claimed" if words is None else words.claimed
    title = "Adjustments" if view.answer in ("roll", "margin-only") else proposed
    if view.opposed and view.total is not None:
        title = f"{who_text(view.character, view.alias)}, adjustments"
    return f"{title}: {'; '.join(say(line) for line in view.shifts)}"


def _ending(view: CheckView) -> str:
    if view.status == "rolled" and view.deadline is not None:
        return f"Open for reactions. The result stands {moment(view.deadline)}."
    if view.status == "hit" and view.deadline is not None:
        return f"If nothing is said, it is decided {moment(view.deadline)}."
    if view.status == "settled" and (view.verdict is not None or view.answer in ("roll", "margin-only")):
        return "The result stands."
    return ""


def _text(event: ChallengeChanged, names: Names, words: SystemWords | None, *, closed: bool) -> str:
    view = event.view
    head, expected = _headline(event, names)
    if closed and view.status in ("proposed", "answered", "hit"):
        expected = ""  # nobody is waited for any more
    mark = "" if closed else _PREFIXES.get(event.step, "")
    lines = [f"**{mark}{sentence(head)}** {expected}".rstrip()]
    if event.spent is not None:
        whose = f"{whom_text(view)}: " if event.side == "other" else ""
        lines.append(sentence(whose + say(event.spent)))
    if event.lines:
        lines += [sentence(say(line)) for line in event.lines[1 if event.step in ("taken", "left") else 0 :]]
    lines.append(_idea(view, words))
    if view.tool:
        lines.append(_tool(view))
    lines += _traits(view, words)
    if view.status == "proposed" and view.asked is not None:
        lines.append(f"Difficulty in mind: {say(view.asked)}")
    if view.shifts:
        lines.append(_shifts(view, words))
    if view.other is not None:
        lines += _other_lines(view, view.other)
    if view.helpers:
        lines += _helpers(event)
    lines += _sides(view, words)
    for line in view.notes:
        lines.append(say(line))
    if not closed:
        lines.append(_ending(view))
    if not event.audience.everyone:
        lines.append(_marks(event, names))
    return "\n".join(filter(None, lines))


def _fields(view: CheckView) -> tuple[Field, ...]:
    fields: list[Field] = []
    for name, typed in (("The GM's question", view.question), ("The GM's note", view.note)):
        text = user_text(typed, lines=True).strip()
        if text:
            fields.append(Field(name, clip(text, EMBED_FIELD_VALUE)))
    return tuple(fields)


def buttons(event: ChallengeChanged, table_id: int, gms: tuple[str, ...] = ()) -> Rows:
    """What can be pressed on a check, by those who get to see this event."""
    view, audience = event.view, event.audience
    row: list[Button] = []
    at = f"{table_id}:{view.challenge}:{view.revision}"
    if view.status == "settled":
        return ((Button(f"sg:react:{at}", "Details"),),)
    if view.status == "proposed" and (audience.everyone or audience.gms):
        row.append(Button(f"sg:ans:{at}", "Answer"))
    elif view.status == "answered" and view.other is not None and view.opposed and not view.other.ready:
        if not audience.people or view.other.owner in audience.people:
            label = "Take it up" if view.kind == "contest" else "Defend"
            row.append(Button(f"sg:def:{at}", label, "primary"))
    elif view.status == "hit":
        row.append(Button(f"sg:hit:{at}", "Take the hit", "primary"))
    elif view.status == "answered":
        for_others = audience.gms and view.owner is not None and view.owner not in gms
        if not for_others and (not audience.people or view.owner in audience.people):
            row.append(Button(f"sg:roll:{at}", "Roll", "primary"))
    if view.kind == "team" and view.status in ("proposed", "answered") and audience.everyone:
        row.append(Button(f"sg:join:{at}", "Join in"))
    if view.status != "withdrawn":
        row.append(Button(f"sg:react:{at}", "React"))
    return (tuple(row),) if row else ()


def _reason(event: ChallengeChanged, *, gm: bool) -> str:
    """Why somebody is called."""
    view = event.view
    name = who_text(view.character)
    start = "a reminder: " if event.step == "reminded" else ""
    if view.status == "proposed":
        if not gm:
            still = "still waits" if event.step == "reminded" else "waits"
            return f"{start}the GM's question about {name}'s proposal {still} for you."
        what = "has changed and waits" if event.step == "revised" else "waits"
        what = "still waits" if event.step == "reminded" else what
        return f"{start}{name}'s proposal {what} for your answer."
    if view.status == "hit":
        hit = f"{whom_text(view)} is hit"
        ready = view.other is not None and view.other.ready
        return f"{start}{hit}; " + ("say what it does." if ready else "choose what that does.")
    if event.step == "rolled":
        return f"the dice have fallen for {name}, and for those who joined in."
    if view.kind == "contest" and view.opposed and view.status == "answered":
        if view.other is not None and not view.other.ready:
            still = "still " if event.step == "reminded" else ""
            return (
                f"{start}{name} against {whom_text(view)}, who has {still}to choose what to set against it."
            )
        if event.step != "reminded":
            return "the other side has chosen: roll when you are ready."
    if view.opposed and view.status == "answered":
        if view.other is not None and not view.other.ready:
            still = "still " if event.step == "reminded" else ""
            return f"{start}{name} attacks {whom_text(view)}, whose defence is {still}to be chosen."
        if event.step != "reminded":
            return "the defence is chosen: roll when you are ready."
    if view.kind == "rest" and view.answer is not None:
        return "the GM has answered."
    if view.answer == "free":
        return f"the GM has answered: {name} succeeds without a roll."
    if view.answer == "cannot":
        return "the GM has answered: this cannot work."
    if event.step == "reminded":
        return f"{start}the roll for {name} is still to come."
    return "the GM has answered: roll when you are ready."


def _call(event: ChallengeChanged, names: Names, gms: tuple[str, ...], gm_roles: tuple[str, ...]) -> Called:
    if event.ping:
        called = people_mentions(names, event.ping)
        return replace(called, text=f"{called.text}, {_reason(event, gm=False)}")
    if event.ping_gms:
        called = gm_mentions(names, gms, gm_roles)
        gm = event.view.status == "proposed" and not event.view.question
        return replace(called, text=f"{called.text}, {_reason(event, gm=gm)}")
    return _NOBODY


def _tone(event: ChallengeChanged, words: SystemWords | None) -> Tone:
    view = event.view
    if view.verdict is not None and words is not None:
        return words.tones.get(view.verdict.code, "neutral")
    if view.status == "settled" and view.answer in ("free", "cannot"):
        return "good" if view.answer == "free" else "bad"
    if not event.audience.everyone:
        return "secret"
    return "waiting" if view.status in ("proposed", "answered") else "neutral"


def taken_back(names: Names, gms: tuple[str, ...], undone_by: int, by: str | None) -> str:
    """`Taken back by the GM (#14).`"""
    who = "" if by is None else " by the GM" if by in gms else f" by {names.mention(by)}"
    return f"**Taken back{who} (#{undone_by}).**"


def check_card(
    event: ChallengeChanged,
    names: Names,
    *,
    table_id: int,
    gms: tuple[str, ...],
    gm_roles: tuple[str, ...],
    seq: int | None,
    closed: bool = False,
    undone_by: int | None = None,
    taken_back_by: str | None = None,
) -> Card:
    """One step of a check as its audience sees it.

    `seq` is the number of the journal entry. `closed` leaves off what can be pressed and waited for.
    `undone_by` is the number of the entry that took it back, `taken_back_by` the participant who did.
    """
    view = event.view
    words = words_of(view)
    over = closed or undone_by is not None
    title = title_of(view)
    body = clip(_text(event, names, words, closed=over), BODY - 400)
    tone = _tone(event, words)
    if undone_by is not None:
        title = strike(title)
        body = f"{taken_back(names, gms, undone_by, taken_back_by)}\n{strike(body)}"
        tone = "neutral"
    called = _NOBODY if over else _call(event, names, gms, gm_roles)
    return Card(
        title,
        body,
        _fields(view) if view.question or view.note else (),
        view.challenge if seq is None else f"#{seq} · {view.challenge}",
        tone,
        () if over else buttons(event, table_id, gms),
        called.text,
        called.users,
        called.roles,
    )


def stub_card(
    row: int,
    person: str | None,
    names: Names,
    *,
    gms: tuple[str, ...],
    gm_roles: tuple[str, ...],
    ping: bool = True,
    closed: bool = False,
    undone_by: int | None = None,
) -> Layout:
    """What stands in public for something that only `person` (None: the GMs) may open.

    `row` is the row of the outbox behind the button. Nothing is said about what it is.
    """
    called = gm_mentions(names, gms, gm_roles) if person is None else people_mentions(names, (person,))
    if undone_by is not None:
        return Layout("waiting", (), call=f"**{PRIVATE}**\nIt was taken back (#{undone_by}).")
    if closed:
        return Layout("waiting", (), call=f"**{PRIVATE}**\nIt has moved on since.")
    calling = f"{called.text}, something private waits for you.\n" if ping else ""
    return Layout(
        "waiting",
        rows_of(((Button(f"sg:show:{row}", "Show", "primary"),),)),
        call=f"{calling}**{PRIVATE}**\nOnly {called.text} can open it.",
        mentions=called.users if ping else (),
        role_mentions=called.roles if ping else (),
    )


def missed_card() -> Layout:
    """The heading above what comes late, and to one person only."""
    return laid("waiting", MISSED, "It happened while you could not be reached.")
