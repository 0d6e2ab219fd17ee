import { Button, Flex, Form, Input } from "antd";
import { useState } from "react";
import type { Alarm } from "@/shared/api/types";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { type Column, EntityTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { EmptyState } from "@/shared/ui/query-states";
import { Age, Elapsed } from "@/shared/ui/time";
import { useAcknowledge, useAlarms } from "../api/alarms";
import { AlarmSubject, AlarmValue, SeverityTag, useRuleName } from "./alarm-words";
import { SilenceDialog } from "./silence-dialog";

type AlarmDeed = { alarm: Alarm; act: "acknowledge" | "silence" };

/** The alarms that fire, or those that are over. */
export function AlarmTable({ state }: { state: Alarm["state"] }) {
  const { t } = useTranslation("alarms");
  const query = useAlarms(state);
  const [doing, setDoing] = useState<AlarmDeed | null>(null);
  const columns = useAlarmColumns(state, setDoing);
  return (
    <>
      <EntityTable
        label={t(`tab.${state}`)}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t(`empty.${state}.title`)} text={t(`empty.${state}.text`)} />}
      />
      {query.hasNextPage && (
        <Button onClick={() => void query.fetchNextPage()} loading={query.isFetchingNextPage}>
          {t("older")}
        </Button>
      )}
      {doing?.act === "acknowledge" && (
        <AcknowledgeDialog alarm={doing.alarm} onClose={() => setDoing(null)} />
      )}
      {doing?.act === "silence" && (
        <SilenceDialog alarm={doing.alarm} onClose={() => setDoing(null)} />
      )}
    </>
  );
}

function useAlarmColumns(
  state: Alarm["state"],
  begin: (doing: AlarmDeed) => void,
): Column<Alarm>[] {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  const columns: Column<Alarm>[] = [
    {
      key: "severity",
      title: t("column.severity"),
      isShort: true,
      cell: ({ rule }) => <SeverityTag severity={rule.severity} />,
    },
    {
      key: "alarm",
      title: t("column.alarm"),
      cell: (alarm) => (
        <>
          {ruleName(alarm.rule)}
          <div className="second">
            <AlarmSubject alarm={alarm} />
          </div>
        </>
      ),
    },
    { key: "value", title: t("column.value"), cell: (alarm) => <AlarmValue alarm={alarm} /> },
    { key: "whose", title: t("column.whose"), cell: (alarm) => <Whose alarm={alarm} /> },
    {
      key: "since",
      title: t(state === "firing" ? "column.since" : "column.lasted"),
      isShort: true,
      cell: ({ since, resolved_at }) =>
        resolved_at ? (
          <>
            <Elapsed since={since} until={resolved_at} />
            <div className="second">
              <Age at={resolved_at} />
            </div>
          </>
        ) : (
          <Age at={since} />
        ),
    },
    { key: "done", title: t("column.done"), cell: (alarm) => <WhatWasDone alarm={alarm} /> },
  ];
  if (state === "resolved") return columns;
  const action = (alarm: Alarm) => <AlarmActions alarm={alarm} begin={begin} />;
  return [...columns, { key: "action", title: t("column.action"), cell: action }];
}

function Whose({ alarm: { owner, group } }: { alarm: Alarm }) {
  const language = useLanguage();
  if (!owner && !group) return null;
  return (
    <>
      {owner?.display_name || owner?.username}
      {group && <div className={owner ? "second" : ""}>{titleOf(group, language)}</div>}
    </>
  );
}

/** Who takes care of it, and what the rule has done. */
function WhatWasDone({ alarm }: { alarm: Alarm }) {
  const { t } = useTranslation("alarms");
  const { acknowledged_by: by, acknowledged_at, comment, acted_at, outcome, notified_at } = alarm;
  const isHeldBack = alarm.state === "firing" && !notified_at;
  if (!acknowledged_at && !acted_at && !isHeldBack) return null;
  return (
    <>
      {isHeldBack && <div className="second">{t("heldBack")}</div>}
      {acknowledged_at && (
        <div>{t("acknowledgedBy", { name: by?.display_name || by?.username || "–" })}</div>
      )}
      {comment && <div className="second">“{comment}”</div>}
      {acted_at && <div>{t(outcome === "done" ? "acted" : "notActed")}</div>}
    </>
  );
}

function AlarmActions({ alarm, begin }: { alarm: Alarm; begin: (doing: AlarmDeed) => void }) {
  const { t } = useTranslation("alarms");
  const maySilence = isOperator(useMe());
  const name = alarm.subject_name;
  return (
    <Flex gap={8} wrap>
      {!alarm.acknowledged_at && (
        <Button
          size="small"
          aria-label={t("acknowledgeOf", { name })}
          onClick={() => begin({ alarm, act: "acknowledge" })}
        >
          {t("acknowledge")}
        </Button>
      )}
      {maySilence && (
        <Button
          size="small"
          aria-label={t("silenceOf", { name })}
          onClick={() => begin({ alarm, act: "silence" })}
        >
          {t("silence")}
        </Button>
      )}
    </Flex>
  );
}

const COMMENT_MAX = 300;

/** Says that the reader takes care of an alarm. */
function AcknowledgeDialog({ alarm, onClose }: { alarm: Alarm; onClose: () => void }) {
  const { t } = useTranslation("alarms");
  const ruleName = useRuleName();
  return (
    <EntityDialog<{ comment?: string }, { comment: string }>
      title={t("acknowledgeTitle")}
      action={t("acknowledge")}
      initial={{}}
      save={useAcknowledge(alarm.id)}
      bodyOf={({ comment = "" }) => ({ comment: comment.trim() })}
      onClose={onClose}
    >
      <p>
        {ruleName(alarm.rule)}: {alarm.subject_name}
      </p>
      <p className="quiet">{t("acknowledgeAbout")}</p>
      <Form.Item name="comment" label={t("comment")}>
        <Input.TextArea rows={2} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
