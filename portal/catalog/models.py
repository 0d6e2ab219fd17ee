"""Images that workloads may run."""

from django.db import models

from portal.common.models import Entity


class Image(Entity):
    """An allow-listed image. Users name it by `name`, never by reference."""

    name = models.SlugField(max_length=63, unique=True)
    title_en = models.CharField(max_length=100)
    title_zh = models.CharField(max_length=100)
    description_en = models.CharField(max_length=500, blank=True)
    description_zh = models.CharField(max_length=500, blank=True)
    reference = models.CharField(max_length=300)
    for_environments = models.BooleanField(default=False)
    for_training = models.BooleanField(default=False)
    is_active = models.BooleanField(default=True)
