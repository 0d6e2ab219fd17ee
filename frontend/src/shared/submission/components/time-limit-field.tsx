import { Form, Select } from "antd";
import { useTranslation } from "react-i18next";
import type { Pool } from "@/shared/api/types";
import { formatDuration } from "@/shared/i18n/format";
import { useLanguage } from "@/shared/i18n/language";
import { timeLimitsOf } from "../model/time-limits";

/** After how long the work is stopped at the latest. */
export function TimeLimitField({ pool }: { pool: Pool }) {
  const { t } = useTranslation("submission");
  const language = useLanguage();
  const chosen: number | undefined = Form.useWatch("time_limit_s");
  return (
    <Form.Item name="time_limit_s" label={t("timeLimit")} extra={t("timeLimitAbout")}>
      <Select
        options={timeLimitsOf(pool, chosen).map((seconds) => ({
          value: seconds,
          label: formatDuration(seconds, language),
        }))}
      />
    </Form.Item>
  );
}
