import { useNavigate } from "@tanstack/react-router";
import { Flex, Form, Input, InputNumber, Radio, Select } from "antd";
import type { ImageBuildInput } from "@/shared/api/types";
import { useImages, usePools } from "@/shared/cluster/api/cluster";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, titleOptions, useLanguage, useTranslation } from "@/shared/i18n/language";
import { submittableGroups, useMe } from "@/shared/session/me";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useBuildImage } from "../api/saved-images";
import {
  BUILD_TEXT_MAX,
  buildInput,
  type ImageBuildForm,
  newBuild,
  WAYS,
} from "../model/image-build";
import { SavedImageFields } from "./saved-image-fields";

interface BuildDialogProps {
  sizeMibMax: number;
  onClose: () => void;
}

/** The job that a build becomes is shown next: its log is the log of the build. */
export function BuildDialog({ sizeMibMax, onClose }: BuildDialogProps) {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const navigate = useNavigate();
  const groups = submittableGroups(useMe());
  const build = useBuildImage(({ id }) => {
    void navigate({ to: "/jobs/$id", params: { id }, search: { tab: "log" } });
  });
  return (
    <EntityDialog<ImageBuildForm, ImageBuildInput>
      title={t("build.title")}
      action={t("build.action")}
      initial={newBuild(groups.length === 1 ? groups[0]?.name : undefined)}
      save={build}
      bodyOf={buildInput}
      onClose={onClose}
    >
      <p className="quiet">{t("save.limits", { size: formatMemory(sizeMibMax, language) })}</p>
      <Form.Item name="way" label={t("build.from")}>
        <Radio.Group options={WAYS.map((value) => ({ value, label: t(`build.way.${value}`) }))} />
      </Form.Item>
      <Form.Item<ImageBuildForm> noStyle dependencies={["way"]}>
        {({ getFieldValue }) =>
          getFieldValue("way") === "dockerfile" ? <DockerfileField /> : <RequirementsFields />
        }
      </Form.Item>
      <Form.Item
        name="group"
        label={t("build.group")}
        rules={[{ required: true, message: t("build.groupMissing") }]}
      >
        <Select
          options={groups.map((group) => ({
            value: group.name,
            label: titleOf(group, language),
          }))}
        />
      </Form.Item>
      <Form.Item<ImageBuildForm> noStyle dependencies={["group"]}>
        {({ getFieldValue }) => {
          const chosen = groups.find(({ name }) => name === getFieldValue("group"));
          return <SavedImageFields group={chosen ? titleOf(chosen, language) : t("build.group")} />;
        }}
      </Form.Item>
      <ResourceFields />
    </EntityDialog>
  );
}

function RequirementsFields() {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const images = useImages(({ for_training, is_active }) => for_training && is_active);
  const options = (images.data ?? []).map((image) => ({
    value: image.name,
    label: titleOf(image, language),
  }));
  return (
    <>
      <Form.Item
        name="image"
        label={t("build.base")}
        rules={[{ required: true, message: t("build.baseMissing") }]}
      >
        <Select showSearch optionFilterProp="label" options={options} />
      </Form.Item>
      <Form.Item name="requirements" label={t("build.requirements")}>
        <LongText placeholder={"numpy==2.1\npandas"} />
      </Form.Item>
      <Form.Item name="packages" label={t("build.packages")} extra={t("build.packagesAbout")}>
        <Input autoComplete="off" spellCheck={false} />
      </Form.Item>
    </>
  );
}

function DockerfileField() {
  const { t } = useTranslation("images");
  return (
    <Form.Item
      name="dockerfile"
      label={t("build.dockerfile")}
      extra={t("build.dockerfileAbout")}
      rules={[{ required: true, whitespace: true, message: t("build.dockerfileMissing") }]}
    >
      <LongText placeholder={"FROM python\nRUN pip install numpy"} />
    </Form.Item>
  );
}

/** `value` and `onChange` come from the field that it stands in. */
function LongText(props: { placeholder: string; id?: string; value?: string }) {
  return (
    <Input.TextArea
      {...props}
      className="mono"
      rows={6}
      maxLength={BUILD_TEXT_MAX}
      autoComplete="off"
      spellCheck={false}
    />
  );
}

function ResourceFields() {
  const { t } = useTranslation("images");
  const language = useLanguage();
  const pools = usePools();
  return (
    <Flex gap={12} wrap>
      <Form.Item name="cpu" label={t("build.cpu")} rules={[{ required: true }]}>
        <InputNumber min={0.1} max={1000} />
      </Form.Item>
      <Form.Item name="memory_gib" label={t("build.memory")} rules={[{ required: true }]}>
        <InputNumber min={0.25} max={16384} />
      </Form.Item>
      <Form.Item name="pool" label={t("build.pool")} style={{ flex: 1, minWidth: 160 }}>
        <Select
          allowClear
          placeholder={t("build.poolDefault")}
          options={titleOptions(pools.data, language)}
        />
      </Form.Item>
    </Flex>
  );
}
