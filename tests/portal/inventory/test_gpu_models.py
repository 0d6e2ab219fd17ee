"""The catalogue of models, and the names that drivers report."""

import pytest

from portal.inventory.gpu_models import find_gpu_model, known_features, load_gpu_models, model_name


@pytest.mark.parametrize(
    ("reported", "name"),
    [
        ("NVIDIA H100 80GB HBM3", "NVIDIA H100 SXM 80GB"),
        ("NVIDIA H100 PCIe", "NVIDIA H100 PCIe 80GB"),
        ("NVIDIA A100-SXM4-80GB", "NVIDIA A100 SXM 80GB"),
        ("A100-SXM4-80GB", "NVIDIA A100 SXM 80GB"),
        ("NVIDIA A100-SXM4-40GB", "NVIDIA A100 SXM 40GB"),
        ("Tesla T4", "NVIDIA T4 16GB"),
        ("nvidia  l4", "NVIDIA L4 24GB"),
        ("AMD Instinct MI300X OAM", "AMD Instinct MI300X 192GB"),
        ("910B3", "Ascend 910B3 64GB"),
        ("MLU370-X8", "Cambricon MLU370-X8 48GB"),
        ("K100_AI", "Hygon K100 AI 64GB"),
        ("Intel(R) Data Center GPU Max 1550", "Intel Max 1550 128GB"),
        ("NVIDIA H100 SXM 80GB", "NVIDIA H100 SXM 80GB"),
        ("Simulated 32GB", "Simulated 32GB"),
        ("", ""),
    ],
)
def test_a_card_goes_by_the_name_of_its_model(reported: str, name: str) -> None:
    assert model_name(reported) == name


def test_every_vendor_that_reaches_containers_has_models() -> None:
    vendors = {model.vendor for model in load_gpu_models().values()}

    assert vendors == {"nvidia", "amd", "ascend", "cambricon", "hygon", "intel"}


def test_what_is_stated_is_plausible() -> None:
    for model in load_gpu_models().values():
        assert 8 * 1024 <= model.memory_mib <= 512 * 1024, model
        assert 0 <= model.fp32_tflops <= max(model.fp16_tflops, model.fp32_tflops) < 10_000, model
        assert model.bandwidth_gbps == 0 or 100 <= model.bandwidth_gbps <= 10_000, model
        assert not model.is_mig_capable or model.vendor == "nvidia", model
        assert model.features <= set(known_features())
        assert "," not in model.name
        assert len(model.name) <= 100


def test_nothing_is_known_of_other_models() -> None:
    assert find_gpu_model("Simulated 32GB") is None
