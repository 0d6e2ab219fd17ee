"""Web apps of the catalogue."""

from itertools import count
from typing import Any

from portal.apps.models import WebApp
from tests.builders.machines import an_image

_numbers = count(1)


def an_app(name: str = "", **columns: Any) -> WebApp:
    """Save a web app."""
    chosen = name or f"app-{next(_numbers)}"
    return WebApp.objects.create(
        **{
            "name": chosen,
            "title_en": chosen.title(),
            "title_zh": f"应用 {chosen}",
            "image": an_image(),
            "command": ["tensorboard", "--logdir={folder}", "--port={port}"],
            "cpu_milli": 500,
            "memory_mib": 512,
            "idle_s": 600,
            "time_limit_s": 3600,
            **columns,
        }
    )
