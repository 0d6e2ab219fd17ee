import { Alert, Button } from "antd";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import styles from "./sign-in.module.css";

export interface ProvidersProps {
  /** Path of this site to which a provider leads back. */
  next?: string;
  /** Why the last one did not let somebody in. */
  refused?: string | undefined;
}

const REFUSALS = [
  "account_inactive",
  "not_provisioned",
  "provider_failed",
  "sign_in_cancelled",
  "subject_missing",
] as const;

/** The directories by which people sign in here: none are shown where none are set up. */
export function Providers({ next = "/", refused }: ProvidersProps) {
  const { t } = useTranslation("auth");
  const language = useLanguage();
  const offered = useConfig()?.sign_in ?? [];
  const ways = offered.filter(({ kind }) => kind === "oidc");
  const asked = offered.filter(({ kind }) => kind === "ldap").map(({ title }) => title);
  const titles = new Intl.ListFormat(language, { type: "disjunction" }).format(asked);
  const reason = REFUSALS.find((each) => each === refused) ?? "provider_failed";
  return (
    <>
      {refused && <Alert type="error" showIcon title={t(`refused.${reason}`)} />}
      {ways.map(({ name, title }) => (
        <Button
          key={name}
          block
          size="large"
          href={`/sign-in/oidc/${name}?${new URLSearchParams({ next })}`}
        >
          {t("signInWith", { title })}
        </Button>
      ))}
      {ways.length > 0 && <p className={styles.or}>{t("orPassword")}</p>}
      {asked.length > 0 && <p className={styles.or}>{t("passwordOf", { titles })}</p>}
    </>
  );
}
