"""Manifests: whatever a body holds, what is written is read back as the same."""

from hypothesis import given
from hypothesis import strategies as st

from portal.common.rest.manifests import parse_manifest, write_manifest

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30)
SCALARS = st.none() | st.booleans() | st.integers(-(10**20), 10**20) | TEXTS
WORDS = st.sampled_from(["no", "22:30", "1e3", "0x1f", "010", "~", "2026-01-01", "=", "<<", "- a"])
VALUES = st.recursive(
    SCALARS | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS | WORDS, VALUES, max_size=6))
def test_what_is_written_is_read_as_the_same(body: dict[str, object]) -> None:
    read, lines = parse_manifest(write_manifest(body).encode())

    assert read == body
    assert len(lines) >= len(body)
