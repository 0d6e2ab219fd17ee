"""The child process that becomes a user's shell in a process container.

`python -m nodeagent.process.shell_child DIRECTORY PARENT tty|pipes COMMAND`: takes environment,
working directory and limits of the work from the container's directory, and a controlling terminal
if there is one. It ends with its parent, the agent, and with the container, whose marker it has in
its environment. Standard library only, so that it starts fast.
"""

import ctypes
import fcntl
import os
import resource
import shutil
import signal
import sys
import termios
from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir

PR_SET_PDEATHSIG: Final = 1
EXIT_MISSING: Final = 127
SHELLS: Final = ("bash", "sh")


def main() -> None:
    """Become the shell, or exit with the code for a missing one."""
    path, parent, kind, command = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4]
    allocation, _, epoch = path.name.rpartition(".")
    launch = ContainerDir(path.parent, ContainerKey(allocation, int(epoch))).read_launch()
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGHUP, 0, 0, 0)
    if os.getppid() != parent:
        sys.exit(1)
    if kind == "tty":
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(launch.nice)
    os.chdir(launch.cwd)
    shell = next((found for name in SHELLS if (found := _find_program(name, launch.env))), None)
    if shell is None:
        sys.exit(EXIT_MISSING)
    # Not a login shell: `/etc/profile` would replace the search path of the work.
    argv = [shell, "-c", command] if command else [shell]
    os.execve(shell, argv, launch.env)


def _find_program(name: str, env: dict[str, str]) -> str | None:
    return shutil.which(name, path=env.get("PATH", os.defpath))


if __name__ == "__main__":
    main()
