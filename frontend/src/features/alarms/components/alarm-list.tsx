import { Button, Flex } from "antd";
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
import { later } from "@/shared/ui/opening";
import { EmptyState } from "@/shared/ui/query-states";
import { Age, Elapsed } from "@/shared/ui/time";
import { acknowledge, loadAllAlarms, useAlarms, useAlarmsAgain } from "../api/alarms";
import {
  ALARM_KINDS,
  ALARM_SEVERITIES,
  type AlarmQuery,
  isAlarmFiltered,
  readAlarmQuery,
  SUBJECT_MAX,
} from "../model/alarms";
import { AlarmSubject, AlarmValue, SeverityTag, useAlarmWords, useRuleName } from "./alarm-words";

const LaterAcknowledge = later(
  async () => (await import("./acknowledge-dialog")).AcknowledgeDialog,
);
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
        <LaterAcknowledge alarm={doing.alarm} onClose={() => setDoing(null)} />
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
    nameOf: useAlarmWords().subject,
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
  const words = useAlarmWords();
  const done = useDoneLines();
  const columns: ListColumn<Alarm>[] = [
    {
      key: "severity",
      title: t("column.severity"),
      isShort: true,
      value: ({ rule }) => t(`severity.${rule.severity}`),
      cell: ({ rule }) => <SeverityTag severity={rule.severity} />,
    },
    {
      key: "alarm",
      title: t("column.alarm"),
      value: (alarm) => `${ruleName(alarm.rule)}: ${words.subject(alarm)}`,
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
      value: words.value,
      cell: (alarm) => <AlarmValue alarm={alarm} />,
    },
    {
      key: "whose",
      title: t("column.whose"),
      value: ({ owner, group }) =>
        [nameOfUser(owner), group && titleOf(group, language)].filter(Boolean).join(" · "),
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
      value: (alarm) => done(alarm).join("\n"),
      cell: (alarm) => done(alarm).map((line) => <div key={line}>{line}</div>),
    },
  ];
  if (state === "resolved") return columns;
  const action = (alarm: Alarm) => <AlarmActions alarm={alarm} begin={begin} />;
  return [...columns, { key: "action", title: t("column.action"), cell: action }];
}

function nameOfUser(user: Alarm["owner"]): string {
  return user?.display_name || user?.username || "";
}

function Whose({ alarm: { owner, group } }: { alarm: Alarm }) {
  const language = useLanguage();
  if (!owner && !group) return null;
  return (
    <>
      {nameOfUser(owner)}
      {group && <div className={owner ? "second" : ""}>{titleOf(group, language)}</div>}
    </>
  );
}

function actedLines({ acted_at, outcome }: Alarm) {
  return acted_at ? [outcome === "done" ? ("acted" as const) : ("notActed" as const)] : [];
}

/** Whether nobody was notified yet, who takes care of it, and what the rule has done. */
function useDoneLines(): (alarm: Alarm) => string[] {
  const { t } = useTranslation("alarms");
  return (alarm) => [
    ...(alarm.state === "firing" && !alarm.notified_at ? [t("heldBack")] : []),
    ...(alarm.acknowledged_at
      ? [t("acknowledgedBy", { name: nameOfUser(alarm.acknowledged_by) || "–" })]
      : []),
    ...(alarm.comment ? [`“${alarm.comment}”`] : []),
    ...actedLines(alarm).map((line) => t(line)),
  ];
}

function AlarmActions({ alarm, begin }: { alarm: Alarm; begin: (doing: AlarmDeed) => void }) {
  const { t } = useTranslation("alarms");
  const maySilence = isOperator(useMe());
  const name = useAlarmWords().subject(alarm);
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
