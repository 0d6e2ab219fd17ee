import { createFileRoute } from "@tanstack/react-router";
import { TemplatesPage } from "@/features/templates/components/templates-page";
import type { SubmittedKind } from "@/shared/workload/model/kinds";

export const Route = createFileRoute("/_shell/templates")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { kind?: SubmittedKind },
  component: TemplatesPage,
});
