import { afterEach, expect, it, vi } from "vitest";
import type { LogRecord } from "@/shared/api/types";
import { followLog, logAddress } from "./log";

afterEach(() => vi.unstubAllGlobals());

const encoder = new TextEncoder();
const line = (rank: number, offset: number, end: number, text: string) =>
  encoder.encode(`${JSON.stringify({ epoch: 1, rank, at: null, offset, end, text })}\n`);

it("reads the ends of several ranks, and resumes each at its last whole record", async () => {
  const addresses: URL[] = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (address: string) => {
    addresses.push(new URL(address, "http://x"));
    const broken = line(1, 40, 46, "损\n").slice(0, 50);
    return addresses.length === 1
      ? new Response(new Blob([line(0, 90, 94, "one\n"), broken]))
      : new Response(line(1, 40, 46, "损\n"));
  });

  const found: LogRecord[] = [];
  let isOver = false;
  const following = followLog(
    { jobId: "1", kind: "training", ranks: [0, 1] },
    {
      onRecord: (record) => found.push(record),
      isOver: () => isOver,
      signal: new AbortController().signal,
    },
  );
  // Bodies are read by real tasks, however long those take; each look moves the clock on.
  const looks = { timeout: 60_000 };
  await vi.waitFor(() => expect(found.map(({ text }) => text)).toEqual(["one\n"]), looks);
  isOver = true;
  const onEnd = vi.fn();
  void following.then(onEnd);
  await vi.waitFor(() => expect(onEnd).toHaveBeenCalled(), looks);
  vi.useRealTimers();

  expect(found.map(({ text }) => text)).toEqual(["one\n", "损\n"]);
  const offsets = addresses.map(({ searchParams }) => searchParams.get("offset"));
  expect(offsets).toEqual(["-8388608,-8388608", "94,-8388608"]);
});

it("has an address for the text of any ranks, with times only if asked for", () => {
  expect(logAddress({ jobId: "1", kind: "training", ranks: [0, 2] })).toBe(
    "/api/v1/jobs/1/logs?rank=0,2",
  );
  expect(logAddress({ jobId: "1", kind: "app", ranks: [0] }, true)).toBe(
    "/api/v1/app-sessions/1/logs?rank=0&times=1",
  );
});
