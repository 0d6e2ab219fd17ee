import { Alert, Button, Drawer, Flex, Tag } from "antd";
import type { ImageScan, SeverityCounts } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useOwnSort } from "@/shared/lists/api/address";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useAskForScan, useImageScan } from "../api/images";
import { foundSeverities } from "../model/image";
import { FoundCounts } from "./image-save-panel";

interface ImageScanDrawerProps {
  image: { id: string; name: string };
  onClose: () => void;
}

export function ImageScanDrawer({ image, onClose }: ImageScanDrawerProps) {
  const { t } = useTranslation("images");
  return (
    <Drawer open size={960} title={t("scan.openTitle", { name: image.name })} onClose={onClose}>
      <QueryBoundary query={useImageScan(image.id)} rows={4} canRetry={false}>
        {(scan) => <ScanOfImage imageId={image.id} scan={scan} />}
      </QueryBoundary>
    </Drawer>
  );
}

function ScanOfImage({ imageId, scan }: { imageId: string; scan: ImageScan }) {
  const { t } = useTranslation("images");
  const columns = useFindingColumns();
  const sorting = useOwnSort();
  const showProblem = useProblemMessage();
  const ask = useAskForScan(imageId);
  const { counts, findings, has_scanner, scanned_at, state } = scan;
  return (
    <div className="stack">
      {!has_scanner && <p className="quiet">{t("scan.noScanner")}</p>}
      <ScanState scan={scan} />
      {scan.is_stale && <Alert showIcon type="warning" title={t("scan.stale")} />}
      {counts && (
        <p>
          <strong>
            <FoundCounts counts={counts} />
          </strong>{" "}
          <span className="second">
            {t("scan.at")} <Age at={scanned_at} />
          </span>
        </p>
      )}
      {findings.length > 0 && (
        <ListTable
          id="image-findings"
          order={sorting}
          label={t("scan.open")}
          columns={columns}
          rows={findings}
          rowKey={(one) => `${one.id} ${one.package} ${one.installed}`}
        />
      )}
      {counts && findings.length < total(counts) && <p className="quiet">{t("scan.cut")}</p>}
      {has_scanner && scan.may_scan && (
        <Flex>
          <Button
            loading={ask.isPending}
            disabled={state === "running" || state === "waiting"}
            onClick={() => ask.mutate(undefined, { onError: showProblem })}
          >
            {t("scan.ask")}
          </Button>
        </Flex>
      )}
    </div>
  );
}

/** What is under way, or why nothing was found. */
function ScanState({ scan }: { scan: ImageScan }) {
  const { t } = useTranslation("images");
  const { detail, has_scanner, state } = scan;
  if (state === "failed") {
    return <Alert showIcon type="error" title={t("scan.failed", { detail })} />;
  }
  if (has_scanner && state === null) return <p>{t("scan.never")}</p>;
  if (state === "waiting" || state === "running") return <p role="status">{t(`scan.${state}`)}</p>;
  return null;
}

function useFindingColumns(): ListColumn<ImageScan["findings"][number]>[] {
  const { t } = useTranslation("images");
  return [
    {
      key: "severity",
      title: t("scan.column.severity"),
      isShort: true,
      value: ({ severity }) => t(`scan.severity.${severity}`),
      cell: ({ severity }) => (
        <Tag color={severity === "critical" || severity === "high" ? "error" : "default"}>
          {t(`scan.severity.${severity}`)}
        </Tag>
      ),
    },
    {
      key: "id",
      title: t("scan.column.id"),
      value: ({ id }) => id,
      cell: ({ id, title }) => (
        <>
          <span className="mono">{id}</span>
          {title && <p className="second note">{title}</p>}
        </>
      ),
    },
    {
      key: "package",
      title: t("scan.column.package"),
      value: (one) => `${one.package} ${one.installed}`,
      cell: (one) => (
        <span className="mono">
          {one.package} {one.installed}
        </span>
      ),
    },
    {
      key: "fixed",
      title: t("scan.column.fixed"),
      value: ({ fixed }) => fixed,
      cell: ({ fixed }) =>
        fixed ? <span className="mono">{fixed}</span> : t("scan.column.notFixed"),
    },
  ];
}

function total(counts: SeverityCounts): number {
  return foundSeverities(counts).reduce((sum, severity) => sum + counts[severity], 0);
}
