"""How a pool reaches the cluster that runs its work: what is the same for every kind of cluster."""

from typing import Final

from django.db import models

from portal.common.models import Entity
from portal.inventory.models import Pool

FAULT_MAX: Final = 500
"""Characters of why a round has failed."""


class ForeignCluster(Entity):
    """A pool whose work a cluster of the site runs, and how the last round of it went."""

    pool = models.OneToOneField(Pool, models.CASCADE, related_name="+")
    gpu_memory_mib = models.PositiveIntegerField()
    """Of each GPU: a cluster counts them and may not say."""
    round_until = models.DateTimeField(null=True)
    """Until when one worker alone runs a round; null while none does."""
    fault = models.CharField(max_length=FAULT_MAX, blank=True)
    """Why the last round has failed; empty when it has not."""
    heard_at = models.DateTimeField(null=True)
    """When the cluster last answered."""

    class Meta:
        abstract = True

    @property
    def site(self) -> str:
        """Return by what the names of its jobs begin: eight hexadecimal digits, the same for ever."""
        return str(self.pk.hex[-8:])
