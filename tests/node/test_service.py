"""The unit that runs the agent: what keeps work alive through restarts, and what it may do."""

from configparser import ConfigParser

import pytest

from deploy.onebox.options import REPOSITORY


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    unit = ConfigParser(strict=True, interpolation=None)
    unit.read(REPOSITORY / "deploy" / "systemd" / "berth-agent.service", encoding="utf-8")
    return dict(unit["Service"])


def test_a_restart_of_the_service_ends_the_agent_alone(service: dict[str, str]) -> None:
    assert (service["killmode"], service["restart"]) == ("process", "always")


def test_the_host_is_read_only_and_root_is_cut_down(service: dict[str, str]) -> None:
    assert service["protectsystem"] == "strict"
    assert service["nonewprivileges"] == "yes"
    kept = set(service["capabilityboundingset"].split())
    assert not kept & {"CAP_SYS_ADMIN", "CAP_SYS_PTRACE", "CAP_SYS_MODULE", "CAP_SYS_RAWIO"}
    assert "privatedevices" not in service, "the cards are devices"
