"""The state of the rule survives a row of the database."""

import json

from hypothesis import given
from hypothesis import strategies as st

from scheduler.scaling.state import ScalingState, from_record

MOMENTS = st.integers(min_value=0, max_value=2**45)
STATES = st.builds(
    ScalingState,
    needs=st.lists(st.tuples(MOMENTS, st.integers(0, 10_000))).map(tuple),
    quiet_since_ms=st.none() | MOMENTS,
    caution_micro=MOMENTS,
    judged_until_ms=MOMENTS,
    raised_at_ms=MOMENTS,
)


@given(STATES)
def test_a_state_is_read_as_it_was_written(state: ScalingState) -> None:
    assert from_record(json.loads(json.dumps(state.record()))) == state


def test_another_shape_is_forgotten() -> None:
    assert from_record({"needs": [["a", 1], [5, 2], 7], "caution_micro": None}) == ScalingState(
        needs=((5, 2),)
    )
