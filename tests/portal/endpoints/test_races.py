"""One ticket, many takers at once: one gets in."""

import pytest

from portal.common.errors import NotFoundError
from portal.endpoints import services
from portal.endpoints.models import Grant
from tests.builders.at_once import at_once
from tests.builders.people import an_actor
from tests.builders.scenes import a_scene
from tests.builders.scripted_node import running

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def test_ticket_is_swapped_once_by_many_at_once() -> None:
    scene = a_scene()
    notebook = scene.work(kind="environment")
    (held,) = scene.place(notebook)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held, port=8888)])
    issued = services.issue_ticket(
        actor=an_actor(scene.owner), workload_id=notebook.pk, kind="environment"
    )
    code = issued.url.partition("ticket=")[2]

    def redeem(_: int) -> bool:
        try:
            services.redeem_ticket(code)
        except NotFoundError:
            return False
        return True

    assert sum(at_once(8, redeem)) == 1
    assert Grant.objects.count() == 1
