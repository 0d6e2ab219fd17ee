import { QueryClientProvider, useQuery } from "@tanstack/react-query";
import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { LiveSocket } from "@/shared/live/socket";
import { useMaybeMe } from "@/shared/session/me";
import { QueryBoundary } from "@/shared/ui/query-states";
import { aMe } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { createQueryClient } from "./app";
import { AGAIN_MS, ConnectionBanner, useRefetchFailed, useSessionCheck } from "./connection";

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
  expect((await screen.findByRole("status")).textContent).toMatch(/lost.*\d+ s old/);
});

function NeverLoads() {
  const query = useQuery({ queryKey: ["jobs"], queryFn: () => new Promise<string>(() => {}) });
  return (
    <>
      <ConnectionBanner />
      <QueryBoundary query={query}>{(data) => data}</QueryBoundary>
    </>
  );
}

it("says of a list that is still loading that it waits for the connection, not how old it is", async () => {
  renderPart(<NeverLoads />);
  await act(() => vi.advanceTimersByTimeAsync(5_000));
  expect(await screen.findByText(/^Connection lost/)).toBeTruthy();
  expect(screen.getByText(/^No connection to the portal/)).toBeTruthy();
  expect(screen.queryByText(/ old/)).toBeNull();
});

function Page({ ask }: { ask: () => Promise<string> }) {
  useRefetchFailed();
  const { data, error } = useQuery({ queryKey: ["pools"], queryFn: ask });
  return <p>{data ?? error?.message ?? "asking"}</p>;
}

const refusedWith = (status: number) => new ProblemError(readProblem(status, { code: "no" }, ""));

it("asks again for what the server could not answer, until it does", async () => {
  const ask = vi.fn(async () => "two pools").mockRejectedValueOnce(refusedWith(502));
  renderPart(<Page ask={ask} />);
  await screen.findByText("no");
  await act(() => vi.advanceTimersByTimeAsync(AGAIN_MS));
  await screen.findByText("two pools");
  await act(() => vi.advanceTimersByTimeAsync(3 * AGAIN_MS));
  expect(ask).toHaveBeenCalledTimes(2);
});

it("does not repeat what was refused", async () => {
  const ask = vi.fn(async () => "").mockRejectedValue(refusedWith(403));
  renderPart(<Page ask={ask} />);
  await screen.findByText("no");
  await act(() => vi.advanceTimersByTimeAsync(3 * AGAIN_MS));
  expect(ask).toHaveBeenCalledTimes(1);
});

it("shows no longer what its reader may not see any more", async () => {
  const client = createQueryClient();
  const ask = vi.fn(async () => "a job").mockResolvedValueOnce("a job");
  renderPart(
    <QueryClientProvider client={client}>
      <Page ask={ask} />
    </QueryClientProvider>,
  );
  await screen.findByText("a job");
  ask.mockRejectedValue(refusedWith(404));
  await act(() => client.invalidateQueries());
  expect(await screen.findByText("no")).toBeTruthy();
  expect(screen.queryByText("a job")).toBeNull();
});

it("keeps what is shown while the server cannot answer", async () => {
  const client = createQueryClient();
  client.setDefaultOptions({ queries: { retry: false } });
  const ask = vi.fn(async () => "a job");
  renderPart(
    <QueryClientProvider client={client}>
      <Page ask={ask} />
    </QueryClientProvider>,
  );
  await screen.findByText("a job");
  ask.mockRejectedValue(refusedWith(503));
  await act(() => client.invalidateQueries());
  expect(screen.getByText("a job")).toBeTruthy();
});

function WhoIsThere() {
  useSessionCheck();
  return <p>{useMaybeMe()?.username ?? "nobody"}</p>;
}

it.each([
  ["nobody", 1],
  ["li.wei", 2],
])("asks who is signed in once its connection is refused: %s", async (who, sockets) => {
  interface Link {
    send: () => void;
    close: () => void;
    onclose?: (event: { code: number }) => void;
  }
  const opened: Link[] = [];
  const open = () => {
    const link: Link = { send() {}, close() {} };
    opened.push(link);
    return link as never;
  };
  const socket = new LiveSocket({ open, later: () => () => {} });
  socket.connect();
  serve({
    "GET /api/v1/me": () =>
      who === "nobody" ? problem(401, "not_authenticated") : aMe({ username: who }),
  });
  renderPart(<WhoIsThere />, aMe({ username: "zhang.min" }), socket);
  await screen.findByText("zhang.min");
  act(() => opened[0]?.onclose?.({ code: 4401 }));
  await screen.findByText(who);
  await vi.waitFor(() => expect(opened).toHaveLength(sockets));
});
