/** Where waiting work goes among that of its group, for those who look after the group. */
import { Button } from "antd";
import type { GroupPlace, WorkGlimpse } from "@/shared/api/types";
import { useGroups } from "@/shared/cluster/api/cluster";
import { useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { MoreActions } from "@/shared/ui/more-actions";
import { useProblemMessage } from "@/shared/ui/query-states";
import { usePlaceInGroup } from "../api/queue";

const PLACES: readonly GroupPlace[] = ["first", "last", "usual"];

/** Whether the reader may order the waiting work of a group. */
export function useMayOrder(): (work: WorkGlimpse) => boolean {
  const isStaff = isOperator(useMe());
  const groups = useGroups().data ?? [];
  const own = new Set(groups.filter(({ role }) => role === "group_admin").map(({ id }) => id));
  return ({ id, group }) => Boolean(id && group && (isStaff || own.has(group.id)));
}

export function GroupOrder({ work, poolId }: { work: WorkGlimpse; poolId: string }) {
  const { t } = useTranslation("queue");
  const showProblem = useProblemMessage();
  const place = usePlaceInGroup(work.id ?? "", poolId);
  return (
    <MoreActions label={t("order.of", { name: work.name ?? "" })}>
      {PLACES.map((to) => (
        <Button
          key={to}
          size="small"
          loading={place.isPending && place.variables === to}
          onClick={() => place.mutate(to, { onError: showProblem })}
        >
          {t(`order.${to}`)}
        </Button>
      ))}
    </MoreActions>
  );
}
