import { Button, Form, Input, Select } from "antd";
import { useEffect, useRef, useState } from "react";
import type { Group, GroupMember, MemberInput, MemberUse } from "@/shared/api/types";
import { useGroupMembers } from "@/shared/cluster/api/cluster";
import { formatSome } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { useProblemMessage } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import {
  canManageMembers,
  GROUP_ROLES,
  type GroupRole,
  useAddMember,
  useChangeMember,
  useMemberUse,
  useRemoveMember,
} from "../api/people";
import { PersonName } from "./people-panel";

interface MembersPanelProps {
  group: Group;
  /** It was chosen by hand: scrolls it into view below a long list of groups. */
  isInView: boolean;
}

/** Who belongs to one group. */
export function MembersPanel({ group, isInView }: MembersPanelProps) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const isManaged = canManageMembers(useMe(), group);
  const [isAdding, setAdding] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isInView) place.current?.scrollIntoView({ block: "nearest" });
  }, [isInView]);
  return (
    <div ref={place}>
      <Panel
        title={t("member.of", { name: titleOf(group, language) })}
        extra={isManaged && <Button onClick={() => setAdding(true)}>{t("member.add")}</Button>}
      >
        <MemberTable group={group} isManaged={isManaged} />
      </Panel>
      {isAdding && <MemberDialog group={group} onClose={() => setAdding(false)} />}
    </div>
  );
}

interface MemberTableProps {
  group: Group;
  /** Those of this very group can be changed; what a group above gives is changed there. */
  isManaged: boolean;
}

function MemberTable({ group, isManaged }: MemberTableProps) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const coded = useCodedText();
  const columns: ListColumn<GroupMember>[] = [
    {
      key: "name",
      title: t("column.name"),
      value: ({ user }) => user.username,
      cell: ({ user }) => <PersonName person={user} />,
    },
    {
      key: "role",
      title: t("column.role"),
      value: ({ role }) => coded(`people:role.${role}`) ?? role,
      cell: (member) =>
        isManaged && isEditable(member) ? (
          <RoleSelect group={group} member={member} />
        ) : (
          <RoleWords member={member} />
        ),
    },
  ];
  const ofUse = useMemberUseColumns(group, isManaged);
  const action: ListColumn<GroupMember> = {
    key: "action",
    title: t("column.action"),
    cell: (member) => isEditable(member) && <RemoveMember group={group} member={member} />,
  };
  return (
    <ListOfQuery
      id="members"
      query={useGroupMembers(group.id)}
      skeletonRows={3}
      label={t("member.of", { name: titleOf(group, language) })}
      columns={isManaged ? [...columns, ...ofUse, action] : columns}
      rowKey={({ user }) => user.id}
      empty={<p className="quiet">{t("member.none")}</p>}
    />
  );
}

const MILLI_S_OF_HOUR = 3_600_000;

/** GPU-hours in this group and those below it, and the last sign-in. */
function useMemberUseColumns(group: Group, isManaged: boolean): ListColumn<GroupMember>[] {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const uses = useMemberUse(group.id, isManaged).data;
  const hours = (
    key: "week" | "month",
    amount: (use: MemberUse) => number,
  ): ListColumn<GroupMember> => {
    const of = ({ user }: GroupMember) => {
      const use = uses?.get(user.id);
      return use ? amount(use) / MILLI_S_OF_HOUR : null;
    };
    return {
      key,
      title: t(`member.${key}`),
      isShort: true,
      value: of,
      cell: (member) => {
        const held = of(member);
        return <span className="num">{held === null ? "–" : formatSome(held, language)}</span>;
      },
    };
  };
  return [
    hours("week", (use) => use.week_gpu_milli_s),
    hours("month", (use) => use.month_gpu_milli_s),
    {
      key: "seen",
      title: t("column.seen"),
      value: ({ user }) => uses?.get(user.id)?.last_sign_in_at ?? null,
      cell: (member) => <LastSignIn member={member} use={uses?.get(member.user.id)} />,
    },
  ];
}

interface LastSignInProps {
  member: GroupMember;
  use: MemberUse | undefined;
}

/** Robots do not sign in, and members by a group above are seen there. */
function LastSignIn({ member, use }: LastSignInProps) {
  const { t } = useTranslation("people");
  if (!use || !isEditable(member)) return <>–</>;
  return use.last_sign_in_at ? <Age at={use.last_sign_in_at} /> : t("person.never");
}

/** A person of this very group; one from a group above is changed there, and robots stay. */
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
  const showProblem = useProblemMessage();
  const change = useChangeMember(group.id, user.id);
  const set = (chosen: GroupRole) => change.mutate(chosen, { onError: showProblem });
  return (
    <Select<GroupRole>
      style={{ minWidth: 140 }}
      aria-label={t("member.roleOf", { name: user.username })}
      value={role as GroupRole}
      loading={change.isPending}
      onChange={set}
      options={GROUP_ROLES.map((value) => ({ value, label: t(`role.${value}`) }))}
    />
  );
}

function RemoveMember({ group, member: { user } }: MemberProps) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const remover = useRemoveMember(group.id);
  return (
    <RemoveButton
      id={user.id}
      label={t("member.removeOf", { name: user.username, group: titleOf(group, language) })}
      question={t("member.removeQuestion")}
      mutation={remover}
    />
  );
}

/** Takes the exact user name: group admins may not list all people. */
function MemberDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  return (
    <EntityDialog<MemberInput, MemberInput>
      action={t("member.add")}
      title={t("member.addTo", { name: titleOf(group, language) })}
      initial={{ role: "developer" }}
      save={useAddMember(group.id)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <Form.Item
        name="username"
        label={t("person.username")}
        extra={t("member.usernameAbout")}
        rules={[{ required: true, message: t("member.usernameMissing") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={32} />
      </Form.Item>
      <RoleField />
    </EntityDialog>
  );
}

function RoleField() {
  const { t } = useTranslation("people");
  const role: GroupRole = Form.useWatch("role") ?? "developer";
  return (
    <Form.Item name="role" label={t("column.role")} extra={t(`roleAbout.${role}`)}>
      <Select options={GROUP_ROLES.map((value) => ({ value, label: t(`role.${value}`) }))} />
    </Form.Item>
  );
}
