import { screen } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Recovery } from "@/shared/api/types";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { RecoveryNotice } from "./recovery-notice";

const CONTAINER = {
  id: "c-1",
  node: { id: "n-1", name: "gpu-train-1" },
  allocation: "abc.0",
  epoch: 3,
  workload_id: null,
  workload_name: "",
  phase: "running",
  gpus: 2,
  started_at: null,
  waits_for: "",
  is_stopping: false,
} as const;

function aRecovery(fields: Partial<Recovery> = {}): Recovery {
  return {
    is_under_way: true,
    began_at: "2026-11-23T03:00:00Z",
    data_until: "2026-11-23T01:00:00Z",
    noticed_on: "",
    finished_at: null,
    unheard_nodes: [{ id: "n-2", name: "gpu-train-2", state: "unready", last_seen_at: null }],
    unheard_total: 1,
    containers: [CONTAINER],
    containers_total: 1,
    ...fields,
  };
}

function show(recovery: Recovery, role = "operator") {
  const asked = serve({
    "GET /api/v1/recovery": recovery,
    "POST /api/v1/recovery/containers/c-1/stop": recovery,
    "POST /api/v1/recovery/finish": recovery,
  });
  renderPart(<RecoveryNotice />, aMe({ platform_role: role }));
  return asked;
}

it("shows who has not spoken and stops unknown work by its name", async () => {
  const asked = show(aRecovery());
  await screen.findByText(/gpu-train-2/);
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  await userEvent.type(await screen.findByRole("textbox"), "abc.0");
  const [, confirm] = screen.getAllByRole("button", { name: "Stop" });
  await userEvent.click(confirm as HTMLElement);
  expect(asked.map(({ route, body }) => [route, body])).toContainEqual([
    "POST /api/v1/recovery/containers/c-1/stop",
    { name: "abc.0" },
  ]);
});

it("ends the wait by a word", async () => {
  const asked = show(aRecovery({ containers: [], containers_total: 0 }));
  await userEvent.click(await screen.findByRole("button", { name: "Place work now" }));
  await userEvent.type(await screen.findByRole("textbox"), "finish");
  const [, confirm] = screen.getAllByRole("button", { name: "Place work now" });
  await userEvent.click(confirm as HTMLElement);
  expect(asked.map(({ route, body }) => [route, body])).toContainEqual([
    "POST /api/v1/recovery/finish",
    { confirm: "finish" },
  ]);
});

it("is asked for by operators only", async () => {
  const asked = show(aRecovery(), "auditor");
  await new Promise((resolve) => setTimeout(resolve, 0));
  expect(asked).toEqual([]);
  expect(screen.queryByText(/restored/)).toBeNull();
});
