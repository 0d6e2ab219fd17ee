import { useLocation } from "@tanstack/react-router";
import { notification } from "antd";
import { useEffect, useRef } from "react";
import type { Workload } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { WorkloadLink } from "./workload-link";

/** A notice stays until it is closed or the warning is over: its reader may be away. */
const STAYS = 0;

interface WarnedNotebook extends Pick<Workload, "id" | "kind" | "name"> {
  loss: NonNullable<Workload["idle_warning"]>["loss"];
}

/** One notice for each warning, on every page but the notebook's own. */
export function IdleNoticeStack({ warned }: { warned: readonly WarnedNotebook[] }) {
  const { t } = useTranslation("workload");
  const { pathname } = useLocation();
  const [notices, holder] = notification.useNotification();
  const shown = useRef(new Set<string>());
  useEffect(() => {
    const due = new Map(warned.map((work) => [`${work.id} ${work.loss}`, work]));
    for (const key of [...shown.current].filter((key) => !due.has(key))) {
      notices.destroy(key);
      shown.current.delete(key);
    }
    for (const [key, work] of due) {
      if (shown.current.has(key) || pathname.includes(work.id)) continue;
      shown.current.add(key);
      notices.warning({
        key,
        duration: STAYS,
        role: "status",
        title: t(`idleNotice.${work.loss}`, { name: work.name }),
        description: <WorkloadLink workload={{ ...work, name: t("idleNotice.look") }} />,
      });
    }
  });
  return holder;
}
