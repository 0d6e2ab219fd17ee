"""What a check says: one code, how bad, in both languages, and the command that mends it."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad it is."""

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
    """For a shell of this host, as root; empty where nothing is to be done, or no command does it."""


def ok(code: str, en: str, zh: str) -> Finding:
    """Say that something is as it should be."""
    return Finding(code, Severity.OK, en, zh)


def warn(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Say that something should be better."""
    return Finding(code, Severity.WARN, en, zh, fix)


def fail(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Say that something must be mended."""
    return Finding(code, Severity.FAIL, en, zh, fix)
