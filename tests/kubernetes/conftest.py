"""A pretended Kubernetes cluster for each test, and a pool that is its namespace."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.kubernetes.pretended import PretendedKubernetes
from tests.kubernetes.site import ClusterUnderTest, KubernetesSite, a_kubernetes_site


@pytest.fixture
def pretended(tmp_path: Path) -> PretendedKubernetes:
    """Provide a pretended cluster of two nodes."""
    return PretendedKubernetes(tmp_path / "kubernetes")


@pytest.fixture
def cluster(pretended: PretendedKubernetes) -> ClusterUnderTest:
    """Provide a cluster without pods, behind a line that may be cut."""
    return ClusterUnderTest(pretended, pretended)


@pytest.fixture
def site(
    cluster: ClusterUnderTest,
    tmp_path: Path,
    set_site: Callable[..., None],
    redis_url: str,
    db: None,
) -> KubernetesSite:
    """Provide a pool that is the cluster's namespace, and a storage of its own."""
    set_site(storage_dir=tmp_path / "storage")
    return a_kubernetes_site(cluster)
