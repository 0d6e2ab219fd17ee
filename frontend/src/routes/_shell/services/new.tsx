import { createFileRoute } from "@tanstack/react-router";
import { useServicePresets } from "@/features/services/api/endpoint";
import { ServiceForm } from "@/features/services/components/service-form";
import { REPLICA } from "@/shared/api/kinds.gen";
import { useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { SubmissionGate } from "@/shared/submission/components/submission-form";
import { PageHeader } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";

export const Route = createFileRoute("/_shell/services/new")({ component: NewServicePage });

function NewServicePage() {
  const { t } = useTranslation("services");
  const navigate = Route.useNavigate();
  const presets = useServicePresets();
  useClusterUpdates();
  return (
    <>
      <PageHeader title={t("form.newTitle")} />
      <QueryBoundary query={presets} rows={8}>
        {(presets) => (
          <SubmissionGate kind={REPLICA.kind}>
            {(choices) => (
              <ServiceForm
                {...choices}
                presets={presets}
                onCreated={({ id }) => void navigate({ to: "/services/$id", params: { id } })}
              />
            )}
          </SubmissionGate>
        )}
      </QueryBoundary>
    </>
  );
}
