import { type ReactNode, Suspense } from "react";
import { prefetched } from "@/shared/ui/opening";
import { TitleMarkContext } from "@/shared/ui/page";
import { useWorkloads } from "../api/workloads";

const TITLE_MARK = "\u26a0 ";

const LaterNotices = prefetched(async () => (await import("./idle-notice-stack")).IdleNoticeStack);

/**
 * Says on every page, once and in the title of the browser tab, that an idle notebook of the reader
 * is about to lose something. The notebook's own page has a banner for it.
 */
export function IdleNotices({ children }: { children: ReactNode }) {
  const mine = useWorkloads({ owner: "me", state: "running" });
  const warned = (mine.data ?? []).flatMap(({ id, kind, name, idle_warning }) =>
    idle_warning ? [{ id, kind, name, loss: idle_warning.loss }] : [],
  );
  return (
    <TitleMarkContext value={warned.length > 0 ? TITLE_MARK : ""}>
      {warned.length > 0 && (
        <Suspense>
          <LaterNotices warned={warned} />
        </Suspense>
      )}
      {children}
    </TitleMarkContext>
  );
}
