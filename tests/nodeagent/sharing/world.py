"""Orders and hosts for the tests of sharing: fakes at the outermost edge, the rest is real."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nodeagent.core.state import Device, Key
from nodeagent.ports import Order
from nodeagent.sharing.commands import DEADLINE_S, NOT_FOUND, Result
from nodeagent.sharing.inside import ASK_S
from tests.fakes.work import SLEEPS, an_order
from tests.nvml.machine import uuid_of
from wire.facts import AcceleratorFacts, Isolation

CARD = uuid_of(0)
KEY = Key("job.0", 1)
SLICE_MIB = 4096


def a_slice(
    slot: int = 0,
    *,
    uuid: str = CARD,
    memory: int = SLICE_MIB,
    ceiling: int | None = None,
    demanded: str | None = None,
    compute: int = 125,
) -> Device:
    return Device(uuid, slot, 8, memory, ceiling, compute, demanded)


def an_ordered(*devices: Device, allocation: str = "job.0", tenant: str = "lab") -> Order:
    order = an_order(SLEEPS, devices=devices, tenant=tenant)
    return replace(order, key=Key(allocation, 1))


def a_card(*offered: Isolation, uuid: str = CARD, simulated: bool = False) -> AcceleratorFacts:
    return AcceleratorFacts(
        uuid=uuid,
        index=0,
        vendor="nvidia",
        model="H100",
        memory_mib=81559,
        isolation=tuple(offered),
        simulated=simulated,
    )


@dataclass
class FakeHost:
    """The programs of a GPU host: an MPS daemon per pipe directory, compute modes, mounts."""

    daemons: dict[str, dict[str, str]] = field(default_factory=dict)
    compute_mode: dict[str, str] = field(default_factory=dict)
    mounted: set[str] = field(default_factory=set)
    said: list[tuple[str, ...]] = field(default_factory=list)
    limits: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    is_deaf: bool = False
    """Daemons take limits and do not keep them."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        env: Mapping[str, str] | None = None,
        within_s: float = DEADLINE_S,
    ) -> Result:
        self.said.append(tuple(argv))
        match argv:
            case ["mount", *_]:
                self.mounted.add(argv[-1])
                return Result(0, "")
            case ["umount", *_]:
                self.mounted.discard(argv[-1])
                return Result(0, "")
            case ["unshare", *_]:
                assert env is not None
                assert argv[-1] in self.mounted
                self.daemons[env["CUDA_MPS_PIPE_DIRECTORY"]] = {"memory": "0M", "percent": "100.0"}
                return Result(0, "")
            case ["nvidia-cuda-mps-control"]:
                assert env is not None
                return self._told(env["CUDA_MPS_PIPE_DIRECTORY"], text.split())
            case ["nvidia-smi", "memory-limits", *rest]:
                return self._limits(list(rest))
            case ["nvidia-smi", "-i", uuid, "-c", mode]:
                self.compute_mode[uuid] = mode
                return Result(0, "")
            case ["nvidia-smi", "-i", uuid, *_]:
                return Result(0, self.compute_mode.get(uuid, "Default").title() + "\n")
        return Result(NOT_FOUND, f"{argv[0]}: No such file or directory")

    def _told(self, pipe: str, words: list[str]) -> Result:
        daemon = self.daemons.get(pipe)
        if daemon is None:
            return Result(1, "Cannot find MPS control daemon process\n")
        match words:
            case ["set_default_device_pinned_mem_limit", "0", amount]:
                daemon["memory"] = daemon["memory"] if self.is_deaf else amount
            case ["set_default_active_thread_percentage", percent]:
                daemon["percent"] = f"{percent}.0"
            case ["get_default_device_pinned_mem_limit", "0"]:
                return Result(0, daemon["memory"] + "\n")
            case ["get_default_active_thread_percentage"]:
                return Result(0, daemon["percent"] + "\n")
            case ["quit"]:
                del self.daemons[pipe]
        return Result(0, "")

    def _limits(self, words: list[str]) -> Result:
        at = (words[words.index("-i") + 1], words[words.index("-n") + 1])
        if "--get" in words:
            soft, hard = self.limits.get(at, ("0", "max"))
            return Result(0, f"Soft Limit : {soft} MiB\nHard Limit : {hard} MiB\n")
        soft = words[words.index("--soft-limit") + 1]
        self.limits[at] = (soft, words[words.index("--hard-limit") + 1])
        return Result(0, "")


@dataclass
class FakeInside:
    """What programs inside of containers answer."""

    answers: dict[Key, Result] = field(default_factory=dict)
    asked: list[tuple[Key, tuple[str, ...]]] = field(default_factory=list)

    async def ask(self, key: Key, argv: Sequence[str], within_s: float = ASK_S) -> Result:
        self.asked.append((key, tuple(argv)))
        return self.answers.get(key, Result(NOT_FOUND, "no such container"))


def records_at(root: Path) -> Path:
    """Return where a node keeps its records."""
    return root / "sharing"
