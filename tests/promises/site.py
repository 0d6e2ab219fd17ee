"""The site of the story: a one-box of which time goes faster, used by people of three groups over HTTP."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import time
from typing import Any, Final

from bench.visitor import issue_token, signed_in_as
from deploy.onebox.options import SEEDED_NODES
from tests.integration.pipeline import AwayError, Pipeline, RefusedError
from tests.integration.platform import Platform
from tests.promises.load import Due
from tests.promises.story import Rules, Story, Window

TEAM: Final = 10
"""People of each group of the demo."""
GROUPS: Final = {"vision": 24_000, "language": 24_000, "speech": 12_000}
"""Their ceilings in thousandths of a GPU; each deserves six GPUs."""
MIN_RUNTIME_S: Final = 600
_ACTIONS: Final = ("pool.view", "pool.manage", "quota.view", "quota.edit", "group.view")
_MORE: Final = ("reservation.view", "reservation.edit", "workload.view", "node.view")


@dataclass
class Site:
    """What the load acts on, and what is noted of it."""

    platform: Platform
    story: Story
    people: list[Pipeline] = field(default_factory=list)
    jobs: dict[str, Pipeline] = field(default_factory=dict)
    """Who submitted each."""
    refused: list[str] = field(default_factory=list)
    away: dict[str, float] = field(default_factory=dict)
    """The nodes whose agents are gone, and until when."""

    def settle(self) -> None:
        """Give people tokens and groups room to use more than they deserve; time goes as it does yet."""
        demo = {**self.platform.demo, "url": self.platform.options.portal_url}
        demo["apps_url"] = self.platform.options.apps_url
        self._admin = Pipeline(demo["url"], asyncio.run(_issue_admin(demo)))
        names = {row["name"]: row["id"] for row in self._get("/groups")}
        self._groups = {name: names[name] for name in GROUPS}
        self._pools = {row["name"]: row["id"] for row in self._get("/pools")}
        for number, name in enumerate(GROUPS):
            # Administrators of a group are no developers of the demo: nine are left in each.
            for person in range(2):
                token = asyncio.run(issue_token(demo, number * (TEAM - 1) + person, "promises"))
                self.people.append(Pipeline(demo["url"], token, name))
        for row in self._admin.get("/quotas"):
            ceiling = GROUPS.get(row["group"]["name"])
            if row["resource"] == "gpu" and ceiling:
                self._admin._call("PATCH", f"/quotas/{row['id']}", {"ceiling": ceiling})

    def act(self, due: Due) -> None:
        """Do one thing of the load; what is refused is noted and left out."""
        try:
            {"job": self._submit, "booking": self._book, "outage": self._lose}.get(
                due.kind, self._change_rules
            )(dict(due.what))
        except RefusedError as refusal:
            self.refused.append(f"{due.kind}: {refusal.code}")
        except AwayError:
            self.refused.append(f"{due.kind}: no answer")

    def _submit(self, asked: dict[str, Any]) -> None:
        person = self.people[asked.pop("person") % len(self.people)]
        name = f"promise-{len(self.jobs)}"
        job = person.submit(asked.pop("script"), name=name, cpu_milli=100, **{"gpus": 0, **asked})
        self.jobs[job] = person

    def _book(self, asked: dict[str, Any]) -> None:
        begin = time() + asked["begins_s"]
        group = sorted(self._groups)[asked["person"] % len(self._groups)]
        body = {
            "name": f"course {len(self.story.booked)}",
            "group": self._groups[group],
            "pool": self._pools[asked["pool"]],
            "slices" if asked["pool"] == "development" else "gpus": asked["amount"],
            "starts_at": _moment(begin),
            "ends_at": _moment(begin + asked["length_s"]),
        }
        self._admin.post("/reservations", body)
        self.story.booked.append(time())

    def _lose(self, asked: dict[str, Any]) -> None:
        present = [name for name in SEEDED_NODES if name not in self.away]
        if len(present) > 2:
            name = present[asked["node"] % len(present)]
            self.platform.kill(name)
            self.away[name] = time() + asked["length_s"]
            self.story.outages.append(Window(time(), float("inf")))

    def return_nodes(self) -> None:
        """Start the agents again that were gone for long enough, and note what is whole again."""
        for name in [name for name, until in self.away.items() if until <= time()]:
            self.platform.restart(name)
            del self.away[name]
        if not self.away:
            with suppress(AwayError):
                if self.platform.ready_nodes() == set(SEEDED_NODES):
                    self._close_outages()

    def _close_outages(self) -> None:
        self.story.outages[:] = [
            Window(each.start, time()) if each.end == float("inf") else each
            for each in self.story.outages
        ]

    def _change_rules(self, graces: dict[str, int]) -> None:
        for name, grace_s in graces.items():
            path = f"/pools/{self._pools[name]}/policy"
            found = self._admin.get(path)
            policy = {**found["policy"], "grace_s": grace_s, "min_runtime_s": MIN_RUNTIME_S}
            policy["lending"] = {**policy["lending"], "bound_s": max(120, grace_s)}
            self._admin._call("PUT", path, {**policy, "version": found["version"]})
        self.story.rules.append(Rules(time(), max(graces.values()), MIN_RUNTIME_S))

    def _get(self, path: str) -> Sequence[Any]:
        found = self._admin.get(path)
        return found if isinstance(found, list) else found["results"]


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()


async def _issue_admin(demo: Any) -> str:
    """Return a token of the administrator for what the load changes."""
    person = next(user for user in demo["users"] if user["role"] == "platform_admin")
    body = {"name": "promises", "scopes": [*_ACTIONS, *_MORE], "expires_in_days": 7}
    async with signed_in_as(demo, person) as admin:
        return str((await admin.call("POST", "/api/v1/tokens", body))["token"])
