"""The composition root: settings, URLs and entry points.

The Celery application is created on import, so that every process can send tasks.
"""

from portal.config.celery import app as celery_app

__all__ = ["celery_app"]
