"""Manifests: request bodies as YAML documents with `apiVersion` and `kind`, read and written.

Plain scalars are read as YAML 1.2 means them, so that `no` and `22:30` are texts. Anchors, tags,
duplicate keys and further documents are refused: two readers could understand them differently.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final

import yaml
from rest_framework.exceptions import ValidationError
from rest_framework.parsers import BaseParser
from typing_extensions import override

from portal.common.rest.files import FileRenderer
from portal.common.rest.parsing import (
    DEPTH_MAX,
    MalformedError,
    decode_body,
    place_of,
    read_body,
    require_storable_texts,
)
from portal.common.rest.problems import LINES_KEY
from portal.common.rest.serializers import FieldFault

API_VERSION: Final = "berth/v1"
"""The format of a manifest."""
MANIFEST_BYTES_MAX: Final = 512 * 1024
"""Bytes of a manifest."""
MEDIA_TYPE: Final = "application/yaml"

_Loader: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
_KEYS: Final = ("apiVersion", "kind")
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,30}")
_DECIMAL: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]{1,3})?")
_LINE_ENDS: Final = re.compile("[\\r\\x85\\u2028\\u2029]")
"""What a reader of YAML may take for the end of a line, and so for `\\n`."""
_WORDS: Final[Mapping[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_QUOTED: Final = ("'", '"', "|", ">")
_PLAIN_TAGS: Final = frozenset(
    f"tag:yaml.org,2002:{name}"
    for name in ("str", "int", "float", "bool", "null", "timestamp", "merge", "value")
)
"""What the library takes an untagged scalar for; its own reading of it is not used."""


class ManifestParser(BaseParser):
    """Parse a manifest; its fields are those of the JSON body.

    A view that takes manifests names their kinds as `manifest_kinds`: by each, the `kind` of the
    body, or nothing where the body has none.
    """

    media_type = MEDIA_TYPE

    @override
    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Return the body without `apiVersion` and `kind`, which are checked."""
        content = read_body(stream, media_type, parser_context, MANIFEST_BYTES_MAX)
        body, lines = parse_manifest(content)
        context = parser_context or {}
        context["request"].META[LINES_KEY] = lines
        kinds: Mapping[str, str] = context["view"].manifest_kinds
        allowed = {"apiVersion": (API_VERSION,), "kind": tuple(kinds)}
        faults = {
            name: [FieldFault("invalid_choice", choices=", ".join(allowed[name]))]
            for name in _KEYS
            if body.get(name) not in allowed[name]
        }
        if faults:
            raise ValidationError(faults)
        rest = {name: value for name, value in body.items() if name not in _KEYS}
        kind = kinds[body["kind"]]
        return {"kind": kind, **rest} if kind else rest


class ManifestRenderer(FileRenderer):
    """Write a response as YAML."""

    media_type = MEDIA_TYPE
    format = "yaml"
    charset = "utf-8"
    build = staticmethod(lambda data, _language: write_manifest(data).encode())


def write_manifest(data: Any) -> str:
    """Return data as YAML; fields keep their order, texts of several lines stay readable."""
    written: str = yaml.dump(
        data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, default_flow_style=False
    )
    return written


def parse_manifest(content: bytes) -> tuple[dict[str, Any], dict[str, int]]:
    """Return a document, and the line of each of its fields by pointer.

    Raises:
        MalformedError: it is not YAML as the platform accepts it; `line` says where.
    """
    text = decode_body(content)
    try:
        _require_plain(text)
        root = yaml.compose(text, Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        raise _malformed("body_not_yaml", error.problem_mark) from error
    except yaml.reader.ReaderError as error:
        raise MalformedError("body_not_yaml", **place_of(text, error.position)) from error
    if not isinstance(root, yaml.MappingNode):
        raise MalformedError("body_not_object")
    lines: dict[str, int] = {}
    body = _value(root, "", lines)
    require_storable_texts(body)
    return body, lines


def _require_plain(text: str) -> None:
    """Refuse references, several documents and deep nesting before anything is built."""
    depth = documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise _malformed("yaml_reference", event.start_mark)
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise _malformed("yaml_many_documents", event.start_mark)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEPTH_MAX:
                raise MalformedError("body_too_deep", limit=DEPTH_MAX)
        if isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _value(node: yaml.Node, pointer: str, lines: dict[str, int]) -> Any:
    """Return what a node holds, and note the lines of what it contains."""
    if isinstance(node, yaml.MappingNode):
        return dict(_pairs(node, pointer, lines))
    if isinstance(node, yaml.SequenceNode):
        _require_untagged(node, "seq")
        return [
            _value(item, _noted(f"{pointer}/{index}", item, lines), lines)
            for index, item in enumerate(node.value)
        ]
    return _scalar(node)


def _pairs(
    node: yaml.MappingNode, pointer: str, lines: dict[str, int]
) -> Iterator[tuple[str, Any]]:
    _require_untagged(node, "map")
    seen: set[str] = set()
    for key, inner in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise _malformed("body_not_yaml", key.start_mark)
        name = key.value
        if name in seen:
            raise _malformed("body_duplicate_key", key.start_mark)
        seen.add(name)
        escaped = name.replace("~", "~0").replace("/", "~1")
        yield name, _value(inner, _noted(f"{pointer}/{escaped}", key, lines), lines)


def _noted(pointer: str, node: yaml.Node, lines: dict[str, int]) -> str:
    lines[pointer] = node.start_mark.line + 1
    return pointer


def _scalar(node: Any) -> Any:
    """Return a scalar; a quoted one, or one of several lines, is a text."""
    if node.tag not in _PLAIN_TAGS:
        raise _malformed("yaml_tag", node.start_mark)
    text = str(node.value)
    return text if node.style in _QUOTED else _read_plain(text)


def _read_plain(text: str) -> Any:
    """Return what a scalar without quotes means."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text) and math.isfinite(number := float(text)):
        return number
    return text


def _require_untagged(node: yaml.Node, name: str) -> None:
    if node.tag != f"tag:yaml.org,2002:{name}":
        raise _malformed("yaml_tag", node.start_mark)


def _malformed(code: str, mark: Any) -> MalformedError:
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    return MalformedError(code, line=line, column=column)


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""

    @override
    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out."""
        return True


def _write_text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    if _read_plain(text) != text:
        style = "'"
    if _LINE_ENDS.search(text):
        style = '"'
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _write_text)
