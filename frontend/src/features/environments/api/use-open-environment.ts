import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";

/**
 * Open a notebook, or a port of it, in a new tab by a one-time ticket. The tab is opened by the click itself and
 * filled once the ticket is there: browsers block windows that open later.
 */
export function useOpenEnvironment(environmentId: string) {
  return useMutation({
    mutationFn: async (port?: number) => {
      const tab = window.open("about:blank", "_blank");
      try {
        const ticket = await unwrap(
          api.POST("/api/v1/environments/{workload_id}/tickets", {
            params: { path: { workload_id: environmentId } },
          }),
        );
        const url = port === undefined ? ticket.url : `${ticket.url}&port=${port}`;
        if (!tab) return window.location.assign(url);
        tab.opener = null;
        tab.location.replace(url);
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
}
