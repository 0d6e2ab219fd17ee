import { describe, expect, it } from "vitest";
import { answerReader, SHOWN_MAX, type TryForm, tryRequest } from "./try-request";

const form: TryForm = {
  ...{ kind: "chat", model: "small", prompt: "Hello", stream: true },
  ...{ method: "POST", path: "predict", body: "" },
};

describe("the request", () => {
  it("asks a chat by the path of OpenAI", () => {
    const { path, method, headers, body } = tryRequest(form, "secret");
    expect([path, method]).toEqual(["/v1/chat/completions", "POST"]);
    expect(headers.Authorization).toBe("Bearer secret");
    expect(JSON.parse(body ?? "")).toEqual({
      model: "small",
      messages: [{ role: "user", content: "Hello" }],
      stream: true,
    });
  });

  it("sends any other as it was written, with the type that its body has", () => {
    const plain = { ...form, kind: "request" } as const;
    expect(tryRequest(plain, "k")).toMatchObject({ path: "/predict", body: null });
    expect(tryRequest({ ...plain, body: '{"x":1}' }, "k").headers["Content-Type"]).toBe(
      "application/json",
    );
    expect(tryRequest({ ...plain, body: "x" }, "k").headers["Content-Type"]).toBe("text/plain");
    expect(tryRequest({ ...plain, method: "GET", body: "x" }, "k").body).toBeNull();
  });
});

describe("the answer", () => {
  const event = (document: object) => `data: ${JSON.stringify(document)}\n\n`;
  const words = (content: string) => event({ choices: [{ delta: { content } }] });

  it("shows the words of a stream as they come, however it is cut into pieces", () => {
    const reader = answerReader("chat", "text/event-stream; charset=utf-8");
    const whole = `: waiting\n\n${words("Good ")}${words("day")}data: [DONE]\n\n`;
    const shown = [whole.slice(0, 30), whole.slice(30, 70), whole.slice(70)].map(reader.feed);
    expect(shown.at(-1)).toBe("Good day");
    expect(reader.end()).toBe("Good day");
  });

  it("shows the fault that ends a stream, and that of a document", () => {
    const reader = answerReader("chat", "text/event-stream");
    reader.feed(words("Good "));
    const fault = { error: { message: "The server has gone." } };
    expect(reader.feed(`event: error\n${event(fault)}`)).toBe("Good \nThe server has gone.");
    const document = answerReader("chat", "application/json");
    document.feed(JSON.stringify(fault));
    expect(document.end()).toBe("The server has gone.");
  });

  it("shows the message of a chat's document, and anything else as it came", () => {
    const answer = JSON.stringify({ choices: [{ message: { content: "Good day" } }] });
    const chat = answerReader("chat", "application/json");
    chat.feed(answer);
    expect(chat.end()).toBe("Good day");
    const plain = answerReader("request", "text/event-stream");
    plain.feed("data: 1\n\n");
    expect(plain.end()).toBe("data: 1\n\n");
    const long = answerReader("request", "text/plain");
    expect(long.feed("x".repeat(SHOWN_MAX + 1)).length).toBe(SHOWN_MAX);
  });
});
