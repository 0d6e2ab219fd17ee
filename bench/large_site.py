"""One large site for every measurement that needs one: 1,000 users, 100,000 workloads, 1,600 GPUs, 90 days.

Its rows are written as they would be after these months (`large_site_rows`, `large_site_samples`); the
meter derives its days from them by the product's own code.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from bench.large_site_rows import NAMES, Size, write_cards, write_people, write_work
from bench.large_site_samples import write_samples

WHOLE: Final = Size()
QUICK: Final = Size(users=100, workloads=2_000, nodes=30, running=100, waiting=100)
_FACTORS: Final = "UPDATE site_sitesettings SET carbon_g_per_kwh = array_fill(500, ARRAY[24])"


@dataclass(frozen=True, slots=True)
class LargeSite:
    """What is there to ask for."""

    people: Mapping[str, Any]
    """A signed-in client of each role."""
    node: str
    card: str
    pool: str
    wide_job: str
    """Of many ranks."""
    ended_job: str
    notebook: str
    derived_s: float
    """How long the meter took to derive all days."""


def a_large_site(size: Size) -> LargeSite:
    """Write the site into the stores of `prepared`."""
    from django.db import connection  # noqa: PLC0415 - after `prepared`

    from portal.common.clock import now  # noqa: PLC0415
    from portal.inventory.models import Accelerator, Node  # noqa: PLC0415
    from portal.metering.services import rebuild_usage  # noqa: PLC0415
    from portal.workloads.models import Workload  # noqa: PLC0415

    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        write_people(size)
        write_cards(size)
        people = _sign_in()
        write_work(size, now())
        node = Node.objects.all()[0]
        wide = Workload.objects.get(replicas__gt=1)
        write_samples(node.pk, wide.pk)
        cursor.execute(_FACTORS)
        cursor.execute("VACUUM ANALYZE")
        began = perf_counter()
        rebuild_usage()
        derived_s = perf_counter() - began
        cursor.execute("VACUUM ANALYZE")
        cursor.execute("RESET statement_timeout")
    works = Workload.objects.filter(owner=wide.owner).order_by("submitted_at")
    return LargeSite(
        people=people,
        node=str(node.pk),
        card=str(Accelerator.objects.get(node=node, index=0).pk),
        pool=str(node.pool_id),
        wide_job=str(wide.pk),
        ended_job=str(works.filter(state="succeeded", kind="training")[0].pk),
        notebook=str(works.filter(kind="environment")[0].pk),
        derived_s=derived_s,
    )


def _sign_in() -> Mapping[str, Any]:
    """Return a client of each role: a member and the head of one group, and two of the platform."""
    from portal.identity.models import User  # noqa: PLC0415 - after `prepared`
    from tests.builders.people import a_user  # noqa: PLC0415
    from tests.rest import browser  # noqa: PLC0415

    people = {
        "member": User.objects.get(username=f"{NAMES}0000"),
        "head": User.objects.get(username=f"{NAMES}0050"),
        "operator": a_user(role="operator"),
        "administrator": a_user(role="platform_admin"),
    }
    clients = {role: browser(user) for role, user in people.items()}
    for client in clients.values():
        client.defaults["HTTP_HOST"] = "127.0.0.1"
    return clients
