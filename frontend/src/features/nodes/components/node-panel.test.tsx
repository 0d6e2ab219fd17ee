import { act, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import type { Node } from "@/shared/api/types";
import { aCard, aMe, aNode } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { NodeMap } from "./node-map";
import { NodePanel } from "./node-panel";

const URL = "/api/v1/nodes/node-1";

async function show(fields: Partial<Node>, role = "operator") {
  const asked = serve({ [`POST ${URL}/drain`]: aNode(), [`POST ${URL}/uncordon`]: aNode() });
  renderPart(<NodePanel node={aNode(fields)} />, aMe({ platform_role: role }));
  await screen.findByText("gpu-dev-1");
  return asked;
}

const names = () => screen.queryAllByRole("button").map(({ textContent }) => textContent);

it.each([
  [{}, ["Cordon", "Drain", "Evacuate"]],
  [{ state: "cordoned", hold: "cordon" }, ["Drain", "Evacuate", "Uncordon"]],
  [{ state: "draining", hold: "drain" }, ["Evacuate", "Uncordon"]],
  [{ state: "drained", hold: "drain" }, ["Uncordon", "Retire"]],
  [{ state: "unready", hold: "quarantine" }, []],
] as [Partial<Node>, string[]][])(
  "offers an operator what the state allows: %j",
  async (node, offered) => {
    await show(node);
    expect(names()).toEqual(offered);
  },
);

it("offers nothing to others", async () => {
  await show({}, "");
  expect(names()).toEqual([]);
});

it("empties a node with a deadline, after a question", async () => {
  const asked = await show({ containers_held: 2 });
  await userEvent.click(screen.getByRole("button", { name: "Evacuate" }));
  const question = within(await screen.findByRole("tooltip"));
  expect(question.getByText("Evacuate gpu-dev-1?")).toBeTruthy();
  expect(question.getByText(/2 containers run there now\./)).toBeTruthy();
  await userEvent.click(question.getByRole("button", { name: "Evacuate" }));
  await waitFor(() =>
    expect(asked.map(({ route, body }) => [route, body])).toContainEqual([
      `POST ${URL}/drain`,
      { within_s: 600, stops_all: true },
    ]),
  );
});

it("has a card out of service tested again, and says that this was asked", async () => {
  const route = `POST ${URL}/cards/card-7/retest`;
  const asked = serve({ [route]: aNode() });
  const card = aCard({ id: "card-7", state: "suspect", fault: "xid_95" });
  const due = { ...card, id: "card-8", is_retest_due: true };
  renderPart(
    <NodePanel node={aNode({ accelerators: [card, due, aCard()] })} />,
    aMe({ platform_role: "operator" }),
  );
  await userEvent.click(await screen.findByRole("button", { name: "Retest" }));
  expect(asked.map((item) => item.route)).toContain(route);
  expect(screen.getByText("Retest requested.")).toBeTruthy();
});

it("says that a drained node is drained", async () => {
  await show({ state: "drained", hold: "drain" });
  expect(screen.getByText(/^Drained: nothing is left on it/)).toBeTruthy();
});

it("says what a drain still waits for", async () => {
  await show({ state: "draining", hold: "drain", containers_held: 3 });
  expect(screen.getByText(/3 containers left/)).toBeTruthy();
});

it("says why it takes no work", async () => {
  await show({
    state: "unready",
    faults: [
      { code: "disk_full", detail: "images: 3 MiB left", is_blocking: true },
      { code: "brand_new", detail: "", is_blocking: false },
    ],
  });
  expect(screen.getByText("The disk is full")).toBeTruthy();
  expect(screen.getByText(/No new work until this is fixed. images: 3 MiB left/)).toBeTruthy();
  expect(screen.getByText(/without a description here \(brand_new\)/)).toBeTruthy();
});

const SILENT = { state: "lost", silent_since: "2026-01-05T10:00:00Z", containers_held: 2 };

it("says since when a node is silent, and declares it lost once its name is typed", async () => {
  const route = `POST ${URL}/declare-lost`;
  const asked = serve({ [route]: aNode() });
  renderPart(<NodePanel node={aNode(SILENT)} />, aMe({ platform_role: "operator" }));
  expect(await screen.findByText(/^Not responding since/)).toBeDefined();
  expect(screen.getByText(/2 containers may still be running there/)).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Declare lost" }));
  await userEvent.type(await screen.findByLabelText(/Type the name of the node/), "gpu-dev-1");
  const [, confirm] = await screen.findAllByRole("button", { name: "Declare lost" });
  await userEvent.click(confirm as HTMLElement);
  await waitFor(() =>
    expect(asked.map((request) => [request.route, request.body])).toContainEqual([
      route,
      { name: "gpu-dev-1" },
    ]),
  );
});

it("shows no way to declare a node lost to others, or once it is done", async () => {
  await show(SILENT, "");
  expect(names()).toEqual([]);
  await show({ ...SILENT, containers_held: 0, lost_as: "declared" });
  expect(screen.getByText(/An operator declared it lost/)).toBeDefined();
  expect(names()).not.toContain("Declare lost");
});

it("draws what is far below only once a reader comes near, but finds it by name", async () => {
  const nodes = [aNode({ name: "near" }), aNode({ id: "node-2", name: "far", state: "lost" })];
  serve({ "GET /api/v1/nodes": { next: null, previous: null, results: nodes } });
  const arrivals: (() => void)[] = [];
  vi.stubGlobal(
    "IntersectionObserver",
    class {
      constructor(notice: (entries: object[]) => void) {
        arrivals.push(() => notice([{ isIntersecting: true }]));
      }
      observe() {}
      disconnect() {}
    },
  );
  vi.spyOn(Element.prototype, "getBoundingClientRect").mockImplementation(function (this: Element) {
    return new DOMRect(0, this.textContent?.startsWith("far") ? 9_000 : 0, 100, 300);
  });
  renderPart(<NodeMap />);
  const head = await screen.findByRole("heading", { name: "far" });
  expect(within(head).getByRole("link", { name: "far" }).getAttribute("href")).toBe(
    "/nodes/node-2",
  );
  expect(screen.getByText("lost", { exact: false })).toBeTruthy();
  expect(screen.getAllByText("CPU reserved")).toHaveLength(1);
  act(() => arrivals.forEach((arrive) => void arrive()));
  expect(screen.getAllByText("CPU reserved")).toHaveLength(2);
});
