import { Button, Drawer, Flex } from "antd";
import type { TrashedFile, Volume } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useRemoveFiles, useRestoreFiles, useTrashedFiles } from "../api/files";
import { shownPath } from "../model/paths";
import styles from "./files.module.css";

interface TrashDrawerProps {
  volume: Volume;
  onClose: () => void;
}

/** What was deleted in the last days, and how it comes back. */
export function TrashDrawer({ volume, onClose }: TrashDrawerProps) {
  const { t } = useTranslation("files");
  const trashed = useTrashedFiles(volume.id);
  const empty = useRemoveFiles(volume.id);
  const mayWrite = volume.access === "write";
  const columns = useTrashColumns(volume.id, mayWrite);
  return (
    <Drawer
      open
      size={820}
      title={t("trash.title")}
      onClose={onClose}
      extra={
        mayWrite &&
        (trashed.data?.length ?? 0) > 0 && (
          <ConfirmButton<string[]>
            action={t("trash.empty")}
            label={t("trash.empty")}
            question={t("trash.emptyQuestion")}
            isDangerous
            mutation={empty}
            input={[]}
          />
        )
      }
    >
      <p className="second">{t("trash.about")}</p>
      <ListOfQuery
        id="trash"
        order={useOwnSort()}
        query={trashed}
        label={t("trash.title")}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("trash.nothing.title")} text={t("trash.nothing.text")} />}
      />
    </Drawer>
  );
}

function useTrashColumns(volume: string, mayWrite: boolean): ListColumn<TrashedFile>[] {
  const { t } = useTranslation("files");
  const language = useLanguage();
  const columns: ListColumn<TrashedFile>[] = [
    {
      key: "path",
      title: t("trash.path"),
      value: ({ path }) => path,
      cell: ({ path }) => <span className={styles.path}>{shownPath(path)}</span>,
    },
    {
      key: "size",
      title: t("column.size"),
      isShort: true,
      value: ({ kind, size }) => (kind === "file" ? size : null),
      cell: ({ kind, size }) => (kind === "file" ? formatBytes(size, language) : "–"),
    },
    {
      key: "at",
      title: t("trash.at"),
      isShort: true,
      value: ({ trashed_at }) => trashed_at,
      cell: ({ trashed_at, trashed_by }) => (
        <>
          <Age at={trashed_at} />
          {trashed_by && <span className="second">{trashed_by}</span>}
        </>
      ),
    },
  ];
  if (!mayWrite) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      isShort: true,
      cell: (entry) => <TrashActions volume={volume} entry={entry} />,
    },
  ];
}

function TrashActions({ volume, entry: { id, path } }: { volume: string; entry: TrashedFile }) {
  const { t } = useTranslation("files");
  const showProblem = useProblemMessage();
  const restore = useRestoreFiles(volume);
  const remove = useRemoveFiles(volume);
  return (
    <Flex gap={8} wrap>
      <Button
        size="small"
        aria-label={t("trash.restoreOf", { path: shownPath(path) })}
        loading={restore.isPending}
        onClick={() => restore.mutate([id], { onError: showProblem })}
      >
        {t("trash.restore")}
      </Button>
      <ConfirmButton<string[]>
        action={t("trash.remove")}
        label={t("trash.removeOf", { path: shownPath(path) })}
        question={t("trash.removeQuestion")}
        isDangerous
        mutation={remove}
        input={[id]}
      />
    </Flex>
  );
}
