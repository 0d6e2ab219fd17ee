import { Alert } from "antd";
import { type ReactNode, useId, useMemo, useState } from "react";
import type { Story, StudyDetail, StudyFindings } from "@/shared/api/types";
import { titleOf, useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { PageHeader, Panel } from "@/shared/ui/page";
import type { Extent } from "@/shared/ui/plot";
import { Loading } from "@/shared/ui/query-states";
import { Age } from "@/shared/ui/time";
import { curvesOf, isOver } from "../model/studies";
import { CurveChart, FiguresTable, GroupsTable } from "./findings";
import styles from "./studies.module.css";
import { PhaseTag, useChangeWords, useStudyTitle } from "./study-words";

interface StudyPageProps {
  study: StudyDetail;
  /** What was found about a scenario. */
  tell?: (story: Story) => ReactNode;
}

/** One study and its findings. */
export function StudyPage({ study, tell }: StudyPageProps) {
  const { t } = useTranslation("studies");
  const coded = useCodedText();
  const language = useLanguage();
  const group = study.group ? titleOf(study.group, language) : "";
  const titled = useStudyTitle();
  const words = useChangeWords()(study.change);
  const period = study.scenario ? t("story.bothRules") : t("lastDays", { count: study.days });
  const about = (
    <>
      <PhaseTag study={study} />{" "}
      {[period, group, study.asked_by.display_name].filter(Boolean).join(" · ")} ·{" "}
      <Age at={study.created_at} />
    </>
  );
  return (
    <>
      <PageHeader title={titled(study)} about={about} />
      <div className="stack">
        {!study.scenario && (
          <Panel title={t("change")}>
            {words.length === 0 && <p>{t("unchanged")}</p>}
            <ul className={styles.changes}>
              {words.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </Panel>
        )}
        {!isOver(study) && (
          <Panel title={t("answer")}>
            <p>{t(study.scenario ? "story.beingTold" : "beingTold")}</p>
            <Loading rows={6} />
          </Panel>
        )}
        {study.phase === "failed" && (
          <Alert
            type="warning"
            showIcon
            title={coded(`studies:failure.${study.failure}`) ?? study.failure}
          />
        )}
        {study.findings && <Findings findings={study.findings} group={group} />}
        {study.story && tell?.(study.story)}
      </div>
    </>
  );
}

function Findings({ findings, group }: { findings: StudyFindings; group: string }) {
  const { t } = useTranslation("studies");
  const cursor = useId();
  const [zoomed, setZoomed] = useState<Extent | null>(null);
  const curves = useMemo(() => curvesOf(findings), [findings]);
  return (
    <>
      <Panel title={t("answer")}>
        <p className={styles.about}>
          {t("answerAbout")} {group && t("answerOfGroup", { group })}
        </p>
        <FiguresTable findings={findings} />
      </Panel>
      <Panel title={t("overTime")}>
        <div className={styles.charts}>
          {curves.map((curve) => (
            <CurveChart
              key={curve.name}
              curve={curve}
              group={cursor}
              zoomed={zoomed}
              onZoom={setZoomed}
            />
          ))}
        </div>
      </Panel>
      <Panel title={t("byGroup")}>
        <GroupsTable groups={findings.groups} />
      </Panel>
    </>
  );
}
