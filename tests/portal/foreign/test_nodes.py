"""Names of the nodes of a cluster, and its counted GPUs."""

from portal.foreign.nodes import counted_cards, node_name


def test_names_of_hosts_become_names_of_nodes() -> None:
    assert node_name("GPU01.Cluster_a.example") == "gpu01-cluster_a-example"


def test_a_counted_card_names_a_place() -> None:
    first, second = counted_cards("slurm", "0000abcd", "n1", ("a100", ""), 81920)
    assert (first.uuid, first.model, first.memory_mib) == ("SLURM-0000abcd-n1-0", "a100", 81920)
    assert (second.uuid, second.index, second.model) == ("SLURM-0000abcd-n1-1", 1, "gpu")
