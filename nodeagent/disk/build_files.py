"""Files that the agent and a container that builds an image exchange, beside the stop notice.

The work says that its steps are done by a file in the folder that it may write; nothing there is
opened. What became of its image it reads in the folder that belongs to the agent.
"""

from pathlib import Path
from typing import Final

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.notices import NoticeFiles

DONE_NAME: Final = "built"
VERDICT_NAME: Final = "image"


class BuildFiles:
    """The files of all builds of a node, below the folder of its containers."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def is_done(self, key: ContainerKey) -> bool:
        """Return whether a build's steps are done; the file is looked at and never opened."""
        path = NoticeFiles(ContainerDir(self._root, key)).checkpoint_dir / DONE_NAME
        return path.is_symlink() or path.exists()

    def write_verdict(self, key: ContainerKey, verdict: str) -> None:
        """Write what became of the image; does nothing when the container is gone."""
        notices = NoticeFiles(ContainerDir(self._root, key))
        if notices.notice_dir.is_dir():
            notices.write_file(VERDICT_NAME, f"{verdict}\n")


def build_environment(notice_dir: Path, checkpoint_dir: Path) -> dict[str, str]:
    """Return the variables that name the files; work that has none of them cannot build."""
    return {
        "BERTH_BUILD_DONE_FILE": str(checkpoint_dir / DONE_NAME),
        "BERTH_BUILD_VERDICT_FILE": str(notice_dir / VERDICT_NAME),
    }
