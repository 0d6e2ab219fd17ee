import { Link } from "@tanstack/react-router";
import { Alert } from "antd";
import type { Node, NodeCheck, NodeEvent, NodeWork } from "@/shared/api/types";
import { NodesLegend } from "@/shared/cluster/components/berth-strip";
import { formatMemory, formatMilli, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { canReadAudit, isOperator, isStaff } from "@/shared/session/roles";
import { ScopedCharts } from "@/shared/telemetry/components/scoped-charts";
import { CodeBlock } from "@/shared/ui/code-block";
import { PageHeader, Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age, Elapsed, Moment } from "@/shared/ui/time";
import { useHeldWords } from "@/shared/workload/components/sentences";
import { SimulatedBadge } from "@/shared/workload/components/tags";
import { GlimpseName } from "@/shared/workload/components/workload-link";
import { heldCards } from "@/shared/workload/model/held-cards";
import { useNodeChecks, useNodeHistory, useNodeWork } from "../api/nodes";
import { NodePanel, useCardFault } from "./node-panel";

/** One node: its cards, the work on it, and what they did over time. */
export function NodePage({ node }: { node: Node }) {
  const { t } = useTranslation(["telemetry", "nodes"]);
  const language = useLanguage();
  const me = useMe();
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
        <NodesLegend nodes={[node]} />
        <NodePanel node={node} />
        <NodeWorkPanel nodeId={node.id} />
        <p className="second">{t("nodes:reserved.about")}</p>
        <ScopedCharts
          whole={{ kind: "node", id: node.id }}
          title={t("scope.allCards")}
          parts={node.accelerators
            .toSorted((one, other) => one.index - other.index)
            .map(({ id, index }) => ({
              kind: "card" as const,
              id,
              title: t("card", { title: index }),
            }))}
        />
        {isOperator(me) && <NodeChecksPanel nodeId={node.id} />}
        {isStaff(me) && <NodeHistoryPanel nodeId={node.id} />}
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
        sortName="workSort"
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

/** What people and the agent did to the node, and what alarm rules found there. */
function NodeHistoryPanel({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  return (
    <Panel
      title={t("history.title")}
      extra={
        canReadAudit(useMe()) && (
          <Link to="/audit" search={{ object: nodeId } as never}>
            {t("history.audit")}
          </Link>
        )
      }
    >
      <ListOfQuery
        id="node-history"
        sortName="eventSort"
        label={t("history.title")}
        query={useNodeHistory(nodeId)}
        columns={useNodeEventColumns()}
        rowKey={({ at, code, card }) => `${at} ${code} ${card}`}
        empty={<EmptyState title={t("history.none.title")} text={t("history.none.text")} />}
      />
    </Panel>
  );
}

function useNodeEventColumns(): ListColumn<NodeEvent>[] {
  const { t } = useTranslation("nodes");
  const coded = useCodedText();
  const detail = useEventDetail();
  const what = ({ code, is_act, card }: NodeEvent) => {
    const words = coded(is_act ? `audit:action.${code}` : `alarms:kind.${code}`) ?? code;
    return card === null ? words : `${words}, ${t("history.card", { index: card })}`;
  };
  return [
    {
      key: "at",
      title: t("history.column.at"),
      value: ({ at }) => at,
      isMoment: true,
      cell: ({ at }) => <Moment at={at} />,
    },
    { key: "what", title: t("history.column.what"), value: what, cell: what },
    { key: "detail", title: t("history.column.detail"), value: detail, cell: detail },
    {
      key: "by",
      title: t("history.column.by"),
      value: ({ actor_name }) => actor_name || null,
      cell: ({ actor_name }) => actor_name || "–",
    },
    {
      key: "lasted",
      isShort: true,
      title: t("history.column.lasted"),
      value: ({ at, ended_at }) => ended_at && (Date.parse(ended_at) - Date.parse(at)) / 1000,
      cell: ({ is_act, at, ended_at }) => {
        if (is_act) return "–";
        return ended_at ? <Elapsed since={at} until={ended_at} /> : t("history.ongoing");
      },
    },
  ];
}

function useEventDetail(): (event: NodeEvent) => string {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  const faultOf = useCardFault();
  return ({ code, detail, value }) => {
    switch (code) {
      case "gpu_fault":
        return faultOf(detail);
      case "node_silent":
        return t(detail === "lost" ? "nodeLost" : "nodeUnready");
      case "gpu_hot":
        return `${formatNumber(value ?? 0, language)} °C`;
      case "disk_near_full":
        return `${formatNumber(value ?? 0, language)} %`;
      default:
        return detail;
    }
  };
}

const ALERTS = { fail: "error", warn: "warning", ok: "success" } as const;

/** What the doctor of the node found on its host: what is wrong with the way to repair it, then the rest. */
function NodeChecksPanel({ nodeId }: { nodeId: string }) {
  const { t } = useTranslation("nodes");
  const query = useNodeChecks(nodeId);
  const at = query.data?.reported_at;
  return (
    <Panel
      title={t("checks.title")}
      extra={
        at && (
          <span>
            {t("checks.at")} <Age at={at} />
          </span>
        )
      }
    >
      <QueryBoundary query={query}>
        {({ reported_at, checks }) =>
          reported_at === null ? (
            <EmptyState title={t("checks.none.title")} text={t("checks.none.text")} />
          ) : (
            <NodeCheckList checks={checks} />
          )
        }
      </QueryBoundary>
    </Panel>
  );
}

function NodeCheckList({ checks }: { checks: readonly NodeCheck[] }) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const passed = checks.filter(({ level }) => level === "ok");
  const line = (check: NodeCheck) => (
    <Alert
      key={check.code}
      showIcon
      type={ALERTS[check.level]}
      title={`${t(`checks.level.${check.level}`)}: ${language === "zh-CN" ? check.zh : check.en}`}
      description={
        check.fix && <CodeBlock text={check.fix} label={t("checks.fix", { code: check.code })} />
      }
    />
  );
  return (
    <div className="stack">
      {(["fail", "warn"] as const).flatMap((wanted) =>
        checks.filter(({ level }) => level === wanted).map(line),
      )}
      {passed.length > 0 && (
        <details>
          <summary>{t("checks.passed", { count: passed.length })}</summary>
          <div className="stack">{passed.map(line)}</div>
        </details>
      )}
    </div>
  );
}
