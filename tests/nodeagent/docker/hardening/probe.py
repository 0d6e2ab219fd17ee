"""Runs inside a container and tries what a tenant might: writes what came of it as JSON.

Standard library only. It answers again for each file `ask-N` that appears in its own folder, so
that a container can be asked again after its agent has changed.
"""

import ctypes
import json
import os
import resource
import select
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

LIBC: Final = ctypes.CDLL(None, use_errno=True)
HERE: Final = Path("/workspace") if Path("/workspace").is_dir() else Path("/outputs")
KNOWN: Final[dict[str, str]] = json.loads(Path("/etc/probe.json").read_text())
CLONE_NEWNS: Final = 0x00020000
CLONE_NEWUSER: Final = 0x10000000
FOREIGN_CALLS: Final = {"bpf": (321, 0, 0, 0), "keyctl": (250, 0, 0, 0), "perf": (298, 0, 0, -1)}
FORKS_MAX: Final = 20_000
ORPHANS: Final = 300
POLL_S: Final = 0.02
PATIENCE_S: Final = float(os.environ.get("PROBE_PATIENCE_S", "60"))
"""How long the init process may take to reap what was left behind."""
MEMORY_MIB: Final = 512
EATER: Final = "a = bytearray(%d << 20)\nfor i in range(0, len(a), 4096): a[i] = 1"


def errno_of(result: int) -> int:
    return 0 if result >= 0 else ctypes.get_errno()


def attempt(work: Callable[[], object]) -> str:
    """Return "ok", or the name of the error that the attempt met."""
    try:
        work()
    except OSError as error:
        return str(error.strerror)
    except ValueError:
        return "ValueError"
    return "ok"


def status() -> dict[str, str]:
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: rest.strip() for name, _, rest in (line.partition(":") for line in lines)}


def mount() -> int:
    return errno_of(LIBC.mount(b"none", b"/tmp", b"tmpfs", 0, None))


def unshare(flags: int) -> int:
    pid = os.fork()
    if pid == 0:
        os._exit(errno_of(LIBC.unshare(flags)))
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def processes() -> dict[str, str]:
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                found[entry.name] = (entry / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
    return found


def read(path: str) -> str:
    """Return how many bytes can be read, or why none."""
    try:
        with Path(path).open("rb") as stream:
            return str(len(stream.read(64)))
    except OSError as error:
        return str(error.strerror)


def write(path: str, text: str) -> str:
    def work() -> None:
        descriptor = os.open(path, os.O_WRONLY)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)

    return attempt(work)


def raise_limit(kind: int) -> str:
    soft, hard = resource.getrlimit(kind)
    return attempt(lambda: resource.setrlimit(kind, (soft, hard + 1 if hard >= 0 else hard)))


def fork_bomb() -> int:
    """Fork children that only wait, until that is refused; return how many there were."""
    children: list[int] = []
    try:
        while len(children) < FORKS_MAX:
            pid = os.fork()
            if pid == 0:
                signal.pause()
                os._exit(0)
            children.append(pid)
    except OSError:
        return len(children)
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
        for pid in children:
            os.waitpid(pid, 0)
    return FORKS_MAX


def eat_memory() -> int:
    """Let a child take more memory than the container has; return how it ended."""
    eater = [KNOWN["python"], "-c", EATER % MEMORY_MIB]
    return subprocess.run(eater, stderr=subprocess.DEVNULL, check=False).returncode


def zombies() -> int:
    """Leave children behind that end without a parent, and count who was never reaped."""
    for _ in range(ORPHANS):
        pid = os.fork()
        if pid == 0:
            # Where nobody reaps, the cap on processes is soon reached.
            with suppress(OSError):
                os.fork()
            os._exit(0)
        os.waitpid(pid, 0)
    deadline = time.monotonic() + PATIENCE_S
    while True:
        left = [name for name in processes() if state(name) == "Z"]
        if not left or time.monotonic() > deadline:
            return len(left)
        select.select([], [], [], POLL_S)


def state(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return ""


def mounts() -> dict[str, list[str]]:
    rows = [line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines()]
    return {row[4]: row[5].split(",") for row in rows}


def setuid_program() -> list[str]:
    code = "import os; print(os.geteuid(), os.getuid())"
    done = subprocess.run(
        [KNOWN["setuid"], "-c", code], capture_output=True, text=True, check=False
    )
    return done.stdout.split() or [done.stderr[-200:]]


def environment() -> list[str]:
    mine = [*os.environb.items()]
    init = Path("/proc/1/environ").read_bytes().split(b"\0")
    lines = {os.fsdecode(name + b"=" + value) for name, value in mine}
    return sorted(lines | {os.fsdecode(line) for line in init if line})


def raw_socket(family: int, protocol: int) -> str:
    return attempt(lambda: socket.socket(family, socket.SOCK_RAW, protocol).close())


def raw_sockets() -> list[str]:
    return [raw_socket(socket.AF_INET, socket.IPPROTO_ICMP), raw_socket(socket.AF_PACKET, 0x300)]


def chown() -> list[str]:
    own = HERE / "mine"
    own.write_text("")
    return [attempt(lambda: os.chown(own, 0, 0)), attempt(lambda: os.setuid(0))]


def namespaces() -> dict[str, str]:
    kinds = ("pid", "ipc", "uts", "mnt", "net", "cgroup")
    return {kind: str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in kinds}


def cgroups_writable() -> list[str]:
    found: list[str] = []
    for folder, _, files in os.walk("/sys/fs/cgroup"):
        found += [f"{folder}/{name}" for name in files if os.access(f"{folder}/{name}", os.W_OK)]
    return found


def syscalls() -> dict[str, int]:
    return {name: errno_of(LIBC.syscall(*call)) for name, call in FOREIGN_CALLS.items()}


def report() -> dict[str, Any]:
    """Try everything once; the tests know what each answer must be."""
    told = status()
    kept = ("CapEff", "CapPrm", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp")
    sockets = ("/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock")
    return {
        "status": {name: told.get(name) for name in kept},
        "ids": [os.getuid(), os.getgid(), *os.getgroups()],
        "mount": mount(),
        "unshare": [unshare(CLONE_NEWNS), unshare(CLONE_NEWUSER)],
        "processes": processes(),
        "sys": write("/sys/kernel/mm/ksm/run", "1"),
        "sysctl": write("/proc/sys/kernel/hostname", "evil"),
        "core_pattern": write("/proc/sys/kernel/core_pattern", "|/evil"),
        "sysrq": write("/proc/sysrq-trigger", "h"),
        "masked": [read(path) for path in ("/proc/kcore", "/proc/keys", "/proc/timer_list")],
        "mknod": attempt(lambda: os.mknod(HERE / "disk", 0o060600, os.makedev(8, 0))),
        "devices": sorted(path.name for path in Path("/dev").iterdir()),
        "core": resource.getrlimit(resource.RLIMIT_CORE),
        "raised": [raise_limit(resource.RLIMIT_CORE), raise_limit(resource.RLIMIT_NOFILE)],
        "forks": fork_bomb(),
        "eaten": eat_memory(),
        "sockets": [path for path in sockets if Path(path).exists()],
        "setuid": setuid_program(),
        "chown": chown(),
        "environment": environment(),
        "mounts": mounts(),
        "zombies": zombies(),
        "raw": raw_sockets(),
        "namespaces": namespaces(),
        "cgroups": cgroups_writable(),
        "syscalls": syscalls(),
        "rootfs": attempt(lambda: Path("/usr/probe").write_text("")),
        "tmp": attempt(lambda: Path("/tmp/probe").write_text("")),
    }


def asked() -> Iterator[int]:
    """Count up: at once, and then whenever the next question lies there."""
    number = 0
    while True:
        yield number
        number += 1
        while not (HERE / f"ask-{number}").exists():
            select.select([], [], [], POLL_S)


if __name__ == "__main__":
    for number in asked():
        answer = HERE / f".probe-{number}"
        answer.write_text(json.dumps(report()))
        answer.rename(HERE / f"probe-{number}.json")
