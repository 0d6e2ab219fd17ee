import { Form, Input, InputNumber, Radio, Select } from "antd";
import { COMMENT_MAX } from "@/shared/approvals/api/approvals";
import { useGroupMembers, useGroups, usePools } from "@/shared/cluster/api/cluster";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { isOperator } from "@/shared/session/roles";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useReserve } from "../api/reservations";
import { newReservation, type ReservationForm } from "../model/reservations";

const COUNT_MAX = 1024;
const WEEKS_MAX = 52;
const PAIR = {
  display: "grid",
  gridTemplateColumns: "repeat(2, minmax(0, 1fr))",
  gap: 16,
} as const;

/** Reserves GPUs or slices for a group; a refusal names the promises that are in the way. */
export function ReservationDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("reservations");
  const isStaff = isOperator(useMe());
  return (
    <EntityDialog<ReservationForm, ReservationForm>
      action={t("save")}
      title={t("add")}
      initial={newReservation(new Date())}
      save={useReserve()}
      bodyOf={(form) => form}
      onClose={onClose}
    >
      {!isStaff && <HowField />}
      <Form.Item
        name="name"
        label={t("column.name")}
        rules={[{ required: true, whitespace: true, max: 63, message: t("nameMissing") }]}
      >
        <Input autoComplete="off" maxLength={63} placeholder={t("nameExample")} />
      </Form.Item>
      <Who />
      <HowMuch />
      <WhenFields />
    </EntityDialog>
  );
}

/** Admins of a group reserve within its limits, and request what is beyond them. */
function HowField() {
  const { t } = useTranslation("reservations");
  const isRequest = Form.useWatch<ReservationForm["how"]>("how") === "request";
  return (
    <>
      <Form.Item name="how" label={t("how")} extra={t(isRequest ? "requestAbout" : "ownAbout")}>
        <Radio.Group
          optionType="button"
          options={(["own", "request"] as const).map((value) => ({ value, label: t(value) }))}
        />
      </Form.Item>
      {isRequest && (
        <Form.Item name="comment" label={t("comment")}>
          <Input.TextArea rows={2} maxLength={COMMENT_MAX} />
        </Form.Item>
      )}
    </>
  );
}

function Who() {
  const language = useLanguage();
  const { t } = useTranslation("reservations");
  const me = useMe();
  const groups = useGroups().data?.filter(({ role }) => isOperator(me) || role === "group_admin");
  const members = useGroupMembers(Form.useWatch<string | undefined>("group"));
  return (
    <>
      <Form.Item
        name="group"
        label={t("column.group")}
        extra={t("groupAbout")}
        rules={[{ required: true, message: t("groupMissing") }]}
      >
        <Select
          showSearch={{ optionFilterProp: "label" }}
          placeholder={t("groupHint")}
          options={titleOptions(groups, language)}
        />
      </Form.Item>
      <Form.Item name="users" label={t("users")}>
        <Select
          mode="multiple"
          allowClear
          placeholder={t("usersHint")}
          showSearch={{ optionFilterProp: "label" }}
          options={
            members.data?.map(({ user }) => ({ value: user.id, label: user.display_name })) ?? []
          }
        />
      </Form.Item>
    </>
  );
}

function HowMuch() {
  const { t } = useTranslation("reservations");
  const language = useLanguage();
  const pools = usePools();
  return (
    <>
      <Form.Item
        name="pool"
        label={t("column.pool")}
        rules={[{ required: true, message: t("poolMissing") }]}
      >
        <Select
          placeholder={t("poolHint")}
          options={(pools.data ?? []).map((pool) => ({
            value: pool.id,
            label: titleOf(pool, language),
          }))}
        />
      </Form.Item>
      <div style={PAIR}>
        <Form.Item name="unit" label={t("unit")}>
          <Radio.Group
            optionType="button"
            options={(["gpus", "slices"] as const).map((value) => ({ value, label: t(value) }))}
          />
        </Form.Item>
        <Form.Item
          name="gpus"
          label={t("amount")}
          rules={[{ required: true, message: t("amountMissing") }]}
        >
          <InputNumber min={1} max={COUNT_MAX} precision={0} style={{ width: "100%" }} />
        </Form.Item>
      </div>
    </>
  );
}

function WhenFields() {
  const { t } = useTranslation("reservations");
  const moment = [{ required: true, message: t("momentMissing") }];
  return (
    <div style={PAIR}>
      <Form.Item name="starts_at" label={t("from")} rules={moment}>
        <Input type="datetime-local" />
      </Form.Item>
      <Form.Item name="ends_at" label={t("until")} rules={moment}>
        <Input type="datetime-local" />
      </Form.Item>
      <Form.Item name="weeks" label={t("weeks")} extra={t("weeksAbout")}>
        <InputNumber min={0} max={WEEKS_MAX} precision={0} style={{ width: "100%" }} />
      </Form.Item>
      <Form.Item name="release_min" label={t("release")}>
        <InputNumber
          min={1}
          max={1440}
          precision={0}
          placeholder={t("releaseNever")}
          style={{ width: "100%" }}
        />
      </Form.Item>
    </div>
  );
}
