"""C1, C2: below which versions a node takes no work, and what a distribution has mended."""

import pytest

from nodeagent.docker.engine.min_versions import VersionStatus, check_versions, version_faults
from nodeagent.docker.engine.versions import parse_engine_versions

GOOD = {"engine": ("28.5.1",), "runc": ("1.3.6",)}


def _level(component: str, *texts: str) -> VersionStatus:
    found = {
        item.requirement.component: item for item in check_versions({**GOOD, component: texts})
    }
    return found[component].status


@pytest.mark.parametrize(
    ("text", "level"),
    [
        ("1.1.11", VersionStatus.BELOW),
        ("1.1.12-rc.1", VersionStatus.BELOW),
        ("1.1.12", VersionStatus.OLD),
        ("1.2.9", VersionStatus.OLD),
        ("1.3.5", VersionStatus.OLD),
        ("1.3.6", VersionStatus.OK),
        ("1.4.2", VersionStatus.OLD),
        ("1.4.3", VersionStatus.OK),
        ("1.5.0-rc.2", VersionStatus.OLD),
        ("1.5.0", VersionStatus.OK),
        ("2.0.0", VersionStatus.OK),
        ("1.1.5+ds1-1+deb12u1", VersionStatus.OLD),
        ("1.1.5+ds1-1+deb12u3", VersionStatus.OLD),
        ("1.1.5+ds1-1", VersionStatus.BELOW),
        ("1.1.7-0ubuntu1~22.04.2", VersionStatus.OLD),
        ("1.1.7-0ubuntu1~22.04.1", VersionStatus.BELOW),
        ("1.1.4+ds1-1+deb12u9", VersionStatus.BELOW),
        ("unknown", VersionStatus.UNKNOWN),
    ],
)
def test_c2_runc(text: str, level: VersionStatus) -> None:
    assert _level("runc", text) is level


@pytest.mark.parametrize(
    ("component", "text", "level"),
    [
        ("toolkit", "1.17.8", VersionStatus.BELOW),
        ("toolkit", "1.19.0", VersionStatus.BELOW),
        ("toolkit", "1.19.1", VersionStatus.OK),
        ("toolkit", "1.9.0", VersionStatus.BELOW),
        ("driver", "470.82.01", VersionStatus.BELOW),
        ("driver", "535.54.03", VersionStatus.OLD),
        ("driver", "580.65.06", VersionStatus.OK),
        ("engine", "19.03.15", VersionStatus.BELOW),
        ("engine", "20.10.24+dfsg1", VersionStatus.OLD),
    ],
)
def test_c1_toolkit_driver_and_engine(component: str, text: str, level: VersionStatus) -> None:
    assert _level(component, text) is level


def test_c1_old_toolkit_keeps_the_node_from_work_unless_it_was_accepted() -> None:
    verdicts = check_versions({**GOOD, "toolkit": ("1.16.1",)})
    (fault,) = version_faults(verdicts, ())
    assert (fault.code, fault.is_blocking) == ("toolkit_too_old", True)
    assert "1.16.1 is below 1.19.1" in fault.detail
    (told,) = version_faults(verdicts, {"toolkit"})
    assert (told.code, told.is_blocking) == ("toolkit_too_old", False)


def test_c2_what_is_not_known_is_not_trusted() -> None:
    faults = version_faults(check_versions({"engine": ("28.0.0",)}), ())
    assert [(fault.code, fault.is_blocking) for fault in faults] == [("runc_unknown", True)]
    assert version_faults(check_versions(GOOD), ()) == ()


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
    found = parse_engine_versions(answer)
    assert found == {
        "engine": ("20.10.24+dfsg1",),
        "runc": ("1.1.5+ds1", "1.1.5+ds1-1+deb12u1"),
    }
    assert version_faults(check_versions(found), ()) == ()
    assert parse_engine_versions({}) == {}
