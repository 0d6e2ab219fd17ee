import { Link } from "@tanstack/react-router";
import { Button, Form, Input } from "antd";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { useConfig } from "@/shared/session/me";
import { ProblemAlert } from "@/shared/ui/query-states";
import {
  type Credentials,
  type SecondFactor,
  usePasskeySignIn,
  useSecondStep,
  useSignIn,
} from "../api/account";
import { canUsePasskeys, isDeclined } from "../model/passkeys";
import styles from "./sign-in.module.css";

interface SignInProps {
  onSignedIn: () => void;
}

/** Name and password, or a passkey; then the second step of those who have enrolled one. */
export function SignInForm({ onSignedIn }: SignInProps) {
  const [pending, setPending] = useState<readonly SecondFactor[]>([]);
  if (pending.length === 0) {
    return <PasswordStep onSignedIn={onSignedIn} onPending={setPending} />;
  }
  return <SecondStep factors={pending} onSignedIn={onSignedIn} onBack={() => setPending([])} />;
}

interface PasswordStepProps extends SignInProps {
  onPending: (factors: readonly SecondFactor[]) => void;
}

function PasswordStep({ onSignedIn, onPending }: PasswordStepProps) {
  const { t } = useTranslation("auth");
  const signIn = useSignIn();
  const hasReset = useConfig()?.has_password_reset ?? false;
  const goOn = (factors: readonly SecondFactor[]) =>
    factors.length === 0 ? onSignedIn() : onPending(factors);
  return (
    <Form<Credentials>
      className={styles.form ?? ""}
      layout="vertical"
      requiredMark={false}
      onFinish={(credentials) => signIn.mutate(credentials, { onSuccess: goOn })}
    >
      <Head about={t("about")} />
      {signIn.isError && <ProblemAlert error={signIn.error} />}
      <Form.Item
        name="username"
        label={t("username")}
        rules={[{ required: true, message: t("usernameMissing") }]}
      >
        <Input autoComplete="username" autoFocus size="large" />
      </Form.Item>
      <Form.Item
        name="password"
        label={t("password")}
        rules={[{ required: true, message: t("passwordMissing") }]}
      >
        <Input.Password autoComplete="current-password" size="large" />
      </Form.Item>
      <Button type="primary" htmlType="submit" size="large" block loading={signIn.isPending}>
        {t("signIn")}
      </Button>
      <PasskeyButton step="login" onSignedIn={onSignedIn} />
      {hasReset && (
        <p>
          <Link to="/forgot-password">{t("forgot.link")}</Link>
        </p>
      )}
    </Form>
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
  const takesCode = factors.includes("totp") || factors.includes("recovery_codes");
  return (
    <Form<{ code: string }>
      className={styles.form ?? ""}
      layout="vertical"
      requiredMark={false}
      onFinish={({ code }) => confirm.mutate(code.trim(), { onSuccess: onSignedIn })}
    >
      <Head about={t(factors.includes("totp") ? "second.about" : "second.aboutPasskey")} />
      {confirm.isError && <ProblemAlert error={confirm.error} />}
      {takesCode && (
        <>
          <Form.Item
            name="code"
            label={t("second.code")}
            extra={t("second.codeAbout")}
            rules={[{ required: true, whitespace: true, message: t("second.codeMissing") }]}
          >
            <Input autoComplete="one-time-code" autoFocus size="large" maxLength={20} />
          </Form.Item>
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
    </Form>
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
