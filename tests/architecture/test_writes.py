"""One writer per table, and one writer of state: everything else reads."""

import ast
from typing import Final

from tests.architecture.sources import Source, sources

WRITERS: Final = {
    "portal.agentlink.enrolment",  # a node's identity, bought with a token
    "portal.agentlink.facts",  # cards, as the node reports them
    "portal.audit.services",
    "portal.catalog.services",
    "portal.common.idempotency",
    "portal.common.throttling",
    "portal.datasets.services",
    "portal.demo.services",
    "portal.environments.services",
    "portal.identity.services",
    "portal.inventory.services",
    "portal.identity.ssh_keys",
    "portal.quotas.budgets",
    "portal.quotas.limits",
    "portal.quotas.services",
    "portal.studies.services",
    "portal.telemetry.services",  # how far samples are summed up
    "portal.tenancy.members",
    "portal.tenancy.services",
    "portal.workloads.idle.gpu_release",  # the devices of a parked notebook, for parking
    "portal.workloads.state.allocations",  # allocations and devices, for lifecycle
    "portal.workloads.idle.activity",  # when notebooks were last in use
    "portal.workloads.state.lifecycle",
    "portal.workloads.operations.nodes",  # what operators want of nodes
    "portal.workloads.operations.node_state",  # what a node's silence and word mean for the node
    "portal.workloads.idle.parking",  # GPUs released and restored
    "portal.workloads.operations.pools",  # pools that hold something, and which cards are theirs
    "portal.workloads.services",
    "portal.workloads.state.transitions",  # the compare-and-set behind every state change
    "scheduler.runtime.board",  # why work waits, and the free capacity
}
STATE_WRITERS: Final = {
    "portal.agentlink.enrolment",
    "portal.agentlink.facts",
    "portal.workloads.state.allocations",
    "portal.workloads.state.lifecycle",
    "portal.workloads.operations.node_state",
    "portal.workloads.services",
    "portal.workloads.state.transitions",
}
_ALWAYS: Final = {
    "save",
    "bulk_create",
    "bulk_update",
    "get_or_create",
    "update_or_create",
    "aupdate",
    "acreate",
    "adelete",
}
_ON_ROWS: Final = {"create", "update", "delete"}


def test_rows_are_written_only_by_their_writers() -> None:
    found = {source.module for source in sources(("portal", "scheduler")) if _writes(source)}

    assert found - WRITERS == set()


def test_the_list_of_writers_is_no_longer_than_it_must_be() -> None:
    found = {source.module for source in sources(("portal", "scheduler")) if _writes(source)}

    assert WRITERS - found == set()


def test_states_are_written_only_by_the_keepers_of_the_tables() -> None:
    found = {
        source.module
        for source in sources(("portal", "scheduler"))
        for call in _writes(source)
        if any(keyword.arg == "state" for keyword in call.keywords)
    }

    assert found - STATE_WRITERS == set()


def test_no_model_hides_a_write() -> None:
    """No `save()` override, no signal: what happens is what is called."""
    found = [
        f"{source.path}:{function.lineno} {function.name}"
        for source in sources(("portal", "scheduler"))
        if source.path.endswith("models.py") or "/models/" in source.path
        for function in source.functions()
        if function.name in {"save", "delete", "bulk_create"}
    ]
    found += [
        source.path
        for source in sources(("portal", "scheduler"))
        if "django.dispatch" in source.text or "db.models.signals" in source.text
    ]

    assert found == []


def _writes(source: Source) -> list[ast.Call]:
    """Return the calls that write rows: by name, or on a manager or a query of one."""
    return [
        node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and (
            node.func.attr in _ALWAYS
            or (node.func.attr in _ON_ROWS and ".objects" in ast.unparse(node.func.value))
        )
    ]
