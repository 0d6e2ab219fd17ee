"""How far samples have been rolled up. The samples themselves: `portal.telemetry.tables`."""

from django.db import models


class Summed(models.Model):
    """Up to when one table holds the rolled-up rows of the finer one."""

    table = models.CharField(max_length=32, primary_key=True)
    until = models.DateTimeField()
