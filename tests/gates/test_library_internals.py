"""Gate: every private or undocumented part of a library that the product uses is watched.

After an update of a library, these tests say what it moved and which module of the product builds
on it. What aiosqlite and discord.py's answers are made of is watched where they are tested:
`tests/storage/test_sqlite.py` and `tests/test_response.py`.
"""

from __future__ import annotations

import ast
import inspect
import logging
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any, Final

import discord
import pytest
from discord import abc, channel, http, interactions, message
from discord.gateway import DiscordWebSocket
from discord.http import HTTPClient, json_or_text
from discord.webhook import async_
from simcord import Env, Preview
from simcord.backend import Backend
from simcord.backend.access import can_access_channel
from simcord.preview import _action_plans, _commands
from simcord.preview._pages import _Page
from simcord.preview._server import PreviewServer

from bot.delivery.member_roles import held_gm_roles
from bot.presenters.render import Controls
from rules.table.state import Settings
from tests.gates.library_internals import private_uses
from tests.gates.structure import ROOT, syntax_tree

#: Private names of libraries in each file of the product.
WATCHED: Final[dict[str, set[str]]] = {
    "bot/app.py": {"_connection", "_from_json"},
    "bot/clock_bar/page.py": {"_action", "_server"},
    "bot/clock_bar/place_page.py": {"_action", "_get_page", "_open_page", "_page_payload"},
    "bot/clock_bar/places.py": {
        "_action_page",
        "_clear_page_assets",
        "_initial_target",
        "_publish",
        "_redact_page_receipts",
        "_reset_queries",
    },
    "bot/delivery/foreign_servers.py": {"_connection"},
    "bot/delivery/member_roles.py": {"_roles"},
    "bot/logs.py": {"_srcfile"},
    "bot/pasted_commands.py": {"_action", "_commands", "_get_page", "_reject"},
    "bot/sharded_bot.py": {"_connection", "_remove_guild"},
    "bot/storage/database.py": {"_conn", "_running", "_thread", "_tx"},
    "bot/thread_webhooks.py": {"_incoming_webhook"},
    # Imports that have a public name to fall back on, or are for type checkers alone.
    "rules/core/rng.py": {"_Hash", "_sha256"},
}
#: Modules of discord.py that take a view to send it.
_SENDERS: Final = (abc, channel, http, interactions, message, async_)
#: Flag of a message whose components are all of it.
_LAYOUT: Final = discord.MessageFlags(components_v2=True).value


def moved(name: str, module: str) -> str:
    """Return the message of a failed test: *name* of a library isn't what *module* builds on."""
    return f"the library has moved {name}: adapt {module}, or do without"


def part_of(owner: Any, name: str, module: str) -> Any:
    """Return an attribute of a library, on which *module* builds; fail if it is gone."""
    part = getattr(owner, name, None)
    assert part is not None, moved(f"{owner}.{name}", module)
    return part


def assert_takes(owner: Any, name: str, module: str, *parameters: str) -> None:
    """Fail unless a function of a library takes exactly these parameters, besides `self`."""
    taken = [*inspect.signature(part_of(owner, name, module)).parameters]
    assert [key for key in taken if key != "self"] == [*parameters], moved(name, module)


def names_in(function: Callable[..., Any]) -> set[str]:
    """Return the names of attributes and globals in the code of a function."""
    names: set[str] = set()
    codes: list[CodeType] = [inspect.unwrap(function).__code__]
    while codes:
        code = codes.pop()
        names.update(code.co_names)
        codes += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return names


@pytest.fixture
def client() -> discord.AutoShardedClient:
    """Return a client of discord.py that is not connected."""
    return discord.AutoShardedClient(intents=discord.Intents(guilds=True), shard_count=1)


@pytest.mark.slow
def test_every_private_name_of_a_library_is_listed() -> None:
    assert private_uses(ROOT) == WATCHED, (
        "use a public name, or list the private one in WATCHED and watch it in a test"
    )


def test_private_names_are_found_wherever_they_are_used(tmp_path: Path) -> None:
    source = """
from library import _secret
from library._inside import thing

class Base:
    _shared: int

class Own(Base, thing.Foreign):
    def __init__(self):
        self._mine = 1
        self._library_s = self._shared

    def use(self, other):
        return other._mine, self._not_mine, other._replace(), getattr(other, "_by_name")
"""
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot/example.py").write_text(source)
    foreign = {"_secret", "_inside", "_not_mine", "_by_name"}
    assert private_uses(tmp_path) == {"bot/example.py": foreign}


def test_discord_py_decodes_the_gateway_and_its_answers_by_the_replaced_function() -> None:
    """`decode_gateway_text` in `bot/app.py` stands in for `discord.utils._from_json`."""
    for function in (DiscordWebSocket.received_message, json_or_text):
        assert "_from_json" in names_in(function), moved("utils._from_json", "bot/app.py")


def test_discord_py_warns_of_missing_voice_libraries_by_the_flags_that_are_cleared() -> None:
    flags = {"warn_nacl", "warn_dave"}
    assert flags <= names_in(discord.Client.__init__), moved(f"{flags}", "bot/app.py")


def test_discord_py_takes_events_to_the_replaced_parsers(client: discord.AutoShardedClient) -> None:
    module = "bot/app.py and bot/sharded_bot.py"
    parsers = part_of(part_of(client, "_connection", module), "parsers", module)
    for event in ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK"):
        assert event in parsers, moved(event, module)
    assert {"_connection", "parsers"} <= names_in(DiscordWebSocket.from_client), moved(
        "ConnectionState.parsers", module
    )


def test_discord_py_begins_a_shard_and_forgets_a_server_by_the_methods_that_are_called(
    client: discord.AutoShardedClient,
) -> None:
    module = "bot/sharded_bot.py"
    state = part_of(client, "_connection", module)
    assert "READY" in part_of(state, "parsers", module), moved("READY", module)
    assert_takes(state, "parse_ready", module, "data")
    assert_takes(state, "_remove_guild", module, "guild")


def test_discord_py_launches_the_shards_that_its_client_names() -> None:
    names = {"shard_count", "shard_ids", "launch_shard"}
    assert names <= names_in(discord.AutoShardedClient.launch_shards), moved(
        f"{names}", "bot/sharded_bot.py"
    )


def test_discord_py_connects_by_the_connector_that_is_set(
    client: discord.AutoShardedClient,
) -> None:
    part_of(client.http, "connector", "bot/app.py")
    assert "connector" in names_in(HTTPClient.static_login), moved("connector", "bot/app.py")


def test_discord_py_asks_discord_by_the_methods_that_are_called() -> None:
    module = "bot/delivery/foreign_servers.py"
    assert_takes(HTTPClient, "get_guild", module, "guild_id", "with_counts")
    assert_takes(HTTPClient, "get_all_guild_channels", module, "guild_id")
    assert_takes(HTTPClient, "get_bot_gateway", "bot/sharded_bot.py")
    module = "bot/delivery/channels.py"
    assert_takes(HTTPClient, "request", module, "route", "files", "form", "kwargs")


def test_a_server_is_built_with_its_channels_and_knows_the_roles_of_a_member_by_their_ids(
    client: discord.AutoShardedClient,
) -> None:
    """The member's role 5 is not among those of the server."""
    place: Any = {"id": "3", "type": 0, "name": "table", "position": 0, "permission_overwrites": []}
    role: Any = {"id": "1", "name": "@everyone", "permissions": "0", "position": 0, "color": 0}
    role |= {"hoist": False, "managed": False, "mentionable": False, "colors": {}}
    data: Any = {"id": "1", "name": "Hall", "owner_id": "2", "roles": [role], "channels": [place]}
    guild = discord.Guild(data=data, state=client._connection)
    assert guild.get_channel(3) is not None, moved(
        "Guild(data=…)", "bot/delivery/foreign_servers.py"
    )
    user: Any = {"id": "2", "username": "gina", "discriminator": "0", "avatar": None}
    about: Any = {"user": user, "roles": ["5"], "joined_at": None, "flags": 0}
    member = discord.Member(data=about, guild=guild, state=client._connection)
    assert member.get_role(5) is None, "it is not in the cache"
    settings = Settings(name="Hall", system="tiny", gms=(), gm_roles=("4", "5"))
    assert held_gm_roles(member, settings) == ("5",), moved(
        "Member._roles", "bot/delivery/member_roles.py"
    )


@pytest.mark.parametrize("module", _SENDERS, ids=lambda module: module.__name__)
def test_controls_have_all_that_discord_py_asks_of_a_view(module: Any) -> None:
    """`Controls` is no view of discord.py, and passes for one."""
    asked: set[str] = set()
    for node in ast.walk(syntax_tree(Path(inspect.getfile(module)))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "view":
                asked.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node.value.startswith("__discord_ui_view"):
                asked.add(node.value)
    missing = asked - {*dir(Controls)}
    assert not missing, moved(
        f"what a view has ({missing})", "Controls in bot/presenters/render.py"
    )


@pytest.mark.parametrize("is_layout", [True, False])
def test_discord_py_sends_what_controls_hold(is_layout: bool) -> None:
    where = moved("what is sent of a view", "Controls in bot/presenters/render.py")
    part = {"type": 10, "content": "It stands."}
    view: Any = Controls([part], laid=is_layout)
    with http.handle_message_parameters(view=view) as sent:
        message_data = sent.payload or {}
    answer = async_.interaction_message_response_params(type=4, view=view)
    for data in (message_data, (answer.payload or {})["data"]):
        assert data["components"] == [part], where
        assert bool(data.get("flags", 0) & _LAYOUT) is is_layout, where


def test_the_local_table_s_page_runs_actions_by_the_replaced_method() -> None:
    """`accept_pasted_commands` stands in for `Preview._action` of simcord."""
    module = "bot/pasted_commands.py"
    assert_takes(Preview, "_action", module, "context_id", "body")
    assert "_action" in names_in(PreviewServer._action), moved("Preview._action", module)
    assert_takes(Preview, "_get_page", module, "context_id")
    assert_takes(Preview, "_reject", module, "page", "code", "request_id", "sequence", "subject")
    make_entry = part_of(_commands, "entry_for_leaf", module)
    entry = make_entry({"id": 1}, ["roll"], {"name": "roll"})
    assert "schemaFingerprint" in entry, moved("entry_for_leaf", module)


def test_the_local_table_s_page_serves_its_files_by_the_replaced_server() -> None:
    """`BarServer` stands in for `PreviewServer` of simcord."""
    module = "bot/clock_bar/page.py"
    assert_takes(PreviewServer, "__init__", module, "preview", "port")
    assert_takes(PreviewServer, "_static", module, "request")
    assert {"_static", "_STATIC_FILES"} <= names_in(PreviewServer.start), moved("_static", module)
    assert PreviewServer._STATIC_FILES["/"] == "index.html", moved("the page's path", module)
    assert "_server" in names_in(Preview.__aenter__), moved("Preview._server", module)
    page = (Path(inspect.getfile(PreviewServer)).parent / "static/index.html").read_text()
    assert "</head>" in page and 'class="channel-header"' in page, moved("the page", module)


def test_the_local_table_s_page_shows_the_channel_that_it_is_given() -> None:
    """The place bar changes a page's channel, and the library's own for as long as it acts."""
    module = "bot/clock_bar/place_page.py and places.py"
    assert_takes(Preview, "_open_page", module, "viewer_id", "target_id")
    assert "_open_page" in names_in(PreviewServer._pages), moved("Preview._open_page", module)
    assert_takes(Preview, "_page_payload", module, "page")
    for serves in (PreviewServer._pages, PreviewServer._state):
        assert "_page_payload" in names_in(serves), moved("Preview._page_payload", module)
    anew = ("_clear_page_assets", "_redact_page_receipts", "_reset_queries")
    for name in anew:
        assert_takes(Preview, name, module, "page")
    assert_takes(Preview, "_publish", module, "page", "reason")
    assert_takes(Preview, "_initial_target", module, "viewer", "channel_id")
    fields = {"viewer", "channel_id", "modal", "modal_handle", "generation", "target_id"}
    fields |= {"window_end_id", "status", "pinned_snapshot"}
    assert fields <= {*_Page.__dataclass_fields__}, moved(f"the page's {fields}", module)
    shows = names_in(_action_plans._prepare_page_action)
    assert {"_initial_target", "channel_id", "_publish", *anew[:1], *anew[2:]} <= shows, moved(
        "the change of a viewer", module
    )
    for act in (_action_plans._prepare_send_action, _action_plans._prepare_command_action):
        assert "channel" in names_in(act), moved("Preview.channel", module)
    scripts = Path(inspect.getfile(PreviewServer)).parent / "static"
    app = (scripts / "app.js").read_text()
    assert 'dispatch("viewer", { viewer_id: ui.viewer.value })' in app, moved("viewers", module)
    assert 'window, "simcordPreview"' in app and "contextId: state.contextId" in app, moved(
        "window.simcordPreview", module
    )
    timeline = (scripts / "timeline.js").read_text()
    assert "element.dataset.messageId = id;" in timeline, moved("the messages", module)
    index = (scripts / "index.html").read_text()
    for part in ("viewer-picker", "channel-layout", "channel-message-list"):
        assert f'id="{part}"' in index, moved(f"#{part}", module)


def test_the_local_table_s_places_are_read_and_built_by_the_simulation_s_own_functions() -> None:
    module = "bot/clock_bar"
    access = inspect.signature(can_access_channel).parameters
    assert [*access] == ["env", "channel_id", "viewer", "history"], moved("access", module)
    assert_takes(Backend, "reserve_id", module, "value")
    assert_takes(Backend, "add_thread_member", module, "thread_id", "user_id")
    assert_takes(Backend, "visible_commands", module, "user_id", "channel_id", "type")
    built = {"parent_id", "name", "owner_id", "type", "message_id", "broadcast"}
    assert built <= {*inspect.signature(Backend.create_thread).parameters}, moved("threads", module)
    backend = Env(discord.Client(intents=discord.Intents(guilds=True))).backend
    for part in ("channels", "messages", "users", "subscribers", "bot_user"):
        part_of(backend, part, module)


def test_python_looks_for_the_caller_of_a_log_line_only_if_the_library_has_its_file() -> None:
    assert "_srcfile" in names_in(logging.Logger._log), moved("logging._srcfile", "bot/logs.py")
