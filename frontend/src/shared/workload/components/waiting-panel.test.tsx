import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Reason, WorkloadDetail } from "@/shared/api/types";
import { aMe, aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { ReasonList, WaitingPanel } from "./waiting-panel";

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const evicted = {
  id: 7,
  at: inHours(-1),
  from_state: "running",
  to_state: "queued",
  epoch: 1,
  cause: "called_back",
  params: { grace_s: 60 },
  actor_kind: "system",
  actor_name: "scheduler",
};

const range = { earliest: inHours(1), latest: inHours(2) };
const unjudged = { sure_percent: null, estimates: 0 };
const judged = { sure_percent: 83, estimates: 120 };

function show(fields: Partial<WorkloadDetail>) {
  serve({ "GET /api/v1/workloads/workload-1/events": aPage([evicted]) });
  const waiting = { state: "queued", position: 3, queued_at: inHours(-1), gpus: 8 } as const;
  renderPart(<WaitingPanel workload={aWorkload({ ...waiting, ...fields })} />);
}

describe("WaitingPanel", () => {
  it("says when it is expected to start and on what that rests", async () => {
    show({ expected_start: { ...range, basis: "limits", ...unjudged } });
    expect(await screen.findByText(/^between .+ and .+ \S+, from time limits$/)).toBeTruthy();
    expect(screen.getByText(/2 workloads in this pool/)).toBeTruthy();
    expect(screen.getByRole("link", { name: "view the queue" })).toBeTruthy();
  });

  it("says how often such estimates came true, where enough are known", async () => {
    show({ expected_start: { ...range, basis: "limits", ...judged } });
    expect(await screen.findByText(/^8 of 10 such estimates came inside this range/)).toBeTruthy();
  });

  it("says nothing of how sure it is without a history", async () => {
    show({ expected_start: { ...range, basis: "limits", ...unjudged } });
    expect(await screen.findByText("not enough history yet to say")).toBeTruthy();
    expect(screen.queryByText(/of 10 such/)).toBeNull();
  });

  it("says what is promised: where, how much, and when at the latest", async () => {
    const nodes = [{ node: { id: "n", name: "gpu-1" }, replicas: 1 }];
    show({ reservation: { starts_at: inHours(1), nodes } });
    expect(await screen.findByText(/^8 GPUs on gpu-1, by .*\d\d:\d\d/)).toBeTruthy();
  });

  it("lists the promised starts that were moved, with both times and the cause", async () => {
    const at = inHours(-0.1);
    const moves = [
      { at, was: inHours(0.1), starts_at: inHours(0.5), cause: "node" },
      { at: inHours(-0.05), was: inHours(0.2), starts_at: null, cause: "quota" },
    ] as const;
    show({ moved_starts: [...moves] });
    expect(
      await screen.findByText(/^at .+ from .+ to .+: a node or card .+ no work$/),
    ).toBeTruthy();
    expect(screen.getByText(/^at .+ from .+, to no certain time: a quota or budget/)).toBeTruthy();
  });

  it("tells why it had to leave, and that its place was kept", async () => {
    show({ evictions: 1 });
    expect(await screen.findByText(/GPUs needs them\. Requeued at its old position/)).toBeTruthy();
  });

  it("says which places the next attempt avoids, why, and until when", async () => {
    const node = { id: "n", name: "gpu-1" };
    const past = { times: 1, until: inHours(0.5) };
    const held = { model: "", slot: 0, slices: 1, gpu_milli: 0, memory_mib: 32_768 };
    const devices = [{ ...held, uuid: "GPU-a", index: 3 }];
    show({
      allocations: [{ devices, state: "released" }] as never,
      avoids: [
        { ...past, node, card: "GPU-a", cause: "device_lost" },
        { ...past, node, card: null, cause: "start_failed", times: 2 },
      ],
    });
    expect(await screen.findByText(/^card 3 of gpu-1, until .+: Its card failed/)).toBeTruthy();
    expect(screen.getByText(/^node gpu-1, until .+failed to start \(2 times\)$/)).toBeTruthy();
  });

  it("says on which model of GPUs a limit is", async () => {
    const params = { ...quota.params, limit: 2000, requested: 3000, model: "Trial 48GB" };
    const ofModel = ["quota_ceiling", "quota_user_ceiling"].map((code) => ({ code, params }));
    expect(await said(ofModel)).toEqual([
      "Needs 3 GPUs; group Vision may use 2 GPUs of Trial 48GB at most. Request less.",
      "Needs 3 GPUs; one member of Vision may hold 2 GPUs of Trial 48GB at most. Request less.",
    ]);
  });

  it("is written in Chinese, not translated", async () => {
    await speak("zh-CN");
    show({ expected_start: { ...range, basis: "predictions", ...judged } });
    expect(await screen.findByText(/^约 .+–.+，按历史运行时长估计$/)).toBeTruthy(); // locale-check: the expected text
    expect(screen.getByText(/^此类估计 10 次中有 8 次/)).toBeTruthy(); // locale-check: the expected text
  });

  it("is silent about work that does not wait", () => {
    show({ state: "running" });
    expect(screen.queryByText("Why it is waiting")).toBeNull();
  });
});

const quota: Reason = {
  code: "quota_ceiling",
  params: { group: "vision", pool: "", resource: "gpu", used: 5875, limit: 6000, requested: 250 },
};
const short: Reason = {
  code: "insufficient_now",
  params: { resource: "memory", requested: 32_768, free: 4096 },
};

async function said(reasons: Reason[]): Promise<(string | null)[]> {
  renderPart(<ReasonList reasons={reasons} />);
  return (await screen.findAllByRole("listitem")).map((item) => item.textContent);
}

describe("ReasonList", () => {
  it("says every number with its unit", async () => {
    expect(await said([quota, short])).toEqual([
      "Group Vision uses 5⅞ of 6 GPUs; this needs ¼ GPU more. It starts when other work of the group ends.",
      "Needs 32.0 GiB of memory. Free in this pool now: 4.0 GiB of memory.",
    ]);
  });

  it("is written in Chinese, not translated", async () => {
    await speak("zh-CN");
    const [sentence] = await said([quota]);
    expect(sentence).toContain("6 张卡"); // locale-check: the expected text
  });

  it("calls a group that its reader is no member of by its title", async () => {
    const group = { id: "g", name: "vision", title_en: "Computer Vision", title_zh: "计算机视觉" }; // locale-check: a title
    serve({
      "GET /api/v1/groups": aPage([{ ...group, parent: null }]),
      "GET /api/v1/pools": aPage([]),
    });
    const admin = aMe({ platform_role: "platform_admin", memberships: [] });
    renderPart(<ReasonList reasons={[quota]} />, admin);
    expect(await screen.findByText(/^Group Computer Vision uses/)).toBeTruthy();
  });

  it("does not promise what a quota can never grant", async () => {
    const [sentence] = await said([{ ...quota, params: { ...quota.params, requested: 8000 } }]);
    expect(sentence).toBe("Needs 8 GPUs; group Vision may use 6 GPUs at most. Request less.");
  });

  it("says until when a budget or a calendar holds it back", async () => {
    const budget = {
      code: "quota_budget",
      params: {
        group: "vision",
        pool: "",
        used: 36_000,
        promised: 0,
        requested: 7200,
        limit: 39_600,
      },
    };
    const opens_at = new Date(2026, 2, 2, 20).getTime();
    const calendar = { code: "waiting_for_calendar", params: { pool: "development", opens_at } };
    const never = { code: "waiting_for_calendar", params: { pool: "development", opens_at: 0 } };
    const [first, second, third] = await said([budget, calendar, never]);
    expect(first).toContain("has used 10 of 11 GPU-h");
    expect(second).toContain("20:00");
    expect(third).toContain("lends no GPUs");
  });

  it("admits a code that it does not know", async () => {
    const [sentence] = await said([{ code: "moon_phase", params: {} }]);
    expect(sentence).toContain("moon_phase");
  });
});
