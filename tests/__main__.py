"""`make test`: what the tiers need from the machine, every tier, some side by side, then the counts.

As root what is missing is installed from Debian. Otherwise the tiers that cannot run are named
with the reason; in CI (`CI=true`) nothing may be left out.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

from deploy.onebox.engine import find_running_engine
from deploy.onebox.options import REPOSITORY
from deploy.onebox.setup import node_environment
from tests.chromium import SHELL, chromium_path, has_light_chromium
from tests.docker_registry import registry_program
from tests.fakes.c_library import compiler
from tests.lanes import PATIENT, Result, Tool, lanes_for
from tests.ldap_server import slapd_program

REPORTS: Final = REPOSITORY / "var" / "reports"
CJK_FONT: Final = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
SFTP_SERVER: Final = Path("/usr/lib/openssh/sftp-server")
COMPILES: Final = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
}
"""Each of hundreds of processes would compile the platform anew: a quarter of what its start takes."""
APT: Final = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}


@dataclass(frozen=True, slots=True)
class Need:
    """Something of the machine that a tier cannot do without."""

    tier: str
    what: str
    packages: tuple[str, ...]
    is_met: Callable[[], bool]


def can_have_engine() -> bool:
    """Tell whether an engine runs, or one can be started and given an image."""
    tools = ("dockerd", "debootstrap")
    own = os.geteuid() == 0 and all(shutil.which(tool) for tool in tools)
    return own or find_running_engine() is not None


def can_show_pages() -> bool:
    """Tell whether there is a browser, for root the light one: it is a matter of minutes."""
    return has_light_chromium() or (os.geteuid() != 0 and chromium_path() is not None)


def can_type() -> bool:
    """Tell whether the commands of `docs/users` are there."""
    return all(shutil.which(name) for name in ("curl", "sftp")) and SFTP_SERVER.exists()


NEEDS: Final = (
    Need("nvml", "a C compiler", ("gcc", "libc6-dev"), lambda: compiler() is not None),
    Need("docker", "a Docker engine", ("docker.io", "debootstrap", "iptables"), can_have_engine),
    Need("docker", "a registry", ("docker-registry",), lambda: registry_program() is not None),
    Need("docker", "network namespaces", ("iproute2",), lambda: shutil.which("ip") is not None),
    Need("docker", "nftables", ("nftables",), lambda: shutil.which("nft") is not None),
    Need("docker", "systemd's tools", ("systemd",), lambda: bool(shutil.which("systemd-analyze"))),
    Need("docker", "Open MPI", ("openmpi-bin",), lambda: shutil.which("mpirun") is not None),
    Need("docker", "an SSH client", ("openssh-client",), lambda: bool(shutil.which("sftp"))),
    Need("docker", "an SFTP server", ("openssh-sftp-server",), SFTP_SERVER.exists),
    Need("docker", "an LDAP server", ("slapd",), lambda: slapd_program() is not None),
    Need("docker", "buckets as folders", ("s3fs",), lambda: shutil.which("s3fs") is not None),
    Need("e2e", "a proxy", ("haproxy",), lambda: shutil.which("haproxy") is not None),
    Need("e2e", "what users type", ("curl", "openssh-client", "openssh-sftp-server"), can_type),
    Need("e2e", "Chromium", (SHELL,), can_show_pages),
    Need("e2e", "Chinese fonts", ("fonts-noto-cjk",), CJK_FONT.exists),
)


def main(arguments: Sequence[str]) -> int:
    """Run the tiers that can run here; 0 only when all of them passed and CI left none out."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    shutil.rmtree(REPORTS, ignore_errors=True)
    REPORTS.mkdir(parents=True)
    is_whole = arguments != ["e2e"]
    with lanes_for(_say) as lanes:
        # It needs nothing of what is installed meanwhile.
        first = [lanes.put(lambda: lanes.run(_frontend()))] if is_whole else []
        missing = _install([need for need in NEEDS if not need.is_met()])
        for need in missing:
            print(f"left out: {need.tier}: {need.what} is missing and only root can install it")
        if missing and os.environ.get("CI") == "true":
            print("in CI nothing may be left out")
            return 1
        without = {need.tier for need in missing}
        tools = _whole(without) if is_whole else _end_to_end(without)
        waited_for = [*first, *(lanes.put(partial(lanes.run, tool)) for tool in tools)]
        results = [each.result() for each in waited_for]
    return _summarise(results, without)


# Playwright keeps an event loop in its process, and others want one of their own.
PAGES: Final = ("tests/e2e",)
PARTS: Final = ("--ignore=tests/e2e",)
SMALL: Final = "not (integration or e2e or docker or long or hardware or slurm)"
CORE: Final = ("-n", "2", "--dist", "worksteal")


def _whole(without: set[str]) -> list[Tool]:
    """Return every tier, those first that mostly wait: the processors are free for the others."""
    return [
        _pytest("parts", "(integration or e2e or docker) and not long", without, PARTS),
        _pytest("pages", "(e2e or docker) and not long", without, PAGES),
        _pytest("core", SMALL, without, CORE, PATIENT),
    ]


def _end_to_end(without: set[str]) -> list[Tool]:
    return [
        _pytest("parts", "docker and not long", without, PARTS),
        _pytest("pages", "(e2e or docker) and not long", without, PAGES),
    ]


def _say(text: str) -> None:
    print(text, flush=True)


def _install(missing: list[Need]) -> list[Need]:
    """Install from Debian where that is possible; return what is missing still."""
    if not missing or os.geteuid() != 0 or shutil.which("apt-get") is None:
        return missing
    packages = sorted({package for need in missing for package in need.packages})
    print("installing", *packages, flush=True)
    quiet = ["-y", "-qq", "--no-install-recommends"]
    subprocess.run(["apt-get", "update", "-qq"], env=APT, check=False)
    subprocess.run(["apt-get", "install", *quiet, *packages], env=APT, check=False)
    return [need for need in missing if not need.is_met()]


def _frontend() -> Tool:
    report = REPORTS / "frontend.xml"
    reporters = ("--reporter=default", "--reporter=junit", f"--outputFile.junit={report}")
    command = (*PATIENT, "npm", "run", "test", "--", *reporters)
    return Tool("frontend", command, report, REPOSITORY / "frontend", node_environment())


def _pytest(
    name: str,
    markers: str,
    without: set[str],
    options: Sequence[str],
    before: Sequence[str] = (),
) -> Tool:
    report = REPORTS / f"{name}.xml"
    wanted = " and ".join([f"({markers})", *(f"not {tier}" for tier in sorted(without))])
    pytest = (sys.executable, "-m", "pytest", "-q", "-m", wanted, f"--junitxml={report}")
    command = (*before, *pytest, *options)
    return Tool(name, command, report, REPOSITORY, COMPILES)


def _summarise(results: Sequence[Result], without: set[str]) -> int:
    print(f"\n{'tier':<12}{'tests':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}{'cpu s':>8}")
    for result in results:
        tests, failed, skipped = _counts(result.report)
        times = f"{result.seconds:>9.0f}{result.cpu_s:>8.0f}"
        print(f"{result.name:<12}{tests:>8}{failed:>8}{skipped:>9}{times}")
    for tier in sorted(without):
        print(f"{tier:<12}{'left out':>8}")
    return int(any(result.status for result in results))


def _counts(report: Path) -> tuple[int, int, int]:
    """Return tests, failures with errors, and skips of a JUnit report; zeros without one."""
    if not report.exists():
        return 0, 0, 0
    suites = list(ElementTree.parse(report).getroot().iter("testsuite"))

    def total(*names: str) -> int:
        return sum(int(suite.get(name, 0)) for suite in suites for name in names)

    return total("tests"), total("failures", "errors"), total("skipped")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
