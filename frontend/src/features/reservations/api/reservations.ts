/** Advance reservations: those that are not over, and making and cancelling them. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, unwrap } from "@/shared/api/client";
import { useMakeRequest } from "@/shared/approvals/api/approvals";
import { useFallbackInterval, useTopics } from "@/shared/live/live";
import { type ReservationForm, reservationInput } from "../model/reservations";

const KEY = ["reservations"] as const;
const PAGE_SIZE = 200;

export function useReservations() {
  useTopics(["nodes"], [KEY]);
  return useQuery({
    queryKey: KEY,
    queryFn: () =>
      unwrap(api.GET("/api/v1/reservations", { params: { query: { page_size: PAGE_SIZE } } })),
    select: (page) => page.results,
    refetchInterval: useFallbackInterval(),
  });
}

/** Reserve now, or request it. */
export function useReserve() {
  const client = useQueryClient();
  const request = useMakeRequest();
  return useMutation({
    mutationFn: async (form: ReservationForm) => {
      const body = reservationInput(form);
      if (form.how === "request") {
        const comment = form.comment?.trim() ?? "";
        await request.mutateAsync({ kind: "reservation", reservation: body, comment });
      } else await unwrap(api.POST("/api/v1/reservations", { body }));
    },
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}

export function useCancelReservation() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      unwrap(
        api.DELETE("/api/v1/reservations/{reservation_id}", {
          params: { path: { reservation_id: id } },
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: KEY }),
  });
}
