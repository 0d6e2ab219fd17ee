/** Calls of a service from its page, with a key that lives as long as the box does. */
import { useEffect, useRef, useState } from "react";
import { api, unwrap } from "@/shared/api/client";
import { answerReader, type TryForm, tryRequest } from "../model/try-request";

/** What came of a call so far. */
export interface TryAnswer {
  status: number;
  text: string;
  /** Until the first byte of the body, in milliseconds; null until it came. */
  firstMs: number | null;
  /** Until the end; null while it comes. */
  totalMs: number | null;
}

export interface Tried {
  answer: TryAnswer | null;
  /** Why there is no answer, or no more of one. */
  error: Error | null;
  isSending: boolean;
}

const NOTHING: Tried = { answer: null, error: null, isSending: false };
const UNAUTHORIZED = 401;

/** Sends what the box holds to the address; a key that is not given is made for it. */
export function useTry(serviceId: string, address: string) {
  const [tried, setTried] = useState<Tried>(NOTHING);
  const running = useRef<AbortController | null>(null);
  const keys = useTryKeys(serviceId);
  useEffect(() => () => running.current?.abort(), []);
  const send = async (form: TryForm, given: string | null) => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    const show = (change: Partial<Tried>) =>
      running.current === abort && setTried((before) => ({ ...before, ...change }));
    show({ answer: null, error: null, isSending: true });
    try {
      const key = given ?? (await keys.get());
      const { status } = await call(address, form, key, abort.signal, (answer) => show({ answer }));
      if (status === UNAUTHORIZED) keys.forget();
    } catch (error) {
      if (!abort.signal.aborted) show({ error: error as Error });
    } finally {
      show({ isSending: false });
    }
  };
  return { ...tried, send, stop: () => running.current?.abort() };
}

async function call(
  address: string,
  form: TryForm,
  key: string,
  signal: AbortSignal,
  onAnswer: (answer: TryAnswer) => void,
): Promise<TryAnswer> {
  const { path, ...request } = tryRequest(form, key);
  const began = performance.now();
  const since = () => performance.now() - began;
  const response = await fetch(address + path, {
    ...request,
    signal,
    credentials: "omit",
    cache: "no-store",
  });
  const reader = answerReader(form.kind, response.headers.get("Content-Type") ?? "");
  let answer: TryAnswer = { status: response.status, text: "", firstMs: null, totalMs: null };
  onAnswer(answer);
  const decoder = new TextDecoder();
  const body = response.body?.getReader();
  for (let piece = await body?.read(); piece && !piece.done; piece = await body?.read()) {
    const text = reader.feed(decoder.decode(piece.value, { stream: true }));
    answer = { ...answer, text, firstMs: answer.firstMs ?? since() };
    onAnswer(answer);
  }
  answer = { ...answer, text: reader.end(), totalMs: since() };
  onAnswer(answer);
  return answer;
}

const KEY_MS = 3_600_000;
const CALLS_PER_MIN = 60;
const KEY_NAME = "try";

/** One key for all calls of the box: made at the first, revoked when the box goes, over after an hour anyway. */
function useTryKeys(serviceId: string) {
  const made = useRef<Promise<{ id: string; secret: string }> | null>(null);
  useEffect(() => {
    const leave = () => {
      void made.current?.then(({ id }) => revoke(serviceId, id)).catch(() => {});
      made.current = null;
    };
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [serviceId]);
  const get = async () => {
    made.current ??= issue(serviceId);
    try {
      return (await made.current).secret;
    } catch (error) {
      made.current = null;
      throw error;
    }
  };
  return { get, forget: () => (made.current = null) };
}

function issue(serviceId: string) {
  return unwrap(
    api.POST("/api/v1/services/{service_id}/keys", {
      params: { path: { service_id: serviceId } },
      body: {
        name: KEY_NAME,
        requests_per_min: CALLS_PER_MIN,
        expires_at: new Date(Date.now() + KEY_MS).toISOString(),
      },
    }),
  );
}

function revoke(serviceId: string, keyId: string) {
  const params = { path: { service_id: serviceId, key_id: keyId } };
  // It is sent even where the whole page goes.
  const options = { params, keepalive: true };
  return unwrap(api.DELETE("/api/v1/services/{service_id}/keys/{key_id}", options));
}
