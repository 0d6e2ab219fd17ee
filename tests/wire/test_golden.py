"""Messages as they look on the wire: a change here is a change of the protocol."""

import json
from pathlib import Path

import pytest

from wire.codec import decode_from_agent, decode_to_agent, encode
from wire.versions import PROTOCOL_VERSION, SUPPORTED_VERSIONS

GOLDEN = Path(__file__).parent / "golden"
OF_AGENT = ("heartbeat", "heartbeat_smallest", "log")
OF_PORTAL = ("desired", "nudge", "log_ack", "refused")
OLD = [f"v{version}" for version in sorted(SUPPORTED_VERSIONS - {PROTOCOL_VERSION})]
"""Folders with the messages of every earlier version that is still spoken."""
FROM_AGENT = (*OF_AGENT, *(f"{old}/{name}" for old in OLD for name in OF_AGENT))
TO_AGENT = (*OF_PORTAL, *(f"{old}/{name}" for old in OLD for name in OF_PORTAL))


@pytest.mark.parametrize("name", FROM_AGENT)
def test_agent_message_is_read_and_written_alike(name: str) -> None:
    text = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    message = decode_from_agent(text)
    assert decode_from_agent(encode(message)) == message
    assert contains(json.loads(encode(message)), json.loads(text))


@pytest.mark.parametrize("name", TO_AGENT)
def test_portal_message_is_read_and_written_alike(name: str) -> None:
    text = (GOLDEN / f"{name}.json").read_text(encoding="utf-8")
    message = decode_to_agent(text)
    assert decode_to_agent(encode(message)) == message
    assert contains(json.loads(encode(message)), json.loads(text))


@pytest.mark.parametrize("name", FROM_AGENT)
def test_unknown_fields_of_a_newer_version_are_ignored(name: str) -> None:
    content = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    newer = {**content, "field_of_the_future": {"a": [1]}}
    assert decode_from_agent(json.dumps(newer)) == decode_from_agent(json.dumps(content))


def contains(whole: object, part: object) -> bool:
    """Tell whether everything in `part` is in `whole`; defaults may be written out in addition."""
    if isinstance(whole, dict) and isinstance(part, dict):
        return all(key in whole and contains(whole[key], item) for key, item in part.items())
    if isinstance(whole, list) and isinstance(part, list):
        return len(whole) == len(part) and all(map(contains, whole, part))
    return whole == part
