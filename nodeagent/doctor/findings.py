"""A finding of the doctor: a code, a severity, texts in both languages and a command that fixes it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    WARN = "warn"
    """Work runs, but something is weaker or slower than it could be."""
    FAIL = "fail"
    """The node cannot work, or not safely."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    code: str
    level: Severity
    en: str
    zh: str
    fix: str = ""
    """A command for a root shell on this host; empty if there is nothing to fix or no command for
    it."""


def ok(code: str, en: str, zh: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(code, Severity.OK, en, zh)


def warn(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Return a finding that something should be improved."""
    return Finding(code, Severity.WARN, en, zh, fix)


def fail(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Return a finding that something must be fixed."""
    return Finding(code, Severity.FAIL, en, zh, fix)
