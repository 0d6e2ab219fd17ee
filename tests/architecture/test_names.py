"""Modules are called after what they are about, and a class name means one thing."""

from typing import Final

from tests.architecture.figures import repeated_classes
from tests.architecture.sources import PRODUCT, sources

GROWING: Final = {"utils", "util", "helpers", "manager", "managers", "base", "misc", "handlers"}
"""Names by kind attract everything and explain nothing."""
ALLOWED: Final = {"portal.config.settings.base"}  # Django's own idiom


def test_no_module_is_named_after_its_kind() -> None:
    found = {
        source.module for source in sources(PRODUCT) if source.module.rpartition(".")[2] in GROWING
    }

    assert found - ALLOWED == set()


REPEATED: Final[dict[str, int]] = {}
"""Class names that may stand in several modules, and in how many; this list only shrinks."""


def test_class_name_means_one_thing_in_the_product() -> None:
    found = {name: len(modules) for name, modules in repeated_classes(sources(PRODUCT)).items()}

    assert found == REPEATED
