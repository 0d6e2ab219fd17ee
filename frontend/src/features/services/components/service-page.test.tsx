import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe, aPage } from "@/testing/factories";
import { type Asked, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aReplica, aRevision, aService, ONE_SERVICE } from "@/testing/services";
import { ServicePage } from "./service-page";

const AT = "2026-03-01T09:00:00Z";
const vllm = {
  name: "vllm",
  title: "vLLM",
  about_en: "",
  about_zh: "",
  command: ["vllm", "serve", "{model}"],
  readiness_path: "/health",
  metrics_path: "/metrics",
  speaks_openai: true,
  needs_model: true,
  drain_s: 600,
  start_deadline_s: 1800,
};

async function show(
  tab: string,
  { service = aService(), me = aMe(), routes = {} as Record<string, unknown> } = {},
) {
  const asked = serve({
    "GET /api/v1/config": { inference_url: "https://models.example.org" },
    "GET /api/v1/service-presets": { presets: [vllm] },
    [`GET ${ONE_SERVICE}/replicas`]: aPage([aReplica()]),
    [`GET ${ONE_SERVICE}/steps`]: aPage([]),
    [`GET ${ONE_SERVICE}/revisions`]: aPage([aRevision()]),
    [`GET ${ONE_SERVICE}/keys`]: aPage([]),
    ...routes,
  });
  renderPart(<ServicePage service={service} />, me);
  await userEvent.click(await screen.findByRole("tab", { name: tab }));
  return asked;
}

const sent = (asked: Awaited<ReturnType<typeof show>>, route: string) =>
  asked.filter((each) => each.route === route);
const press = async (name: string) =>
  userEvent.click(await screen.findByRole("button", { name }, { timeout: 15_000 }));

it("says where it answers, with a first request by the paths of its server", async () => {
  await show("Overview");
  const panel = await screen.findByRole("region", { name: "Address" });
  expect(await within(panel).findByText("https://models.example.org/vision/chat")).toBeTruthy();
  const curl = await within(panel).findByText(/v1\/chat\/completions/);
  expect(curl.textContent).toContain('"model":"/volumes/models/qwen"');
});

it("shows what carries the load, and why there are so many replicas", async () => {
  await show("Overview", {
    routes: {
      [`GET ${ONE_SERVICE}/replicas`]: ({ url }: Asked) =>
        url.includes("ended=true")
          ? aPage([aReplica({ id: "replica-3", name: "chat-3", stage: null, state: "cancelled" })])
          : aPage([
              aReplica({ id: "replica-2", name: "chat-2", open_requests: 3, draining_since: AT }),
              aReplica({ open_requests: 5 }),
            ]),
      [`GET ${ONE_SERVICE}/steps`]: aPage([
        {
          id: 2,
          at: AT,
          code: "unneeded",
          params: { replicas: 3, needed: 2, unneeded_ms: 90_000 },
          before: 3,
          after: 2,
        },
        { id: 1, at: AT, code: "by_hand", params: {}, before: 1, after: 3 },
      ]),
    },
  });
  expect(await screen.findByText("8")).toBeTruthy();
  const draining = await screen.findByRole("row", { name: /chat-2/ });
  expect(within(draining).getByText(/No new requests since/)).toBeTruthy();
  const names = screen.getAllByRole("link", { name: /^chat-/ }).map((each) => each.textContent);
  expect(names).toEqual(["chat-1", "chat-2"]);
  await userEvent.click(screen.getByText("Replicas that have ended"));
  const link = await screen.findByRole("link", { name: "chat-3" });
  expect(link.getAttribute("href")).toBe("/replicas/replica-3");
  const steps = await screen.findByRole("list", { name: "Why so many replicas" });
  expect(steps.textContent).toContain("3 → 2");
  expect(steps.textContent).toContain("3 replicas were more than the 2 needed for 1 min 30 s.");
  expect(steps.textContent).toContain("Set by hand.");
});

it("says why it is not ready, also in Chinese", async () => {
  await speak("zh-CN");
  await show("概览", {
    service: aService({ refusal: { code: "service_refused_somehow", params: {} } }),
  });
  expect(await screen.findByText("有副本无法进入队列：service_refused_somehow")).toBeTruthy();
});

it("rolls back only after it has named what that does", async () => {
  const service = aService({ revision: 2 });
  const asked = await show("Revisions", {
    service,
    routes: {
      [`GET ${ONE_SERVICE}/revisions`]: aPage([
        aRevision({ number: 2, proved_at: null }),
        aRevision(),
      ]),
      [`POST ${ONE_SERVICE}/roll-back`]: aService(),
    },
  });
  await press("More actions for revision 1");
  await press("Roll back to revision 1");
  expect(
    await screen.findByText(
      /Replicas of revision 1 start and take the place of those of revision 2/,
    ),
  ).toBeTruthy();
  await press("Roll back");
  await waitFor(() =>
    expect(sent(asked, `POST ${ONE_SERVICE}/roll-back`)[0]?.body).toEqual({ revision: 1 }),
  );
  expect(screen.queryByRole("button", { name: "More actions for revision 2" })).toBeNull();
});

it("takes a canary, of which it shows the part", async () => {
  const asked = await show("Revisions", {
    service: aService({ canary: { revision: 2, percent: 10 } }),
    routes: {
      [`GET ${ONE_SERVICE}/revisions`]: aPage([aRevision({ number: 2 }), aRevision()]),
      [`DELETE ${ONE_SERVICE}/canary`]: aService({ revision: 2 }),
    },
  });
  expect(await screen.findByText("10 %")).toBeTruthy();
  expect(screen.getByText("90 %")).toBeTruthy();
  await press("More actions for revision 2");
  await press("Take revision 2");
  await press("Take");
  await waitFor(() => {
    const [ended] = sent(asked, `DELETE ${ONE_SERVICE}/canary`);
    expect(new URL(ended?.url ?? "").searchParams.get("taken")).toBe("true");
  });
});

it("rolls a change out under the version that was seen, at first as a canary", async () => {
  const asked = await show("Revisions", {
    routes: {
      "GET /api/v1/images": aPage([]),
      [`PATCH ${ONE_SERVICE}`]: aService({ revision: 2 }),
    },
  });
  await press("Change…");
  const further = await screen.findByRole("textbox", { name: "Further arguments" });
  await userEvent.clear(further);
  await userEvent.type(further, "--dtype half");
  await userEvent.type(
    screen.getByRole("spinbutton", { name: "Part of the requests at first" }),
    "5",
  );
  await press("Roll out");
  await waitFor(() =>
    expect(sent(asked, `PATCH ${ONE_SERVICE}`)[0]?.body).toEqual({
      image: "vllm",
      model: "/volumes/models/qwen",
      command: [],
      arguments: ["--dtype", "half"],
      canary_pct: 5,
      version: 7,
    }),
  );
});

it("shows a new key once, with a request that uses it", async () => {
  const issued = { id: "key-1", name: "app", hint: "wxyz", secret: "berth_sk_wxyz" };
  const asked = await show("Keys", { routes: { [`POST ${ONE_SERVICE}/keys`]: issued } });
  expect(await screen.findByText("No keys yet")).toBeTruthy();
  await press("Create key");
  await userEvent.type(await screen.findByRole("textbox", { name: "Name" }), "app");
  await userEvent.type(screen.getByRole("spinbutton", { name: "Requests a minute" }), "60");
  await userEvent.click(screen.getAllByRole("button", { name: "Create key" }).at(-1) as Element);
  expect(await screen.findByText("berth_sk_wxyz")).toBeTruthy();
  expect(screen.getByText(/export BERTH_SERVICE_KEY=berth_sk_wxyz/)).toBeTruthy();
  expect(sent(asked, `POST ${ONE_SERVICE}/keys`)[0]?.body).toEqual({
    name: "app",
    requests_per_min: 60,
    tokens_per_min: null,
    expires_at: null,
  });
  await userEvent.keyboard("{Escape}");
  expect(screen.getByText("berth_sk_wxyz")).toBeTruthy();
  await press("I have copied it");
  await waitFor(() => expect(screen.queryByText("berth_sk_wxyz")).toBeNull());
});

it("lists keys with their limits, and revokes one", async () => {
  const key = {
    ...{ id: "key-1", name: "app", hint: "wxyz", requests_per_min: 60, tokens_per_min: null },
    ...{ created_by: aMe(), created_at: AT, expires_at: null },
  };
  const asked = await show("Keys", {
    routes: {
      [`GET ${ONE_SERVICE}/keys`]: aPage([key]),
      [`DELETE ${ONE_SERVICE}/keys/key-1`]: () => new Response(null, { status: 204 }),
    },
  });
  const row = await screen.findByRole("row", { name: /app/ });
  expect(within(row).getByText("60")).toBeTruthy();
  expect(within(row).getByText("No limit")).toBeTruthy();
  await press("Revoke app");
  expect(await screen.findByText(/every program that uses app is refused/)).toBeTruthy();
  await press("Revoke");
  await waitFor(() => expect(sent(asked, `DELETE ${ONE_SERVICE}/keys/key-1`)).toHaveLength(1));
});

it("changes what it promises: another class brings its own target", async () => {
  const asked = await show("Settings", { routes: { [`PATCH ${ONE_SERVICE}`]: aService() } });
  expect(await screen.findByText("Latency · first token within 2 s")).toBeTruthy();
  await press("Change…");
  await userEvent.click(await screen.findByRole("radio", { name: "Throughput" }));
  await userEvent.type(await screen.findByRole("spinbutton", { name: "Requests a second" }), "2.5");
  await press("Save");
  await waitFor(() =>
    expect(sent(asked, `PATCH ${ONE_SERVICE}`)[0]?.body).toEqual({
      quality: "throughput",
      rate_milli: 2500,
      replicas_min: 1,
      replicas_max: 4,
      hold_max: 1000,
      hold_deadline_s: 300,
      drain_s: 600,
      version: 7,
    }),
  );
});

it("lets those who may only look change nothing", async () => {
  const owner = { id: "user-2", username: "zhao", display_name: "Zhao" };
  await show("Settings", { service: aService({ owner }) });
  expect(await screen.findByText("Latency · first token within 2 s")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Change…" })).toBeNull();
  expect(screen.queryByRole("button", { name: "More actions for chat" })).toBeNull();
});
