import { Button, Flex, Switch } from "antd";
import { useState } from "react";
import type { NoticeChannelInput, NoticeChoice, NoticeChoiceInput } from "@/shared/api/types";
import {
  type ChannelAddress,
  ChannelFields,
  ChannelHealth,
  channelBody,
  SigningSecret,
} from "@/shared/channels/components/channel-fields";
import { useTranslation } from "@/shared/i18n/language";
import { chooseBrowserNotices, useBrowserNotices } from "@/shared/live/browser-notices";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { type Column, DataTable } from "@/shared/ui/data-table";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { Panel } from "@/shared/ui/page";
import { ProblemAlert, QueryBoundary, useProblemMessage } from "@/shared/ui/query-states";
import {
  useChooseNotices,
  useNoticeChoice,
  useRemoveNoticeChannel,
  useSetNoticeChannel,
  useTestNoticeChannel,
} from "../api/preferences";

/** What comes where, by kind: the inbox, mails, one's own channel; and this browser shows what is new in the inbox. */
export function NoticePanel() {
  const { t } = useTranslation("account");
  return (
    <Panel title={t("notices.title")}>
      <p className="second">{t("notices.about")}</p>
      <BrowserSwitch />
      <QueryBoundary query={useNoticeChoice()} rows={5}>
        {(choice) => (
          <>
            {(choice.allows_channels || choice.channel) && (
              <OwnChannel channel={choice.channel} isAllowed={choice.allows_channels} />
            )}
            <WaysTable choice={choice} />
          </>
        )}
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

interface OwnChannelProps {
  channel: NoticeChoice["channel"];
  /** Where the site has forbidden channels since, one can only be removed. */
  isAllowed: boolean;
}

/** The webhook or the chat of the reader, and how it is. */
function OwnChannel({ channel, isAllowed }: OwnChannelProps) {
  const { t } = useTranslation(["account", "channels"]);
  const [isOpen, setOpen] = useState(false);
  const [signingSecret, setSigningSecret] = useState("");
  const showProblem = useProblemMessage();
  const messages = useMessages();
  const test = useTestNoticeChannel();
  const remove = useRemoveNoticeChannel();
  const send = () =>
    test.mutate(undefined, {
      onSuccess: () => messages.success(t("notices.testSent")),
      onError: showProblem,
    });
  return (
    <div className="stack">
      <Flex gap={8} wrap align="baseline">
        {channel && (
          <span>
            {t(`channels:kinds.${channel.kind}`)} · {channel.host}
          </span>
        )}
        <Button size="small" disabled={!isAllowed} onClick={() => setOpen(true)}>
          {t(channel ? "notices.changeChannel" : "notices.addChannel")}
        </Button>
        {channel && (
          <>
            <Button size="small" disabled={!isAllowed} loading={test.isPending} onClick={send}>
              {t("notices.test")}
            </Button>
            <RemoveButton
              label={t("notices.removeChannel")}
              question={t("notices.removeQuestion")}
              mutation={{
                isPending: remove.isPending,
                mutate: (_, options) => remove.mutate(undefined, options),
              }}
              id=""
            />
          </>
        )}
      </Flex>
      {channel ? (
        <div>
          <ChannelHealth channel={channel} />
        </div>
      ) : (
        <span className="second">{t("notices.channelAbout")}</span>
      )}
      {isOpen && <OwnChannelDialog onIssued={setSigningSecret} onClose={() => setOpen(false)} />}
      <SigningSecret secret={signingSecret} onClose={() => setSigningSecret("")} />
    </div>
  );
}

interface OwnChannelDialogProps {
  /** Gets the secret of a webhook, which is shown this once. */
  onIssued: (signingSecret: string) => void;
  onClose: () => void;
}

function OwnChannelDialog({ onIssued, onClose }: OwnChannelDialogProps) {
  const { t } = useTranslation("account");
  const { mutate, ...sending } = useSetNoticeChannel();
  return (
    <EntityDialog<ChannelAddress, NoticeChannelInput>
      title={t("notices.channel")}
      action={t("notices.save")}
      initial={{ kind: "webhook" }}
      save={{
        ...sending,
        mutate: (body, { onSuccess, onError }) =>
          mutate(body, {
            onError,
            onSuccess: ({ signing_secret }) => {
              onIssued(signing_secret);
              onSuccess();
            },
          }),
      }}
      bodyOf={channelBody}
      onClose={onClose}
    >
      <ChannelFields />
    </EntityDialog>
  );
}

type Kind = NoticeChoice["kinds"][number];
type Way = "in_inbox" | "by_mail" | "by_channel";

/** The kinds that do not come by a way, once one of them has been turned. */
function turnedOff(kinds: Kind[], way: Way, turned?: Kind, isOn = false) {
  const others = kinds.filter((each) => !each[way] && each.kind !== turned?.kind);
  return [...others, ...(turned && !isOn ? [turned] : [])].map(({ kind }) => kind);
}

function WaysTable({ choice }: { choice: NoticeChoice }) {
  const { email, sends_mail, channel, kinds } = choice;
  const { t } = useTranslation("account");
  const choose = useChooseNotices();
  const isReached = sends_mail && email !== "";
  const about = sends_mail ? "notices.noAddress" : "notices.noMail";
  const mails_off = turnedOff(kinds, "by_mail");
  const column = (
    way: Way,
    key: "inbox" | "mail" | "channelShort",
    label: "inboxOf" | "mailOf" | "channelOf",
    bodyOf: (off: Kind["kind"][]) => NoticeChoiceInput,
    isOpen = true,
  ): Column<Kind> => ({
    key,
    title: t(`notices.${key}`),
    cell: (row) => (
      <Switch
        size="small"
        aria-label={t(`notices.${label}`, { kind: t(`notices.kinds.${row.kind}`) })}
        checked={row[way] && isOpen}
        disabled={!isOpen || choose.isPending}
        onChange={(isOn) => choose.mutate(bodyOf(turnedOff(kinds, way, row, isOn)))}
      />
    ),
  });
  const columns: Column<Kind>[] = [
    { key: "kind", title: t("notices.kind"), cell: ({ kind }) => t(`notices.kinds.${kind}`) },
    column("in_inbox", "inbox", "inboxOf", (inbox_off) => ({ mails_off, inbox_off })),
    column("by_mail", "mail", "mailOf", (off) => ({ mails_off: off }), isReached),
  ];
  const ofChannel = column("by_channel", "channelShort", "channelOf", (channel_off) => ({
    mails_off,
    channel_off,
  }));
  return (
    <>
      <p className="second">{isReached ? t("notices.mailTo", { email }) : t(about)}</p>
      <DataTable
        label={t("notices.title")}
        rows={kinds}
        columns={channel ? [...columns, ofChannel] : columns}
        rowKey={({ kind }) => kind}
      />
      {choose.error && <ProblemAlert error={choose.error} />}
    </>
  );
}
