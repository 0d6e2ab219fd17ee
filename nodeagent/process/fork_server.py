"""Forks the shims of containers from one process that has their modules loaded.

A Python that starts by itself spends some 45 ms of a core on imports, and its memory is its own; a fork
of one that has imported everything costs a tenth of that and shares its memory. The server is a
process of one thread that does nothing else; it ends with the agent, and the shims outlive both.
Standard library only: the server imports this.
"""

import gc
import os
import signal
import socket
import sys
import traceback
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Final

from nodeagent.disk.container_dir import ContainerDir
from nodeagent.process import shim

PACKAGE_ROOT: Final = Path(__file__).resolve().parents[2]
MESSAGE_MAX: Final = 8192
"""Bytes of a request, which is the path of a container's directory; longer than any path may be."""
ANSWER_S: Final = 10.0
"""How long the agent waits for a fork before it gives the server up."""


class ForkServer:
    """The agent's side: starts the server when it is needed, and again when it was lost."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._link: socket.socket | None = None
        self._end: weakref.finalize[..., ForkServer] | None = None

    def start_shim(self, directory: ContainerDir, lock: int) -> None:
        """Start the shim of a container, which inherits the container's lock and writes to its log.

        Raises `OSError`. Without an answer the shim may or may not have been started; the caller that holds
        the directory must kill the container then.
        """
        log = os.open(directory.log_path, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC)
        try:
            link = self._send(os.fsencode(directory.path), [lock, log])
            self._check(link)
        finally:
            os.close(log)

    def _send(self, path: bytes, descriptors: list[int]) -> socket.socket:
        """Send a request to the server, to a new one when there is none that could take it."""
        if self._link is not None:
            with suppress(BrokenPipeError, ConnectionResetError):  # it has ended since
                socket.send_fds(self._link, [path], descriptors)
                return self._link
            self._give_up()
        self._link = self._start()
        socket.send_fds(self._link, [path], descriptors)
        return self._link

    def _check(self, link: socket.socket) -> None:
        link.settimeout(ANSWER_S)
        try:
            answer = link.recv(MESSAGE_MAX)
        except OSError:
            self._give_up()
            raise
        if not answer:
            self._give_up()
            raise ConnectionResetError("the fork server has ended")
        if number := int(answer):
            raise OSError(number, os.strerror(number))

    def _start(self) -> socket.socket:
        """Start the server by `posix_spawn`, in a session of its own: it inherits nothing else."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # -S: it needs the standard library only, and starts faster without the rest.
        argv = [sys.executable, "-S", "-m", "nodeagent.process.fork_server"]
        env = {"PYTHONPATH": str(PACKAGE_ROOT), "PATH": os.defpath, "LANG": "C.UTF-8"}
        with theirs:
            actions = [(os.POSIX_SPAWN_DUP2, theirs.fileno(), 0)]
            pid = os.posix_spawn(sys.executable, argv, env, file_actions=actions, setsid=True)
        self._end = weakref.finalize(self, _end_server, ours, pid)
        return ours

    def _give_up(self) -> None:
        if self._end is not None:
            self._end()
        self._link = None


def _end_server(link: socket.socket, pid: int) -> None:
    """Kill the server, which is between two forks or lost, and reap it; its shims continue."""
    link.close()
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def main() -> None:
    """Fork a shim for every request, until the agent has ended."""
    gc.freeze()  # a collection would copy the pages that the shims share
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel reaps them
    agent = socket.socket(fileno=0)
    while True:
        path, descriptors, _, _ = socket.recv_fds(agent, MESSAGE_MAX, 2, socket.MSG_CMSG_CLOEXEC)
        if not path:
            return
        lock, log = descriptors
        try:
            if os.fork() == 0:
                _become_shim(agent, Path(os.fsdecode(path)), lock, log)
            answer = 0
        except OSError as error:  # no process or no memory left
            answer = error.errno or 0
        os.close(lock)
        os.close(log)
        agent.send(str(answer).encode())


def _become_shim(agent: socket.socket, path: Path, lock: int, log: int) -> None:
    """Be the shim of a container until its end; never returns."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        agent.close()
        null = os.open(os.devnull, os.O_RDONLY)
        for source, target in ((null, 0), (log, 1), (log, 2)):
            if source != target:
                os.dup2(source, target)
        os.close(log)
        shim.run(path, lock)
        code = 0
    finally:
        if code:
            traceback.print_exc()  # into the log of the container, as of any program
            sys.stderr.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
