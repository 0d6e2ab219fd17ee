import { useNavigate } from "@tanstack/react-router";
import { Button, Drawer } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { EmptyState, QueryBoundary } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { useInbox, useMarkRead } from "../api/inbox";
import styles from "./inbox.module.css";

interface InboxDrawerProps {
  isOpen: boolean;
  onClose: () => void;
}

/** What the bell opens; loaded with the first press. */
export function InboxDrawer({ isOpen, onClose }: InboxDrawerProps) {
  const { t } = useTranslation("inbox");
  return (
    <Drawer open={isOpen} onClose={onClose} title={t("title")} destroyOnHidden>
      <Inbox onClose={onClose} />
    </Drawer>
  );
}

/** The newest notices; reading one leads to the page that it is about. */
function Inbox({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("inbox");
  const navigate = useNavigate();
  const query = useInbox();
  const markRead = useMarkRead();
  const open = (path: string) => {
    onClose();
    void navigate({ href: path });
  };
  return (
    <QueryBoundary query={query} rows={6}>
      {({ notices, unread }) => {
        const [newest] = notices;
        if (!newest) return <EmptyState title={t("empty.title")} text={t("empty.text")} />;
        return (
          <div className="stack">
            {unread > 0 && (
              <div>
                <Button
                  size="small"
                  loading={markRead.isPending}
                  onClick={() => markRead.mutate(newest.id)}
                >
                  {t("markRead")}
                </Button>
              </div>
            )}
            <ul className={styles.notices} aria-label={t("title")}>
              {notices.map(({ id, text, path, created_at, read_at }) => (
                <li key={id} data-new={read_at === null || undefined}>
                  {path ? (
                    <Button type="link" className={styles.text ?? ""} onClick={() => open(path)}>
                      {text}
                    </Button>
                  ) : (
                    text
                  )}
                  <div className="second">
                    {read_at === null && `${t("new")} · `}
                    <Age at={created_at} />
                  </div>
                </li>
              ))}
            </ul>
          </div>
        );
      }}
    </QueryBoundary>
  );
}
