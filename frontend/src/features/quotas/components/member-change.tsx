import type { UserRef } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { useCeilingWords, useScopeWords } from "./quota-words";

interface MemberChangeProps {
  /** Its title. */
  group: string;
  user: UserRef;
  pool: string | null;
  resource: string;
  model: string;
  before: number | null;
  after: number | null;
}

/** What a change did to one member: of which group, of which quota, from what to what. */
export function MemberChange({ group, user, before, after, ...scope }: MemberChangeProps) {
  const { t } = useTranslation("quotas");
  const words = useScopeWords();
  const say = useCeilingWords();
  return (
    <>
      <strong>{user.display_name || user.username}</strong>
      {` · ${group} · ${words(scope)}`}
      <span className="second num">
        {t("history.fromTo", {
          limit: t("limit.ceiling"),
          before: say(scope.resource, before),
          after: say(scope.resource, after),
        })}
      </span>
    </>
  );
}
