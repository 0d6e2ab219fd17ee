"""Small parts of the gateway: limits by the minute, whole and torn events, the tokens of other dialects."""

import json

import pytest

from portal.common.ids import new_id
from portal.inference.limits import KeyLimits
from portal.inference.openai import EVENT_MAX, StreamMeter, Usage, prepare_request, read_usage
from portal.serving_usage.routes import KeyRoute


def test_a_limit_fills_with_use_and_empties_with_time() -> None:
    limits, key = KeyLimits(), KeyRoute(new_id(), requests_per_minute=60)
    assert [limits.take(key, 0.0) for _ in range(60)] == [0.0] * 60
    assert limits.take(key, 0.0) == pytest.approx(1.0)
    assert limits.take(key, 1.0) == 0.0
    assert limits.take(key, 1.0) == pytest.approx(1.0)
    assert limits.take(key, 61.0) == 0.0


def test_a_refused_request_takes_nothing() -> None:
    limits, key = KeyLimits(), KeyRoute(new_id(), requests_per_minute=1)
    assert limits.take(key, 0.0) == 0.0
    for _ in range(5):
        limits.take(key, 0.0)
    assert limits.take(key, 60.0) == 0.0


def test_tokens_are_owed_after_an_answer_and_given_back_by_time() -> None:
    limits, key = KeyLimits(), KeyRoute(new_id(), tokens_per_minute=600)
    limits.charge(key, 900, 0.0)
    assert limits.take(key, 0.0) == pytest.approx(30.1)
    assert limits.take(key, 30.2) == 0.0


def test_a_limit_of_nothing_refuses_and_a_key_that_is_gone_is_forgotten() -> None:
    limits, key = KeyLimits(), KeyRoute(new_id(), requests_per_minute=0)
    assert limits.take(key, 0.0) > 0
    used = KeyRoute(new_id(), requests_per_minute=1)
    limits.take(used, 0.0)
    limits.keep_only([key.key_id])
    assert limits.take(used, 0.0) == 0.0


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize("end", ["\n\n", "\r\n\r\n"])
def test_events_are_passed_on_whole_however_they_are_torn(size: int, end: str) -> None:
    pieces = [{"choices": [{"delta": {"content": f"{n}"}}]} for n in range(4)]
    events = [f"data: {json.dumps(each)}{end}" for each in pieces]
    usage = {"choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 4}}
    sent = "".join([*events, f"data: {json.dumps(usage)}{end}", f"data: [DONE]{end}"]).encode()
    meter = StreamMeter(hides_usage=True)
    passed = b"".join(meter.feed(sent[at : at + size]) for at in range(0, len(sent), size))
    assert passed.decode() == "".join([*events, f"data: [DONE]{end}"])
    assert meter.usage() == Usage(9, 4)


def test_usage_beside_content_is_taken_out_and_counted_when_the_stream_is_cut() -> None:
    meter = StreamMeter(hides_usage=True)
    choices = [{"index": 0, "delta": {"content": "a"}}]
    usage = {"prompt_tokens": 3, "completion_tokens": 8}
    passed = meter.feed(
        b"data: " + json.dumps({"choices": choices, "usage": usage}).encode() + b"\n\n"
    )
    assert json.loads(passed[6:]) == {"choices": choices}
    assert meter.usage() == Usage(3, 8, is_cut=True)


def test_an_event_without_an_end_is_not_kept_for_ever() -> None:
    meter = StreamMeter(hides_usage=False)
    assert meter.feed(b"x" * EVENT_MAX) == b""
    with pytest.raises(ValueError, match="without an end"):
        meter.feed(b"x")


def test_streams_of_responses_and_of_messages_are_metered() -> None:
    responses = StreamMeter(hides_usage=False)
    responses.feed(b'event: x\ndata: {"type": "response.output_text.delta", "delta": "a"}\n\n')
    told = {"usage": {"input_tokens": 5, "output_tokens": 6}}
    done = {"type": "response.completed", "response": told}
    responses.feed(b"data: " + json.dumps(done).encode() + b"\n\n")
    assert (responses.is_done, responses.usage()) == (True, Usage(5, 6))
    messages = StreamMeter(hides_usage=False)
    for each in (
        {"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1}}},
        {"type": "message_delta", "usage": {"output_tokens": 6}},
        {"type": "message_stop"},
    ):
        messages.feed(b"data: " + json.dumps(each).encode() + b"\n\n")
    assert (messages.is_done, messages.usage()) == (True, Usage(5, 6))


@pytest.mark.parametrize("body", [b"", b"no json", b"[1]", b'{"stream": false}'])
def test_what_is_no_stream_is_sent_as_it_came(body: bytes) -> None:
    prepared = prepare_request("/v1/chat/completions", body)
    assert (prepared.body, prepared.is_stream, prepared.hides_usage) == (body, False, False)


@pytest.mark.parametrize("answer", [b"", b"{}", b'{"usage": null}', b"[1, 2]"])
def test_an_answer_that_tells_no_tokens_has_none(answer: bytes) -> None:
    assert read_usage(answer) is None
