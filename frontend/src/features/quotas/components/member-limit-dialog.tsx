import { Form, Input, InputNumber, Select } from "antd";
import type {
  ApprovalInput,
  GroupRef,
  MemberLimit,
  MemberLimitInput,
  Quota,
} from "@/shared/api/types";
import { COMMENT_MAX, useMakeRequest } from "@/shared/approvals/api/approvals";
import { useGroupMembers, useQuotas } from "@/shared/cluster/api/cluster";
import { PRIORITIES } from "@/shared/cluster/api/limits";
import { RESOURCES } from "@/shared/cluster/model/quotas";
import {
  titleOf,
  titleOptions,
  useCodedText,
  useLanguage,
  useTranslation,
} from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useMessages } from "@/shared/ui/messages";
import { useSetMemberLimit } from "../api/quotas";
import {
  type MemberLimitForm,
  memberLimitForm,
  memberLimitInput,
  OWN_COUNTS,
} from "../model/limits";
import { type MemberRaiseForm, memberRaise } from "../model/raises";

const FULL = { width: "100%" };
const PAIRS = {
  display: "grid",
  gridTemplateColumns: "repeat(auto-fit, minmax(min(100%, 180px), 1fr))",
  columnGap: 16,
} as const;

interface MemberLimitDialogProps {
  /** Where limits may be set. */
  groups: readonly GroupRef[];
  /** What is known already; the limits of the same member in the same group are replaced. */
  initial: Partial<MemberLimitForm>;
  onClose: () => void;
}

/** All limits of one member, within what the group has. */
export function MemberLimitDialog({ groups, initial, onClose }: MemberLimitDialogProps) {
  const language = useLanguage();
  const { t } = useTranslation(["quotas", "workload"]);
  const save = useSetMemberLimit();
  const quotas = useQuotas(null).data ?? [];
  const [only, ...others] = groups;
  return (
    <EntityDialog<MemberLimitForm, MemberLimitInput>
      action={t("save")}
      title={t("member.one")}
      initial={{ ...(only && others.length === 0 && { group: only.id }), ...initial }}
      save={save}
      bodyOf={(form) => memberLimitInput(form, quotas)}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Form.Item
            name="group"
            label={t("column.group")}
            rules={[{ required: true, message: t("groupMissing") }]}
          >
            <Select
              showSearch={{ optionFilterProp: "label" }}
              onChange={() => form.resetFields(["user", "ceilings"])}
              options={titleOptions(groups, language)}
            />
          </Form.Item>
          <MemberField />
          <p className="quiet">{t("member.oneAbout")}</p>
          <div style={PAIRS}>
            <CeilingFields />
            {OWN_COUNTS.map((count) => (
              <Form.Item key={count} name={count} label={t(`member.${count}`)}>
                <InputNumber min={0} precision={0} placeholder={t("member.asGroup")} style={FULL} />
              </Form.Item>
            ))}
            <Form.Item name="hours" label={t("member.hours")}>
              <InputNumber min={0.02} placeholder={t("member.asGroup")} style={FULL} />
            </Form.Item>
            <Form.Item name="priority_max" label={t("member.priority")}>
              <Select
                allowClear
                placeholder={t("member.asGroup")}
                options={PRIORITIES.map((value) => ({
                  value,
                  label: t(`workload:priority.${value}`),
                }))}
              />
            </Form.Item>
          </div>
        </>
      )}
    </EntityDialog>
  );
}

/** GPUs before what comes with them. */
function orderOf({ resource }: Quota): number {
  return (RESOURCES as readonly string[]).indexOf(resource);
}

/** One part of each quota of the chosen group. */
function CeilingFields() {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const group = Form.useWatch<string | undefined>("group");
  const quotas = useQuotas(null).data ?? [];
  return quotas
    .filter((quota) => quota.group.id === group)
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .map(({ id, resource, pool }) => (
      <Form.Item
        key={id}
        name={["ceilings", id]}
        label={t("member.ceiling", {
          what: coded(`cluster:quota.resource.${resource}`) ?? resource,
          where: pool ? titleOf(pool, language) : t("allPools"),
        })}
      >
        <InputNumber min={0} placeholder={t("member.asGroup")} style={FULL} />
      </Form.Item>
    ));
}

/** The members of the chosen group. */
function MemberField() {
  const { t } = useTranslation("quotas");
  const members = useGroupMembers(Form.useWatch<string | undefined>("group"));
  const options = members.data?.map(({ user }) => ({
    value: user.id,
    label: user.display_name ? `${user.display_name} (${user.username})` : user.username,
  }));
  return (
    <Form.Item
      name="user"
      label={t("member.column")}
      rules={[{ required: true, message: t("member.memberMissing") }]}
    >
      <Select
        showSearch={{ optionFilterProp: "label" }}
        loading={members.isLoading}
        options={options ?? []}
      />
    </Form.Item>
  );
}

/** A request for more of one's own limits. */
export function RaiseDialog({ limit, onClose }: { limit: MemberLimit; onClose: () => void }) {
  const { t } = useTranslation(["quotas", "cluster"]);
  const coded = useCodedText();
  const language = useLanguage();
  const messages = useMessages();
  const request = useMakeRequest();
  const done = () => {
    messages.success(t("raise.sent"));
    onClose();
  };
  return (
    <EntityDialog<MemberRaiseForm, ApprovalInput>
      action={t("raise.send")}
      title={t("raise.title")}
      initial={memberLimitForm(limit)}
      save={{
        ...request,
        mutate: (body, act) => request.mutate(body, { ...act, onSuccess: done }),
      }}
      bodyOf={(form) => memberRaise(form, limit)}
      onClose={onClose}
    >
      <p className="quiet">{t("raise.about")}</p>
      {limit.ceilings.map(({ quota, resource, pool }) => (
        <Form.Item
          key={quota}
          name={["ceilings", quota]}
          label={t("member.ceiling", {
            what: coded(`cluster:quota.resource.${resource}`) ?? resource,
            where: pool ? titleOf(pool, language) : t("allPools"),
          })}
        >
          <InputNumber min={0} style={FULL} />
        </Form.Item>
      ))}
      {OWN_COUNTS.filter((name) => limit[name] !== null).map((name) => (
        <Form.Item key={name} name={name} label={t(`member.${name}`)}>
          <InputNumber min={0} precision={0} placeholder={t("member.asGroup")} style={FULL} />
        </Form.Item>
      ))}
      {limit.time_limit_s_max !== null && (
        <Form.Item name="hours" label={t("member.hours")}>
          <InputNumber min={0.02} placeholder={t("member.asGroup")} style={FULL} />
        </Form.Item>
      )}
      <Form.Item name="comment" label={t("raise.comment")}>
        <Input.TextArea rows={3} maxLength={COMMENT_MAX} />
      </Form.Item>
    </EntityDialog>
  );
}
