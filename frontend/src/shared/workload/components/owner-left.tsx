/** That the owner of work may not submit any more, and to whom heads of its group hand it over. */
import { Alert, Flex, Select } from "antd";
import { useState } from "react";
import { KINDS } from "@/shared/api/kinds.gen";
import type { WorkloadDetail } from "@/shared/api/types";
import { useGroupMembers } from "@/shared/cluster/api/cluster";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isHeadOf, isPlatformAdmin } from "@/shared/session/roles";
import { ConfirmButton } from "@/shared/ui/confirm-button";
import { useHandOver } from "../api/row-actions";
import { isTerminal } from "../model/lifecycle";

export function OwnerLeft({ workload }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const me = useMe();
  const { owner, owner_left_at, heir, state, kind, group } = workload;
  if (!owner_left_at || isTerminal(state)) return null;
  const nameOf = (person: typeof owner) => person.display_name || person.username;
  const mayHandOver = isHeadOf(me, group.id) || isPlatformAdmin(me);
  return (
    <Alert
      type="warning"
      showIcon
      role="status"
      data-testid="owner-left"
      title={t("ownerLeft.title", { name: nameOf(owner) })}
      description={
        <div className="stack">
          {heir ? t("ownerLeft.heir", { name: nameOf(heir) }) : t("ownerLeft.about")}
          {mayHandOver && KINDS[kind].is_handed_over && <HandOver workload={workload} />}
        </div>
      }
    />
  );
}

/** A choice among those members who may submit. */
function HandOver({ workload: { id, group, owner } }: { workload: WorkloadDetail }) {
  const { t } = useTranslation("workload");
  const me = useMe();
  const members = useGroupMembers(group.id).data ?? [];
  const handOver = useHandOver(id);
  const [to, setTo] = useState<string | null>(null);
  const able = members.filter(({ role, user }) => role !== "viewer" && user.id !== owner.id);
  return (
    <Flex gap={8} wrap align="center">
      <Select<string | null>
        aria-label={t("ownerLeft.to")}
        placeholder={t("ownerLeft.to")}
        value={to}
        showSearch={{ optionFilterProp: "label" }}
        style={{ minWidth: 200 }}
        options={able.map(({ user }) => ({
          value: user.username,
          label: user.display_name || user.username,
        }))}
        onChange={setTo}
      />
      {to && (
        <ConfirmButton
          input={to}
          action={t("ownerLeft.handOver")}
          label={t("ownerLeft.handOverTo", { name: to })}
          question={t(to === me.username ? "ownerLeft.take" : "ownerLeft.question")}
          mutation={handOver}
        />
      )}
    </Flex>
  );
}
