"""Reads scalars out of TensorBoard's event files; pure. Whatever the bytes are, the result is bounded.

A file is a sequence of records: the length as 8 bytes, its masked CRC32C, the data, its masked CRC32C
(TFRecord). The data is an `Event` message, of which only the fields below are declared.
"""

import math
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

RECORD_MAX: Final = 64 * 1024
"""Bytes of a record that is read; images, histograms and graphs above are skipped unread."""
_HEAD: Final = struct.Struct("<QI")
_CHECKSUM: Final = struct.Struct("<I")
_FLOAT: Final = struct.Struct("<f")
_SCALARS_PLUGIN: Final = "scalars"

_FIELDS: Final = {
    "Plugin": (("plugin_name", 1, "STRING"),),
    "Metadata": (("plugin_data", 1, "Plugin"),),
    "Dimension": (("size", 1, "INT64"),),
    "Shape": (("dim", 2, "*Dimension"),),
    "Tensor": (
        ("dtype", 1, "INT32"),
        ("tensor_shape", 2, "Shape"),
        ("tensor_content", 4, "BYTES"),
        ("float_val", 5, "*FLOAT"),
        ("double_val", 6, "*DOUBLE"),
    ),
    "Value": (
        ("tag", 1, "BYTES"),
        ("simple_value", 2, "FLOAT"),
        ("tensor", 8, "Tensor"),
        ("metadata", 9, "Metadata"),
    ),
    "Summary": (("value", 1, "*Value"),),
    "Event": (("wall_time", 1, "DOUBLE"), ("step", 2, "INT64"), ("summary", 5, "Summary")),
}
"""Name, number and type of the fields that are read of TensorFlow's messages of these names."""
_TENSOR_FORMATS: Final = {1: ("<f", "float_val"), 2: ("<d", "double_val")}
"""By `DataType`: how one number lies in `tensor_content`, and its other field."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value as the file names it."""

    tag: str
    step: int
    wall_s: float
    value: float
    is_single: bool
    """It has the precision of 32 bits."""


@dataclass(frozen=True, slots=True)
class RecordsRead:
    """What a part of a file holds."""

    length: int
    """Bytes that need not be read again; more than were given where a large record is skipped."""
    scalars: tuple[Scalar, ...] = ()
    is_broken: bool = False
    """Nothing after this can be read."""


def read_records(data: bytes, available: int) -> RecordsRead:
    """Read the whole records in `data`, the beginning of `available` bytes that the file has."""
    at, scalars = 0, list[Scalar]()
    while at + _HEAD.size <= len(data):
        length, checksum = _HEAD.unpack_from(data, at)
        if checksum != masked_crc(data[at : at + _HEAD.size - _CHECKSUM.size]):
            return RecordsRead(at, tuple(scalars), is_broken=True)
        begin, end = at + _HEAD.size, at + _HEAD.size + length
        after = end + _CHECKSUM.size
        if after > available or (length <= RECORD_MAX and after > len(data)):
            break
        if length <= RECORD_MAX:
            record = data[begin:end]
            if _CHECKSUM.unpack_from(data, end)[0] != masked_crc(record):
                return RecordsRead(at, tuple(scalars), is_broken=True)
            scalars += _scalars_of(record)
        at = after
    return RecordsRead(at, tuple(scalars))


def _scalars_of(record: bytes) -> Iterator[Scalar]:
    """Yield the scalars of one event; a record that is none holds none."""
    event: Any = _EVENT()
    try:
        event.ParseFromString(record)
    except DecodeError:
        return
    for value in event.summary.value:
        number = value.simple_value if value.HasField("simple_value") else _tensor_scalar(value)
        if number is not None:
            tag = value.tag.decode(errors="replace")
            is_single = not value.HasField("tensor") or value.tensor.dtype == 1
            yield Scalar(tag, event.step, event.wall_time, number, is_single)


def _tensor_scalar(value: Any) -> float | None:
    """Return the number of a tensor that is one; metadata may stand only at the first of its tag."""
    plugin = value.metadata.plugin_data.plugin_name
    tensor = value.tensor
    if plugin not in ("", _SCALARS_PLUGIN) or tensor.tensor_shape.dim:
        return None
    if tensor.dtype not in _TENSOR_FORMATS:
        return None
    layout, field = _TENSOR_FORMATS[tensor.dtype]
    if len(tensor.tensor_content) == struct.calcsize(layout):
        return float(struct.unpack(layout, tensor.tensor_content)[0])
    numbers = getattr(tensor, field)
    return float(numbers[0]) if len(numbers) == 1 else None


def shortest(value: float, *, is_single: bool) -> str:
    """Write a number with as few digits as tell it from its neighbours."""
    if not is_single or not math.isfinite(value):
        return repr(value)
    packed = _FLOAT.pack(value)
    texts = (f"{value:.{digits}g}" for digits in range(6, 9))
    return next((text for text in texts if _packs_to(text, packed)), f"{value:.9g}")


def _packs_to(text: str, packed: bytes) -> bool:
    try:
        return _FLOAT.pack(float(text)) == packed
    except OverflowError:
        return False


def masked_crc(data: bytes) -> int:
    """Return the checksum that TFRecord stores: CRC32C, rotated and shifted."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _CRC_TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    crc ^= 0xFFFFFFFF
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def _crc_entry(value: int) -> int:
    for _ in range(8):
        value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
    return value


def _event_class() -> Any:
    """Return the class of `Event`, made from the fields above: the whole schema is TensorFlow's."""
    file = FileDescriptorProto(name="berth/event.proto", package="berth", syntax="proto2")
    for message, fields in _FIELDS.items():
        declared = file.message_type.add(name=message)
        for name, number, kind in fields:
            plain = kind.lstrip("*")
            field = declared.field.add(name=name, number=number)
            field.label = (
                FieldDescriptorProto.LABEL_REPEATED
                if kind.startswith("*")
                else FieldDescriptorProto.LABEL_OPTIONAL
            )
            if plain in _FIELDS:
                field.type = FieldDescriptorProto.TYPE_MESSAGE
                field.type_name = f".berth.{plain}"
            else:
                field.type = FieldDescriptorProto.Type.Value(f"TYPE_{plain}")
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName("berth.Event"))


_CRC_TABLE: Final = tuple(_crc_entry(value) for value in range(256))
_EVENT: Final = _event_class()
