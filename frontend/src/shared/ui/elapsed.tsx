import { useLanguage } from "@/shared/i18n/language";
import { formatDuration } from "@/shared/lib/format";
import { useNow } from "@/shared/lib/use-now";

/** Time from `since` to `until`, or still counting. */
export function Elapsed({ since, until }: { since: string; until?: string | null }) {
  const language = useLanguage();
  const now = useNow();
  const end = until ? new Date(until) : now;
  const seconds = (end.getTime() - new Date(since).getTime()) / 1000;
  return <span className="num">{formatDuration(seconds, language)}</span>;
}
