/**
 * The connection of one terminal: bytes both ways, and back again by itself when it was lost. The
 * portal keeps the shell for five minutes under the name that it gave.
 */
import type { TerminalFrame, TerminalRequest } from "@/shared/api/types";
import {
  readFrame,
  side,
  type TerminalPlace,
  type TerminalSize,
  type TerminalState,
  terminalPath,
} from "../model/state";

interface Screen {
  /** The shell is there, or there again: what follows is shown from an empty screen on. */
  clear: () => void;
  show: (bytes: Uint8Array) => void;
  enter: (state: TerminalState) => void;
}

interface LinkPorts {
  open: (path: string) => WebSocket;
  /** Run after a delay; returns a function that calls it off. */
  later: (run: () => void, delayMs: number) => () => void;
  /** Names of kept shells, for as long as the browser's tab lives. */
  names: Pick<Storage, "getItem" | "setItem" | "removeItem">;
}

const BACK_OFF_MS = [500, 1_000, 2_000, 5_000, 10_000] as const;
const PING_MS = 30_000;
/** What passes by itself while nodes find another process of the portal. */
const PASSING: ReadonlySet<string> = new Set(["node_offline", "node_silent", "unchecked"]);
/** So often a lost terminal comes back to such an answer, some 45 s in all, before it is shown. */
const RETURNS_MAX = 8;
/** Close codes: a page that may come back, and the end of the shell. */
const AWAY = 4000;
const GOOD_BYE = 1000;

export class TerminalLink {
  #place: TerminalPlace;
  #screen: Screen;
  #ports: LinkPorts;
  #size: TerminalSize;
  #socket: WebSocket | null = null;
  #attempts = 0;
  #isAnswered = true;
  #cancelTimer: () => void = () => {};

  constructor(
    place: TerminalPlace,
    size: TerminalSize,
    screen: Screen,
    ports: LinkPorts = browserPorts(),
  ) {
    this.#place = place;
    this.#size = size;
    this.#screen = screen;
    this.#ports = ports;
  }

  connect(): void {
    this.#drop();
    this.#screen.enter({ name: "connecting" });
    const name = this.#ports.names.getItem(this.#key) ?? "";
    const socket = this.#ports.open(terminalPath(this.#place, this.#size, name));
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.onmessage = ({ data }) => {
      this.#isAnswered = true;
      if (typeof data === "string") this.#obey(readFrame(data));
      else this.#screen.show(new Uint8Array(data as ArrayBuffer));
    };
    socket.onclose = () => {
      if (this.#socket === socket) this.#lost();
    };
  }

  type(bytes: Uint8Array<ArrayBuffer>): void {
    if (this.#isOpen) this.#socket?.send(bytes);
  }

  resize(size: TerminalSize): void {
    this.#size = size;
    this.#say({ type: "resize", columns: side(size.columns), rows: side(size.rows) });
  }

  /** Leave the shell running; it is there for five minutes. */
  leave(): void {
    this.#drop(AWAY);
  }

  /** End the shell. */
  end(): void {
    this.#ports.names.removeItem(this.#key);
    this.#drop(GOOD_BYE);
    this.#screen.enter({ name: "exited", code: null });
  }

  get #key(): string {
    return `berth.terminal.${this.#place.id}.${this.#place.rank}`;
  }

  get #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN;
  }

  #obey(frame: TerminalFrame | null): void {
    if (frame?.type === "ready") {
      this.#attempts = 0;
      this.#ports.names.setItem(this.#key, frame.session);
      this.#screen.clear();
      this.#screen.enter({ name: "open" });
      this.#pingLater();
    } else if (frame?.type === "exited") {
      this.#over({ name: "exited", code: frame.code });
    } else if (frame?.type === "closed") {
      if (this.#mayPass(frame.code)) {
        this.#drop();
        this.#lost();
        return;
      }
      this.#over({ name: "closed", code: frame.code, params: frame.params });
    }
  }

  /** Whether a terminal that was open waits for this to pass. */
  #mayPass(code: string): boolean {
    return PASSING.has(code) && this.#attempts > 0 && this.#attempts < RETURNS_MAX;
  }

  #over(state: TerminalState): void {
    const isTaken = state.name === "closed" && state.code === "replaced";
    if (!isTaken) this.#ports.names.removeItem(this.#key);
    this.#drop();
    this.#screen.enter(state);
  }

  #lost(): void {
    this.#cancelTimer();
    this.#socket = null;
    this.#screen.enter({ name: "lost" });
    const delay = BACK_OFF_MS[Math.min(this.#attempts, BACK_OFF_MS.length - 1)] ?? 0;
    this.#attempts += 1;
    this.#cancelTimer = this.#ports.later(() => this.connect(), delay);
  }

  #pingLater(): void {
    this.#cancelTimer = this.#ports.later(() => {
      if (!this.#isAnswered) {
        // Open, but the other end no longer answers.
        this.#drop(AWAY);
        this.#lost();
        return;
      }
      this.#isAnswered = false;
      this.#say({ type: "ping" });
      this.#pingLater();
    }, PING_MS);
  }

  #say(frame: TerminalRequest): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(frame));
  }

  #drop(code = AWAY): void {
    this.#cancelTimer();
    this.#isAnswered = true;
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }
}

function browserPorts(): LinkPorts {
  return {
    open: (path) => new WebSocket(new URL(path, window.location.href.replace(/^http/, "ws"))),
    later: (run, delayMs) => {
      const timer = window.setTimeout(run, delayMs);
      return () => window.clearTimeout(timer);
    },
    names: window.sessionStorage,
  };
}
