import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";

/**
 * Open a notebook in a new tab by a one-time ticket. The tab is opened by the click itself and
 * filled once the ticket is there: browsers block windows that open later.
 */
export function useOpenEnvironment(environmentId: string) {
  return useMutation({
    mutationFn: async () => {
      const tab = window.open("about:blank", "_blank");
      try {
        const ticket = await unwrap(
          api.POST("/api/v1/environments/{workload_id}/tickets", {
            params: { path: { workload_id: environmentId } },
          }),
        );
        if (!tab) return window.location.assign(ticket.url);
        tab.opener = null;
        tab.location.replace(ticket.url);
      } catch (error) {
        tab?.close();
        throw error;
      }
    },
  });
}
