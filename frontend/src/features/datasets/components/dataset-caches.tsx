/** The nodes that keep a published version on their own disks. */
import { Button, Drawer, Flex } from "antd";
import type { DatasetCaches } from "@/shared/api/types";
import { NodeChoice } from "@/shared/cluster/components/node-choice";
import { formatBytes, formatMemory, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { ProgressBar } from "@/shared/ui/controls";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useCancelCopies, useDatasetCaches, useOrderCopies, type VersionKey } from "../api/caches";

type CachingNode = DatasetCaches["nodes"][number];

/** Opens the list of nodes that cache a version. */
export function CachesButton({ name, onOpen }: { name: string; onOpen: () => void }) {
  const { t } = useTranslation("datasets");
  return (
    <Button size="small" aria-label={t("caches.title", { name })} onClick={onOpen}>
      {t("caches.open")}
    </Button>
  );
}

interface CachesDrawerProps {
  version: VersionKey;
  /** As a submission names it. */
  name: string;
  onClose: () => void;
}

/** Where work reads a version from the node's own disk, and, for operators, keeping it there. */
export function CachesDrawer({ version, name, onClose }: CachesDrawerProps) {
  const { t } = useTranslation("datasets");
  return (
    <Drawer open size={860} title={t("caches.title", { name })} onClose={onClose}>
      <p className="second">{t("caches.about")}</p>
      <QueryBoundary query={useDatasetCaches(version)} rows={4} canRetry={false}>
        {(found) => <Caches version={version} found={found} />}
      </QueryBoundary>
    </Drawer>
  );
}

function Caches({ version, found }: { version: VersionKey; found: DatasetCaches }) {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const showProblem = useProblemMessage();
  const order = useOrderCopies(version);
  const cancel = useCancelCopies(version);
  const columns = useCacheColumns();
  const sorting = useOwnSort();
  const { nodes, may_order } = found;
  if (nodes.length === 0) return <p className="quiet">{t("caches.none")}</p>;
  const here = nodes.filter(({ copy_state }) => copy_state?.phase === "cached").length;
  return (
    <div className="stack">
      <p>
        {t("caches.count", {
          here: formatNumber(here, language),
          all: formatNumber(nodes.length, language),
        })}
      </p>
      {may_order && (
        <NodeChoice
          action={t("caches.keep")}
          about={t("caches.keepAbout")}
          nodes={nodes}
          lacking={nodes.filter(({ is_ordered }) => !is_ordered)}
          isPending={order.isPending}
          onChoose={(where, onDone) =>
            order.mutate(where, { onSuccess: onDone, onError: showProblem })
          }
        />
      )}
      <ListTable
        id="dataset-caches"
        order={sorting}
        label={t("caches.open")}
        columns={columns}
        rows={nodes}
        rowKey={({ id }) => id}
      />
      {may_order && nodes.some(({ is_ordered }) => is_ordered) && (
        <Flex>
          <ConfirmButton
            action={t("caches.cancel")}
            label={t("caches.cancel")}
            question={t("caches.cancelQuestion")}
            mutation={cancel}
            input={undefined}
          />
        </Flex>
      )}
    </div>
  );
}

function useCacheColumns(): ListColumn<CachingNode>[] {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  return [
    {
      key: "node",
      title: t("caches.node"),
      value: ({ name }) => name,
      cell: ({ name, pool }) => (
        <>
          {name}
          <p className="second note">{titleOf(pool, language)}</p>
        </>
      ),
    },
    {
      key: "copy",
      title: t("caches.copy"),
      value: ({ copy_state }) => copy_state && t(`caches.phase.${copy_state.phase}`),
      cell: (node) => <CopyState node={node} />,
    },
    {
      key: "used",
      title: t("caches.used"),
      isShort: true,
      value: ({ copy_state }) => copy_state?.used_at ?? null,
      cell: ({ copy_state }) =>
        copy_state?.used_at ? <Age at={copy_state.used_at} /> : t("caches.never"),
    },
    {
      key: "limit",
      title: t("caches.limit"),
      isShort: true,
      value: ({ limit_mib }) => limit_mib,
      cell: ({ limit_mib }) => <span className="num">{formatMemory(limit_mib, language)}</span>,
    },
  ];
}

function CopyState({ node: { copy_state, is_ordered } }: { node: CachingNode }) {
  const { t } = useTranslation("datasets");
  const coded = useCodedText();
  const language = useLanguage();
  if (!copy_state)
    return <span className="second">{t(is_ordered ? "caches.ordered" : "caches.absent")}</span>;
  const { phase, progress_pct, size_bytes, detail } = copy_state;
  const [code = "", ...rest] = detail.split(": ");
  return (
    <>
      {t(`caches.phase.${phase}`)}
      {phase === "copying" && <ProgressBar percent={progress_pct} />}
      {phase === "cached" && (
        <p className="second note">
          {formatBytes(size_bytes, language)}
          {is_ordered && ` · ${t("caches.kept")}`}
        </p>
      )}
      {phase === "failed" && (
        <p className="second note">
          {coded(`datasets:caches.failure.${code}`, { detail: rest.join(": ") }) ?? detail}
        </p>
      )}
    </>
  );
}
