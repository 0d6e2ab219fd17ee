import { createMemoryHistory, createRouter } from "@tanstack/react-router";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionKeys } from "@/shared/session/me";
import { aMe } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderSite } from "@/testing/render";
import { createQueryClient } from "./app";
import { routeTree } from "./route-tree.gen";

const ID = "0190d3a0-0000-7000-8000-00000000000a";
const ADDRESS = `/work/${ID}?start=lab`;

/** The site at this address, where this is answered about the work; nobody is signed in without `me`. */
async function visit(work: unknown, me: ReturnType<typeof aMe> | null = aMe()) {
  serve({ [`GET /api/v1/workloads/${ID}`]: work, "GET /api/v1/config": {} });
  const queries = createQueryClient();
  queries.setQueryData(sessionKeys.me, me);
  const history = createMemoryHistory({ initialEntries: [ADDRESS] });
  const router = createRouter({ routeTree, context: { queries }, history });
  renderSite(router, queries);
  return router;
}

it.each([
  ["environment", `/notebooks/${ID}?start=lab`],
  ["app", `/apps/${ID}`],
  ["training", `/jobs/${ID}`],
  ["replica", `/replicas/${ID}`],
])("leads from the id of work to the page of its kind: %s", async (kind, page) => {
  const router = await visit({ id: ID, kind });
  await waitFor(() => expect(router.state.location.href).toBe(page));
  expect(router.history.length).toBe(1);
});

it("says of work that the reader may not see no more than of any unknown address", async () => {
  await visit(problem(404, "not_found"));
  expect(await screen.findByRole("heading", { level: 1, name: "Page not found" })).toBeTruthy();
});

it("asks to sign in first, and keeps the address", async () => {
  const router = await visit(problem(401, "not_authenticated"), null);
  await waitFor(() => expect(router.state.location.pathname).toBe("/sign-in"));
  expect(router.state.location.search).toEqual({ next: ADDRESS });
});
