"""Event files as TensorBoard's own writer and PyTorch's write them."""

import struct
import time
from pathlib import Path
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from tensorboard.util import tensor_util

from nodeagent.telemetry.event_records import masked_crc


def write_events(folder: Path, *events: Any) -> Path:
    """Write one event file into a folder by TensorBoard's writer, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    before = set(folder.iterdir())
    writer = EventFileWriter(str(folder))
    for event in events:
        writer.add_event(event)
    writer.close()
    [made] = set(folder.iterdir()) - before
    return made


def old_scalar(tag: str, value: float, step: int, at_s: float = 1_700_000_000) -> Any:
    """Return an event as PyTorch and tensorboardX write scalars."""
    return Event(
        step=step, wall_time=at_s, summary=Summary(value=[{"tag": tag, "simple_value": value}])
    )


def new_scalar(tag: str, value: Any, step: int, plugin: str = "scalars") -> Any:
    """Return an event as TensorFlow 2 and Keras write scalars, or what another plug-in keeps."""
    metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin))
    item = Summary.Value(tag=tag, metadata=metadata, tensor=tensor_util.make_tensor_proto(value))
    return Event(step=step, wall_time=time.time(), summary=Summary(value=[item]))


def framed(data: bytes, length: int | None = None) -> bytes:
    """Return a record with right checksums, of another length if one is named."""
    head = struct.pack("<Q", len(data) if length is None else length)
    return head + struct.pack("<I", masked_crc(head)) + data + struct.pack("<I", masked_crc(data))
