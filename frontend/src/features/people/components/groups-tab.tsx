import { Button, Flex, Form, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Group, GroupChange, GroupInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { type GroupInTree, groupTree } from "@/shared/cluster/model/quotas";
import { useCodedText } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useAddGroup, useRemoveGroup, useRenameGroup } from "../api/people";
import { GROUP_NAME, mayManageMembers } from "../model/roles";
import { MembersPanel } from "./members-panel";

/** What the open dialog is about: a group to rename, or a place below which another comes. */
type Edited = { rename: Group } | { below: Group | null };

/** The tree of groups, and who belongs to the chosen one. */
export function GroupsTab() {
  const { t } = useTranslation("people");
  const me = useMe();
  const groups = useGroups();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [edited, setEdited] = useState<Edited | null>(null);
  if (groups.isPending) return <Loading rows={4} />;
  if (!groups.data) return <ProblemAlert error={groups.error} />;
  const tree = groupTree(groups.data);
  const inOrder = tree.map(({ group }) => group);
  const chosen =
    inOrder.find(({ id }) => id === chosenId) ??
    inOrder.find((group) => mayManageMembers(me, group)) ??
    inOrder[0];
  return (
    <div className="stack">
      {chosen ? (
        <>
          <GroupsPanel
            tree={tree}
            chosen={chosen}
            onChoose={({ id }) => setChosenId(id)}
            onAdd={(below) => setEdited({ below })}
            onRename={(rename) => setEdited({ rename })}
          />
          <MembersPanel key={chosen.id} group={chosen} isInView={chosenId !== null} />
        </>
      ) : (
        <EmptyState
          title={t("group.noneTitle")}
          text={t("group.noneText")}
          action={
            isPlatformAdmin(me) && (
              <Button type="primary" onClick={() => setEdited({ below: null })}>
                {t("group.addRoot")}
              </Button>
            )
          }
        />
      )}
      {edited && "rename" in edited && (
        <RenameGroupDialog group={edited.rename} onClose={() => setEdited(null)} />
      )}
      {edited && "below" in edited && (
        <AddGroupDialog below={edited.below} onClose={() => setEdited(null)} />
      )}
    </div>
  );
}

interface GroupsPanelProps {
  tree: readonly GroupInTree[];
  chosen: Group;
  onChoose: (group: Group) => void;
  onAdd: (below: Group) => void;
  onRename: (group: Group) => void;
}

function GroupsPanel({ tree, ...rest }: GroupsPanelProps) {
  const { t } = useTranslation("people");
  const coded = useCodedText();
  const columns: Column<GroupInTree>[] = [
    {
      key: "group",
      title: t("column.group"),
      cell: ({ group, depth }) => (
        <span style={{ paddingInlineStart: depth * 20, display: "inline-block" }}>
          <strong>{group.title}</strong>
          <span className="second">{group.name}</span>
        </span>
      ),
    },
    {
      key: "role",
      title: t("column.myRole"),
      cell: ({ group: { role } }) => (role ? (coded(`people:role.${role}`) ?? role) : "–"),
    },
    {
      key: "action",
      title: t("column.action"),
      cell: ({ group }) => <GroupActions group={group} {...rest} />,
    },
  ];
  return (
    <Panel title={t("groups")}>
      <DataTable
        label={t("groups")}
        columns={columns}
        rows={tree}
        rowKey={({ group }) => group.id}
      />
    </Panel>
  );
}

interface GroupActionsProps extends Omit<GroupsPanelProps, "tree"> {
  group: Group;
}

function GroupActions({ group, chosen, onChoose, onAdd, onRename }: GroupActionsProps) {
  const { t } = useTranslation("people");
  const remover = useRemoveGroup();
  const name = { name: group.title };
  return (
    <Flex gap={8} wrap>
      <Button
        size="small"
        aria-pressed={group.id === chosen.id}
        aria-label={t("member.of", name)}
        onClick={() => onChoose(group)}
      >
        {t("members")}
      </Button>
      {isPlatformAdmin(useMe()) && (
        <>
          <Button size="small" aria-label={t("group.addBelow", name)} onClick={() => onAdd(group)}>
            {t("group.add")}
          </Button>
          <Button
            size="small"
            aria-label={t("group.renameOf", name)}
            onClick={() => onRename(group)}
          >
            {t("group.rename")}
          </Button>
          <RemoveButton
            id={group.id}
            label={t("group.removeOf", name)}
            question={t("group.removeQuestion")}
            remover={remover}
          />
        </>
      )}
    </Flex>
  );
}

interface AddGroupDialogProps {
  /** None makes the organisation itself, which is there once. */
  below: Group | null;
  onClose: () => void;
}

function AddGroupDialog({ below, onClose }: AddGroupDialogProps) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<GroupInput, GroupInput>
      action={t("group.save")}
      title={below ? t("group.addBelow", { name: below.title }) : t("group.addRoot")}
      initial={{}}
      sender={useAddGroup()}
      bodyOf={(fields) => ({ ...fields, parent: below?.id ?? null })}
      onClose={onClose}
    >
      <Form.Item
        name="name"
        label={t("group.name")}
        extra={t("group.nameAbout")}
        rules={[{ required: true, pattern: GROUP_NAME, message: t("group.nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} maxLength={63} />
      </Form.Item>
      <GroupTitleField />
    </EntityDialog>
  );
}

function RenameGroupDialog({ group, onClose }: { group: Group; onClose: () => void }) {
  const { t } = useTranslation("people");
  return (
    <EntityDialog<GroupChange, GroupChange>
      action={t("group.save")}
      title={t("group.renameOf", { name: group.title })}
      initial={{ title: group.title }}
      sender={useRenameGroup(group.id)}
      bodyOf={(fields) => fields}
      onClose={onClose}
    >
      <GroupTitleField />
    </EntityDialog>
  );
}

function GroupTitleField() {
  const { t } = useTranslation("people");
  return (
    <Form.Item
      name="title"
      label={t("group.title")}
      rules={[{ required: true, whitespace: true, message: t("group.titleMissing") }]}
    >
      <Input autoComplete="off" maxLength={100} />
    </Form.Item>
  );
}
