"""A finding of the doctor: a code, a severity, texts in both languages and a command that fixes it."""

from dataclasses import dataclass

from wire.words import CheckLevel


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of one check."""

    code: str
    level: CheckLevel
    en: str
    zh: str
    fix: str = ""
    """A command for a root shell on this host; empty if there is nothing to fix or no command for
    it."""


def ok(code: str, en: str, zh: str) -> Finding:
    """Return a finding that all is well."""
    return Finding(code, CheckLevel.OK, en, zh)


def warn(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Return a finding that something should be improved."""
    return Finding(code, CheckLevel.WARN, en, zh, fix)


def fail(code: str, en: str, zh: str, fix: str = "") -> Finding:
    """Return a finding that something must be fixed."""
    return Finding(code, CheckLevel.FAIL, en, zh, fix)
