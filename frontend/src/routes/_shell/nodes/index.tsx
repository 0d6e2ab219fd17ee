import { createFileRoute, Link } from "@tanstack/react-router";
import { NodeMap } from "@/features/nodes/components/node-map";
import { RecoveryNotice } from "@/features/nodes/components/recovery-notice";
import type { NodeSearch } from "@/features/nodes/model/node-list";
import { nodeList, useClusterUpdates } from "@/shared/cluster/api/nodes";
import { useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { PageHeader } from "@/shared/ui/page";
import { SimulatedBadge } from "@/shared/workload/components/tags";

export const Route = createFileRoute("/_shell/nodes/")({
  // Read by the page itself: what stands here is loaded with the first page of everybody.
  validateSearch: (search) => search as NodeSearch & { sort?: string },
  // All nodes come in several answers: they are asked for while the page itself is on its way.
  loader: ({ context, cause }) => {
    if (cause === "enter") void context.queries.prefetchQuery(nodeList);
  },
  component: NodesPage,
});

function NodesPage() {
  const { t } = useTranslation("nodes");
  const isSimulated = useConfig()?.is_simulated;
  useClusterUpdates();
  return (
    <>
      <PageHeader
        title={t("title")}
        about={
          <>
            {t("about")} <Link to="/nodes/map">{t("map.link")}</Link>{" "}
            {isSimulated && <SimulatedBadge />}
          </>
        }
      />
      <div className="stack">
        <RecoveryNotice />
        <NodeMap />
      </div>
    </>
  );
}
