"""`make bench-portal` can be run: every part of it, on a fraction of its input."""

import os
import re
import subprocess
import sys

import pytest

from bench.portal import PARTS
from deploy.onebox.options import REPOSITORY

pytestmark = [pytest.mark.e2e, pytest.mark.long, pytest.mark.timeout(900)]


def test_every_part_runs_on_a_small_site() -> None:
    kept = ("BERTH_CHROMIUM",)
    own_stores = {
        name: value
        for name, value in os.environ.items()
        if name in kept or not name.startswith("BERTH_")
    }
    done = subprocess.run(
        [sys.executable, "-m", "bench.portal", "--quick"],
        cwd=REPOSITORY,
        env=own_stores,
        capture_output=True,
        text=True,
        check=False,
    )

    said = f"{done.stdout}\n{done.stderr[-4000:]}"
    assert done.returncode == 0, said
    assert re.findall(r"^(\w+) +runs$", done.stdout, re.MULTILINE) == [p.name for p in PARTS], said
