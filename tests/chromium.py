"""Finds the distribution's Chromium."""

import os
import shutil
from pathlib import Path


def chromium_path() -> Path | None:
    """Return the browser that Playwright drives: `BERTH_CHROMIUM`, else the one on PATH."""
    found = (
        os.environ.get("BERTH_CHROMIUM")
        or shutil.which("chromium")
        or shutil.which("chromium-browser")
    )
    return Path(found) if found else None
