import { Button, Flex } from "antd";
import { useTranslation } from "react-i18next";
import type { Group } from "@/shared/api/types";
import type { GroupInTree } from "@/shared/cluster/model/quotas";
import { useCodedText } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { useRemoveGroup } from "../api/use-groups-admin";

interface GroupsPanelProps {
  tree: readonly GroupInTree[];
  chosen: Group;
  onChoose: (group: Group) => void;
  onAdd: (below: Group) => void;
  onRename: (group: Group) => void;
}

export function GroupsPanel({ tree, ...rest }: GroupsPanelProps) {
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
      cell: ({ group }) => <Actions group={group} {...rest} />,
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

interface ActionsProps extends Omit<GroupsPanelProps, "tree"> {
  group: Group;
}

function Actions({ group, chosen, onChoose, onAdd, onRename }: ActionsProps) {
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
