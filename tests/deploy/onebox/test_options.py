"""What `make run` is told, by arguments or variables."""

from pathlib import Path

import pytest

from deploy.onebox.options import parse_options
from deploy.onebox.platform import build_environment
from deploy.onebox.stores import Stores


@pytest.mark.parametrize(("arguments", "is_demo"), [([], "1"), (["--empty"], "0")])
def test_a_demo_may_simulate_unless_it_is_to_be_empty(
    tmp_path: Path, arguments: list[str], is_demo: str
) -> None:
    options = parse_options(["--data-dir", str(tmp_path), *arguments])

    environment = build_environment(options, Stores(tmp_path), web_port=1)

    assert options.empty is bool(arguments)
    assert environment["BERTH_DEMO"] == is_demo
