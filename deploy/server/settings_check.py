"""The variables of an installation, before anything else reads them: all that are wrong, never a value."""

import os
from collections.abc import Callable, Iterator

import django
from pydantic import ValidationError

from deploy.server.faults import ServerFault
from portal.config.env import Env


def find_wrong_settings(read: Callable[[], object] = Env) -> Iterator[ServerFault]:
    """Yield each variable that is missing or wrong."""
    try:
        read()
    except ValidationError as error:
        for fault in error.errors(include_input=False, include_url=False):
            name = "_".join(str(part) for part in fault["loc"]).upper()
            yield ServerFault(
                "setting_wrong", {"variable": f"BERTH_{name}", "reason": fault["msg"]}
            )


def set_up_portal() -> list[ServerFault]:
    """Make the portal's code usable in this process, unless there are wrong settings; return those."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")
    wrong = list(find_wrong_settings())
    if not wrong:
        django.setup()
    return wrong
