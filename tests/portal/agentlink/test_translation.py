"""Plain values become messages field by field: a field that only one side has would be lost."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from portal.agentlink.translation import read_report
from portal.common.clock import freeze
from portal.execution import desired, report
from wire import images, messages, mounts
from wire.codec import decode_from_agent
from wire.values import Message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (desired.WantedContainer, messages.DesiredContainer),
        (desired.WorkSpec, messages.ContainerSpec),
        (desired.AttemptLimit, messages.TimeLimit),
        (desired.ArrayPosition, messages.ArrayTask),
        (desired.MountedDataset, mounts.DatasetMount),
        (desired.MountedVolume, mounts.VolumeMount),
        (desired.MountedInput, mounts.InputMount),
        (desired.GrantedGrace, messages.StopGrace),
        (desired.ImageSaveOrder, images.SaveImage),
        (report.SaveReport, images.ImageSaveReport),
    ],
)
def test_value_and_message_have_the_same_fields(value: type, message: type[Message]) -> None:
    assert {item.name for item in fields(value)} == set(message.model_fields)


NOW = datetime(2026, 1, 1, tzinfo=UTC)
NOW_MS = int(NOW.timestamp() * 1000)
HEARTBEAT = Path(__file__).parents[2] / "wire/golden/heartbeat.json"


def seen(**told: Any) -> report.SeenContainer:
    """Return a container as the portal has it that a node, whose clock is an hour ahead, reports."""
    content = json.loads(HEARTBEAT.read_text(encoding="utf-8"))
    container = {"allocation": "a.0", "epoch": 1, "started_at": NOW_MS + 3_590_000, **told}
    message = {**content, "sent_at": NOW_MS + 3_600_000, "containers": [container]}
    heartbeat = decode_from_agent(json.dumps(message))
    assert isinstance(heartbeat, messages.Heartbeat)
    with freeze(NOW):
        (found,) = read_report(heartbeat).seen
    return found


@pytest.mark.parametrize(
    ("told", "is_ready", "age_ms"),
    [
        ({"phase": "starting"}, True, 10_000),
        ({"phase": "running", "running_ms": 9000}, True, 9000),
        ({"phase": "running", "running_ms": 9000, "ready": False}, False, 10_000),
        ({"phase": "running", "running_ms": 9000, "ready": True, "ready_ms": 4000}, True, 4000),
        ({"phase": "running", "running_ms": 9000, "ready": True}, True, 9000),
    ],
    ids=["starts", "older agent or no probe", "not ready yet", "ready", "adopted"],
)
def test_work_began_when_it_was_ready_and_its_program_with_the_container(
    told: dict[str, Any], is_ready: bool, age_ms: int
) -> None:
    found = seen(**told)

    assert (found.is_ready, found.started_at) == (is_ready, NOW_MS - age_ms)
