import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { NodeWork } from "@/shared/api/types";
import { aMe, aNode, aPage, liWei } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { NodePage } from "./node-page";

const vision = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" };
const part = { uuid: "SIM-1", index: 0, slices: 8, gpu_milli: 0, memory_mib: 4096 };

function aNodeWork(fields: Partial<NodeWork> = {}): NodeWork {
  return {
    id: "allocation-1",
    work: {
      id: "workload-1",
      name: "train",
      owner: liWei,
      group: vision,
      mine: false,
      kind: "training",
      gpus: 0,
      slices: 2,
      replicas: 2,
      preemptible: false,
    },
    rank: 1,
    cpu_milli: 4000,
    memory_mib: 16_384,
    devices: [
      { ...part, slot: 5 },
      { ...part, slot: 4 },
    ],
    since: "2026-03-01T09:00:00Z",
    ...fields,
  };
}

function show(routes: Record<string, unknown> = {}, role = "") {
  const asked = serve({
    "GET /api/v1/nodes/node-1/work": aPage([]),
    ...routes,
  });
  renderPart(<NodePage node={aNode()} />, aMe({ platform_role: role }));
  return asked;
}

const cellsOf = (row: HTMLElement) =>
  within(row)
    .getAllByRole("cell")
    .map(({ textContent }) => textContent);

it("lists the work on it with what each replica holds, and leads to its page", async () => {
  const { work, ...held } = aNodeWork();
  const hidden = { ...work, id: null, name: null, owner: null, group: null, kind: "environment" };
  show({
    "GET /api/v1/nodes/node-1/work": aPage([
      aNodeWork(),
      { ...held, id: "allocation-2", work: { ...hidden, replicas: 1 }, devices: [] },
    ]),
  });
  const panel = within(await screen.findByRole("region", { name: "Work on this node" }));
  const [, mine, foreign] = await panel.findAllByRole("row");
  expect(cellsOf(mine as HTMLElement).slice(0, 7)).toEqual([
    "trainrank 1",
    "Job",
    "Li Wei",
    "Vision",
    "card 0, slices 4, 5 (8.0 GiB)",
    "4",
    "16.0 GiB",
  ]);
  expect(panel.getByRole("link", { name: "train" }).getAttribute("href")).toBe("/jobs/workload-1");
  expect(cellsOf(foreign as HTMLElement).slice(0, 5)).toEqual([
    "Work of another group",
    "Notebook",
    "–",
    "–",
    "–",
  ]);
});

it("sorts the work by a column", async () => {
  const [big, small] = [9000, 1000].map((cpu_milli) =>
    aNodeWork({ id: `held-${cpu_milli}`, cpu_milli }),
  );
  show({ "GET /api/v1/nodes/node-1/work": aPage([big, small]) });
  const panel = within(await screen.findByRole("region", { name: "Work on this node" }));
  await userEvent.click(await panel.findByRole("button", { name: /^CPU/ }));
  const rows = () => panel.getAllByRole("row").slice(1);
  await waitFor(() => expect(rows().map((row) => cellsOf(row)[5])).toEqual(["1", "9"]));
});

it("says that nothing holds it", async () => {
  show();
  expect(await screen.findByText("Nothing holds this node")).toBeTruthy();
});

const HISTORY = "GET /api/v1/nodes/node-1/history";
const act = {
  at: "2026-03-02T09:00:00Z",
  code: "node.cordon",
  is_act: true,
  card: null,
  detail: "",
  value: null,
  ended_at: null,
  actor_kind: "person",
  actor_name: "olga",
};
const found = { ...act, is_act: false, actor_kind: "", actor_name: "" };

it("tells the platform's staff what happened to it, in words", async () => {
  const events = [
    act,
    {
      ...found,
      code: "gpu_fault",
      card: 3,
      detail: "xid_79",
      at: "2026-03-01T09:00:00Z",
      ended_at: "2026-03-01T09:20:00Z",
    },
    { ...found, code: "node_silent", detail: "lost" },
    { ...found, code: "gpu_hot", card: 0, detail: "", value: 91 },
    { ...act, code: "node.change_agent", detail: "1.4", actor_name: "node:gpu-dev-1" },
  ];
  show({ [HISTORY]: { events } }, "operator");
  const panel = within(await screen.findByRole("region", { name: "What happened" }));
  const rows = (await panel.findAllByRole("row")).slice(1);
  expect(rows.map((row) => cellsOf(row).slice(1))).toEqual([
    ["Cordoned a node", "", "olga", "–"],
    ["GPU fault, card 3", "It reported Xid 79.", "–", "20 min"],
    ["Node silent", "lost", "–", "ongoing"],
    ["Hot GPU, card 0", "91 °C", "–", "ongoing"],
    ["Node changed its agent version", "1.4", "node:gpu-dev-1", "–"],
  ]);
  expect(panel.queryByRole("link")).toBeNull();
});

it("leads those who read the audit log to its events", async () => {
  show({ [HISTORY]: { events: [act] } }, "auditor");
  const link = await screen.findByRole("link", { name: "In the audit log" });
  expect(link.getAttribute("href")).toBe("/audit?object=node-1");
});

it("asks for no history for others", async () => {
  const asked = show();
  await screen.findByText("Nothing holds this node");
  expect(asked.map(({ route }) => route)).not.toContain(HISTORY);
});

const CHECKS = "GET /api/v1/nodes/node-1/checks";
const check = { code: "root", level: "ok", en: "runs as root", zh: "以 root 运行", fix: "" };

it("shows operators what is wrong with its host first, and how to repair it", async () => {
  const checks = [
    check,
    { ...check, code: "clock", level: "warn", en: "the clock was not compared" },
    { ...check, code: "cards", level: "fail", en: "8 cards without a driver", fix: "reboot" },
  ];
  const routes = {
    [HISTORY]: { events: [] },
    [CHECKS]: { reported_at: "2026-03-01T09:00:00Z", checks },
  };
  show(routes, "operator");
  const panel = within(await screen.findByRole("region", { name: "Checks of the host" }));
  await panel.findByText("1 check passed");
  expect(panel.getAllByRole("alert").map(({ textContent }) => textContent)).toEqual([
    "Error: 8 cards without a driverreboot",
    "Warning: the clock was not compared",
    "OK: runs as root",
  ]);
  expect(panel.getByText(/examined/)).toBeTruthy();
});

it("says that a node has reported no checks, and asks for none for an auditor", async () => {
  show({ [HISTORY]: { events: [] }, [CHECKS]: { reported_at: null, checks: [] } }, "operator");
  expect(await screen.findByText("No report yet")).toBeTruthy();
  cleanup();
  const asked = show({ [HISTORY]: { events: [] } }, "auditor");
  await screen.findByText("Nothing recorded yet");
  expect(asked.map(({ route }) => route)).not.toContain(CHECKS);
});

const line = (
  metric: string,
  unit: string,
  subject: string,
  values: number[],
  limit = null as number | null,
) => ({
  subject,
  title: subject,
  metric,
  unit,
  values,
  limit,
});

it("draws its GPUs, then its host with what it has, and names no line that is alone", async () => {
  const mib = 1024 * 1024;
  const series = [
    line("gpu_utilisation", "percent", "0", [10, 20]),
    line("gpu_utilisation", "percent", "1", [30, 40]),
    line("cpu", "milli", "node-1", [48_000, 72_000], 96_000),
    line("memory", "mebibytes", "node-1", [1024, 2048], 524_288),
    line("disk", "mebibytes", "node-1", [1024, 1024], 4096),
    line("disk_read", "bytes_per_second", "node-1", [0, 3 * mib]),
    line("disk_write", "bytes_per_second", "node-1", [0, 0]),
    line("received", "bytes_per_second", "node-1", [0, 5 * mib]),
  ];
  show({ "GET /api/v1/telemetry": { step_s: 15, times: [0, 15_000], series, tail: null } });
  const panel = within(await screen.findByRole("region", { name: "Usage" }));
  expect(await panel.findByRole("img", { name: /^CPU.*72 cores now/ })).toBeTruthy();
  const heads = panel
    .getAllByRole("figure")
    .map((figure) => figure.querySelector("figcaption > span")?.textContent);
  expect(heads).toEqual([
    "GPU utilisation",
    "GPU memory",
    "Power",
    "Temperature",
    "CPU",
    "Memory",
    "Disk space",
    "Disk read",
    "Disk write",
    "Network in",
    "Network out",
  ]);
  expect(panel.getByText("of 96 cores")).toBeTruthy();
  expect(panel.getByText("of 512 GiB")).toBeTruthy();
  expect(panel.getByText("3 MiB/s")).toBeTruthy();
  // Used by half and more, so that the limit is drawn: the processors'.
  expect(panel.getAllByTestId("limit-line")).toHaveLength(1);
  const names = within(panel.getByRole("group", { name: "Lines" })).getAllByRole("button");
  expect(names.map(({ textContent }) => textContent)).toEqual(["Card 0", "Card 1", "Σ sum"]);
});
