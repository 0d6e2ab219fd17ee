import { DownloadOutlined } from "@ant-design/icons";
import { useTranslation } from "react-i18next";
import type { OutputFile } from "@/shared/api/types";
import { formatBytes } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { outputAddress, useOutputs } from "../api/use-outputs";

/** The files that a job left, to download. */
export function OutputList({ jobId }: { jobId: string }) {
  const { t } = useTranslation("jobs");
  const language = useLanguage();
  const outputs = useOutputs(jobId);
  if (outputs.isPending) return <Loading />;
  if (!outputs.data) {
    return <ProblemAlert error={outputs.error} onRetry={() => void outputs.refetch()} />;
  }
  if (outputs.data.length === 0) {
    return <EmptyState title={t("outputs.empty")} text={t("outputs.about")} />;
  }
  const columns: Column<OutputFile>[] = [
    {
      key: "path",
      title: t("outputs.file"),
      cell: ({ path }) => (
        <a href={outputAddress(jobId, path)} download>
          <DownloadOutlined aria-hidden /> {path}
        </a>
      ),
    },
    {
      key: "size",
      title: t("outputs.size"),
      cell: ({ size }) => <span className="num">{formatBytes(size, language)}</span>,
    },
    { key: "at", title: t("outputs.changed"), cell: ({ modified_at }) => <Age at={modified_at} /> },
  ];
  return (
    <DataTable
      label={t("tab.outputs")}
      columns={columns}
      rows={outputs.data}
      rowKey={({ path }) => path}
    />
  );
}
