import { createFileRoute } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { CreateToken, TokenTable } from "@/features/tokens/components/tokens-page";
import { PageHeader } from "@/shared/ui/page";

export const Route = createFileRoute("/_shell/tokens")({ component: TokensPage });

function TokensPage() {
  const { t } = useTranslation("tokens");
  return (
    <>
      <PageHeader title={t("title")} about={t("about")} actions={<CreateToken />} />
      <TokenTable />
    </>
  );
}
