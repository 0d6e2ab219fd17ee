"""What of this installation is simulated: one row, and none where nothing is."""

from typing import ClassVar, Final

from django.db import models
from django.db.models import Q

ROW_ID: Final = 1


class DemoState(models.Model):
    """The simulated past, and whether activity is simulated now; written by `portal.demo.state`."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=ROW_ID)
    past_from = models.DateTimeField(null=True)
    """First moment of the seeded past; null where none was seeded."""
    seeded_at = models.DateTimeField(null=True)
    """The past ends here."""
    activity = models.BooleanField(default=False)
    """Whether people of the demo submit work now."""
    removed_at = models.DateTimeField(null=True)
    """When an administrator removed what was simulated; it is not seeded again."""

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(id=ROW_ID), name="demo_state_one_row"),
        ]
