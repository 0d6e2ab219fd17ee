import { beforeEach, expect, test } from "vitest";
import type { TerminalState } from "../model/state";
import { TerminalLink } from "./terminal-link";

/** A socket that does what the test says. */
class FakeSocket {
  binaryType = "";
  readyState = 1;
  sent: unknown[] = [];
  closedWith: number | null = null;
  onmessage: (event: { data: unknown }) => void = () => {};
  onclose: () => void = () => {};
  constructor(readonly path: string) {}
  send(data: unknown) {
    this.sent.push(data);
  }
  close(code: number) {
    this.closedWith = code;
  }
  say(frame: object) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

const PLACE = { kind: "training", id: "w1", rank: 0 } as const;
let sockets: FakeSocket[];
let timers: (() => void)[];
let kept: Map<string, string>;
let states: TerminalState[];
let shown: number[];
let link: TerminalLink;

beforeEach(() => {
  globalThis.WebSocket ??= { OPEN: 1 } as never;
  sockets = [];
  timers = [];
  kept = new Map();
  states = [];
  shown = [];
  link = new TerminalLink(
    PLACE,
    { columns: 100, rows: 30 },
    {
      clear: () => shown.splice(0),
      show: (bytes) => shown.push(...bytes),
      enter: (state) => states.push(state),
    },
    {
      open: (path) => {
        const socket = new FakeSocket(path);
        sockets.push(socket);
        return socket as unknown as WebSocket;
      },
      later: (run) => {
        timers.push(run);
        return () => timers.splice(timers.indexOf(run) >>> 0, 1);
      },
      names: {
        getItem: (key) => kept.get(key) ?? null,
        setItem: (key, value) => kept.set(key, value),
        removeItem: (key) => kept.delete(key),
      },
    },
  );
  link.connect();
});

function socket(): FakeSocket {
  const last = sockets.at(-1);
  if (!last) throw new Error("no socket");
  return last;
}

function ready() {
  socket().say({ type: "ready", session: "name-of-a-shell", is_resumed: false });
}

test("opens with the size of its window and shows what comes", () => {
  expect(socket().path).toBe("/api/v1/jobs/w1/terminal?rank=0&columns=100&rows=30&session=");
  ready();
  socket().onmessage({ data: new Uint8Array([104, 105]).buffer });
  expect(shown).toEqual([104, 105]);
  link.type(new Uint8Array([1]));
  link.resize({ columns: 0, rows: 5000 });
  expect(socket().sent[1]).toBe('{"type":"resize","columns":1,"rows":1000}');
  expect(states.at(-1)).toEqual({ name: "open" });
});

test("comes back to its shell when the connection is lost", () => {
  ready();
  timers.splice(0);
  socket().onclose();
  expect(states.at(-1)).toEqual({ name: "lost" });
  timers[0]?.();
  expect(sockets).toHaveLength(2);
  expect(socket().path).toContain("session=name-of-a-shell");
});

test("does not come back when the portal said why it ended", () => {
  ready();
  socket().say({ type: "closed", code: "too_many_visits", params: { limit: 3 } });
  expect(states.at(-1)).toEqual({
    name: "closed",
    code: "too_many_visits",
    params: { limit: 3 },
  });
  expect(kept.size).toBe(0);
  socket().onclose();
  expect(sockets).toHaveLength(1);
});

test("notices a portal that is gone without a word", () => {
  ready();
  timers.splice(0)[0]?.();
  expect(socket().sent.at(-1)).toBe('{"type":"ping"}');
  timers.splice(0)[0]?.();
  expect(states.at(-1)).toEqual({ name: "lost" });
});

test("leaves the shell running, and ends it only when told so", () => {
  ready();
  link.leave();
  expect(socket().closedWith).toBe(4000);
  expect(kept.size).toBe(1);
  link.connect();
  ready();
  link.end();
  expect(socket().closedWith).toBe(1000);
  expect(kept.size).toBe(0);
});

test("waits for a node that has not come back yet, but not for ever", () => {
  ready();
  socket().onclose();
  for (let attempt = 1; attempt < 8; attempt += 1) {
    timers.pop()?.();
    socket().say({ type: "closed", code: "node_offline", params: {} });
    expect(states.at(-1)).toEqual({ name: "lost" });
  }
  timers.pop()?.();
  socket().say({ type: "closed", code: "node_offline", params: {} });
  expect(states.at(-1)).toEqual({ name: "closed", code: "node_offline", params: {} });
});

test("keeps its shell while it waits for the node", () => {
  ready();
  socket().onclose();
  timers.pop()?.();
  socket().say({ type: "closed", code: "node_offline", params: {} });
  timers.pop()?.();
  expect(socket().path).toContain("session=name-of-a-shell");
  ready();
  expect(states.at(-1)).toEqual({ name: "open" });
});
