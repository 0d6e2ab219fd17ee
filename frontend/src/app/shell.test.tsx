import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
} from "@tanstack/react-router";
import { act, render, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import i18next from "i18next";
import { Suspense, useState } from "react";
import { expect, it } from "vitest";
import { useSignOut } from "@/shared/session/account";
import { sessionKeys, useMe } from "@/shared/session/me";
import { aMe, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart, renderSite } from "@/testing/render";
import { createQueryClient } from "./app";
import { PageFault } from "./faults";
import { routeTree } from "./route-tree.gen";
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

it("shows inside the frame why a page cannot be shown, and the page once it can", async () => {
  serve({ "GET /api/v1/ssh-keys": aPage([]) });
  const queries = createQueryClient();
  queries.setQueryData(sessionKeys.me, aMe());
  const history = createMemoryHistory({ initialEntries: ["/nowhere"] });
  const router = createRouter({
    routeTree,
    context: { queries },
    history,
    defaultErrorComponent: PageFault,
  });
  await router.load();
  // Texts that do not come, as for a reader without a network.
  await i18next.changeLanguage("none");
  await router.navigate({ to: "/ssh-keys" });
  await i18next.changeLanguage("en");
  renderSite(router, queries);
  const page = await screen.findByRole("main");
  const fault = await within(page).findByRole("alert");
  expect(screen.getAllByRole("link", { name: "Queue" }).length).toBeGreaterThan(0);
  await userEvent.click(within(fault).getByRole("button"));
  expect(await within(page).findByRole("heading", { level: 1, name: "SSH keys" })).toBeTruthy();
  expect(screen.getByRole("main")).toBe(page);
});

it("says that a page cannot be loaded, instead of loading the site again without a network", async () => {
  const missing = new TypeError("Failed to fetch dynamically imported module: /assets/queue.js");
  const root = createRootRoute();
  const page = createRoute({
    getParentRoute: () => root,
    path: "/",
    component: lazyRouteComponent(async () => {
      // As the code does that Vite puts around each import.
      window.dispatchEvent(Object.assign(new Event("vite:preloadError"), { payload: missing }));
      throw missing;
    }),
  });
  const router = createRouter({
    routeTree: root.addChildren([page]),
    history: createMemoryHistory(),
    defaultErrorComponent: PageFault,
  });
  render(
    <QueryClientProvider client={new QueryClient()}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>,
  );
  expect(await screen.findByRole("alert")).toBeTruthy();
  // The router itself would have written "1", and loaded the site again.
  expect(sessionStorage.getItem(`tanstack_router_reload:${missing.message}`)).toBe("done");
});

it("lets a part that is drawn once more after the end of the session wait to be taken away", async () => {
  const queries = new QueryClient();
  queries.setQueryData(sessionKeys.me, aMe());
  let drawAgain = () => {};
  function Part() {
    const [count, setCount] = useState(0);
    drawAgain = () => setCount(count + 1);
    return <p>{useMe().username}</p>;
  }
  render(
    <QueryClientProvider client={queries}>
      <Suspense fallback="waiting">
        <Part />
      </Suspense>
    </QueryClientProvider>,
  );
  await screen.findByText(aMe().username);
  await act(async () => {
    queries.setQueryData(sessionKeys.me, null);
    drawAgain();
  });
  expect(await screen.findByText("waiting")).toBeTruthy();
});

it("forgets at the end of a session what the tab has kept for its reader", async () => {
  serve({ "DELETE /_allauth/browser/v1/auth/session": () => problem(401, "not_authenticated") });
  sessionStorage.setItem("berth.drafts", "[1]");
  function SignOut() {
    const { mutate } = useSignOut();
    return (
      <button type="button" onClick={() => mutate()}>
        out
      </button>
    );
  }
  renderPart(<SignOut />);
  await userEvent.click(await screen.findByText("out"));
  await waitFor(() => expect(sessionStorage.length).toBe(0));
});
