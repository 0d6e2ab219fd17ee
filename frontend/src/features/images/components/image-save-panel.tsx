import { Alert, Button, Flex } from "antd";
import { useState } from "react";
import type { ImageSave, ImageSaving, SeverityCounts, WorkloadDetail } from "@/shared/api/types";
import { formatBytes, formatMemory, formatNumber } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isMineToOpen } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { ProgressBar } from "@/shared/ui/controls";
import { later } from "@/shared/ui/opening";
import { LinkButton, Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useCancelImageSave, useImageSaving } from "../api/saved-images";
import { foundSeverities, isUnderWay, pushedPct } from "../model/image";

const LaterImageSave = later(async () => (await import("./saved-image-fields")).ImageSaveDialog);

/** Saving a notebook as an image: whether that is possible, and what became of the last time. */
export function ImageSavePanel({ notebook }: { notebook: WorkloadDetail }) {
  const { t } = useTranslation("images");
  const isMine = isMineToOpen(useMe(), notebook);
  const isShown = isMine && notebook.state !== "cancelled";
  const saving = useImageSaving(notebook.id, isShown);
  if (!isShown) return null;
  return (
    <Panel title={t("save.title")}>
      <QueryBoundary query={saving} rows={2} canRetry={false}>
        {(found) => <ImageSaveState notebook={notebook} saving={found} />}
      </QueryBoundary>
    </Panel>
  );
}

interface ImageSaveStateProps {
  notebook: WorkloadDetail;
  saving: ImageSaving;
}

function ImageSaveState({ notebook, saving }: ImageSaveStateProps) {
  const { t } = useTranslation("images");
  const [isOpen, setOpen] = useState(false);
  const { blocker, latest, size_mib_max } = saving;
  return (
    <div className="stack">
      {latest && <LastSave notebook={notebook} save={latest} />}
      {blocker ? (
        !isUnderWay(latest) && <SaveBlocker code={blocker.code} params={blocker.params} />
      ) : (
        <>
          <p className="quiet">{t("save.about")}</p>
          <Flex>
            <Button onClick={() => setOpen(true)}>{t("save.open")}</Button>
          </Flex>
        </>
      )}
      {isOpen && (
        <LaterImageSave
          notebook={notebook}
          sizeMibMax={size_mib_max}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}

/** Why nothing can be saved or built; a button that does nothing would not say. */
export function SaveBlocker({ code, params }: { code: string; params: Record<string, unknown> }) {
  const coded = useCodedText();
  const language = useLanguage();
  const sizes = Object.entries(params).map(([name, mib]) => [
    name,
    formatMemory(Number(mib), language),
  ]);
  const shown = code === "saved_images_full" ? Object.fromEntries(sizes) : params;
  return <p className="quiet">{coded(`images:blocker.${code}`, shown) ?? code}</p>;
}

function LastSave({ notebook, save }: { notebook: WorkloadDetail; save: ImageSave }) {
  const { t } = useTranslation("images");
  const coded = useCodedText();
  if (isUnderWay(save)) return <SaveUnderWay notebook={notebook} save={save} />;
  if (save.state === "saved" && save.image) {
    return (
      <Alert
        showIcon
        type="success"
        role="status"
        title={t("save.done", { name: save.image.name })}
        description={<Age at={save.ended_at} />}
        action={
          <LinkButton isPrimary={false} to="/images">
            {t("save.show")}
          </LinkButton>
        }
      />
    );
  }
  if (save.state !== "failed") return null;
  return (
    <Alert
      showIcon
      type="error"
      role="status"
      title={t("save.failed", { name: save.name })}
      description={
        <>
          {coded(`images:failure.${save.code}`) ?? t("failure.other", save)} ·{" "}
          <Age at={save.ended_at} />
        </>
      }
    />
  );
}

function SaveUnderWay({ notebook, save }: { notebook: WorkloadDetail; save: ImageSave }) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const cancel = useCancelImageSave(notebook.id);
  const percent = pushedPct(save);
  const bytes = {
    done: formatBytes(save.done_bytes, language),
    total: formatBytes(save.total_bytes, language),
  };
  const words =
    save.state === "pushing"
      ? t(percent === null ? "save.pushingBegins" : "save.pushing", bytes)
      : t(save.state === "committing" ? "save.committing" : "save.ordered");
  return (
    <div className="stack" role="status">
      <p>
        <strong>{t("save.underWay", { name: save.name })}</strong> {words}
      </p>
      {percent !== null && (
        <ProgressBar percent={percent} label={t("save.underWay", { name: save.name })} />
      )}
      <Flex>
        <ConfirmButton
          action={t("save.cancel")}
          label={t("save.cancel")}
          question={t("save.cancelQuestion")}
          mutation={cancel}
          input={undefined}
        />
      </Flex>
    </div>
  );
}

/** How many vulnerabilities were found, the worst first. */
export function FoundCounts({ counts }: { counts: SeverityCounts }) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const found = foundSeverities(counts);
  if (found.length === 0) return <>{t("scan.clean")}</>;
  const words = found.map((severity) =>
    t("scan.count", {
      number: formatNumber(counts[severity], language),
      severity: t(`scan.severity.${severity}`),
    }),
  );
  return <>{t("scan.summary", { found: words.join(", ") })}</>;
}
