"""What the fake library answers: cards as plain values, changed while somebody looks at them.

    with fake_machine(tmp_path, [h100(0), h100(1)]) as machine:
        machine.change(0, utilisation=57, process=["4711 1073741824 compute"])
        machine.xid(1, 79)

Every value is one or more lines of the C library's state (`state.h` and the comments in `*.c` say
which there are); None takes a line away. What callers set is in `machine.set_by_callers()`.
"""

import ctypes
import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias
from uuid import NAMESPACE_DNS, uuid5

import pynvml

from tests.fakes.nvml.library import built

MIB: Final = 1024 * 1024
Value: TypeAlias = str | int | Sequence[str]
Card: TypeAlias = dict[str, Value]

MACHINE: Final[Mapping[str, Value]] = {
    "driver": "615.71.05",
    "nvml": "13.615.71",
    "cuda": 13040,
}
H100_PROFILES: Final = (
    "0 19 1g.10gb 1 9984 7 16 1 0,1,2,3,4,5,6",
    "7 20 1g.10gb+me 1 9984 1 16 1 0,1,2,3,4,5,6",
    "9 15 1g.20gb 1 20096 4 26 2 0,2,4,6",
    "1 14 2g.20gb 2 20096 3 32 2 0,2,4",
    "2 9 3g.40gb 3 40448 2 60 4 0,4",
    "3 5 4g.40gb 4 40448 1 64 4 0",
    "4 0 7g.80gb 7 81152 1 132 8 0",
)


def uuid_of(number: int) -> str:
    """Return the identity of the nth card that these tests make."""
    return f"GPU-{uuid5(NAMESPACE_DNS, f'{number}.cards.berth.invalid')}"


def h100(number: int, **values: Value) -> Card:
    """Return a card as a new driver shows it: MIG, memory limits, ECC, a switched NVLink."""
    return {
        "uuid": uuid_of(number),
        "name": "NVIDIA H100 80GB HBM3",
        "serial": f"16530230000{number:02}",
        "minor": number,
        "pci": f"00000000:{0x19 + number:02X}:00.0",
        "capability": "9.0",
        "memory_total": 81559 * MIB,
        "memory_reserved": 551 * MIB,
        "memory_used": 0,
        "utilisation": 0,
        "utilisation_memory": 0,
        "power_mw": 71000,
        "power_limit_mw": 700000,
        "energy_mj": 4000000000,
        "temperature_c": 31,
        "clock_graphics": 345,
        "clock_sm": 345,
        "clock_memory": 2619,
        "clock_video": 765,
        "compute_mode": 0,
        "persistence": 1,
        "ecc_mode": 1,
        "remapped": "0 0 0 0",
        "memory_limits": 1,
        "mig_profile": list(H100_PROFILES),
        "nvlinks": 18,
        "nvlink": [f"{link} switch" for link in range(18)],
        **values,
    }


def t4(number: int, **values: Value) -> Card:
    """Return a small card behind an old driver: neither MIG, nor memory limits, nor NVLink."""
    left_out = ("mig_profile", "nvlink", "nvlinks", "memory_limits", "remapped")
    card = {key: value for key, value in h100(number).items() if key not in left_out}
    sizes = {"memory_total": 15360 * MIB, "memory_reserved": 449 * MIB}
    return {**card, **sizes, "name": "Tesla T4", "capability": "7.5", "old_driver": 1, **values}


class FakeNvml:
    """One state of the library, at `path`, for this process and its children (`environment`)."""

    def __init__(self, path: Path, cards: Sequence[Card], **machine: Value) -> None:
        self.path = path
        self.cards = [dict(card) for card in cards]
        self.values: dict[str, Value] = {**MACHINE, **machine}
        self._xids = 0
        self.write()

    @property
    def environment(self) -> dict[str, str]:
        """What a child process needs to find the library and this state."""
        return {"LD_LIBRARY_PATH": str(built().parent), "BERTH_FAKE_NVML": str(self.path)}

    def change(self, card: int | None = None, **values: Value | None) -> None:
        """Change values of a card (by its present place), or of the machine; None removes them."""
        target = self.values if card is None else self.cards[card]
        for key, value in values.items():
            if value is None:
                target.pop(key, None)
            else:
                target[key] = value
        self.write()

    def xid(self, card: int, code: int) -> None:
        """Let a card report an Xid."""
        self._xids += 1
        told = self.cards[card].get("xid", [])
        assert isinstance(told, list)
        self.change(card, xid=[*told, f"{self._xids} {code}"])

    def lose(self, card: int) -> None:
        """Let a card fall off the bus."""
        self.change(card, lost=1)

    def hang(self, function: str = "*", card: int | None = None) -> None:
        """Let a function, or all, not return until `change(card, hang=None)`."""
        self.change(card, hang=function)

    def set_by_callers(self, card: int, key: str) -> list[str]:
        """Return what callers have set for a card, such as `limit` or `mig_mode`, oldest first."""
        found, uuid = [], self.cards[card]["uuid"]
        here = False
        changes = self.path.with_name(self.path.name + ".set")
        for text in changes.read_text(encoding="utf-8").splitlines() if changes.exists() else ():
            name, _, value = text.partition(" ")
            if name == "at":
                here = value == uuid
            elif here and name == key:
                found.append(value)
        return found

    def reboot(self) -> None:
        """Forget what callers have set, and all processes; handles of before are dead."""
        self.path.with_name(self.path.name + ".set").unlink(missing_ok=True)
        for card in self.cards:
            card.pop("process", None)
        self.reload_driver()

    def reload_driver(self) -> None:
        """Let every handle and connection of before fail until the library is initialised anew."""
        generation = self.values.get("generation", 0)
        assert isinstance(generation, int)
        self.change(generation=generation + 1)

    def write(self) -> None:
        """Put the state where the library reads it, at once as a whole."""
        lines = list(_lines(self.values))
        for card in self.cards:
            lines += ["card", *_lines(card)]
        fresh = self.path.with_name(self.path.name + ".new")
        fresh.write_text("\n".join([*lines, ""]), encoding="utf-8")
        fresh.replace(self.path)


def nvml_from_dump(path: Path, text: str) -> FakeNvml:
    """Return a machine with the cards that `deploy/tools/nvml-dump` wrote down elsewhere."""
    fixture: dict[str, Any] = json.loads(text)
    return FakeNvml(path, fixture["cards"], **fixture["machine"])


def _lines(values: Mapping[str, Value]) -> Iterator[str]:
    for key, value in values.items():
        several = [value] if isinstance(value, str | int) else value
        yield from (f"{key} {one}" for one in several)


@contextmanager
def fake_nvml(folder: Path, cards: Sequence[Card], **machine: Value) -> Iterator[FakeNvml]:
    """Let this process's `pynvml` find the fake library, with these cards; unhung at the end.

    The binding asks for the library by name, and a loaded one with that name is the answer.
    """
    ctypes.CDLL(str(built()), mode=ctypes.RTLD_GLOBAL)
    made = FakeNvml(folder / "nvml.state", cards, **machine)
    os.environ["BERTH_FAKE_NVML"] = str(made.path)
    try:
        yield made
    finally:
        _unhang(made)
        _shut_down()
        del os.environ["BERTH_FAKE_NVML"]


def _unhang(machine: FakeNvml) -> None:
    """Let threads that wait in the library go on, and wait for them."""
    for values in (machine.values, *machine.cards):
        values.pop("hang", None)
    machine.write()
    for thread in threading.enumerate():
        if thread.name.startswith("nvml"):
            thread.join(10)


def _shut_down() -> None:
    try:
        while True:
            pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return
