"""ASGI entry of the live process: sockets, streams, notebooks, and the proxy to the web process."""

import gc
import os

import django
from django.utils.module_loading import import_string

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")
django.setup()

# By name, because models may be imported only after the set-up above.
_module = "portal.config.live_app"
application = import_string(f"{_module}.LiveApp")(import_string(f"{_module}.LiveSettings").load())
# What is loaded now stays as long as the process, and no full collection needs to walk it: each stops every socket.
gc.collect()
gc.freeze()
# What one frame to thousands of pages makes is gone when it is sent. With Python's threshold of 700
# objects most of it is taken for long-lived meanwhile, and so leads to a full collection every few seconds.
gc.set_threshold(50_000, 5, 2)
