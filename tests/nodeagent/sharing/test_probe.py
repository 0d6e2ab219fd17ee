"""What a host and its cards can enforce, as they are found."""

from dataclasses import replace
from pathlib import Path

import pynvml
import pytest

from nodeagent.sharing.probe import HostCapabilities, enforceable_modes, probe_host
from tests.fakes.nvml.machine import fake_nvml, h100
from wire.facts import AcceleratorFacts, MigDevice
from wire.words import Isolation

EVERYTHING = HostCapabilities(
    has_containers=True,
    is_root=True,
    has_barrier=True,
    has_cgroup_v2=True,
    has_limits=True,
    has_library=True,
    has_mps=True,
    may_timeslice=True,
)
H100 = AcceleratorFacts(
    uuid="GPU-1", index=0, vendor="nvidia", model="H100", memory_mib=81559, driver="615.71.05"
)


def test_new_driver_with_everything_offers_every_mode_but_hardware() -> None:
    assert enforceable_modes(EVERYTHING, H100) == (
        Isolation.EXCLUSIVE,
        Isolation.CGROUP,
        Isolation.HAMI,
        Isolation.MPS,
        Isolation.TIMESLICE,
    )


@pytest.mark.parametrize(
    "missing", ["has_containers", "is_root", "has_barrier", "has_cgroup_v2", "has_limits"]
)
def test_limits_by_cgroup_need_all_of_it(missing: str) -> None:
    assert Isolation.CGROUP not in enforceable_modes(replace(EVERYTHING, **{missing: False}), H100)


def test_where_shares_of_processors_are_wanted_limits_by_cgroup_need_mps() -> None:
    bare = replace(EVERYTHING, has_mps=False)
    assert Isolation.CGROUP in enforceable_modes(bare, H100)
    assert Isolation.CGROUP not in enforceable_modes(replace(bare, wants_compute=True), H100)
    assert Isolation.CGROUP in enforceable_modes(replace(EVERYTHING, wants_compute=True), H100)


@pytest.mark.parametrize("driver", ["580.95.05", "", "unknown"])
def test_older_and_unknown_drivers_do_not_limit_cgroups(driver: str) -> None:
    card = H100.model_copy(update={"driver": driver})
    assert Isolation.CGROUP not in enforceable_modes(EVERYTHING, card)
    assert Isolation.HAMI in enforceable_modes(EVERYTHING, card)


def test_divided_card_offers_its_instances_only() -> None:
    cut = (MigDevice(uuid="MIG-1", profile="3g.40gb", memory_mib=40448),)
    assert enforceable_modes(EVERYTHING, H100.model_copy(update={"mig": cut})) == (Isolation.MIG,)


def test_bare_host_gives_whole_cards_only() -> None:
    assert enforceable_modes(HostCapabilities(has_containers=False), H100) == (Isolation.EXCLUSIVE,)


def test_simulated_card_says_that_it_can_do_everything() -> None:
    card = H100.model_copy(update={"simulated": True})
    assert enforceable_modes(HostCapabilities(has_containers=False), card) == tuple(Isolation)


def test_other_vendors_are_given_whole() -> None:
    card = H100.model_copy(update={"vendor": "amd"})
    assert enforceable_modes(EVERYTHING, card) == (Isolation.EXCLUSIVE,)


def test_host_is_looked_at(tmp_path: Path) -> None:
    library = tmp_path / "libvgpu.so"
    library.touch()
    with fake_nvml(tmp_path, [h100(0)]):
        pynvml.nvmlInit()
        found = probe_host(
            pynvml,
            has_containers=True,
            has_barrier=True,
            hami=library,
            wants_compute=True,
            may_timeslice=False,
        )
    assert found.has_limits
    assert found.has_library
    assert found.wants_compute
    assert not found.may_timeslice
