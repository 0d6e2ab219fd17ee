import { createFileRoute } from "@tanstack/react-router";
import { CardMapPage } from "@/features/nodes/components/card-map-page";
import type { CardSearch } from "@/features/nodes/model/card-search";

export const Route = createFileRoute("/_shell/nodes/map")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as CardSearch,
  component: CardMapPage,
});
