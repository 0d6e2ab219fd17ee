import { cleanup, fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import type { ServiceDetail } from "@/shared/api/types";
import { aMe } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { aRevision, aService, ONE_SERVICE } from "@/testing/services";
import { TryTab } from "./try-tab";

const CHAT = "POST /vision/chat/v1/chat/completions";
const ISSUE = `POST ${ONE_SERVICE}/keys`;
const REVOKE = `DELETE ${ONE_SERVICE}/keys/key-1`;
const openai = { name: "vllm", speaks_openai: true };
const words = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const events = (...said: string[]) =>
  new Response(`${said.map(words).join("")}data: [DONE]\n\n`, {
    headers: { "Content-Type": "text/event-stream" },
  });

function open(routes: Record<string, unknown>, service: ServiceDetail = aService(), me = aMe()) {
  const asked = serve({
    "GET /api/v1/config": { inference_url: "https://models.example.org" },
    "GET /api/v1/service-presets": { presets: [openai, { name: "http", speaks_openai: false }] },
    [ISSUE]: { id: "key-1", secret: "short-lived" },
    [REVOKE]: new Response(null, { status: 204 }),
    ...routes,
  });
  renderPart(<TryTab service={service} />, me);
  return (route: string) => asked.filter((each) => each.route === route);
}

const fill = async (name: string, value: string) =>
  fireEvent.change(await screen.findByLabelText(name), { target: { value } });
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));
const answer = () => screen.findByRole<HTMLTextAreaElement>("textbox", { name: "Answer" });

it("chats with a key made for the try, which is revoked when the reader leaves", async () => {
  const sent = open({ [CHAT]: () => events("Good ", "day") });
  await fill("Message", "Hello");
  await press("Send");
  await waitFor(async () => expect((await answer()).value).toBe("Good day"));
  const [call] = sent(CHAT);
  expect(call?.headers.get("Authorization")).toBe("Bearer short-lived");
  expect(call?.url.startsWith("https://models.example.org/vision/chat/")).toBe(true);
  expect(call?.body).toMatchObject({ model: "/volumes/models/qwen", stream: true });
  await press("Send");
  await waitFor(() => expect(sent(CHAT).length).toBe(2));
  expect(sent(ISSUE).map(({ body }) => (body as { name: string }).name)).toEqual(["try"]);
  cleanup();
  await waitFor(() => expect(sent(REVOKE).length).toBe(1));
});

it("shows what the service answers instead, and asks for the message first", async () => {
  const fault = Response.json({ error: { message: "It is stopped." } }, { status: 503 });
  const sent = open({ [CHAT]: fault });
  await press("Send");
  expect(await screen.findByText("Enter a message.")).toBeTruthy();
  expect(sent(CHAT)).toEqual([]);
  await fill("Message", "Hello");
  await press("Send");
  await waitFor(async () => expect((await answer()).value).toBe("It is stopped."));
  expect(screen.getByText(/Status 503/)).toBeTruthy();
});

it("sends any request to other servers, and says why no key could be made", async () => {
  const current = aRevision();
  const spec = { ...current.spec, preset: "http" as const, model: "" };
  const service = aService({ current: { ...current, spec } });
  const refused = problem(422, "keys_max", { detail: "It has too many keys." });
  let isRefused = true;
  const sent = open(
    {
      [ISSUE]: () => (isRefused ? refused : { id: "key-1", secret: "short-lived" }),
      "GET /vision/chat/predict": { label: 3 },
    },
    service,
  );
  await fill("Path", "/predict");
  await press("Send");
  expect(await screen.findByText("It has too many keys.")).toBeTruthy();
  isRefused = false;
  await press("Send");
  await waitFor(async () => expect((await answer()).value).toBe('{"label":3}'));
  expect(sent("GET /vision/chat/predict").length).toBe(1);
});

it("says in Chinese that the browser got no answer", async () => {
  await speak("zh-CN");
  open({
    [CHAT]: () => {
      throw new TypeError("Failed to fetch");
    },
  });
  await fill("消息", "你好");
  await press("发送");
  expect(await screen.findByText(/浏览器无法访问该服务的地址/)).toBeTruthy();
});
