import { createFileRoute } from "@tanstack/react-router";
import { TemplatesPage } from "@/features/templates/components/templates-page";
import type { WorkloadKind } from "@/shared/submission/model/submission";

export const Route = createFileRoute("/_shell/templates")({
  validateSearch: ({ kind }: Record<string, unknown>): { kind?: WorkloadKind } =>
    kind === "environment" ? { kind } : {},
  component: TemplatesRoute,
});

function TemplatesRoute() {
  const { kind = "training" } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <TemplatesPage
      kind={kind}
      onKind={(next) =>
        void navigate({ search: next === "environment" ? { kind: next } : {}, replace: true })
      }
    />
  );
}
