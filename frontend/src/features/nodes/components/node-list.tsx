import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Node } from "@/shared/api/types";
import { clusterKeys } from "@/shared/cluster/api/cluster";
import { NodeStateTag } from "@/shared/cluster/components/node-state-tag";
import { formatMemory, formatMilli } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import type { Bulk } from "@/shared/lists/components/bulk-bar";
import { chipsOf, FilterChips, FilterChoice } from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { Fold } from "@/shared/lists/components/list-tools";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { SearchField, Tick } from "@/shared/ui/controls";
import { EmptyState } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { EVACUATION_S, type NodeAction, runNodeAction } from "../api/nodes";
import {
  actionsOf,
  brokenCards,
  chosenNodes,
  freeCards,
  isNodeFiltered,
  NODE_STATES,
  type NodeSearch,
  readNodeSearch,
} from "../model/node-list";
import styles from "./nodes.module.css";

/** All nodes as one list: filtered, sorted, as a file, and many of them cordoned or drained at once. */
export function NodeList({ nodes }: { nodes: readonly Node[] }) {
  const { t } = useTranslation("nodes");
  const search = readNodeSearch(useAddress().search);
  const bulk = useNodeBulk();
  return (
    <div className="stack">
      <NodeFilters nodes={nodes} search={search} />
      <ListTable
        id="nodes"
        views="nodes"
        label={t("list.title")}
        columns={useNodeListColumns()}
        rows={chosenNodes(nodes, search)}
        rowKey={({ id }) => id}
        {...(isOperator(useMe()) && { bulk })}
        empty={
          isNodeFiltered(search) && <EmptyState title={t("list.none")} text={t("list.widen")} />
        }
      />
    </div>
  );
}

interface NodeFiltersProps {
  nodes: readonly Node[];
  search: NodeSearch;
}

function NodeFilters({ nodes, search }: NodeFiltersProps) {
  const { t } = useTranslation(["nodes", "cluster", "lists"]);
  const language = useLanguage();
  const { change } = useAddress();
  const pools = new Map(nodes.map(({ pool }) => [pool.id, titleOf(pool, language)]));
  const models = [...new Set(nodes.flatMap((node) => node.models.map(({ name }) => name)))];
  const pool = search.pool && (pools.get(search.pool) ?? "…");
  const chips = chipsOf([
    ["node", t("list.search"), search.node],
    ["pool", t("list.pool"), pool],
    ["state", t("list.state"), search.state && t(`cluster:nodeState.${search.state}`)],
    ["model", t("lists:filters.model"), search.model],
    ["attention", t("list.state"), search.attention && t("list.attention")],
  ]);
  return (
    <>
      <search className={styles.filters}>
        <SearchField
          label={t("list.search")}
          value={search.node ?? ""}
          onSearch={(text) => change({ node: text || undefined })}
        />
        <Tick
          isOn={search.attention ?? false}
          onChange={(isOn) => change({ attention: isOn || undefined })}
        >
          {t("list.attention")}
        </Tick>
        <Fold label={t("lists:filters.label")}>
          <FilterChoice
            label={t("list.pool")}
            value={search.pool}
            options={[...pools].map(([value, label]) => ({ value, label }))}
            onChoose={(chosen) => change({ pool: chosen })}
          />
          <FilterChoice
            label={t("list.state")}
            value={search.state}
            options={NODE_STATES.map((value) => ({
              value,
              label: t(`cluster:nodeState.${value}`),
            }))}
            onChoose={(state) => change({ state })}
          />
          <FilterChoice
            label={t("lists:filters.model")}
            value={search.model}
            options={models.toSorted().map((value) => ({ value, label: value }))}
            onChoose={(model) => change({ model })}
          />
        </Fold>
      </search>
      <FilterChips chips={chips} />
    </>
  );
}

const BULK_ACTIONS = ["cordon", "drain", "evacuate", "uncordon"] as const satisfies NodeAction[];

function useNodeBulk(): Bulk<Node> {
  const { t } = useTranslation("nodes");
  const client = useQueryClient();
  return {
    nameOf: ({ name }) => name,
    allowed: actionsOf,
    actions: BULK_ACTIONS.map((key) => ({
      key,
      label: t(`act.${key}.name`),
      about: t(`act.${key}.each`, { minutes: EVACUATION_S / 60 }),
      isDangerous: key === "evacuate",
      run: ({ id }) => runNodeAction(id, key),
    })),
    onDone: () => void client.invalidateQueries({ queryKey: clusterKeys.nodes }),
  };
}

function useNodeListColumns(): ListColumn<Node>[] {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const modelsOf = ({ models }: Node) => models.map(({ name }) => name).join(", ");
  return [
    {
      key: "name",
      title: t("list.node"),
      isShort: true,
      value: ({ name }) => name,
      cell: ({ id, name, address }) => (
        <>
          <Link to="/nodes/$id" params={{ id }}>
            {name}
          </Link>
          <span className="second">{address}</span>
        </>
      ),
    },
    {
      key: "state",
      title: t("list.state"),
      value: ({ state }) => state,
      cell: (node) => <NodeCondition node={node} />,
    },
    {
      key: "pool",
      title: t("list.pool"),
      value: ({ pool }) => titleOf(pool, language),
      cell: ({ pool }) => titleOf(pool, language),
    },
    {
      key: "models",
      title: t("list.models"),
      value: modelsOf,
      cell: (node) => modelsOf(node) || "–",
    },
    {
      key: "gpus",
      title: t("list.freeGpus"),
      isShort: true,
      value: freeCards,
      cell: (node) => (
        <span className="num">
          {t("list.ofGpus", { free: freeCards(node), total: node.accelerators.length })}
        </span>
      ),
    },
    {
      key: "cpu",
      title: t("list.freeCpu"),
      value: ({ cpu_milli, cpu_used_milli }) => (cpu_milli - cpu_used_milli) / 1000,
      cell: ({ cpu_milli, cpu_used_milli }) => (
        <FreeOf
          free={formatMilli(cpu_milli - cpu_used_milli, language)}
          total={t("list.ofCores", { total: formatMilli(cpu_milli, language) })}
        />
      ),
    },
    {
      key: "memory",
      title: t("list.freeMemory"),
      value: ({ memory_mib, memory_used_mib }) => memory_mib - memory_used_mib,
      cell: ({ memory_mib, memory_used_mib }) => (
        <FreeOf
          free={formatMemory(memory_mib - memory_used_mib, language)}
          total={t("list.ofMemory", { total: formatMemory(memory_mib, language) })}
        />
      ),
    },
    {
      key: "containers",
      title: t("list.containers"),
      isShort: true,
      value: ({ containers_held }) => containers_held,
      cell: ({ containers_held }) => <span className="num">{containers_held}</span>,
    },
    {
      key: "seen",
      title: t("list.seen"),
      value: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => <Age at={last_seen_at} />,
    },
    {
      key: "agent",
      title: t("list.agent"),
      value: ({ agent_version }) => agent_version,
      cell: ({ agent_version, runtime }) => (
        <>
          {agent_version || "–"}
          <span className="second">{runtime}</span>
        </>
      ),
    },
  ];
}

function FreeOf({ free, total }: { free: string; total: string }) {
  return (
    <span className="num">
      {free}
      <span className="second">{total}</span>
    </span>
  );
}

/** Whether it takes work, and the first thing that is wrong with it. */
function NodeCondition({ node }: { node: Node }) {
  const { t } = useTranslation("nodes");
  const coded = useCodedText();
  const [first, ...others] = node.faults;
  const broken = brokenCards(node);
  const fault = first && (coded(`nodes:fault.${first.code}`) ?? first.code);
  return (
    <>
      <NodeStateTag state={node.state} />
      {fault && (
        <span className="second">
          {fault}
          {others.length > 0 && ` ${t("list.moreFaults", { count: others.length })}`}
        </span>
      )}
      {broken > 0 && <span className="second">{t("list.brokenCards", { count: broken })}</span>}
    </>
  );
}
