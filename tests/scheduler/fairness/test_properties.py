"""Each rule on a few worlds, and each on a planted bug that it must notice.

`python -m tests.scheduler.fairness` checks the same rules on thousands.
"""

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.scheduler.fairness.bugs import BUGS, Bug
from tests.scheduler.fairness.properties import BY_NAME, PROPERTIES, Property

FEW = settings(max_examples=12)
UNTIL_BROKEN = settings(
    max_examples=600,
    phases=[Phase.generate],
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("rule", PROPERTIES, ids=lambda rule: rule.name)
def test_rule_holds(rule: Property) -> None:
    FEW(given(rule.worlds)(rule.check))()


@pytest.mark.filterwarnings("ignore:Generating overly large repr")
@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_planted_bug_is_noticed(bug: Bug, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = BY_NAME[bug.breaks]
    bug.plant(monkeypatch)

    with pytest.raises((AssertionError, ExceptionGroup)):
        UNTIL_BROKEN(given(rule.worlds)(rule.check))()


def test_every_rule_has_a_bug() -> None:
    assert {bug.breaks for bug in BUGS} | {"fading_twice_is_fading_once"} == set(BY_NAME)
