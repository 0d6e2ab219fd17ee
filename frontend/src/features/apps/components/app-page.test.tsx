import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aPage, aWebApp, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { AppPage } from "./app-page";

function show(fields: Partial<WorkloadDetail>) {
  const session = aWorkload({
    kind: "app",
    app: aWebApp(),
    shows: { kind: "input", id: "job-1", path: "" },
    ...fields,
  });
  serve({ "GET /api/v1/workloads/workload-1/events": aPage([]) });
  renderPart(<AppPage session={session} log={null} />);
}

it("says that the image lacks the program, and offers another start", async () => {
  show({ state: "failed", exit_code: 127 });
  expect(await screen.findByText(/does not contain TensorBoard/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "Start again" })).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Open" })).toBeNull();
});

it("leads to the job whose outputs it shows, and can be opened while it waits", async () => {
  show({ state: "queued" });
  const job = await screen.findByRole("link", { name: "outputs of a job" });
  expect(job.getAttribute("href")).toContain("/jobs/job-1");
  expect(screen.getByRole("button", { name: "Open" })).toBeTruthy();
  expect(screen.getByRole("button", { name: "Close" })).toBeTruthy();
});

it.each([
  ["TensorBoard on a home", "home", false, true],
  ["an editor on the outputs of a job", "input", true, true],
  ["an editor on a home", "home", true, false],
] as const)("says of %s whether it only reads", async (_of, kind, writes, isReadOnly) => {
  show({ state: "running", app: aWebApp({ writes }), shows: { kind, id: "f-1", path: "" } });
  const shown = await screen.findByTestId("app-shows");
  expect(shown.textContent.includes("read-only")).toBe(isReadOnly);
});

it("says that it ended because nobody used it", async () => {
  show({ state: "expired", cause: "app_unused", cause_params: { idle_min: 30 } });
  expect(await screen.findByText("Unused for 30 min")).toBeTruthy();
});
