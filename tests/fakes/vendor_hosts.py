"""Hosts with the cards of other vendors, as recorded: device files, `/sys`, driver folders, detection.

Modes, groups and names are those that the vendors' drivers give; nothing of a driver is here.
"""

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any, Final

VIDEO, RENDER, ASCEND_USERS = 44, 109, 1001
"""Groups that own device files."""
ANYONE, GROUP = 0o666, 0o660


@dataclass(frozen=True, slots=True)
class RecordedHost:
    """One host with two cards or more of a vendor, and what work on its second card gets."""

    vendor: str
    model: str
    devices: Mapping[str, tuple[int, int]]
    """Mode and group of each character device."""
    cards: tuple[Mapping[str, Any], ...]
    """`index`, `uuid` and `appendix` of each card as they are detected."""
    files: tuple[str, ...]
    """The device files of the second card and those that all share, which work on it gets."""
    env: Mapping[str, str]
    """Variables of work on the second card, in a container."""
    host_env: Mapping[str, str]
    """The same in the process runtime."""
    folders: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    drm: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names in the `drm` folder of each PCI address."""
    groups: tuple[int, ...] = ()
    pci: Mapping[str, str] = field(default_factory=dict)
    """Files in the folder of each PCI address."""

    @property
    def needed(self) -> tuple[str, ...]:
        """Return what the second card cannot do without: files of it, control files, folders."""
        optional = ("/dev/cambricon_gdr", "/dev/cambricon_ipcm1", "/dev/dvpp_cmdlist")
        return (*(name for name in self.files if name not in optional), *self.folders)

    def build(self, root: Path) -> None:
        """Make everything but the device files below a folder."""
        for name in self.folders:
            (root / name.lstrip("/")).mkdir(parents=True)
            (root / name.lstrip("/") / "version.info").write_text(f"{self.vendor}\n")
        for name in self.tools:
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\n")
        for address, names in self.drm.items():
            device = root / "sys/bus/pci/devices" / address
            for name in names:
                (device / "drm" / name).mkdir(parents=True)
            for name, text in self.pci.items():
                (device / name).write_text(f"{text}\n")

    def make_devices(self, root: Path) -> None:
        """Make the device files, each of them the kernel's source of zeros; needs root."""
        for name, (mode, group) in self.devices.items():
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            os.mknod(path, stat.S_IFCHR | mode, os.makedev(1, 5))
            path.chmod(mode)
            os.chown(path, 0, group)

    def detect(self) -> list[Any]:
        """Return the cards as the detection of `gpustack-runtime` does."""
        common = {
            "manufacturer": self.vendor,
            "name": self.model,
            "driver_version": "1.0",
            "cores_utilization": 0,
            "memory": 65536,
            "memory_used": 0,
            "memory_status": "healthy",
            "temperature": None,
            "power_used": None,
        }
        return [SimpleNamespace(**common, **card) for card in self.cards]


def _drm_cards(*numbers: int) -> dict[str, tuple[str, ...]]:
    return {f"0000:{10 + n}:00.0": (f"card{n}", f"renderD{128 + n}") for n in numbers}


def _pci_cards(prefix: str, *numbers: int) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "index": index,
            "uuid": f"{prefix}-{number}",
            "appendix": {"bdf": f"0000:{10 + number}:00.0"},
        }
        for index, number in enumerate(numbers)
    )


HOSTS: Final[Mapping[str, RecordedHost]] = MappingProxyType(
    {
        # Card 0 is the board's own graphics: the GPUs' DRM numbers begin at 1.
        "amd": RecordedHost(
            vendor="amd",
            model="AMD Instinct MI300X OAM",
            devices={
                "/dev/kfd": (GROUP, RENDER),
                **{f"/dev/dri/card{n}": (GROUP, VIDEO) for n in (0, 1, 2)},
                **{f"/dev/dri/renderD{128 + n}": (GROUP, RENDER) for n in (0, 1, 2)},
            },
            cards=_pci_cards("GPU", 1, 2),
            drm=_drm_cards(1, 2),
            files=("/dev/dri/renderD130", "/dev/kfd"),
            env={"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "0"},
            host_env={
                "ROCR_VISIBLE_DEVICES": "1",
                "HIP_VISIBLE_DEVICES": "0",
                "CUDA_VISIBLE_DEVICES": "0",
            },
            groups=(RENDER,),
        ),
        # Physical ids begin at 4 here: the first four cards are another host's, by pass-through.
        "ascend": RecordedHost(
            vendor="ascend",
            model="Ascend910B3",
            devices={
                **{f"/dev/davinci{n}": (GROUP, ASCEND_USERS) for n in (4, 5)},
                "/dev/davinci_manager": (GROUP, ASCEND_USERS),
                "/dev/devmm_svm": (GROUP, ASCEND_USERS),
                "/dev/hisi_hdc": (GROUP, ASCEND_USERS),
                "/dev/dvpp_cmdlist": (GROUP, ASCEND_USERS),
            },
            cards=tuple(
                {
                    "index": n,
                    "uuid": f"0A1B2C3D {n}",
                    "appendix": {"bdf": f"0000:C{n}:00.0", "physical_id": n + 4},
                }
                for n in (0, 1)
            ),
            files=(
                *("/dev/davinci5", "/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"),
                "/dev/dvpp_cmdlist",
            ),
            folders=("/usr/local/Ascend/driver",),
            tools=("/usr/local/bin/npu-smi", "/etc/ascend_install.info"),
            mounts=(
                "/usr/local/Ascend/driver",
                "/usr/local/bin/npu-smi",
                "/etc/ascend_install.info",
            ),
            env={
                "ASCEND_RT_VISIBLE_DEVICES": "0",
                "ASCEND_VISIBLE_DEVICES": "5",
                "LD_LIBRARY_PATH": (
                    "/usr/local/Ascend/driver/lib64:/usr/local/Ascend/driver/lib64/common"
                    ":/usr/local/Ascend/driver/lib64/driver"
                ),
            },
            host_env={"ASCEND_RT_VISIBLE_DEVICES": "1", "ASCEND_VISIBLE_DEVICES": "5"},
            groups=(ASCEND_USERS,),
        ),
        "cambricon": RecordedHost(
            vendor="cambricon",
            model="MLU370-X8",
            devices={
                "/dev/cambricon_ctl": (ANYONE, 0),
                "/dev/cambricon_gdr": (ANYONE, 0),
                **{f"/dev/cambricon_dev{n}": (ANYONE, 0) for n in (0, 1)},
                **{f"/dev/cambricon_ipcm{n}": (ANYONE, 0) for n in (0, 1)},
            },
            cards=tuple(
                {
                    "index": n,
                    "uuid": f"MLU-10001012-1916-0000-0000-00000000000{n}",
                    "appendix": {"bdf": f"0000:3{n}:00.0"},
                }
                for n in (0, 1)
            ),
            files=(
                *("/dev/cambricon_dev1", "/dev/cambricon_ctl"),
                *("/dev/cambricon_gdr", "/dev/cambricon_ipcm1"),
            ),
            tools=("/usr/bin/cnmon",),
            mounts=("/usr/bin/cnmon",),
            env={"MLU_VISIBLE_DEVICES": "0", "CAMBRICON_VISIBLE_DEVICES": "1"},
            host_env={"MLU_VISIBLE_DEVICES": "1", "CAMBRICON_VISIBLE_DEVICES": "1"},
        ),
        "hygon": RecordedHost(
            vendor="hygon",
            model="K100_AI",
            devices={
                "/dev/kfd": (GROUP, RENDER),
                "/dev/mkfd": (ANYONE, 0),
                **{f"/dev/dri/card{n}": (GROUP, VIDEO) for n in (1, 2)},
                **{f"/dev/dri/renderD{128 + n}": (GROUP, RENDER) for n in (1, 2)},
            },
            cards=_pci_cards("GPU", 1, 2),
            drm=_drm_cards(1, 2),
            files=("/dev/dri/card2", "/dev/dri/renderD130", "/dev/kfd", "/dev/mkfd"),
            folders=("/opt/hyhal",),
            mounts=("/opt/hyhal",),
            env={"HIP_VISIBLE_DEVICES": "0", "CUDA_VISIBLE_DEVICES": "0"},
            host_env={"HIP_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "1"},
            groups=(VIDEO, RENDER),
        ),
        "intel": RecordedHost(
            vendor="intel",
            model="Intel Data Center GPU Max 1550",
            devices={
                **{f"/dev/dri/card{n}": (GROUP, VIDEO) for n in (0, 1)},
                **{f"/dev/dri/renderD{128 + n}": (GROUP, RENDER) for n in (0, 1)},
            },
            cards=_pci_cards("INTEL", 0, 1),
            drm=_drm_cards(0, 1),
            files=("/dev/dri/card1", "/dev/dri/renderD129"),
            env={"ZE_AFFINITY_MASK": "0"},
            host_env={"ZE_AFFINITY_MASK": "1"},
            groups=(VIDEO, RENDER),
            pci={
                "vendor": "0x8086",
                "device": "0x0bd5",
                "resource": (
                    "0x0000387ffe000000 0x0000387ffeffffff 0x000000000014220c\n"
                    "0x0000000000000000 0x0000000000000000 0x0000000000000000\n"
                    "0x0000386000000000 0x0000387fffffffff 0x000000000014220c"
                ),
            },
        ),
    }
)
