import { Button, Flex } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { MemberLimit } from "@/shared/api/types";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useMemberLimits, useRemoveMemberLimit } from "../api/use-member-limits";
import { formOfMember, type OneMemberForm } from "../model/members";
import { OneMemberDialog } from "./one-member-dialog";

/** Single members whose work may run less long than that of their group. */
export function OneMemberPanel() {
  const { t } = useTranslation("quotas");
  const limits = useMemberLimits();
  const me = useMe();
  const [edited, setEdited] = useState<Partial<OneMemberForm> | null>(null);
  const columns = useColumns(setEdited);
  if (limits.isPending) return <Loading rows={2} />;
  if (!limits.data) return <ProblemAlert error={limits.error} />;
  return (
    <Panel
      title={t("member.one")}
      extra={
        isPlatformAdmin(me) && <Button onClick={() => setEdited({})}>{t("member.addOne")}</Button>
      }
    >
      {limits.data.length === 0 ? (
        <p className="quiet">{t("member.oneNone")}</p>
      ) : (
        <DataTable
          label={t("member.one")}
          columns={columns}
          rows={limits.data}
          rowKey={({ id }) => id}
        />
      )}
      {edited && <OneMemberDialog initial={edited} onClose={() => setEdited(null)} />}
    </Panel>
  );
}

function useColumns(onEdit: (limit: OneMemberForm) => void): Column<MemberLimit>[] {
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
      cell: (row) => <Actions limit={row} onEdit={() => onEdit(formOfMember(row))} />,
    },
  ];
}

function Actions({ limit, onEdit }: { limit: MemberLimit; onEdit: () => void }) {
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
        remover={remover}
      />
    </Flex>
  );
}
