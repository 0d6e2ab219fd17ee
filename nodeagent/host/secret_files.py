"""Secrets of containers as files in memory: never on a disk of the node (docs/adr/0033).

One folder for each container, on a tmpfs: a file for each secret that is a file, and `.env` with the
variables, as a shell reads them. The folder exists as long as the container runs.
"""

import hashlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Final, Protocol

from nodeagent.core.state import ContainerKey
from nodeagent.disk.secret_folder import ENV_FILE, remove_folder, render_variables
from nodeagent.host.disk_space import SHARED_MEMORY
from nodeagent.host.mount_table import MOUNTINFO, find_mount
from nodeagent.ports import StartError
from wire.images import RegistryLogin
from wire.secrets import SecretValue
from wire.words import ExitCause

IN_MEMORY: Final = frozenset({"tmpfs", "ramfs"})
_FOLDER_MODE: Final = 0o500
_FILE_MODE: Final = 0o400


class StartSecrets(Protocol):
    """Secrets of containers, from their start to their end."""

    async def fetch(self, key: ContainerKey) -> tuple[SecretValue, ...]:
        """Return the secrets of a container; raises `StartError` when it may not start without."""

    async def fetch_registry_login(self) -> RegistryLogin:
        """Return the login of the platform's registry; raises `StartError`."""

    def remove(self, key: ContainerKey) -> None:
        """Remove what a runtime has written of them; does nothing for unknown keys."""

    def keep_only(self, keys: Collection[ContainerKey]) -> None:
        """Remove those of all other containers, such as of those that ended without an agent."""


def root_for(state_dir: Path, parent: Path = SHARED_MEMORY) -> Path:
    """Return where the agent with this state keeps secrets: a folder of its own below a tmpfs."""
    digest = hashlib.sha256(str(state_dir).encode()).hexdigest()
    return parent / f"berth-{digest[:16]}"


class SecretFiles:
    """The folders of one node."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def folder(self, key: ContainerKey) -> Path:
        """Return the folder of a container, which may not exist."""
        return self._root / f"{key.allocation}.{key.epoch}"

    def write(
        self, key: ContainerKey, secrets: Sequence[SecretValue], owner: tuple[int, int] | None
    ) -> Path:
        """Write the secrets of a container, readable by `owner` only; raises `StartError`.

        Without an owner the files stay the agent's. An earlier folder of the container is replaced.
        """
        try:
            return self._write(key, secrets, owner)
        except OSError as error:
            detail = f"secrets_unwritable: {error.strerror}"
            raise StartError(ExitCause.NODE_FAULT, detail) from error

    def remove(self, key: ContainerKey) -> None:
        """Remove the secrets of a container that has ended."""
        remove_folder(self.folder(key))

    def keep_only(self, keys: Collection[ContainerKey]) -> None:
        """Remove the folders of all other containers."""
        kept = {self.folder(key) for key in keys}
        for folder in self._root.iterdir() if self._root.is_dir() else ():
            if folder not in kept:
                remove_folder(folder)

    def _write(
        self, key: ContainerKey, secrets: Sequence[SecretValue], owner: tuple[int, int] | None
    ) -> Path:
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        if self._root.stat().st_uid != os.geteuid() or self._root.stat().st_mode & 0o077:
            raise StartError(ExitCause.NODE_FAULT, f"secrets_exposed: {self._root}")
        mount = find_mount(MOUNTINFO.read_text(encoding="utf-8"), self._root.resolve())
        if mount is None or mount.kind not in IN_MEMORY:
            raise StartError(
                ExitCause.NODE_FAULT, f"secrets_not_in_memory: {self._root} is on a disk"
            )
        folder = self.folder(key)
        remove_folder(folder)
        folder.mkdir(mode=0o700)
        variables = {item.target: item.value for item in secrets if item.kind == "env"}
        contents = {item.target: item.value for item in secrets if item.kind == "file"}
        if variables:
            contents[ENV_FILE] = render_variables(variables)
        for name, text in contents.items():
            _write_file(folder / name, text, owner)
        if owner is not None:
            os.chown(folder, *owner)
        folder.chmod(_FOLDER_MODE)
        return folder


def _write_file(path: Path, text: str, owner: tuple[int, int] | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, _FILE_MODE)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
        file.write(text)
        if owner is not None:
            os.fchown(file.fileno(), *owner)
