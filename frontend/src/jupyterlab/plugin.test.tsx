import { afterEach, expect, test, vi } from "vitest";
import { createPlugins } from "./plugin";

const PAGE = `<!doctype html><title>Stopped</title><main><h1>sam has stopped</h1>
<nav><a class="start" href="https://portal.example.org/notebooks/1">Start it</a></nav></main>`;

afterEach(() => {
  vi.useRealTimers();
  document.body.replaceChildren();
});

/** JupyterLab's packages as far as the extension uses them; `answer` is the gateway's. */
async function labWith(answer: () => Response) {
  const packages: Record<string, object> = {
    "@jupyterlab/apputils": { Notification: { emit: () => "notice", dismiss: () => {} } },
    "@jupyterlab/services": { ServerConnection: { makeRequest: async () => answer() } },
    "@lumino/widgets": { Widget: class {} },
  };
  const plugins = await createPlugins(async (name) => ({ ...packages[name] }));
  const lab = {
    commands: { addCommand() {}, notifyCommandChanged() {} },
    serviceManager: { serverSettings: { baseUrl: "/e/1/" } },
  };
  const main = plugins[0] as { activate: (...services: unknown[]) => void };
  main.activate(lab, { currentWidget: null }, { registerStatusItem() {} }, null, null);
}

const status = {
  ...{ name: "sam", is_own: true, now: "2026-11-23T10:00:00Z", ends_at: null, gpu: null },
  ...{ idle: null, notices: [], page_url: "", job_form_url: null, language: "en" },
};

test("covers JupyterLab with the page of a stopped notebook, which leads to a start", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let answer = () => Response.json(status);
  await labWith(() => answer());
  await vi.advanceTimersByTimeAsync(100);
  expect(document.querySelector(".berth-stopped")).toBeNull();

  answer = () => new Response("down", { status: 502 });
  await vi.advanceTimersByTimeAsync(15_000);
  answer = () => new Response(PAGE, { status: 424 });
  await vi.advanceTimersByTimeAsync(5_000);
  const cover = document.querySelector(".berth-stopped");
  expect(cover?.querySelector("h1")?.textContent).toBe("sam has stopped");
  const start = cover?.querySelector("a");
  expect([start?.href, start?.target]).toEqual([
    "https://portal.example.org/notebooks/1",
    "_blank",
  ]);

  await vi.advanceTimersByTimeAsync(60_000);
  expect(document.querySelectorAll(".berth-stopped")).toHaveLength(1);
});
