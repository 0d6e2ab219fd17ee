import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRouter, RouterProvider } from "@tanstack/react-router";
import { ConfigProvider } from "antd";
import { useState } from "react";
import { isRetryable, problemOf } from "@/shared/api/problem";
import { useLanguage } from "@/shared/i18n/language";
import { libraryLocale } from "@/shared/i18n/texts";
import { LiveContext } from "@/shared/live/live";
import { LiveSocket } from "@/shared/live/socket";
import { sessionKeys } from "@/shared/session/me";
import { useIsCalm, useIsDark } from "@/shared/theme/preference";
import { LOOK, themeConfig } from "@/shared/theme/tokens";
import { MessagesProvider } from "@/shared/ui/messages";
import { NotFoundPage, PageFault } from "./faults";
import { routeTree } from "./route-tree.gen";

/** The providers that every page needs: theme, queries, live connection, router. */
export function App() {
  const isDark = useIsDark();
  const isCalm = useIsCalm();
  const locale = libraryLocale(useLanguage());
  const [queries] = useState(createQueryClient);
  const [router] = useState(() => createAppRouter(queries));
  const [socket] = useState(() => new LiveSocket());
  return (
    <ConfigProvider
      theme={themeConfig(isDark, isCalm)}
      {...(locale && { locale })}
      button={{ autoInsertSpace: false }}
    >
      <div className={`ground ${LOOK}`}>
        <MessagesProvider>
          <QueryClientProvider client={queries}>
            <LiveContext value={socket}>
              <RouterProvider router={router} />
            </LiveContext>
          </QueryClientProvider>
        </MessagesProvider>
      </div>
    </ConfigProvider>
  );
}

function createAppRouter(queries: QueryClient) {
  return createRouter({
    routeTree,
    context: { queries },
    defaultPreload: "intent",
    defaultNotFoundComponent: NotFoundPage,
    defaultErrorComponent: PageFault,
    scrollRestoration: true,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}

const RETRIES_MAX = 2;

/** What the reader may not see any more, or what is gone. */
const WITHDRAWN: readonly number[] = [403, 404];

/**
 * Server state for the whole page. A 401 anywhere, to what is read or sent, means that the session is
 * over; what is refused after it was shown is shown no longer.
 */
export function createQueryClient(): QueryClient {
  const endSession = () => client.setQueryData(sessionKeys.me, null);
  const client: QueryClient = new QueryClient({
    mutationCache: new MutationCache({
      onError: (error) => problemOf(error).status === 401 && endSession(),
    }),
    queryCache: new QueryCache({
      onError: (error, query) => {
        const { status } = problemOf(error);
        if (status === 401) endSession();
        if (WITHDRAWN.includes(status)) query.setState({ data: undefined });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        // The socket says what changed meanwhile.
        refetchOnReconnect: false,
        retry: (failures, error) => failures < RETRIES_MAX && isRetryable(error),
      },
    },
  });
  return client;
}
