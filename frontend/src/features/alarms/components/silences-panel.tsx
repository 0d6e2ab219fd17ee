import { Button } from "antd";
import { useState } from "react";
import type { AlarmSilence } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { type Column, EntityTable } from "@/shared/ui/data-table";
import { EmptyState } from "@/shared/ui/query-states";
import { Deadline } from "@/shared/ui/time";
import { useAlarmSilences, useEndSilence } from "../api/alarms";
import { useRuleName } from "./alarm-words";
import { SilenceDialog } from "./silence-dialog";

/** The silences in force. */
export function SilencesPanel() {
  const { t } = useTranslation("alarms");
  const maySilence = isOperator(useMe());
  const [isAdding, setAdding] = useState(false);
  const columns: Column<AlarmSilence>[] = [
    { key: "what", title: t("column.silenced"), cell: (row) => <Silenced row={row} /> },
    { key: "reason", title: t("silenceReason"), cell: ({ reason }) => reason },
    {
      key: "by",
      title: t("column.by"),
      cell: ({ created_by: by }) => by?.display_name || by?.username || "–",
    },
    { key: "until", title: t("column.until"), cell: ({ until }) => <Deadline at={until} /> },
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => maySilence && <EndSilence row={row} />,
    },
  ];
  return (
    <div className="stack">
      {maySilence && (
        <div>
          <Button type="primary" onClick={() => setAdding(true)}>
            {t("addSilence")}
          </Button>
        </div>
      )}
      <EntityTable
        label={t("tab.silences")}
        query={useAlarmSilences()}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.silences.title")} text={t("empty.silences.text")} />}
      />
      {isAdding && <SilenceDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function Silenced({ row: { rule, pool, subject_name: subject } }: { row: AlarmSilence }) {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const language = useLanguage();
  const parts = [
    rule ? ruleName(rule) : t("allRules"),
    pool && titleOf(pool, language),
    subject,
  ].filter(Boolean);
  return <>{parts.join(" · ")}</>;
}

function EndSilence({ row }: { row: AlarmSilence }) {
  const { t } = useTranslation("alarms");
  return (
    <ConfirmButton
      action={t("endSilence")}
      label={t("endSilenceOf", { reason: row.reason })}
      question={t("endSilenceQuestion")}
      mutation={useEndSilence()}
      input={row.id}
    />
  );
}
