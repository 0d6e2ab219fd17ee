"""Adopts a container whose directory was lost, from its labels and the engine's description.

What these do not contain is done again: the probe is asked, and the log is copied from its beginning.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import structlog

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.disk.forward_compat import parse_device, parse_probe, parse_silence
from nodeagent.docker.containers.container_spec import (
    LABEL_DEVICES,
    LABEL_ENDPOINT,
    LABEL_PROBE,
    LABEL_SILENCE,
)
from nodeagent.docker.containers.direct_kill import record_init_process
from nodeagent.docker.containers.inspection import find_published_port, parse_wall_ms
from wire.words import Probe

log = structlog.get_logger()

FROM_VARIABLE: Final = "JUPYTER_TOKEN="


def adopt_container(root: Path, key: ContainerKey, found: Mapping[str, Any]) -> ContainerDir | None:
    """Make the directory of a container again; None when its labels are not the agent's."""
    labels = found["Config"]["Labels"]
    try:
        devices = tuple(parse_device(item) for item in json.loads(labels[LABEL_DEVICES]))
        endpoint, probe = _endpoint(labels, found), _probe(labels)
    except (LookupError, TypeError, ValueError) as error:
        log.warning("container.unreadable", allocation=key.allocation, error=str(error))
        return None
    directory = ContainerDir(root, key)
    silence = parse_silence(labels.get(LABEL_SILENCE))
    os.close(directory.create(devices, silence=silence, probe=probe))
    record_init_process(directory, found)
    started_at = parse_wall_ms(found["State"]["StartedAt"])
    if started_at is not None:
        directory.write_started(started_at)
    if endpoint is not None:
        directory.write_endpoint(endpoint)
    log.info("container.adopted", allocation=key.allocation, epoch=key.epoch)
    return directory


def _endpoint(labels: Mapping[str, str], found: Mapping[str, Any]) -> AppEndpoint | None:
    """Return where the web application answers; its token is only in its environment."""
    # A saved image blanks the label, which its containers then have.
    if not labels.get(LABEL_ENDPOINT):
        return None
    label = json.loads(labels[LABEL_ENDPOINT])
    variables = [item for item in found["Config"]["Env"] if item.startswith(FROM_VARIABLE)]
    token = variables[0].removeprefix(FROM_VARIABLE)
    port = find_published_port(found) or int(label["port"])
    return AppEndpoint(str(label["host"]), port, str(label["base_path"]), token)


def _probe(labels: Mapping[str, str]) -> Probe | None:
    """Return how it is asked whether it is ready; a container of a saved image may have an empty label."""
    text = labels.get(LABEL_PROBE)
    return parse_probe(json.loads(text)) if text else None
