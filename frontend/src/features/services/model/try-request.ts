/** A request that tries a service, and what of its answer is shown. Pure. */
import { createParser } from "eventsource-parser";

export type TryKind = "chat" | "request";
export const TRY_METHODS = ["GET", "POST", "PUT", "DELETE"] as const;

/** What the box holds. */
export interface TryForm {
  kind: TryKind;
  /** Of a chat. */
  model: string;
  prompt: string;
  stream: boolean;
  /** Of a plain request. */
  method: (typeof TRY_METHODS)[number];
  path: string;
  body: string;
}

export interface TryRequest {
  /** Below the address of the service. */
  path: string;
  method: string;
  headers: Record<string, string>;
  body: string | null;
}

export function tryRequest(form: TryForm, key: string): TryRequest {
  const authorization = { Authorization: `Bearer ${key}` };
  if (form.kind === "chat") {
    return {
      path: "/v1/chat/completions",
      method: "POST",
      headers: { ...authorization, "Content-Type": "application/json" },
      body: JSON.stringify({
        ...(form.model && { model: form.model }),
        messages: [{ role: "user", content: form.prompt }],
        stream: form.stream,
      }),
    };
  }
  const hasBody = form.method !== "GET" && form.body !== "";
  return {
    path: form.path.startsWith("/") ? form.path : `/${form.path}`,
    method: form.method,
    headers: { ...authorization, ...(hasBody && { "Content-Type": typeOf(form.body) }) },
    body: hasBody ? form.body : null,
  };
}

function typeOf(body: string): string {
  try {
    JSON.parse(body);
    return "application/json";
  } catch {
    return "text/plain";
  }
}

/** Characters of an answer that are shown. */
export const SHOWN_MAX = 200_000;

/** Turns what comes of an answer into text to show. */
export interface AnswerReader {
  /** What is to be shown so far. */
  feed(piece: string): string;
  /** What is to be shown of the whole. */
  end(): string;
}

/** Of a chat's stream the words, of its document the message, of anything else what came. */
export function answerReader(kind: TryKind, contentType: string): AnswerReader {
  if (kind === "chat" && contentType.startsWith("text/event-stream")) return eventReader();
  let text = "";
  const feed = (piece: string) => {
    text = (text + piece).slice(0, SHOWN_MAX);
    return text;
  };
  return { feed, end: () => (kind === "chat" ? (messageOf(text) ?? text) : text) };
}

function eventReader(): AnswerReader {
  let text = "";
  const parser = createParser({
    onEvent: ({ data }) => {
      text = (text + wordsOf(data)).slice(0, SHOWN_MAX);
    },
  });
  const feed = (piece: string) => {
    parser.feed(piece);
    return text;
  };
  return { feed, end: () => text };
}

interface ChatDocument {
  choices?: { delta?: { content?: string | null }; message?: { content?: string | null } }[];
  error?: { message?: string };
  detail?: string;
}

function parsed(text: string): ChatDocument | null {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === "object" ? (document as ChatDocument | null) : null;
  } catch {
    return null;
  }
}

/** What an event of a stream adds; of one that ends it with a fault, the fault. */
function wordsOf(data: string): string {
  const document = parsed(data);
  const fault = document?.error?.message;
  return fault ? `\n${fault}` : (document?.choices?.[0]?.delta?.content ?? "");
}

/** The message of a chat's document, or the fault that it tells instead. */
function messageOf(text: string): string | null {
  const document = parsed(text);
  const { error, detail, choices } = document ?? {};
  return error?.message ?? detail ?? choices?.[0]?.message?.content ?? null;
}
