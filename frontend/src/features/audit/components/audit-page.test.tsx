import { Link } from "@tanstack/react-router";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { LiveSocket } from "@/shared/live/socket";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { AuditPage, detailsOf } from "./audit-page";

const EVENT = {
  id: 1,
  at: "2026-01-05T08:00:00Z",
  actor_kind: "person",
  actor_name: "olga",
  action: "pool.policy",
  object_type: "pool",
  object_id: "pool-1",
  group_id: null,
  outcome: "ok",
  params: { name: "training", before: {} },
  request_id: "",
  address: "10.0.0.1",
};

function page(events: object[], next: string | null = null) {
  return { next, previous: null, results: events };
}

it("says who did what to what, in words", async () => {
  serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": page([EVENT, { ...EVENT, id: 0, action: "new.act", params: {} }]),
  });
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  expect(await screen.findByText("Changed a pool policy")).toBeTruthy();
  expect(screen.getByText("training")).toBeTruthy();
  expect(screen.getAllByText("Person · 10.0.0.1")).toHaveLength(2);
  expect(screen.getByText("new.act")).toBeTruthy();
  expect(screen.getByText("pool-1")).toBeTruthy();
});

it("says what was changed, from what to what, in the words of the page where it is set", async () => {
  const params = {
    name: "training",
    before: { queue: "strict", patience_s: 60 },
    after: { queue: "best_effort", patience_s: 60 },
  };
  serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": page([{ ...EVENT, params }]),
  });
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  await userEvent.click(await screen.findByText("Details"));
  const title = screen.getByText("When the head of the queue cannot start");
  expect(title.parentElement?.textContent).toContain("strict → best_effort");
});

it("reads changes in both ways in which acts write them, and leaves out what is the same", () => {
  expect(
    detailsOf({ ceiling: { before: 4000, after: null }, pool: "p", name: "x", scopes: ["a", "b"] }),
  ).toEqual([
    { name: "ceiling", before: "4000", after: "–" },
    { name: "pool", after: "p" },
    { name: "scopes", after: '["a","b"]' },
  ]);
  expect(detailsOf({ before: { a: 1, b: 2 }, after: { a: 1, c: "x" } })).toEqual([
    { name: "b", before: "2", after: "–" },
    { name: "c", before: "–", after: "x" },
  ]);
});

it("names the right that a refused act was missing, and how often it was tried again", async () => {
  const denied = { ...EVENT, action: "pool.manage", outcome: "denied", params: { code: "denied" } };
  const again = { ...denied, id: 2, params: { code: "denied", repeats: 41 } };
  serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": page([again, denied]),
  });
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  expect(await screen.findAllByText("Manage a pool")).toHaveLength(2);
  expect(screen.getAllByText("and 41 times more")).toHaveLength(1);
});

it("narrows to one target that an address names", async () => {
  const asked = serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": page([EVENT]),
  });
  renderPart(
    <>
      <Link to="." search={{ object: "node-1" } as never}>
        Of one node
      </Link>
      <AuditPage />
    </>,
    aMe({ platform_role: "auditor" }),
  );
  await userEvent.click(await screen.findByText("Of one node"));
  await waitFor(() => expect(asked.some(({ url }) => url.includes("object=node-1"))).toBe(true));
  expect(screen.getByText(/node-1/)).toBeTruthy();
});

it("asks for one person's acts, and for older ones page by page", async () => {
  const next = "http://berth.test/api/v1/audit-events?cursor=older";
  const asked = serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": ({ url }: { url: string }) =>
      url.includes("cursor") ? page([{ ...EVENT, id: 0 }]) : page([EVENT], next),
  });
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  await userEvent.click(await screen.findByText("Older"));
  await waitFor(() => expect(asked.some(({ url }) => url.includes("cursor=older"))).toBe(true));
  await userEvent.type(screen.getByLabelText("Actor"), "olga{Enter}");
  await waitFor(() => expect(asked.some(({ url }) => url.includes("actor=olga"))).toBe(true));
});

it("says that there is something newer, and reads it only when asked to", async () => {
  const wire = {
    onopen: () => {},
    onmessage: (_: { data: string }) => {},
    close() {},
    send() {},
  };
  const socket = new LiveSocket({
    open: () => wire as unknown as WebSocket,
    later: () => () => {},
  });
  const events: object[] = [EVENT];
  const asked = serve({
    "GET /api/v1/groups": page([]),
    "GET /api/v1/audit-events": () => page([...events]),
  });
  const reads = () => asked.filter(({ route }) => route.endsWith("audit-events")).length;
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }), socket);
  await screen.findByText("Changed a pool policy");
  const ring = (op: string, quiet_ms: number) =>
    act(() =>
      wire.onmessage({ data: JSON.stringify({ op, topic: "changed:audit", seq: 0, quiet_ms }) }),
    );
  ring("subscribed", 60_000);
  expect(screen.queryByText("There are newer entries.")).toBeNull();
  events.unshift({ ...EVENT, id: 2, actor_name: "mia" });
  await waitFor(() => {
    ring("ring", 0);
    expect(screen.getByText("There are newer entries.")).toBeTruthy();
  });
  expect(reads()).toBe(1);
  await userEvent.click(screen.getByRole("button", { name: "Show" }));
  expect(await screen.findByText("mia")).toBeTruthy();
  expect(reads()).toBe(2);
  expect(screen.queryByText("There are newer entries.")).toBeNull();
});
