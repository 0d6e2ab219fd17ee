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


def test_a_model_server_is_there_only_when_asked_and_runs_as_a_process(tmp_path: Path) -> None:
    plain = parse_options(["--data-dir", str(tmp_path)])
    asked = parse_options(["--data-dir", str(tmp_path), "--with-model-server"])

    assert (plain.with_model_server, plain.runtime) == (False, "auto")
    assert (asked.with_model_server, asked.runtime) == (True, "process")


@pytest.mark.parametrize("more", [["--runtime", "docker"], ["--nodes", "2"]])
def test_a_model_server_is_refused_where_it_could_not_run(tmp_path: Path, more: list[str]) -> None:
    with pytest.raises(SystemExit):
        parse_options(["--data-dir", str(tmp_path), "--with-model-server", *more])
