"""Scalars are read out of what TensorBoard's writers write; whatever else is there does no harm."""

import math
import struct
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary

from nodeagent.telemetry.event_records import RECORD_MAX, masked_crc, read_records, shortest
from tests.builders.event_files import framed, new_scalar, old_scalar, write_events

LOSS = framed(old_scalar("loss", 0.5, 3).SerializeToString())


def values(data: bytes) -> list[tuple[str, int, float]]:
    return [(each.tag, each.step, each.value) for each in read_records(data, len(data)).scalars]


def test_both_forms_of_scalars_are_read_and_nothing_else(tmp_path: Path) -> None:
    file = write_events(
        tmp_path,
        old_scalar("loss", 0.1, 1),
        new_scalar("epoch_loss", 0.25, 2),
        new_scalar("exact", 0.1 + 2**-40, 3),
        new_scalar("a histogram", [[1.0, 2.0, 3.0]], 3, plugin="histograms"),
        new_scalar("a parameter", 1.0, 3, plugin="hparams"),
        new_scalar("a text", "words", 3, plugin="text"),
        Event(step=4, summary=Summary(value=[{"tag": "x", "image": {"width": 1}}])),
        Event(step=5, log_message={"message": "words"}),
    )
    data = file.read_bytes()

    read = read_records(data, len(data))

    assert [(each.tag, each.step) for each in read.scalars] == [
        ("loss", 1),
        ("epoch_loss", 2),
        ("exact", 3),
    ]
    assert [shortest(each.value, is_single=each.is_single) for each in read.scalars[:2]] == [
        "0.1",
        "0.25",
    ]
    assert (read.length, read.is_broken) == (len(data), False)


def test_a_record_that_is_not_whole_waits() -> None:
    for cut in range(1, len(LOSS)):
        read = read_records(LOSS + LOSS[:cut], len(LOSS) + cut)
        assert (read.length, len(read.scalars), read.is_broken) == (len(LOSS), 1, False)


@pytest.mark.parametrize("at", [0, 9, 13, len(LOSS) - 1])
def test_a_wrong_checksum_ends_the_file_after_what_was_right(at: int) -> None:
    bad = bytearray(LOSS)
    bad[at] ^= 1
    read = read_records(LOSS + bad + LOSS, 3 * len(LOSS))
    assert (read.length, len(read.scalars), read.is_broken) == (len(LOSS), 1, True)


def test_a_large_record_is_passed_over_unread_once_it_is_whole() -> None:
    size = RECORD_MAX + 1
    head = framed(b"", size)[:12]
    whole = len(head) + size + 4

    assert read_records(LOSS + head, len(LOSS) + whole - 1).length == len(LOSS)
    assert read_records(LOSS + head, len(LOSS) + whole).length == len(LOSS) + whole


def test_a_length_beyond_every_file_is_waited_for_not_allocated() -> None:
    head = struct.pack("<Q", 2**63)
    data = head + struct.pack("<I", masked_crc(head))
    assert read_records(data, len(data)) == read_records(b"", 0)


def test_right_checksums_around_anything_do_no_harm() -> None:
    assert values(framed(b"\xff" * 100) + framed(b"") + LOSS) == [("loss", 3, 0.5)]


@given(st.binary(max_size=300))
def test_no_bytes_are_too_strange(data: bytes) -> None:
    read = read_records(data + framed(data) + LOSS, 10_000)
    assert read.length <= 10_000


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (1e-5, "1e-05"),
        (3.4028234663852886e38, "3.4028235e+38"),
        (16777217.0, "16777216"),
    ],
)
def test_numbers_of_32_bits_are_written_short(value: float, text: str) -> None:
    single = struct.unpack("<f", struct.pack("<f", value))[0]
    assert float(shortest(single, is_single=True)) == pytest.approx(single, rel=1e-7)
    assert struct.pack("<f", float(text)) == struct.pack("<f", single)
    assert len(shortest(single, is_single=True)) <= len(text) + 1


def test_what_is_no_number_is_written_as_such() -> None:
    assert shortest(math.nan, is_single=True) == "nan"
    assert shortest(-math.inf, is_single=False) == "-inf"


def test_the_checksum_is_that_of_the_standard() -> None:
    """CRC32C of "123456789" is e3069283 (RFC 3720)."""
    rotated = ((0xE3069283 >> 15) | (0xE3069283 << 17)) + 0xA282EAD8
    assert masked_crc(b"123456789") == rotated & 0xFFFFFFFF


def test_metadata_that_stands_at_the_first_value_only_is_not_needed_after_it() -> None:
    later: Any = new_scalar("loss", 0.5, 7, plugin="")
    assert values(framed(later.SerializeToString())) == [("loss", 7, 0.5)]
