"""Finds the distribution's Chromium."""

import os
import shutil
from pathlib import Path
from typing import Final

SHELL: Final = "chromium-headless-shell"
"""The same engine without windows: it asks a quarter of the processor time, and none while nothing happens."""
_PROGRAMS: Final = (SHELL, "chromium", "chromium-browser")


def chromium_path() -> Path | None:
    """Return the browser that Playwright drives: `BERTH_CHROMIUM`, else the lightest one on PATH."""
    on_path = (found for program in _PROGRAMS if (found := shutil.which(program)))
    found = os.environ.get("BERTH_CHROMIUM") or next(on_path, None)
    return Path(found) if found else None


def has_light_chromium() -> bool:
    """Tell whether there is nothing better to install: a browser that was named counts."""
    return bool(os.environ.get("BERTH_CHROMIUM")) or shutil.which(SHELL) is not None
