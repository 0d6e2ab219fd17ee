import { CheckCircleFilled, MinusCircleOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button, Flex } from "antd";
import type { ReactNode } from "react";
import type { Node, Pool } from "@/shared/api/types";
import { modelFacts } from "@/shared/cluster/model/gpu-models";
import { formatDuration, formatMemory } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { deviceKindOf } from "@/shared/submission/model/devices";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { Facts, Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { useOpenPool, useRemovePool } from "../api/pools";
import { AddNode } from "./add-node";
import { NodeTable } from "./node-table";
import styles from "./pools.module.css";

interface PoolPanelProps {
  pool: Pool;
  /** Where its nodes can be moved. */
  others: readonly Pool[];
  nodes: readonly Node[];
  isManager: boolean;
  onEdit: () => void;
}

/** One pool: what it is, what is free in it, and its nodes. */
export function PoolPanel({ pool, others, nodes, isManager, onEdit }: PoolPanelProps) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  return (
    <Panel title={titleOf(pool, language)} extra={<OpenTag isOpen={pool.is_open} />}>
      <div className="stack">
        <PoolFacts pool={pool} />
        {nodes.length > 0 ? (
          <NodeTable pool={pool} others={others} nodes={nodes} isManager={isManager} />
        ) : (
          <p className={styles.hint}>{t("noNodes")}</p>
        )}
        {isManager && <PoolActions pool={pool} onEdit={onEdit} />}
      </div>
    </Panel>
  );
}

function OpenTag({ isOpen }: { isOpen: boolean }) {
  const { t } = useTranslation("pools");
  const Icon = isOpen ? CheckCircleFilled : MinusCircleOutlined;
  return (
    <span className={styles.tag} data-open={isOpen}>
      <Icon aria-hidden /> {t(isOpen ? "open" : "closed")}
    </span>
  );
}

function PoolFacts({ pool }: { pool: Pool }) {
  const { t } = useTranslation(["pools", "workload"]);
  const coded = useCodedText();
  const language = useLanguage();
  const { capacity, limits, isolation, slices_per_card, slice_mib } = pool;
  const gives = deviceKindOf(pool);
  const shared: (readonly [string, ReactNode])[] = [
    [t("fact.isolation"), coded(`workload:isolation.${isolation}`) ?? isolation],
    [
      t("fact.growth"),
      limits.burst_pct > 100 ? t("grows", { percent: limits.burst_pct }) : t("growsNot"),
    ],
  ];
  return (
    <Facts
      facts={[
        [
          t("fact.name"),
          <code key="name" className="mono">
            {pool.name}
          </code>,
        ],
        [t("fact.purpose"), coded(`pools:purpose.${pool.purpose}`) ?? pool.purpose],
        [t("fact.backend"), coded(`pools:backend.${pool.backend}`) ?? pool.backend],
        [
          t("fact.gives"),
          t(`gives.${gives}.words`, {
            slices: slices_per_card,
            memory: formatMemory(slice_mib, language),
          }),
        ],
        ...(gives === "gpus" ? [] : shared),
        [
          t("fact.free"),
          t(capacity.slices_total > 0 ? "freeSlices" : "freeGpus", {
            free: capacity.slices_total > 0 ? capacity.slices_free : capacity.gpus_free,
            total: capacity.slices_total > 0 ? capacity.slices_total : capacity.gpus_total,
            gpus: capacity.gpus_total,
          }),
        ],
        [t("fact.models"), <PoolModels key="models" pool={pool} />],
        [t("fact.cpu"), t("overcommit", { percent: pool.cpu_overcommit_pct })],
        [
          t("fact.time"),
          t("times", {
            usual: formatDuration(pool.default_time_limit_s, language),
            most: formatDuration(pool.time_limit_s_max, language),
          }),
        ],
        [
          t("fact.rules"),
          <Link key="rules" to="/policies" search={{ pool: pool.name }}>
            {t("rules")}
          </Link>,
        ],
      ]}
    />
  );
}

/** The models of GPUs in the pool, how many of each, and what is known of them. */
function PoolModels({ pool: { models } }: { pool: Pool }) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  if (models.length === 0) return <>–</>;
  return models.map(({ name, gpus_total, gpus_free, known }) => (
    <div key={name}>
      {t("modelLine", { name, free: gpus_free, total: gpus_total })}
      <span className={styles.hint}>
        {" "}
        {known ? modelFacts(known, language) : t("modelUnknown")}
      </span>
    </div>
  ));
}

/** What an operator may do to a pool; the server refuses with numbers what is not possible. */
function PoolActions({ pool, onEdit }: { pool: Pool; onEdit: () => void }) {
  const { t } = useTranslation("pools");
  const language = useLanguage();
  const showProblem = useProblemMessage();
  const open = useOpenPool(pool.id);
  const remover = useRemovePool();
  const name = titleOf(pool, language);
  const turn = () => open.mutate(!pool.is_open, { onError: showProblem });
  return (
    <Flex gap={8} wrap>
      <AddNode pool={pool} />
      <Button size="small" aria-label={t("editTitle", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <Button
        size="small"
        aria-label={t(pool.is_open ? "closeTitle" : "openTitle", { name })}
        title={pool.is_open ? t("closeAbout") : ""}
        loading={open.isPending}
        onClick={turn}
      >
        {t(pool.is_open ? "close" : "reopen")}
      </Button>
      <RemoveButton
        id={pool.id}
        label={t("removeTitle", { name })}
        question={t("removeQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}
