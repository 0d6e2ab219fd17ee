import { fireEvent, screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { ServicePreset } from "@/shared/api/types";
import { anImage, aPage, aPool } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aService } from "@/testing/services";
import { ServiceForm } from "./service-form";

const CREATE = "POST /api/v1/services";
const DRY_RUN = "POST /api/v1/workloads/dry-run";
const preset = (name: string, fields: Partial<ServicePreset> = {}): ServicePreset => ({
  ...{ name, title: name, about_en: `about ${name}`, about_zh: `关于 ${name}`, command: [] },
  ...{ readiness_path: "/", metrics_path: "", speaks_openai: false, needs_model: false },
  ...{ drain_s: 60, start_deadline_s: 600 },
  ...fields,
});
const presets = [
  preset("vllm", { title: "vLLM", command: ["vllm", "serve", "{model}"], needs_model: true }),
  preset("http", { title: "HTTP" }),
];
const { limits } = aPool();
const choices = {
  groups: [{ id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" }],
  pools: [aPool({ mode: "exclusive", slices_per_card: 1, limits: { ...limits, gpus_max: 8 } })],
  images: [anImage()],
  group: "vision",
} as const;

function open(routes: Record<string, unknown> = {}) {
  const created: string[] = [];
  const asked = serve({
    "GET /api/v1/nodes": aPage([]),
    "GET /api/v1/volumes": aPage([]),
    [DRY_RUN]: problem(422, "invalid", { detail: "Not now." }),
    [CREATE]: aService(),
    ...routes,
  });
  renderPart(
    <ServiceForm {...choices} presets={presets} onCreated={({ id }) => created.push(id)} />,
  );
  const sent = (route: string) => asked.filter((each) => each.route === route);
  return { sent, created };
}

/** All of it at once: each letter would draw the whole form. */
const fill = async (name: string, value: string) =>
  fireEvent.change(await screen.findByRole("textbox", { name }), { target: { value } });
const press = async (name: string) => fireEvent.click(await screen.findByText(name));

it("creates what was filled in, and asks about the same before", async () => {
  const { sent, created } = open();
  await fill("Name", "chat");
  await fill("Model", "/volumes/models/qwen");
  await press("Create service");
  await waitFor(() => expect(created).toEqual(["service-1"]));
  const [asked] = sent(CREATE);
  expect(asked?.body).toMatchObject({
    ...{ name: "chat", group: "vision", preset: "vllm", model: "/volumes/models/qwen", gpus: 1 },
    ...{ quality: "latency", target_ms: 2000, is_first_token: true },
    ...{ replicas_min: 1, replicas_max: 1 },
  });
  expect(asked?.headers.get("Idempotency-Key")).toBeTruthy();
  await waitFor(() =>
    expect(sent(DRY_RUN).at(-1)?.body).toEqual({ kind: "replica", ...(asked?.body as object) }),
  );
});

it("asks about the whole service before anything is filled in, and marks no field", async () => {
  const { sent } = open();
  await waitFor(() =>
    expect(sent(DRY_RUN).at(-1)?.body).toMatchObject({
      ...{ kind: "replica", name: "service", preset: "vllm", model: "model", gpus: 1 },
      ...{ quality: "latency", target_ms: 2000, replicas_min: 1, replicas_max: 1 },
    }),
  );
  expect(document.querySelector(".ant-form-item-has-error")).toBeNull();
  await userEvent.click(screen.getByRole("radio", { name: /HTTP/ }));
  await waitFor(() =>
    expect(sent(DRY_RUN).at(-1)?.body).toMatchObject({ preset: "http", command: ["server"] }),
  );
});

it("asks for what the chosen server does not bring", async () => {
  const { sent } = open();
  await fill("Name", "chat");
  await press("Create service");
  expect(
    await screen.findByText("Name the model: the command of this server needs one."),
  ).toBeTruthy();
  await userEvent.click(screen.getByRole("radio", { name: /HTTP/ }));
  await press("Create service");
  expect(await screen.findByText("Enter the command that starts the server.")).toBeTruthy();
  expect(sent(CREATE)).toEqual([]);
  await fill("Command", "python3 -m http.server");
  await press("Create service");
  await waitFor(() =>
    expect(sent(CREATE)[0]?.body).toMatchObject({
      preset: "http",
      command: ["python3", "-m", "http.server"],
    }),
  );
});

it("marks the field that the server refuses, and names it beside the button", async () => {
  open({
    [CREATE]: problem(409, "service_name_taken", {
      errors: [
        { pointer: "/name", code: "service_name_taken", detail: "It is taken.", params: {} },
      ],
    }),
  });
  await fill("Name", "chat");
  await fill("Model", "m");
  await press("Create service");
  expect(await screen.findByText("It is taken.")).toBeTruthy();
  expect(await screen.findByRole("button", { name: "Name" })).toBeTruthy();
});

it("says in Chinese what each server is for", async () => {
  await speak("zh-CN");
  open();
  expect(await screen.findByText("关于 http")).toBeTruthy();
  expect(screen.getByRole("button", { name: "创建服务" })).toBeTruthy();
});
