"""Checks that take their course: the card of each, the short message that calls for it, and what one may answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final, TypeGuard

from bot.presenters import limits
from bot.presenters.blocks import ACCENTS, pieces_of, result, verdict_text
from bot.presenters.control_ids import handle
from bot.presenters.controls import A_ROW, Button, Rows, Style, in_rows, react_id
from bot.presenters.hands import card_pictures, hand_button
from bot.presenters.layout import Accent, Beside, Body, Gap, Head, Heading, Layout, Piece, Row, Small, rows_of
from bot.presenters.names import called_by
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from bot.presenters.text import (
    bare_text,
    capital,
    listing,
    moment,
    name_text,
    percent,
    quoted_text,
    ref_text,
    sentence,
    user_text,
)
from bot.presenters.words import TEMPLATES, phrase, say, say_bare, value_text
from rules.registry import look
from rules.table.blocks import ALL, Block, Fact, Note, Quote, Ref, Roll, Text, Verdict
from rules.table.cards import ruled_deck
from rules.table.checks.access import is_open_to
from rules.table.checks.check import GMS as THE_GMS
from rules.table.checks.check import PASS, AnyCheck
from rules.table.checks.check import REACT as OPEN
from rules.table.checks.costs import Spending
from rules.table.checks.moves import Move
from rules.table.checks.procedure import Option
from rules.table.checks.telling import view_of
from rules.table.events import Awaited, CheckChanged, Event, Line, Shown
from rules.table.resources import points_called
from rules.table.system import Game

#: What answers a prompt without adding anything.
PASSING: Final = "Accept result"
REACT: Final = "React"
ANSWER: Final = "Answer"
#: What a message says that is not edited again when a GM has answered.
SENT: Final = "Sent to the GM"
#: What stands for the GMs in the id of a button.
GMS_ID: Final = "-"
#: So many choices of one prompt stand on lines of their own; more are a menu.
_LINES: Final = 5
#: So many of what costs something stand in one list.
_MOST: Final = 11
#: So many open checks of a list have a button.
_OPENED: Final = 5
#: So many answers of a prompt are named in a list.
_TOLD: Final = 3
#: How much of an idea a call quotes, and a list.
_SNIPPET: Final = 80
_NO_HELP: Final = Line("no-help")
_TIME_WAS_UP: Final = Note(Text("time-was-up"), ALL)


# --- ids ----------------------------------------------------------------------------------------------------


def prompt_id(table_id: int, check: str, number: int, prompt: str, route: str = "chq") -> str:
    """The button of one prompt, or with `cha` the one that accepts a result while there is time for reactions."""
    return f"sg:{route}:{table_id}:{check}.{number}:{prompt}"


def option_id(table_id: int, move: Move, option: str, route: str = "cho") -> str:
    """The button of one option of a prompt, for one of those asked; a menu of them has its own `route`."""
    at = f"{move.check}.{move.number}:{move.prompt}:{move.who or GMS_ID}"
    return f"sg:{route}:{table_id}:{at}:{handle(option)}"


# --- the card -----------------------------------------------------------------------------------------------


def check_card(
    event: CheckChanged,
    scene: Scene,
    *,
    closed: bool = False,
    copy: bool = False,
    undone_by: int | None = None,
) -> Layout:
    """A check as its audience sees it. `closed` leaves off what can be pressed and waited for.

    A `copy` is for one person, and nobody edits it again: it says what has happened, not who is waited for.
    `undone_by` is the number of the entry that took it back.
    """
    over = closed or event.over or undone_by is not None
    head, rest = _head(event, over=event.over, ages=copy or (closed and undone_by is None))
    lead, rest = _leading(event, head, rest)
    question = next(filter(_asks, rest), None)
    if question is not None and (first := _first(event)) is not None and first.button == "answer-reply":
        # Who asks, the head says.
        lead = [f"“{quoted_text(question.text)}”", *lead]
        rest = [each for each in rest if each is not question]
    # Where nobody reacted it is final, and that says enough.
    if any(each.how == "clock" and each.step != "passed" for each in event.took):
        rest = [*rest, _TIME_WAS_UP]
    accent = _accent(event, over=over)
    if undone_by is not None:
        head, accent = f"Undone (#{undone_by}): {head}", "waiting"
    shown = [each.card for each in event.blocks if isinstance(each, Fact) and each.card]
    pictures = card_pictures(look(scene.state), shown) if shown else ()
    return result(
        rest,
        head=head,
        who="\n".join(lead),
        accent=accent,
        small=_small(event, over=over, copy=copy, undone=undone_by is not None),
        choices=(*pictures, *(() if over else _choices(event, scene.table_id))),
        rows=() if over else _rows(event, scene.table_id),
    )


def _choices(event: CheckChanged, table_id: int) -> list[Piece]:
    """What may be answered, as far as that is no secret, each with its button."""
    asked = () if event.audience.gms else event.asked
    at = [(prompt_id(table_id, event.check, each.number, each.prompt), each.choices) for each in asked]
    return [Beside(say(each.line), _choice_button(id, each)) for id, choices in at for each in choices]


def _choice_button(at: str, choice: Shown) -> Button:
    return Button(f"{at}:{handle(choice.value)}", limits.clip(say_bare(choice.button), limits.BUTTON_LABEL))


def moved_card(check: str, guild: str, place: str, message: str) -> Layout:
    """What is left of a card that goes on further down."""
    link = f"https://discord.com/channels/{guild}/{place}/{message}"
    return Layout("waiting", (Small(f"Continued below: [check {check}]({link})"),))


def _head(event: CheckChanged, *, over: bool, ages: bool = False) -> tuple[str, list[Block]]:
    """What matters most in a line, and the blocks that it does not say; where it `ages` not for whom it waits."""
    blocks = list(event.blocks)
    verdict = _verdict_of(event)
    if verdict is not None:
        so_far = not over and _window(event) is not None
        told = (verdict, *(_difficulty(blocks) if verdict.numbers is not None else ()))
        known = {*map(id, told)}
        return verdict_text(verdict, so_far=so_far), [each for each in blocks if id(each) not in known]
    if over:
        if event.step == "ended":
            return "Ended by the GM", blocks
        notes = [each for each in blocks if isinstance(each, Note) and each.text.code == "check-rolled-blind"]
        if notes:
            # What somebody wrote they need not read again.
            rest = [
                each for each in blocks if each is not notes[0] and not (ages and isinstance(each, Quote))
            ]
            return say(notes[0].text), rest
        said = _last_said(event)
        return sentence(said)[:-1] if said else "Over", blocks
    awaited = _first(event)
    if awaited is None:
        return deed_text(event) or "A check", blocks
    if awaited.gms and not awaited.who:
        return ("Waiting for the GM" if not ages else "Your call" if event.audience.gms else SENT), blocks
    told, rest = _thrown(event, blocks) or _called(awaited, blocks, event.actor)
    return capital(told), rest


def _thrown(event: CheckChanged, blocks: list[Block]) -> tuple[str, list[Block]] | None:
    """The total, or whose dice lie open and for what, where no verdict says so; and what is left to say."""
    rolls = [each for each in blocks if isinstance(each, Roll) and each.who is not None]
    if not rolls or _window(event) is None:
        return None
    total = next((each.result for each in rolls if each.who == event.actor), None)
    total = total.params.get("total", total) if isinstance(total, Text) else total
    # Of several who roll for the same thing no total stands for all.
    if event.target is not None or (len(rolls) == 1 and isinstance(total, int)):
        so_far = "" if total is None else f"{say(Text('so-far', {'what': total}))}: {deed_text(event)}"
        return (so_far, blocks) if so_far else None
    who = dict.fromkeys([ref_text(each.who) for each in rolls if each.who])
    what = [each for each in blocks if isinstance(each, Fact) and each.what.code == "check-with"][:1]
    told = [f"{listing([*who])}: {value_text(each.value)}" for each in what] or [deed_text(event)]
    return told[0], [each for each in blocks if each not in what]


def _first(event: CheckChanged) -> Awaited | None:
    """Who is waited for, before all others."""
    return next((each for each in event.asked if _waited(each)), None)


def _verdict_of(event: CheckChanged) -> Verdict | None:
    return next((block for block in event.blocks if isinstance(block, Verdict)), None)


def _called(awaited: Awaited, blocks: list[Block], by: Ref | None) -> tuple[str, list[Block]]:
    """Somebody by name with what they have to do about whoever acts, and the blocks that this does not say."""
    named, label, who = _named(awaited), _label(awaited), {"who": awaited.who}
    if awaited.button not in ("answer-roll", "answer-evade"):
        code = f"calls-{awaited.button}"
        if code in TEMPLATES:
            return say(Text(code, who)), blocks
        to_do = f"{named}: {label}" if awaited.gms else f"{named}, {label[:1].lower()}{label[1:]}"
        return to_do if label else f"Waiting for {named}", blocks
    told = _difficulty(blocks)
    value = told[0].value if told else None
    hidden = isinstance(value, Text) and value.code == "hidden-difficulty"
    about = {**who, "by": by if awaited.button == "answer-evade" else None}
    text = Text("calls-roll", {**about, "hidden": hidden, "difficulty": value})
    return say(text), [each for each in blocks if each not in told]


def _asks(block: Block) -> TypeGuard[Quote]:
    """Whether it is the GM's question."""
    return isinstance(block, Quote) and block.label is not None and block.label.code == "check-question"


def _difficulty(blocks: Sequence[Block]) -> tuple[Fact, ...]:
    """The line that tells against what it goes."""
    return tuple([each for each in blocks if isinstance(each, Fact) and each.what.code == "check-difficulty"])


def passing(prompt: str) -> str:
    """What having nothing to add is called: to dice that lie there, or to what comes before them."""
    return PASSING if prompt == OPEN else say(Text("answer-pass"))


def _window(event: CheckChanged) -> Awaited | None:
    """The time for reactions, as long as it runs."""
    return next((each for each in event.asked if each.reacts and _waited(each)), None)


def _last_said(event: CheckChanged) -> str:
    for each in reversed(event.took):
        if each.said is not None:
            if each.said.code == "answer-withdraw":
                return say(Text("done-withdraw", {"by": "gms" if each.who is None else "owner"}))
            return say(each.said)
    return "" if event.said is None else say(event.said)


def _waited(awaited: Awaited) -> bool:
    """Whether somebody is waited for; not so for an offer."""
    return bool(awaited.who or awaited.people or awaited.gms)


def _label(awaited: Awaited) -> str:
    """What the prompt's own button says; empty where it has none."""
    return "" if awaited.button is None else say_bare(Text(awaited.button))


def _named(awaited: Awaited) -> str:
    """Who is waited for, the GMs last."""
    names = [ref_text(who) for who in awaited.who if who.name]
    if awaited.gms:
        names.append("the GM")
    return listing(names) or "somebody"


def deed_text(event: CheckChanged) -> str:
    """Who does what with whom, as far as rules do not say it in blocks of their own."""
    alone = event.target in (None, event.actor) and f"does-{event.kind}-oneself" in TEMPLATES
    code = f"does-{event.kind}-oneself" if alone else f"does-{event.kind}"
    if code in TEMPLATES:
        return say(Text(code, {"actor": event.actor, "target": event.target}))
    return listing([ref_text(each) for each in (event.actor, event.target) if each is not None])


def _leading(event: CheckChanged, head: str, blocks: list[Block]) -> tuple[list[str], list[Block]]:
    """Who does it with what, which stands before everything else, and the other blocks.

    Whom the head has named is not named again, unless it is done to somebody else.
    """
    name, lines = deed_text(event), list[str]()
    count = next((at for at, block in enumerate(blocks) if not isinstance(block, Fact)), len(blocks))
    begins = event.target is None and head.startswith((f"{name}:", f"{name},", f"{name} and "))
    named = begins or (bool(name) and head in (name, f"{head.partition(':')[0]}: {name}"))
    for block in blocks[:count]:
        if isinstance(block, Fact) and block.what.code == "check-with" and not lines:
            what = value_text(block.value)
            lines.append(what if named or not name else f"{name}: {what}")
            named = True
        else:
            lines += [piece.text for piece in pieces_of((block,)) if isinstance(piece, Body)]
    if not named and not (event.target is None and any(name in line for line in lines)):
        lines.insert(0, name)
    rest = blocks[count:]
    rolls = [(place, each) for place, each in enumerate(rest) if isinstance(each, Roll)]
    if len(rolls) == 1 and rolls[0][1].who == event.actor:
        place, roll = rolls[0]
        rest[place] = roll.but(who=None)
    return lines, rest


def _accent(event: CheckChanged, *, over: bool) -> Accent:
    verdict = _verdict_of(event)
    if over and verdict is not None:
        return ACCENTS[verdict.tone]
    audience = event.audience
    if not audience.everyone:
        return "gm" if audience.gms and not audience.people else "own"
    if over or not any(each.who or each.people for each in event.asked):
        return "waiting"
    return "open"


def _small(event: CheckChanged, *, over: bool, copy: bool, undone: bool) -> str:
    """Who can act and until when, who else sees it, and the number."""
    parts: list[str] = []
    if undone:
        pass
    elif event.over:
        parts.append("Final")
    elif copy:
        parts.append("How it stands now: /table show")
    elif not over:
        waited = [each for each in event.asked if _waited(each)]
        told = _verdict_of(event) is None and _thrown(event, [*event.blocks]) is None
        # The head has said already who is waited for first.
        parts += [f"due {moment(each.due)}" for each in waited[:1] if told and each.due is not None]
        parts += [_waiting(each) for each in (waited[1:] if told else waited)]
    first = capital(" · ".join([*parts, f"check {event.check}"]))
    return "\n".join(filter(None, [first, _marks(event)]))


def _waiting(awaited: Awaited) -> str:
    named = _named(awaited)
    if awaited.reacts and awaited.who:
        final = f"; final {moment(awaited.due)}" if awaited.due is not None else ""
        return f"{capital(named)} can still react{final}"
    until = f", due {moment(awaited.due)}" if awaited.due is not None else ""
    return f"Waiting for {named}{until}"


def _marks(event: CheckChanged) -> str:
    """Who can see this card, which is not everybody."""
    if event.audience.everyone:
        return ""
    told = {"gm_only": event.gm_only, "gms": event.audience.gms and not event.audience.people}
    return phrase("check-seen", visibility=event.visibility, over=event.over, **told)


def _rows(event: CheckChanged, table_id: int) -> Rows:
    """What is expected next, other choices, and what stands behind the neutral button."""
    gms = event.audience.gms
    buttons: list[Button] = []
    for each in event.asked:
        label = _label(each) or (ANSWER if each.gms and gms else "")
        if gms and each.people and not each.gms:
            continue  # that is for players to press
        if not label or (each.reacts and label == ANSWER) or each.choices:
            continue
        style: Style = "primary" if _waited(each) else "secondary"
        id = prompt_id(table_id, event.check, each.number, each.prompt)
        buttons.append(Button(id, limits.clip(label, limits.BUTTON_LABEL), style))
    # Where GMs answer for their own, nobody is called, and what is theirs to press stands behind the neutral button.
    asks_gms = event.owner is None and any(each.gms and not _label(each) for each in event.asked)
    react = event.react or (not any(each.gms for each in event.asked) if gms else asks_gms)
    window = _window(event)
    if react:
        style = "secondary" if window is None else "primary"
        buttons.append(Button(react_id(table_id, event.check), REACT, style))
    if window is not None:
        accept = prompt_id(table_id, event.check, window.number, window.prompt, "cha")
        buttons.append(Button(accept, passing(window.prompt)))
    return in_rows(buttons, limits.ROW_BUTTONS)[: limits.ROWS]


# --- calls --------------------------------------------------------------------------------------------------


def call_card(event: CheckChanged, scene: Scene) -> Layout:
    """The short message that calls somebody: an ordinary one, because a layout's notification is empty."""
    called = called_by(event, scene)
    again = "reminder: " if event.step == "reminded" else ""
    head, _ = _head(event, over=False)
    rows: Rows = ()
    asks = [each for each in event.asked if _waited(each)]
    if event.ping_gms:
        head = head if _verdict_of(event) is not None else _awaiting(event) or head
        mine = next((each for each in asks if each.gms), None)
        if mine is not None:
            id = prompt_id(scene.table_id, event.check, mine.number, mine.prompt)
            rows = ((Button(id, _label(mine) or ANSWER, "primary"),),)
    else:
        theirs = next((each for each in asks if set(each.people) & set(event.ping)), None)
        if theirs is not None:
            label = _label(theirs)
            id = prompt_id(scene.table_id, event.check, theirs.number, theirs.prompt)
            button = Button(id, limits.clip(label, limits.BUTTON_LABEL), "primary") if label else None
            rows = ((button or Button(react_id(scene.table_id, event.check), REACT, "primary"),),)
            if theirs.choices:
                rows = (tuple([_choice_button(id, each) for each in theirs.choices[:A_ROW]]),)
            if not any(isinstance(each, Verdict) for each in event.blocks):
                head = _called(theirs, [*event.blocks], event.actor)[0] if label else deed_text(event) or head
                by = event.actor
                if by is not None and by not in theirs.who and ref_text(by) not in head:
                    head = f"{deed_text(event)}. {head}."  # somebody else does it
                question = next(filter(_asks, event.blocks), None)
                if question is not None and theirs.button == "answer-reply":
                    head += f": “{user_text(limits.clip(question.text, _SNIPPET))}”"
    return Layout("open", rows_of(rows), None, f"{called.text}, {again}{head}", called.users, called.roles)


def called(card: Layout, event: CheckChanged, scene: Scene) -> Layout:
    """A card that not everybody sees, with the message that calls for it."""
    if not event.ping and not event.ping_gms:
        return card
    call = call_card(event, scene)
    return replace(card, call=call.call, mentions=call.mentions, role_mentions=call.role_mentions)


def _awaiting(event: CheckChanged) -> str:
    """What a GM has to answer; empty where nobody in particular does it."""
    if event.actor is None:
        return ""
    deed, idea = deed_text(event), _idea(event)
    if deed != ref_text(event.actor):
        return f"your call: {deed}" + (f", {idea}" if idea else "")
    return f"your call on {deed}: {idea}" if idea else f"your call on {deed}'s check"


def _idea(event: CheckChanged) -> str:
    """What somebody typed, in quotes."""
    typed = next((block.text for block in event.blocks if isinstance(block, Quote)), "")
    return f"“{user_text(limits.clip(typed, _SNIPPET))}”" if typed.strip() else ""


def still_called(call: CheckChanged, now: CheckChanged) -> bool:
    """Whether those whom a message has called are waited for as they were then."""
    reminded = now.step == "reminded" and set(call.ping) <= {*now.ping} and call.ping_gms <= now.ping_gms
    if now.over or reminded:  # a reminder calls anew
        return False

    def theirs(event: CheckChanged) -> set[tuple[str, int]]:
        return {
            (each.prompt, each.number)
            for each in event.asked
            if (each.gms and call.ping_gms) or {*each.people} & {*call.ping}
        }

    return not theirs(call).isdisjoint(theirs(now))


# --- what one may answer --------------------------------------------------------------------------------------


def option_text(option: Option) -> str:
    """`Re-roll Climbing, 1 Fate · 63%`, without Markdown."""
    text = say_bare(option.label)
    name = "" if option.cost is None else resource_text(option.cost.resource)
    if option.cost is not None and name.casefold().removesuffix("s") not in text.casefold():
        text += f", {option.cost.amount} {name}"
    if isinstance(option.odds, Fraction):
        text += f" · {say_bare(_NO_HELP) if hopeless(option) else percent(option.odds)}"
    return text


def hopeless(option: Option) -> bool:
    """Whether it is known to turn nothing around."""
    return option.odds == 0


def resource_text(key: str) -> str:
    """What points are called: `Fate`, `Life points`."""
    return say_bare(points_called(key))


def _whose(move: Move, scene: Scene, *, gm: bool) -> str:
    character = scene.state.characters.get(move.who)
    return "The GM" if character is None else bare_name(character, gm=gm)


def asked_once(moves: Sequence[Move]) -> tuple[Move, ...]:
    """What somebody may answer, where GMs are asked the same for an NPC of theirs and as GMs, once: as GMs."""
    about = [(move, (move.check, frozenset([option.value for option in move.options]))) for move in moves]
    gms = {key for move, key in about if move.who == THE_GMS}
    asked = {key for move, key in about if move.who != THE_GMS and not move.offer}
    return tuple(
        replace(move, offer=move.offer and not (move.who == THE_GMS and key in asked))
        for move, key in about
        if move.who == THE_GMS or key not in gms
    )


def _move_pieces(scene: Scene, move: Move) -> list[Piece]:
    """The options of one prompt, each with its button; many of them as a menu."""
    table_id, many = scene.table_id, len(move.options) > _LINES
    # What is expected stays a button, also where there is much else.
    lines = 0 if many and move.offer else 1 if many else len(move.options)
    pieces: list[Piece] = []
    hoped = next((each for each in move.options[:1] if not hopeless(each)), None)
    bare: list[Button] = []  # whose label already says everything
    for option in move.options[:lines]:
        name = say_bare(option.short or option.label) + ("…" if option.form is not None else "")
        label, told = limits.clip(name, limits.BUTTON_LABEL), option_text(option)
        expected = option is hoped and not move.offer
        style: Style = "primary" if expected else "secondary"
        button = Button(option_id(table_id, move, option.value), label, style)
        if label.removesuffix("…") == told:
            bare.append(button)
        else:
            pieces.append(Beside(user_text(told), button))
    rest = move.options[lines:]
    for page, at in enumerate(range(0, len(rest), limits.SELECT_OPTIONS)):
        entries = [(handle(option.value), option_text(option)) for option in rest[at:]]
        pieces.append(Row((limits.menu(option_id(table_id, move, str(page), "chm"), "Choose", entries),)))
    if move.passes:
        alone = not move.offer and bool(move.options) and all(map(hopeless, move.options))
        style = "primary" if alone else "secondary"
        bare.append(Button(option_id(table_id, move, PASS), passing(move.prompt), style))
    return [*pieces, *rows_of(in_rows(bare, A_ROW))]


def react_panel(
    event: CheckChanged, scene: Scene, moves: Sequence[Move], *, gm: bool, onward: Button
) -> Layout:
    """A check as one person may see it now, with a button for each thing they may answer; `onward` is what they can
    begin where that is nothing."""
    card = check_card(event, scene, copy=True)
    pieces: list[Piece] = [each for each in card.pieces if not isinstance(each, Small | Row | Beside)]
    moves = asked_once(moves)
    several = len({move.who for move in moves}) > 1
    before = ""
    for move in moves:
        whose, more = _whose(move, scene, gm=gm), _move_pieces(scene, move)
        if sum(isinstance(each, Row) for each in (*pieces, *more)) > limits.ROWS:
            pieces.append(Small("There is more: /moves lists everything."))
            break
        pieces.append(Heading(name_text(whose)) if several and whose != before else Gap())
        before = whose
        pieces += more
    if not moves:
        nothing = "Nothing for you to do here right now. `/moves` shows what waits for you elsewhere."
        pieces += [Gap(), Body(nothing), Row((onward,))]
    pieces += [*([Gap()] if moves else []), Small(f"check {event.check}")]
    return Layout("own", tuple(each for each in pieces if each != Small("")))


def done_card(event: CheckChanged, scene: Scene) -> Layout:
    """The short answer to whoever did something that everybody can see on the card itself.

    A GM who has to do the next thing as well, for an NPC of theirs perhaps, gets the button with it.
    """
    waits = _first(event)
    own = (event.owner is None and event.step == "begun") or event.led
    if event.step == "passed" and event.said is None:
        head = "Result accepted"
    elif event.said is not None:
        own_words = f"done-{event.said.code}" in TEMPLATES
        head = say(Text(f"done-{event.said.code}")) if own_words else f"Done: {say(event.said)}"
    elif event.step == "begun" and not own and waits is not None and waits.gms and not waits.who:
        head = SENT
    else:  # what nobody in particular does, says of itself what it is
        head = _head(event, over=event.over)[0] if event.actor is None else "Done"
    mine = (each for each in event.asked if (own or event.audience.gms) and each.gms and _waited(each))
    asked = next((each for each in mine if not each.reacts and not each.choices), None)
    rows: Rows = ()
    if asked is not None:
        id = prompt_id(scene.table_id, event.check, asked.number, asked.prompt)
        rows = ((Button(id, limits.clip(_label(asked) or ANSWER, limits.BUTTON_LABEL), "primary"),),)
    # What is nobody's deed at a table with a deck is about cards: a deal, a draw, a trade. GMs hold none.
    deck = ruled_deck(look(scene.state)) if event.actor is None and not event.audience.gms else None
    if deck is not None and not rows:
        rows = ((hand_button(scene.table_id, deck.id),),)
    told: list[Piece] = []
    verdict = _verdict_of(event)
    # What they have chosen, and what they alone know of the dice; a GM has just read what somebody else proposes.
    if not event.audience.everyone and (verdict is not None or not event.audience.gms):
        lead, rest = _leading(event, head, [each for each in event.blocks if not isinstance(each, Verdict)])
        if verdict is not None:
            lead.insert(0, f"**{verdict_text(verdict, so_far=True)}**")
        told = [*result(rest, who="\n".join(lead)).pieces, Gap()]
    small = Small(f"See the card of check {event.check}")
    return Layout("own", (Head(head), *told, small, *rows_of(rows)))


# --- lists ----------------------------------------------------------------------------------------------------


def _listed(event: CheckChanged) -> str:
    """Who does what with what, in a line of a list."""
    deed = deed_text(event) or "A check"
    what = [each.value for each in event.blocks if isinstance(each, Fact) and each.what.code == "check-with"]
    return f"{deed}, {value_text(what[0])}" if what and event.target is None else deed


def moves_lines(
    scene: Scene,
    moves: Sequence[Move],
    views: Mapping[str, CheckChanged],
    *,
    gm: bool,
    links: Mapping[str, str] = MappingProxyType({}),
) -> tuple[tuple[str, Button], ...]:
    """What somebody may answer, a text a check with the button that opens it; where they are waited for first.

    `views` are the checks as whoever looks may see them, `links` the web addresses of their cards.
    """
    by_check: dict[str, list[Move]] = {}
    for move in asked_once(moves):
        by_check.setdefault(move.check, []).append(move)
    found: list[tuple[bool, str, Button]] = []
    for key, mine in by_check.items():
        check = scene.state.checks[key]
        told, idea = _listed(views[key]), _idea(views[key])
        words: list[str] = []
        for move in mine:
            what = [user_text(say_bare(each.short or each.label)) for each in move.options]
            what += [passing(move.prompt)] * move.passes
            if move.who == THE_GMS and (move.offer or len(what) > _TOLD):
                continue  # the button opens it with everything
            what = what if len(what) <= _TOLD else [*what[: _TOLD - 1], "more"]
            theirs = move.who != check.actor and not (gm and move.who == THE_GMS)
            whose = f". {name_text(_whose(move, scene, gm=gm))}: " if theirs else "; " if words else ": "
            words.append(f"{whose}{listing(what, 'or')}")
        offered = all(move.offer for move in mine)
        answers = [move for move in mine if move.who == THE_GMS and not move.offer]
        id = react_id(scene.table_id, key)
        what = "".join(words)
        if len(answers) == 1 and all(each.form is not None for each in answers[0].options):
            # The form that it opens lists what may be answered.
            id, what = prompt_id(scene.table_id, key, answers[0].number, answers[0].prompt), ""
        button = Button(id, f"{ANSWER if answers and not offered else 'Open'} · {key}")
        show = "show" if idea else "show the card"
        small = " · ".join(filter(None, [idea, f"[{show}]({links[key]})" if key in links else ""]))
        found.append((offered, f"{key} · {told}{what}" + (f"\n-# {small}" if small else ""), button))
    found.sort(key=lambda each: each[0])
    return tuple([(text, button) for _, text, button in found])


def spendings_card(
    scene: Scene, found: Sequence[Spending], reasons: Sequence[tuple[str, Line]], *, gm: bool, onward: Button
) -> Layout:
    """Each thing that can be spent with its button, and for the other open checks why there is nothing; `onward` is
    what whoever asks can begin where none is open."""
    pieces: list[Piece] = [Head("What you can spend now")]
    why: list[Piece] = [
        Beside(f"{check}: {sentence(say(line))}", Button(react_id(scene.table_id, check), f"Open {check}"))
        for check, line in reasons[:_MOST]
    ]
    for each in found[:_MOST]:
        id = option_id(scene.table_id, each.move, each.option.value)
        # The line says what it is; the button is what `what` and `choice` would be.
        label = say_bare(each.option.short) if each.option.short else resource_text(each.what)
        label += f": {each.choice.strip(':')}" if each.choice and not each.option.short else ""
        whose = name_text(_whose(each.move, scene, gm=gm))
        said = f"**{whose}**, {each.check}\n{user_text(option_text(each.option))}"
        pieces.append(Beside(said, Button(id, limits.clip(label, limits.BUTTON_LABEL))))
    if len(found) > _MOST:
        pieces.append(Small("There's more: `/moves` opens each check."))
    if not found:
        nothing = "You can't spend anything right now." if why else "You have no open check to spend on."
        pieces.append(Body(nothing))
        why = why or [Row((onward,))]
    elif why:
        pieces += [Gap(), Body("Nothing to spend on:")]
    return Layout("own", (*pieces, *why))


def named_check(check: AnyCheck, name: str) -> str:
    """A check for a list of suggestions; `name` is what whoever looks calls the character."""
    idea = bare_text(check.approach)
    return limits.clip(f"{check.id} · {name}: {idea}" if idea else f"{check.id} · {name}", limits.CHOICE_TEXT)


def open_lines(scene: Scene, game: Game) -> list[str | Piece]:
    """The checks that are open as far as whoever looks may know, a line each with who is waited for; the oldest with
    a button that opens them."""
    lines: list[str | Piece] = []
    for check in game.state.checks.values():
        if not is_open_to(game, check, game.actor):
            continue
        view = view_of(game, check)
        told, idea = _listed(view), _idea(view)
        names = dict.fromkeys(map(_named, filter(_waited, view.asked)))
        line = f"- {check.id} · {told}" + (f": waiting for {listing(names)}" if names else "")
        line += f"\n-# {idea}" if idea else ""
        opened = Button(react_id(scene.table_id, check.id), f"Open {check.id}")
        lines.append(Beside(line, opened) if len(lines) < _OPENED else line)
    return lines


def told_in(events: Sequence[Event]) -> CheckChanged | None:
    """The first of these that is about a check."""
    return next((event for event in events if isinstance(event, CheckChanged)), None)
