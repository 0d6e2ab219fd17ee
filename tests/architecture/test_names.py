"""Modules are called after what they are about."""

from typing import Final

from tests.architecture.sources import PRODUCT, sources

GROWING: Final = {"utils", "util", "helpers", "manager", "managers", "base", "misc", "handlers"}
"""Names by kind attract everything and explain nothing."""
ALLOWED: Final = {"portal.config.settings.base", "portal.common.postgresql.base"}
"""Django's own idioms."""


def test_no_module_is_named_after_its_kind() -> None:
    found = {
        source.module for source in sources(PRODUCT) if source.module.rpartition(".")[2] in GROWING
    }

    assert found - ALLOWED == set()
