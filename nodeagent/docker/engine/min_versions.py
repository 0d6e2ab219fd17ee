"""Minimum versions of a node's components, and patched packages of distributions; pure.

Upstream numbers do not describe a distribution's package: Debian's runc 1.1.5 has been free of
CVE-2024-21626 since its second revision. So a package version counts where it is known to be
patched.

Sources, read in November 2026: runc's advisories GHSA-xr7r-f8xq-vfvv (CVE-2024-21626),
GHSA-9493-h29p-rfm2, GHSA-qw9x-cqr3-wc7r, GHSA-cgrx-mc8f-2prm and GHSA-xjvp-4fhw-gc47
(CVE-2026-41579, which Docker is not open to) at
https://github.com/opencontainers/runc/security/advisories, DSA-5615-1 and USN-6619-1 for packages;
NVIDIA's bulletins 5659 and 5850 at https://github.com/NVIDIA/product-security for the toolkit.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from wire.facts import NodeFault

Version = tuple[int, ...]


class VersionStatus(StrEnum):
    """How a version compares with what a node needs."""

    OK = "ok"
    OLD = "old"
    """Works, but is below what is recommended."""
    BELOW = "below"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class MinVersion:
    """The minimum version of one component."""

    component: str
    minimum: str
    reason: str
    recommended: tuple[str, ...] = ()
    """One for each branch that is still maintained, the lowest first; empty recommends none."""
    recommended_reason: str = ""
    patched_packages: tuple[str, ...] = ()
    """Packages of distributions as `version up to the revision` + `revision`:
    `1.1.5+ds1-1+deb12u1`."""
    is_required: bool = True
    """Whether every node needs it; else it is checked only where it is installed."""


@dataclass(frozen=True, slots=True)
class VersionCheck:
    """The check of one component of one node."""

    requirement: MinVersion
    version: str
    status: VersionStatus

    @property
    def detail(self) -> str:
        """One line on what is wrong; empty when nothing is."""
        match self.status:
            case VersionStatus.OK:
                return ""
            case VersionStatus.OLD:
                advised = " or ".join(self.requirement.recommended)
                return (
                    f"{self.version} is old; {advised} is needed"
                    f" {self.requirement.recommended_reason}"
                )
            case VersionStatus.BELOW:
                return (
                    f"{self.version} is below {self.requirement.minimum}: {self.requirement.reason}"
                )
            case VersionStatus.UNKNOWN:
                return f"version is not known; at least {self.requirement.minimum}: {self.requirement.reason}"


MIN_VERSIONS: Final = (
    MinVersion("engine", "20.10", "older ones lack the API 1.41", ("25.0",), "for CDI devices"),
    MinVersion(
        "runc",
        "1.1.12",
        "CVE-2024-21626 lets a container out by its working directory",
        ("1.3.6", "1.4.3", "1.5.0"),
        "against CVE-2025-31133, CVE-2025-52565, CVE-2025-52881 and CVE-2026-41579",
        (
            "1.1.5+ds1-1+deb12u1",
            "1.0.0~rc93+ds1-5+deb11u3",
            "1.1.7-0ubuntu1~22.04.2",
            "1.1.7-0ubuntu1~20.04.2",
        ),
    ),
    MinVersion(
        "toolkit",
        "1.19.1",
        "CVE-2026-24260 and, before 1.17.8, CVE-2025-23266 run an image's code as root of the host",
        is_required=False,
    ),
    MinVersion(
        "driver",
        "525.60.13",
        "older ones cannot run CUDA 12",
        ("570.86",),
        "to release and restore the GPUs of idle notebooks",
        is_required=False,
    ),
)
_NUMBERS: Final = re.compile(r"\d+(?:\.\d+)*")
_BEFORE_RELEASE: Final = re.compile(r"^\d+(?:\.\d+)*[~+.-]?(?:rc|beta|alpha)")
_REVISION: Final = re.compile(r"^(.*?)(\d+)$")


def check_versions(versions: Mapping[str, Collection[str]]) -> tuple[VersionCheck, ...]:
    """Check every component; `versions` holds all version texts that a component reports.

    An engine reports runc's own version and, in Debian, the package's.
    """
    found = []
    for requirement in MIN_VERSIONS:
        texts = [text for text in versions.get(requirement.component, ()) if _NUMBERS.match(text)]
        if texts or requirement.is_required:
            found.append(_check(requirement, texts))
    return tuple(found)


def version_faults(
    checks: Collection[VersionCheck], accepted: Collection[str]
) -> tuple[NodeFault, ...]:
    """Return the faults; those of components that the operator has accepted do not block."""
    return tuple(
        NodeFault(
            code=f"{item.requirement.component}_too_old"
            if item.status is VersionStatus.BELOW
            else f"{item.requirement.component}_unknown",
            detail=item.detail[:200],
            is_blocking=item.requirement.component not in accepted,
        )
        for item in checks
        if item.status in {VersionStatus.BELOW, VersionStatus.UNKNOWN}
    )


def _check(requirement: MinVersion, texts: list[str]) -> VersionCheck:
    if not texts:
        return VersionCheck(requirement, "", VersionStatus.UNKNOWN)
    best = max(texts, key=_order)
    if _order(best) < _order(requirement.minimum):
        is_mended = any(
            _is_patched(text, known) for text in texts for known in requirement.patched_packages
        )
        if not is_mended:
            return VersionCheck(requirement, best, VersionStatus.BELOW)
        package = next(
            t for t in texts for known in requirement.patched_packages if _is_patched(t, known)
        )
        return VersionCheck(requirement, package, VersionStatus.OLD)
    return VersionCheck(
        requirement,
        best,
        VersionStatus.OLD if _is_old(best, requirement.recommended) else VersionStatus.OK,
    )


def _is_old(text: str, advised: tuple[str, ...]) -> bool:
    """Compare with the recommended version of the same branch; without one, with the newest."""
    if not advised:
        return False
    branch = _numbers(text)[:2]
    same = [item for item in advised if _numbers(item)[:2] == branch]
    return _order(text) < _order(same[0] if same else advised[-1])


def _is_patched(text: str, known: str) -> bool:
    """Return whether a package is this one or a later revision of it."""
    ours, theirs = _REVISION.match(known), _REVISION.match(text)
    return (
        ours is not None
        and theirs is not None
        and ours[1] == theirs[1]
        and int(theirs[2]) >= int(ours[2])
    )


def _order(text: str) -> tuple[Version, bool]:
    """Return a sort key: by numbers, a pre-release below its release."""
    return _numbers(text), _BEFORE_RELEASE.match(text) is None


def _numbers(text: str) -> Version:
    found = _NUMBERS.match(text)
    return tuple(int(part) for part in found[0].split(".")) if found else ()
