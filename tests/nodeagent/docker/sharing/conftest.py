"""The engine and its image, shared with the contract suite, so that they are started once a run."""

from tests.nodeagent.contract.conftest import docker_host

__all__ = ["docker_host"]
