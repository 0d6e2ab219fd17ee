"""Egress rules of containers, rendered for nftables; pure.

Every packet that leaves a network of the agent's passes the rules, in a table of the agent's own.
They only restrict: what another table drops stays dropped. They match bridges instead of addresses,
so they hold for every container, also one with a forged address.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Final
from zlib import crc32

HIDDEN: Final = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
"""Link-local with the metadata addresses of clouds, private ranges, multicast, and reserved ones."""
_ALLOW_RULE: Final = re.compile(
    r"^(?P<network>[0-9./]+)(?::(?P<first>\d{1,5})(?:-(?P<last>\d{1,5}))?)?$"
)
_PORT_MAX: Final = 65535
_REFUSE: Final = "goto refused"


@dataclass(frozen=True, slots=True)
class AllowRule:
    """A network that work may connect to although it is hidden otherwise."""

    network: IPv4Network
    ports: tuple[int, int] | None = None
    """First and last; None for all of them."""


@dataclass(frozen=True, slots=True)
class EgressPolicy:
    """Where the work of one node may connect to. The host itself is never included."""

    allowed: tuple[AllowRule, ...] = ()
    hidden: tuple[IPv4Network, ...] = ()
    """Besides `HIDDEN`: the portal, the networks that the node itself is in."""
    resolvers: tuple[str, ...] = ()
    """IPv4 addresses of name servers, on port 53."""
    is_internet_open: bool = True
    """Whether everything that is not hidden may be reached."""


def parse_allow_rule(text: str) -> AllowRule:
    """Parse `10.1.0.0/16`, `10.1.2.3:5432` or `10.1.2.0/24:8000-8100`; raises `ValueError`."""
    found = _ALLOW_RULE.match(text)
    if found is None:
        raise ValueError(f"{text!r} is not a network with or without ports")
    network = IPv4Network(found["network"])
    if found["first"] is None:
        return AllowRule(network)
    first, last = int(found["first"]), int(found["last"] or found["first"])
    if not 0 < first <= last <= _PORT_MAX:
        raise ValueError(f"{text!r} has no such ports")
    return AllowRule(network, (first, last))


def bridge_name(network: str, engine_id: str) -> str:
    """Return the bridge interface of a network: within the kernel's limit, and unique per engine."""
    return f"berth-n{crc32(f'{engine_id} {network}'.encode()):08x}"


def gang_bridge_prefix(network: str) -> str:
    """Return the prefix of gang bridges whose nodes share this network; 7 letters.

    It differs for other networks on the same host, so that their rules do not match.
    """
    return f"bg{crc32(network.encode()) & 0xFFFFF:05x}"


def table_name(bridge: str) -> str:
    """Return the name of the table that holds the rules of one bridge."""
    return "berth_" + re.sub(r"\W", "_", bridge)


def marker_chain(bridge: str, gangs: str, policy: EgressPolicy) -> str:
    """Return the name of an empty chain that identifies the rules in force."""
    return "is_" + hashlib.sha256(_body(bridge, gangs, policy).encode()).hexdigest()[:16]


def render_ruleset(bridge: str, gangs: str, policy: EgressPolicy) -> str:
    """Return the whole table as one transaction of nftables that replaces the earlier one.

    `gangs` is the prefix of the bridges on which ranks reach each other.
    """
    table = f"table inet {table_name(bridge)}"
    return "\n".join(
        [
            table,
            f"delete {table}",
            f"{table} {{",
            f"  chain {marker_chain(bridge, gangs, policy)} {{ }}",
            _body(bridge, gangs, policy),
            "}",
            "",
        ]
    )


def render_removal(bridge: str) -> str:
    """Return the transaction that removes the table; may be repeated."""
    table = f"table inet {table_name(bridge)}"
    return f"{table}\ndelete {table}\n"


def _body(bridge: str, gangs: str, policy: EgressPolicy) -> str:
    hidden = sorted({*map(IPv4Network, HIDDEN), *policy.hidden})
    return f"""  set hidden {{
    type ipv4_addr; flags interval; auto-merge
    elements = {{ {_list(hidden)} }}
  }}
  chain refused {{
    # An error at once, not a connection that hangs; the kernel limits the other kind to one a second.
    meta l4proto tcp reject with tcp reset
    reject with icmpx admin-prohibited
  }}
  chain names {{
{_resolver_rules(policy)}
  }}
  chain outside {{
    ct state established,related accept
    meta nfproto ipv6 {_REFUSE}
    jump names
{_allow_rules(policy)}
    ip daddr @hidden {_REFUSE}
    {"accept" if policy.is_internet_open else _REFUSE}
  }}
  chain host {{
    ct state established,related accept
    jump names
    {_REFUSE}
  }}
  chain forward {{
    type filter hook forward priority filter - 10; policy accept;
    iifname "{gangs}*" oifname "{gangs}*" accept
    iifname "{bridge}" jump outside
    iifname "{gangs}*" jump outside
  }}
  chain input {{
    type filter hook input priority filter - 10; policy accept;
    iifname "{bridge}" jump host
    iifname "{gangs}*" jump host
  }}"""


def _resolver_rules(policy: EgressPolicy) -> str:
    if not policy.resolvers:
        return ""
    servers = _list(policy.resolvers)
    return f"    ip daddr {{ {servers} }} meta l4proto {{ tcp, udp }} th dport 53 accept"


def _allow_rules(policy: EgressPolicy) -> str:
    return "\n".join(f"    ip daddr {item.network}{_ports(item)} accept" for item in policy.allowed)


def _ports(item: AllowRule) -> str:
    if item.ports is None:
        return ""
    first, last = item.ports
    return f" meta l4proto {{ tcp, udp }} th dport {first}-{last}"


def _list(items: Sequence[object]) -> str:
    return ", ".join(str(item) for item in items)
