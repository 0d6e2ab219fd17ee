import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { NotebookPage } from "./notebook-page";

const START = "POST /api/v1/environments/workload-1/start";

function show(fields: Partial<WorkloadDetail>, start?: "lab" | number) {
  const notebook = aWorkload({ kind: "environment", name: "sam", ...fields });
  const asked = serve({
    [START]: notebook,
    "GET /api/v1/workloads/workload-1/events": aPage([]),
    "GET /api/v1/telemetry": { step_s: 15, times: [], series: [] },
  });
  renderPart(<NotebookPage notebook={notebook} start={start} />);
  return asked;
}

const missing = { cause: "start_failed", cause_params: { detail: "dataset_missing: faces" } };

it("names the data set that its node lacks, and what helps", async () => {
  show({ state: "failed", ...missing });
  const words = (await screen.findByTestId("not-started")).textContent;
  expect(words).toContain("Not started: It failed to start: data set faces is not on its node.");
  expect(words).toContain("Ask a platform admin");
  expect(words).not.toContain("files are kept");
});

it("says that files of earlier runs are kept", async () => {
  show({ state: "suspended", ...missing });
  expect((await screen.findByTestId("not-started")).textContent).toContain("files are kept");
});

it("starts a notebook for a reader who came from its stopped tab, who is asked first", async () => {
  const asked = show({ state: "suspended" }, "lab");
  const button = await screen.findByRole("button", { name: "Start and go back" });
  expect(asked.some(({ route }) => route === START)).toBe(false);
  await userEvent.click(button);
  await waitFor(() => expect(asked.some(({ route }) => route === START)).toBe(true));
});

it("offers no way back to a reader who may not open it", async () => {
  const owner = { id: "user-2", username: "wang.fang", display_name: "Wang Fang" };
  show({ state: "suspended", owner }, "lab");
  await screen.findByText(/^Stopped\./);
  expect(screen.queryByRole("button", { name: "Start and go back" })).toBeNull();
});

it("keeps what is seldom read in tabs, which ask for nothing before they are opened", async () => {
  const asked = show({ state: "running" });
  await userEvent.click(await screen.findByRole("tab", { name: "Events" }));
  expect(await screen.findByText("No events yet")).toBeTruthy();
  expect(asked.filter(({ route }) => route.endsWith("/events"))).toHaveLength(1);
  expect(screen.queryByRole("region", { name: "Details" })).toBeNull();
  await userEvent.click(screen.getByRole("tab", { name: "Details" }));
  expect(await screen.findByRole("region", { name: "Details" })).toBeTruthy();
});

it("gives the first of many ports buttons, and opens the rest from a menu", async () => {
  const spec = {
    ...aWorkload().spec,
    ports: [6006, 7860, 8080, 8501],
    port_names: { 8501: "Board" },
  };
  show({ state: "running", is_ready: true, spec });
  await screen.findByRole("button", { name: "Port 7860" });
  expect(screen.queryByRole("button", { name: "Port 8080" })).toBeNull();
  await userEvent.click(screen.getByRole("button", { name: "2 more apps" }));
  expect(await screen.findByRole("menuitem", { name: "Port 8080" })).toBeTruthy();
  expect(screen.getByRole("menuitem", { name: "Board (8501)" })).toBeTruthy();
});
