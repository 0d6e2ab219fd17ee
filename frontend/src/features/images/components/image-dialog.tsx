import { Button, Checkbox, Form, type FormInstance, Input, InputNumber } from "antd";
import type { ReactNode } from "react";
import type { Image, ImageInput, ImageRetention, ImageRetentionInput } from "@/shared/api/types";
import { useTranslation } from "@/shared/i18n/language";
import { EntityDialog, EntityName, EntityTitle } from "@/shared/ui/entity-dialog";
import { ProblemAlert } from "@/shared/ui/query-states";
import { useSaveImage } from "../api/images";
import { useRetentionPreview, useSetRetention } from "../api/saved-images";
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

/** Of an owner without a rule of its own. */
const NEWEST = 5;

interface RetentionForm {
  newest: number;
  used_days: number | null;
}

interface RetentionDialogProps {
  rule: ImageRetention;
  /** None is the platform. */
  groupId: string | undefined;
  owner: string;
  /** What a rule lets go. */
  leaving: (found: ImageRetention) => ReactNode;
  onClose: () => void;
}

/** How long unused saved images are kept, and what would go. */
export function RetentionDialog(props: RetentionDialogProps) {
  const { rule, groupId, owner, leaving, onClose } = props;
  const { t } = useTranslation("images");
  const { changed_at, newest, used_days } = rule;
  return (
    <EntityDialog<RetentionForm, ImageRetentionInput>
      title={t("retention.changeTitle", { owner })}
      action={t("retention.save")}
      initial={{ newest: changed_at ? newest : NEWEST, used_days }}
      save={useSetRetention(groupId)}
      bodyOf={retentionInput}
      onClose={onClose}
    >
      {(form) => (
        <>
          <Form.Item
            name="newest"
            label={t("retention.newest")}
            rules={[{ required: true, message: t("retention.newestMissing") }]}
          >
            <InputNumber min={0} max={100} precision={0} />
          </Form.Item>
          <Form.Item
            name="used_days"
            label={t("retention.usedDays")}
            extra={t("retention.usedDaysAbout")}
          >
            <InputNumber min={1} max={3650} precision={0} />
          </Form.Item>
          <RetentionPreview form={form} groupId={groupId} leaving={leaving} />
        </>
      )}
    </EntityDialog>
  );
}

/** What would go under the rule as it is filled in; nothing is changed by looking. */
function RetentionPreview({
  form,
  groupId,
  leaving,
}: Pick<RetentionDialogProps, "groupId" | "leaving"> & { form: FormInstance<RetentionForm> }) {
  const { t } = useTranslation("images");
  const preview = useRetentionPreview(groupId);
  const look = () => preview.mutate(retentionInput(form.getFieldsValue()));
  return (
    <div className="stack">
      <Button
        size="small"
        style={{ justifySelf: "start" }}
        loading={preview.isPending}
        onClick={look}
      >
        {t("retention.preview")}
      </Button>
      {preview.data && leaving(preview.data)}
      {preview.error && <ProblemAlert error={preview.error} />}
    </div>
  );
}

function retentionInput({ newest, used_days }: RetentionForm): ImageRetentionInput {
  return { newest, used_days: used_days ?? null };
}
