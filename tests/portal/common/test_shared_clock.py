"""One time for all processes: what PostgreSQL says, counted on by clocks that nobody sets."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from portal.common.shared_clock import DRIFT, READ_EVERY_S, SharedClock

NOON = datetime(2030, 5, 17, 12, tzinfo=UTC)
HOUR_S = 3600.0


class Host:
    """A host with a steady clock, which runs a little fast or slow, and a clock that is set to anything."""

    def __init__(self, skew_s: float = 0.0, drift: float = 0.0) -> None:
        self.passed_s = 0.0
        self._skew_s, self._drift = skew_s, drift
        self.clock = SharedClock(self.steady_s, lambda: self.true + timedelta(seconds=skew_s))
        self.asked = 0

    @property
    def true(self) -> datetime:
        return NOON + timedelta(seconds=self.passed_s)

    def steady_s(self) -> float:
        return 1_000.0 + self.passed_s * (1 + self._drift)

    def ask(self, late_s: float = 0.0, *, ahead_s: float = 0.0) -> None:
        """Ask for the time; the answer is read at once, and arrives late."""
        self.asked += 1
        asked_s, said = self.steady_s(), self.true + timedelta(seconds=ahead_s)
        self.passed_s += late_s
        self.clock.note(said, asked_s, self.steady_s())

    def off_s(self) -> float:
        return abs((self.clock.now() - self.true).total_seconds())


steps = st.tuples(st.floats(0, 600), st.floats(0, 2))


@given(st.floats(-HOUR_S, HOUR_S), st.floats(-DRIFT / 2, DRIFT / 2), st.lists(steps, max_size=20))
def test_the_time_of_a_host_is_never_the_time_of_the_platform(
    skew_s: float, drift: float, waits: list[tuple[float, float]]
) -> None:
    host = Host(skew_s, drift)
    host.clock.follow(host.ask)
    assert host.off_s() == 0
    for wait_s, late_s in waits:
        host.passed_s += wait_s
        host.ask(late_s)
        assert host.off_s() <= late_s + 1e-5
    assert host.asked == 1 + len(waits)


def test_an_answer_that_takes_long_says_less_than_what_is_known() -> None:
    host = Host()
    host.clock.follow(host.ask)
    host.clock.now()

    host.passed_s += 60
    host.ask(late_s=1.0)

    assert host.off_s() < 0.001


def test_a_clock_that_was_set_is_followed_however_long_its_answer_takes() -> None:
    host = Host()
    host.clock.follow(host.ask)
    host.clock.now()

    host.ask(late_s=1.0, ahead_s=-HOUR_S)

    assert abs(host.off_s() - HOUR_S) <= 1.0


def test_a_process_asks_with_its_next_connection_after_a_while() -> None:
    host = Host()
    assert not host.clock.is_reading_due()
    host.clock.follow(host.ask)
    assert host.clock.is_reading_due()
    host.clock.now()
    assert not host.clock.is_reading_due()
    host.passed_s += READ_EVERY_S
    assert host.clock.is_reading_due()


def test_without_a_reading_the_time_is_that_of_the_host() -> None:
    host = Host(skew_s=HOUR_S)
    assert host.off_s() == HOUR_S
    host.clock.follow(lambda: None)
    assert host.off_s() == HOUR_S
    assert host.clock.best_now() == host.clock.now()
