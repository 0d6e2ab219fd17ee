"""What must never get in: too large, too deep, malformed, out of range. One exception for all."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wire.codec import FRAME_MAX, BadFrameError, decode_from_agent, decode_to_agent, encode
from wire.facts import NodeFacts
from wire.logs import LOG_CHUNK_MAX
from wire.messages import ContainerReport, FinishedReport, Heartbeat, Tombstone
from wire.words import Phase

GOLDEN = Path(__file__).parent / "golden"


def golden(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
    return content


@given(st.text() | st.binary().map(lambda data: data.decode("latin-1")))
def test_any_text_is_a_message_or_the_one_exception(frame: str) -> None:
    for decode in (decode_from_agent, decode_to_agent):
        with pytest.raises(BadFrameError):
            decode(frame)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)


@given(st.sampled_from(["heartbeat", "log"]), st.data())
def test_one_field_replaced_by_anything_never_breaks_the_reader(
    name: str, data: st.DataObject
) -> None:
    message = golden(name)
    field = data.draw(st.sampled_from(sorted(message)))
    message[field] = data.draw(json_values)
    try:
        decoded = decode_from_agent(json.dumps(message))
    except BadFrameError:
        return
    assert decode_from_agent(encode(decoded)) == decoded


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("seq", -1),
        ("seq", 2**53 + 1),
        ("seq", 1.5),
        ("seq", None),
        ("boot_id", ""),
        ("boot_id", "x" * 65),
        ("boot_id", "a b"),
        ("boot_id", "../etc"),
        ("boot_id", ".."),
        ("applied", -2),
        ("type", "unknown"),
        ("containers", {}),
        ("facts", []),
    ],
)
def test_field_out_of_range_is_refused(field: str, value: object) -> None:
    with pytest.raises(BadFrameError):
        decode_from_agent(json.dumps({**golden("heartbeat"), field: value}))


@pytest.mark.parametrize("field", ["protocol", "boot_id", "seq", "facts"])
def test_missing_field_is_refused(field: str) -> None:
    message = golden("heartbeat")
    del message[field]
    with pytest.raises(BadFrameError):
        decode_from_agent(json.dumps(message))


@pytest.mark.parametrize("workload", ["..", ".", "../x", "a/b", "", "-rf", "x" * 65, "a\nb"])
def test_workload_that_could_leave_its_folder_is_refused(workload: str) -> None:
    message = golden("desired")
    message["containers"][0]["spec"]["workload"] = workload
    with pytest.raises(BadFrameError):
        decode_to_agent(json.dumps(message))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("uuid", ""),
        ("uuid", "../etc"),
        ("uuid", "x" * 65),
        ("slot", 256),
        ("slices", 0),
        ("gpu_milli", 1000),
        ("memory_mib", -1),
        ("ceiling_mib", 2**53 + 1),
        ("compute_milli", 1001),
        ("isolation", "none"),
        ("profile", "x" * 201),
    ],
)
def test_device_out_of_range_is_refused(field: str, value: object) -> None:
    message = golden("desired")
    decode_to_agent(json.dumps(message))
    message["containers"][0]["devices"][0][field] = value
    with pytest.raises(BadFrameError):
        decode_to_agent(json.dumps(message))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("path", ""),
        ("path", "api/status"),
        ("path", "/a b"),
        ("path", "/a\r\nHost: other"),
        ("path", "/\u00e9"),
        ("path", "/" + "x" * 200),
        ("port", 0),
        ("port", 65_536),
        ("period_ms", 49),
        ("deadline_s", 0),
        ("deadline_s", 86_401),
    ],
)
def test_probe_out_of_range_is_refused(field: str, value: object) -> None:
    message = golden("desired")
    decode_to_agent(json.dumps(message))
    message["containers"][0]["spec"]["probe"][field] = value
    with pytest.raises(BadFrameError):
        decode_to_agent(json.dumps(message))


@pytest.mark.parametrize(
    ("field", "value"), [("heartbeat_ms", 99), ("lease_ttl_ms", 999), ("lease_grace_ms", 600_001)]
)
def test_terms_out_of_range_are_refused(field: str, value: int) -> None:
    terms = {"heartbeat_ms": 5_000, "lease_ttl_ms": 30_000, "lease_grace_ms": 15_000}
    decode_to_agent(json.dumps({**golden("desired"), "terms": terms}))
    with pytest.raises(BadFrameError):
        decode_to_agent(json.dumps({**golden("desired"), "terms": {**terms, field: value}}))


def test_list_at_its_limit_is_read_and_one_more_is_refused() -> None:
    tombstone = golden("heartbeat")["tombstones"][0]
    at_limit = {**golden("heartbeat"), "tombstones": [tombstone] * 4096}
    decode_from_agent(json.dumps(at_limit))
    with pytest.raises(BadFrameError):
        decode_from_agent(json.dumps({**at_limit, "tombstones": [tombstone] * 4097}))


def test_log_chunk_at_its_limit_is_read_and_one_more_is_refused() -> None:
    limit = LOG_CHUNK_MAX * 4 // 3 + 4
    decode_from_agent(json.dumps({**golden("log"), "data": "A" * limit}))
    with pytest.raises(BadFrameError):
        decode_from_agent(json.dumps({**golden("log"), "data": "A" * (limit + 1)}))


def test_oversized_frame_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(BadFrameError, match="frame of"):
        decode_from_agent('{"x": "' + "a" * FRAME_MAX)


def test_deep_frame_is_refused() -> None:
    with pytest.raises(BadFrameError):
        decode_from_agent("[" * 100_000)


def test_fullest_heartbeat_of_a_node_fits_a_frame() -> None:
    name, detail = "f" * 32 + ".63", "x" * 60
    beat = Heartbeat(
        protocol=1,
        boot_id="b",
        seq=2**53,
        facts=NodeFacts(**golden("heartbeat")["facts"]),
        containers=tuple(
            ContainerReport(allocation=name, epoch=1, phase=Phase.RUNNING, port=1, detail=detail)
            for _ in range(4096)
        ),
        finished=tuple(
            FinishedReport(**{**golden("heartbeat")["finished"][0], "detail": detail})
            for _ in range(4096)
        ),
        tombstones=tuple(Tombstone(allocation=name, epoch=1) for _ in range(4096)),
    )
    assert len(encode(beat)) <= FRAME_MAX
