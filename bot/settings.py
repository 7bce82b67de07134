"""Settings of the process, from the environment or a `.env` file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    BeforeValidator,
    Field,
    InstanceOf,
    SecretStr,
    ValidationInfo,
    field_validator,
)
from pydantic_core import PydanticCustomError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.storage.location import LocationError, ServerAddress, parse_where


def _where(value: object) -> object:
    try:
        return parse_where(value) if isinstance(value, str) else value
    except LocationError as error:
        message = "It's {problem}"
        raise PydanticCustomError("location", message, {"problem": str(error)}) from None


class Settings(BaseSettings):
    """Settings of the process; `.env.example` explains each."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    discord_token: SecretStr | None = None
    #: A file's path, or a PostgreSQL server's address.
    storyguide_database: Annotated[Path | InstanceOf[ServerAddress], BeforeValidator(_where)] = (
        Path("storyguide.db")
    )
    #: Processes that share the Discord servers of a bot on a PostgreSQL server.
    storyguide_processes: int = Field(default=1, ge=1)
    #: Shards of the whole bot; None for the number that Discord recommends.
    storyguide_shards: int | None = Field(default=None, ge=1)
    dev_guild: int | None = Field(default=None, gt=0)
    storyguide_undo_days: int = Field(default=90, ge=0)
    storyguide_undo_entries: int = Field(default=2000, ge=200)
    storyguide_backups: Path | None = None
    storyguide_backup_hours: float = Field(default=24, gt=0)
    storyguide_backup_keep: int = Field(default=14, ge=1)
    storyguide_metrics_port: int | None = Field(default=None, gt=0, le=65535)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @field_validator("storyguide_shards")
    @classmethod
    def _is_shared_evenly(cls, shards: int | None, info: ValidationInfo) -> int | None:
        processes = info.data.get("storyguide_processes", 1)
        if shards is not None and shards % processes:
            raise PydanticCustomError(
                "shards",
                "Input should be a multiple of STORYGUIDE_PROCESSES, {processes}",
                {"processes": processes},
            )
        return shards

    @property
    def copy_folders(self) -> tuple[Path, ...]:
        """Folders that may hold copies of the database, besides its own."""
        return () if self.storyguide_backups is None else (self.storyguide_backups,)
