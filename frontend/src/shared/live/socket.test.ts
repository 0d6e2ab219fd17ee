import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveSocket } from "./socket";

/** A network that tests move by hand: sockets that open when told, timers that never run alone. */
class HandMovedNetwork {
  sockets: FakeSocket[] = [];
  timers: (() => void)[] = [];

  open = () => {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  };

  later = (run: () => void) => {
    this.timers.push(run);
    return () => {
      this.timers = this.timers.filter((timer) => timer !== run);
    };
  };

  get current(): FakeSocket {
    const socket = this.sockets.at(-1);
    if (!socket) throw new Error("no socket was opened");
    return socket;
  }

  runTimers() {
    const due = this.timers;
    this.timers = [];
    for (const run of due) run();
  }
}

class FakeSocket {
  sent: unknown[] = [];
  onopen: () => void = () => {};
  onmessage: (message: { data: string }) => void = () => {};
  onclose: (event: { code: number }) => void = () => {};
  send(frame: string) {
    this.sent.push(JSON.parse(frame));
  }
  close() {}
  receive(frame: object) {
    this.onmessage({ data: JSON.stringify(frame) });
  }
}

function connected() {
  const network = new HandMovedNetwork();
  const socket = new LiveSocket(network);
  const rings: number[] = [];
  const leave = socket.subscribe("workload:1", (changedAt) => void rings.push(changedAt));
  network.current.onopen();
  return { network, socket, leave, rings };
}

const NOW = 1_800_000_000_000;
beforeEach(() => void vi.setSystemTime(NOW));
afterEach(() => void vi.useRealTimers());

describe("LiveSocket", () => {
  it("subscribes once it is open and passes rings on", () => {
    const { network, rings } = connected();
    expect(network.current.sent).toEqual([{ op: "subscribe", topics: [{ topic: "workload:1" }] }]);

    network.current.receive({ op: "ring", topic: "workload:1", seq: 5 });
    expect(rings).toEqual([NOW]);
  });

  it("says once it listens since when nothing has changed, and again after each connection", () => {
    const { network, socket, rings } = connected();
    network.current.receive({ op: "subscribed", topic: "workload:1", seq: 4, quiet_ms: 9_000 });
    network.current.onclose({ code: 1006 });
    expect(socket.state).toBe("down");

    network.runTimers();
    network.current.onopen();
    expect(network.current.sent).toEqual([{ op: "subscribe", topics: [{ topic: "workload:1" }] }]);
    network.current.receive({ op: "subscribed", topic: "workload:1", seq: 9, quiet_ms: 50 });
    expect(rings).toEqual([NOW - 9_000, NOW - 50]);
  });

  it("gives up a connection that answers no ping, and keeps one that does", () => {
    const { network, socket } = connected();
    network.runTimers();
    expect(network.current.sent).toContainEqual({ op: "ping" });
    network.current.receive({ op: "pong" });
    network.runTimers();
    expect(socket.state).toBe("open");

    network.runTimers();
    expect(socket.state).toBe("down");
    network.runTimers();
    expect([network.sockets.length, socket.state]).toEqual([2, "connecting"]);
    network.runTimers();
    expect(socket.state).toBe("down");
  });

  it("opens no other socket once nobody is signed in, until somebody asks", () => {
    const { network, socket } = connected();
    network.current.onclose({ code: 4401 });
    network.runTimers();
    expect([network.sockets.length, socket.state]).toEqual([1, "refused"]);
    socket.check();
    expect([network.sockets.length, socket.state]).toEqual([2, "connecting"]);
  });

  it("asks at once whether the connection lives, and opens one if there is none", () => {
    const { network, socket } = connected();
    socket.check();
    expect(network.current.sent).toContainEqual({ op: "ping" });

    socket.lose();
    expect(socket.state).toBe("down");
    socket.check();
    expect([network.sockets.length, socket.state]).toEqual([2, "connecting"]);
  });

  it("leaves a topic only when nobody came back for it", () => {
    const { network, socket, leave } = connected();
    leave();
    socket.subscribe("workload:1", () => {});
    network.runTimers();
    expect(network.current.sent).not.toContainEqual({ op: "unsubscribe", topics: ["workload:1"] });
  });

  it("ignores frames that are no rings", () => {
    const { network, rings } = connected();
    network.current.onmessage({ data: "not json" });
    network.current.receive({ op: "ring" });
    network.current.receive({ op: "ring", topic: "workload:2", seq: 1 });
    expect(rings).toEqual([]);
  });

  it("tells of a topic that is refused after it was granted, and of no other refusal", () => {
    const { network, rings } = connected();
    const refused = { op: "refused", topic: "workload:1", code: "not_found" };
    network.current.receive(refused);
    expect(rings).toEqual([]);
    network.current.receive({ op: "subscribed", topic: "workload:1", quiet_ms: 0 });
    network.current.receive(refused);
    network.current.receive(refused);
    expect(rings).toEqual([NOW, NOW]);
  });
});
