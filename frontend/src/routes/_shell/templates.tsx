import { createFileRoute } from "@tanstack/react-router";
import { TemplatesPage } from "@/features/templates/components/templates-page";
import { SUBMITTED_KINDS, type SubmittedKind } from "@/shared/workload/model/kinds";

export const Route = createFileRoute("/_shell/templates")({
  validateSearch: ({ kind }: Record<string, unknown>) =>
    searchOf(SUBMITTED_KINDS.find((each) => each === kind)),
  component: TemplatesRoute,
});

/** The kind that is shown first is not written. */
function searchOf(kind: SubmittedKind | undefined): { kind?: SubmittedKind } {
  return kind && kind !== SUBMITTED_KINDS[0] ? { kind } : {};
}

function TemplatesRoute() {
  const { kind = SUBMITTED_KINDS[0] } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <TemplatesPage
      kind={kind}
      onKind={(next) => void navigate({ search: searchOf(next), replace: true })}
    />
  );
}
