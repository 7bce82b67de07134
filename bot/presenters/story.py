"""Lines of the story in words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.checks import deed_line
from bot.presenters.controls import Button, Rows
from bot.presenters.events import event_cards
from bot.presenters.language.limits import clip
from bot.presenters.language.text import Markdown, listing, timestamp_text, unescape, user_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Accent, Gap, Head, Heading, Layout, Piece, Section, SmallPrint
from bot.presenters.log import SAID_LENGTH, verdict_summary
from bot.presenters.pending_matters import TodoLine
from bot.presenters.scene import Scene
from bot.services.story import StoryLine
from rules.core.record import Record
from rules.table.blocks import Note, Quote, Ref
from rules.table.clock.digests import digest_params
from rules.table.events import BoardChanged, CheckChanged, DiceRolled, Notice, Said, SealRead
from rules.table.state import SYSTEM

#: Most letters of a line.
LINE_LENGTH: Final = 300
#: Lines of a page of the story, and most lines of a public message of it.
PAGE_LINES: Final = 12
PUBLIC_LINES: Final = 24
#: Most lines of what was done for a reader, of what waits, and of a page.
MAX_DEEDS: Final = 8
MAX_WAITS: Final = 4
#: Most lines of a digest, and kinds of lines that it says in other words or not at all.
DIGEST_LINES: Final = 15
_NOT_IN_DIGEST: Final = (
    *("absence", "aside", "cards", "correction", "deed", "roll", "said", "setting", "table"),
)

#: Notices of an absence and of its end.
_ABSENCES: Final = ("arranged-away", "arranged-treated-away", "arranged-back")
#: Kinds of lines whose message says below its head who got what.
_KINDS_WITH_LINES: Final = ("award", "harm")


def line_text(line: StoryLine, scene: Scene) -> str:
    """Return a line of the story in Markdown, without its time, place and link.

    It says what the event says, with the names that the hearer knew then.
    """
    event = line.event
    if line.step is not None:
        text = _step_text(line, scene)
    elif isinstance(event, CheckChanged):
        text = _check_text(event)
    elif isinstance(event, BoardChanged) and line.kind == "fight":
        text = _fight_text(event)
    elif isinstance(event, Said):
        said = clip(" ".join(event.text.split()), SAID_LENGTH)
        text = phrase("story-said", name=event.name, text=said)
    elif isinstance(event, SealRead):
        read = clip(" ".join(event.text.split()), SAID_LENGTH)
        text = phrase("story-seal", name=event.name, text=read)
    elif isinstance(event, Notice) and event.what in _ABSENCES:
        text = _absence_text(event, scene)
    elif isinstance(event, Notice) and line.kind == "scene":
        begins = event.what == "scene-begins"
        text = phrase("story-scene", about=event, begins=begins, **event.params)
    else:
        text = _message_head(line, scene)
    return clip(" ".join(text.split()), LINE_LENGTH)


def _check_text(event: CheckChanged) -> str:
    """Return who did what in a check, and what came of it."""
    verdict = verdict_summary(event.blocks)
    if not verdict:
        notes = [block.text for block in event.blocks if isinstance(block, Note)]
        verdict = next((say(note) for note in notes if note.code == "check-rolled-blind"), "")
    return phrase(
        "story-check", deed=Markdown(deed_line(event)), verdict=Markdown(verdict.rstrip("."))
    )


def _fight_text(event: BoardChanged) -> str:
    """Return that initiative begins, which round it is, or that it is over."""
    if event.step == "started":
        return phrase("story-fight-begins")
    about = {"round": event.round, "timeline": event.timeline}
    if event.step == "ended":
        return phrase("story-fight-over", **about)
    return phrase("story-fight-round", **about)


def _step_text(line: StoryLine, scene: Scene) -> str:
    """Return a step that was taken for a character, and who or what took it."""
    step, event = line.step, line.event
    assert step is not None and isinstance(event, CheckChanged)
    said = "" if step.said is None else say(step.said)
    by_clock = line.by == SYSTEM
    how = "clock" if step.how == "self" and by_clock else step.how
    return phrase(
        "story-deed",
        who=step.who,
        said=Markdown(said or phrase("story-passed")),
        kind=event.kind,
        how=how,
        gm=event.by_gm,
        by=Markdown(scene.names.name(line.by)) if line.by else None,
    ).rstrip(".")


def _absence_text(event: Notice, scene: Scene) -> str:
    """Return who is away until when, or who is back."""
    back = event.what == "arranged-back"
    # A GM or the clock may have noted the absence, or its end.
    player = str(event.params.get("who") or event.by)
    by = Markdown(scene.names.name(player))
    return phrase("story-away", by=by, back=back, until=event.params.get("until"))


def _message_head(line: StoryLine, scene: Scene) -> str:
    """Return the head of the message that told of an event, with what it awards or harms."""
    layout = event_cards((line.event,), scene, line.entry, closed=True)[0]
    head = head_text(layout)
    if isinstance(line.event, DiceRolled):
        rolled, reason = user_text(line.event.text), user_text(line.event.reason)
        return f"{head}: {', '.join(filter(None, (rolled, reason)))}"
    if line.kind not in _KINDS_WITH_LINES or not isinstance(line.event, Notice):
        return head
    lines = "; ".join([say(text).rstrip(".") for text in line.event.lines])
    if line.kind == "award" and lines:
        return phrase("story-award", what=Markdown(lines), note=line.event.note)
    return f"{head}: {lines}" if lines else head


def head_text(layout: Layout) -> str:
    """Return what a message says first: its head, or else its first line."""
    heads = [piece.text for piece in layout.pieces if isinstance(piece, Head)]
    return heads[0] if heads else layout.call.partition("\n")[0]


# --- messages -------------------------------------------------------------------------------------


class Page(Record):
    """A page of lines, newest first."""

    lines: tuple[StoryLine, ...]
    number: int
    #: Number of pages.
    pages: int


def page_of(lines: Sequence[StoryLine], number: int) -> Page:
    """Return a page of lines that come oldest first; the last page if there are fewer."""
    pages = max(1, -(-len(lines) // PAGE_LINES))
    number = min(number, pages - 1)
    newest_first = lines[::-1]
    return Page(tuple(newest_first[number * PAGE_LINES : (number + 1) * PAGE_LINES]), number, pages)


def story_lines(lines: Iterable[StoryLine], scene: Scene, here: str) -> str:
    """Return lines of the story, a line of Markdown each, with time, place and link."""
    texts: list[str] = []
    for line in lines:
        texts.append(
            phrase(
                "story-line",
                text=Markdown(line_text(line, scene)),
                secret=line.secret,
                at=Markdown(timestamp_text(line.at)),
                place="" if line.place == here or line.link else line.place,
                link=Markdown(line.link),
            )
        )
    return "\n".join(texts)


def recap_id(table_id: int, after: int, last: int, page: int, *, since_here: bool) -> str:
    """Return the id of a button that shows a page of the story between two entries."""
    return f"sg:recap:{table_id}:{after}:{last}:{page}:{'here' if since_here else 'span'}"


def found_id(table_id: int, search: str, page: int) -> str:
    """Return the id of a button that shows a page of what a search has found."""
    return f"sg:found:{table_id}:{search}:{page}"


def catch_up_button(table_id: int) -> Button:
    """Return the button that shows its reader the story since they were last here."""
    return Button(f"sg:since:{table_id}", label_text("recap-since-here"))


def catch_up_card(
    scene: Scene,
    *,
    since: int | None,
    waits: Sequence[TodoLine],
    deeds: Sequence[StoryLine],
    page: Page,
    rows: Rows,
    here: str,
) -> Layout:
    """Return what waits for a reader, what was done for them, and the story since they were here.

    `since` is in seconds since 1970; None for a reader who was never here.
    """
    nothing = not (deeds or page.lines)
    pieces: list[str | Piece] = []
    if page.number == 0:
        pieces += _wait_pieces(waits)
        if deeds:
            shown = deeds[-MAX_DEEDS:]
            pieces += [Heading(phrase("recap-deeds")), story_lines(shown[::-1], scene, here)]
            if len(deeds) > len(shown):
                pieces.append(SmallPrint(phrase("recap-more", count=len(deeds) - len(shown))))
    if page.lines:
        pieces += [Heading(phrase("recap-story")), story_lines(page.lines, scene, here)]
    ago = None if since is None else Markdown(timestamp_text(since))
    facts = {"nothing": nothing, "since": since, "ago": ago, "waits": len(waits)}
    return card("own", "catch-up", None, *pieces, rows=rows, **facts)


def _wait_pieces(waits: Sequence[TodoLine]) -> list[str | Piece]:
    """Return what waits for the reader, each with its button if it has a single one."""
    if not waits:
        return []
    pieces: list[str | Piece] = [Heading(phrase("recap-waits"))]
    for text, doing in waits[:MAX_WAITS]:
        pieces.append(Section(text, doing) if isinstance(doing, Button) else text)
    if len(waits) > MAX_WAITS:
        pieces.append(SmallPrint(phrase("recap-more-waits", count=len(waits) - MAX_WAITS)))
    return pieces


def recap_card(
    scene: Scene, *, since: int | None, page: Page, rows: Rows, here: str, gm: bool
) -> Layout:
    """Return the story of a span for one reader."""
    lines = [story_lines(page.lines, scene, here)] if page.lines else []
    accent: Accent = "gm" if gm else "own"
    return card(accent, "recap", None, *lines, rows=rows, since=since, nothing=not lines)


def public_recap_card(
    scene: Scene, *, since: int | None, lines: Sequence[StoryLine], here: str
) -> Layout:
    """Return the story of a span as everybody in a place was told it, oldest first."""
    shown = lines[-PUBLIC_LINES:]
    body = [story_lines(shown, scene, here)] if shown else []
    earlier = len(lines) - len(shown)
    if earlier:
        body.insert(0, phrase("recap-earlier", count=earlier))
    return card("waiting", "recap", None, *body, since=since, nothing=not shown)


# --- search ---------------------------------------------------------------------------------------


def find_lines(
    lines: Sequence[StoryLine], words: Sequence[str], scene: Scene
) -> tuple[StoryLine, ...]:
    """Return the lines that hold all words, in small letters, oldest first.

    A line is searched as the reader reads it, with the players' own words of a check.
    """
    found: list[StoryLine] = []
    for line in lines:
        text = unescape(f"{line_text(line, scene)} {_quoted_words(line)}").casefold()
        if all(word in text for word in words):
            found.append(line)
    return tuple(found)


def _quoted_words(line: StoryLine) -> str:
    """Return the words that players typed in a check, as a character, or a GM in a sealed text."""
    if isinstance(line.event, Said | SealRead):
        return line.event.text
    if not isinstance(line.event, CheckChanged):
        return ""
    return " ".join([block.text for block in line.event.blocks if isinstance(block, Quote)])


def found_lines_card(
    scene: Scene, text: str, page: Page, count: int, *, rows: Rows, here: str, gm: bool
) -> Layout:
    """Return a page of the lines that a search has found, newest first.

    `count` is the number of lines on all pages.
    """
    body = [story_lines(page.lines, scene, here)] if page.lines else []
    accent: Accent = "gm" if gm else "own"
    return card(accent, "log-found", None, *body, rows=rows, text=text, count=count)


# --- the weekly digest ----------------------------------------------------------------------------


def digest_card(
    scene: Scene,
    *,
    lines: Sequence[StoryLine],
    waiting_for: Sequence[Ref],
    gms: bool,
    away: Sequence[tuple[str, int | None]],
    here: str,
) -> Layout:
    """Return what everybody in a place was told in a week, and what waits now.

    `waiting_for` are the characters that the public knows to be waited for. With `gms` the public
    knows that the GMs are waited for. `away` are participants with the ends of their absences. The
    digest mentions no one.
    """
    # A correction has a line for each place in which it was told.
    correctors = {line.entry: line.by for line in lines if line.kind == "correction"}
    told = [line for line in lines if line.kind not in _NOT_IN_DIGEST]
    shown = _notable_lines(told)
    pieces: list[str | Piece] = []
    if shown:
        pieces.append(story_lines(shown, scene, here))
    if len(told) > len(shown):
        pieces.append(SmallPrint(phrase("digest-more", count=len(told) - len(shown))))
    if correctors:
        pieces.append(_corrections_text(correctors.values(), scene))
    if waiting_for or gms:
        pieces += [Gap(), phrase("digest-waits", who=tuple(waiting_for), gms=gms)]
    for person, until in away:
        name = Markdown(scene.names.name(person))
        pieces.append(phrase("story-away", by=name, back=False, until=until))
    results = sum(line.kind == "check" for line in told)
    fights = sum(_is_end_of_fight(line) for line in told)
    return card(
        "waiting",
        "digest",
        None,
        *pieces,
        table=scene.state.settings.name,
        checks=results,
        fights=fights,
        quiet=not told and not correctors,
    )


def _corrections_text(correctors: Collection[str], scene: Scene) -> str:
    """Return how many corrections were made, and by whom; *correctors* has one for each."""
    names = dict.fromkeys(scene.names.name(person) for person in correctors)
    return phrase("digest-corrections", count=len(correctors), by=Markdown(listing(names)))


def digest_now_card(scene: Scene) -> Layout:
    """Return when the table's digest is posted, for a GM."""
    state = scene.state
    params = digest_params(state.settings.digest, state.counters.digest)
    return card("gm", "digest-now", None, about=None, rows=(), attachment=None, **params)


def _is_end_of_fight(line: StoryLine) -> bool:
    return isinstance(line.event, BoardChanged) and line.event.step == "ended"


def _notable_lines(lines: Sequence[StoryLine]) -> list[StoryLine]:
    """Return the lines of a digest, oldest first: checks only as far as there is room."""
    rare = [line for line in lines if line.kind != "check"][-DIGEST_LINES:]
    results = [line for line in lines if line.kind == "check"]
    room = DIGEST_LINES - len(rare)
    if room:
        rare += results[-room:]
    return sorted(rare, key=lambda line: (line.at, line.entry))
