import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { PageTitle } from "@/shared/ui/page";
import { EmptyState } from "@/shared/ui/query-states";

export function NotFoundPage() {
  const { t } = useTranslation("app");
  return (
    <>
      <PageTitle text={t("notFound.title")} />
      <EmptyState
        isPage
        title={t("notFound.title")}
        text={t("notFound.text")}
        action={<Link to="/">{t("notFound.home")}</Link>}
      />
    </>
  );
}
