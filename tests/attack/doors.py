"""The doors: everything by which a person gets to see checks and entries of the journal.

A new command, route, form, completion or read of the journal belongs in one of these lists. Think
of whom it shows what, and where that was told: `bot.services.readers` says who may be shown it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final


def _in(module: str, names: str) -> frozenset[str]:
    return frozenset(f"{module}.{name}" for name in names.split())


#: Commands that show checks, entries or places, and to whom.
SHOWING_COMMANDS: Final[Mapping[str, str]] = {
    "barmore team join": "checks, by `find_check`",
    "barmore team roll": "one's own checks, by `available_moves`",
    "gm digest": "entries, by `Hearer.was_told` of the public of a place, to that place",
    "chronicle": "entries as told then, by `Hearer.was_told`; all can view the public one's places",
    "gm export": "entries: all for GMs, for players those told where all of them can view it",
    "gm log": "entries, to GMs",
    "gm undo": "entries, to GMs",
    "gm amend": "entries, to GMs",
    "log": "entries, by `Hearer.was_told`",
    "mb declare": "the order of action, here",
    "moves": "one's moves, by `available_moves`, here and at other tables",
    "odds": "a check, by `find_check`",
    "orders wait": "a check, by `find_check`",
    "privacy export": "one's own words and acts, wherever they were said",
    "recap": "entries, by `Hearer.was_told`; one's moves, by `available_moves`",
    "scene list": "scenes with the names that players know, by `Reader.can_view`",
    "spend": "one's checks, by `find_check` and `is_open_to`",
    "table doctor": "places, by `Reader.can_view`",
    "table fair show": "entries, by `Reader.shown_events`",
    "table last": "entries, by `Reader.fullest_events`",
    "table show": "checks, by `is_open_to`; places, scenes, turns, by `can_view` and `may_read`",
    "table undo": "one's own last entry",
    "table waiting": "the agenda, by `may_see_check`, `may_see_prompt` and `may_read`",
    **{
        f"initiative {verb}": "the order of action, here"
        for verb in (*("add", "delay", "end", "join", "next", "order", "remove", "show", "start"),)
    },
}
#: Commands that show, besides what they have just done, only what belongs to the table and to no
#: place: characters, decks, settings, rules.
OTHER_COMMANDS: Final[tuple[str, ...]] = (
    "attack",
    "away",
    "barmore act",
    "barmore at-once",
    "barmore switch",
    "barmore task accept",
    "barmore task drop",
    "barmore task roll",
    "barmore task show",
    "barmore task start",
    "barmore team start",
    "card discard",
    "card give",
    "card hand",
    "card play",
    "card show",
    "character advance",
    "character create",
    "character edit",
    "character export",
    "character give",
    "character import",
    "character improve",
    "character learn",
    "character list",
    "character retire",
    "character show",
    "character use",
    "check",
    "contest",
    "deck import",
    "deck info",
    "deck remove",
    "deck reshuffle",
    "deck shuffle",
    "delegate",
    "draw-card",
    "ebb anomaly",
    "ebb artefact",
    "effect build",
    "effect cast",
    "effect disbelieve",
    "effect end",
    "effect learn",
    "effect list",
    "effect quick",
    "effect resist",
    "effect running",
    "effect share",
    "effect show",
    "effect steer",
    "effect use",
    "effect ward",
    "ego act",
    "ego buy",
    "ego fall",
    "ego funds",
    "ego karma now",
    "ego karma plan",
    "ego lift",
    "ego magazine",
    "ego move",
    "ego odds",
    "ego throw",
    "ego use",
    "ego vehicle add",
    "ego vehicle board",
    "ego vehicle brake",
    "ego vehicle collide",
    "ego vehicle damage",
    "ego vehicle emergency",
    "ego vehicle maneuver",
    "ego vehicle move",
    "ego vehicle remove",
    "ego vehicle repair",
    "ego vehicle show",
    "gm adjust",
    "gm award",
    "gm bind",
    "gm campaign",
    "gm channel",
    "gm deadline",
    "gm deputy",
    "gm import",
    "gm members",
    "gm npc add",
    "gm npc alias",
    "gm npc edit",
    "gm npc list",
    "gm npc remove",
    "gm npc reveal",
    "gm pause",
    "gm rest",
    "gm resume",
    "gm roll",
    "gm seat close",
    "gm seat open",
    "gm settings",
    "gm takeover",
    "gm time",
    "gm unbind",
    "heal",
    "help",
    "mb act",
    "mb adventure act",
    "mb adventure end",
    "mb adventure scene",
    "mb adventure start",
    "mb background award",
    "mb background contact",
    "mb background due",
    "mb background find",
    "mb background flaw",
    "mb background heel",
    "mb background lose",
    "mb background pay",
    "mb background quirk",
    "mb background recognize",
    "mb background show",
    "mb card approve",
    "mb card campaign",
    "mb card fast",
    "mb card luck",
    "mb card martyr",
    "mb card moment",
    "mb card play",
    "mb card pool",
    "mb card rescue",
    "mb card ruling",
    "mb card seat",
    "mb card side",
    "mb card trade",
    "mb card use",
    "mb convert",
    "mb deck blank",
    "mb deck fiat",
    "mb deck peek",
    "mb deck stack",
    "mb defend",
    "mb drive",
    "mb fall",
    "mb find",
    "mb interact",
    "mb memory",
    "mb move",
    "mb odds",
    "mb preset",
    "mb reload",
    "mb rounds",
    "mb skill",
    "mb study",
    "mb surprise",
    "mb task clock",
    "mb task ditch",
    "mb task end",
    "mb task show",
    "mb task start",
    "mb task try",
    "mb value",
    "notify",
    "orders ask",
    "orders give",
    "orders list",
    "orders npc",
    "orders take",
    "orders words",
    "privacy delete",
    "roll",
    "roll-save",
    "scene end",
    "scene join",
    "scene leave",
    "scene start",
    "scene summary",
    "session end",
    "session show",
    "session start",
    "setup",
    "table fair rotate",
    "table plain",
)

#: Routes of buttons, menus and dialogs that show checks, entries or places.
SHOWING_ROUTES: Final[Mapping[str, str]] = {
    "again": "the entry of a roll, by `Reader.shown_events`, where it was thrown",
    "board": "the order of action of a place, by `Context.move_to`",
    "cha": "a check, by `find_check`",
    "chk": "a check, by `find_check`",
    "chm": "a check, by `find_check`",
    "cho": "a check, by `find_check`",
    "chq": "a check, by `find_check`",
    "chw": "a check, by `find_check`",
    "close": "checks, to GMs",
    "deliver": "what was not delivered, to GMs",
    "fm": "forms: see below",
    "fmm": "forms: see below",
    "last": "an entry, by `Reader.fullest_events`",
    "moves": "as `/moves`",
    "notice": "one's moves, by `available_moves`, at all one's tables",
    "npc": "NPCs in the order of action of a place, to GMs",
    "npcs": "NPCs in the order of action of a place, to GMs",
    "origin": "an entry, by `Reader.shown_events`",
    "own": "checks by a system's own command, by `Context.game`",
    "more": "a check, by `find_check`",
    "recap": "as `/recap`",
    "say": "a check, by `find_check`",
    "show": "an entry, by `Reader.shown_events`",
    "since": "as `/recap`",
    "tell": "entries, by `Hearer.was_told` of the public of a place, to that place",
    **dict.fromkeys(("sip", "sic", "sim", "sia"), "a check, by `find_check`"),
    **dict.fromkeys(("sil", "sit", "siq"), "an entry, to GMs"),
    "table": "as `/table show`",
    "undo": "entries, to GMs",
    **dict.fromkeys(("amu", "amy", "aml", "amo"), "entries, to GMs"),
    "words": "a check that is begun in a place, to GMs, by `Context.move_to`",
    "absent": "an order of action in a place, to GMs, by `Context.move_to`",
}
OTHER_ROUTES: Final = frozenset(
    [
        "appl",
        "appr",
        "back",
        "cover",
        "deck",
        "deputy",
        "first",
        "forget",
        "gather",
        "give",
        "gmch",
        "gms",
        "grow",
        "hand",
        "help",
        "imp",
        "join",
        "look",
        "nogm",
        "notify",
        "offer",
        "order",
        "page",
        "release",
        "rise",
        "seat",
        "session",
        "set",
        "setm",
        "setup",
        "sheet",
        "time",
        "use",
    ]
)

#: Owners of forms: what they show is asked for anew each time.
SHOWING_FORMS: Final[Mapping[str, str]] = {
    "bg": "a check that is begun in a place, by `Context.move_to`",
    "cmd": "what a system's own command shows, by `Context.game`",
    "pr": "a check, by `find_check`",
    "own": "checks by a system's own command, by `Context.game`",
}
OTHER_FORMS: Final = frozenset({"back", "ready", "refuse", "sheet"})

#: Commands of a message's menu.
MESSAGE_COMMANDS: Final[Mapping[str, str]] = {
    "Verify this roll": "entries, by `Reader.shown_events`",
    "Check for this post": "nothing that the bot was told",
}

#: Completions that are not made by `completer`, which looks at the table as a `Reader` does.
COMPLETIONS: Final[Mapping[str, str]] = {
    "cogs.dice_completions.dice": "one's own saved rolls",
    "cogs.dice_completions.named_values": "one's own character",
    "cogs.cards.deck_names": "the table's decks",
    "cogs.gm.Gm._entry": "entries, to GMs",
    "cogs.gm_amend.AmendCommands._amended_entry": "entries, to GMs",
    "cogs.gm_clock.ClockCommands._zones": "time zones of the world",
    "cogs.gm_digest.DigestCommands._digest_zones": "names of time zones",
}

#: Functions that read the journal or the outbox, by why nobody is shown too much by them.
READS: Final[Mapping[str, frozenset[str]]] = {
    "the answer itself": _in("bot.services.readers.Reader", "_may_know"),
    "by a reader": frozenset(
        {
            *_in("bot.services.absence", "events_meanwhile"),
            *_in("bot.services.dice_keys", "entry_dice_key"),
            *_in("bot.services.dice_verification", "verify_rolls"),
            *_in("bot.services.shuffles", "_cards_before _published_shuffle shuffle_at"),
            *_in("bot.services.shuffles", "recent_shuffles"),
            *_in("bot.services.history", "dice_roll_at entry_and_seed last_results last_rolls"),
            *_in("bot.services.history", "roll_entries undelivered_events visible_events"),
            *_in("bot.services.story", "_StoryFold.add entry_before read_story"),
            *_in("bot.services.catch_up", "_span_of_session last_entry_before"),
            *_in("bot.services.catch_up", "span_since_last_here"),
            *_in("bot.ui.recap", "public_story show_page"),
            *_in("bot.services.catch_up", "has_been_away"),
            *_in("bot.ui.panels.journal_entry.EntryPanel", "show"),
        }
    ),
    "for GMs alone": frozenset(
        {
            *_in("bot.services.gm_journal", "read_log"),
            *_in("bot.services.history", "recent_entries entries_with_steps journal_ids"),
            *_in("bot.services.history", "entry_to_confirm"),
            *_in("bot.services.transfer", "gm_entry"),
            *_in("bot.ui.panels.journal_entry", "perform_undo"),
            *_in("cogs.gm.Gm", "_entry"),
            *_in("cogs.gm_amend.AmendCommands", "_amended_entry"),
        }
    ),
    "for the players, by the places that all of them can view": _in(
        "bot.services.transfer", "public_entry"
    ),
    "to whoever did it": frozenset(
        {
            *_in("bot.services.perform", "earlier_result _is_refusal_final"),
            *_in("bot.services.take_back", "may_take_back require_take_back"),
            *_in("bot.services.undelivered_replies.UndeliveredReplies", "hold"),
            *_in("bot.services.undo", "resolve_undo"),
        }
    ),
    "in the place where it was told": frozenset(
        {
            *_in("bot.delivery.boards.Boards", "_redraw"),
            *_in("bot.delivery.outbox.Outbox", "_open repost"),
            *_in("bot.delivery.boards.Boards", "_redraw"),
            *_in("bot.delivery.posts.Posts", "_change _find_undone _is_on_card late_messages"),
            *_in("bot.services.history", "entry_and_events entry_and_row_events"),
            *_in("bot.services.outbox_plan", "plan_outbox private_event_indexes"),
        }
    ),
    "to carry an entry out once more": _in(
        "bot.services.stepping_in", "_whole built_on_result find_result"
    ),
    "handed on to one of these": frozenset(
        {
            *_in("bot.services.exports", "_rows is_export_too_long"),
            *_in("bot.services.replay", "_replay_row _replay_rows"),
        }
    ),
}
#: Functions that look at checks or orders of action as they are, by why nobody is shown too much.
LOOKS: Final[Mapping[str, frozenset[str]]] = {
    "the answer itself": _in("bot.services.readers.Reader", "_is_theirs learn_table readable"),
    "by a game that knows who looks": frozenset(
        {
            *_in("bot.presenters.checks.answers", "helpful_option"),
            *_in("bot.presenters.checks.lists", "_answers_text open_lines"),
            *_in("bot.presenters.hands", "_waiting_buttons"),
            *_in("bot.presenters.pending_matters", "offer_lines story_lines todo_lines"),
            *_in("bot.presenters.step_in", "question_lines step_in_panel"),
            *_in("bot.presenters.table", "table_card"),
            *_in("bot.ui.panels.step_in", "offer_step_in"),
            *_in("bot.ui.context.Context", "move_to perform"),
            *_in("bot.ui.other_tables", "_changeable_checks todos_at_table"),
            *_in("bot.ui.panels.prompt", "_own_roll_panel _own_roll_prompt _panel_again _say"),
            "cogs.check_completions",
            "cogs.check_completions.check_completer",
            "cogs.gm_clock.timed_checks",
            "cogs.orders.hold_checks",
            "cogs.spend.spend_checks",
            *_in("cogs.table.Table", "_show waiting"),
        }
    ),
    "the order of action here, or of one's own turn": frozenset(
        {
            *_in(
                "bot.presenters.board",
                "_command_buttons _occupying_check _offered_checks _opening_pieces",
            ),
            *_in("bot.presenters.board", "_step_rows board_card"),
            *_in("bot.presenters.pending_matters", "_board_todos _turn_todos"),
            *_in("bot.ui.panels.board", "_only_gms_know"),
            *_in("bot.ui.panels.prompt", "_show_next_turn"),
            *_in("cogs.initiative", "_in_order newcomers"),
            *_in("cogs.initiative.Initiative", "show"),
        }
    ),
    "what the rules refuse about a place, to whoever is there": _in(
        "bot.presenters.errors", "_close_id open_check_rows"
    ),
    "for GMs alone": frozenset(
        {
            *_in("bot.presenters.absence", "acting_card words_lines"),
            *_in("bot.presenters.first_steps", "done_first_steps"),
            *_in("bot.presenters.transfer", "_unexported_texts"),
            *_in("bot.services.gm_journal", "_concerns"),
            *_in("bot.services.amend_requests", "answer_in"),
            *_in("bot.ui.panels.amendment", "_verdicts"),
            *_in("bot.services.transfer", "full_export"),
        }
    ),
    "of what a reader may see, how it stands now": _in(
        "bot.services.history", "_current_result check_message_links last_results"
    ),
    "in the place where it is told": frozenset(
        {
            *_in("bot.delivery.boards", "Boards._last Boards._show _turn"),
            *_in("bot.delivery.call_groups", "_next_player"),
            *_in("bot.services.history", "messages_of"),
            *_in(
                "bot.services.outbox_plan",
                "_board_contents _boards _has_ended _is_continued_check _marks",
            ),
        }
    ),
    "nobody is shown anything": frozenset(
        {
            *_in("bot.scheduler.Scheduler", "_act"),
            *_in("bot.services.journal_entries", "_check_waits _due_changes"),
            *_in("bot.services.amendment", "_Rerun._refused_fate resolve_amendment"),
            *_in("bot.services.past_entries", "carry_out"),
            *_in("bot.services.stepping_in", "built_on_result redo_step_in"),
            *_in("bot.services.stepping_in", "resolve_question resolve_step_in"),
            *_in("bot.services.stepping_in", "with_present_check"),
            *_in("bot.services.undo", "resolve_undo"),
            *_in("bot.services.user_waits", "called_waits wait_began"),
        }
    ),
}
