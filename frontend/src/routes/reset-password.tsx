import { createFileRoute, useLocation } from "@tanstack/react-router";
import { Preferences } from "@/app/preferences";
import { ResetPasswordForm } from "@/features/auth/components/password-reset";
import styles from "@/features/auth/components/sign-in.module.css";
import { useTranslation } from "@/shared/i18n/language";
import { PageTitle } from "@/shared/ui/page";

export const Route = createFileRoute("/reset-password")({ component: ResetPasswordPage });

function ResetPasswordPage() {
  const { t } = useTranslation("auth");
  return (
    <main className={styles.page}>
      <PageTitle text={t("forgot.newTitle")} />
      <div className={styles.preferences}>
        <Preferences />
      </div>
      <ResetPasswordForm resetKey={useLocation().hash} />
    </main>
  );
}
