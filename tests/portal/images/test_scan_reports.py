"""Reports of Trivy and Grype are understood; what is none is refused."""

import json
from typing import Any

import pytest

from portal.images.scan_reports import (
    FINDINGS_MAX,
    ScanReportError,
    Vulnerability,
    parse_report,
)

TRIVY: dict[str, Any] = {
    "SchemaVersion": 2,
    "Results": [
        {"Target": "debian", "Class": "os-pkgs"},
        {
            "Target": "python",
            "Vulnerabilities": [
                {
                    "VulnerabilityID": "CVE-2026-0002",
                    "PkgName": "zlib",
                    "InstalledVersion": "1.2",
                    "Severity": "LOW",
                    "Description": "x" * 500,
                },
                {
                    "VulnerabilityID": "CVE-2026-0001",
                    "PkgName": "openssl",
                    "InstalledVersion": "3.0.1",
                    "FixedVersion": "3.0.2",
                    "Severity": "CRITICAL",
                    "Title": "Reads too far",
                },
            ],
        },
    ],
}
GRYPE: dict[str, Any] = {
    "matches": [
        {
            "vulnerability": {
                "id": "CVE-2026-0001",
                "severity": "Critical",
                "fix": {"versions": ["3.0.2"]},
                "description": "Reads too far",
            },
            "artifact": {"name": "openssl", "version": "3.0.1"},
        },
        {
            "vulnerability": {"id": "CVE-2026-0003", "severity": "Negligible"},
            "artifact": {"name": "tar", "version": "1"},
        },
        {"vulnerability": {"id": "GHSA-1", "severity": "strange"}},
    ]
}
OPENSSL = Vulnerability("CVE-2026-0001", "openssl", "3.0.1", "3.0.2", "critical", "Reads too far")


def report(content: Any) -> bytes:
    return json.dumps(content).encode()


def test_a_report_of_trivy_is_ordered_by_severity_and_cut() -> None:
    found = parse_report(report(TRIVY))
    assert found.counts == {"critical": 1, "high": 0, "medium": 0, "low": 1, "unknown": 0}
    assert found.worst[0] == OPENSSL
    assert (found.worst[1].id, len(found.worst[1].title)) == ("CVE-2026-0002", 200)


def test_a_report_of_grype_says_the_same() -> None:
    found = parse_report(report(GRYPE))
    assert found.counts == {"critical": 1, "high": 0, "medium": 0, "low": 1, "unknown": 1}
    assert found.worst[0] == OPENSSL


def test_what_is_in_several_layers_counts_once_and_the_worst_are_kept() -> None:
    one = TRIVY["Results"][1]["Vulnerabilities"][1]
    many = [{**one, "Severity": "LOW", "PkgName": f"p{number}"} for number in range(600)]
    found = parse_report(report({"Results": [{"Vulnerabilities": [one, one, *many]}]}))
    assert (found.counts["critical"], found.counts["low"]) == (1, 600)
    assert len(found.worst) == FINDINGS_MAX
    assert found.worst[0] == OPENSSL


def test_an_image_without_any_has_a_report_too() -> None:
    assert parse_report(report({"SchemaVersion": 2})).worst == ()
    assert parse_report(report({"matches": []})).worst == ()


@pytest.mark.parametrize(
    "text",
    [b"", b"FATAL", b"[]", b"{}", b'{"matches": 1}', b'{"matches": [1]}', b'{"Results": ["x"]}'],
)
def test_what_is_no_report_is_refused(text: bytes) -> None:
    with pytest.raises(ScanReportError):
        parse_report(text)
