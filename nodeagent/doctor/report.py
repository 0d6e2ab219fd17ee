"""The doctor's report: lines for a person, or JSON for a program."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, Literal, TextIO

from nodeagent.config import AgentConfig
from nodeagent.doctor.engine_checks import engine_checks
from nodeagent.doctor.facts import HostFacts
from nodeagent.doctor.findings import Finding, Level
from nodeagent.doctor.gather import gather
from nodeagent.doctor.host_checks import host_checks

Language = Literal["en", "zh-CN"]
MARKS: Final = {Level.OK: "ok  ", Level.WARN: "warn", Level.FAIL: "FAIL"}


def findings(facts: HostFacts) -> tuple[Finding, ...]:
    """Check everything; pure."""
    return (*engine_checks(facts), *host_checks(facts))


def is_healthy(found: Sequence[Finding]) -> bool:
    """Tell whether a node can work here; warnings do not keep it from that."""
    return all(item.level is not Level.FAIL for item in found)


def as_text(found: Sequence[Finding], language: Language) -> str:
    """Return a line for each finding, and below it the command that mends it."""
    lines = []
    for item in found:
        words = item.zh if language == "zh-CN" else item.en
        lines.append(f"{MARKS[item.level]}  {item.code}: {words}")
        if item.level is not Level.OK and item.mend:
            lines.append(f"      $ {item.mend}")
    return "\n".join(lines) + "\n"


def as_json(found: Sequence[Finding]) -> str:
    """Return `{"healthy": …, "findings": […]}` with the words of both languages."""
    content = {"healthy": is_healthy(found), "findings": [asdict(item) for item in found]}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def examine(
    config: AgentConfig, *, is_json: bool, language: Language, out: TextIO = sys.stdout
) -> int:
    """Look at this host, write the report and return the exit code: 0, or 1 where something fails."""
    found = findings(gather(config))
    out.write(as_json(found) if is_json else as_text(found, language))
    return 0 if is_healthy(found) else 1
