import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { useInbox } from "../api/inbox";

/** What came while nobody looked; more at once would only be clicked away. */
const SHOWN_MAX = 3;

/** Shows new notices outside the page, unless its reader looks at it; loaded for those who chose that. */
export function BrowserNotices() {
  const notices = useInbox().data?.notices;
  const navigate = useNavigate();
  const seen = useRef<string | null>(null);
  useEffect(() => {
    if (!notices) return;
    const last = seen.current;
    seen.current = notices[0]?.id ?? "";
    // What was there when the page was opened is no news.
    if (last === null || (document.visibilityState === "visible" && document.hasFocus())) return;
    // Ids of notices rise with time.
    const news = notices.filter(({ id, read_at }) => id > last && read_at === null);
    for (const { id, text, path } of news.slice(0, SHOWN_MAX)) {
      // Pages in several tabs show a notice once: one with the same tag takes the other's place.
      const shown = new Notification("Berth", { body: text, tag: id });
      shown.onclick = () => {
        window.focus();
        shown.close();
        if (path) void navigate({ href: path });
      };
    }
  }, [notices, navigate]);
  return null;
}
