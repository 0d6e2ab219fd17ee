import { Button, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import { ProblemAlert } from "@/shared/ui/query-states";
import { type Credentials, useSignIn } from "../api/account";
import styles from "./sign-in.module.css";

export function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const { t } = useTranslation("auth");
  const signIn = useSignIn();
  return (
    <Form<Credentials>
      className={styles.form ?? ""}
      layout="vertical"
      requiredMark={false}
      onFinish={(credentials) => signIn.mutate(credentials, { onSuccess: onSignedIn })}
    >
      <img src="/assets/berth.svg" alt="" width="40" height="40" />
      <h1>{t("title")}</h1>
      <p>{t("about")}</p>
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
    </Form>
  );
}
