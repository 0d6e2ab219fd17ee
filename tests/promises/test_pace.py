"""The pace falls at once while nodes are silent, stays within its bounds and comes back slowly."""

import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.clock.library import fast_environment
from tests.promises.pace import PATIENCE, Pace


def test_a_silent_node_slows_time_down_as_far_as_the_slowest() -> None:
    pace = Pace(20, 4)

    speeds = [pace.speed for _ in range(8) if pace.follow(is_silent=True)]

    assert speeds == [15, 11, 8, 6, 4]


def test_time_goes_faster_again_after_many_calm_looks() -> None:
    pace = Pace(20, 4)
    pace.follow(is_silent=True)

    changes = [pace.follow(is_silent=False) for _ in range(PATIENCE * 7)]

    assert changes.count(True) == 5
    assert pace.speed == 20


def test_no_clock_jumps_when_the_speed_changes(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from tests.fakes.clock.library import quicken
pace, seen = Path(sys.argv[1]), [time.time()]
for speed in (20, 5, 11):
    quicken(pace, speed)
    seen.append(time.time())
    start = time.perf_counter()
    while time.perf_counter() - start < 3:
        pass
    seen.append(time.time())
print(*seen)
"""
    folder = tmp_path / "pace"
    environment = {**os.environ, **fast_environment(folder)}
    command = [sys.executable, "-c", code, str(folder)]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)

    seen = [float(moment) for moment in run.stdout.split()]
    changes = list(zip(seen[::2], seen[1::2], strict=False))
    assert seen == sorted(seen)
    assert all(after - before < 60 for before, after in changes)
    assert all(after - before >= 3 for before, after in zip(seen[1::2], seen[2::2], strict=True))
