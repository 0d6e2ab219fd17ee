import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Story, StudyDetail } from "@/shared/api/types";
import { aMe, aNode, aPage, aPool, aQuota } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aStory, aStudy } from "@/testing/studies";
import { StoryFindings } from "./story";
import { StudiesPage } from "./studies-page";
import { StudyPage } from "./study-page";

const VISION = {
  id: "group-1",
  name: "vision",
  title_en: "Computer Vision",
  title_zh: "计算机视觉",
}; // locale-check: a title
const OPERATOR = aMe({ platform_role: "operator" });

function showOne(study: StudyDetail) {
  serve({
    "GET /api/v1/pools": aPage([aPool({ name: "training", title_en: "Training" })]),
    "GET /api/v1/groups": aPage([{ ...VISION, parent: null }]),
  });
  renderPart(<StudyPage study={study} />, OPERATOR);
}

describe("StudyPage", () => {
  it("sets the two tellings beside what was, and says what is better", async () => {
    showOne(aStudy());
    const title = { name: "2 more nodes like gpu-1" };
    expect(await screen.findByRole("heading", title)).toBeTruthy();
    const table = screen.getByRole("table", { name: "Result" });
    const row = within(table).getByRole("row", { name: /Mean wait/ });
    expect(
      within(row)
        .getAllByRole("cell")
        .map((cell) => cell.textContent),
    ).toEqual(["Mean wait", "10 min", "10 min", "1 minbetter"]);
    expect(screen.getByRole("img", { name: /GPUs allocated over time.*80 %.*90 %/ })).toBeTruthy();
    const groups = screen.getByRole("table", { name: "By group" });
    expect(within(groups).getByText("10 min → 1 min")).toBeTruthy();
    expect(await within(groups).findByText("Computer Vision")).toBeTruthy();
  });

  it("calls groups by their titles in both languages", async () => {
    await speak("zh-CN");
    showOne(aStudy());
    expect(await screen.findByText("计算机视觉")).toBeTruthy(); // locale-check: a title
  });

  it("says rules in the words of the policy page, and why there is no answer", async () => {
    const change = {
      pools: { training: { queue: "strict", patience_s: 3600 } },
      quotas: [{ group: "vision", pool: "training", resource: "gpu", unlimited: true }],
      nodes: [],
    };
    showOne(
      aStudy({ title: "Strict?", change, phase: "failed", failure: "no_past", findings: null }),
    );
    expect(await screen.findByRole("heading", { name: "Strict?" })).toBeTruthy();
    expect(
      await screen.findByText(/^Training – When the head of the queue cannot start: Strict order/),
    ).toBeTruthy();
    expect(await screen.findByText("Computer Vision, Training: no ceiling")).toBeTruthy();
    expect(screen.getByText(/nothing to replay/)).toBeTruthy();
  });
});

const TOLD = {
  hoursPerGpuDay: { before: 14.4, after: 22.8 },
  utilisation: { before: 30, after: 80 },
  tasks: { before: 160, after: 368 },
};
const OWN = { hoursPerGpuDay: 9.5, utilisation: null, tasks: 12 };

function showStory(study: Partial<StudyDetail>) {
  const told = { scenario: "aistation", days: 0, findings: null, ...study } as const;
  const tell = (story: Story) => (
    <StoryFindings story={story} told={TOLD} own={OWN} weeks={<p>week by week</p>} />
  );
  renderPart(<StudyPage study={aStudy(told)} tell={tell} />, OPERATOR);
}

describe("the story", () => {
  it("stands beside what was reported, what is possible, and this cluster", async () => {
    showStory({ story: aStory() });
    const title = { name: "The story: 32 GPUs, 50 developers" };
    expect(await screen.findByRole("heading", title)).toBeTruthy();
    const bars = within(screen.getByRole("region", { name: "Hours held per GPU and day" }));
    expect(bars.getByText("14.4 h → 23.7 h")).toBeTruthy();
    expect(bars.getByText("as good as reported, or better")).toBeTruthy();
    expect(bars.getAllByRole("term").map(({ textContent }) => textContent)).toEqual([
      "Reported, before",
      "Simulated, before",
      "Reported, after",
      "Simulated, after",
      "No scheduler can do more",
      "This cluster, last full week",
    ]);
    expect(bars.getByText("22.8 h")).toBeTruthy();
    expect(bars.getByText("9.5 h")).toBeTruthy();
    const use = within(screen.getByRole("region", { name: "GPU use of all installed time" }));
    expect(use.getByText("–")).toBeTruthy();
    const row = screen.getByRole("row", { name: /Evictions in a week/ });
    expect(
      within(row)
        .getAllByRole("cell")
        .map(({ textContent }) => textContent),
    ).toEqual(["Evictions in a week", "0", "43", "–"]);
    expect(
      screen.getByRole("img", { name: /GPUs held over the week: 20 on average/ }),
    ).toBeTruthy();
    expect(screen.getByText("week by week")).toBeTruthy();
    expect(screen.queryByRole("region", { name: "Change" })).toBeNull();
  });

  it("says when it falls short of what was reported", async () => {
    const after = { ...aStory().after, tasks_per_week: 367.5 };
    showStory({ story: aStory({ after }) });
    const bars = within(await screen.findByRole("region", { name: "Jobs done in a week" }));
    expect(bars.getByText("less than reported")).toBeTruthy();
  });

  it("waits for the worker, in both languages", async () => {
    await speak("zh-CN");
    showStory({ story: null, phase: "running" });
    expect(await screen.findByText(/正在把三周模拟两遍/)).toBeTruthy();
  });

  it("is started from the list, with one press", async () => {
    const asked = serve({
      "GET /api/v1/studies": aPage([aStudy({ scenario: "aistation", days: 0 })]),
      "POST /api/v1/studies/stories": aStudy({ scenario: "aistation" }),
    });
    renderPart(<StudiesPage />, OPERATOR);
    expect(await screen.findByRole("link", { name: /^The story/ })).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "Run the story" }));
    await waitFor(() =>
      expect(asked.find(({ route }) => route === "POST /api/v1/studies/stories")?.body).toEqual({
        scenario: "aistation",
      }),
    );
  });
});

async function choose(name: string, option: string) {
  await userEvent.click(await screen.findByRole("combobox", { name }));
  await userEvent.click((await screen.findAllByTitle(option)).at(-1) as Element);
}

describe("StudiesPage", () => {
  it("asks about another server", async () => {
    const asked = serve({
      "GET /api/v1/studies": aPage([]),
      "GET /api/v1/pools": aPage([aPool()]),
      "GET /api/v1/nodes": aPage([aNode({ id: "node-1", name: "gpu-1" })]),
      "POST /api/v1/studies": aStudy(),
    });
    renderPart(<StudiesPage />, OPERATOR);
    expect(await screen.findByText("No studies yet")).toBeTruthy();
    await userEvent.click(screen.getByRole("button", { name: "New study" }));
    await userEvent.click(await screen.findByRole("combobox", { name: "Same as node" }));
    await userEvent.click(await screen.findByTitle("gpu-1"));
    await userEvent.click(screen.getByRole("button", { name: "Run study" }));
    await waitFor(() => expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(true));
    expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
      title: "",
      days: 14,
      nodes: [{ like: "node-1", count: 1 }],
    });
  });

  it("tries several changes together", async () => {
    const asked = serve({
      "GET /api/v1/studies": aPage([]),
      "GET /api/v1/pools": aPage([aPool({ id: "pool-1", title_en: "Training" })]),
      "GET /api/v1/nodes": aPage([aNode({ id: "node-1", name: "gpu-1" })]),
      "POST /api/v1/studies": aStudy(),
    });
    renderPart(<StudiesPage />, OPERATOR);
    const press = async (name: string) =>
      userEvent.click(await screen.findByRole("button", { name }));
    await press("New study");
    await choose("Same as node", "gpu-1");
    await press("Add a change");
    const second = await screen.findByRole("group", { name: "Change 2" });
    await userEvent.click(within(second).getByRole("combobox", { name: "Change" }));
    await userEvent.click(
      (await screen.findAllByTitle("Another rule of a pool")).at(-1) as Element,
    );
    await choose("Pool", "Training");
    await choose(
      "Rule",
      "When the head of the queue cannot start: Strict order: later jobs wait too",
    );
    await press("Run study");
    await waitFor(() => expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(true));
    expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
      title: "",
      days: 14,
      nodes: [{ like: "node-1", count: 1 }],
      pools: [{ pool: "pool-1", policy: { queue: "strict" } }],
    });
  });

  it("tries a quota over all pools unless one is chosen, and says what holds now", async () => {
    const group = { ...VISION, path: VISION.name };
    const asked = serve({
      "GET /api/v1/studies": aPage([]),
      "GET /api/v1/pools": aPage([aPool({ id: "pool-1", title_en: "Training" })]),
      "GET /api/v1/groups": aPage([{ ...VISION, parent: null }]),
      "GET /api/v1/quotas": [
        aQuota({ group, pool: null, deserved: 4000, ceiling: 6000 }),
        aQuota({ id: "q2", group, pool: null, resource: "cpu", ceiling: 64_000 }),
      ],
      "POST /api/v1/studies": aStudy(),
    });
    renderPart(<StudiesPage />, OPERATOR);
    await userEvent.click(await screen.findByRole("button", { name: "New study" }));
    await choose("Change", "Another quota of a group");
    await choose("Group", "Computer Vision");
    expect(await screen.findByText("Now: all pools: deserved 4, ceiling 6.")).toBeTruthy();
    await choose("Pool", "Training");
    expect(await screen.findByText(/^The group has no such quota/)).toBeTruthy();
    expect(screen.getByText("Still in force: all pools: deserved 4, ceiling 6.")).toBeTruthy();
    await choose("Pool", "All pools");
    await userEvent.type(screen.getByLabelText("Ceiling"), "12");
    await userEvent.click(screen.getByRole("button", { name: "Run study" }));
    await waitFor(() => expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(true));
    expect(asked.find(({ route }) => route.startsWith("POST"))?.body).toEqual({
      title: "",
      days: 14,
      quotas: [{ group: "group-1", pool: null, resource: "gpu", ceiling: 12_000 }],
    });
  });

  it("lists nodes and groups in the order of their names", async () => {
    const names = ["gpu-10", "gpu-2"];
    serve({
      "GET /api/v1/studies": aPage([]),
      "GET /api/v1/nodes": aPage(names.map((name) => aNode({ id: name, name }))),
      "GET /api/v1/groups": aPage([
        { ...VISION, parent: null },
        { ...VISION, id: "group-2", name: "audio", title_en: "Audio", parent: null },
      ]),
    });
    renderPart(<StudiesPage />, OPERATOR);
    await userEvent.click(await screen.findByRole("button", { name: "New study" }));
    const offered = async (first: string) => {
      await screen.findByTitle(first);
      return [...document.querySelectorAll("[title]")].map(({ textContent }) => textContent);
    };
    await userEvent.click(await screen.findByRole("combobox", { name: "Same as node" }));
    const nodes = await offered("gpu-2");
    expect(nodes.filter((name) => name.startsWith("gpu"))).toEqual(["gpu-2", "gpu-10"]);
    await choose("Change", "Another quota of a group");
    await userEvent.click(await screen.findByRole("combobox", { name: "Group" }));
    const groups = await offered("Audio");
    expect(groups.indexOf("Audio")).toBeLessThan(groups.indexOf("Computer Vision"));
  });

  it("offers nothing to those who may not ask", async () => {
    serve({ "GET /api/v1/studies": () => problem(403, "denied", { detail: "You may not." }) });
    renderPart(<StudiesPage />, aMe({ platform_role: "" }));
    expect(await screen.findByText("You may not.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "New study" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Run the story" })).toBeNull();
  });
});
