"""What the launcher does when a process ends by itself."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from deploy.onebox.supervisor import RESTARTS_MAX, RESTARTS_WITHIN_S

LAUNCHER: Final = """
import os, sys
from pathlib import Path
from deploy.onebox.supervisor import ManagedProcess, ProcessEndedError, Supervisor

folder, command = Path(sys.argv[1]), sys.argv[2]
supervisor = Supervisor(folder / "log", os.environ)
supervisor.start(ManagedProcess("store", ["sleep", "3600"]))
supervisor.start(ManagedProcess("part", ["sh", "-c", command]))
try:
    supervisor.supervise(lambda line: print(line, flush=True), pause_s=0.01)
except ProcessEndedError as ended:
    print(ended)
finally:
    supervisor.stop_all()
"""
"""Run as a process of its own: it becomes the parent of all orphans below it."""


REAPER: Final = """
import os, sys
from pathlib import Path
import psutil
from deploy.onebox.supervisor import ManagedProcess, Supervisor

folder, command = Path(sys.argv[1]), sys.argv[2]
supervisor = Supervisor(folder / "log", os.environ)
supervisor.start(ManagedProcess("part", ["sh", "-c", command]))
ended = lambda: (folder / "orphans").exists() and len(psutil.Process().children()) == 1
supervisor.wait_until(ended, "orphans", within_s=60)
supervisor.stop_all()
"""


def _launch(folder: Path, command: str, program: str = LAUNCHER) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", program, str(folder), command],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return finished.stdout


def test_a_part_that_keeps_ending_ends_the_platform_after_some_restarts(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    output = _launch(tmp_path, f"echo start >> {starts}; exit 3")
    last = f"part ended {RESTARTS_MAX + 1} times within {RESTARTS_WITHIN_S} s. "
    told, _, end = output.partition(last)
    again = "part ended with exit code 3; started again"
    assert told.count(again) == RESTARTS_MAX
    assert told.count(f"{again} in 0.0") == RESTARTS_MAX - 1
    assert end.startswith("part ended with exit code 3. The end of")
    assert len(starts.read_text().splitlines()) == RESTARTS_MAX + 1
    assert (tmp_path / "log" / "part.log").read_text().count(again) == RESTARTS_MAX


def test_what_a_part_left_running_is_gone_before_it_starts_again(tmp_path: Path) -> None:
    """A worker that outlived its parent would still hold the port."""
    lock = tmp_path / "lock"
    hold = f"flock -n {lock} true || {{ echo held >> {lock}; }}; flock {lock} sleep 3600 & exit 3"
    _launch(tmp_path, hold)
    assert lock.read_text() == ""


def test_what_ended_without_its_parent_is_reaped(tmp_path: Path) -> None:
    orphans = tmp_path / "orphans"
    _launch(tmp_path, f"(true & true & echo > {orphans} &); exec sleep 3600", REAPER)


def test_logs_are_for_the_account_of_the_platform_alone(tmp_path: Path) -> None:
    _launch(tmp_path, "exit 3")
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o700
