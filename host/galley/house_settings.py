"""What the person on duty sets for good: language, volume, quiet hours. A small JSON file in the data folder.

For: settings that outlast the evening. What players set for themselves is in `box_options` and forgotten
when the table is empty. A file that cannot be understood is set aside and named, never overwritten.
"""

from __future__ import annotations

import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from galley.box_options import LANGUAGES
from galley.data_folder import flushed, set_aside

FILE: Final = "settings.json"
DAY_MINUTES: Final = 24 * 60


@dataclass(frozen=True, slots=True)
class HouseSettings:
    """`volume` 0 to 100; `quiet` from and to in minutes after midnight, equal ones for no quiet hours."""

    language: str = "en"
    volume: int = 70
    quiet: tuple[int, int] = (0, 0)

    def is_quiet(self, now: time.struct_time) -> bool:
        """Whether it is within the quiet hours, which may go over midnight."""
        minute, (begin, end) = now.tm_hour * 60 + now.tm_min, self.quiet
        return begin <= minute < end if begin <= end else minute >= begin or minute < end


class BadSettings(ValueError):
    """A value that a setting cannot have; the message names it."""


def checked(given: Any) -> HouseSettings:
    """Settings from JSON; what is not named keeps its usual value. Raises BadSettings."""
    if not isinstance(given, dict):
        raise BadSettings(f"settings are an object, not {json.dumps(given)[:40]}")
    found = HouseSettings()
    strangers = set(given) - set(asdict(found))
    if strangers:
        raise BadSettings(f"there is no setting {min(strangers)!r}: use {', '.join(asdict(found))}")
    language, volume, quiet = (given.get(key, value) for key, value in asdict(found).items())
    if language not in LANGUAGES:
        raise BadSettings(f"language is {language!r}: use {', '.join(LANGUAGES)}")
    if type(volume) is not int or not 0 <= volume <= 100:
        raise BadSettings(f"volume is {volume!r}: use 0 to 100")
    whole = (
        isinstance(quiet, list | tuple) and len(quiet) == 2 and all(type(minute) is int for minute in quiet)
    )
    if not whole or not all(0 <= minute < DAY_MINUTES for minute in quiet):
        raise BadSettings(f"quiet is {quiet!r}: use two numbers from 0 to {DAY_MINUTES - 1}")
    return replace(found, language=language, volume=volume, quiet=(quiet[0], quiet[1]))


def load(folder: Path) -> tuple[HouseSettings, str | None]:
    """The settings in `folder`, and a sentence if a file there had to be set aside. Raises OSError."""
    path = folder / FILE
    try:
        return checked(json.loads(path.read_text("utf-8"))), None
    except FileNotFoundError:
        return HouseSettings(), None
    except (ValueError, RecursionError) as error:
        aside = set_aside(path, "damaged")
        why = str(error) if isinstance(error, BadSettings) else "it is no JSON"
        return HouseSettings(), f"{path} could not be used ({why}): it is kept as {aside.name}"


def save(folder: Path, settings: HouseSettings) -> None:
    """Write them so that a power cut leaves the old ones or the new ones. Raises OSError."""
    path = folder / FILE
    new = path.with_suffix(".new")
    with open(new, "w", encoding="utf-8") as file:
        json.dump(asdict(settings), file, indent=1)
        file.write("\n")
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    flushed(folder)


class SettingsFile:
    """The settings in `folder`, None for a box that keeps nothing; `remark` is what reading them had to say.

    They are written in a thread of their own, for a disk takes its time; of a burst of changes the last is.
    """

    def __init__(self, folder: Path | None) -> None:
        self.own = HouseSettings()
        self.remark: str | None = None
        self._folder = folder
        self._writer = ThreadPoolExecutor(1, "settings")
        if folder is not None:
            try:
                self.own, self.remark = load(folder)
            except OSError as error:
                self.remark = f"the settings cannot be read ({error.strerror}): usual ones are used"
        self._written = self.own

    def keep(self, own: HouseSettings) -> None:
        """These hold from now on."""
        self.own = own
        if self._folder is not None:
            self._writer.submit(self._write, self._folder)

    def close(self) -> None:
        """Write what is to be written."""
        self._writer.shutdown()

    def _write(self, folder: Path) -> None:
        own = self.own
        if own != self._written:
            with suppress(OSError):  # the journal tells of a disk that fails
                save(folder, own)
                self._written = own
