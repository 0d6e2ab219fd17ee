import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe, aNode, aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { QuickAccess } from "./quick";
import { QuickButton } from "./quick-button";
import { useQuickKeys } from "./quick-keys";

function Keys() {
  const [quick, setQuick] = useQuickKeys();
  return (
    <>
      <input aria-label="field" />
      <div className="xterm">
        <input aria-label="terminal" />
      </div>
      {quick && <QuickAccess quick={quick} onClose={() => setQuick(null)} />}
    </>
  );
}

const palette = () => screen.queryByRole("dialog", { name: "Search and act" });
const keys = () => screen.queryByRole("dialog", { name: "Keyboard shortcuts" });

it("opens by Ctrl-K from any field but a terminal, and finds pages and work by keys alone", async () => {
  const hit = { id: "1", name: "vision-run", detail: "Li", state: "running", array: null };
  const person = { ...hit, kind: "person", id: "2", name: "vision.wu", state: "" };
  const asked = serve({ "GET /api/v1/search": { hits: [{ ...hit, kind: "training" }, person] } });
  renderPart(<Keys />);
  const user = userEvent.setup();
  await user.click(await screen.findByLabelText("terminal"));
  await user.keyboard("{Control>}k{/Control}");
  expect(palette()).toBeNull();
  await user.click(screen.getByLabelText("field"));
  await user.keyboard("{Control>}k{/Control}");
  const field = await screen.findByRole("combobox", { name: /Search pages/ });
  await user.type(field, "vision");
  const option = await screen.findByRole("option", { name: /vision-run/ });
  expect(option.getAttribute("aria-selected")).toBe("true");
  expect(field.getAttribute("aria-activedescendant")).toBe(option.id);
  expect(screen.getByRole("option", { name: /vision.wu/ })).toBeTruthy();
  expect(asked.filter(({ route }) => route === "GET /api/v1/search")).toHaveLength(1);
  await user.clear(field);
  await user.type(field, "queue");
  expect(within(screen.getByRole("listbox")).getByRole("option", { name: "Queue" })).toBeTruthy();
  await user.keyboard("{Enter}");
  await waitFor(() => expect(palette()).toBeNull());
});

const OPERATOR = aMe({ platform_role: "operator" });
const NODE = { kind: "node", id: "node-1", name: "gpu-dev-1", detail: "Development", array: null };
const DRAIN = "POST /api/v1/nodes/node-1/drain";

/** Press the field of the frame, and type. */
async function ask(text: string) {
  const user = userEvent.setup();
  await user.click(await screen.findByRole("button", { name: "Search and act (Ctrl-K)" }));
  await user.type(await screen.findByRole("combobox", { name: /Search pages/ }), text);
  return user;
}

it("drains a node by keys, after the question of its page", async () => {
  const asked = serve({
    "GET /api/v1/search": { hits: [{ ...NODE, state: "ready" }] },
    "GET /api/v1/nodes/node-1": aNode({ containers_held: 2 }),
    [DRAIN]: aNode(),
  });
  renderPart(<QuickButton />, OPERATOR);
  const user = await ask("drain gpu");
  await screen.findByRole("option", { name: "Drain gpu-dev-1" });
  await user.keyboard("{Enter}");
  const question = within(await screen.findByRole("dialog", { name: "Drain gpu-dev-1?" }));
  expect(await question.findByText(/2 containers run there now\./)).toBeTruthy();
  expect(asked.map(({ route }) => route)).not.toContain(DRAIN);
  await user.click(question.getByRole("button", { name: "Drain" }));
  await waitFor(() => expect(asked.map(({ route }) => route)).toContain(DRAIN));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

it("offers no drain to others, for whom the word is a part of a name", async () => {
  const asked = serve({ "GET /api/v1/search": { hits: [{ ...NODE, state: "ready" }] } });
  renderPart(<QuickButton />);
  await ask("drain gpu");
  expect(await screen.findByRole("option", { name: /^gpu-dev-1/ })).toBeTruthy();
  expect(screen.queryByRole("option", { name: /Drain/ })).toBeNull();
  expect(asked.map(({ url }) => url).join()).toContain("text=drain%20gpu");
});

it("stops work that the server lets one stop, after a question", async () => {
  const stop = "POST /api/v1/jobs/workload-1/cancel";
  const works = [
    { ...aWorkload({ name: "night-run" }), actions: ["cancel"] },
    { ...aWorkload({ id: "workload-2", name: "night-owl" }), actions: [] },
  ];
  const asked = serve({ "GET /api/v1/workloads": aPage(works), [stop]: {} });
  renderPart(<QuickButton />);
  const user = await ask("stop");
  const option = await screen.findByRole("option", { name: /Stop night-run/ });
  expect(screen.queryByRole("option", { name: /night-owl/ })).toBeNull();
  await user.click(option);
  const question = within(await screen.findByRole("dialog", { name: "Stop night-run" }));
  expect(asked.map(({ route }) => route)).not.toContain(stop);
  await user.click(question.getByRole("button", { name: "Stop" }));
  await waitFor(() => expect(asked.map(({ route }) => route)).toContain(stop));
});

it("begins a command by a choice, and finds guides by their titles", async () => {
  const list = "# Using Berth\n\n1. [Why my work waits](waiting.md), until when.\n";
  serve({
    "GET /guides/users/README.md": () =>
      new Response(list, { headers: { "Content-Type": "text/markdown" } }),
    "GET /api/v1/workloads": aPage([]),
    "GET /api/v1/search": { hits: [] },
  });
  renderPart(<QuickButton />);
  const user = await ask("waits");
  expect(await screen.findByRole("option", { name: "Why my work waits" })).toBeTruthy();
  const field = screen.getByRole("combobox");
  await user.clear(field);
  expect(screen.queryByRole("option", { name: "Why my work waits" })).toBeNull();
  await user.click(screen.getByRole("option", { name: "Stop work…" }));
  expect(field).toHaveProperty("value", "stop ");
  expect(await screen.findByText(/Nothing found for/)).toBeTruthy();
});

it("lists the keys by a question mark, but not while somebody types", async () => {
  serve({});
  renderPart(<Keys />);
  const user = userEvent.setup();
  await user.type(await screen.findByLabelText("field"), "?");
  expect(keys()).toBeNull();
  await user.tab({ shift: true });
  await user.keyboard("?");
  expect(await screen.findByRole("dialog", { name: "Keyboard shortcuts" })).toBeTruthy();
  expect(screen.getByText("Go to Queue")).toBeTruthy();
  await speak("zh-CN");
  expect(screen.getByText("键盘快捷键")).toBeTruthy(); // locale-check: the expected text
});
