import pytest

from nodeagent.docker.containers.log_copies import split_stamp


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (b"2026-01-02T03:04:05.678901234Z text\n", (1767323045678, b"text\n")),
        (b"2026-01-02T03:04:05Z 2026-01-01T00:00:00Z own\n", (1767323045000, b"2026-01-01T00:00:00Z own\n")),
        (b"2026-01-02T03:04:05.5Z \n", (1767323045500, b"\n")),
        (b"no stamp\n", (None, b"no stamp\n")),
    ],
)  # fmt: skip
def test_the_stamp_of_the_engine_is_taken_off(piece: bytes, expected: tuple[object, bytes]) -> None:
    assert split_stamp(piece) == expected
