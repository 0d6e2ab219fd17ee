"""The folder that a session of a web app shows, as one text; pure.

It is a reference (`portal.common.uses.files`) with the path below it: `input:<job>`, `volume:<id>/runs/today`.
"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from typing_extensions import override

from portal.common.uses.files import FILE_REFERENCE_MAX, FileKind, file_reference

APP_PATH_MAX: Final = 400
"""Characters of a path below a volume, or below the outputs of a job."""
APP_FOLDER_MAX: Final = FILE_REFERENCE_MAX + 1 + APP_PATH_MAX
"""Characters of a folder with its reference."""
APP_FOLDER_NAME: Final = "shown"
"""The name under which its container has the folder, among volumes or inputs."""
APP_FOLDER_KINDS: Final = (FileKind.INPUT.value, FileKind.HOME.value, FileKind.VOLUME.value)
"""What a folder may be below."""


@dataclass(frozen=True, slots=True)
class AppFolder:
    """The outputs of a job, a home or a group volume, or a folder below."""

    kind: FileKind
    id: UUID
    """Of the job, of the owner of the home, or of the volume."""
    path: str = ""
    """Below it; empty is all of it."""

    @override
    def __str__(self) -> str:
        """Return it as one text."""
        whole = file_reference(self.kind, self.id)
        return f"{whole}/{self.path}" if self.path else whole


def parse_app_folder(text: str) -> AppFolder | None:
    """Return the folder of such a text; None for work that has none."""
    if not text:
        return None
    whole, _, path = text.partition("/")
    kind, _, key = whole.partition(":")
    return AppFolder(FileKind(kind), UUID(key), path)
