import { QueryClient } from "@tanstack/react-query";
import { createMemoryHistory, createRouter } from "@tanstack/react-router";
import { expect, it } from "vitest";
import { sessionKeys } from "@/shared/session/me";
import { routeTree } from "./route-tree.gen";

it.each([
  ["/jobs?show=all", "/jobs?show=all"],
  ["https://elsewhere.example/", undefined],
  ["//elsewhere.example/", undefined],
  ["/\\elsewhere.example/", undefined],
])("leads from sign-in to pages of this site only: %s", async (next, led) => {
  const queries = new QueryClient();
  queries.setQueryData(sessionKeys.me, null);
  const address = `/sign-in?${new URLSearchParams({ next })}`;
  const history = createMemoryHistory({ initialEntries: [address] });
  const router = createRouter({ routeTree, context: { queries }, history });
  await router.load();
  expect(router.state.matches.at(-1)).toMatchObject({ routeId: "/sign-in" });
  expect(router.state.matches.at(-1)?.search).toEqual(led ? { next: led } : { next: undefined });
});
