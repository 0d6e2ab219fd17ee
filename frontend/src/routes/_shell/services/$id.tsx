import { createFileRoute } from "@tanstack/react-router";
import { EntityPage } from "@/app/faults";
import { useService } from "@/features/services/api/services";
import { ServicePage } from "@/features/services/components/service-page";

export const Route = createFileRoute("/_shell/services/$id")({
  // Read by the tabs themselves: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { tab?: string },
  component: ServiceRoute,
});

function ServiceRoute() {
  const { id } = Route.useParams();
  return (
    <EntityPage query={useService(id)}>{(service) => <ServicePage service={service} />}</EntityPage>
  );
}
