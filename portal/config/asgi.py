"""ASGI entry of the live process: sockets, streams, notebooks, and the proxy to the web process."""

import os

import django
from django.utils.module_loading import import_string

from portal.config.garbage import spare_loaded

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")
django.setup()

# By name, because models may be imported only after the set-up above.
_module = "portal.config.live_app"
application = import_string(f"{_module}.LiveApp")(import_string(f"{_module}.LiveSettings").load())
spare_loaded()
