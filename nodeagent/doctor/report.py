"""Renders the doctor's report as text for people or as JSON for programs."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, Literal, TextIO

from nodeagent.config import AgentConfig
from nodeagent.doctor.collector import collect_facts
from nodeagent.doctor.engine_checks import check_engine
from nodeagent.doctor.facts import HostFacts
from nodeagent.doctor.findings import Finding
from nodeagent.doctor.host_checks import check_host
from wire.words import CheckLevel

Language = Literal["en", "zh-CN"]
MARKS: Final = {CheckLevel.OK: "ok  ", CheckLevel.WARN: "warn", CheckLevel.FAIL: "FAIL"}


def run_checks(facts: HostFacts) -> tuple[Finding, ...]:
    """Run the checks that apply to the runtime of this node; pure."""
    if facts.runtime == "process":
        return tuple(check_host(facts))
    return (*check_engine(facts), *check_host(facts))


def is_healthy(found: Sequence[Finding]) -> bool:
    """Return whether the node can work; warnings do not prevent it."""
    return all(item.level is not CheckLevel.FAIL for item in found)


def render_text(found: Sequence[Finding], language: Language) -> str:
    """Return a line per finding, and below it the command that fixes it."""
    lines = []
    for item in found:
        text = item.zh if language == "zh-CN" else item.en
        lines.append(f"{MARKS[item.level]}  {item.code}: {text}")
        if item.level is not CheckLevel.OK and item.fix:
            lines.append(f"      $ {item.fix}")
    return "\n".join(lines) + "\n"


def render_json(found: Sequence[Finding]) -> str:
    """Return `{"healthy": …, "findings": […]}` with the texts in both languages."""
    content = {"healthy": is_healthy(found), "findings": [asdict(item) for item in found]}
    return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def run_doctor(
    config: AgentConfig, *, is_json: bool, language: Language, out: TextIO = sys.stdout
) -> int:
    """Inspect this host, write the report and return the exit code: 0, or 1 if a check fails."""
    found = run_checks(collect_facts(config))
    out.write(render_json(found) if is_json else render_text(found, language))
    return 0 if is_healthy(found) else 1
