import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { PageTitle } from "@/shared/ui/page";
import { aPage, aPool, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { IdleNotices } from "./idle-notices";
import { WorkloadTable } from "./workload-table";

const soon = () => new Date(Date.now() + 150_000).toISOString();
const idle = (loss: "release" | "stop") =>
  aWorkload({ kind: "environment", name: "sam", idle_warning: { loss, at: soon() } });

it("says wherever its owner is that a notebook is about to lose its GPU", async () => {
  serve({
    "GET /api/v1/workloads": aPage([idle("release")]),
    "GET /api/v1/pools": aPage([aPool()]),
  });
  renderPart(
    <IdleNotices>
      <PageTitle text="Queue" />
    </IdleNotices>,
  );
  expect(await screen.findByText("sam is idle: its GPU is about to be released")).toBeTruthy();
  expect(screen.getByRole("link", { name: /keep it/ }).getAttribute("href")).toBe(
    "/notebooks/workload-1",
  );
  await waitFor(() => expect(document.title).toBe("\u26a0 Queue \u00b7 Berth"));
});

it("says nothing while all are in use", async () => {
  const asked = serve({
    "GET /api/v1/workloads": aPage([aWorkload()]),
    "GET /api/v1/pools": aPage([aPool()]),
  });
  renderPart(
    <IdleNotices>
      <PageTitle text="Queue" />
    </IdleNotices>,
  );
  await waitFor(() => expect(asked.length).toBeGreaterThan(1));
  expect(screen.queryByText(/is idle/)).toBeNull();
  expect(document.title).toBe("Queue \u00b7 Berth");
});

it("warns in lists, beside the state", async () => {
  serve({});
  renderPart(<WorkloadTable label="Mine" workloads={[idle("stop")]} />);
  expect((await screen.findByTestId("idle-warning")).textContent).toMatch(
    /Idle: stopped in [23] min/,
  );
});
