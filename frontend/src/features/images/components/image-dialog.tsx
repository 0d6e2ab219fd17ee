import { Checkbox, Form, Input } from "antd";
import { useTranslation } from "react-i18next";
import type { Image } from "@/shared/api/types";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useAddImage, useChangeImage } from "../api/images";
import {
  IMAGE_NAME,
  IMAGE_REFERENCE,
  type ImageForm,
  imageChange,
  imageForm,
  imageInput,
} from "../model/image";

const TITLE_MAX = 100;
const DESCRIPTION_MAX = 500;
const REFERENCE_MAX = 300;

interface ImageDialogProps {
  /** The one to change; none adds another. */
  image: Image | undefined;
  onClose: () => void;
}

/** Names what engines pull, and says which work may choose it. */
export function ImageDialog({ image, onClose }: ImageDialogProps) {
  return image ? <ChangeDialog image={image} onClose={onClose} /> : <NewDialog onClose={onClose} />;
}

function NewDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation("images");
  return (
    <EntityDialog<ImageForm, ReturnType<typeof imageInput>>
      title={t("add")}
      action={t("save")}
      initial={{ for_environments: false, for_training: true }}
      sender={useAddImage()}
      bodyOf={imageInput}
      onClose={onClose}
    >
      <ImageFields isNew />
    </EntityDialog>
  );
}

function ChangeDialog({ image, onClose }: { image: Image; onClose: () => void }) {
  const { t } = useTranslation("images");
  return (
    <EntityDialog<ImageForm, ReturnType<typeof imageChange>>
      title={t("editTitle", { name: image.name })}
      action={t("save")}
      initial={imageForm(image)}
      sender={useChangeImage(image.id)}
      bodyOf={imageChange}
      onClose={onClose}
    >
      <ImageFields isNew={false} />
    </EntityDialog>
  );
}

function ImageFields({ isNew }: { isNew: boolean }) {
  const { t } = useTranslation("images");
  return (
    <>
      <Form.Item
        name="name"
        label={t("name")}
        extra={t("nameAbout")}
        rules={[{ required: true, pattern: IMAGE_NAME, message: t("nameWrong") }]}
      >
        <Input autoComplete="off" spellCheck={false} disabled={!isNew} />
      </Form.Item>
      <ImageTitleField name="title_en" label={t("titleEn")} />
      <ImageTitleField name="title_zh" label={t("titleZh")} />
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
    </>
  );
}

function ImageTitleField({ name, label }: { name: string; label: string }) {
  const { t } = useTranslation("images");
  return (
    <Form.Item
      name={name}
      label={label}
      rules={[{ required: true, whitespace: true, max: TITLE_MAX, message: t("titleWrong") }]}
    >
      <Input autoComplete="off" maxLength={TITLE_MAX} />
    </Form.Item>
  );
}

function DescriptionField({ name, label }: { name: string; label: string }) {
  return (
    <Form.Item name={name} label={label}>
      <Input.TextArea maxLength={DESCRIPTION_MAX} rows={2} />
    </Form.Item>
  );
}
