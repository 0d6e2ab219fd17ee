import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { App, ConfigProvider } from "antd";
import type { ReactElement } from "react";
import type { Language } from "@/shared/i18n/language";
import { switchLanguage } from "@/shared/i18n/texts";
import { LiveContext } from "@/shared/live/live";
import { LiveSocket } from "@/shared/live/socket";
import { sessionKeys } from "@/shared/session/me";
import { MessagesProvider } from "@/shared/ui/messages";
import { aMe } from "./factories";

const silent = { open: () => ({ close() {}, send() {} }) as unknown as WebSocket };

/** A page's socket that carries nothing. */
export function silentSocket(): LiveSocket {
  return new LiveSocket({ ...silent, later: () => () => {} });
}

/** `me` is who is signed in. */
export function renderPart(part: ReactElement, me = aMe(), socket = silentSocket()) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(sessionKeys.me, me);
  const router = createRouter({
    routeTree: createRootRoute({ component: () => part }),
    history: createMemoryHistory(),
  });
  // Without the library's styles: jsdom would go through all of them at each search by role.
  return render(
    <ConfigProvider button={{ autoInsertSpace: false }} theme={{ zeroRuntime: true }}>
      <App>
        <MessagesProvider>
          <QueryClientProvider client={queries}>
            <LiveContext value={socket}>
              <RouterProvider router={router as never} />
            </LiveContext>
          </QueryClientProvider>
        </MessagesProvider>
      </App>
    </ConfigProvider>,
  );
}

/** The whole site of this router. */
export function renderSite(router: object, queries: QueryClient) {
  return render(
    <MessagesProvider>
      <QueryClientProvider client={queries}>
        <LiveContext value={silentSocket()}>
          <RouterProvider router={router as never} />
        </LiveContext>
      </QueryClientProvider>
    </MessagesProvider>,
  );
}

/** Show everything in this language; every test begins in English. */
export async function speak(language: Language): Promise<void> {
  await switchLanguage(language);
}
