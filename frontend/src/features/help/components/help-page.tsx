import { Link } from "@tanstack/react-router";
import { useTranslation } from "@/shared/i18n/language";
import { Markdown } from "@/shared/markdown/markdown";
import { PageHeader } from "@/shared/ui/page";
import { useGuide } from "../api/guides";
import { ALL_GUIDES, guideAt, pictureAt } from "../model/guides";
import styles from "./help.module.css";

/** One guide, as it stands in `docs/`. */
export function HelpPage({ guide }: { guide: string }) {
  const { t } = useTranslation("help");
  const found = useGuide(guide);
  const isList = guide === ALL_GUIDES;
  return (
    <>
      <PageHeader
        title={found?.title ?? t("title")}
        about={!isList && <Link to="/help">{t("all")}</Link>}
      />
      <article className={styles.guide}>
        {found ? (
          <Markdown
            text={found.text}
            link={(target, shown) => <GuideLink to={guideAt(guide, target)}>{shown}</GuideLink>}
            image={(target, alt) => <img src={pictureAt(guide, target) ?? ""} alt={alt} />}
          />
        ) : (
          <p>{t("none")}</p>
        )}
      </article>
    </>
  );
}

function GuideLink({ to, children }: { to: string | null; children: React.ReactNode }) {
  if (!to) return children;
  return (
    <Link to="/help/$" params={{ _splat: to }}>
      {children}
    </Link>
  );
}
