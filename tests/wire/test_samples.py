"""Samples of agents and portals of other versions, which know nothing of a host or more than we do."""

import json

from wire.codec import decode_from_agent, encode
from wire.messages import FromAgent
from wire.samples import HostSample, Sample, Telemetry

HOST = HostSample(cpus=96, cpu_ms=5, memory_used_mib=3, memory_mib=4, rx_bytes=0)


def told(sample: dict[str, object]) -> FromAgent:
    return decode_from_agent(json.dumps({"type": "telemetry", "samples": [sample]}))


def test_an_agent_that_measures_no_host_is_understood() -> None:
    assert told({"at": 1, "cards": []}) == Telemetry(samples=(Sample(at=1),))


def test_a_host_is_written_and_read_alike_with_its_gaps() -> None:
    message = Telemetry(samples=(Sample(at=1, host=HOST),))

    assert decode_from_agent(encode(message)) == message
    assert json.loads(encode(message))["samples"][0]["host"]["tx_bytes"] is None


def test_more_than_this_version_knows_of_a_host_is_ignored() -> None:
    newer = {**HOST.model_dump(), "swap_mib": 7}

    assert told({"at": 1, "host": newer}) == Telemetry(samples=(Sample(at=1, host=HOST),))
