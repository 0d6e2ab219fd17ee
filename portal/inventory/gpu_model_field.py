"""The field of requests that names a model of GPUs."""

from typing import Any

from portal.common.rest.serializers import PatternField
from portal.inventory.gpu_models import GPU_MODEL, GPU_MODEL_MAX


class GpuModelField(PatternField):
    """A model by its name in the catalogue, or as its driver calls it."""

    def __init__(self, **options: Any) -> None:
        """Take what a list of models can hold."""
        super().__init__(
            GPU_MODEL, fault="gpu_model_not_allowed", max_length=GPU_MODEL_MAX, **options
        )
