"""A client that holds each answer of the live process to the OpenAPI document: its status and its type."""

from functools import cache
from types import SimpleNamespace
from typing import Any

import yaml
from aiohttp import ClientSession, TraceConfig, TraceRequestEndParams

from portal.common.rest.live_endpoints import find_endpoint
from portal.common.rest.live_schema import path_of
from portal.config.live_routes import LIVE_ENDPOINTS
from tests.architecture.sources import ROOT


def documented_session() -> ClientSession:
    """Return a client whose requests fail where the document does not have the answer."""
    trace = TraceConfig()
    trace.on_request_end.append(_hold_to_document)
    return ClientSession(trace_configs=[trace])


async def _hold_to_document(
    _session: ClientSession, _context: SimpleNamespace, sent: TraceRequestEndParams
) -> None:
    found = find_endpoint(LIVE_ENDPOINTS, sent.url.raw_path)
    if found is None:
        return
    endpoint, _ = found
    answer, what = sent.response, f"{sent.method} {sent.url}: {sent.response.status}"
    if endpoint.find(sent.method) is None:
        assert answer.status == 405, what
        return
    methods = _document()["paths"][path_of(endpoint)]
    described = methods.get(sent.method.lower()) or methods["get"]
    assert str(answer.status) in described["responses"], what
    types = described["responses"][str(answer.status)].get("content", {})
    if types and sent.method != "HEAD":
        assert answer.content_type in types, (what, answer.content_type)


@cache
def _document() -> dict[str, Any]:
    text = (ROOT / "docs/api/openapi.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.load(text, Loader=yaml.CSafeLoader)
    return found
