"""What somebody new has done here already."""

from django.db.models import Exists, OuterRef

from portal.common.actor import Actor
from portal.common.work_kinds import kinds_where
from portal.identity.models import SshKey, User
from portal.workloads.models import Workload


def first_steps_of(actor: Actor) -> dict[str, bool]:
    """Return which first steps the actor has taken; work counts also after it has ended (one query)."""
    work = Workload.objects.filter(owner=OuterRef("pk"))
    steps = {
        "notebook": Exists(work.filter(kind__in=kinds_where(lambda terms: terms.is_kept))),
        "job": Exists(work.filter(kind__in=kinds_where(lambda terms: terms.runs_to_end))),
        "ssh_key": Exists(SshKey.objects.filter(user=OuterRef("pk"))),
    }
    if actor.user_id is None:  # the platform itself
        return dict.fromkeys(steps, False)
    taken = User.objects.values_list(*steps.values()).get(pk=actor.user_id)
    return dict(zip(steps, taken, strict=True))
