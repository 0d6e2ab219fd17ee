import { DeleteOutlined, PlusOutlined } from "@ant-design/icons";
import { Button, Form, Input, Select, Switch } from "antd";
import { use } from "react";
import type { GroupRef } from "@/shared/api/types";
import { useMountableVolumes } from "@/shared/cluster/api/volumes";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { usePlaceOf } from "@/shared/session/me";
import { useRecentJobs } from "../api/submission";
import { INPUTS_MAX, isMountName } from "../model/files";
import { RuleNote, UnfoldedContext, useIsLocked } from "./fields";
import styles from "./submission.module.css";

const VOLUMES_MAX = 16;

/** Which files the work has besides its own folder: the home, group volumes, outputs of jobs. */
export function FileFields({ group }: { group: GroupRef | undefined }) {
  const { t } = useTranslation("submission");
  const placeOf = usePlaceOf();
  return (
    <>
      <Form.Item
        name="home"
        label={t("files.home")}
        extra={
          <>
            {t("files.homeAbout", { path: placeOf("/home/berth") })}
            <RuleNote field="home" />
          </>
        }
        valuePropName="checked"
        initialValue={true}
      >
        <Switch disabled={useIsLocked("home")} />
      </Form.Item>
      <VolumesField />
      <InputFields group={group} />
    </>
  );
}

/** The volumes that it mounts; no field where there are none. */
export function VolumesField() {
  const language = useLanguage();
  const { t } = useTranslation("submission");
  const chosen: readonly string[] = Form.useWatch("volumes", { preserve: true }) ?? [];
  const volumes = useMountableVolumes(use(UnfoldedContext) || chosen.length > 0);
  if (volumes.length === 0) return null;
  return (
    <Form.Item name="volumes" label={t("files.volumes")} extra={t("files.volumesAbout")}>
      <Select
        mode="multiple"
        maxCount={VOLUMES_MAX}
        allowClear
        options={volumes.map(({ id, name, group: owner, description }) => ({
          key: id,
          value: name,
          label: t("files.volumeOf", { name, group: owner && titleOf(owner, language) }),
          title: description,
        }))}
      />
    </Form.Item>
  );
}

/** The jobs of the group whose outputs the work reads. */
function InputFields({ group }: { group: GroupRef | undefined }) {
  const { t } = useTranslation("submission");
  const placeOf = usePlaceOf();
  const isOpen = use(UnfoldedContext);
  const jobs = useRecentJobs(isOpen ? group?.id : undefined).data ?? [];
  return (
    <Form.List name="inputs">
      {(rows, { add, remove }) =>
        (jobs.length > 0 || rows.length > 0) && (
          <Form.Item
            label={t("files.inputs")}
            extra={t("files.inputsAbout", { path: placeOf("/inputs") })}
          >
            {rows.map(({ key, name: index }) => (
              <div key={key} className={styles.secret}>
                <Form.Item
                  name={[index, "job"]}
                  rules={[{ required: true, message: t("files.jobMissing") }]}
                >
                  <Select
                    aria-label={t("files.job", { number: index + 1 })}
                    showSearch={{ optionFilterProp: "label" }}
                    options={jobs.map(({ id, name }) => ({ value: id, label: name }))}
                  />
                </Form.Item>
                <Form.Item
                  name={[index, "name"]}
                  rules={[
                    {
                      validator: (_rule, name: string | undefined) =>
                        isMountName((name ?? "").trim())
                          ? Promise.resolve()
                          : Promise.reject(new Error(t("files.nameWrong"))),
                    },
                  ]}
                >
                  <Input
                    className="mono"
                    addonBefore="/inputs/"
                    aria-label={t("files.inputName", { number: index + 1 })}
                    autoComplete="off"
                    spellCheck={false}
                  />
                </Form.Item>
                <Button
                  type="text"
                  icon={<DeleteOutlined />}
                  aria-label={t("files.removeInput", { number: index + 1 })}
                  onClick={() => remove(index)}
                />
              </div>
            ))}
            {rows.length < INPUTS_MAX && (
              <Button icon={<PlusOutlined aria-hidden />} onClick={() => add({})}>
                {t("files.addInput")}
              </Button>
            )}
          </Form.Item>
        )
      }
    </Form.List>
  );
}
