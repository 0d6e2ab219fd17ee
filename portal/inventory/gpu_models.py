"""The catalogue of GPU models, and which model a card is by the name that its driver reports.

Cards whose model is not in the catalogue go by the name of their driver: they can be requested and
limited by it, and are not known to have any feature.
"""

import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from scheduler.core.model.gpu_model import GpuModel

GPU_MODEL: Final = r"^[^,\x00-\x1f\x7f]+$"
"""Name of a model: one line without a comma."""
GPU_MODEL_MAX: Final = 100
"""Characters of the name of a model of GPUs."""
CATALOGUE: Final = Path(__file__).with_name("gpu_models.toml")
_MIB_PER_GIB: Final = 1024


@cache
def load_gpu_models() -> Mapping[str, GpuModel]:
    """Return every model of the catalogue by its name."""
    return {row["name"]: _model(row) for row in _rows()}


@cache
def known_features() -> tuple[str, ...]:
    """Return every feature that some model has, in alphabetical order."""
    models = load_gpu_models().values()
    return tuple(sorted({feature for model in models for feature in model.features}))


@lru_cache(maxsize=4096)
def model_name(reported: str) -> str:
    """Return the name of the model that a driver, or a user, calls so; else the same text."""
    return _names().get(_plain(reported), reported)


def find_gpu_model(reported: str) -> GpuModel | None:
    """Return what is known of the model that a driver calls so; None if nothing is."""
    return load_gpu_models().get(model_name(reported))


@cache
def _names() -> Mapping[str, str]:
    """Return the name of each model by everything that it is called."""
    return {
        _plain(called): row["name"]
        for row in _rows()
        for called in (row["name"], *row["driver_names"])
    }


@cache
def _rows() -> tuple[Mapping[str, Any], ...]:
    return tuple(tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))["model"])


def _model(row: Mapping[str, Any]) -> GpuModel:
    return GpuModel(
        name=row["name"],
        vendor=row["vendor"],
        memory_mib=row["memory_gib"] * _MIB_PER_GIB,
        fp16_tflops=row.get("fp16_tflops", 0),
        fp32_tflops=row.get("fp32_tflops", 0),
        bandwidth_gbps=row.get("bandwidth_gbps", 0),
        features=frozenset(row.get("features", ())),
        is_mig_capable=row.get("is_mig_capable", False),
    )


def _plain(name: str) -> str:
    """Return a name without letter case, blanks and signs: drivers differ in them."""
    return "".join(char for char in name.casefold() if char.isalnum())
