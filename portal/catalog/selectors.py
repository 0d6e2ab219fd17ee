"""Reads of the catalogue. Everybody signed in sees every active image."""

from django.db.models import QuerySet

from portal.catalog.models import Image


def active_images() -> QuerySet[Image]:
    """Return the images that new work may use."""
    return Image.objects.filter(is_active=True)
