"""The start barrier's program in a container: 239 bytes that need nothing of the image.

An image may have no shell, so it cannot be a script, and an agent's host may have no compiler. So
it is written here instruction by instruction, for Linux on x86-64: it opens the FIFO at `WAIT`,
reads one byte, and executes its first argument with the others. When there is nothing to read,
because the agent has ended, it exits with 125. See docs/adr/0017.
"""

import platform
import struct
from pathlib import Path
from typing import Any, Final

from docker.types import Mount

from nodeagent.disk.container_dir import ContainerDir
from nodeagent.host.cgroups import find_cgroup
from nodeagent.ports import ProcessScope, StartError
from wire.words import ExitCause

PROGRAM: Final = "/berth/barrier"
WAIT: Final = "/berth/wait"
INIT: Final = "/sbin/docker-init"
"""What the engine mounts into every container with an init; it looks the work up in its `PATH`."""
ENTRYPOINT: Final = (PROGRAM, INIT, "-s", "--")
"""Entry point of a container with a barrier, before the image's own."""
EXECUTABLE: Final = 0o555

_BASE: Final = 0x400000
_HEADER: Final = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT: Final = struct.Struct("<IIQQQQQQ")
_READ_AND_RUN: Final = 5
_CODE: Final = bytes.fromhex(
    "488d3d64000000"  # lea  rdi, [rip + WAIT]
    "be00080800"  # mov  esi, O_RDONLY | O_NONBLOCK | O_CLOEXEC: not to wait for a writer that has ended
    "31d2"  # xor  edx, edx
    "b802000000"  # mov  eax, open
    "0f05"  # syscall
    "85c0"  # test eax, eax
    "7846"  # js   fail
    "89c3"  # mov  ebx, eax
    "89c7"  # mov  edi, eax
    "be04000000"  # mov  esi, F_SETFL: from here on reads block
    "31d2"  # xor  edx, edx
    "b848000000"  # mov  eax, fcntl
    "0f05"  # syscall
    "89df"  # again: mov edi, ebx
    "488d7424f8"  # lea  rsi, [rsp - 8]
    "ba01000000"  # mov  edx, 1
    "31c0"  # xor  eax, eax (read)
    "0f05"  # syscall
    "4883f8fc"  # cmp  rax, -EINTR
    "74ea"  # je   again
    "4883f801"  # cmp  rax, 1
    "7518"  # jne  fail
    "488b0c24"  # mov  rcx, [rsp] (argc)
    "488d742410"  # lea  rsi, [rsp + 16] (argv + 1)
    "488b3e"  # mov  rdi, [rsi]
    "488d54cc10"  # lea  rdx, [rsp + 8 * rcx + 16] (envp)
    "b83b000000"  # mov  eax, execve
    "0f05"  # syscall
    "bf7d000000"  # fail: mov edi, 125
    "b83c000000"  # mov  eax, exit
    "0f05"  # syscall
)


def barrier_program(machine: str = "") -> bytes | None:
    """Return the program for this kind of processor; None where there is none."""
    if (machine or platform.machine()) != "x86_64":
        return None
    code = _CODE + WAIT.encode() + b"\0"
    start = _HEADER.size + _SEGMENT.size
    size = start + len(code)
    header = _HEADER.pack(
        b"\x7fELF\x02\x01\x01".ljust(16, b"\0"),
        *(2, 62, 1),  # an executable for x86-64
        *(_BASE + start, _HEADER.size, 0, 0),
        *(_HEADER.size, _SEGMENT.size, 1, 0, 0, 0),
    )
    segment = _SEGMENT.pack(1, _READ_AND_RUN, 0, _BASE, _BASE, size, size, 0x1000)
    return header + segment + code


def add_barrier(
    options: dict[str, Any], image: dict[str, Any], directory: ContainerDir
) -> dict[str, Any]:
    """Return create options with the barrier before the work; raises `StartError`.

    `image` is the engine's description: a new entry point replaces the image's own and its default
    command, so both must be named.
    """
    config = image.get("Config") or {}
    own = tuple(options.get("entrypoint") or config.get("Entrypoint") or ())
    command = tuple(options.get("command") or config.get("Cmd") or ())
    mounts = [
        Mount(PROGRAM, str(_program_file(directory.path)), type="bind", read_only=True),
        Mount(WAIT, str(directory.barrier_path), type="bind", read_only=True),
    ]
    return {
        **options,
        "entrypoint": list(ENTRYPOINT),
        "command": [*own, *command],
        "mounts": [*options.get("mounts", ()), *mounts],
    }


def find_process_scope(found: dict[str, Any] | None) -> ProcessScope | None:
    """Return where a container's processes are, from its description; None when it has none."""
    pid = int(((found or {}).get("State") or {}).get("Pid") or 0)
    return ProcessScope(pid, find_cgroup(pid)) if pid else None


def _program_file(folder: Path) -> Path:
    program = barrier_program()
    if program is None:
        raise StartError(
            ExitCause.ISOLATION_UNAVAILABLE, "no start barrier for this kind of processor"
        )
    path = folder / "barrier-program"
    path.write_bytes(program)
    path.chmod(EXECUTABLE)
    return path
