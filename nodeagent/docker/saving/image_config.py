"""The configuration of a saved image: that of the image it came from, with nothing of the run; pure.

An engine commits a container with the container's own configuration: its variables, among them the
token of its notebook, its command line and labels. What a commit is given goes before that, name by
name, but it can remove nothing: a variable is given without a value, which no process gets.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from string import Template
from typing import Any, Final

from nodeagent.core.image_saves import ImageSaveError

LABEL_SAVE: Final = "berth.save"
"""Marks the image between the two commits, by the save that it belongs to."""
ROOT: Final = "0"
SHELL: Final = "/bin/sh"
VALUE_MAX: Final = 32 * 1024
"""Characters of one variable that a build adds."""


def restored_config(
    container: Mapping[str, Any],
    image: Mapping[str, Any],
    save: str,
    added_env: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the configuration to commit a container with.

    `container` and `image` are the configurations (`Config`) that the engine describes. An image
    without a command gets a shell: the container's own command would remain. `added_env` is what a
    build adds (`SaveImage.env`); raises `ImageSaveError` when it grows out of bounds.
    """
    entrypoint, command = image.get("Entrypoint") or [], image.get("Cmd") or []
    return {
        "Env": _variables(container.get("Env") or (), image.get("Env") or (), added_env),
        "Labels": {**_labels(container, image), LABEL_SAVE: save},
        "User": image.get("User") or ROOT,
        "WorkingDir": image.get("WorkingDir") or "/",
        "Entrypoint": entrypoint,
        "Cmd": command if command or entrypoint else [SHELL],
    }


def _variables(lines: Sequence[str], of_image: Sequence[str], added: Sequence[str]) -> list[str]:
    """Return the image's variables, and the bare name of each that only the container has."""
    own = {line.partition("=")[0]: line for line in of_image}
    for line in added:
        name, _, value = line.partition("=")
        own[name] = f"{name}={_filled(value, own)}"
    names = dict.fromkeys(line.partition("=")[0] for line in lines)
    return [*own.values(), *(name for name in names if name not in own)]


def _filled(value: str, own: Mapping[str, str]) -> str:
    """Return a value with the variables that it names; each may double what it takes up."""
    known = defaultdict(str, {name: line.partition("=")[2] for name, line in own.items()})
    filled = Template(value).safe_substitute(known)
    if len(filled) > VALUE_MAX:
        raise ImageSaveError("variable_too_large", f"{len(filled)} characters, {VALUE_MAX} allowed")
    return filled


def _labels(container: Mapping[str, Any], image: Mapping[str, Any]) -> dict[str, str]:
    """Return the image's labels, and those that only the container has without their values.

    No container of the image must be taken for one of the agent's.
    """
    own = dict(image.get("Labels") or {})
    return {**dict.fromkeys(container.get("Labels") or {}, ""), **own}
