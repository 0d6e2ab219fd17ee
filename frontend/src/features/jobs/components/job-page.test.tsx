import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { JobPage } from "./job-page";

const CONFIG = { "GET /api/v1/config": { is_simulated: true, portal_url: "http://portal" } };
const LOG = "GET /api/v1/jobs/workload-1/logs";

/** An answer with lines of ranks, each with its time. */
function records(...texts: string[]) {
  const lines = texts.map((text, rank) =>
    JSON.stringify({ epoch: 1, rank, at: Date.UTC(2026, 2, 1, 9) + rank, offset: 0, end: 9, text }),
  );
  return new Response(`${lines.join("\n")}\n`);
}

function show(job: WorkloadDetail, routes: Record<string, unknown> = {}) {
  const asked = serve({ ...CONFIG, ...routes });
  renderPart(<JobPage job={job} />);
  return asked;
}

describe("JobPage", () => {
  it("explains a waiting job in a panel with its position", async () => {
    const params = { placeable: 1, ranks: 2 };
    show(
      aWorkload({
        state: "queued",
        epoch: 0,
        position: 3,
        reasons: [{ code: "gang_incomplete", params }],
      }),
    );
    const panel = within(await screen.findByTestId("reasons"));
    expect(panel.getByText(/Position 3 in the queue/)).toBeTruthy();
    expect(panel.getByText(/All 2 ranks start together/)).toBeTruthy();
  });

  it("warns of a node whose disk is running full, with numbers", async () => {
    const node = { id: "node-1", name: "gpu-7" };
    show(aWorkload({ state: "running", short_disks: [{ node, free_mib: 512, size_mib: 51_200 }] }));
    expect(await screen.findByText("Disk of node gpu-7 is almost full")).toBeTruthy();
    expect(screen.getByText(/512 MiB of 50.0 GiB left/)).toBeTruthy();
  });

  it("follows the log of an ended job to its end and explains its exit code", async () => {
    const job = aWorkload({ state: "failed", exit_code: 137, cause: "out_of_memory" });
    show(job, { [LOG]: () => records("loading\nepoch 1\n") });
    expect(await within(await screen.findByTestId("log")).findByText("epoch 1")).toBeTruthy();
    expect(screen.getByTestId("exit-code").textContent).toContain("137: killed");
    expect(screen.getByText(/it used more than it requested/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Cancel job" })).toBeNull();
  });

  it("opens the page of a failed job with its error, its last lines and the next step", async () => {
    const job = aWorkload({ state: "failed", exit_code: 1, cause: "exited" });
    const text = "step 1\nTraceback (most recent call last):\nValueError: no such column\n";
    const asked = show(job, {
      [LOG]: ({ url }: { url: string }) =>
        url.includes("format=records") ? records("step 1\n") : new Response(text),
    });
    const title = await screen.findByText("This job failed");
    const failure = within(title.closest("[role=alert]") as HTMLElement);
    expect(await failure.findByText("ValueError: no such column")).toBeTruthy();
    expect(failure.getByLabelText("Last lines of the log").textContent).toContain("step 1");
    const again = failure.getByRole("link", { name: "Submit again with changes" });
    expect(again.getAttribute("href")).toContain("from=");
    expect(asked.some(({ route }) => route === LOG)).toBe(true);
  });

  it.each([
    ["en", "over_memory: 303 MiB used, 256 MiB granted", /: 303 MiB used, 256 MiB requested$/],
    ["zh-CN", "over_memory: 303 MiB used, 256 MiB granted", /申请 256 MiB，实际用了 303 MiB$/], // locale-check: the expected text
    ["en", "303 MiB used, 256 MiB granted", /: 303 MiB used, 256 MiB granted$/],
  ] as const)("says in %s how much memory was too much: %s", async (language, detail, words) => {
    await speak(language);
    show(aWorkload({ state: "failed", cause: "out_of_memory", cause_params: { detail } }));
    expect((await screen.findByTestId("ending")).textContent).toMatch(words);
  });

  it.each([
    ["en", /: a script's lines end as on Windows; .* \(a\.sh: 2: \^M: not found\)$/],
    ["zh-CN", /：脚本的行尾是 Windows 格式，.*（a\.sh: 2: \^M: not found）$/], // locale-check: the expected text
  ] as const)("says in %s what a shell could not read", async (language, words) => {
    await speak(language);
    const detail = "script_line_ends: a.sh: 2: ^M: not found";
    const ended = { state: "failed", cause: "exited", exit_code: 127 } as const;
    show(aWorkload({ ...ended, cause_params: { exit_code: 127, detail } }));
    expect((await screen.findByTestId("ending")).textContent).toMatch(words);
    cleanup();
    show(aWorkload({ ...ended, cause_params: { exit_code: 139, detail: "SIGSEGV" } }));
    expect((await screen.findByTestId("ending")).textContent).not.toMatch(/SIGSEGV/);
  });

  it("names the rank that failed first, and none where there is but one", async () => {
    const ended = (rank: number, exit_cause: string, exit_code: number, second: number) => ({
      ...{ rank, exit_cause, exit_code, finished_at: `2026-03-01T09:00:0${second}Z` },
      ...{ node: { id: "n", name: "gpu-1" }, devices: [] },
    });
    const allocations = [
      ended(0, "stopped", 143, 4),
      ended(1, "exited", 2, 3),
      ended(2, "exited", 2, 1),
    ] as never;
    const job = aWorkload({ state: "failed", cause: "exited", exit_code: 2, allocations });
    show({ ...job, replicas: 3 });
    const words = "Rank 2 exited with code 2: often wrong usage of a command";
    expect((await screen.findByTestId("exit-code")).textContent).toBe(words);
    cleanup();
    show({ ...job, allocations: [ended(0, "exited", 2, 1)] as never });
    expect((await screen.findByTestId("exit-code")).textContent).toMatch(/^Exit code 2:/);
  });

  it("shows the newest checkpoint, and leads from a failed job to one that goes on from it", async () => {
    const at = "2026-03-01T09:00:00Z";
    show(aWorkload({ state: "failed", exit_code: 1, checkpointed_at: at }));
    const line = within(await screen.findByTestId("checkpoint"));
    expect(line.getByText(/Newest checkpoint/)).toBeTruthy();
    const link = line.getByRole("link", { name: "Go on from it in a new job" });
    expect(link.getAttribute("href")).toBe("/jobs/new?from=workload-1&outputs=workload-1");
  });

  it("says of a running job what its checkpoint is for, and offers no second job", async () => {
    show(aWorkload({ state: "running", checkpointed_at: "2026-03-01T09:00:00Z" }));
    const line = within(await screen.findByTestId("checkpoint"));
    expect(line.getByText(/its program can go on from there/)).toBeTruthy();
    expect(line.queryByRole("link")).toBeNull();
  });

  it("lets a colleague open the ports of a job that is shared, by their names", async () => {
    const job = aWorkload({ state: "running" });
    const shared = {
      ...job,
      owner: { id: "user-9", username: "chen.jie", display_name: "Chen Jie" },
      spec: { ...job.spec, ports: [8265, 6006], port_names: { 8265: "Ray" } },
    };
    show(shared, {
      "GET /api/v1/access-shares": aPage([
        {
          id: "share-1",
          workload: shared,
          owner: shared.owner,
          access: "full",
          expires_at: "2026-03-02T09:00:00Z",
        },
      ]),
    });
    const notice = within(await screen.findByTestId("shared-with-me"));
    expect(notice.getByRole("button", { name: "Ray" })).toBeTruthy();
    expect(notice.getByRole("button", { name: "Port 6006" })).toBeTruthy();
    expect(notice.queryByRole("button", { name: "Open" })).toBeNull();
  });

  it("finds lines of the log, and offers the whole of it as a file", async () => {
    const job = aWorkload({ state: "failed", exit_code: 1, name: "sweep" });
    show(job, { [LOG]: () => records("epoch 1\nout of memory\n") });
    const log = within(await screen.findByTestId("log"));
    expect(await log.findByText("epoch 1")).toBeTruthy();
    await userEvent.type(screen.getByRole("searchbox", { name: "Find in log" }), "MEMORY");
    expect(await log.findByText("1 line")).toBeTruthy();
    expect(log.queryByText("epoch 1")).toBeNull();
    const file = screen.getByRole("link", { name: "Download" });
    expect(file.getAttribute("href")).toBe(`/api/v1/jobs/${job.id}/logs?rank=0`);
    expect(file.getAttribute("download")).toBe("sweep.log");
  });

  it("merges the ranks of a job, filters them, and shows and downloads times only if asked", async () => {
    const job = aWorkload({ name: "sweep", state: "failed", epoch: 1, replicas: 3 });
    const asked = show(job, { [LOG]: () => records("zero\n", "one\n", "two\n") });
    const log = within(await screen.findByTestId("log"));
    const line = (await log.findByText("one")).parentElement;
    expect(line?.textContent).toBe("1one");
    const file = () => screen.getByRole("link", { name: /Download/ }).getAttribute("href");
    expect(file()).toBe(`/api/v1/jobs/${job.id}/logs?rank=0,1,2`);

    await userEvent.click(screen.getByRole("checkbox", { name: "Times" }));
    expect(line?.querySelector("time")?.dateTime).toBe("2026-03-01T09:00:00.001Z");
    expect(file()).toBe(`/api/v1/jobs/${job.id}/logs?rank=0,1,2&times=1`);

    await userEvent.click(screen.getByRole("button", { name: "All 3 ranks" }));
    await userEvent.click(screen.getByRole("checkbox", { name: "Rank 2" }));
    await waitFor(() => expect(file()).toBe(`/api/v1/jobs/${job.id}/logs?rank=2&times=1`));
    expect(asked.at(-1)?.url).toContain("rank=2&format=records");
  });

  it("leads to the first error of the log, also while it is searched", async () => {
    const job = aWorkload({ state: "failed", exit_code: 1 });
    show(job, { [LOG]: () => records("epoch 1\nValueError: no such shape\nbye\n") });
    const log = within(await screen.findByTestId("log"));
    await userEvent.type(screen.getByRole("searchbox", { name: "Find in log" }), "epoch");
    await userEvent.click(await screen.findByRole("button", { name: "First error" }));
    const line = (await log.findByText("ValueError: no such shape")).parentElement;
    expect(line?.dataset.sought).toBe("true");
    expect(log.getByText("bye")).toBeTruthy();
  });

  it("states simulated cards and missing isolation", async () => {
    show(aWorkload({ epoch: 0 }));
    expect(await screen.findByText("Simulated cards")).toBeTruthy();
    expect(screen.getByText("No isolation")).toBeTruthy();
  });

  it("marks work that was made up for the demo", async () => {
    show(aWorkload({ epoch: 0, simulated: true }));
    expect(await screen.findByText("Simulated")).toBeTruthy();
    expect(screen.queryByText("Simulated cards")).toBeNull();
  });

  it("has one main action, and the seldom ones behind one button", async () => {
    show(aWorkload({ state: "succeeded", exit_code: 0 }));
    const again = await screen.findByRole("link", { name: "Submit again" });
    expect(again.className).toContain("primary");
    expect(screen.queryByRole("link", { name: /^Open a notebook/ })).toBeNull();
    await userEvent.click(screen.getByRole("button", { name: "More actions" }));
    expect(await screen.findByRole("link", { name: /^Open a notebook/ })).toBeTruthy();
  });

  it("shows the number of the attempt, and how those before it ended", async () => {
    const event = (
      id: number,
      epoch: number,
      from_state: string,
      to_state: string,
      cause = "",
    ) => ({
      ...{ id, epoch, from_state, to_state, cause, params: {} },
      ...{ at: `2026-03-01T09:0${id}:00Z`, actor_kind: "system", actor_name: "scheduler" },
    });
    show(aWorkload({ epoch: 2 }), {
      "GET /api/v1/workloads/workload-1/events": aPage([
        event(1, 1, "queued", "placing"),
        event(4, 1, "running", "queued", "requeued"),
        event(5, 2, "queued", "placing"),
      ]),
    });
    const list = within(await screen.findByRole("list", { name: "Earlier attempts" }));
    expect((await list.findByText(/attempt 1/i)).textContent).toContain("3 min");
    expect(screen.getByText(/^attempt 2$/i)).toBeTruthy();
  });

  it("cancels after one question", async () => {
    const route = "POST /api/v1/jobs/workload-1/cancel";
    const job = aWorkload({ epoch: 0 });
    const asked = show(job, { [route]: job });
    await userEvent.click(await screen.findByRole("button", { name: "Cancel job" }));
    await userEvent.click(await screen.findByRole("button", { name: "Yes, cancel job" }));
    await waitFor(() => expect(asked.some((one) => one.route === route)).toBe(true));
  });
});
