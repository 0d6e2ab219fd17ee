"""C1, C2: below which versions a node takes no work, and what a distribution has mended."""

import pytest

from nodeagent.docker.engine.min_versions import Level, faults_of, judge
from nodeagent.docker.engine.versions import engine_versions

GOOD = {"engine": ("28.5.1",), "runc": ("1.3.6",)}


def _level(component: str, *texts: str) -> Level:
    found = {item.floor.component: item for item in judge({**GOOD, component: texts})}
    return found[component].level


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("1.1.11", Level.BELOW),
        ("1.1.12-rc.1", Level.BELOW),
        ("1.1.12", Level.OLD),
        ("1.2.9", Level.OLD),
        ("1.3.5", Level.OLD),
        ("1.3.6", Level.OK),
        ("1.4.2", Level.OLD),
        ("1.4.3", Level.OK),
        ("1.5.0-rc.2", Level.OLD),
        ("1.5.0", Level.OK),
        ("2.0.0", Level.OK),
        ("1.1.5+ds1-1+deb12u1", Level.OLD),
        ("1.1.5+ds1-1+deb12u3", Level.OLD),
        ("1.1.5+ds1-1", Level.BELOW),
        ("1.1.7-0ubuntu1~22.04.2", Level.OLD),
        ("1.1.7-0ubuntu1~22.04.1", Level.BELOW),
        ("1.1.4+ds1-1+deb12u9", Level.BELOW),
        ("unknown", Level.UNKNOWN),
    ],
)
def test_c2_runc(text: str, level: Level) -> None:
    assert _level("runc", text) is level


@pytest.mark.parametrize(
    ("component", "text", "level"),
    [
        ("toolkit", "1.17.8", Level.BELOW),
        ("toolkit", "1.19.0", Level.BELOW),
        ("toolkit", "1.19.1", Level.OK),
        ("toolkit", "1.9.0", Level.BELOW),
        ("driver", "470.82.01", Level.BELOW),
        ("driver", "535.54.03", Level.OLD),
        ("driver", "580.65.06", Level.OK),
        ("engine", "19.03.15", Level.BELOW),
        ("engine", "20.10.24+dfsg1", Level.OLD),
    ],
)
def test_c1_toolkit_driver_and_engine(component: str, text: str, level: Level) -> None:
    assert _level(component, text) is level


def test_c1_old_toolkit_keeps_the_node_from_work_unless_it_was_accepted() -> None:
    verdicts = judge({**GOOD, "toolkit": ("1.16.1",)})
    (fault,) = faults_of(verdicts, ())
    assert (fault.code, fault.is_blocking) == ("toolkit_too_old", True)
    assert "1.16.1 is below 1.19.1" in fault.detail
    (told,) = faults_of(verdicts, {"toolkit"})
    assert (told.code, told.is_blocking) == ("toolkit_too_old", False)


def test_c2_what_is_not_known_is_not_trusted() -> None:
    faults = faults_of(judge({"engine": ("28.0.0",)}), ())
    assert [(fault.code, fault.is_blocking) for fault in faults] == [("runc_unknown", True)]
    assert faults_of(judge(GOOD), ()) == ()


def test_package_version_of_a_distribution_is_found_in_the_engine_s_words() -> None:
    answer = {
        "Components": [
            {"Name": "Engine", "Version": "20.10.24+dfsg1", "Details": {"GitCommit": "5d6db84"}},
            {
                "Name": "runc",
                "Version": "1.1.5+ds1",
                "Details": {"GitCommit": "1.1.5+ds1-1+deb12u1"},
            },
            {"Name": "docker-init", "Version": "0.19.0", "Details": {"GitCommit": ""}},
        ]
    }
    found = engine_versions(answer)
    assert found == {
        "engine": ("20.10.24+dfsg1",),
        "runc": ("1.1.5+ds1", "1.1.5+ds1-1+deb12u1"),
    }
    assert faults_of(judge(found), ()) == ()
    assert engine_versions({}) == {}
