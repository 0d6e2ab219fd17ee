"""Starts JupyterLab behind the portal's gateway; the same in every runtime."""

from pathlib import Path
from typing import Final

from nodeagent.disk.container_dir import AppEndpoint

PROGRAM: Final = "jupyter-lab"
CONFIG_PATH: Final = str(Path(__file__).parent)
"""Folder of `labconfig/page_config.json` for JupyterLabs of this host; an image brings its own."""


LAB_EXTENSIONS: Final = Path(__file__).with_name("labextensions")
"""The platform's own extension of JupyterLab, in the form in which JupyterLab finds it; ADR 60."""


def lab_argv(
    program: str,
    *,
    listen_on: str,
    endpoint: AppEndpoint,
    root_dir: str,
    extensions: str = str(LAB_EXTENSIONS),
) -> tuple[str, ...]:
    """Return the command line, without the token: all users of the host can read it.

    `extensions` is where the server sees `LAB_EXTENSIONS`.
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
        f"--LabApp.extra_labextensions_path={extensions}",
        # A node may have no internet access: disable the requests for news and updates.
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    )


def copy_lab_extensions(folder: Path) -> Path:
    """Copy `LAB_EXTENSIONS` into a folder, for everybody to read; return the copy."""
    copy = folder / LAB_EXTENSIONS.name
    for source in (LAB_EXTENSIONS, *LAB_EXTENSIONS.rglob("*")):
        place = copy / source.relative_to(LAB_EXTENSIONS)
        if source.is_dir():
            place.mkdir(exist_ok=True)
            place.chmod(0o755)
        else:
            place.write_bytes(source.read_bytes())
            place.chmod(0o644)
    return copy


def lab_environment(endpoint: AppEndpoint, work_dir: str) -> dict[str, str]:
    """Return the variables of the server: its token, and folders for its sockets and open tabs.

    These folders are the notebook's own: in a home, all notebooks of one person would share them.
    """
    return {
        "JUPYTER_TOKEN": endpoint.token,
        "JUPYTER_RUNTIME_DIR": f"{work_dir}/.jupyter-runtime",
        "JUPYTERLAB_WORKSPACES_DIR": f"{work_dir}/.jupyter-tabs",
    }
