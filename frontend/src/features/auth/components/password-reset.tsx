import { Link } from "@tanstack/react-router";
import { Alert, Button, Form, Input } from "antd";
import type { ReactNode } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { LinkButton } from "@/shared/ui/page";
import { ProblemAlert } from "@/shared/ui/query-states";
import { LEAST_LENGTH, useRequestReset, useResetPassword } from "../api/password-reset";
import styles from "./sign-in.module.css";

/** Asks for the mail address; says nothing about whether there is such an account. */
export function ForgotPasswordForm() {
  const { t } = useTranslation("auth");
  const request = useRequestReset();
  return (
    <Form<{ email: string }>
      className={styles.form ?? ""}
      layout="vertical"
      requiredMark={false}
      onValuesChange={() => request.isError && request.reset()}
      onFinish={({ email }) => request.mutate(email.trim())}
    >
      <ResetHead title={t("forgot.title")} about={t("forgot.about")} />
      {request.isSuccess ? (
        <Alert
          type="success"
          showIcon
          title={t("forgot.sent")}
          description={
            <>
              <p>{t("forgot.sentAbout")}</p>
              {t("forgot.noMail")}
            </>
          }
        />
      ) : (
        <>
          {request.isError && <ProblemAlert error={request.error} />}
          <Form.Item
            name="email"
            label={t("forgot.email")}
            rules={[{ required: true, type: "email", message: t("forgot.emailMissing") }]}
          >
            <Input autoComplete="email" autoFocus size="large" />
          </Form.Item>
          <Button type="primary" htmlType="submit" size="large" block loading={request.isPending}>
            {t("forgot.send")}
          </Button>
        </>
      )}
      <BackToSignIn />
    </Form>
  );
}

/** Takes a new password; the key is the part of the address after the `#`. */
export function ResetPasswordForm({ resetKey }: { resetKey: string }) {
  const { t } = useTranslation("auth");
  const reset = useResetPassword(resetKey);
  if (!resetKey) {
    return (
      <div className={styles.form}>
        <ResetHead title={t("forgot.newTitle")} about={t("forgot.keyMissing")} />
        <LinkButton to="/forgot-password" size="large" block>
          {t("forgot.again")}
        </LinkButton>
        <BackToSignIn />
      </div>
    );
  }
  if (reset.isSuccess) {
    return (
      <div className={styles.form}>
        <ResetHead title={t("forgot.done")} about={t("forgot.doneAbout")} />
        <LinkButton to="/sign-in" size="large" block>
          {t("forgot.signIn")}
        </LinkButton>
      </div>
    );
  }
  return (
    <Form<{ password: string }>
      className={styles.form ?? ""}
      layout="vertical"
      requiredMark={false}
      onValuesChange={() => reset.isError && reset.reset()}
      onFinish={({ password }) => reset.mutate(password)}
    >
      <ResetHead title={t("forgot.newTitle")} about={t("forgot.newAbout")} />
      {reset.isError && <ProblemAlert error={reset.error} />}
      <Form.Item
        name="password"
        label={t("newPassword")}
        rules={[
          {
            required: true,
            min: LEAST_LENGTH,
            message: t("passwordShort", { least: LEAST_LENGTH }),
          },
        ]}
      >
        <Input.Password autoComplete="new-password" autoFocus size="large" />
      </Form.Item>
      <Form.Item
        name="again"
        label={t("newPasswordAgain")}
        dependencies={["password"]}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_rule, again?: string) =>
              again === getFieldValue("password")
                ? Promise.resolve()
                : Promise.reject(new Error(t("passwordsDiffer"))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" size="large" />
      </Form.Item>
      <Button type="primary" htmlType="submit" size="large" block loading={reset.isPending}>
        {t("forgot.save")}
      </Button>
      <BackToSignIn />
    </Form>
  );
}

function BackToSignIn() {
  const { t } = useTranslation("auth");
  return (
    <p className={styles.back}>
      <Link to="/sign-in">{t("forgot.back")}</Link>
    </p>
  );
}

function ResetHead({ title, about }: { title: string; about: ReactNode }) {
  return (
    <>
      <img src="/assets/berth.svg" alt="" width="40" height="40" />
      <h1>{title}</h1>
      <p>{about}</p>
    </>
  );
}
