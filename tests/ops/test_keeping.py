"""Years of keeping: copies at intervals, a restore tried, what was lost, and figures for whoever watches."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import aiohttp
import pytest

from bot import backups
from bot.__main__ import main
from bot.backups import Backups
from bot.ops.backup import backup_due, backup_into, copies_in
from bot.ops.doctor import examine
from bot.ops.drill import drill
from bot.ops.files import Refused, require_sound
from bot.ops.metrics import prometheus
from bot.services.opening import create
from bot.services.perform import perform
from bot.services.tables import Tables
from bot.settings import Settings
from bot.storage.seen import note_seen, noted, seen_beside
from bot.storage.store import SqliteStore
from tests.loopback.launch import TOKEN
from tests.loopback.process import BotProcess, launch
from tests.loopback.server import StandIn
from tests.services.conftest import TOKENS, played

DAY = 86_400
#: Some second of 2026.
NOW = 1_795_000_000
