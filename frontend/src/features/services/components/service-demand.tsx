import { useId, useMemo } from "react";
import type { ServiceDetail } from "@/shared/api/types";
import { formatMomentOf, formatNumber } from "@/shared/i18n/format";
import { useCodedText, useLanguage, useTranslation } from "@/shared/i18n/language";
import { formatTimes } from "@/shared/telemetry/model/amounts";
import { ChartTip, LineChart } from "@/shared/ui/line-chart";
import { Facts } from "@/shared/ui/page";
import { rangeFromZero } from "@/shared/ui/plot";
import { Age } from "@/shared/ui/time";
import { chosenAccuracy, demandCurve, type Forecast } from "../model/forecast";
import { millisWords } from "./service-marks";

/** What its own past has taught: what a replica carries, how long one takes to start, what is expected. */
export function ServiceDemand({ service }: { service: ServiceDetail }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const { capacity, cold_start, forecast } = service;
  const carries = t("learned.atATime", { count: capacity.open_requests });
  const starts = t("learned.starts", {
    p50: millisWords(cold_start.p50_ms, language),
    p90: millisWords(cold_start.p90_ms, language),
  });
  return (
    <div className="stack">
      <Facts
        facts={[
          [
            t("learned.carries"),
            <Learned key="carries" value={carries} seen={capacity.answers} from="answers" />,
          ],
          [
            t("learned.start"),
            <Learned key="start" value={starts} seen={cold_start.seen} from="seen" />,
          ],
        ]}
      />
      {forecast ? <Demand forecast={forecast} /> : <p className="quiet">{t("forecast.none")}</p>}
    </div>
  );
}

interface LearnedProps {
  value: string;
  seen: number;
  from: "answers" | "seen";
}

function Learned({ value, seen, from }: LearnedProps) {
  const { t } = useTranslation("services");
  return (
    <>
      {value}
      <p className="second note">
        {seen > 0 ? t(`learned.${from}`, { count: seen }) : t(`learned.${from}None`)}
      </p>
    </>
  );
}

function Demand({ forecast }: { forecast: Forecast }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  return (
    <>
      <DemandChart forecast={forecast} />
      <p style={{ margin: 0 }}>
        <AccuracyWords forecast={forecast} />{" "}
        {t(forecast.is_trusted ? "forecast.trusted" : "forecast.untrusted")}{" "}
        <span className="quiet">
          · {t("forecast.made")} <Age at={forecast.made_at} />
        </span>
      </p>
      {forecast.accuracy.length > 1 && (
        <details>
          <summary>{t("forecast.models")}</summary>
          <ul>
            {forecast.accuracy.map((each) => (
              <li key={each.model}>
                <ModelName model={each.model} />:{" "}
                <span className="num">
                  {t("forecast.error", {
                    percent: formatNumber(each.error_permille / 10, language),
                  })}
                </span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

function AccuracyWords({ forecast }: { forecast: Forecast }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const best = chosenAccuracy(forecast);
  if (!best) return null;
  const percent = (permille: number) => formatNumber(permille / 10, language);
  return t("forecast.accuracy", {
    error: percent(best.error_permille),
    naive: percent(best.against_naive_permille),
    hours: formatNumber(best.hours, language, 0),
  });
}

function ModelName({ model }: { model: string }) {
  return useCodedText()(`services:forecast.model.${model}`) ?? model;
}

function DemandChart({ forecast }: { forecast: Forecast }) {
  const { t } = useTranslation("services");
  const language = useLanguage();
  const group = useId();
  const curve = useMemo(() => demandCurve(forecast), [forecast]);
  const moment = (at: number) => formatMomentOf(new Date(at), new Date(), language);
  const amount = (value: number) => formatNumber(value, language, 0);
  const tip = (index: number) => {
    const came = forecast.past[index];
    const expected = forecast.hours[index - forecast.past.length];
    const rows = came
      ? [{ key: "came", colour: "--hue-0", name: t("forecast.came"), value: amount(came.requests) }]
      : expected
        ? [
            {
              key: "middle",
              colour: "--hue-1",
              name: t("forecast.expected"),
              value: `${amount(expected.middle)} (${amount(expected.low)}–${amount(expected.high)})`,
            },
          ]
        : [];
    return <ChartTip title={moment(curve.xs[index] ?? 0)} rows={rows} />;
  };
  return (
    <figure style={{ margin: 0 }}>
      <figcaption>{t("forecast.title")}</figcaption>
      <LineChart
        {...curve}
        label={t("forecast.label")}
        isTime
        group={group}
        yRange={(_, most) => rangeFromZero(most, 1)}
        sayX={(marks, step) => formatTimes(marks, step, language)}
        sayY={(marks) => marks.map(amount)}
        onZoom={() => undefined}
        onZoomOut={() => undefined}
        tip={tip}
      />
    </figure>
  );
}
