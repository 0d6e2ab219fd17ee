import { QuestionCircleOutlined } from "@ant-design/icons";
import { Link, useLocation } from "@tanstack/react-router";
import { useTranslation } from "@/shared/i18n/language";
import { MenuButton } from "@/shared/ui/opening";
import { ALL_GUIDES, guideFor } from "../model/guides";

/** What explains the page and the platform: its guide, all guides, the API, the keys. */
export function HelpMenu({ onKeys }: { onKeys: () => void }) {
  const { t } = useTranslation("help");
  const guide = guideFor(useLocation({ select: ({ pathname }) => pathname }));
  return (
    <MenuButton
      label={t("title")}
      icon={<QuestionCircleOutlined />}
      menu={{
        items: [
          guide !== ALL_GUIDES && {
            key: "page",
            label: (
              <Link to="/help/$" params={{ _splat: guide }}>
                {t("page")}
              </Link>
            ),
          },
          { key: "all", label: <Link to="/help">{t("all")}</Link> },
          { key: "api", label: <a href="/api/docs">{t("api")}</a> },
          { key: "keys", label: t("keys") },
        ].filter((item) => item !== false),
        onClick: ({ key }) => key === "keys" && onKeys(),
      }}
    />
  );
}
