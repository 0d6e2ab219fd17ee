import { CheckCircleFilled, RightCircleOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import { useEffect } from "react";
import { useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";
import { type FirstStep, useFirstSteps } from "../api/first-steps";

const STEPS: readonly { step: FirstStep; to: "/notebooks/new" | "/jobs/new" | "/ssh-keys" }[] = [
  { step: "notebook", to: "/notebooks/new" },
  { step: "job", to: "/jobs/new" },
  { step: "sshKey", to: "/ssh-keys" },
];

/** The first steps of somebody new, each ticked off by itself once it is taken; none are left for most people. */
export function WelcomePanel({ onHide }: { onHide: () => void }) {
  const { t } = useTranslation("welcome");
  const { data } = useFirstSteps();
  const isComplete = data !== undefined && STEPS.every(({ step }) => data[step]);
  useEffect(() => {
    if (isComplete) onHide();
  }, [isComplete, onHide]);
  if (!data || isComplete) return null;
  const done = STEPS.filter(({ step }) => data[step]).length;
  return (
    <Panel
      title={t("title")}
      extra={
        <Button size="small" onClick={onHide}>
          {t("hide")}
        </Button>
      }
    >
      <p className="second">{t("progress", { done, total: STEPS.length })}</p>
      <ol style={{ display: "grid", gap: 10, margin: 0, padding: 0, listStyle: "none" }}>
        {STEPS.map(({ step, to }) => (
          <li key={step} style={{ display: "flex", gap: 10 }}>
            {data[step] ? (
              <CheckCircleFilled style={{ color: "var(--state-running)" }} aria-label={t("done")} />
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
    </Panel>
  );
}
