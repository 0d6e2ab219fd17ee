import { Button, Flex, Form, Input } from "antd";
import { useState } from "react";
import type { Alarm } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import {
  titleIn,
  titleOf,
  titleOptions,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useAddress } from "@/shared/lists/api/address";
import { useArrival } from "@/shared/lists/api/views";
import type { Bulk } from "@/shared/lists/components/bulk-bar";
import {
  chipsOf,
  FilterChips,
  FilterChoice,
  FilterSearch,
} from "@/shared/lists/components/filter-chips";
import { type ListColumn, ListOfQuery, moreOf } from "@/shared/lists/components/list-table";
import { Fold } from "@/shared/lists/components/list-tools";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { Tick } from "@/shared/ui/controls";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { later } from "@/shared/ui/opening";
import { EmptyState } from "@/shared/ui/query-states";
import { Age, Elapsed } from "@/shared/ui/time";
import {
  acknowledge,
  loadAllAlarms,
  useAcknowledge,
  useAlarms,
  useAlarmsAgain,
} from "../api/alarms";
import {
  ALARM_KINDS,
  ALARM_SEVERITIES,
  type AlarmQuery,
  isAlarmFiltered,
  readAlarmQuery,
  SUBJECT_MAX,
  valueText,
} from "../model/alarms";
import { AlarmSubject, AlarmValue, SeverityTag, useRuleName } from "./alarm-words";

const LaterAlarmSilence = later(async () => (await import("./silence-dialog")).SilenceDialog);

type AlarmDeed = { alarm: Alarm; act: "acknowledge" | "silence" };

/** The alarms that fire, or those that are over: filtered, as a file, many acknowledged at once. */
export function AlarmList({ state }: { state: Alarm["state"] }) {
  const { t } = useTranslation("alarms");
  useArrival("alarms");
  const filters = readAlarmQuery(state, useAddress().search);
  const query = useAlarms(filters);
  const [doing, setDoing] = useState<AlarmDeed | null>(null);
  const columns = useAlarmColumns(state, setDoing);
  const bulk = useAlarmBulk();
  const empty = isAlarmFiltered(filters) ? "filtered" : state;
  return (
    <div className="stack">
      <AlarmFilters filters={filters} />
      <ListOfQuery
        id={`alarms-${state}`}
        views="alarms"
        label={t(`tab.${state}`)}
        query={query}
        columns={columns}
        rowKey={({ id }) => id}
        serverSorts={[]}
        loadAll={() => loadAllAlarms(filters)}
        onMore={moreOf(query)}
        isLoadingMore={query.isFetchingNextPage}
        moreLabel={t("older")}
        bulk={bulk}
        empty={<EmptyState title={t(`empty.${empty}.title`)} text={t(`empty.${empty}.text`)} />}
      />
      {doing?.act === "acknowledge" && (
        <AcknowledgeDialog alarm={doing.alarm} onClose={() => setDoing(null)} />
      )}
      {doing?.act === "silence" && (
        <LaterAlarmSilence alarm={doing.alarm} onClose={() => setDoing(null)} />
      )}
    </div>
  );
}

function AlarmFilters({ filters }: { filters: AlarmQuery }) {
  const { t } = useTranslation(["alarms", "lists"]);
  const language = useLanguage();
  const { change } = useAddress();
  const groups = useGroups().data ?? [];
  const { state, severity, kind, group, subject, is_acknowledged } = filters;
  const chips = chipsOf([
    ["subject", t("subject"), subject],
    ["severity", t("column.severity"), severity && t(`severity.${severity}`)],
    ["kind", t("watches"), kind && t(`kind.${kind}`)],
    ["group", t("group"), group && (titleIn(groups, group, language) ?? "…")],
    ["open", t("column.done"), is_acknowledged === false ? t("notAcknowledged") : undefined],
  ]);
  return (
    <>
      <Flex component="search" gap={12} wrap align="center">
        <FilterSearch
          name="subject"
          label={t("subject")}
          value={subject ?? ""}
          most={SUBJECT_MAX}
        />
        {state === "firing" && (
          <Tick
            isOn={is_acknowledged === false}
            onChange={(isOn) => change({ open: isOn || undefined })}
          >
            {t("notAcknowledged")}
          </Tick>
        )}
        <Fold label={t("lists:filters.label")}>
          <FilterChoice
            label={t("column.severity")}
            value={severity}
            options={ALARM_SEVERITIES.map((value) => ({ value, label: t(`severity.${value}`) }))}
            onChoose={(chosen) => change({ severity: chosen })}
          />
          <FilterChoice
            label={t("watches")}
            value={kind}
            options={ALARM_KINDS.map((value) => ({ value, label: t(`kind.${value}`) }))}
            onChoose={(chosen) => change({ kind: chosen })}
          />
          <FilterChoice
            label={t("group")}
            value={group}
            options={titleOptions(groups, language)}
            onChoose={(chosen) => change({ group: chosen })}
          />
        </Fold>
      </Flex>
      <FilterChips chips={chips} />
    </>
  );
}

/** Whoever is on call takes a storm of alarms with one press. */
function useAlarmBulk(): Bulk<Alarm> {
  const { t } = useTranslation("alarms");
  return {
    nameOf: ({ subject_name }) => subject_name,
    allowed: ({ state, acknowledged_at }) =>
      state === "firing" && !acknowledged_at ? ["acknowledge"] : [],
    actions: [
      {
        key: "acknowledge",
        label: t("acknowledge"),
        about: t("acknowledgeAbout"),
        run: ({ id }) => acknowledge(id, { comment: "" }),
      },
    ],
    onDone: useAlarmsAgain(),
  };
}

function useAlarmColumns(
  state: Alarm["state"],
  begin: (doing: AlarmDeed) => void,
): ListColumn<Alarm>[] {
  const { t } = useTranslation("alarms");
  const language = useLanguage();
  const ruleName = useRuleName();
  const columns: ListColumn<Alarm>[] = [
    {
      key: "severity",
      title: t("column.severity"),
      isShort: true,
      value: ({ rule }) => rule.severity,
      cell: ({ rule }) => <SeverityTag severity={rule.severity} />,
    },
    {
      key: "alarm",
      title: t("column.alarm"),
      value: ({ rule, subject_name }) => `${ruleName(rule)}: ${subject_name}`,
      cell: (alarm) => (
        <>
          {ruleName(alarm.rule)}
          <div className="second">
            <AlarmSubject alarm={alarm} />
          </div>
        </>
      ),
    },
    {
      key: "value",
      title: t("column.value"),
      value: (alarm) => [valueText(alarm, language), alarm.detail].filter(Boolean).join(" · "),
      cell: (alarm) => <AlarmValue alarm={alarm} />,
    },
    {
      key: "whose",
      title: t("column.whose"),
      value: ({ owner, group }) => owner?.username ?? (group && titleOf(group, language)),
      cell: (alarm) => <Whose alarm={alarm} />,
    },
    {
      key: "since",
      title: t(state === "firing" ? "column.since" : "column.lasted"),
      isShort: true,
      value: ({ since }) => since,
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
    {
      key: "done",
      title: t("column.done"),
      value: ({ acknowledged_by: by, comment }) =>
        [by?.username, comment].filter(Boolean).join(": "),
      cell: (alarm) => <WhatWasDone alarm={alarm} />,
    },
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
