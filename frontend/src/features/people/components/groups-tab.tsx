import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Group } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { groupTree } from "@/shared/cluster/model/quotas";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { EmptyState, Loading, ProblemAlert } from "@/shared/ui/query-states";
import { mayManageMembers } from "../model/roles";
import { AddGroupDialog, RenameGroupDialog } from "./group-dialog";
import { GroupsPanel } from "./groups-panel";
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
