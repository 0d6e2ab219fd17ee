"""What a scanner says of an image, as Trivy and Grype write it in JSON; pure."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

SEVERITIES: Final = ("critical", "high", "medium", "low", "unknown")
"""From the worst to what nobody has judged."""
FINDINGS_MAX: Final = 500
"""Vulnerabilities of one image that are kept, the worst first; all are counted."""
FINDING_TEXT_MAX: Final = 200
"""Characters of each text of a finding."""
_NEGLIGIBLE: Final = "negligible"


class ScanReportError(Exception):
    """What the scanner printed is no report."""


@dataclass(frozen=True, slots=True)
class Vulnerability:
    """One vulnerability of one package."""

    id: str
    package: str
    installed: str
    fixed: str
    """The version that is without it; empty if there is none."""
    severity: str
    """One of `SEVERITIES`."""
    title: str


@dataclass(frozen=True, slots=True)
class ScanFindings:
    """What was found in an image."""

    counts: Mapping[str, int]
    """By severity, each of `SEVERITIES`."""
    worst: tuple[Vulnerability, ...]

    def rows(self) -> list[dict[str, str]]:
        """Return the kept ones as they are stored."""
        return [asdict(item) for item in self.worst]


def parse_report(text: bytes) -> ScanFindings:
    """Return what a report of Trivy or Grype says; raises `ScanReportError`."""
    try:
        report = json.loads(text)
    except ValueError as error:
        raise ScanReportError("not JSON") from error
    if not isinstance(report, dict) or not {"Results", "matches", "SchemaVersion"} & report.keys():
        raise ScanReportError("neither a report of Trivy nor one of Grype")
    try:
        found = set(_of_grype(report) if "matches" in report else _of_trivy(report))
    except (AttributeError, TypeError) as error:
        raise ScanReportError("not in the form that was expected") from error
    ordered = sorted(
        found, key=lambda item: (SEVERITIES.index(item.severity), item.id, item.package)
    )
    counts = Counter(item.severity for item in ordered)
    return ScanFindings({name: counts[name] for name in SEVERITIES}, tuple(ordered[:FINDINGS_MAX]))


def _of_trivy(report: Mapping[str, Any]) -> Iterator[Vulnerability]:
    for result in report.get("Results") or ():
        for item in result.get("Vulnerabilities") or ():
            yield _vulnerability(
                item.get("VulnerabilityID"),
                item.get("PkgName"),
                item.get("InstalledVersion"),
                [item.get("FixedVersion") or ""],
                item.get("Severity"),
                item.get("Title") or item.get("Description"),
            )


def _of_grype(report: Mapping[str, Any]) -> Iterator[Vulnerability]:
    for match in report.get("matches") or ():
        about, package = match.get("vulnerability") or {}, match.get("artifact") or {}
        yield _vulnerability(
            about.get("id"),
            package.get("name"),
            package.get("version"),
            (about.get("fix") or {}).get("versions") or (),
            about.get("severity"),
            about.get("description"),
        )


def _vulnerability(
    name: Any, package: Any, installed: Any, fixed: Iterable[Any], severity: Any, title: Any
) -> Vulnerability:
    known = str(severity or "").lower()
    if known == _NEGLIGIBLE:
        known = "low"
    return Vulnerability(
        id=_short(name),
        package=_short(package),
        installed=_short(installed),
        fixed=_short(", ".join(str(version) for version in fixed)),
        severity=known if known in SEVERITIES else "unknown",
        title=_short(title),
    )


def _short(text: Any) -> str:
    """Return a text of a report, cut, without what PostgreSQL cannot store."""
    return str(text or "").replace("\0", "")[:FINDING_TEXT_MAX]
