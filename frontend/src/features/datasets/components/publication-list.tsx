import { WarningOutlined } from "@ant-design/icons";
import { Alert, Flex } from "antd";
import type { Publication } from "@/shared/api/types";
import { formatBytes, formatNumber } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { ProgressBar } from "@/shared/ui/controls";
import { Age } from "@/shared/ui/time";
import { useCancelPublication, usePublications } from "../api/datasets";
import { publishedPercent, toldPublications } from "../model/dataset";

/** Versions that are being published, and what failed since the newest one. */
export function PublicationList({ datasetId }: { datasetId: string }) {
  const publications = usePublications(datasetId);
  const shown = toldPublications(publications.data ?? []);
  if (shown.length === 0) return null;
  return (
    <Flex vertical gap={8} style={{ marginBottom: 16 }}>
      {shown.map((each) =>
        each.state === "failed" ? (
          <FailedPublication key={each.id} publication={each} />
        ) : (
          <RunningPublication key={each.id} publication={each} />
        ),
      )}
    </Flex>
  );
}

function RunningPublication({ publication }: { publication: Publication }) {
  const { t } = useTranslation("datasets");
  const language = useLanguage();
  const cancel = useCancelPublication();
  const { id, name, bytes_total, bytes_done, files_done } = publication;
  return (
    <Alert
      type="info"
      title={t(bytes_total === null ? "publish.counting" : "publish.copying")}
      description={
        bytes_total !== null && (
          <>
            <ProgressBar percent={publishedPercent(publication)} label={t("publish.copying")} />
            <span className="second num">
              {t("publish.progress", {
                done: formatBytes(bytes_done, language),
                total: formatBytes(bytes_total, language),
                files: formatNumber(files_done, language),
              })}
            </span>
          </>
        )
      }
      action={
        <ConfirmButton
          action={t("publish.cancel")}
          label={t("publish.cancelTitle", { name })}
          question={t("publish.cancelQuestion")}
          mutation={cancel}
          input={id}
        />
      }
    />
  );
}

function FailedPublication({ publication }: { publication: Publication }) {
  const { t } = useTranslation("datasets");
  return (
    <Alert
      type="error"
      title={
        <>
          {t("publish.failed")} <Age at={publication.ended_at ?? publication.created_at} />
        </>
      }
      description={publication.failure?.detail}
    />
  );
}

/** Nodes without a version that are named; the rest is counted. */
const NODES_NAMED = 4;

/** Warns that nodes do not have the folder: work that reads it cannot start there. */
export function MissingOn({ nodes }: { nodes: readonly string[] }) {
  const { t } = useTranslation("datasets");
  if (nodes.length === 0) return null;
  const names = nodes.slice(0, NODES_NAMED).join(", ");
  const rest = nodes.length - NODES_NAMED;
  return (
    <p className="second note">
      <WarningOutlined aria-hidden style={{ color: "var(--state-stopping)" }} />{" "}
      {rest > 0
        ? t("missingOnMore", { names, count: rest })
        : t("missingOn", { names, count: nodes.length })}
    </p>
  );
}
