import { App, Select } from "antd";
import { useTranslation } from "react-i18next";
import { problemOf } from "@/shared/api/problem";
import type { Group, GroupMember } from "@/shared/api/types";
import { useCodedText } from "@/shared/i18n/language";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { useProblemText } from "@/shared/ui/query-states";
import { useChangeMember, useRemoveMember } from "../api/use-members";
import { GROUP_ROLES, type GroupRole } from "../model/roles";
import styles from "./people.module.css";
import { PersonName } from "./person-name";

interface MemberTableProps {
  group: Group;
  members: readonly GroupMember[];
  /** Those of this very group can be changed; what a group above gives is changed there. */
  isManaged: boolean;
}

export function MemberTable({ group, members, isManaged }: MemberTableProps) {
  const { t } = useTranslation("people");
  const columns: Column<GroupMember>[] = [
    { key: "name", title: t("column.name"), cell: ({ user }) => <PersonName person={user} /> },
    {
      key: "role",
      title: t("column.role"),
      cell: (member) =>
        isManaged && isEditable(member) ? (
          <RoleSelect group={group} member={member} />
        ) : (
          <RoleWords member={member} />
        ),
    },
  ];
  const action: Column<GroupMember> = {
    key: "action",
    title: t("column.action"),
    cell: (member) => isEditable(member) && <Remove group={group} member={member} />,
  };
  return (
    <DataTable
      label={t("member.of", { name: group.title })}
      columns={isManaged ? [...columns, action] : columns}
      rows={members}
      rowKey={({ user }) => user.id}
    />
  );
}

/** A person of this very group; one from above is changed there, and a robot is for ever. */
function isEditable({ is_own, kind }: GroupMember): boolean {
  return is_own && kind === "person";
}

function RoleWords({ member: { role, is_own } }: { member: GroupMember }) {
  const { t } = useTranslation("people");
  const coded = useCodedText();
  return (
    <>
      {coded(`people:role.${role}`) ?? role}
      {!is_own && <span className="second">{t("member.inherited")}</span>}
    </>
  );
}

interface MemberProps {
  group: Group;
  member: GroupMember;
}

function RoleSelect({ group, member: { user, role } }: MemberProps) {
  const { t } = useTranslation("people");
  const { message } = App.useApp();
  const describe = useProblemText();
  const change = useChangeMember(group.id, user.id);
  const set = (chosen: GroupRole) =>
    change.mutate(chosen, {
      onError: (error) => void message.error(describe(problemOf(error))),
    });
  return (
    <Select<GroupRole>
      className={styles.role ?? ""}
      aria-label={t("member.roleOf", { name: user.username })}
      value={role as GroupRole}
      loading={change.isPending}
      onChange={set}
      options={GROUP_ROLES.map((value) => ({ value, label: t(`role.${value}`) }))}
    />
  );
}

function Remove({ group, member: { user } }: MemberProps) {
  const { t } = useTranslation("people");
  const remover = useRemoveMember(group.id);
  return (
    <RemoveButton
      id={user.id}
      label={t("member.removeOf", { name: user.username, group: group.title })}
      question={t("member.removeQuestion")}
      remover={remover}
    />
  );
}
