import { Button, Flex, Form, InputNumber, Select } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MemberLimit, MemberLimitInput } from "@/shared/api/types";
import { useGroupMembers, useGroups } from "@/shared/cluster/api/cluster";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { useMemberLimits, useRemoveMemberLimit, useSetMemberLimit } from "../api/quotas";
import { type MemberLimitForm, memberLimitForm, memberLimitInput } from "../model/limits";

/** Single members whose work has a shorter time limit than that of their group. */
export function MemberLimitsPanel() {
  const { t } = useTranslation("quotas");
  const me = useMe();
  const [edited, setEdited] = useState<Partial<MemberLimitForm> | null>(null);
  const columns = useMemberLimitColumns(setEdited);
  return (
    <QueryBoundary query={useMemberLimits()} rows={2} canRetry={false}>
      {(limits) => (
        <Panel
          title={t("member.one")}
          extra={
            isPlatformAdmin(me) && (
              <Button onClick={() => setEdited({})}>{t("member.addOne")}</Button>
            )
          }
        >
          <DataTable
            label={t("member.one")}
            columns={columns}
            rows={limits}
            rowKey={({ id }) => id}
            empty={<p className="quiet">{t("member.oneNone")}</p>}
          />
          {edited && <MemberLimitDialog initial={edited} onClose={() => setEdited(null)} />}
        </Panel>
      )}
    </QueryBoundary>
  );
}

function useMemberLimitColumns(onEdit: (limit: MemberLimitForm) => void): Column<MemberLimit>[] {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const me = useMe();
  const columns: Column<MemberLimit>[] = [
    { key: "group", title: t("column.group"), cell: ({ group }) => group.title },
    {
      key: "member",
      title: t("member.column"),
      cell: ({ user }) => user.display_name || user.username,
    },
    {
      key: "time",
      title: t("member.time_limit_s_max"),
      cell: (row) => formatDuration(row.time_limit_s_max, language),
    },
  ];
  if (!isPlatformAdmin(me)) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => <MemberLimitActions limit={row} onEdit={() => onEdit(memberLimitForm(row))} />,
    },
  ];
}

function MemberLimitActions({ limit, onEdit }: { limit: MemberLimit; onEdit: () => void }) {
  const { t } = useTranslation("quotas");
  const remover = useRemoveMemberLimit();
  const name = limit.user.username;
  return (
    <Flex gap={8} wrap>
      <Button size="small" aria-label={t("member.editOne", { name })} onClick={onEdit}>
        {t("edit")}
      </Button>
      <RemoveButton
        id={limit.id}
        label={t("member.removeOne", { name })}
        question={t("member.removeOneQuestion")}
        mutation={remover}
      />
    </Flex>
  );
}

interface MemberLimitDialogProps {
  /** What is known of it already; the limit of the same member in the same group is replaced. */
  initial: Partial<MemberLimitForm>;
  onClose: () => void;
}

function MemberLimitDialog({ initial, onClose }: MemberLimitDialogProps) {
  const { t } = useTranslation("quotas");
  const save = useSetMemberLimit();
  const groups = useGroups();
  return (
    <EntityDialog<MemberLimitForm, MemberLimitInput>
      action={t("save")}
      title={t("member.one")}
      initial={initial}
      save={save}
      bodyOf={memberLimitInput}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Form.Item
            name="group"
            label={t("column.group")}
            rules={[{ required: true, message: t("groupMissing") }]}
          >
            <Select
              showSearch={{ optionFilterProp: "label" }}
              onChange={() => form.resetFields(["user"])}
              options={groups.data?.map(({ id, title }) => ({ value: id, label: title })) ?? []}
            />
          </Form.Item>
          <MemberField />
          <Form.Item
            name="hours"
            label={t("member.hours")}
            extra={t("member.oneAbout")}
            rules={[{ required: true, message: t("amountMissing") }]}
          >
            <InputNumber min={0.02} style={{ width: "100%" }} />
          </Form.Item>
        </>
      )}
    </EntityDialog>
  );
}

/** The members of the chosen group. */
function MemberField() {
  const { t } = useTranslation("quotas");
  const members = useGroupMembers(Form.useWatch<string | undefined>("group"));
  const options = members.data?.map(({ user }) => ({
    value: user.id,
    label: user.display_name ? `${user.display_name} (${user.username})` : user.username,
  }));
  return (
    <Form.Item
      name="user"
      label={t("member.column")}
      rules={[{ required: true, message: t("member.memberMissing") }]}
    >
      <Select
        showSearch={{ optionFilterProp: "label" }}
        loading={members.isLoading}
        options={options ?? []}
      />
    </Form.Item>
  );
}
