import type { Node } from "@/shared/api/types";
import { BerthLegend } from "@/shared/cluster/components/berth-strip";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { ScopedCharts } from "@/shared/telemetry/components/scoped-charts";
import { PageHeader } from "@/shared/ui/page";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { NodePanel } from "./node-panel";

/** One node: its cards now, and what they did over time. */
export function NodePage({ node }: { node: Node }) {
  const { t } = useTranslation("telemetry");
  const language = useLanguage();
  const isSimulated = node.accelerators.some(({ is_simulated }) => is_simulated);
  return (
    <>
      <PageHeader
        title={node.name}
        about={
          <>
            {titleOf(node.pool, language)} {isSimulated && <SimulatedBadge />}
          </>
        }
      />
      <div className="stack">
        <BerthLegend />
        <NodePanel node={node} />
        <ScopedCharts
          whole={{ kind: "node", id: node.id }}
          title={t("scope.allCards")}
          parts={node.accelerators
            .toSorted((one, other) => one.index - other.index)
            .map(({ id, index }) => ({
              kind: "card" as const,
              id,
              node: node.id,
              title: t("card", { title: index }),
            }))}
        />
      </div>
    </>
  );
}
