import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useService } from "@/features/services/api/services";
import { ServicePage } from "@/features/services/components/service-page";
import { readServiceTab, type ServiceTab } from "@/features/services/model/service";

export const Route = createFileRoute("/_shell/services/$id")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { tab?: ServiceTab },
  component: ServiceRoute,
});

function ServiceRoute() {
  const { id } = Route.useParams();
  const { tab } = Route.useSearch();
  const navigate = Route.useNavigate();
  return (
    <EntityPage query={useService(id)}>
      {(service) => (
        <ServicePage
          service={service}
          tab={readServiceTab(tab)}
          onTab={(next) => void navigate({ search: { tab: next }, replace: true })}
        />
      )}
    </EntityPage>
  );
}
