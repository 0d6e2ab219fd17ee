import { Switch } from "antd";
import { useTranslation } from "react-i18next";
import type { NoticeChoice } from "@/shared/api/types";
import { chooseBrowserNotices, useBrowserNotices } from "@/shared/live/browser-notices";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert, QueryBoundary } from "@/shared/ui/query-states";
import { useChooseMails, useNoticeChoice } from "../api/preferences";

/** What comes where: the inbox has all of it, mail what is chosen, and this browser what is new. */
export function NoticePanel() {
  const { t } = useTranslation("account");
  return (
    <Panel title={t("notices.title")}>
      <p className="second">{t("notices.about")}</p>
      <BrowserSwitch />
      <QueryBoundary query={useNoticeChoice()} rows={5}>
        {(choice) => <MailTable choice={choice} />}
      </QueryBoundary>
    </Panel>
  );
}

function BrowserSwitch() {
  const { t } = useTranslation("account");
  const state = useBrowserNotices();
  return (
    <p>
      <Switch
        size="small"
        aria-label={t("notices.browser")}
        checked={state === "on"}
        disabled={state === "blocked" || state === "missing"}
        onChange={(isOn) => void chooseBrowserNotices(isOn)}
      />{" "}
      {t("notices.browser")}
      <span className="second note">
        {t(
          state === "blocked" || state === "missing" ? `notices.${state}` : "notices.browserAbout",
        )}
      </span>
    </p>
  );
}

type Kind = NoticeChoice["kinds"][number];

function MailTable({ choice: { email, sends_mail, kinds } }: { choice: NoticeChoice }) {
  const { t } = useTranslation("account");
  const choose = useChooseMails();
  const isReached = sends_mail && email !== "";
  const about = sends_mail ? "notices.noAddress" : "notices.noMail";
  const turn = (turned: Kind, isOn: boolean) => {
    const others = kinds.filter(({ kind, by_mail }) => !by_mail && kind !== turned.kind);
    choose.mutate({ mails_off: [...others, ...(isOn ? [] : [turned])].map(({ kind }) => kind) });
  };
  const columns: Column<Kind>[] = [
    { key: "kind", title: t("notices.kind"), cell: ({ kind }) => t(`notices.kinds.${kind}`) },
    { key: "inbox", title: t("notices.inbox"), cell: () => t("notices.always") },
    {
      key: "mail",
      title: t("notices.mail"),
      cell: (row) => (
        <Switch
          size="small"
          aria-label={t("notices.mailOf", { kind: t(`notices.kinds.${row.kind}`) })}
          checked={row.by_mail && isReached}
          disabled={!isReached || choose.isPending}
          onChange={(isOn) => turn(row, isOn)}
        />
      ),
    },
  ];
  return (
    <>
      <p className="second">{isReached ? t("notices.mailTo", { email }) : t(about)}</p>
      <DataTable
        label={t("notices.title")}
        rows={kinds}
        columns={columns}
        rowKey={({ kind }) => kind}
      />
      {choose.error && <ProblemAlert error={choose.error} />}
    </>
  );
}
