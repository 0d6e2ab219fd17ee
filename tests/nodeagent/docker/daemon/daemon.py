"""A Docker daemon of one's own, to be killed, frozen and starved: nobody else uses it."""

import os
import signal
import subprocess
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zlib import crc32

import docker

from nodeagent.docker.engine.client import is_engine_answering
from tests.waiting import wait_until

ROOM_MIB = 400
SHIFT: Final = 165_536
"""Who root of a container is on the host, with a daemon that remaps."""
REMAPPED: Final = ("nobody", "nogroup")
"""Whose ranges it takes: any user that every machine has."""
OTHER_RANGES: Final = """
mount --bind "$0" /etc/subuid
mount --bind "$0" /etc/subgid
exec "$@"
"""


@dataclass
class Daemon:
    """One dockerd whose data lie on a small disk in memory below `home`."""

    home: Path
    is_remapping: bool = False
    """Whether it makes nobody of every container's root, as `userns-remap` in `daemon.json` does."""
    host: str = ""
    """The network namespace that is its host; empty is the machine's own."""
    is_live_restore: bool = True
    """Whether work outlives it when it ends, as `live-restore` in `daemon.json` says."""
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Return where it answers."""
        return f"unix://{self.home}/docker.sock"

    @property
    def bridge(self) -> str:
        """Return its own: a daemon without any takes away that of all others on this machine."""
        if self.host:
            return "none"
        return f"berth-t{crc32(str(self.home).encode()):08x}"

    @property
    def data(self) -> Path:
        """Return the folder of its images and containers."""
        return self.home / "data"

    def mount(self) -> None:
        """Make the small disk."""
        self.data.mkdir()
        options = f"size={ROOM_MIB}m"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.data], check=True)
        if self.host:
            return
        subprocess.run(["ip", "link", "add", self.bridge, "type", "bridge"], check=True)
        address = ["ip", "addr", "add", "192.168.231.1/24", "dev", self.bridge]
        subprocess.run(address, check=True)

    def start(self) -> None:
        """Start it and wait until it answers; containers of a killed one are still there."""
        # A killed daemon leaves numbers behind: the next one takes them for living processes.
        (self.home / "dockerd.pid").unlink(missing_ok=True)
        (self.home / "exec" / "containerd" / "containerd.pid").unlink(missing_ok=True)
        command = [
            *self._program(),
            *(f"--data-root={self.data}", f"--exec-root={self.home}/exec"),
            *(f"--pidfile={self.home}/dockerd.pid", f"--host={self.url}"),
            *(f"--bridge={self.bridge}", "--iptables=false"),
            *(["--live-restore"] if self.is_live_restore else []),
            "--max-download-attempts=1",
            *(["--userns-remap=" + ":".join(REMAPPED)] if self.is_remapping else []),
        ]
        with (self.home / "dockerd.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
        wait_until(self.answers)

    def _program(self) -> list[str]:
        """Return how it is started; the ranges of ids are another file for it alone."""
        if self.host:
            return ["nsenter", f"--net=/run/netns/{self.host}", "dockerd"]
        if not self.is_remapping:
            return ["dockerd"]
        self.home.chmod(0o711)
        ranges = self.home / "ranges"
        ranges.write_text("".join(f"{name}:{SHIFT}:65536\n" for name in REMAPPED))
        alone = ["unshare", "--mount", "--propagation", "private"]
        return [*alone, "sh", "-ec", OTHER_RANGES, str(ranges), "dockerd"]

    def answers(self) -> bool:
        """Tell whether it serves."""
        return is_engine_answering(self.url)

    def client(self) -> "closing[docker.DockerClient]":
        """Open a client for the length of a block."""
        return closing(docker.DockerClient(base_url=self.url, timeout=60))

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal; what it started is left alone."""
        assert self.process is not None
        self.process.send_signal(number)

    def kill(self) -> None:
        """End it at once, as a crash does; its containerd goes with it."""
        number = (self.home / "exec" / "containerd" / "containerd.pid").read_text()
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait()
        with suppress(ProcessLookupError):
            os.kill(int(number), signal.SIGKILL)

    def end(self) -> None:
        """End it in good order, as the host's service manager does."""
        assert self.process is not None
        self.process.terminate()
        self.process.wait(60)

    def close(self) -> None:
        """Remove every container, end the daemon in good order, and take its disk away."""
        assert self.process is not None
        self.signal(signal.SIGCONT)
        if self.process.poll() is not None:
            self.start()
        with self.client() as client:
            for container in client.containers.list(all=True):
                container.remove(force=True)
        self.end()
        if not self.host:
            subprocess.run(["ip", "link", "delete", self.bridge], check=True)
        subprocess.run(["umount", "--lazy", self.data], check=True)
        for left in (self.home / "exec" / "netns").glob("*"):
            subprocess.run(["umount", "--lazy", left], check=True)
