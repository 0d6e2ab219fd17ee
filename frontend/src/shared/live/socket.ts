/**
 * One WebSocket for the whole page. It carries notifications: a ring means "fetch again", all of a topic
 * or the rows that it names. The answer to a subscription says when the topic last changed, so that only
 * what was read before that is fetched again, at first and after a lost connection.
 */
import type { LiveFrame, LiveRequest } from "@/shared/api/types";

/** `refused`: nobody is signed in any more; it is opened again only when somebody asks for it. */
export type LinkState = "connecting" | "open" | "down" | "refused";

/** Frames about a topic that pages act on; logs they read over HTTP. */
type TopicFrame = Extract<LiveFrame, { op: "ring" | "subscribed" | "refused" }>;

/**
 * `changedAt`: what was read before this moment (ms) may have changed; `rows`: the only rows that did,
 * where that is known.
 */
export type TopicListener = (changedAt: number, rows?: readonly string[]) => void;

interface SocketPorts {
  open: () => WebSocket;
  /** Run after a delay; returns a function that calls it off. */
  later: (run: () => void, delayMs: number) => () => void;
}

const BACK_OFF_MS = [500, 1_000, 2_000, 5_000, 10_000, 20_000] as const;
/** A connection that was quiet for so long is asked whether it still passes anything. */
const PING_MS = 15_000;
/** How long an opening or an answer may take, before the connection counts as dead. */
const ANSWER_MS = 5_000;
const LEAVE_MS = 2_000;
/** `NOT_SIGNED_IN` of the server's `PageCloseCode`. */
const NOT_SIGNED_IN = 4401;

export class LiveSocket {
  #ports: SocketPorts;
  #socket: WebSocket | null = null;
  #topics = new Map<string, Set<TopicListener>>();
  /** Topics that the server has let this page have. */
  #granted = new Set<string>();
  #watchers = new Set<() => void>();
  #state: LinkState = "down";
  #attempts = 0;
  #cancelTimer: () => void = () => {};

  constructor(ports: SocketPorts = browserPorts) {
    this.#ports = ports;
  }

  get state(): LinkState {
    return this.#state;
  }

  /** Call `watcher` when `state` changes; returns a function that stops it. */
  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Call `listener` whenever something about `topic` changed; returns a function that stops it. */
  subscribe(topic: string, listener: TopicListener): () => void {
    const known = this.#topics.get(topic);
    if (known) {
      known.add(listener);
    } else {
      this.#topics.set(topic, new Set([listener]));
      this.#send({ op: "subscribe", topics: [{ topic }] });
    }
    if (!this.#socket) this.connect();
    return () => this.#drop(topic, listener);
  }

  /** Open the socket now, forgetting any waiting time. */
  connect(): void {
    this.#cancelTimer();
    this.#socket?.close();
    this.#enter("connecting");
    const socket = this.#ports.open();
    this.#socket = socket;
    this.#cancelTimer = this.#ports.later(() => this.lose(), ANSWER_MS);
    // One that was given up may still say something.
    const ifCurrent = (run: () => void) => this.#socket === socket && run();
    socket.onopen = () => ifCurrent(() => this.#opened());
    socket.onmessage = ({ data }) => ifCurrent(() => this.#received(String(data)));
    socket.onclose = ({ code }) => ifCurrent(() => this.#closed(code));
  }

  /** Find out now whether the connection lives: the page was asleep, or the network has changed. */
  check(): void {
    if (this.#state === "down" || this.#state === "refused") this.connect();
    if (this.#state === "open") this.#ping();
  }

  /** Close for good, e.g. at sign-out. */
  close(): void {
    this.#cancelTimer();
    const socket = this.#socket;
    this.#socket = null;
    socket?.close();
    this.#enter("down");
  }

  #opened(): void {
    this.#attempts = 0;
    this.#enter("open");
    const topics = [...this.#topics.keys()].map((topic) => ({ topic }));
    if (topics.length > 0) this.#send({ op: "subscribe", topics });
    this.#keepAlive();
  }

  #keepAlive(): void {
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.later(() => this.#ping(), PING_MS);
  }

  /** A connection can die without a word (sleep, a pulled cable, a router that forgot it). */
  #ping(): void {
    this.#send({ op: "ping" });
    this.#cancelTimer();
    this.#cancelTimer = this.#ports.later(() => this.lose(), ANSWER_MS);
  }

  /** Give the connection up and open another after a while. */
  lose(): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#cancelTimer();
    this.#socket = null;
    socket.close();
    this.#enter("down");
    if (this.#topics.size === 0) return;
    const delay = BACK_OFF_MS[Math.min(this.#attempts, BACK_OFF_MS.length - 1)] ?? PING_MS;
    this.#attempts += 1;
    this.#cancelTimer = this.#ports.later(() => this.connect(), delay);
  }

  #closed(code: number): void {
    if (code !== NOT_SIGNED_IN) {
      this.lose();
      return;
    }
    this.#cancelTimer();
    this.#socket = null;
    this.#enter("refused");
  }

  #received(frame: string): void {
    this.#keepAlive();
    const ring = readRing(frame);
    if (!ring) return;
    const { topic } = ring;
    if (ring.op === "subscribed") this.#granted.add(topic);
    // Rights were taken away: whoever shows it asks again, and is refused there, too.
    if (ring.op === "refused" && !this.#granted.delete(topic)) return;
    const changedAt = ring.op === "subscribed" ? Date.now() - ring.quiet_ms : Date.now();
    const rows = "rows" in ring ? ring.rows : undefined;
    for (const listener of this.#topics.get(topic) ?? []) listener(changedAt, rows);
  }

  #drop(name: string, listener: TopicListener): void {
    const topic = this.#topics.get(name);
    topic?.delete(listener);
    // A page change leaves and enters the same topics: wait before telling the server.
    this.#ports.later(() => {
      if (this.#topics.get(name)?.size !== 0) return;
      this.#topics.delete(name);
      this.#granted.delete(name);
      this.#send({ op: "unsubscribe", topics: [name] });
    }, LEAVE_MS);
  }

  #send(frame: LiveRequest): void {
    if (this.#state === "open") this.#socket?.send(JSON.stringify(frame));
  }

  #enter(state: LinkState): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

const browserPorts: SocketPorts = {
  open: () => new WebSocket(`${location.origin.replace(/^http/, "ws")}/ws`),
  later: (run, delayMs) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

function readRing(text: string): TopicFrame | null {
  try {
    const value: unknown = JSON.parse(text);
    return isRing(value) ? value : null;
  } catch {
    return null;
  }
}

function isRing(value: unknown): value is TopicFrame {
  if (typeof value !== "object" || value === null) return false;
  const { op, topic } = value as Partial<TopicFrame>;
  return ["ring", "subscribed", "refused"].includes(op ?? "") && typeof topic === "string";
}
