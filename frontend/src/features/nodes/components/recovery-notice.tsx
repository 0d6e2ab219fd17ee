import { Alert, Button } from "antd";
import { useState } from "react";
import type { ForgottenContainer, Recovery } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { ColumnTitle } from "@/shared/ui/data-table";
import { later } from "@/shared/ui/opening";
import { Moment } from "@/shared/ui/time";
import { useRecovery } from "../api/recovery";
import styles from "./nodes.module.css";

const LaterStop = later(async () => (await import("./node-dialogs")).StopDialog);
const LaterFinish = later(async () => (await import("./node-dialogs")).FinishDialog);

/** What a portal that was restored from a backup waits for, to operators, while there is anything. */
export function RecoveryNotice() {
  const mayAct = isOperator(useMe());
  const { data } = useRecovery(mayAct);
  if (!mayAct || !data || !(data.is_under_way || data.containers_total > 0)) return null;
  return <PendingRecovery recovery={data} />;
}

function PendingRecovery({ recovery }: { recovery: Recovery }) {
  const { t } = useTranslation("nodes");
  const language = useLanguage();
  const [isFinishing, setFinishing] = useState(false);
  const { is_under_way: isUnderWay, data_until: until, unheard_total: unheard } = recovery;
  return (
    <section aria-label={t("recovery.title")}>
      <Alert
        type="warning"
        showIcon
        title={t("recovery.title")}
        description={
          <>
            <p>{t(isUnderWay ? "recovery.about" : "recovery.over")}</p>
            {until && <p>{t("recovery.until", { at: formatMoment(new Date(until), language) })}</p>}
            {unheard > 0 && (
              <p>
                {t("recovery.unheard", { count: unheard })}{" "}
                {recovery.unheard_nodes.map(({ name }) => name).join(", ")}
              </p>
            )}
            {recovery.containers.length > 0 && <Containers rows={recovery.containers} />}
          </>
        }
        action={
          isUnderWay ? (
            <Button size="small" danger onClick={() => setFinishing(true)}>
              {t("recovery.finish.name")}
            </Button>
          ) : null
        }
      />
      {isFinishing && <LaterFinish onClose={() => setFinishing(false)} />}
    </section>
  );
}

function Containers({ rows }: { rows: readonly ForgottenContainer[] }) {
  const { t } = useTranslation("nodes");
  const columns = ["container", "node", "work", "gpus", "since", "state"] as const;
  return (
    <div className={styles.scroll}>
      <table className={styles.recovery}>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                <ColumnTitle
                  of={{ title: t(`recovery.column.${name}`), isMoment: name === "since" }}
                />
              </th>
            ))}
            <td />
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <ContainerRow key={row.id} row={row} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ContainerRow({ row }: { row: ForgottenContainer }) {
  const { t } = useTranslation("nodes");
  const [isAsking, setAsking] = useState(false);
  const state = row.is_stopping
    ? t("recovery.stopping")
    : t(`recovery.waits.${row.waits_for || "none"}`);
  return (
    <tr>
      <td>
        <code>{row.allocation}</code> @{row.epoch}
      </td>
      <td>{row.node.name}</td>
      <td>{row.workload_id ? row.workload_name : t("recovery.unknown")}</td>
      <td>{row.gpus ?? "–"}</td>
      <td>
        <Moment at={row.started_at} />
      </td>
      <td>{state}</td>
      <td>
        {!row.is_stopping && (
          <Button size="small" danger onClick={() => setAsking(true)}>
            {t("recovery.stop.name")}
          </Button>
        )}
        {isAsking && <LaterStop row={row} onClose={() => setAsking(false)} />}
      </td>
    </tr>
  );
}
