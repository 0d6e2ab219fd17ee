import { useMutation } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import type { Workload } from "@/shared/api/types";

/**
 * Open a notebook, or a port of running work, in a new tab by a one-time ticket. The tab is opened
 * by the click itself and filled once the ticket is there: browsers block windows that open later.
 */
export function useOpen({ id, kind }: Pick<Workload, "id" | "kind">) {
  return useMutation({
    mutationFn: async (port?: number) => {
      const tab = window.open("about:blank", "_blank");
      try {
        const { url } = await ticketOf(id, kind, port);
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

/** A job has nothing but ports. */
function ticketOf(id: string, kind: Workload["kind"], port?: number) {
  const params = { path: { workload_id: id } };
  if (kind === "training" && port !== undefined) {
    return unwrap(api.POST("/api/v1/jobs/{workload_id}/tickets", { params, body: { port } }));
  }
  const body = port === undefined ? {} : { port };
  return unwrap(api.POST("/api/v1/environments/{workload_id}/tickets", { params, body }));
}
