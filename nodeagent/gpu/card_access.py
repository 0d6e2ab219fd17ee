"""Gives work the device files, driver folders and variables of other vendors' cards.

A host that lacks one of them refuses the start: a container that sees nothing would only fail later,
in words of its framework.
"""

import os
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import Final

from nodeagent.card_ports import CardReading
from nodeagent.gpu.vendors import VENDORS, CardLocation, VendorNeeds, files_of, visible_cards
from nodeagent.ports import Injection, Mount, StartError
from wire.words import ExitCause

ReadCard = Callable[[str], CardReading | None]
"""Returns the last reading of a card by its UUID."""

_OWN_RUNTIME: Final = frozenset({"nvidia"})
"""Vendors whose cards the engine's own GPU runtime gives to containers."""
_OPEN_TO_ALL: Final = stat.S_IROTH | stat.S_IWOTH
_OPEN_TO_GROUP: Final = stat.S_IRGRP | stat.S_IWGRP


class CardAccess:
    """Finds what containers need for the cards that they were granted."""

    def __init__(
        self,
        read_card: ReadCard,
        *,
        has_containers: bool,
        root: Path = Path("/"),
        lstat: Callable[[Path], os.stat_result] = os.lstat,
    ) -> None:
        """`has_containers`: work has device files of its own; else it sees all of the host's.

        `root` is where the host's `/dev`, `/sys` and driver folders are; `lstat` looks at one file.
        """
        self._read_card = read_card
        self._has_containers = has_containers
        self._root = root
        self._lstat = lstat

    def describe(self, uuids: Collection[str]) -> Injection:
        """Return what these cards need; raises `StartError` with what the host lacks.

        Nothing is needed for NVIDIA's cards and for simulated ones.
        """
        by_vendor: dict[str, list[CardReading]] = {}
        others = []
        for uuid in uuids:
            reading = self._read_card(uuid)
            if reading is not None and _needs_access(reading):
                by_vendor.setdefault(reading.facts.vendor, []).append(reading)
            else:
                others.append(uuid)
        if not by_vendor:
            return Injection()
        found = [self._describe(vendor, cards) for vendor, cards in by_vendor.items()]
        return Injection(
            env={name: value for item in found for name, value in item.env.items()},
            mounts=_once(mount for item in found for mount in item.mounts),
            devices=tuple(others),
            device_files=_once(each for item in found for each in item.device_files),
            groups=tuple(sorted({group for item in found for group in item.groups})),
        )

    def _describe(self, vendor: str, readings: Sequence[CardReading]) -> Injection:
        needs = VENDORS.get(vendor)
        if needs is None:
            raise _fault("vendor_unsupported", f"cards of {vendor} cannot be given to work")
        cards = [self._locate(needs, reading) for reading in readings]
        files = files_of((*needs.card_files, *needs.control_files), cards)
        missing = [name for name in files if not stat.S_ISCHR(self._mode(name))]
        missing += [name for name in needs.mounts if not self._path(name).is_dir()]
        if missing:
            raise _fault("device_missing", f"{', '.join(missing)} ({vendor})")
        if not self._has_containers:
            return Injection(env=visible_cards(needs.on_host, cards))
        further = files_of(needs.further_files, cards)
        files += tuple(name for name in further if stat.S_ISCHR(self._mode(name)))
        mounts = [name for name in needs.further_mounts if self._is_plain(name)]
        return Injection(
            env={**needs.container_env, **visible_cards(needs.in_container, cards)},
            mounts=tuple(Mount(self._path(name), name) for name in (*needs.mounts, *mounts)),
            device_files=tuple(Mount(self._path(name), name, is_read_only=False) for name in files),
            groups=tuple(sorted({group for name in files for group in self._groups_for(name)})),
        )

    def _locate(self, needs: VendorNeeds, reading: CardReading) -> CardLocation:
        index = reading.facts.index
        number = index if reading.file_number is None else reading.file_number
        if not needs.needs_drm:
            return CardLocation(index, number)
        folder = self._path(f"/sys/bus/pci/devices/{reading.bus_id}/drm")
        is_known = reading.bus_id and folder.is_dir()
        names = [item.name for item in folder.iterdir()] if is_known else []
        card, render = _number_of("card", names), _number_of("renderD", names)
        if render is None:
            raise _fault("device_missing", f"{folder}/renderD* ({reading.facts.vendor})")
        return CardLocation(index, number, card, render)

    def _groups_for(self, name: str) -> Iterable[int]:
        """Yield the group that work must be in to open a file, if that is not open to all."""
        found = self._lstat(self._path(name))
        if found.st_mode & _OPEN_TO_ALL == _OPEN_TO_ALL:
            return
        if found.st_mode & _OPEN_TO_GROUP != _OPEN_TO_GROUP or found.st_gid == 0:
            detail = f"{name} is {stat.filemode(found.st_mode)}, group {found.st_gid}"
            raise _fault("device_not_accessible", detail)
        yield found.st_gid

    def _mode(self, name: str) -> int:
        """Return type and permissions of a file, without following a link; 0 where there is none."""
        try:
            return self._lstat(self._path(name)).st_mode
        except OSError:
            return 0

    def _is_plain(self, name: str) -> bool:
        mode = self._mode(name)
        return stat.S_ISREG(mode) or stat.S_ISDIR(mode)

    def _path(self, name: str) -> Path:
        return self._root / name.lstrip("/")


def _needs_access(reading: CardReading) -> bool:
    return not reading.facts.simulated and reading.facts.vendor not in _OWN_RUNTIME


def _number_of(prefix: str, names: Iterable[str]) -> int | None:
    found = [name.removeprefix(prefix) for name in sorted(names) if name.startswith(prefix)]
    return next((int(number) for number in found if number.isdecimal()), None)


def _once(mounts: Iterable[Mount]) -> tuple[Mount, ...]:
    return tuple(dict.fromkeys(mounts))


def _fault(code: str, detail: str) -> StartError:
    return StartError(ExitCause.NODE_FAULT, f"{code}: {detail}")
