"""Another configuration of the site, for the length of a block."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from portal.common.site_config import SiteConfig, get_site_config, install_site_config


@contextmanager
def override_site_config(**changes: Any) -> Iterator[SiteConfig]:
    """Change values inside the block, in all threads."""
    before = get_site_config()
    changed = replace(before, **changes)
    install_site_config(changed)
    try:
        yield changed
    finally:
        install_site_config(before)
