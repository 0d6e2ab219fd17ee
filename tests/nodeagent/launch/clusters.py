"""The ranks of a Ray or Dask job as processes of this machine."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import psutil

from nodeagent.launch.cluster import SETTINGS_NAME
from nodeagent.launch.ranks import (
    RankRendezvous,
    cluster_ports,
    rank_argv,
    rank_environment,
    rank_files,
)
from nodeagent.ports import ContainerOrder
from tests.fakes.work import an_order
from tests.waiting import PATIENCE_S
from wire.words import Device

HERE: Final = RankRendezvous(("127.0.0.1", "127.0.0.1"))
GPUS: Final = (Device("GPU-a", 1024), Device("GPU-b", 1024))
TOKEN: Final = "0123456789abcdef" * 4
RAY_STAND_IN: Final = Path(__file__).parents[2] / "fakes" / "ray_package"
SHOWS_RAY: Final = """
import json, ray
ray.init()
found = [node["Resources"] for node in ray.nodes() if node["Alive"]]
print("@", json.dumps(sorted([it["CPU"], it.get("GPU", 0), it["memory"] > 0] for it in found)))
"""
SHOWS_DASK: Final = """
import json, distributed
found = distributed.Client().scheduler_info()["workers"].values()
seen = [[it["nthreads"], it["resources"]["GPU"], it["memory_limit"] > 0] for it in found]
print("@", json.dumps(sorted(seen)))
"""
"""Shows processors, GPUs and memory of each rank."""


@dataclass
class Ranks:
    """A job of two ranks, the first of which has no GPU and the other two."""

    folder: Path
    launcher: str
    packages: Path
    """Where the launcher's package is."""
    join_s: float = PATIENCE_S
    running: list[subprocess.Popen[str]] = field(default_factory=list)

    def start(self, rank: int, command: tuple[str, ...]) -> subprocess.Popen[str]:
        """Start one rank as the agent does."""
        order, notes = self._order(rank, command), self.notes(rank)
        notes.mkdir()
        files = notes.with_suffix(".files")
        files.mkdir()
        for name, text in rank_files(order, HERE).items():
            (files / name).write_text(text)
        settings = json.loads((files / SETTINGS_NAME).read_text())
        (files / SETTINGS_NAME).write_text(json.dumps({**settings, "join_s": self.join_s}))
        env = {
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "PYTHONPATH": str(self.packages),
            "BERTH_CHECKPOINT_FILE": str(notes / "checkpoint"),
            "CUDA_VISIBLE_DEVICES": ",".join(order.visible_devices),
            **rank_environment(order, HERE),
        }
        argv = rank_argv(order, command, str(files))
        pipe = subprocess.PIPE
        process = subprocess.Popen(argv, env=env, stdout=pipe, stderr=pipe, text=True)
        self.running.append(process)
        return process

    def start_all(self, *command: str) -> list[subprocess.Popen[str]]:
        """Start both ranks."""
        return [self.start(rank, command) for rank in range(2)]

    def notes(self, rank: int) -> Path:
        """Return the folder where a rank notes what it could not start."""
        return self.folder / f"rank-{rank}"

    @property
    def join_port(self) -> int:
        """Where the ranks meet."""
        return cluster_ports(self._order(0, ()).key).join

    def _order(self, rank: int, command: tuple[str, ...]) -> ContainerOrder:
        spec: dict[str, Any] = {"hosts": HERE.hosts, "ranks": 2, "rank": rank, "env": {}}
        sizes: dict[str, Any] = {"cpu_milli": 1500, "memory_mib": 512, "cluster_token": TOKEN}
        order = an_order(command, devices=GPUS * rank, launcher=self.launcher, **spec, **sizes)
        # Another job has other ports.
        return replace(order, key=order.key._replace(allocation=f"{self.folder}.{rank}"))


@contextmanager
def some_ranks(
    folder: Path, launcher: str, packages: Path, join_s: float = PATIENCE_S
) -> Iterator[Ranks]:
    """Give a test its ranks; afterwards nothing of them runs."""
    job = Ranks(folder, launcher, packages, join_s=join_s)
    try:
        yield job
    finally:
        for process in job.running:
            for rank in family(process.pid)[-1:]:
                _kill(rank)
            process.communicate(timeout=PATIENCE_S)


def family(number: int) -> list[psutil.Process]:
    """Return a process with all below it; none when it has ended."""
    try:
        process = psutil.Process(number)
        return [*process.children(recursive=True), process]
    except psutil.NoSuchProcess:
        return []


def _kill(process: psutil.Process) -> None:
    """Kill a process with all below it; it is suspended first, or it could start one more."""
    with suppress(psutil.NoSuchProcess):
        process.suspend()
        for child in process.children():
            _kill(child)
        process.kill()
