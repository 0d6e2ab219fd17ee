"""`docs/reference/refusals.md`: every code, its status, where it is raised, and both sentences."""

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from portal.common.errors import DomainError
from portal.common.rest import problems
from portal.common.translations import LANGUAGES, load_messages
from scheduler.core.model.reasons import ReasonCode
from tests.architecture.sources import Source, sources
from tests.architecture.writers.annotations import loaded

INTERNAL: Final = {"PlacementRefusedError", "EvictionRefusedError", "StudyFailedError"}
"""Refusals from one part of the platform to another; no answer carries them."""
HEAD: Final = """# Refusals and reasons

Written by `make reference` from the code and its catalogue of sentences; do not edit.

An answer that refuses is a problem document (RFC 9457): `code`, `params`, and `detail`, the sentence in
the language of the request. Callers branch on `code`. Parameters stand in braces.

A quota of GPUs is never refused for being full: work waits for it, and is refused only when it could
never start. What counts one user's work, tokens, keys or connections is refused with 409 when it is full.
"""
IN_A_TERMINAL: Final = {
    *(
        "sftp_listing_cut",
        "sftp_names_unreadable",
        "sftp_only",
        "ssh_container_gone",
        "ssh_idle",
        "ssh_node_gone",
    ),
    *("ssh_revoked", "ssh_too_long", "ssh_unchecked"),
}
"""Codes that end a session of SSH, and have no status."""
OF_SERVERS: Final = {"replica_refused"}
"""Codes whose status is the one that a service's own server has answered with."""


Places = Mapping[str, set[tuple[str, str]]]
"""Code → (status, module)."""


def page() -> str:
    """Return the text of the page."""
    english, chinese = (load_messages(language) for language in LANGUAGES)
    places = _places()
    refused = [code for code in english if "." not in code]
    return "\n".join(
        [
            HEAD,
            "## Refusals of requests\n",
            _head("code", "status", "raised in"),
            *(_row(code, places, english[code], chinese[code]) for code in sorted(refused)),
            "\n## Reasons\n",
            "Why work waits; hardest first. With a status, a submission is refused for it at once.\n",
            _head("code", "", "raised in"),
            *_reasons(places, english, chinese),
            "\n## Faults of fields\n",
            "In `errors` of an answer with 400 (`invalid_input`), with a JSON pointer to the field.\n",
            _head("code", "", "raised in"),
            *_fields(places, english, chinese),
            "\n## Refusals of a node's messages\n",
            "The agent writes them into its log; it has no reader in another language.\n",
            "| code | raised in |\n|---|---|",
            *(f"| `{code}` | {_modules(found)} |" for code, found in sorted(_of_nodes().items())),
            "",
        ]
    )


def _head(*names: str) -> str:
    return f"| {' | '.join((*names, 'English', '中文'))} |\n|{'---|' * (len(names) + 2)}"


def _row(code: str, places: Places, english: str, chinese: str) -> str:
    found = places.get(code, set())
    statuses = ", ".join(sorted({status for status, _ in found if status}))
    return f"| `{code}` | {statuses} | {_modules(found)} | {_cell(english)} | {_cell(chinese)} |"


def _reasons(
    places: Places, english: Mapping[str, str], chinese: Mapping[str, str]
) -> Iterator[str]:
    for reason in ReasonCode:
        for name in (reason.value, f"{reason.value}_never"):
            if (key := f"reason.{name}") in english:
                status = _status_of_reason(name, places)
                where = _modules(places.get(reason.value, set()) | places.get(reason.name, set()))
                yield (
                    f"| `{reason.value}` | {status} | {where} | {_cell(english[key])} "
                    f"| {_cell(chinese[key])} |"
                )


def _status_of_reason(name: str, places: Places) -> str:
    if name in REFUSES:
        return "422"
    refused = sorted({status for status, _ in places.get(name, set()) if status})
    return ", ".join([*refused, "waits"])


REFUSES: Final = {
    *(ReasonCode.NEVER_FITS, ReasonCode.NO_BUDGET, ReasonCode.NEVER_FITS_BUDGET),
    *("no_matching_model_never", "quota_ceiling_never", "quota_user_ceiling_never"),
}
"""Sentences of what can never come true: a submission is refused at once."""


def _fields(
    places: Places, english: Mapping[str, str], chinese: Mapping[str, str]
) -> Iterator[str]:
    for key in sorted(key for key in english if key.startswith("field.")):
        code = key.removeprefix("field.")
        where = _modules(places.get(key, set()))
        yield f"| `{code}` | 400 | {where} | {_cell(english[key])} | {_cell(chinese[key])} |"


def _modules(found: set[tuple[str, str]]) -> str:
    return ", ".join(f"`{module}`" for module in sorted({module for _, module in found}))


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


@cache
def _places() -> Places:
    """Return where each code is raised; a code that never is by itself, where it stands as a text."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    by_variable: defaultdict[str, set[str]] = defaultdict(set)
    files = sources(("portal", "scheduler"))
    for source in files:
        for code, status in _raised(source):
            if code:
                found[code].add((status, source.module))
            else:
                by_variable[source.module].add(status)
    raised = set(found)
    for source in files:
        for code in _texts(source):
            # What is raised by a variable is one of the texts of the module.
            if code not in raised or source.module in by_variable:
                statuses = by_variable.get(source.module, {""})
                found[code] |= {(status, source.module) for status in statuses}
    return found


def _raised(source: Source) -> Iterator[tuple[str, str]]:
    for node in source.nodes():
        match node:
            case ast.Call(
                func=ast.Name(id="Problem" | "Refusal"), args=[ast.Constant(value=status), code, *_]
            ):
                yield from ((name, str(status)) for name in _named(code))
            case ast.Call(func=ast.Name(id="FieldFault"), args=[code, *_]):
                yield from ((f"field.{name}", "400") for name in _named(code))
            case ast.Call(func=ast.Name(id=name), args=[code, *_]) if name.endswith("Error"):
                yield from _by_exception(source, name, code)
            case ast.Attribute(value=ast.Name(id="ReasonCode"), attr=name):
                yield ReasonCode[name].value, ""
            case _:
                pass
    if source.module == problems.__name__:
        yield from (
            (code, str(getattr(kind, "status_code", "")))
            for kind, code in problems.FRAMEWORK_CODES.items()
        )


def _by_exception(source: Source, name: str, code: ast.expr) -> Iterator[tuple[str, str]]:
    kind = getattr(loaded(source.module), name, None)
    if not inspect.isclass(kind) or not issubclass(kind, DomainError):
        return
    status = "" if name in INTERNAL else str(kind.status)
    for found in ["not_found"] if name == "NotFoundError" else _named(code) or [""]:
        yield found, status


def _named(code: ast.expr) -> list[str]:
    """Return the codes that an expression may be: itself, or all that begin as it does."""
    match code:
        case ast.Constant(value=str() as text):
            return [text]
        case ast.JoinedStr(values=[ast.Constant(value=str() as begin), *_]):
            is_prefix = begin.endswith("_") and len(begin) > 3
            return [name for name in load_messages("en") if is_prefix and name.startswith(begin)]
        case _:
            return []


def _texts(source: Source) -> set[str]:
    """Return the codes that stand as texts in a module, whole or by their beginning."""
    codes = {name for name in load_messages("en") if "." not in name}
    whole = {
        node.value
        for node in source.nodes()
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    begun = {
        name for node in source.nodes() if isinstance(node, ast.JoinedStr) for name in _named(node)
    }
    return codes & (whole | begun)


@cache
def _of_nodes() -> Mapping[str, set[tuple[str, str]]]:
    """Return the codes by which messages of nodes are refused."""
    found: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for source in sources(("portal/agentlink",)):
        for node in source.nodes():
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "Refused":
                for keyword in node.keywords:
                    if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                        found[str(keyword.value.value)].add(("", source.module))
    return found
