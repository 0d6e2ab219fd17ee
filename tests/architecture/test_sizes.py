"""A function fits on a screen, a file is one subject."""

from typing import Final

from tests.architecture.sources import sources

FUNCTION_MAX: Final = 60
FILE_MAX: Final = 500


def test_no_function_is_longer_than_a_screen() -> None:
    found = [
        f"{source.path}:{function.lineno} {function.name} has {lines} lines"
        for source in sources()
        for function in source.functions()
        if (lines := (function.end_lineno or 0) - function.lineno + 1) > FUNCTION_MAX
    ]

    assert found == []


def test_no_file_is_longer_than_five_hundred_lines() -> None:
    found = [
        f"{source.path} has {lines} lines"
        for source in sources()
        if (lines := source.text.count("\n")) > FILE_MAX
    ]

    assert found == []
