import { createFileRoute } from "@tanstack/react-router";
import { UsagePage } from "@/features/usage/components/usage-page";
import { readUsageSearch } from "@/features/usage/model/search";

export const Route = createFileRoute("/_shell/usage")({
  validateSearch: readUsageSearch,
  component: UsagePage,
});
