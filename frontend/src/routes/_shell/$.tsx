import { createFileRoute, Navigate } from "@tanstack/react-router";
import { EntityPage, NotFoundPage } from "@/app/faults";
import { readStartSearch, type StartFrom } from "@/features/notebooks/model/notebook";
import { useWorkload } from "@/shared/workload/api/workloads";
import { termsOf } from "@/shared/workload/model/kinds";

/**
 * Every unknown address, inside the frame so that the navigation stays; and `/work/<id>`, for a
 * reader who knows no more of the work than its id: the apps origin links there.
 */
export const Route = createFileRoute("/_shell/$")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as { start?: StartFrom },
  component: OtherAddress,
});

const WORK = /^work\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function OtherAddress() {
  const { _splat = "" } = Route.useParams();
  const [, id] = WORK.exec(_splat) ?? [];
  return id ? <WorkOfAnyKind id={id} /> : <NotFoundPage />;
}

/** Leads to the page of this kind of work, if the reader may see it. */
function WorkOfAnyKind({ id }: { id: string }) {
  const search = readStartSearch(Route.useSearch());
  const work = useWorkload(id);
  return (
    <EntityPage query={work}>
      {({ kind }) => {
        const { is_kept, page } = termsOf(kind);
        return is_kept ? (
          <Navigate to={`/${page}/$id`} params={{ id }} search={search} replace />
        ) : (
          <Navigate to={`/${page}/$id`} params={{ id }} replace />
        );
      }}
    </EntityPage>
  );
}
