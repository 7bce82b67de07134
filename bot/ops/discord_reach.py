"""Problems with the token and the connection to Discord, a line each with what to do."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

import aiohttp
import discord

from bot.settings import Settings

#: Seconds for Discord to accept the bot, and then to connect it.
CONNECT_TIMEOUT: Final = 40.0
#: Advice on where to get a token.
_COPY: Final = (
    "Copy it again from the developer portal (your application, Bot, Reset Token) into "
    "DISCORD_TOKEN in .env."
)
_PIECE: Final = re.compile(r"[A-Za-z0-9_-]+")


def configured_token(settings: Settings) -> str:
    """Return the token in the settings; empty if there is none."""
    if settings.discord_token is None:
        return ""
    return settings.discord_token.get_secret_value().strip()


def bot_id_in_token(token: str) -> str | None:
    """Return the bot's id in a token; None if the text isn't a token."""
    pieces = token.split(".")
    if len(pieces) != 3 or not all(map(_PIECE.fullmatch, pieces)):
        return None
    try:
        number = base64.urlsafe_b64decode(pieces[0] + "=" * (-len(pieces[0]) % 4))
    except binascii.Error:
        return None
    return number.decode() if number.isdigit() else None


def token_problem(token: str) -> str:
    """Return why a text isn't a token, and what to do, without showing any of it."""
    count = len(token.split("."))
    have = f"yours has {count}" if count != 3 else "the first part of yours isn't the bot's number"
    return (
        "DISCORD_TOKEN isn't a bot token: a token has three parts separated by dots, "
        f"and {have}. {_COPY}"
    )


def connection_problem(error: BaseException) -> str | None:
    """Return a line for an error of the connection; None for any other error."""
    match error:
        case discord.LoginFailure() | discord.ConnectionClosed(code=4004):
            return f"Discord refused the token. {_COPY}"
        case discord.PrivilegedIntentsRequired() | discord.ConnectionClosed(code=4013 | 4014):
            return (
                "Discord refused the intents. Storyguide needs no privileged one: go back to the "
                "released code, or switch on what you added under Bot, Privileged Gateway Intents."
            )
        case discord.ConnectionClosed(code=code):
            return (
                f"Discord closed the connection (code {code}). Start the bot again; if "
                "it happens again, update it."
            )
        case discord.Forbidden():
            return (
                "Discord won't let the bot register its commands. Invite it again with the scopes "
                "bot and applications.commands, and set DEV_GUILD to a server it's on, or leave it "
                "empty."
            )
        case discord.HTTPException(status=status):
            return (
                f"Discord answered with error {status}. Check discordstatus.com and "
                "start the bot again later."
            )
        case TimeoutError():
            wrong = "no answer in time"
        case aiohttp.ClientConnectorDNSError():
            wrong = "its address was not found"
        case aiohttp.ClientConnectorCertificateError() | aiohttp.ClientSSLError():
            return (
                "Can't reach Discord: its certificate wasn't accepted. Check this "
                "machine's clock and proxy."
            )
        case (
            ConnectionRefusedError()
            | aiohttp.ClientConnectorError(os_error=ConnectionRefusedError())
        ):
            wrong = "the connection was refused"
        case aiohttp.ClientError() | ConnectionError() | discord.GatewayNotFound():
            wrong = "the connection dropped"
        case _:
            return None
    return (
        f"Can't reach Discord: {wrong}. Check this machine's internet connection and "
        "firewall, then start again."
    )
