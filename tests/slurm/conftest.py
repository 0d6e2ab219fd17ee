"""A Slurm cluster for each test: a pretended one, and where it is asked for the real one as well."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from portal.slurm.commands import ShellCommands
from tests.slurm.cluster import Cluster, run_cluster
from tests.slurm.pretended import PretendedSlurm
from tests.slurm.site import ClusterUnderTest, SlurmSite, a_slurm_site


@pytest.fixture(scope="session")
def real_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Start one cluster for all tests: its paths are short, because sockets lie in it."""
    with run_cluster(tmp_path_factory.mktemp("slurm")) as cluster:
        yield cluster


@pytest.fixture(params=["pretended", pytest.param("real", marks=pytest.mark.slurm)])
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> ClusterUnderTest:
    """Provide a cluster without jobs."""
    if request.param == "pretended":
        return ClusterUnderTest(pretended := PretendedSlurm(tmp_path / "slurm"), pretended)
    real: Cluster = request.getfixturevalue("real_cluster")
    real.clear()
    return ClusterUnderTest(ShellCommands(conf=str(real.folder / "slurm.conf")), real)


@pytest.fixture
def site(
    cluster: ClusterUnderTest,
    tmp_path: Path,
    set_site: Callable[..., None],
    redis_url: str,
    db: None,
) -> SlurmSite:
    """Provide a pool that is the cluster's partition, and a storage of its own."""
    set_site(storage_dir=tmp_path / "storage")
    return a_slurm_site(cluster)
