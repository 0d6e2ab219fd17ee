import { Alert, Button, Form, Input } from "antd";
import { useState } from "react";
import type { ForgottenContainer, Recovery } from "@/shared/api/types";
import { formatMoment } from "@/shared/i18n/format";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useFinishRecovery, useRecovery, useStopForgotten } from "../api/recovery";
import styles from "./nodes.module.css";

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
      {isFinishing && <FinishDialog onClose={() => setFinishing(false)} />}
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
                {t(`recovery.column.${name}`)}
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
  const language = useLanguage();
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
      <td>{row.started_at ? formatMoment(new Date(row.started_at), language) : "–"}</td>
      <td>{state}</td>
      <td>
        {!row.is_stopping && (
          <Button size="small" danger onClick={() => setAsking(true)}>
            {t("recovery.stop.name")}
          </Button>
        )}
        {isAsking && <StopDialog row={row} onClose={() => setAsking(false)} />}
      </td>
    </tr>
  );
}

/** The operator types the container's name: the portal cannot start unknown work again. */
function StopDialog({ row, onClose }: { row: ForgottenContainer; onClose: () => void }) {
  const { t } = useTranslation("nodes");
  return (
    <EntityDialog<{ name: string }, { name: string }>
      title={t("recovery.stop.title", { name: row.allocation })}
      action={t("recovery.stop.name")}
      initial={{ name: "" }}
      save={useStopForgotten(row.id)}
      bodyOf={({ name }) => ({ name: name.trim() })}
      onClose={onClose}
    >
      <p>{t("recovery.stop.about")}</p>
      <Form.Item name="name" label={t("recovery.stop.confirm")} rules={[{ required: true }]}>
        <Input autoComplete="off" placeholder={row.allocation} />
      </Form.Item>
    </EntityDialog>
  );
}

function FinishDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("nodes");
  return (
    <EntityDialog<{ confirm: string }, { confirm: string }>
      title={t("recovery.finish.title")}
      action={t("recovery.finish.name")}
      initial={{ confirm: "" }}
      save={useFinishRecovery()}
      bodyOf={({ confirm }) => ({ confirm: confirm.trim() })}
      onClose={onClose}
    >
      <p>{t("recovery.finish.about")}</p>
      <Form.Item name="confirm" label={t("recovery.finish.confirm")} rules={[{ required: true }]}>
        <Input autoComplete="off" placeholder="finish" />
      </Form.Item>
    </EntityDialog>
  );
}
