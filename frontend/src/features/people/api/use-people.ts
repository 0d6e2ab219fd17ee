import { keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { api, nextCursor, unwrap } from "@/shared/api/client";
import type { PersonChange, PersonInput, PersonPassword } from "@/shared/api/types";
import { peopleKeys, useChanging } from "./use-changing";

const PAGE_SIZE = 50;

/** People whose names hold the searched text, page by page. */
export function usePeople(search: string) {
  const query = useInfiniteQuery({
    queryKey: peopleKeys.list(search),
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET("/api/v1/users", {
          params: {
            query: {
              page_size: PAGE_SIZE,
              ...(search && { search }),
              ...(pageParam && { cursor: pageParam }),
            },
          },
        }),
      ),
    initialPageParam: "",
    getNextPageParam: nextCursor,
    placeholderData: keepPreviousData,
  });
  return { ...query, people: query.data?.pages.flatMap((page) => page.results) };
}

/** The answer is the only one that holds the password. */
export function useAddPerson(onAdded: (person: PersonPassword) => void) {
  return useChanging((body: PersonInput) => unwrap(api.POST("/api/v1/users", { body })), onAdded);
}

export function useChangePerson(id: string) {
  return useChanging((body: PersonChange) =>
    unwrap(api.PATCH("/api/v1/users/{user_id}", { params: { path: { user_id: id } }, body })),
  );
}

/** The answer is the only one that holds the password. */
export function useRenewPassword(id: string, onRenewed: (person: PersonPassword) => void) {
  return useChanging(
    () =>
      unwrap(api.POST("/api/v1/users/{user_id}/password", { params: { path: { user_id: id } } })),
    onRenewed,
  );
}
