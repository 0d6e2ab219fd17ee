import { createFileRoute } from "@tanstack/react-router";
import { ReservationsPage } from "@/features/reservations/components/reservations-page";

export const Route = createFileRoute("/_shell/reservations")({ component: ReservationsPage });
