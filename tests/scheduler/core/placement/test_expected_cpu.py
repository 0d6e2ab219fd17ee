"""What is learned from arrivals, and what nodes may expect of it."""

import numpy as np

from scheduler.core.placement.demand import DemandMix
from scheduler.core.placement.expected_cpu import expected_cpu, group_node_types
from scheduler.core.placement.node_table import CardSpec, NodeSpec, NodeTable
from scheduler.core.placement.placer import Placer
from scheduler.core.placement.shape import Shape


def test_only_work_with_cards_is_typical_the_most_frequent_first() -> None:
    mix = DemandMix()
    for shape in (
        Shape(cpu_milli=8),
        Shape(cpu_milli=8),
        Shape(gpus=1),
        Shape(gpu_milli=500),
        Shape(gpu_milli=500),
    ):
        mix.observe(shape)
    mix.publish()

    assert [each.shape for each in mix.typical] == [Shape(gpu_milli=500), Shape(gpus=1)]
    assert mix.typical[0].parts == 2 * mix.typical[1].parts


def test_a_rare_large_shape_stays_typical_among_many_small_ones() -> None:
    mix = DemandMix(shapes_max=4)
    for share in (100, 200, 300, 400, 500):
        for _ in range(3):
            mix.observe(Shape(gpu_milli=share))
    for _ in range(2):
        mix.observe(Shape(gpus=8))
    mix.publish()

    assert Shape(gpus=8) in {each.shape for each in mix.typical}
    assert len(mix.typical) == 4


def test_old_arrivals_are_forgotten() -> None:
    mix = DemandMix()
    mix.observe(Shape(gpus=1))
    for _ in range(9 * 16_384):
        mix.observe(Shape(gpu_milli=500))
    mix.publish()

    assert [each.shape for each in mix.typical] == [Shape(gpu_milli=500)]


def test_a_version_comes_by_itself_and_ever_more_rarely() -> None:
    mix = DemandMix()
    versions = []
    for _ in range(200):
        mix.observe(Shape(gpus=1))
        versions.append(mix.version)

    changes = [index for index in range(1, 200) if versions[index] != versions[index - 1]]
    gaps = np.diff(changes).tolist()
    assert changes[0] == 31
    assert gaps == sorted(gaps)


def test_nodes_with_little_cpu_expect_work_that_wants_little() -> None:
    fleet = NodeTable([NodeSpec(cpu, 64, (CardSpec(),)) for cpu in (4_000, 40_000)])
    sorts, _, counts = group_node_types(fleet)

    expected = expected_cpu(sorts, counts, np.array([20, 2]), np.array([1000, 1000]))

    assert expected.tolist() == [(2 + 11) // 2, (20 + 11) // 2]


def test_light_work_goes_where_cpu_is_short_and_heavy_work_where_it_is_not() -> None:
    light, heavy = Shape(cpu_milli=2_000, gpus=1), Shape(cpu_milli=20_000, gpus=1)
    fleet = NodeTable([NodeSpec(cpu, 64, (CardSpec(),) * 2) for cpu in (40_000, 8_000)])
    placer = Placer(fleet)
    for shape in (light, heavy) * 20:
        placer.mix.observe(shape)
    placer.mix.publish()

    first = placer.choose(light)
    assert first is not None
    assert first.node == 1
