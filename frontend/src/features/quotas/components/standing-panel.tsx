import { Tag } from "antd";
import type { GroupStanding } from "@/shared/api/types";
import { formatDuration, formatGpus, formatNumber } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { useFairShare } from "../api/quotas";

const HOUR_S = 3600;

/** Where my groups and their members stand in fair share, and how past use fades. */
export function StandingPanel() {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const columns = useStandingColumns();
  return (
    <QueryBoundary query={useFairShare()} rows={3} canRetry={false}>
      {({ groups, half_life_s }) => (
        <Panel title={t("standing.title")} testId="standing">
          <p className="second">
            {t("standing.about", { halfLife: formatDuration(half_life_s, language) })}
          </p>
          {groups.length === 0 ? (
            <EmptyState title={t("standing.empty.title")} text={t("standing.empty.text")} />
          ) : (
            <DataTable
              label={t("standing.title")}
              columns={columns}
              rows={groups}
              rowKey={({ group }) => group.id}
            />
          )}
        </Panel>
      )}
    </QueryBoundary>
  );
}

function useStandingColumns(): Column<GroupStanding>[] {
  const { t } = useTranslation("quotas");
  const language = useLanguage();
  const hours = (seconds: number) => formatNumber(seconds / HOUR_S, language);
  return [
    { key: "group", title: t("column.group"), cell: ({ group }) => titleOf(group, language) },
    {
      key: "position",
      title: t("standing.position"),
      cell: ({ position, siblings, is_below_guarantee }) => (
        <>
          <span className="num">
            {siblings > 1 ? t("standing.of", { position, siblings }) : "–"}
          </span>{" "}
          {is_below_guarantee && (
            <Tag title={t("standing.guaranteeAbout")}>{t("standing.guarantee")}</Tag>
          )}
        </>
      ),
    },
    {
      key: "used",
      title: t("standing.used"),
      cell: ({ used_gpu_s, charged_gpu_s }) => (
        <>
          <span className="num">{hours(used_gpu_s)}</span>
          {charged_gpu_s > 0 && (
            <span className="second num">
              {t("standing.charged", { hours: hours(charged_gpu_s) })}
            </span>
          )}
        </>
      ),
    },
    {
      key: "share",
      title: t("standing.share"),
      cell: ({ entitled_gpu_milli }) => (
        <span className="num">{formatGpus(entitled_gpu_milli, language)}</span>
      ),
    },
    {
      key: "members",
      title: t("standing.members"),
      cell: ({ members }) => <Members members={members} hours={hours} />,
    },
  ];
}

interface MembersProps {
  members: GroupStanding["members"];
  hours: (seconds: number) => string;
}

/** Those who go first, and me, as the server sends them. */
function Members({ members, hours }: MembersProps) {
  const { t } = useTranslation("quotas");
  const me = useMe();
  const [first] = members;
  if (!first) return <>–</>;
  const left = first.members - members.length;
  return (
    <ol style={{ margin: 0, paddingInlineStart: 0, listStyle: "none" }}>
      {members.map(({ user, position, used_gpu_s }) => (
        <li key={user.id} className="num">
          {t("standing.member", {
            position,
            name: user.id === me.id ? t("standing.me") : user.display_name || user.username,
            hours: hours(used_gpu_s),
          })}
        </li>
      ))}
      {left > 0 && <li className="second">{t("standing.more", { count: left })}</li>}
    </ol>
  );
}
