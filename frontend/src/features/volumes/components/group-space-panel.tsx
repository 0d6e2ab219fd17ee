import { Button } from "antd";
import { useState } from "react";
import type { GroupLimit } from "@/shared/api/types";
import { useGroupLimits } from "@/shared/cluster/api/limits";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListTable } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isPlatformAdmin } from "@/shared/session/roles";
import { Meter } from "@/shared/ui/meter";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { withSpace } from "../model/volume";

const LaterGroupSpace = later(async () => (await import("./volume-dialog")).GroupSpaceDialog);

/** What the volumes of each group may have together; nothing where no group has volumes or a limit. */
export function GroupSpacePanel() {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const isBoss = isPlatformAdmin(useMe());
  const [edited, setEdited] = useState<GroupLimit | null>(null);
  const columns = useSpaceColumns(isBoss ? setEdited : undefined);
  const rows = withSpace(useGroupLimits().data ?? [], isBoss).toSorted((one, other) =>
    titleOf(one.group, language).localeCompare(titleOf(other.group, language)),
  );
  if (rows.length === 0) return null;
  return (
    <Panel title={t("space.title")}>
      <p className="second note">{t("space.about")}</p>
      <ListTable
        id="group-space"
        sortName="sortSpace"
        label={t("space.title")}
        columns={columns}
        rows={rows}
        rowKey={({ group }) => group.id}
      />
      {edited && <LaterGroupSpace limits={edited} onClose={() => setEdited(null)} />}
    </Panel>
  );
}

function useSpaceColumns(onEdit?: (limits: GroupLimit) => void): ListColumn<GroupLimit>[] {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const nameOf = ({ group }: GroupLimit) => titleOf(group, language);
  const columns: ListColumn<GroupLimit>[] = [
    { key: "group", title: t("group"), value: nameOf, cell: nameOf },
    {
      key: "given",
      title: t("space.given"),
      value: ({ volumes_mib }) => volumes_mib,
      cell: (limits) => <GivenSpace limits={limits} />,
    },
  ];
  if (!onEdit) return columns;
  return [
    ...columns,
    {
      key: "action",
      title: t("column.action"),
      cell: (limits) => (
        <Button
          size="small"
          aria-label={t("space.changeOf", { group: titleOf(limits.group, language) })}
          onClick={() => onEdit(limits)}
        >
          {t("change")}
        </Button>
      ),
    },
  ];
}

function GivenSpace({ limits: { volumes_mib, volumes_mib_max: most } }: { limits: GroupLimit }) {
  const { t } = useTranslation("volumes");
  const language = useLanguage();
  const used = formatMemory(volumes_mib, language);
  if (most === null) return <span className="num">{t("space.noLimit", { used })}</span>;
  return (
    <div style={{ minWidth: 160 }}>
      <Meter
        label={t("space.free", { free: formatMemory(Math.max(most - volumes_mib, 0), language) })}
        amount={t("amount", { used, quota: formatMemory(most, language) })}
        used={volumes_mib}
        limit={most}
      />
    </div>
  );
}
