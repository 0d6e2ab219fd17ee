"""What Slurm cannot run is refused when it is submitted, in words; what it can is taken."""

import pytest

from portal.execution.backends import SLURM
from portal.inventory.models import Pool
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def submitted(scene: Scene, status: int, **asked: object) -> str:
    """Submit a job to the scene's pool, and return the code of the refusal."""
    an_image("python")
    Pool.objects.filter(pk=scene.pool.pk).update(backend=SLURM)
    spec = {"name": "fine-tune", "group": str(scene.group.pk), "pool": str(scene.pool.pk)}
    size = {"image": "python", "command": ["true"], "cpu_milli": 1000, "memory_mib": 512, "gpus": 1}
    client = browser(scene.owner)
    return str(
        json_of(client.post(f"{API}/jobs", {**spec, **size, **asked}, format="json"), status).get(
            "code"
        )
    )


def test_a_plain_job_is_taken() -> None:
    assert submitted(a_scene(), 202) == "None"


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"launcher": "torchrun"}, "backend_cannot_launcher"),
        ({"ports": [8080]}, "backend_cannot_server"),
    ],
)
def test_what_it_cannot_is_refused(asked: dict[str, object], code: str) -> None:
    assert submitted(a_scene(), 422, **asked) == code
