import { Checkbox, Form, Input } from "antd";
import type { Image, ImageInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { useSaveImage } from "../api/images";
import { IMAGE_NAME, IMAGE_REFERENCE, type ImageForm, imageForm, imageInput } from "../model/image";

const DESCRIPTION_MAX = 500;
const REFERENCE_MAX = 300;

interface ImageDialogProps {
  /** The one to change; none adds another. */
  image: Image | undefined;
  onClose: () => void;
}

/** Name and reference of an image, and the work that may choose it. */
export function ImageDialog({ image, onClose }: ImageDialogProps) {
  const { t } = useTranslation("images");
  return (
    <EntityDialog<ImageForm, ImageInput>
      title={image ? t("editTitle", { name: image.name }) : t("add")}
      action={t("saveImage")}
      initial={image ? imageForm(image) : { for_environments: false, for_training: true }}
      save={useSaveImage(image?.id)}
      version={image?.version}
      bodyOf={imageInput}
      onClose={onClose}
    >
      <EntityName
        label={t("name")}
        about={t("nameAbout")}
        pattern={IMAGE_NAME}
        message={t("nameWrong")}
        isFixed={image !== undefined}
      />
      <EntityTitle name="title_en" label={t("titleEn")} message={t("titleWrong")} />
      <EntityTitle name="title_zh" label={t("titleZh")} message={t("titleWrong")} />
      <DescriptionField name="description_en" label={t("descriptionEn")} />
      <DescriptionField name="description_zh" label={t("descriptionZh")} />
      <Form.Item
        name="reference"
        label={t("column.reference")}
        extra={t("referenceAbout")}
        rules={[{ required: true, pattern: IMAGE_REFERENCE, message: t("referenceWrong") }]}
      >
        <Input.TextArea
          className="mono"
          rows={2}
          autoComplete="off"
          spellCheck={false}
          maxLength={REFERENCE_MAX}
        />
      </Form.Item>
      <Form.Item label={t("use")} extra={t("useAbout")}>
        <Form.Item name="for_environments" valuePropName="checked" noStyle>
          <Checkbox>{t("column.notebooks")}</Checkbox>
        </Form.Item>
        <Form.Item name="for_training" valuePropName="checked" noStyle>
          <Checkbox>{t("column.jobs")}</Checkbox>
        </Form.Item>
      </Form.Item>
    </EntityDialog>
  );
}

function DescriptionField({ name, label }: { name: string; label: string }) {
  return (
    <Form.Item name={name} label={label}>
      <Input.TextArea maxLength={DESCRIPTION_MAX} rows={2} />
    </Form.Item>
  );
}
