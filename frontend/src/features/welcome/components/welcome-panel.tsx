import { CheckCircleFilled, RightCircleOutlined } from "@ant-design/icons";
import { Link } from "@tanstack/react-router";
import { Button } from "antd";
import type { FirstSteps } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { Panel } from "@/shared/ui/page";

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
            {taken[step] ? (
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
