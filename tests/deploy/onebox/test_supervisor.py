"""What the launcher does when a process ends by itself."""

import subprocess
import sys
from pathlib import Path
from typing import Final

from deploy.onebox.supervisor import RESTARTS_MAX

LAUNCHER: Final = """
import os, sys
from pathlib import Path
from deploy.onebox.supervisor import ManagedProcess, ProcessEndedError, Supervisor

folder, is_restarted, command = Path(sys.argv[1]), sys.argv[2] == "True", sys.argv[3]
supervisor = Supervisor(folder / "log", os.environ)
supervisor.start(ManagedProcess("store", ["sleep", "3600"]))
supervisor.start(ManagedProcess("part", ["sh", "-c", command], is_restarted=is_restarted))
try:
    supervisor.supervise(lambda line: print(line, flush=True))
except ProcessEndedError as ended:
    print(ended)
finally:
    supervisor.stop_all()
"""
"""Run as a process of its own: it becomes the parent of all orphans below it."""


def _launch(folder: Path, command: str, *, is_restarted: bool) -> str:
    finished = subprocess.run(
        [sys.executable, "-c", LAUNCHER, str(folder), str(is_restarted), command],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return finished.stdout


def test_a_part_that_keeps_ending_ends_the_platform_after_some_restarts(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    output = _launch(tmp_path, f"echo start >> {starts}; exit 3", is_restarted=True)
    assert output.count("part ended with exit code 3; restarted") == RESTARTS_MAX
    assert output.count("part ended with exit code 3. The end of") == 1
    assert len(starts.read_text().splitlines()) == RESTARTS_MAX + 1


def test_what_a_part_left_running_is_gone_before_it_starts_again(tmp_path: Path) -> None:
    """A worker that outlived its parent would still hold the port."""
    lock = tmp_path / "lock"
    hold = f"flock -n {lock} true || {{ echo held >> {lock}; }}; flock {lock} sleep 3600 & exit 3"
    _launch(tmp_path, hold, is_restarted=True)
    assert lock.read_text() == ""


def test_other_parts_end_the_platform_at_once(tmp_path: Path) -> None:
    output = _launch(tmp_path, "exit 3", is_restarted=False)
    assert "restarted" not in output
    assert "part ended with exit code 3. The end of" in output


def test_logs_are_for_the_account_of_the_platform_alone(tmp_path: Path) -> None:
    _launch(tmp_path, "exit 3", is_restarted=False)
    assert (tmp_path / "log").stat().st_mode & 0o777 == 0o700
