import { Button, Flex } from "antd";
import { useState } from "react";
import type { MemberLimit } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { formatAmount } from "@/shared/cluster/model/quotas";
import { formatDuration, formatNumber } from "@/shared/i18n/format";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { useMe } from "@/shared/session/me";
import { isHeadOf, isPlatformAdmin } from "@/shared/session/roles";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { Panel } from "@/shared/ui/page";
import { useMemberLimits, useRemoveMemberLimit } from "../api/quotas";
import { type MemberLimitForm, memberLimitForm, OWN_COUNTS } from "../model/limits";

const LaterRaise = later(async () => (await import("./member-limit-dialog")).RaiseDialog);
const LaterMemberLimitDialog = later(
  async () => (await import("./member-limit-dialog")).MemberLimitDialog,
);

/** Single members with limits of their own; heads of groups set those of their members. */
export function MemberLimitsPanel() {
  const { t } = useTranslation("quotas");
  const me = useMe();
  const groups = useGroups().data ?? [];
  const [edited, setEdited] = useState<Partial<MemberLimitForm> | null>(null);
  const columns = useMemberLimitColumns(setEdited);
  const mine = groups.filter(({ id }) => isPlatformAdmin(me) || isHeadOf(me, id));
  return (
    <Panel
      title={t("member.one")}
      extra={mine.length > 0 && <Button onClick={() => setEdited({})}>{t("member.addOne")}</Button>}
    >
      <ListOfQuery
        id="member-limits"
        sortName="member_sort"
        label={t("member.one")}
        query={useMemberLimits()}
        skeletonRows={2}
        canRetry={false}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<p className="quiet">{t("member.oneNone")}</p>}
      />
      {edited && (
        <LaterMemberLimitDialog groups={mine} initial={edited} onClose={() => setEdited(null)} />
      )}
    </Panel>
  );
}

/** The limits that others have set for the reader, each with a way to request more; nothing without. */
export function OwnLimitsPanel() {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const me = useMe();
  const own = useMemberLimits().data?.filter(({ user }) => user.id === me.id) ?? [];
  if (own.length === 0) return null;
  return (
    <Panel title={t("member.own")}>
      {own.map((limit) => (
        <Flex key={limit.id} gap={16} wrap align="center" justify="space-between">
          <div>
            <strong>{titleOf(limit.group, language)}</strong>
            <LimitWords limit={limit} />
          </div>
          <MemberRequestButton limit={limit} />
        </Flex>
      ))}
    </Panel>
  );
}

function useMemberLimitColumns(
  onEdit: (limit: MemberLimitForm) => void,
): ListColumn<MemberLimit>[] {
  const language = useLanguage();
  const { t } = useTranslation("quotas");
  const me = useMe();
  const limitsOf = useMemberLimitWords();
  const groupOf = ({ group }: MemberLimit) => titleOf(group, language);
  const memberOf = ({ user }: MemberLimit) => user.display_name || user.username;
  return [
    { key: "group", title: t("column.group"), value: groupOf, cell: groupOf },
    { key: "member", title: t("member.column"), value: memberOf, cell: memberOf },
    {
      key: "limits",
      title: t("member.limits"),
      value: (row) => limitsOf(row).join("; "),
      cell: (row) => <LimitWords limit={row} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (row) => {
        const isOwn = row.user.id === me.id;
        if (isPlatformAdmin(me) || (isHeadOf(me, row.group.id) && !isOwn)) {
          return <MemberLimitActions limit={row} onEdit={() => onEdit(memberLimitForm(row))} />;
        }
        return isOwn && <MemberRequestButton limit={row} />;
      },
    },
  ];
}

/** Every limit that is set, each on a line. */
function LimitWords({ limit }: { limit: MemberLimit }) {
  return useMemberLimitWords()(limit).map((words) => (
    <div key={words} className="num">
      {words}
    </div>
  ));
}

function useMemberLimitWords(): (limit: MemberLimit) => string[] {
  const { t } = useTranslation(["quotas", "cluster", "workload"]);
  const coded = useCodedText();
  const language = useLanguage();
  return (limit) => {
    const { time_limit_s_max: seconds, priority_max, ceilings } = limit;
    const lines: [string, string][] = [
      ...ceilings.map(({ resource, pool, ceiling }): [string, string] => [
        [
          coded(`cluster:quota.resource.${resource}`) ?? resource,
          pool ? titleOf(pool, language) : t("allPools"),
        ].join(" · "),
        formatAmount(resource, ceiling, language),
      ]),
      ...OWN_COUNTS.flatMap((name): [string, string][] => {
        const most = limit[name];
        return most === null ? [] : [[t(`member.${name}`), formatNumber(most, language)]];
      }),
    ];
    if (seconds !== null)
      lines.push([t("member.time_limit_s_max"), formatDuration(seconds, language)]);
    if (priority_max !== null) {
      lines.push([t("member.priority"), t(`workload:priority.${priority_max}`)]);
    }
    return lines.map(([what, most]) => t("member.atMost", { what, most }));
  };
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

/** Asks the heads of the group for more of one's own limits. */
function MemberRequestButton({ limit }: { limit: MemberLimit }) {
  const { t } = useTranslation("quotas");
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t("raise.open")}
      </Button>
      {isOpen && <LaterRaise limit={limit} onClose={() => setOpen(false)} />}
    </>
  );
}
