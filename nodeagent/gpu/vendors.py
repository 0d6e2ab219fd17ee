"""What work on the cards of each vendor needs of its host, as the vendors document it; pure.

NVIDIA's cards are not in this table: the engine's GPU runtime gives them to containers by UUID. For
all others the agent gives the device files itself, those of the granted cards only, and never
`--privileged`, capabilities or a vendor's container runtime.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class CardLocation:
    """How the files and the counting of one card are numbered on its host."""

    index: int
    """Position by which the vendor's runtime counts it on the host."""
    number: int
    """In the name of its device file."""
    card: int | None = None
    """N of its `/dev/dri/cardN`; None where it has none."""
    render: int | None = None
    """N of its `/dev/dri/renderDN`; None where it has none."""


class Numbering(Enum):
    """By which numbers a variable names the granted cards."""

    POSITION = "position"
    """0, 1, …: the process sees the granted cards only, and its runtime counts from 0."""
    INDEX = "index"
    """The host's own positions: the process sees all cards of the host."""
    NUMBER = "number"
    """The numbers of the device files."""


Variables = Mapping[str, Numbering]


@dataclass(frozen=True, slots=True)
class VendorNeeds:
    """What the work on one vendor's cards needs; `{number}`, `{card}`, `{render}` stand for a card's."""

    card_files: tuple[str, ...]
    """Device files of each card; without any of them, the work would not see the card."""
    control_files: tuple[str, ...] = ()
    """Device files that all cards of the vendor share, and that are needed as well."""
    further_files: tuple[str, ...] = ()
    """Device files that only some drivers have."""
    mounts: tuple[str, ...] = ()
    """Folders of the host's driver that images do not contain; read-only, at the same place."""
    further_mounts: tuple[str, ...] = ()
    """Tools and settings of the driver, where the host has them."""
    in_container: Variables = field(default_factory=dict)
    """Variables where the work sees only its own device files."""
    on_host: Variables = field(default_factory=dict)
    """Variables where it sees all of the host's."""
    container_env: Mapping[str, str] = field(default_factory=dict)
    """Further variables inside containers."""

    @property
    def needs_drm(self) -> bool:
        """Return whether the card's files are those of the kernel's Direct Rendering Manager."""
        return any("{render}" in name for name in self.card_files)


_HIP: Final[Variables] = MappingProxyType(
    dict.fromkeys(("HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"), Numbering.POSITION)
)
"""HIP reads the second name where the first is missing, and PyTorch reads both."""

VENDORS: Final[Mapping[str, VendorNeeds]] = MappingProxyType(
    {
        # "Running ROCm Docker containers", Restricting GPU access: /dev/kfd is common to all GPUs, a
        # GPU whose renderD file is missing cannot be used. "GPU isolation techniques": the variables;
        # HIP counts what ROCR leaves. (rocm.docs.amd.com)
        "amd": VendorNeeds(
            card_files=("/dev/dri/renderD{render}",),
            control_files=("/dev/kfd",),
            in_container=_HIP,
            on_host=MappingProxyType({"ROCR_VISIBLE_DEVICES": Numbering.INDEX, **_HIP}),
        ),
        # "Default Content Mounted by Ascend Docker Runtime" and, for the plain engine, "Use in
        # Containers" of the toolbox guide. The file's number is the physical id, the runtime counts
        # logical ids. Images keep the toolkit, the host the driver's libraries. (hiascend.com)
        "ascend": VendorNeeds(
            card_files=("/dev/davinci{number}",),
            control_files=("/dev/davinci_manager", "/dev/devmm_svm", "/dev/hisi_hdc"),
            further_files=("/dev/dvpp_cmdlist",),
            mounts=("/usr/local/Ascend/driver",),
            further_mounts=(
                *("/usr/local/dcmi", "/usr/local/bin/npu-smi", "/usr/local/sbin/npu-smi"),
                *("/etc/ascend_install.info", "/etc/hdcBasic.cfg", "/etc/sys_version.conf"),
            ),
            in_container=MappingProxyType(
                {
                    "ASCEND_RT_VISIBLE_DEVICES": Numbering.POSITION,
                    "ASCEND_VISIBLE_DEVICES": Numbering.NUMBER,
                }
            ),
            on_host=MappingProxyType(
                {
                    "ASCEND_RT_VISIBLE_DEVICES": Numbering.INDEX,
                    "ASCEND_VISIBLE_DEVICES": Numbering.NUMBER,
                }
            ),
            container_env=MappingProxyType(
                {
                    "LD_LIBRARY_PATH": ":".join(
                        f"/usr/local/Ascend/driver/lib64{part}"
                        for part in ("", "/common", "/driver")
                    )
                }
            ),
        ),
        # The vendor's Kubernetes device plugin without its container runtime: PrepareResponse in
        # device-plugin/pkg/mlu/server.go. (github.com/Cambricon/cambricon-k8s-device-plugin)
        "cambricon": VendorNeeds(
            card_files=("/dev/cambricon_dev{number}",),
            control_files=("/dev/cambricon_ctl",),
            further_files=(
                *("/dev/cambricon_gdr", "/dev/cambricon_ipcm{number}", "/dev/cambr-msgq:{number}"),
                *("/dev/cambr-rpc:{number}", "/dev/cmsg_ctrl{number}", "/dev/commu{number}"),
            ),
            further_mounts=("/usr/bin/cnmon",),
            in_container=MappingProxyType(
                {
                    "MLU_VISIBLE_DEVICES": Numbering.POSITION,
                    "CAMBRICON_VISIBLE_DEVICES": Numbering.NUMBER,
                }
            ),
            on_host=MappingProxyType(
                {
                    "MLU_VISIBLE_DEVICES": Numbering.INDEX,
                    "CAMBRICON_VISIBLE_DEVICES": Numbering.NUMBER,
                }
            ),
        ),
        # The docker command of the vendor's dcu-exporter and of its images (sourcefind.cn): kfd,
        # mkfd, both DRM files, and the hardware layer in /opt/hyhal, which no image contains.
        "hygon": VendorNeeds(
            card_files=("/dev/dri/card{card}", "/dev/dri/renderD{render}"),
            control_files=("/dev/kfd", "/dev/mkfd"),
            mounts=("/opt/hyhal",),
            in_container=_HIP,
            on_host=MappingProxyType(dict.fromkeys(_HIP, Numbering.INDEX)),
        ),
        # "CDI specifications with Intel GPU devices" of the device plugins, and the Level Zero
        # specification, Affinity Mask. (intel.github.io, oneapi-src.github.io)
        "intel": VendorNeeds(
            card_files=("/dev/dri/card{card}", "/dev/dri/renderD{render}"),
            in_container=MappingProxyType({"ZE_AFFINITY_MASK": Numbering.POSITION}),
            on_host=MappingProxyType({"ZE_AFFINITY_MASK": Numbering.INDEX}),
        ),
    }
)
"""By the name of the vendor as its driver reports it."""


def files_of(patterns: Sequence[str], cards: Sequence[CardLocation]) -> tuple[str, ...]:
    """Return the files that patterns name for these cards, each once."""
    named = (
        pattern.format(number=card.number, card=card.card, render=card.render)
        for pattern in patterns
        for card in cards
    )
    return tuple(dict.fromkeys(named))


def visible_cards(variables: Variables, cards: Sequence[CardLocation]) -> Mapping[str, str]:
    """Return the values of variables that name these cards."""
    numbers = {
        Numbering.POSITION: range(len(cards)),
        Numbering.INDEX: [card.index for card in cards],
        Numbering.NUMBER: [card.number for card in cards],
    }
    return {name: ",".join(map(str, numbers[kind])) for name, kind in variables.items()}
