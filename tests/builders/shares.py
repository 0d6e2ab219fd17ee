"""Orders and hosts for the tests of sharing: fakes at the outermost edge, the rest is real."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from nodeagent.core.state import ContainerKey
from nodeagent.host.commands import DEADLINE_S, NOT_FOUND, CommandResult
from nodeagent.ports import ContainerOrder
from nodeagent.sharing.exec_probe import PROBE_S
from tests.fakes.mps_server import FakeMpsServer
from tests.fakes.nvml.machine import uuid_of
from tests.fakes.work import SLEEPS, an_order
from wire.facts import AcceleratorFacts
from wire.words import Device, Isolation

CARD = uuid_of(0)
KEY = ContainerKey("job.0", 1)
SLICE_MIB = 4096


def a_slice(
    slot: int = 0,
    *,
    uuid: str = CARD,
    memory: int = SLICE_MIB,
    ceiling: int | None = None,
    required: Isolation | None = None,
    compute: int = 125,
) -> Device:
    return Device(
        uuid,
        memory,
        slot=slot,
        slices=8,
        ceiling_mib=ceiling,
        compute_milli=compute,
        isolation=required,
    )


def a_share_order(
    *devices: Device, allocation: str = "job.0", tenant: str = "lab"
) -> ContainerOrder:
    order = an_order(SLEEPS, devices=devices, tenant=tenant)
    return replace(order, key=ContainerKey(allocation, 1))


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
class FakeGpuHost:
    """The programs of a GPU host: an MPS daemon per pipe directory, compute modes, mounts."""

    daemons: dict[str, dict[str, str]] = field(default_factory=dict)
    servers: dict[str, FakeMpsServer] = field(default_factory=dict)
    compute_mode: dict[str, str] = field(default_factory=dict)
    mounted: set[str] = field(default_factory=set)
    said: list[tuple[str, ...]] = field(default_factory=list)
    limits: dict[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    is_deaf: bool = False
    """Daemons take limits and do not keep them."""
    is_bare: bool = False
    """None of these programs is there."""
    is_old: bool = False
    """Its driver has no protocol 3."""

    async def run(
        self,
        argv: Sequence[str],
        *,
        text: str = "",
        env: Mapping[str, str] | None = None,
        within_s: float = DEADLINE_S,
    ) -> CommandResult:
        self.said.append(tuple(argv))
        pipe = (env or {}).get("CUDA_MPS_PIPE_DIRECTORY", "")
        programs: Mapping[str, Callable[[], CommandResult]] = {
            "mount": lambda: self._mounted(argv[-1]),
            "umount": lambda: self._unmounted(argv[-1]),
            "unshare": lambda: self._entered(argv[7], pipe, argv[8:]),
            "nvidia-cuda-mps-control": lambda: (
                self._asked(pipe, argv[1:]) if argv[1:] else self._told(pipe, text.split())
            ),
            "nvidia-smi": lambda: self._smi(list(argv[1:])),
        }
        if self.is_bare or argv[0] not in programs:
            return CommandResult(NOT_FOUND, f"{argv[0]}: No such file or directory")
        return programs[argv[0]]()

    def _mounted(self, path: str) -> CommandResult:
        self.mounted.add(path)
        return CommandResult(0, "")

    def _unmounted(self, path: str) -> CommandResult:
        self.mounted.discard(path)
        return CommandResult(0, "")

    def _entered(self, shm: str, pipe: str, options: Sequence[str]) -> CommandResult:
        assert shm in self.mounted
        if options and self.is_old:
            # Seen with driver 580: usage, and success.
            return CommandResult(
                0, "Unrecognized option \0\nCUDA MPS Control for Linux/Unix/QNX.\n"
            )
        if options:
            assert tuple(options) == ("-p", "3", "-m")
            self.servers[pipe] = FakeMpsServer(self.is_deaf)
        else:
            self.daemons[pipe] = {"memory": "0M", "percent": "100.0"}
        return CommandResult(0, "")

    def _asked(self, pipe: str, words: Sequence[str]) -> CommandResult:
        """Answer as a daemon of protocol 3."""
        server = self.servers.get(pipe)
        if server is None:
            return CommandResult(1, "Cannot find MPS control daemon process\n")
        if words == ("-q",):
            del self.servers[pipe]
            return CommandResult(0, "")
        return server.answer(words)

    def _smi(self, words: list[str]) -> CommandResult:
        if words[0] == "memory-limits":
            return self._limits(words)
        uuid = words[words.index("-i") + 1]
        if "-c" in words:
            self.compute_mode[uuid] = words[-1]
            return CommandResult(0, "")
        return CommandResult(0, self.compute_mode.get(uuid, "Default").title() + "\n")

    def _told(self, pipe: str, words: list[str]) -> CommandResult:
        daemon = self.daemons.get(pipe)
        if daemon is None:
            return CommandResult(1, "Cannot find MPS control daemon process\n")
        match words:
            case ["set_default_device_pinned_mem_limit", "0", amount]:
                daemon["memory"] = daemon["memory"] if self.is_deaf else amount
            case ["set_default_active_thread_percentage", percent]:
                daemon["percent"] = f"{percent}.0"
            case ["get_default_device_pinned_mem_limit", "0"]:
                return CommandResult(0, daemon["memory"] + "\n")
            case ["get_default_active_thread_percentage"]:
                return CommandResult(0, daemon["percent"] + "\n")
            case ["quit"]:
                del self.daemons[pipe]
            case _:
                return CommandResult(1, "unknown command")
        return CommandResult(0, "")

    def _limits(self, words: list[str]) -> CommandResult:
        at = (words[words.index("-i") + 1], words[words.index("-n") + 1])
        if "--get" in words:
            soft, hard = self.limits.get(at, ("0", "max"))
            return CommandResult(0, f"Soft Limit : {soft} MiB\nHard Limit : {hard} MiB\n")
        soft = words[words.index("--soft-limit") + 1]
        self.limits[at] = (soft, words[words.index("--hard-limit") + 1])
        return CommandResult(0, "")


@dataclass
class FakeExecProbe:
    """What programs inside of containers answer."""

    answers: dict[ContainerKey, CommandResult] = field(default_factory=dict)
    asked: list[tuple[ContainerKey, tuple[str, ...]]] = field(default_factory=list)

    async def run_probe(
        self, key: ContainerKey, argv: Sequence[str], within_s: float = PROBE_S
    ) -> CommandResult:
        self.asked.append((key, tuple(argv)))
        return self.answers.get(key, CommandResult(NOT_FOUND, "no such container"))
