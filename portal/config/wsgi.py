"""The web process: REST and the single-page application."""

import gc
import os

from django.core.wsgi import get_wsgi_application
from django.urls import resolve

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")

application = get_wsgi_application()
# Load every view now, so that the first request does not wait for it.
resolve("/livez")
# What is loaded now stays as long as the process: a full collection would walk all of it within some
# request, which then takes 50 ms more.
gc.collect()
gc.freeze()
