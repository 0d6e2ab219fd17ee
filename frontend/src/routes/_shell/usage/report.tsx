import { createFileRoute } from "@tanstack/react-router";
import { ReportPage } from "@/features/usage/components/report-page";
import type { ReportSearch } from "@/features/usage/model/search";

export const Route = createFileRoute("/_shell/usage/report")({
  validateSearch: (search) => search as ReportSearch,
  component: ReportPage,
});
