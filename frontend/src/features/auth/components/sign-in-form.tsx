import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { type FormEvent, type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import {
  type Credentials,
  type SecondFactor,
  usePasskeySignIn,
  usePendingSecondStep,
  useSecondStep,
  useSignIn,
} from "@/shared/session/account";
import { useConfig } from "@/shared/session/me";
import { canUsePasskeys, isDeclined } from "@/shared/session/passkeys";
import { ProblemAlert } from "@/shared/ui/query-states";
import { Providers, type ProvidersProps } from "./providers";
import styles from "./sign-in.module.css";
import { SignInField, SignInPassword } from "./sign-in-field";

interface SignInProps {
  onSignedIn: () => void;
}

interface SignInFormProps extends SignInProps, ProvidersProps {
  /** Whether a provider has vouched for somebody who has a second factor here. */
  isSecondStep?: boolean;
}

/** A provider, name and password, or a passkey; then the second step of those who have enrolled one. */
export function SignInForm({ onSignedIn, isSecondStep = false, ...arrival }: SignInFormProps) {
  const [pending, setPending] = useState<readonly SecondFactor[]>([]);
  const resume = usePendingSecondStep();
  const { mutate } = resume;
  useEffect(() => {
    if (isSecondStep) mutate(undefined, { onSuccess: setPending });
  }, [isSecondStep, mutate]);
  if (pending.length === 0) {
    return <PasswordStep onSignedIn={onSignedIn} onPending={setPending} {...arrival} />;
  }
  return <SecondStep factors={pending} onSignedIn={onSignedIn} onBack={() => setPending([])} />;
}

interface PasswordStepProps extends SignInProps, ProvidersProps {
  onPending: (factors: readonly SecondFactor[]) => void;
}

function PasswordStep({ onSignedIn, onPending, ...arrival }: PasswordStepProps) {
  const { t } = useTranslation("auth");
  const signIn = useSignIn();
  const hasReset = useConfig()?.has_password_reset ?? false;
  const [missing, setMissing] = useState({ username: false, password: false });
  const goOn = (factors: readonly SecondFactor[]) =>
    factors.length === 0 ? onSignedIn() : onPending(factors);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const credentials: Credentials = {
      username: enteredIn(event, "username"),
      password: enteredIn(event, "password"),
    };
    setMissing({ username: !credentials.username, password: !credentials.password });
    if (!credentials.username || !credentials.password) return signIn.reset();
    signIn.mutate(credentials, { onSuccess: goOn });
  };
  return (
    <form noValidate className={styles.form} onSubmit={submit}>
      <Head about={t("about")} />
      <Providers {...arrival} />
      {signIn.isError && <ProblemAlert error={signIn.error} />}
      <SignInField
        name="username"
        label={t("username")}
        fault={missing.username ? t("usernameMissing") : ""}
        autoComplete="username"
        autoFocus
      />
      <SignInPassword
        name="password"
        label={t("password")}
        fault={missing.password ? t("passwordMissing") : ""}
        autoComplete="current-password"
      />
      <Button type="primary" htmlType="submit" size="large" block loading={signIn.isPending}>
        {t("signIn")}
      </Button>
      <PasskeyButton step="login" onSignedIn={onSignedIn} />
      {hasReset && (
        <p>
          <Link to="/forgot-password">{t("forgot.link")}</Link>
        </p>
      )}
    </form>
  );
}

interface SecondStepProps extends SignInProps {
  factors: readonly SecondFactor[];
  onBack: () => void;
}

/** The password was right: a code of the app, a recovery code, or a passkey. */
function SecondStep({ factors, onSignedIn, onBack }: SecondStepProps) {
  const { t } = useTranslation("auth");
  const confirm = useSecondStep();
  const [isMissing, setMissing] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    const code = enteredIn(event, "code").trim();
    setMissing(code === "");
    if (code) confirm.mutate(code, { onSuccess: onSignedIn });
  };
  const takesCode = factors.includes("totp") || factors.includes("recovery_codes");
  return (
    <form noValidate className={styles.form} onSubmit={submit}>
      <Head about={t(factors.includes("totp") ? "second.about" : "second.aboutPasskey")} />
      {confirm.isError && <ProblemAlert error={confirm.error} />}
      {takesCode && (
        <>
          <SignInField
            name="code"
            label={t("second.code")}
            extra={t("second.codeAbout")}
            fault={isMissing ? t("second.codeMissing") : ""}
            autoComplete="one-time-code"
            autoFocus
            maxLength={20}
          />
          <Button type="primary" htmlType="submit" size="large" block loading={confirm.isPending}>
            {t("second.confirm")}
          </Button>
        </>
      )}
      {factors.includes("webauthn") && (
        <PasskeyButton step="authenticate" onSignedIn={onSignedIn} />
      )}
      <Button type="link" block onClick={onBack}>
        {t("second.back")}
      </Button>
    </form>
  );
}

interface PasskeyButtonProps extends SignInProps {
  step: "login" | "authenticate";
}

/** Only where the browser has passkeys for this address. */
function PasskeyButton({ step, onSignedIn }: PasskeyButtonProps) {
  const { t } = useTranslation("auth");
  const signIn = usePasskeySignIn(step);
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Button
        size="large"
        block
        loading={signIn.isPending}
        onClick={() => signIn.mutate(undefined, { onSuccess: onSignedIn })}
      >
        {t("usePasskey")}
      </Button>
      {signIn.isError && !isDeclined(signIn.error) && <ProblemAlert error={signIn.error} />}
    </>
  );
}

/** Read a field of a form that is being sent; the page stays. */
function enteredIn(event: FormEvent<HTMLFormElement>, name: string): string {
  event.preventDefault();
  return String(new FormData(event.currentTarget).get(name) ?? "");
}

function Head({ about }: { about: ReactNode }) {
  const { t } = useTranslation("auth");
  return (
    <>
      <img src="/assets/berth.svg" alt="" width="40" height="40" />
      <h1>{t("title")}</h1>
      <p>{about}</p>
    </>
  );
}
