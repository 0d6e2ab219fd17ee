import { createFileRoute } from "@tanstack/react-router";
import { ReportPage } from "@/features/usage/components/report-page";
import type { ReportSearch } from "@/features/usage/model/search";
import { configQuery } from "@/shared/session/me";

export const Route = createFileRoute("/_shell/usage/report")({
  validateSearch: (search) => search as ReportSearch,
  // Its days are the site's: asked for with the reader's, everything would be asked for twice.
  beforeLoad: ({ context }) => context.queries.ensureQueryData(configQuery),
  component: ReportPage,
});
