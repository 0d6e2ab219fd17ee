"""The text of the rules, and what an operator may write; no kernel needed."""

from dataclasses import replace
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from nodeagent.docker.network import container_network
from nodeagent.docker.network.egress import (
    AllowRule,
    EgressPolicy,
    bridge_name,
    gang_bridge_prefix,
    marker_chain,
    parse_allow_rule,
    render_removal,
    render_ruleset,
    table_name,
)

BRIDGE = "berth-n0000beef"
GANGS = "bg0beef"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("10.1.0.0/16", AllowRule(IPv4Network("10.1.0.0/16"))),
        ("10.1.2.3", AllowRule(IPv4Network("10.1.2.3/32"))),
        ("10.1.2.3:443", AllowRule(IPv4Network("10.1.2.3/32"), (443, 443))),
        ("10.1.2.0/24:8000-8100", AllowRule(IPv4Network("10.1.2.0/24"), (8000, 8100))),
    ],
)
def test_allow_rule_is_parsed(text: str, found: AllowRule) -> None:
    assert parse_allow_rule(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "portal",
        "10.1.2.3/24",
        "10.1.2.3:0",
        "10.1.2.3:70000",
        "10.1.2.3:90-80",
        "10.1.2.3; flush ruleset",
        "10.1.2.3 accept",
        "::1",
    ],
)
def test_bad_allow_rule_is_refused(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is not a network|no such ports|has host bits|Expected 4"
    ):
        parse_allow_rule(text)


def test_rules_replace_the_ones_before_in_one_transaction() -> None:
    text = render_ruleset(BRIDGE, GANGS, EgressPolicy())
    table = f"table inet {table_name(BRIDGE)}"
    assert text.splitlines()[:3] == [table, f"delete {table}", f"{table} {{"]
    assert text.count("policy accept") == 2
    assert render_removal(BRIDGE).splitlines() == [table, f"delete {table}"]


def test_every_policy_has_a_marker_chain_of_its_own() -> None:
    policies = [
        EgressPolicy(),
        EgressPolicy(allowed=(parse_allow_rule("10.1.0.0/16"),)),
        EgressPolicy(allowed=(parse_allow_rule("10.1.0.0/16:443"),)),
        EgressPolicy(hidden=(IPv4Network("203.0.113.0/24"),)),
        EgressPolicy(resolvers=("10.0.0.53",)),
        EgressPolicy(is_internet_open=False),
    ]
    marks = {marker_chain(BRIDGE, GANGS, policy) for policy in policies}
    assert len(marks) == len(policies)
    assert all(
        marker_chain(BRIDGE, GANGS, policy) in render_ruleset(BRIDGE, GANGS, policy)
        for policy in policies
    )
    assert marker_chain("berth-n1", GANGS, policies[0]) not in marks


def test_hidden_comes_after_what_is_listed_and_before_the_internet() -> None:
    policy = EgressPolicy(allowed=(parse_allow_rule("10.1.2.3:443"),), resolvers=("10.0.0.53",))
    text = render_ruleset(BRIDGE, GANGS, policy)
    outside = text[text.index("chain outside") :]
    listed = outside.index("ip daddr 10.1.2.3/32 meta l4proto { tcp, udp } th dport 443-443 accept")
    hidden = outside.index("ip daddr @hidden goto refused")
    assert listed < hidden < outside.index("    accept\n")
    closed = render_ruleset(BRIDGE, GANGS, replace(policy, is_internet_open=False))
    assert "    accept\n" not in closed[closed.index("chain outside") :]


def test_a_network_of_one_engine_has_a_bridge_of_its_own() -> None:
    names = {bridge_name(name, engine) for name in ("a", "b") for engine in ("1", "2")}
    assert len(names) == 4
    assert all(name.startswith("berth-n") and len(name) <= 15 for name in names)


def test_gangs_of_one_network_are_not_ruled_by_another() -> None:
    prefixes = {gang_bridge_prefix(name) for name in ("a", "b")}
    assert len(prefixes) == 2
    assert {len(prefix) for prefix in prefixes} == {7}
    assert f'iifname "{GANGS}*" jump outside' in render_ruleset(BRIDGE, GANGS, EgressPolicy())


def test_host_tells_its_neighbours_and_name_servers(tmp_path: Path) -> None:
    routes = tmp_path / "route"
    routes.write_text(
        "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
        "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        "eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
    )
    assert container_network._own_networks(routes) == (IPv4Network("192.0.2.0/24"),)
    assert container_network._own_networks(tmp_path / "none") == ()
    servers = tmp_path / "resolv.conf"
    servers.write_text("search x\nnameserver 127.0.0.53\nnameserver 10.0.0.53\nnameserver ::1\n")
    assert container_network._name_servers(servers) == ("10.0.0.53",)
