import { Button } from "antd";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Group } from "@/shared/api/types";
import { useMe } from "@/shared/session/me";
import { Panel } from "@/shared/ui/page";
import { Loading, ProblemAlert } from "@/shared/ui/query-states";
import { useMembers } from "../api/use-members";
import { mayManageMembers } from "../model/roles";
import { MemberDialog } from "./member-dialog";
import { MemberTable } from "./member-table";

interface MembersPanelProps {
  group: Group;
  /** Somebody asked for it: a long list of groups above must not hide it. */
  isInView: boolean;
}

/** Who belongs to one group. */
export function MembersPanel({ group, isInView }: MembersPanelProps) {
  const { t } = useTranslation("people");
  const isManaged = mayManageMembers(useMe(), group);
  const [isAdding, setAdding] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isInView) place.current?.scrollIntoView?.({ block: "nearest" });
  }, [isInView]);
  return (
    <div ref={place}>
      <Panel
        title={t("member.of", { name: group.title })}
        extra={isManaged && <Button onClick={() => setAdding(true)}>{t("member.add")}</Button>}
      >
        <Members group={group} isManaged={isManaged} />
      </Panel>
      {isAdding && <MemberDialog group={group} onClose={() => setAdding(false)} />}
    </div>
  );
}

function Members({ group, isManaged }: { group: Group; isManaged: boolean }) {
  const { t } = useTranslation("people");
  const members = useMembers(group.id);
  if (members.isPending) return <Loading rows={3} />;
  if (!members.data) {
    return <ProblemAlert error={members.error} onRetry={() => void members.refetch()} />;
  }
  if (members.data.length === 0) return <p className="quiet">{t("member.none")}</p>;
  return <MemberTable group={group} members={members.data} isManaged={isManaged} />;
}
