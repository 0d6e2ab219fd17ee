"""The web process: REST and the single-page application."""

import os

from django.core.wsgi import get_wsgi_application
from django.urls import resolve

from portal.config.garbage import spare_loaded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")

application = get_wsgi_application()
# Load every view now, so that the first request does not wait for it.
resolve("/livez")
spare_loaded()
