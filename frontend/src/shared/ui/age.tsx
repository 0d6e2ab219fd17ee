import { Tooltip } from "antd";
import { useLanguage } from "@/shared/i18n/language";
import { formatAge, formatMoment } from "@/shared/lib/format";
import { useNow } from "@/shared/lib/use-now";

/** How long ago a moment was; the exact time on hover. A dash when it has not happened. */
export function Age({ at }: { at: string | null }) {
  const language = useLanguage();
  const now = useNow();
  if (!at) return <>–</>;
  const moment = new Date(at);
  return (
    <Tooltip title={formatMoment(moment, language)}>
      <time dateTime={at} className="num">
        {formatAge(moment, now, language)}
      </time>
    </Tooltip>
  );
}
