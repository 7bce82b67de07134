"""The story for one user: since they were last here, of a span, and what a search finds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from bot.delivery.shared_places import places_shared_with
from bot.presenters.controls import Button, Rows
from bot.presenters.language.words import label_text
from bot.presenters.layout import Layout
from bot.presenters.story import (
    Page,
    catch_up_card,
    find_lines,
    found_id,
    found_lines_card,
    page_of,
    public_recap_card,
    recap_card,
    recap_id,
)
from bot.services.catch_up import Span, mark_caught_up, span_since_last_here
from bot.services.story import (
    STORY_KINDS,
    Hearer,
    Story,
    StoryLine,
    hearer_for,
    public_hearer,
    read_story,
)
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts, new_draft
from bot.ui.other_tables import todos_at_table
from rules.core.errors import InvalidInput

#: Kind of the drafts that keep what a user has searched for.
_SEARCH: Final = "log"
#: Most lines that are searched at once; more are searched by the worker process.
_SEARCHED_AT_ONCE: Final = 300
#: Most lines that the worker process gets at a time. More would hold up the bot while they are
#: packed, and everything else that the worker process is asked for.
_SEARCHED_ASIDE: Final = 1000


async def show_catch_up(ctx: Context) -> None:
    """Show what waits for the user, what was done for them, and the story since they were here."""
    tables = ctx.interactions.tables
    span = await span_since_last_here(tables, ctx.reader)
    story = await _read(ctx, await hearer_for(tables, ctx.reader), span.after, None)
    await ctx.show(await _catch_up_page(ctx, story, span, 0))
    await mark_caught_up(tables, ctx.reader, story.last)


async def show_span(ctx: Context, span: Span) -> None:
    """Show the story of a span to the user alone."""
    hearer = await hearer_for(ctx.interactions.tables, ctx.reader)
    story = await _read(ctx, hearer, span.after, None)
    await ctx.show(_span_page(ctx, story, span, 0))


async def show_page(ctx: Context, after: int, last: int, number: int, *, since_here: bool) -> None:
    """Show another page of the story between two entries."""
    tables = ctx.interactions.tables
    story = await _read(ctx, await hearer_for(tables, ctx.reader), after, last)
    row = await tables.store.entry_at(ctx.table.id, after)
    span = Span(after, None if row is None else row.at)
    if since_here:
        await ctx.show(await _catch_up_page(ctx, story, span, number))
    else:
        await ctx.show(_span_page(ctx, story, span, number))


async def public_story(ctx: Context, after: int, last: int) -> Layout:
    """Return the story between two entries as everybody in the place was told it."""
    tables = ctx.interactions.tables
    places = tables.places.places_of(ctx.table.id)
    shared = places_shared_with(ctx.interaction.guild, ctx.place, places)
    story = await _read(ctx, public_hearer(shared), after, last)
    row = await tables.store.entry_at(ctx.table.id, after)
    since = None if row is None else row.at
    return public_recap_card(ctx.scene, since=since, lines=_told_lines(story), here=ctx.place)


async def show_found_lines(ctx: Context, text: str) -> None:
    """Show the newest lines of the story that hold all words of a text.

    Raises InvalidInput("no-search-words").
    """
    if not text.split():
        raise InvalidInput("no-search-words", field="text", value=None)
    await _show_found(
        ctx, new_draft(_SEARCH, ctx.table.id, ctx.interaction.user.id, {"text": text}), 0
    )


async def show_found_page(ctx: Context, draft_id: str, number: int) -> None:
    """Show another page of what a search has found. Raises as `Drafts.load`."""
    search = await _drafts(ctx).load(draft_id, _SEARCH, ctx.interaction.user.id)
    await _show_found(ctx, search, number)


def _drafts(ctx: Context) -> Drafts:
    return Drafts(ctx.interactions.tables.store, ctx.interactions.clock)


async def _show_found(ctx: Context, search: Draft, number: int) -> None:
    """Show a page of a search. Its pages are those of the entries that there were at first."""
    tables, text = ctx.interactions.tables, str(search.values["text"])
    words, last = text.casefold().split(), search.values.get("last")
    story = await _read(ctx, await hearer_for(tables, ctx.reader), 0, last)
    lines = story.lines
    if len(lines) > _SEARCHED_AT_ONCE:
        found: tuple[StoryLine, ...] = ()
        for start in range(0, len(lines), _SEARCHED_ASIDE):
            part = lines[start : start + _SEARCHED_ASIDE]
            found += await tables.aside(find_lines, part, words, ctx.scene)
    else:
        found = find_lines(lines, words, ctx.scene)
    page = page_of(found, number)
    if page.pages > 1 and last is None:
        search.values["last"] = story.last
        await _drafts(ctx).save(search)
    rows = _page_buttons(page, lambda number: found_id(ctx.table.id, search.id, number))
    card = found_lines_card(ctx.scene, text, page, len(found), rows=rows, here=ctx.place, gm=ctx.gm)
    await ctx.show(card)


async def _read(ctx: Context, hearer: Hearer, after: int, last: int | None) -> Story:
    tables = ctx.interactions.tables
    story = await read_story(tables, ctx.table, hearer, after=after, last=last)
    return story.replace(
        lines=_without_unseen_places(story.lines, hearer),
        deeds=_without_unseen_places(story.deeds, hearer),
    )


def _without_unseen_places(lines: Iterable[StoryLine], hearer: Hearer) -> tuple[StoryLine, ...]:
    """Return lines without the places that the hearer can't view, which Discord wouldn't name.

    The thread of a whisper scene that the hearer has left is one.
    """
    named: list[StoryLine] = []
    for line in lines:
        is_seen = hearer.gm or line.place in hearer.readable
        named.append(line if is_seen else line.replace(place=""))
    return tuple(named)


def _told_lines(story: Story) -> list[StoryLine]:
    """Return the lines that make up a recap."""
    return [line for line in story.lines if line.kind in STORY_KINDS]


async def _catch_up_page(ctx: Context, story: Story, span: Span, number: int) -> Layout:
    """Return a page of the catch-up; the story leaves out what was done for the reader."""
    done = {(line.check, line.kind) for line in story.deeds if line.kind == "check"}
    entries = {line.entry for line in story.deeds if line.kind != "deed"}
    lines: list[StoryLine] = []
    for line in _told_lines(story):
        if (line.check, line.kind) not in done and line.entry not in entries:
            lines.append(line)
    page = page_of(lines, number)
    waits = await todos_at_table(ctx.interactions.tables, ctx.reader, ctx.place)
    return catch_up_card(
        ctx.scene,
        since=span.since,
        waits=waits.yours,
        deeds=story.deeds,
        page=page,
        rows=_turns(ctx, story, span, page, since_here=True),
        here=ctx.place,
    )


def _span_page(ctx: Context, story: Story, span: Span, number: int) -> Layout:
    page = page_of(_told_lines(story), number)
    rows = _turns(ctx, story, span, page, since_here=False)
    if ctx.gm and page.lines and not ctx.in_gm_channel:
        id = f"sg:tell:{ctx.table.id}:{span.after}:{story.last}"
        rows = (*rows, (Button(id, label_text("recap-post")),))
    return recap_card(ctx.scene, since=span.since, page=page, rows=rows, here=ctx.place, gm=ctx.gm)


def _turns(ctx: Context, story: Story, span: Span, page: Page, *, since_here: bool) -> Rows:
    """Return the buttons that lead to newer and older lines of the story."""

    def id_of(number: int) -> str:
        return recap_id(ctx.table.id, span.after, story.last, number, since_here=since_here)

    return _page_buttons(page, id_of)


def _page_buttons(page: Page, id_of: Callable[[int], str]) -> Rows:
    """Return the buttons that lead to newer and older lines, with the ids of their pages."""
    newer, older = label_text("recap-newer"), label_text("recap-older")
    buttons: list[Button] = []
    for number, label in ((page.number - 1, newer), (page.number + 1, older)):
        if 0 <= number < page.pages:
            buttons.append(Button(id_of(number), label))
    return (tuple(buttons),) if buttons else ()
