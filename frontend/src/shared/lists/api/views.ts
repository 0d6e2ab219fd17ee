/** Saved views of lists: one's own in every browser, and those of one's groups. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { api, unwrap } from "@/shared/api/client";
import type { SavedView, SavedViewInput } from "@/shared/api/types";
import { useListChanges } from "@/shared/live/live";
import { arrivingView, type ListName } from "../model/views";
import { useAddress } from "./address";

const VIEWS = ["saved-views"] as const;
/** More than one person and the groups of one person have. */
const PAGE_SIZE = 200;

/** The views that the reader may use, by name; none of a list that has none. */
export function useViews(list: ListName | undefined) {
  useListChanges(list ? ["saved_view"] : [], [VIEWS]);
  return useQuery({
    enabled: list !== undefined,
    queryKey: [...VIEWS, list],
    queryFn: () => {
      const query = { page_size: PAGE_SIZE, ...(list && { list }) };
      return unwrap(api.GET("/api/v1/saved-views", { params: { query } }));
    },
    select: ({ results }) => results.toSorted((a, b) => a.name.localeCompare(b.name)),
  });
}

/** The view that the address names, if the reader may use it. */
export function useViewInAddress(list: ListName | undefined): SavedView | undefined {
  const { view } = useAddress().search;
  return useViews(list).data?.find(({ id }) => id === view);
}

/** On arrival without filters: those of the view that the address names, or with which the list opens. */
export function useArrival(list: ListName | undefined): void {
  const views = useViews(list).data;
  const { search, arrive } = useAddress();
  const hasArrived = useRef(false);
  useEffect(() => {
    if (!views || hasArrived.current) return;
    hasArrived.current = true;
    const view = arrivingView(views, search);
    if (view) arrive({ ...view.search, view: view.id });
  });
}

/** Stores a view; one of the reader's own of the same name is replaced. */
export function useSaveView(own: readonly SavedView[]) {
  return useViewMutation((body: SavedViewInput) => {
    const same = own.find(({ name }) => name === body.name);
    if (!same) return unwrap(api.POST("/api/v1/saved-views", { body }));
    const { list: _, ...changes } = body;
    const params = { path: { view_id: same.id } };
    return unwrap(api.PATCH("/api/v1/saved-views/{view_id}", { params, body: changes }));
  });
}

export function useRemoveView() {
  return useViewMutation((id: string) =>
    unwrap(api.DELETE("/api/v1/saved-views/{view_id}", { params: { path: { view_id: id } } })),
  );
}

/** Lets a list open with a view, or with everything. */
export function useOpenWith(list: ListName) {
  return useViewMutation((view: string | null) =>
    unwrap(api.PUT("/api/v1/saved-views/opening", { body: { list, view } })),
  );
}

function useViewMutation<Input, Answer>(mutationFn: (input: Input) => Promise<Answer>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSuccess: () => client.invalidateQueries({ queryKey: VIEWS }),
  });
}
