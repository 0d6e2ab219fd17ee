import { useLocation } from "@tanstack/react-router";
import { notification } from "antd";
import { type ReactNode, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { TitleMarkContext } from "@/shared/ui/page";
import { useWorkloads } from "../api/workloads";
import { WorkloadLink } from "./workload-link";

/** A notice stays until it is closed or the warning is over: its reader may be away. */
const STAYS = 0;
const TITLE_MARK = "\u26a0 ";

/**
 * Says on every page, once and in the title of the browser tab, that an idle notebook of the reader
 * is about to lose something. The notebook's own page has a banner for it.
 */
export function IdleNotices({ children }: { children: ReactNode }) {
  const { t } = useTranslation("workload");
  const { pathname } = useLocation();
  const [notices, holder] = notification.useNotification();
  const mine = useWorkloads({ owner: "me", state: "running" });
  const warned = (mine.data ?? []).flatMap(({ id, kind, name, idle_warning }) =>
    idle_warning ? [{ id, kind, name, loss: idle_warning.loss }] : [],
  );
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
  return (
    <TitleMarkContext value={warned.length > 0 ? TITLE_MARK : ""}>
      {holder}
      {children}
    </TitleMarkContext>
  );
}
