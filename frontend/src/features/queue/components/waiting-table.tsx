import { useTranslation } from "react-i18next";
import type { WaitingWork, WorkGlimpse } from "@/shared/api/types";
import { Age } from "@/shared/ui/age";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EmptyState } from "@/shared/ui/empty-state";
import { GlimpseName } from "@/shared/workload/components/glimpse-name";
import { useReasonSentence } from "@/shared/workload/components/use-reason-sentence";
import { useDeviceWords } from "@/shared/workload/components/use-request-words";
import { useStartWords } from "@/shared/workload/components/use-start-words";
import styles from "./queue.module.css";

interface WaitingTableProps {
  waiting: readonly WaitingWork[];
  /** How many wait in all; only the first are listed. */
  total: number;
}

/** Who waits, in the order in which they start. */
export function WaitingTable({ waiting, total }: WaitingTableProps) {
  const { t } = useTranslation("queue");
  const columns = useColumns();
  if (waiting.length === 0) return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
  return (
    <>
      <DataTable
        label={t("waiting")}
        columns={columns}
        rows={waiting}
        rowKey={({ position }) => position}
      />
      {total > waiting.length && (
        <p className={styles.hint}>{t("more", { count: total - waiting.length })}</p>
      )}
    </>
  );
}

function useColumns(): Column<WaitingWork>[] {
  const { t } = useTranslation("queue");
  const devices = useDeviceWords();
  const startWords = useStartWords();
  const sentence = useReasonSentence();
  const whose = ({ owner, group }: WorkGlimpse) =>
    [owner && (owner.display_name || owner.username), group?.title].filter(Boolean).join(" · ");
  return [
    {
      key: "position",
      title: t("column.position"),
      cell: ({ position }) => <span className="num">{position}</span>,
    },
    {
      key: "work",
      title: t("column.work"),
      cell: ({ work }) => (
        <>
          <GlimpseName work={work} />
          <span className={styles.second}>{whose(work)}</span>
        </>
      ),
    },
    {
      key: "request",
      title: t("column.request"),
      cell: ({ work }) => (
        <span className="num">
          {devices(work)}
          {work.preemptible && <span className={styles.second}>{t("preemptible")}</span>}
        </span>
      ),
    },
    {
      key: "submitted",
      title: t("column.submitted"),
      cell: ({ submitted_at }) => <Age at={submitted_at} />,
    },
    {
      key: "start",
      title: t("column.start"),
      cell: ({ expected_start }) =>
        expected_start ? <span className="num">{startWords(expected_start)}</span> : "–",
    },
    {
      key: "reason",
      title: t("column.reason"),
      cell: ({ work, reasons: [first] }) => (work.id && first ? sentence(first) : "–"),
    },
  ];
}
