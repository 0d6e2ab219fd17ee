"""The unit that runs the agent: what keeps work alive through restarts, and what it may do."""

import subprocess
import sys
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Final

import pytest

from deploy.onebox.options import REPOSITORY

UNIT: Final = REPOSITORY / "deploy" / "systemd" / "berth-agent.service"
WATCHDOG: Final = UNIT.with_name("berth-watchdog.service")
CARDS: Final = UNIT.with_name("berth-agent-cards.conf")
NOBODY: Final = "65534"
EXPOSURE_MAX: Final = 40
"""Tenths of what `systemd-analyze security` calls the exposure; root without a sandbox has 96."""
AS_THE_AGENT: Final = """
import os, signal, sys
from nodeagent.host.secure_paths import FileIdentity, identify_inside
pid = int(sys.argv[1])
assert identify_inside(pid, "/etc") == FileIdentity(os.stat("/etc").st_dev, os.stat("/etc").st_ino)
signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGTERM)
"""
WITHOUT_A_LOOK: Final = """
import sys
from nodeagent.host.secure_paths import FileIdentity, UnsafePathError, verify_mounts
try:
    verify_mounts(int(sys.argv[1]), [("/etc", FileIdentity(0, 0))])
except UnsafePathError as refused:
    assert "CAP_SYS_PTRACE" in str(refused)
    sys.exit(3)
"""


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    unit = ConfigParser(strict=True, interpolation=None)
    unit.read(UNIT, encoding="utf-8")
    return dict(unit["Service"])


def test_a_restart_of_the_service_ends_the_agent_alone(service: dict[str, str]) -> None:
    assert (service["killmode"], service["restart"]) == ("process", "always")


def test_an_agent_that_fails_is_never_given_up_and_never_runs_without_its_storage() -> None:
    unit = ConfigParser(strict=True, interpolation=None)
    unit.read(UNIT, encoding="utf-8")
    assert unit["Unit"]["startlimitintervalsec"] == "0"
    mounts = unit["Unit"]["requiresmountsfor"].split()
    assert unit["Service"]["readwritepaths"].split()[0] in mounts


def test_what_only_root_may_do_is_a_choice_of_its_own() -> None:
    more = ConfigParser(strict=True, interpolation=None)
    more.read(CARDS, encoding="utf-8")
    assert more["Service"]["capabilityboundingset"] == "CAP_SYS_ADMIN"
    assert "quotactl" in more["Service"]["systemcallfilter"].split()


def test_the_host_is_read_only_and_root_is_cut_down(service: dict[str, str]) -> None:
    assert service["protectsystem"] == "strict"
    assert service["nonewprivileges"] == "yes"
    kept = set(service["capabilityboundingset"].split())
    assert not kept & {"CAP_SYS_ADMIN", "CAP_SYS_MODULE", "CAP_SYS_RAWIO", "CAP_BPF"}
    assert "privatedevices" not in service, "the cards are devices"


@pytest.fixture
def stranger() -> Iterator[int]:
    """A process of somebody else, as the first one of a container is."""
    command = ["setpriv", "--reuid", NOBODY, "--regid", NOBODY, "--clear-groups", "cat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        # It answers once it is somebody else.
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
        assert process.stdout.read(1) == b"\n"
        yield process.pid
        process.kill()


def _with_capabilities(names: list[str], script: str, pid: int) -> int:
    """Run a script as root with these capabilities only, and return its exit code."""
    own = ",".join(["-all", *(f"+{name.removeprefix('CAP_').lower()}" for name in names)])
    cut = ["setpriv", "--no-new-privs", f"--bounding-set={own}", "--inh-caps=-all"]
    command = [*cut, sys.executable, "-c", script, str(pid)]
    return subprocess.run(command, cwd=REPOSITORY, check=False).returncode


@pytest.mark.docker
def test_the_unit_lets_the_agent_look_into_containers_and_end_them(
    service: dict[str, str], stranger: int
) -> None:
    names = service["capabilityboundingset"].split()
    less = [name for name in names if name != "CAP_SYS_PTRACE"]
    assert _with_capabilities(less, WITHOUT_A_LOOK, stranger) == 3
    assert _with_capabilities(names, AS_THE_AGENT, stranger) == 0


def test_the_second_watchdog_is_started_again_on_its_own() -> None:
    unit = ConfigParser(strict=True, interpolation=None)
    unit.read(WATCHDOG, encoding="utf-8")
    assert unit["Unit"]["startlimitintervalsec"] == "0"
    assert unit["Service"]["restart"] == "always"
    assert "berth-agent" not in " ".join(unit["Unit"].values()), "it must not end with the agent"


@pytest.mark.docker
@pytest.mark.parametrize("source", [UNIT, WATCHDOG], ids=lambda path: path.stem)
def test_systemd_understands_the_unit(tmp_path: Path, source: Path) -> None:
    # Here is no installation: another program stands for the agent's.
    unit = tmp_path / source.name
    text = source.read_text(encoding="utf-8")
    unit.write_text(text.replace("/opt/berth/.venv/bin/python", "/bin/true"))
    drop_in = tmp_path / f"{source.name}.d" / CARDS.name
    drop_in.parent.mkdir()
    drop_in.write_text(CARDS.read_text(encoding="utf-8"))
    said = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False
    )
    own = [line for line in said.stderr.splitlines() if source.stem in line]
    assert own == []
    drop_in.unlink()  # it is weaker on purpose
    security = ["systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}"]
    subprocess.run([*security, unit], capture_output=True, check=True)
