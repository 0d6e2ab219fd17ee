import { createFileRoute } from "@tanstack/react-router";
import { UsagePage } from "@/features/usage/components/usage-page";
import type { UsageSearch } from "@/features/usage/model/search";

export const Route = createFileRoute("/_shell/usage/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as UsageSearch,
  component: UsagePage,
});
