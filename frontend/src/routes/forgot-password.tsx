import { createFileRoute } from "@tanstack/react-router";
import { Preferences } from "@/app/preferences";
import { ForgotPasswordForm } from "@/features/auth/components/password-reset";
import styles from "@/features/auth/components/sign-in.module.css";
import { useTranslation } from "@/shared/i18n/language";
import { PageTitle } from "@/shared/ui/page";

export const Route = createFileRoute("/forgot-password")({ component: ForgotPasswordPage });

function ForgotPasswordPage() {
  const { t } = useTranslation("auth");
  return (
    <main className={styles.page}>
      <PageTitle text={t("forgot.title")} />
      <div className={styles.preferences}>
        <Preferences />
      </div>
      <ForgotPasswordForm />
    </main>
  );
}
