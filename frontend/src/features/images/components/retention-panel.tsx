import { Button, Flex } from "antd";
import { useState } from "react";
import type { ImageRetention } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatMemory, formatMoment, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isStaff } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { NativeSelect } from "@/shared/ui/controls";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { QueryBoundary } from "@/shared/ui/query-states";
import { Deadline } from "@/shared/ui/time";
import { useRemoveRetention, useRetention } from "../api/saved-images";
import { mibOf } from "../model/image";

const LaterRetention = later(async () => (await import("./image-dialog")).RetentionDialog);
const PLATFORM = "";

/** How long unused saved images are kept by the platform or a group, and which go when. */
export function RetentionPanel() {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const me = useMe();
  const [chosen, setChosen] = useState(
    isStaff(me) ? PLATFORM : (me.memberships[0]?.group.id ?? PLATFORM),
  );
  const groupId = chosen === PLATFORM ? undefined : chosen;
  const groups = useGroups().data ?? [];
  const group = groups.find(({ id }) => id === chosen);
  const owner = group ? titleOf(group, language) : t("retention.platform");
  return (
    <Panel title={t("retention.title")}>
      <div className="stack">
        <p className="quiet">{t("retention.about")}</p>
        <NativeSelect
          label={t("retention.whose")}
          value={chosen}
          onChoose={setChosen}
          options={[
            { value: PLATFORM, label: t("retention.platform") },
            ...groups.map((one) => ({ value: one.id, label: titleOf(one, language) })),
          ]}
        />
        <QueryBoundary query={useRetention(groupId)} rows={2} canRetry={false}>
          {(rule) => <RetentionRule key={chosen} rule={rule} groupId={groupId} owner={owner} />}
        </QueryBoundary>
      </div>
    </Panel>
  );
}

interface RetentionRuleProps {
  rule: ImageRetention;
  /** None is the platform. */
  groupId: string | undefined;
  /** Title of the group, or of the platform. */
  owner: string;
}

function RetentionRule({ rule, groupId, owner }: RetentionRuleProps) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const [isOpen, setOpen] = useState(false);
  const removal = useRemoveRetention(groupId);
  const { newest, used_days: days, group, is_own, changed_at, changed_by } = rule;
  return (
    <>
      <p>
        {days === null ? t("retention.none") : t("retention.rule", { newest, days })}{" "}
        {changed_at !== null && !is_own && (
          <span className="second">
            {t("retention.from", {
              owner: group ? titleOf(group, language) : t("retention.platform"),
            })}
          </span>
        )}
      </p>
      {days !== null && <Leaving found={rule} />}
      <Flex gap={16} align="center" wrap>
        {rule.may_change && <Button onClick={() => setOpen(true)}>{t("retention.change")}</Button>}
        {rule.may_change && is_own && (
          <ConfirmButton
            action={t("retention.remove")}
            label={t("retention.removeTitle", { owner })}
            question={t("retention.removeQuestion")}
            mutation={removal}
            input={undefined}
          />
        )}
        {changed_at && is_own && (
          <span className="second">
            {t("retention.changed", {
              when: formatMoment(new Date(changed_at), language),
              who: changed_by?.display_name ?? t("retention.somebody"),
            })}
          </span>
        )}
      </Flex>
      {isOpen && (
        <LaterRetention
          rule={rule}
          groupId={groupId}
          owner={owner}
          leaving={(found) => <Leaving found={found} />}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}

/** What a rule lets go: how much in all, and each with its day. */
function Leaving({ found }: { found: ImageRetention }) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const columns = useLeavingColumns();
  const { leaving, leaving_count, leaving_bytes } = found;
  if (leaving_count === 0) return <p className="quiet">{t("retention.nothing")}</p>;
  const title = t("retention.going", {
    number: formatNumber(leaving_count, language),
    size: formatMemory(mibOf(leaving_bytes), language),
  });
  return (
    <div className="stack">
      <p>
        <strong>{title}</strong> <span className="quiet">{t("retention.goingAbout")}</span>
      </p>
      {leaving.length > 0 && (
        <DataTable label={title} columns={columns} rows={leaving} rowKey={({ id }) => id} />
      )}
      {leaving.length < leaving_count && <p className="quiet">{t("retention.more")}</p>}
    </div>
  );
}

function useLeavingColumns(): Column<ImageRetention["leaving"][number]>[] {
  const { t } = useTranslation("images");
  const language = useLanguage();
  return [
    {
      key: "name",
      title: t("column.image"),
      cell: ({ name }) => <span className="mono">{name}</span>,
    },
    {
      key: "owner",
      title: t("retention.owner"),
      cell: ({ owner }) => owner.display_name || owner.username,
    },
    {
      key: "size",
      title: t("saved.size"),
      isShort: true,
      cell: ({ size_bytes }) => formatMemory(mibOf(size_bytes), language),
    },
    {
      key: "leaves",
      title: t("saved.leaves"),
      isMoment: true,
      cell: ({ leaves_at }) => <Deadline at={leaves_at} isUnderZone />,
    },
  ];
}
