"""Imports go down only: the contracts of `.importlinter`."""

import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import PRODUCT, ROOT, Source, sources


def test_import_contracts_hold() -> None:
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]

    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_no_exception_is_made_from_the_contracts() -> None:
    assert "ignore_imports" not in (ROOT / ".importlinter").read_text(encoding="utf-8")


def test_nobody_imports_the_tests() -> None:
    found = [source.path for source in sources(PRODUCT) if "from tests" in source.text]

    assert found == []


def test_no_import_hides_inside_a_function() -> None:
    found = [name for source in sources(PRODUCT) for name in _inner_imports(source)]

    assert found == []


def _inner_imports(source: Source) -> list[str]:
    return [
        f"{source.path}:{statement.lineno}"
        for function in source.functions()
        for statement in function.body
        if type(statement).__name__ in {"Import", "ImportFrom"}
    ]


def test_live_process_sets_its_own_address_before_the_settings_are_read() -> None:
    lines = "import sys, portal.config.live; print('portal.config.settings.base' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", lines], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stdout == "False\n", done.stderr
