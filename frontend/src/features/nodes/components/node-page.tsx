import type { Node, NodeWork } from "@/shared/api/types";
import { BerthLegend } from "@/shared/cluster/components/berth-strip";
import { formatMemory, formatMilli } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { ScopedCharts } from "@/shared/telemetry/components/scoped-charts";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useHeldWords } from "@/shared/workload/components/sentences";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { heldCards } from "@/shared/workload/model/held-cards";
import { useNodeWork } from "../api/nodes";
import { NodePanel } from "./node-panel";

/** One node: its cards, the work on it, and what they did over time. */
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
        <NodeWorkPanel nodeId={node.id} />
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

/** What holds something of the node now. */
function NodeWorkPanel({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  return (
    <Panel title={t("work.title")}>
      <ListOfQuery
        id="node-work"
        label={t("work.title")}
        query={useNodeWork(nodeId)}
        columns={useNodeWorkColumns()}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("work.none.title")} text={t("work.none.text")} />}
      />
    </Panel>
  );
}

function useNodeWorkColumns(): ListColumn<NodeWork>[] {
  const { t } = useTranslation(["nodes", "workload"]);
  const coded = useCodedText();
  const language = useLanguage();
  const held = useHeldWords();
  const gpus = ({ devices }: NodeWork) =>
    heldCards(devices.map((device) => ({ ...device, model: "", ceiling_mib: null })))
      .map(held)
      .join(" · ");
  const kind = ({ work }: NodeWork) => coded(`nodes:work.kind.${work.kind}`) ?? work.kind;
  const owner = ({ work }: NodeWork) => work.owner?.display_name || work.owner?.username || null;
  const group = ({ work }: NodeWork) => work.group && titleOf(work.group, language);
  return [
    {
      key: "name",
      title: t("work.column.name"),
      value: ({ work }) => work.name,
      cell: ({ work, rank }) => (
        <>
          <GlimpseName work={work} />
          {work.replicas > 1 && <span className="second">{t("workload:fact.rank", { rank })}</span>}
        </>
      ),
    },
    { key: "kind", title: t("work.column.kind"), value: kind, cell: kind },
    { key: "owner", title: t("work.column.owner"), value: owner, cell: (row) => owner(row) ?? "–" },
    { key: "group", title: t("work.column.group"), value: group, cell: (row) => group(row) ?? "–" },
    {
      key: "gpus",
      title: t("work.column.gpus"),
      value: gpus,
      cell: (row) => <span className="num">{gpus(row) || "–"}</span>,
    },
    {
      key: "cpu",
      isShort: true,
      title: t("work.column.cpu"),
      value: ({ cpu_milli }) => cpu_milli / 1000,
      cell: ({ cpu_milli }) => <span className="num">{formatMilli(cpu_milli, language)}</span>,
    },
    {
      key: "memory",
      isShort: true,
      title: t("work.column.memory"),
      value: ({ memory_mib }) => memory_mib,
      cell: ({ memory_mib }) => <span className="num">{formatMemory(memory_mib, language)}</span>,
    },
    {
      key: "since",
      isShort: true,
      title: t("work.column.since"),
      value: ({ since }) => since,
      cell: ({ since }) => <Age at={since} />,
    },
  ];
}
