import { afterEach, expect, it, vi } from "vitest";
import { followLog } from "./log";

afterEach(() => vi.unstubAllGlobals());

it("resumes at the byte where the connection broke, even inside a character", async () => {
  const whole = new TextEncoder().encode("损失 0.1\n");
  const addresses: string[] = [];
  vi.useFakeTimers();
  vi.stubGlobal("fetch", async (address: string) => {
    addresses.push(address);
    const offset = Number(new URL(address, "http://x").searchParams.get("offset"));
    return new Response(offset === 0 ? whole.slice(0, 4) : whole.slice(offset));
  });

  let text = "";
  let isOver = false;
  const following = followLog(
    { jobId: "1", rank: 0 },
    {
      onText: (piece) => {
        text += piece;
      },
      isOver: () => isOver,
      signal: new AbortController().signal,
    },
  );
  await vi.advanceTimersByTimeAsync(1);
  expect(text).toBe("损");
  isOver = true;
  await vi.advanceTimersByTimeAsync(2_000);
  await following;
  vi.useRealTimers();

  expect(text).toBe("损失 0.1\n");
  expect(addresses[1]).toContain("offset=4");
});
