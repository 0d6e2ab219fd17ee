import { QueryClient } from "@tanstack/react-query";
import { createMemoryHistory, createRouter } from "@tanstack/react-router";
import { expect, it } from "vitest";
import { ProblemError, readProblem } from "@/shared/api/problem";
import { sessionKeys } from "@/shared/session/me";
import { aMe } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { createQueryClient } from "./app";
import { routeTree } from "./route-tree.gen";

it.each([
  ["/jobs?show=all", "/jobs?show=all"],
  ["https://elsewhere.example/", undefined],
  ["//elsewhere.example/", undefined],
  ["/\\elsewhere.example/", undefined],
])("leads from sign-in to pages of this site only: %s", async (next, led) => {
  const router = await loaded(`/sign-in?${new URLSearchParams({ next })}`);
  expect(router.state.matches.at(-1)).toMatchObject({ routeId: "/sign-in" });
  expect(router.state.matches.at(-1)?.search).toEqual(led ? { next: led } : { next: undefined });
});

it("shows its form with all that the site has, so that nothing moves under a click", async () => {
  const { queries } = (await loaded("/sign-in", { has_password_reset: true })).options.context;
  expect(queries.getQueryData(sessionKeys.config)).toEqual({ has_password_reset: true });
});

it("shows its form although nobody says what the site has", async () => {
  const router = await loaded("/sign-in", problem(503, "unavailable"));
  expect(router.state.matches.at(-1)).toMatchObject({ routeId: "/sign-in", status: "success" });
});

it.each([
  [401, null],
  [409, aMe()],
])(
  "is where a reader is led to whose submission is answered %s: the session is over",
  async (status, me) => {
    const queries = createQueryClient();
    queries.setQueryData(sessionKeys.me, aMe());
    const refuse = () => Promise.reject(new ProblemError(readProblem(status, null, "")));
    const submission = queries.getMutationCache().build(queries, { mutationFn: refuse });
    await expect(submission.execute(undefined)).rejects.toThrow();
    expect(queries.getQueryData(sessionKeys.me)).toEqual(me);
  },
);

async function loaded(address: string, config: unknown = {}) {
  serve({ "GET /api/v1/config": config });
  const queries = new QueryClient();
  queries.setQueryData(sessionKeys.me, null);
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree, context: { queries }, history });
  await router.load();
  return router;
}
