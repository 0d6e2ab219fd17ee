import { Checkbox, Form, Input, Switch } from "antd";
import { useLanguage, useTranslation } from "@/shared/i18n/language";
import { useConfig } from "@/shared/session/me";
import { Lockable } from "@/shared/submission/components/fields";
import { FormFold } from "@/shared/submission/components/form-fold";
import submission from "@/shared/submission/components/submission.module.css";
import {
  type NotebookFormValues,
  type ScheduleForm,
  scheduleDigest,
  weekdays,
} from "../model/notebook";

/** Whether a new notebook has a schedule, and which. */
export function ScheduleFold() {
  const { t } = useTranslation("notebooks");
  const language = useLanguage();
  const isScheduled = Form.useWatch<boolean | undefined>("is_scheduled");
  const schedule = Form.useWatch<ScheduleForm | undefined>("schedule");
  const digest = isScheduled && schedule ? scheduleDigest(schedule, language) : t("schedule.off");
  return (
    <FormFold title={t("schedule.title")} digest={digest}>
      <Lockable settings={["schedule"]}>
        <Form.Item
          name="is_scheduled"
          label={t("schedule.title")}
          extra={t("schedule.choiceAbout")}
          valuePropName="checked"
        >
          <Switch />
        </Form.Item>
        {isScheduled && <ScheduleFields within="schedule" />}
      </Lockable>
    </FormFold>
  );
}

/** Days and times; `within` is the part of the form that holds them. */
export function ScheduleFields({ within }: { within?: keyof NotebookFormValues }) {
  const { t } = useTranslation("notebooks");
  const language = useLanguage();
  const zone = useConfig()?.time_zone ?? "";
  const at = (name: string) => (within ? [within, name] : [name]);
  const form = Form.useFormInstance();
  return (
    <>
      <Form.Item
        name={at("days")}
        label={t("schedule.days")}
        rules={[{ required: true, message: t("schedule.daysMissing") }]}
      >
        <Checkbox.Group options={weekdays(language).map((label, value) => ({ value, label }))} />
      </Form.Item>
      <div className={submission.row}>
        <Form.Item name={at("start")} label={t("schedule.start")}>
          <Input type="time" />
        </Form.Item>
        <Form.Item
          name={at("stop")}
          label={t("schedule.stop")}
          dependencies={[at("start")]}
          rules={[
            {
              validator: (_rule, stop: string) => {
                const start: string = form.getFieldValue(at("start"));
                if (!start && !stop) return Promise.reject(new Error(t("schedule.noTime")));
                if (start === stop) return Promise.reject(new Error(t("schedule.sameTime")));
                return Promise.resolve();
              },
            },
          ]}
        >
          <Input type="time" />
        </Form.Item>
      </div>
      <p className="second">{t("schedule.about", { zone })}</p>
    </>
  );
}
