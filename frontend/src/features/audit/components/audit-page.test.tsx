import { Link } from "@tanstack/react-router";
import { act, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { LiveSocket } from "@/shared/live/socket";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { AuditPage } from "./audit-page";
import { detailsOf } from "./event-details";

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

const GROUP = { id: "g1", name: "vision", title_en: "Computer Vision", title_zh: "计算机视觉" };
const POOL = { id: "p1", name: "training", title_en: "Training", title_zh: "训练" };

function serveAudit(events: unknown, others: Record<string, unknown> = {}) {
  return serve({
    ...others,
    "GET /api/v1/groups": page([GROUP]),
    "GET /api/v1/pools": page([POOL]),
    "GET /api/v1/audit-events": events,
  });
}

function page(events: object[], next: string | null = null) {
  return { next, previous: null, results: events };
}

it("says who did what to what, in words", async () => {
  serveAudit(page([EVENT, { ...EVENT, id: 0, action: "new.act", params: {} }]));
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
  serveAudit(page([{ ...EVENT, params }]));
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  await userEvent.click(await screen.findByText("Details"));
  const title = screen.getByText("When the head of the queue cannot start");
  expect(title.parentElement?.textContent).toMatch(/Strict order: later jobs wait too → /);
});

it.each([
  ["en", "Computer Vision · GPUs · Training", "Ceiling: 6 → 7"],
  ["zh-CN", "计算机视觉 · 加速卡 · 训练", "上限: 6 → 7"],
] as const)(
  "names the group and pool of a quota, in its unit, in %s",
  async (language, target, change) => {
    await speak(language);
    const params = {
      resource: "gpu",
      pool: "p1",
      model: "",
      before: { ceiling: 6000 },
      after: { ceiling: 7000 },
    };
    const quota = {
      ...EVENT,
      action: "quota.change",
      object_type: "quota",
      group_id: "g1",
      params,
    };
    serveAudit(page([quota]));
    renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
    expect(await screen.findByText(target)).toBeTruthy();
    const [term] = screen.getAllByRole("term", { hidden: true });
    expect(`${term?.textContent}: ${term?.nextSibling?.textContent}`).toBe(change);
  },
);

it("says amounts, spans and yes or no in words, and what an id stands for", async () => {
  const params = {
    quota_mib: 4096,
    within_s: 5400,
    is_pinned: true,
    nodes: ["gpu-1", "gpu-2"],
    defaults: { time_limit_s: 7200 },
  };
  const told = { scenario: "aistation" };
  const denied = { ...EVENT, id: 2, outcome: "denied", action: "web.login", params: {} };
  serveAudit(
    page([
      { ...EVENT, object_id: "p1", params },
      { ...denied, object_id: "g1" },
      { ...EVENT, id: 3, object_type: "study", params: told },
    ]),
  );
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  expect(await screen.findByText("The story")).toBeTruthy();
  expect(screen.getByText("Training")).toBeTruthy();
  const lines = screen
    .getAllByRole("term", { hidden: true })
    .map(({ textContent, nextSibling }) => `${textContent}: ${nextSibling?.textContent}`);
  expect(lines).toEqual([
    "Space: 4.0 GiB",
    "Within: 1 h 30 min",
    "Pinned: yes",
    "Nodes: gpu-1, gpu-2",
    "Defaults · Run time: 2 h",
    "Scenario: 32 GPUs, 50 developers",
  ]);
  expect(screen.getByText("Computer Vision")).toBeTruthy();
  expect(screen.getByText("Sign in")).toBeTruthy();
});

it("says thresholds, times of the day and money as people do", async () => {
  const params = {
    ...{ threshold: 720, unit: "minutes", quiet_from: 1320, burst_pct: 150 },
    ...{ outputs_kept_days: 30, money: "1234.50", currency: "EUR" },
  };
  serveAudit(page([{ ...EVENT, params }]));
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  await screen.findAllByRole("term", { hidden: true });
  const values = screen.getAllByRole("definition", { hidden: true });
  expect(values.map(({ textContent }) => textContent)).toEqual([
    ...["12 h", "22:00", "150 %", "30 d", "€1,234.50", "EUR"],
  ]);
});

it("reads changes in both ways in which acts write them, and leaves out what is the same", () => {
  expect(
    detailsOf({ ceiling: { before: 4000, after: null }, pool: "p", name: "x", scopes: ["a", "b"] }),
  ).toEqual([
    { path: ["ceiling"], before: 4000, after: undefined },
    { path: ["pool"], after: "p" },
    { path: ["scopes"], after: ["a", "b"] },
  ]);
  expect(detailsOf({ before: { a: 1, b: 2 }, after: { a: 1, c: "x", d: null } })).toEqual([
    { path: ["b"], before: 2, after: undefined },
    { path: ["c"], before: undefined, after: "x" },
  ]);
  expect(detailsOf({ before: "1.0", after: "1.1" })).toEqual([
    { path: [], before: "1.0", after: "1.1" },
  ]);
  expect(detailsOf({ before: { rules: { a: 1, b: [] } }, after: { rules: { a: 2 } } })).toEqual([
    { path: ["rules", "a"], before: 1, after: 2 },
  ]);
});

async function linesOf(event: object): Promise<string[]> {
  serveAudit(page([{ ...EVENT, ...event }]));
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  const terms = await screen.findAllByRole("term", { hidden: true });
  return terms.map(({ textContent, nextSibling }) => `${textContent}: ${nextSibling?.textContent}`);
}

it.each([
  [
    "en",
    "Lending · Reclaim within: 2 min → 2 min 30 s",
    "Lending · Windows: Monday 20:00 – Tuesday 08:00 → all week",
  ],
  [
    "zh-CN",
    "出借 · 自有工作最多等待: 2分钟 → 2分钟 30秒",
    "出借 · 时段: 星期一 20:00 – 星期二 08:00 → 整周",
  ],
] as const)("says what became different deep in a policy, in %s", async (language, ...lines) => {
  await speak(language);
  const lending = { by_day: true, bound_s: 120, windows: [{ start: 1200, end: 1920 }] };
  const before = { queue: "strict", lending };
  const after = { queue: "strict", lending: { ...lending, bound_s: 150, windows: [] } };
  expect(await linesOf({ params: { name: "training", before, after } })).toEqual(lines);
});

it.each([
  [
    "en",
    "What-if study",
    [
      "Days: 14",
      "Change · Nodes: Same as node gpu-1, Number 2; Same as node gpu-2, Number 1",
      "Change · Pools · Training · Tie-break: Shortest expected first",
      "Change · Quotas: Group Computer Vision, Resource GPUs, Ceiling 12",
    ],
  ],
  [
    "zh-CN",
    "假设推演",
    [
      "天数: 14",
      "改动 · 节点: 与此节点相同 gpu-1, 数量 2; 与此节点相同 gpu-2, 数量 1",
      "改动 · 资源池 · 训练 · 同等条件下的顺序: 预计最短者优先",
      "改动 · 配额: 用户组 计算机视觉, 资源 加速卡, 上限 12",
    ],
  ],
] as const)(
  "says what a study asks, and calls it no story, in %s",
  async (language, name, lines) => {
    await speak(language);
    const change = {
      nodes: [
        { like: "gpu-1", count: 2 },
        { like: "gpu-2", count: 1 },
      ],
      pools: { training: { order: "shortest" } },
      quotas: [{ group: "vision", pool: "", resource: "gpu", ceiling: 12_000 }],
    };
    const params = { title: "", scenario: "", days: 14, change };
    expect(await linesOf({ object_type: "study", params })).toEqual(lines);
    expect(screen.getByText(name)).toBeTruthy();
  },
);

it.each([
  ["en", ["Reason: no right to do this"]],
  ["zh-CN", ["原因: 没有权限"]],
] as const)("says why an act was refused, in %s", async (language, lines) => {
  await speak(language);
  const denied = { action: "pool.manage", outcome: "denied", params: { code: "denied" } };
  expect(await linesOf(denied)).toEqual(lines);
});

it("names the right that a refused act was missing, and how often it was tried again", async () => {
  const denied = { ...EVENT, action: "pool.manage", outcome: "denied", params: { code: "denied" } };
  const again = { ...denied, id: 2, params: { code: "denied", repeats: 41 } };
  serveAudit(page([again, denied]));
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
  const asked = serveAudit(({ url }: { url: string }) =>
    url.includes("cursor") ? page([{ ...EVENT, id: 0 }]) : page([EVENT], next),
  );
  renderPart(<AuditPage />, aMe({ platform_role: "auditor" }));
  await userEvent.click(await screen.findByText("Older"));
  await waitFor(() => expect(asked.some(({ url }) => url.includes("cursor=older"))).toBe(true));
  await userEvent.type(screen.getByLabelText("Actor"), "olga{Enter}");
  await waitFor(() => expect(asked.some(({ url }) => url.includes("actor=olga"))).toBe(true));
});

it("suggests people to who may list them, and takes any name", async () => {
  const people = page([{ id: "u1", username: "li.wei", display_name: "Li Wei" }]);
  const asked = serveAudit(page([EVENT]), { "GET /api/v1/users": people });
  renderPart(<AuditPage />, aMe({ platform_role: "platform_admin" }));
  await userEvent.type(await screen.findByLabelText("Actor"), "wei");
  await userEvent.click(await screen.findByText("li.wei · Li Wei"));
  await waitFor(() => expect(asked.some(({ url }) => url.includes("actor=li.wei"))).toBe(true));
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
  const asked = serveAudit(() => page([...events]));
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
