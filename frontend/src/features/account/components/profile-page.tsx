import { Form, Segmented, Select } from "antd";
import { HOURS, type Hours } from "@/shared/i18n/clock";
import { formatMoment } from "@/shared/i18n/format";
import {
  LANGUAGE_NAMES,
  LANGUAGES,
  type Language,
  titleOf,
  useClock,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { chooseTheme, THEMES, useThemeName } from "@/shared/theme/preference";
import { Facts, LinkButton, PageHeader, Panel } from "@/shared/ui/page";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useNow } from "@/shared/ui/time";
import { useSaveClock } from "../api/preferences";
import { NoticePanel } from "./notice-panel";

interface ProfilePageProps {
  onLanguage: (language: Language) => void;
}

/** Who I am here, how pages look and tell the time, and where notices reach me. */
export function ProfilePage({ onLanguage }: ProfilePageProps) {
  const { t } = useTranslation("account");
  return (
    <>
      <PageHeader title={t("profile.title")} about={t("profile.about")} />
      <div className="stack">
        <PersonPanel />
        <LookPanel onLanguage={onLanguage} />
        <ClockPanel />
        <NoticePanel />
      </div>
    </>
  );
}

function PersonPanel() {
  const { t } = useTranslation("account");
  const language = useLanguage();
  const { display_name, username, memberships } = useMe();
  const groups = memberships.map(({ group }) => titleOf(group, language)).join(", ");
  return (
    <Panel title={t("profile.person")}>
      <Facts
        facts={[
          [t("profile.name"), display_name || username],
          [t("profile.username"), username],
          [t("profile.groups"), groups || "–"],
        ]}
      />
      <div style={{ display: "flex", flexWrap: "wrap", gap: 8, marginTop: 12 }}>
        <LinkButton to="/security" isPrimary={false}>
          {t("security.title")}
        </LinkButton>
        <LinkButton to="/ssh-keys" isPrimary={false}>
          {t("profile.sshKeys")}
        </LinkButton>
        <LinkButton to="/tokens" isPrimary={false}>
          {t("profile.tokens")}
        </LinkButton>
      </div>
    </Panel>
  );
}

function LookPanel({ onLanguage }: ProfilePageProps) {
  const { t } = useTranslation("account");
  const language = useLanguage();
  return (
    <Panel title={t("profile.look")}>
      <p className="second">{t("profile.perBrowser")}</p>
      <Form layout="vertical" component="div">
        <Form.Item label={t("profile.language")}>
          <Segmented
            aria-label={t("profile.language")}
            value={language}
            options={LANGUAGES.map((value) => ({ value, label: LANGUAGE_NAMES[value] }))}
            onChange={onLanguage}
          />
        </Form.Item>
        <Form.Item label={t("profile.theme")} style={{ marginBottom: 0 }}>
          <Segmented
            aria-label={t("profile.theme")}
            value={useThemeName()}
            options={THEMES.map((value) => ({ value, label: t(`profile.themes.${value}`) }))}
            onChange={chooseTheme}
          />
        </Form.Item>
      </Form>
    </Panel>
  );
}

/** The zone and the hours of all times of the pages, with what the clock shows now. */
function ClockPanel() {
  const { t } = useTranslation("account");
  const language = useLanguage();
  const now = useNow();
  const { timeZone = "", hourCycle } = useClock();
  const save = useSaveClock();
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zones = [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
  return (
    <Panel title={t("profile.clock")}>
      <p className="second">{t("profile.clockAbout")}</p>
      <Form layout="vertical" component="div">
        <Form.Item label={t("profile.zone")}>
          <Select
            aria-label={t("profile.zone")}
            style={{ maxWidth: 360 }}
            showSearch
            value={timeZone}
            options={[
              { value: "", label: t("profile.zoneOfBrowser", { zone: here }) },
              ...zones.map((value) => ({ value, label: value.replaceAll("_", " ") })),
            ]}
            onChange={(zone: string) => save.mutate({ time_zone: zone, hours: hourCycle })}
          />
        </Form.Item>
        <Form.Item label={t("profile.hours")}>
          <Segmented
            aria-label={t("profile.hours")}
            value={hourCycle}
            options={HOURS.map((value) => ({ value, label: t(`profile.hourCycle.${value}`) }))}
            onChange={(hours: Hours) => save.mutate({ time_zone: timeZone, hours })}
          />
        </Form.Item>
      </Form>
      {save.isError && <ProblemAlert error={save.error} />}
      <p className="num" data-testid="clock">
        {t("profile.now", { time: formatMoment(now, language) })}
      </p>
    </Panel>
  );
}
