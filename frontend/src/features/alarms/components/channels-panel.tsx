import { Button, Flex, Switch } from "antd";
import { useState } from "react";
import type { AlarmChannel } from "@/shared/api/types";
import { ChannelHealth, SigningSecret } from "@/shared/channels/components/channel-fields";
import { useTranslation } from "@/shared/i18n/language";
import { type ListColumn, ListOfQuery } from "@/shared/lists/components/list-table";
import { RemoveButton } from "@/shared/ui/confirm-button";
import { later } from "@/shared/ui/opening";
import { EmptyState, useProblemMessage } from "@/shared/ui/query-states";
import {
  useAlarmChannels,
  useChangeChannel,
  useRemoveChannel,
  useTestChannel,
} from "../api/alarms";

const LaterChannelDialog = later(async () => (await import("./channel-dialog")).ChannelDialog);

/** The places outside of the portal to which alarms are sent. */
export function ChannelsPanel() {
  const { t } = useTranslation(["alarms", "channels"]);
  const [isAdding, setAdding] = useState(false);
  const [signingSecret, setSigningSecret] = useState("");
  const columns: ListColumn<AlarmChannel>[] = [
    {
      key: "enabled",
      title: t("column.enabled"),
      isShort: true,
      value: ({ enabled }) => enabled,
      cell: (channel) => <ChannelSwitch channel={channel} />,
    },
    {
      key: "name",
      title: t("name"),
      value: ({ name }) => name,
      cell: ({ name, kind, host }) => (
        <>
          {name}
          <div className="second">
            {t(`channels:kinds.${kind}`)} · {host}
          </div>
        </>
      ),
    },
    {
      key: "state",
      title: t("column.delivery"),
      cell: (channel) => <ChannelHealth channel={channel} />,
    },
    {
      key: "action",
      title: t("column.action"),
      cell: (channel) => <ChannelActions channel={channel} />,
    },
  ];
  return (
    <div className="stack">
      <div>
        <Button type="primary" onClick={() => setAdding(true)}>
          {t("addChannel")}
        </Button>
      </div>
      <ListOfQuery
        id="channels"
        label={t("tab.channels")}
        query={useAlarmChannels()}
        columns={columns}
        rowKey={({ id }) => id}
        empty={<EmptyState title={t("empty.channels.title")} text={t("empty.channels.text")} />}
      />
      {isAdding && (
        <LaterChannelDialog onIssued={setSigningSecret} onClose={() => setAdding(false)} />
      )}
      <SigningSecret secret={signingSecret} onClose={() => setSigningSecret("")} />
    </div>
  );
}

function ChannelSwitch({ channel }: { channel: AlarmChannel }) {
  const { t } = useTranslation("alarms");
  const showProblem = useProblemMessage();
  const change = useChangeChannel();
  return (
    <Switch
      size="small"
      aria-label={t("enabledOf", { name: channel.name })}
      checked={channel.enabled}
      loading={change.isPending}
      onChange={(enabled) => change.mutate({ id: channel.id, enabled }, { onError: showProblem })}
    />
  );
}

function ChannelActions({ channel: { id, name, enabled } }: { channel: AlarmChannel }) {
  const { t } = useTranslation("alarms");
  const showProblem = useProblemMessage();
  const test = useTestChannel();
  return (
    <Flex gap={8} wrap>
      <Button
        size="small"
        aria-label={t("testOf", { name })}
        disabled={!enabled}
        loading={test.isPending}
        onClick={() => test.mutate(id, { onError: showProblem })}
      >
        {t("test")}
      </Button>
      <RemoveButton
        label={t("removeOf", { name })}
        question={t("removeChannelQuestion")}
        mutation={useRemoveChannel()}
        id={id}
      />
    </Flex>
  );
}
