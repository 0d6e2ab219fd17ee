import { Button, Flex } from "antd";
import { useDeferredValue, useState } from "react";
import type { Group, GroupInput } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { type GroupInTree, groupTree } from "@/shared/cluster/model/quotas";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { canManageMembers, GROUP_NAME, useRemoveGroup, useSaveGroup } from "../api/people";
import { MembersPanel } from "./members-panel";

/** What the open dialog is about: a group to rename, or the group below which another comes. */
type EditedGroup = { rename: Group } | { below: Group | null };

/** The tree of groups, and who belongs to the chosen one. */
export function GroupsTab() {
  return (
    <QueryBoundary query={useGroups()} canRetry={false}>
      {(groups) => <GroupsAndMembers groups={groups} />}
    </QueryBoundary>
  );
}

function GroupsAndMembers({ groups }: { groups: readonly Group[] }) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const me = useMe();
  const [chosenId, setChosenId] = useState<string | null>(null);
  const [edited, setEdited] = useState<EditedGroup | null>(null);
  const tree = groupTree(groups, language);
  const inOrder = tree.map(({ group }) => group);
  const chosen =
    inOrder.find(({ id }) => id === chosenId) ??
    inOrder.find((group) => canManageMembers(me, group)) ??
    inOrder[0];
  // Below hundreds of groups: drawn after them, so that the tab opens at once.
  const opened = useDeferredValue(chosen, undefined);
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
          {opened && <MembersPanel key={opened.id} group={opened} isInView={chosenId !== null} />}
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
      {edited && <GroupDialog edited={edited} onClose={() => setEdited(null)} />}
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
  const language = useLanguage();
  const { t } = useTranslation("people");
  const coded = useCodedText();
  const columns: Column<GroupInTree>[] = [
    {
      key: "group",
      title: t("column.group"),
      cell: ({ group, depth }) => (
        <span style={{ paddingInlineStart: depth * 20, display: "inline-block" }}>
          <strong>{titleOf(group, language)}</strong>
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
  const language = useLanguage();
  const { t } = useTranslation("people");
  const remover = useRemoveGroup();
  const name = { name: titleOf(group, language) };
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
            mutation={remover}
          />
        </>
      )}
    </Flex>
  );
}

interface GroupDialogProps {
  edited: EditedGroup;
  onClose: () => void;
}

/** Names another group below one, or gives a group another title. */
function GroupDialog({ edited, onClose }: GroupDialogProps) {
  const language = useLanguage();
  const { t } = useTranslation("people");
  const group = "rename" in edited ? edited.rename : undefined;
  const below = "below" in edited ? edited.below : null;
  const addTitle = below
    ? t("group.addBelow", { name: titleOf(below, language) })
    : t("group.addRoot");
  return (
    <EntityDialog<GroupInput, GroupInput>
      action={t("group.save")}
      title={group ? t("group.renameOf", { name: titleOf(group, language) }) : addTitle}
      initial={group ? { title_en: group.title_en, title_zh: group.title_zh } : {}}
      save={useSaveGroup(group?.id)}
      bodyOf={(fields) => ({ ...fields, parent: below?.id ?? null })}
      onClose={onClose}
    >
      {!group && (
        <EntityName
          label={t("group.name")}
          about={t("group.nameAbout")}
          pattern={GROUP_NAME}
          message={t("group.nameWrong")}
          maxLength={63}
        />
      )}
      <EntityTitle name="title_en" label={t("group.titleEn")} message={t("group.titleMissing")} />
      <EntityTitle name="title_zh" label={t("group.titleZh")} message={t("group.titleMissing")} />
    </EntityDialog>
  );
}
