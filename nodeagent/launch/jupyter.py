"""Starts JupyterLab behind the portal's gateway; the same in every runtime."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from nodeagent.disk.container_dir import AppEndpoint

PROGRAM: Final = "jupyter-lab"
EXTENSIONS: Final = "labextensions"
"""The platform's own extension of JupyterLab, in the form in which JupyterLab finds it; ADR 60."""
CONFIG: Final = "jupyter_config"
"""What the server reads at its start: the file panel's links, and defaults of settings."""
LAB_FILES: Final = "lab"
"""The folder of both, beside a notebook's other files."""
_FILES: Final = Path(__file__).parent
_LOCALES: Final = {"zh": "zh_CN"}
"""Language packs of JupyterLab, by language."""


def lab_argv(
    program: str,
    *,
    listen_on: str,
    endpoint: AppEndpoint,
    root_dir: str,
    lab_files: str,
) -> tuple[str, ...]:
    """Return the command line, without the token: all users of the host can read it.

    `lab_files` is where the server sees the result of `copy_lab_files`.
    """
    return (
        program,
        "--no-browser",
        "--allow-root",
        f"--ServerApp.ip={listen_on}",
        f"--ServerApp.port={endpoint.port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.base_url={endpoint.base_path}",
        f"--ServerApp.root_dir={root_dir}",
        # The gateway checks host and origin, and authenticates every request by the token.
        "--ServerApp.allow_remote_access=True",
        "--ServerApp.quit_button=False",
        # An extension that a user installs would be lost, or belong to someone else, at the next
        # start.
        "--LabApp.extension_manager=readonly",
        f"--LabApp.extra_labextensions_path={lab_files}/{EXTENSIONS}",
        # A node may have no internet access: disable the requests for news and updates.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    )


def copy_lab_files(folder: Path, env: Mapping[str, str]) -> Path:
    """Copy extension and configuration into a folder, for everybody to read; return the copy.

    `env` are the variables of the notebook, of which `LANGUAGE` is that of the pages of its owner.
    """
    copy = folder / LAB_FILES
    _make_readable_folder(copy)
    for tree in (_FILES / EXTENSIONS, _FILES / CONFIG):
        for source in (
            tree,
            *(item for item in tree.rglob("*") if "__pycache__" not in item.parts),
        ):
            place = copy / source.relative_to(_FILES)
            if source.is_dir():
                _make_readable_folder(place)
            else:
                _write_readable(place, source.read_bytes())
    locale = _LOCALES.get(env.get("LANGUAGE", "")[:2])
    if locale is not None:
        defaults = {"@jupyterlab/translation-extension:plugin": {"locale": locale}}
        place = copy / CONFIG / "labconfig" / "default_setting_overrides.json"
        _write_readable(place, json.dumps(defaults).encode())
    return copy


def _make_readable_folder(place: Path) -> None:
    place.mkdir(exist_ok=True)
    place.chmod(0o755)


def _write_readable(place: Path, content: bytes) -> None:
    place.write_bytes(content)
    place.chmod(0o644)


def lab_environment(endpoint: AppEndpoint, work_dir: str, lab_files: str) -> dict[str, str]:
    """Return the variables of the server: its token, its configuration, folders for sockets and open tabs.

    Those folders are the notebook's own: in a home, all notebooks of one person would share them.
    """
    return {
        "JUPYTER_TOKEN": endpoint.token,
        "JUPYTER_CONFIG_PATH": f"{lab_files}/{CONFIG}",
        "JUPYTER_RUNTIME_DIR": f"{work_dir}/.jupyter-runtime",
        "JUPYTERLAB_WORKSPACES_DIR": f"{work_dir}/.jupyter-tabs",
    }
