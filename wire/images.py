"""Saving a running container as an image, and the logins of registries."""

from typing import Annotated, Final

from pydantic import Field, StringConstraints

from wire.values import Count, Identifier, Message, ShortText
from wire.words import SavePhase

SAVES_MAX = 64
"""Saves of images that one node carries out or reports."""

IMAGES_MAX: Final = 64
"""Images that a node fetches beforehand."""
LOGIN_HOSTS_MAX: Final = 64
"""Registries other than the platform's that have a login."""
HUB: Final = "docker.io"
"""Where an engine pulls from when a reference names no host."""

ImageTag = Annotated[
    str,
    StringConstraints(
        max_length=200, pattern=r"^[a-z0-9][a-z0-9.-]*(?::[0-9]+)?/[a-z0-9._/-]+:[a-z0-9._-]+$"
    ),
]
"""Registry, path and tag: what an engine pushes."""


ENV_LINES_MAX = 64
"""Variables that a build adds to an image."""
ENV_LINE_MAX = 4096
"""Characters of one of them, name included."""


class SaveImage(Message):
    """A running container that is to be saved as an image; named until its report has ended."""

    save: Identifier
    """The identity of this save: an agent that knows it never begins it again."""
    allocation: Identifier
    epoch: Count
    reference: ImageTag
    """Where the image is pushed."""
    bytes_max: Count
    """How large the whole image may be, unpacked."""
    is_build: bool = False
    """The container builds the image: it is saved once its steps are done, and named until it ends."""
    env: Annotated[
        tuple[Annotated[str, StringConstraints(max_length=ENV_LINE_MAX)], ...],
        Field(max_length=ENV_LINES_MAX),
    ] = ()
    """Variables of the built image, as `NAME=value`; `${NAME}` there is an earlier variable, `$$` a
    dollar sign."""
    verdict: ShortText = ""
    """Of a build whose save has ended: `saved`, or the code of the failure. Its container gets that."""


class ImageSaveReport(Message):
    """How far a save has come; repeated until the portal no longer names it."""

    save: Identifier
    phase: SavePhase
    done_bytes: Count = 0
    """While pushing: what was sent of the layers that the registry lacks."""
    total_bytes: Count = 0
    """Of how much, as far as it is known."""
    size_bytes: Count = 0
    """The whole image, unpacked, once it is committed."""
    digest: ShortText = ""
    """Of its manifest in the registry, once it is saved."""
    detail: ShortText = ""
    """Why it failed; begins with a code."""


class RegistryLoginRequest(Message):
    """The body of a POST of `/node/v1/registry`."""

    host: ShortText = ""
    """As `registry_host` returns it; empty is the registry of the platform."""


class RegistryLogin(Message):
    """Its answer, before an image is pushed to or pulled from there.

    Kept in memory only; see docs/adr/0046.
    """

    host: Annotated[ShortText, Field(min_length=1)]
    username: ShortText = ""
    """Empty for a registry without a login."""
    password: Annotated[str, Field(max_length=4096, repr=False)] = ""


def registry_host(reference: str) -> str:
    """Return the registry that an engine pulls a reference from."""
    first, slash, _ = reference.partition("/")
    is_host = bool(slash) and ("." in first or ":" in first or first == "localhost")
    return first if is_host and first != "index.docker.io" else HUB
