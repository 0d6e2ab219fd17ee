import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { renderPart } from "@/testing/render";
import { ConnectionBanner } from "./connection-banner";

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  vi.useRealTimers();
});

it("says only after a while that the live connection is lost, and how old the data are", async () => {
  renderPart(<ConnectionBanner />);
  expect(screen.queryByRole("status")).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect((await screen.findByRole("status")).textContent).toMatch(/lost.*\d+ sec old/);
});
