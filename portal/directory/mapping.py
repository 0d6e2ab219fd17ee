"""What groups of a directory mean here: pure functions of rules and names."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from typing_extensions import override

from portal.tenancy.policies import strongest_role

RULES_MAX: Final = 500
"""Rules of one directory."""
_PLATFORM_STRENGTH: Final = ("", "auditor", "operator", "platform_admin")


@dataclass(frozen=True, slots=True)
class Rule:
    """Members of a group of the directory have a role in one of our groups, or over the platform."""

    external_group: str
    """Its name or its id in the directory; `*` is everybody."""
    group: str = ""
    """Name of one of our groups; empty for a role over the platform."""
    role: str = ""
    platform_role: str = ""

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> Self:
        """Return the rule that `write` has written."""
        return cls(**stored)

    @override
    def __str__(self) -> str:
        """Return the rule in one line: `Vision team → vision: developer`."""
        meant = f"{self.group}: {self.role}" if self.group else self.platform_role
        return f"{self.external_group} → {meant}"

    def write(self) -> dict[str, str]:
        """Return the rule as JSON."""
        return {name: value for name, value in asdict(self).items() if value}


EVERYBODY: Final = "*"


@dataclass(frozen=True, slots=True)
class MappedRoles:
    """What a person has by the rules: a role by our group's name, and one over the platform."""

    roles: Mapping[str, str]
    platform_role: str


def read_rules(stored: Iterable[Mapping[str, Any]]) -> tuple[Rule, ...]:
    """Return the rules of a directory."""
    return tuple(Rule.read(each) for each in stored)


def map_groups(rules: Sequence[Rule], external_groups: Collection[str]) -> MappedRoles:
    """Return what a member of these groups has; of several roles in a group, the strongest.

    Groups are given by all that they are known by, names and ids.
    """
    roles: dict[str, str] = {}
    platform_role = ""
    for rule in rules:
        if rule.external_group != EVERYBODY and rule.external_group not in external_groups:
            continue
        if rule.group:
            roles[rule.group] = strongest_role(roles.get(rule.group, ""), rule.role)
        platform_role = max(platform_role, rule.platform_role, key=_PLATFORM_STRENGTH.index)
    return MappedRoles(roles, platform_role)
