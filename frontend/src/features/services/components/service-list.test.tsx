import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { Service } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aService, ONE_SERVICE } from "@/testing/services";
import type { ServiceSearch } from "../model/service";
import { ServiceActions } from "./service-actions";
import { ServiceList } from "./service-list";

function show(services: Service[], { me = aMe(), routes = {}, search = {} as ServiceSearch } = {}) {
  const asked = serve({
    "GET /api/v1/services": aPage(services),
    "GET /api/v1/config": { inference_url: "https://models.example.org" },
    ...routes,
  });
  const searched: ServiceSearch[] = [];
  renderPart(
    <ServiceList
      search={search}
      group={null}
      onSearch={(next) => searched.push(next)}
      empty={<p>none</p>}
    />,
    me,
  );
  return { asked, searched };
}

async function openActions(name: string) {
  await userEvent.click(
    await screen.findByRole("button", { name: `More actions for ${name}` }, { timeout: 15_000 }),
  );
}

const sent = (asked: ReturnType<typeof serve>, route: string) =>
  asked.filter((each) => each.route === route);

it("says how each service stands, with numbers and its address", async () => {
  const short = aService({
    status: "degraded",
    replicas: { ...aService().replicas, ready: 1, starting: 1 },
    canary: { revision: 2, percent: 10 },
  });
  show([short]);
  const row = await screen.findByRole("row", { name: /chat/ });
  expect(within(row).getByText("Degraded")).toBeTruthy();
  expect(
    within(row).getByText("1 of 2 replicas answer; 0 wait in the queue and 1 start."),
  ).toBeTruthy();
  expect(within(row).getByText("1 of 2 ready")).toBeTruthy();
  expect(within(row).getByText("may be 1…4")).toBeTruthy();
  expect(within(row).getByText("first token within 2 s")).toBeTruthy();
  expect(within(row).getByText("10 % to revision 2")).toBeTruthy();
  expect(
    (await within(row).findByTitle("https://models.example.org/vision/chat")).textContent,
  ).toBe("/vision/chat");
});

it("stops a service only after it has named what that does", async () => {
  const { asked } = show([aService()], { routes: { [`POST ${ONE_SERVICE}/stop`]: aService() } });
  await openActions("chat");
  await userEvent.click(await screen.findByRole("button", { name: "Stop chat" }));
  expect(
    await screen.findByText(/2 replicas finish what they answer, then end\. Requests are refused/),
  ).toBeTruthy();
  expect(sent(asked, `POST ${ONE_SERVICE}/stop`)).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));
  await waitFor(() => expect(sent(asked, `POST ${ONE_SERVICE}/stop`)).toHaveLength(1));
});

it("starts one again that was stopped or given up, and deletes", async () => {
  const { asked } = show([aService({ status: "failed" })], {
    routes: {
      [`POST ${ONE_SERVICE}/start`]: aService(),
      [`DELETE ${ONE_SERVICE}`]: () => new Response(null, { status: 204 }),
    },
  });
  expect(
    await screen.findByText("Revision 1 was given up because its replicas did not start."),
  ).toBeTruthy();
  await openActions("chat");
  await userEvent.click(await screen.findByRole("button", { name: "Start chat" }));
  await waitFor(() => expect(sent(asked, `POST ${ONE_SERVICE}/start`)).toHaveLength(1));
  await userEvent.click(screen.getByRole("button", { name: "Delete chat" }));
  expect(await screen.findByText(/its keys open nothing any more/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(sent(asked, `DELETE ${ONE_SERVICE}`)).toHaveLength(1));
});

it("leaves the page of a service that was deleted", async () => {
  serve({ [`DELETE ${ONE_SERVICE}`]: () => new Response(null, { status: 204 }) });
  const left: string[] = [];
  renderPart(<ServiceActions service={aService()} onDeleted={() => left.push("left")} />);
  await openActions("chat");
  await userEvent.click(await screen.findByRole("button", { name: "Delete chat" }));
  expect(await screen.findByText(/2 replicas finish what they answer/)).toBeTruthy();
  expect(left).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Delete" }));
  await waitFor(() => expect(left).toEqual(["left"]));
});

it("scales one, and shows a refusal at its field", async () => {
  const refusal = problem(422, "invalid", {
    errors: [
      {
        pointer: "/replicas_max",
        code: "replicas_reversed",
        detail: "Fewer than the least.",
        params: {},
      },
    ],
  });
  const { asked } = show([aService()], { routes: { [`POST ${ONE_SERVICE}/scale`]: refusal } });
  await openActions("chat");
  await userEvent.click(await screen.findByRole("button", { name: "Scale chat" }));
  const most = await screen.findByRole("spinbutton", { name: "Most replicas" });
  await userEvent.clear(most);
  await userEvent.type(most, "8");
  await userEvent.click(screen.getByRole("button", { name: "Scale" }));
  await waitFor(() =>
    expect(sent(asked, `POST ${ONE_SERVICE}/scale`)[0]?.body).toEqual({
      replicas_min: 1,
      replicas_max: 8,
      replicas: 2,
    }),
  );
  expect(await screen.findByText("Fewer than the least.")).toBeTruthy();
});

it("offers no action to those who may only look", async () => {
  const other = { id: "user-2", username: "zhao", display_name: "Zhao" };
  show([aService({ owner: other })]);
  expect(await screen.findByText("chat")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "More actions for chat" })).toBeNull();
});

it("searches by what the address says", async () => {
  const { asked, searched } = show([], { search: { state: "stopped", mine: true, q: "ch" } });
  expect(await screen.findByText("none")).toBeTruthy();
  const [listed] = sent(asked, "GET /api/v1/services");
  const query = new URL(listed?.url ?? "").searchParams;
  expect(Object.fromEntries(query)).toMatchObject({ state: "stopped", mine: "true", search: "ch" });
  await userEvent.click(screen.getByRole("radio", { name: "All" }));
  expect(searched).toEqual([{ state: undefined, mine: true, q: "ch" }]);
});

it("speaks Chinese", async () => {
  await speak("zh-CN");
  show([aService({ status: "at_zero" })]);
  expect(await screen.findByText("零副本待命")).toBeTruthy();
  expect(screen.getByText("首个词元在 2秒 内")).toBeTruthy();
});
