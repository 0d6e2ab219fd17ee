import { CheckCircleFilled, RightCircleOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import type { FirstSteps } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import styles from "./welcome.module.css";

const STEPS = [
  { step: "notebook", to: "/notebooks/new" },
  { step: "job", to: "/jobs/new" },
  { step: "ssh_key", to: "/ssh-keys" },
] as const;

interface WelcomePanelProps {
  taken: FirstSteps;
  onHide: () => void;
}

/** The first steps of somebody new, each ticked off by itself once it is taken. */
export function WelcomePanel({ taken, onHide }: WelcomePanelProps) {
  const { t } = useTranslation("welcome");
  const done = STEPS.filter(({ step }) => taken[step]).length;
  return (
    <section aria-label={t("title")}>
      <div className={styles.head}>
        <strong>{t("title")}</strong>
        <span className="quiet">{t("progress", { done, total: STEPS.length })}</span>
        <Button size="small" type="text" onClick={onHide}>
          {t("hide")}
        </Button>
      </div>
      <ol className={styles.steps}>
        {STEPS.map(({ step, to }) => (
          <li key={step}>
            {taken[step] ? (
              <CheckCircleFilled className={styles.done ?? ""} aria-label={t("done")} />
            ) : (
              <RightCircleOutlined aria-label={t("open")} />
            )}
            <div>
              <Link to={to}>{t(`step.${step}.title`)}</Link>
              <div className="second">{t(`step.${step}.about`)}</div>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
