import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { NodeMap } from "@/features/nodes/components/node-map";
import { useClusterRings } from "@/shared/cluster/api/use-cluster-rings";
import { useConfig } from "@/shared/session/me";
import { PageHeader } from "@/shared/ui/page";
import { SimulatedBadge } from "@/shared/workload/components/badges";

export const Route = createFileRoute("/_shell/nodes/")({ component: NodesPage });

function NodesPage() {
  const { t } = useTranslation("nodes");
  const isSimulated = useConfig()?.is_simulated;
  useClusterRings();
  return (
    <>
      <PageHeader
        title={t("title")}
        about={
          <>
            {t("about")} {isSimulated && <SimulatedBadge />}
          </>
        }
      />
      <NodeMap />
    </>
  );
}
