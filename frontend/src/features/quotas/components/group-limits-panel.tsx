import { Button, Form, InputNumber, Select } from "antd";
import { useState } from "react";
import type { GroupLimit, GroupLimitInput } from "@/shared/api/types";
import { PRIORITIES, useGroupLimits } from "@/shared/cluster/api/limits";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useChangeGroupLimit } from "../api/quotas";
import {
  COUNTS,
  type GroupLimitForm,
  groupLimitForm,
  groupLimitInput,
  PRIORITY_LIMITS,
} from "../model/limits";
import { MemberLimitsPanel } from "./member-limits-panel";

/** What members may have at a time: those of each group, and single ones. */
export function MembersTab() {
  return (
    <div className="stack">
      <GroupLimitsPanel />
      <MemberLimitsPanel />
    </div>
  );
}

/** How many things one member of each group may have at a time, and how long work may run. */
function GroupLimitsPanel() {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const [edited, setEdited] = useState<GroupLimit | null>(null);
  const columns = useGroupLimitColumns(setEdited);
  return (
    <QueryBoundary query={useGroupLimits()} rows={4} canRetry={false}>
      {(limits) => (
        <Panel title={t("member.title")}>
          <ListTable
            id="group-limits"
            sortName="sortLimits"
            label={t("member.title")}
            columns={columns}
            rows={limits.toSorted((a, b) =>
              titleOf(a.group, language).localeCompare(titleOf(b.group, language)),
            )}
            rowKey={({ group }) => group.id}
          />
          {edited && <GroupLimitsDialog limits={edited} onClose={() => setEdited(null)} />}
        </Panel>
      )}
    </QueryBoundary>
  );
}

function useGroupLimitColumns(onEdit: (limits: GroupLimit) => void): ListColumn<GroupLimit>[] {
  const { t } = useTranslation(["quotas", "workload"]);
  const language = useLanguage();
  const me = useMe();
  const nameOf = ({ group }: GroupLimit) => titleOf(group, language);
  const columns: ListColumn<GroupLimit>[] = [
    { key: "group", title: t("column.group"), value: nameOf, cell: nameOf },
    ...COUNTS.map((count) => ({
      key: count,
      title: t(`member.${count}`),
      value: (row: GroupLimit) => row[count],
      cell: (row: GroupLimit) => {
        const most = row[count];
        return most === null ? t("unlimited") : formatNumber(most, language);
      },
    })),
    {
      key: "time",
      title: t("member.time_limit_s_max"),
      value: ({ time_limit_s_max }) => time_limit_s_max,
      cell: ({ time_limit_s_max: most }) =>
        most === null ? t("member.asPool") : formatDuration(most, language),
    },
    {
      key: "priority",
      title: t("member.priority"),
      value: ({ developer_priority_max: most }) => t(`workload:priority.${most}`),
      cell: ({ developer_priority_max: most }) => t(`workload:priority.${most}`),
    },
  ];
  if (!isPlatformAdmin(me)) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => (
        <Button
          size="small"
          aria-label={t("member.editOf", { group: titleOf(row.group, language) })}
          onClick={() => onEdit(row)}
        >
          {t("edit")}
        </Button>
      ),
    },
  ];
}

function GroupLimitsDialog({ limits, onClose }: { limits: GroupLimit; onClose: () => void }) {
  const language = useLanguage();
  const { t } = useTranslation(["quotas", "workload"]);
  const change = useChangeGroupLimit(limits.group.id);
  return (
    <EntityDialog<GroupLimitForm, GroupLimitInput>
      action={t("save")}
      title={`${titleOf(limits.group, language)} · ${t("member.title")}`}
      initial={groupLimitForm(limits)}
      save={change}
      bodyOf={groupLimitInput}
      onClose={onClose}
    >
      {COUNTS.map((count) => (
        <Form.Item key={count} name={count} label={t(`member.${count}`)}>
          <InputNumber
            min={0}
            precision={0}
            placeholder={t("unlimited")}
            style={{ width: "100%" }}
          />
        </Form.Item>
      ))}
      <Form.Item name="hours" label={t("member.hours")} extra={t("member.hoursAbout")}>
        <InputNumber min={0.02} placeholder={t("member.asPool")} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item
        name="extension_hours"
        label={t("member.extension")}
        extra={t("member.extensionAbout")}
      >
        <InputNumber min={0} style={{ width: "100%" }} />
      </Form.Item>
      {PRIORITY_LIMITS.map((limit) => (
        <Form.Item
          key={limit}
          name={limit}
          label={t(`member.${limit}`)}
          extra={t("member.priorityAbout")}
        >
          <Select
            options={PRIORITIES.map((value) => ({ value, label: t(`workload:priority.${value}`) }))}
          />
        </Form.Item>
      ))}
    </EntityDialog>
  );
}
