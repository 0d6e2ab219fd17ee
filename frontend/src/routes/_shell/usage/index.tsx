import { createFileRoute } from "@tanstack/react-router";
import { UsagePage } from "@/features/usage/components/usage-page";
import type { UsageSearch } from "@/features/usage/model/search";
import { configQuery } from "@/shared/session/me";

export const Route = createFileRoute("/_shell/usage/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as UsageSearch,
  // Its days are the site's: asked for with the reader's, everything would be asked for twice.
  beforeLoad: ({ context }) => context.queries.ensureQueryData(configQuery),
  component: UsagePage,
});
