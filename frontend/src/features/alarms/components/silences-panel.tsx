import { Button } from "antd";
import { useState } from "react";
import type { AlarmSilence } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { EmptyState } from "@/shared/ui/query-states";
import { Deadline } from "@/shared/ui/time";
import { useAlarmSilences, useEndSilence } from "../api/alarms";
import { useRuleName } from "./alarm-words";

const LaterSilenceDialog = later(async () => (await import("./silence-dialog")).SilenceDialog);

/** The silences in force. */
export function SilencesPanel() {
  const { t } = useTranslation("alarms");
  const maySilence = isOperator(useMe());
  const [isAdding, setAdding] = useState(false);
  const what = useSilencedWords();
  const whoOf = ({ created_by: by }: AlarmSilence) => by?.display_name || by?.username || "–";
  const reasonOf = ({ reason }: AlarmSilence) => reason;
  const columns: ListColumn<AlarmSilence>[] = [
    { key: "what", title: t("column.silenced"), value: what, cell: what },
    { key: "reason", title: t("silenceReason"), value: reasonOf, cell: reasonOf },
    { key: "by", title: t("column.by"), value: whoOf, cell: whoOf },
    {
      key: "until",
      title: t("column.until"),
      value: ({ until }) => until,
      isMoment: true,
      cell: ({ until }) => <Deadline at={until} isUnderZone />,
    },
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
      <ListOfQuery
        id="silences"
        label={t("tab.silences")}
        query={useAlarmSilences()}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.silences.title")} text={t("empty.silences.text")} />}
      />
      {isAdding && <LaterSilenceDialog onClose={() => setAdding(false)} />}
    </div>
  );
}

function useSilencedWords(): (row: AlarmSilence) => string {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const language = useLanguage();
  return ({ rule, pool, subject_name: subject }) =>
    [rule ? ruleName(rule) : t("allRules"), pool && titleOf(pool, language), subject]
      .filter(Boolean)
      .join(" · ");
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
