import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionKeys } from "@/shared/session/me";
import { aMe } from "@/testing/factories";
import { useSignedIn } from "./shell";

function Page() {
  return useSignedIn() && <p>inside</p>;
}

it("leads to the sign-in page once, which takes a while to come, and remembers the page", async () => {
  const queries = new QueryClient();
  queries.setQueryData(sessionKeys.me, aMe());
  const root = createRootRoute();
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  const routes = [
    createRoute({ getParentRoute: () => root, path: "/queue", component: Page }),
    createRoute({
      getParentRoute: () => root,
      path: "/sign-in",
      loader: () => arrival,
      component: () => <p>sign in</p>,
    }),
  ];
  const history = createMemoryHistory({ initialEntries: ["/queue?pool=training"] });
  const router = createRouter({ routeTree: root.addChildren(routes), history });
  render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  await screen.findByText("inside");
  await act(async () => void queries.setQueryData(sessionKeys.me, null));
  await act(async () => arrive());
  await screen.findByText("sign in");
  expect(router.state.location.pathname).toBe("/sign-in");
  expect(router.state.location.search).toEqual({ next: "/queue?pool=training" });
});
