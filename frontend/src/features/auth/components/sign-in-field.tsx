import { EyeInvisibleOutlined, EyeOutlined } from "@ant-design/icons";
import { Button } from "antd";
import { type InputHTMLAttributes, useId, useState } from "react";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./sign-in.module.css";

interface SignInFieldProps extends InputHTMLAttributes<HTMLInputElement> {
  name: string;
  label: string;
  extra?: string;
  /** What is wrong with it; empty when nothing is. */
  fault: string;
}

/**
 * A field of the first page. The library's form and its fields weigh as much as everything else
 * of that page, so they are not used there.
 */
export function SignInField({ label, extra, fault, ...input }: SignInFieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      <input id={id} aria-invalid={fault !== ""} aria-describedby={`${id}-about`} {...input} />
      <div id={`${id}-about`}>
        {fault && (
          <span role="alert" className={styles.fault}>
            {fault}
          </span>
        )}
        {extra && <span className={styles.extra}>{extra}</span>}
      </div>
    </div>
  );
}

/** A password, which its reader may look at. */
export function SignInPassword(props: Omit<SignInFieldProps, "type">) {
  const { t } = useTranslation("auth");
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.secret}>
      <SignInField type={isShown ? "text" : "password"} {...props} />
      <Button
        type="text"
        className={styles.eye ?? ""}
        icon={isShown ? <EyeOutlined /> : <EyeInvisibleOutlined />}
        aria-label={t("showPassword")}
        aria-pressed={isShown}
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}
