import { Form, Input, Radio } from "antd";
import { useTranslation } from "@/shared/i18n/language";
import { EntityName } from "@/shared/ui/entity-dialog";
import { SAVED_IMAGE_NAME, SAVED_IMAGE_NAME_MAX } from "../model/image";

const NOTE_MAX = 500;

interface SavedImageFieldsProps {
  group: string;
  /** The name of the owner; none where the reader is that. */
  owner?: string | undefined;
  /** Only the owner gives a group what was private. */
  canShare?: boolean;
}

/** Name, note and who may use a saved image. */
export function SavedImageFields({ group, owner, canShare = true }: SavedImageFieldsProps) {
  const { t } = useTranslation("images");
  return (
    <>
      <EntityName
        label={t("name")}
        about={t("saved.nameAbout")}
        pattern={SAVED_IMAGE_NAME}
        message={t("nameWrong")}
        maxLength={SAVED_IMAGE_NAME_MAX}
      />
      <Form.Item name="note" label={t("saved.note")}>
        <Input.TextArea maxLength={NOTE_MAX} rows={2} />
      </Form.Item>
      {canShare && (
        <Form.Item name="is_shared" label={t("saved.usedBy")}>
          <Radio.Group
            aria-label={t("saved.usedBy")}
            options={[
              { value: false, label: owner ? t("saved.onlyOwner", { owner }) : t("saved.onlyMe") },
              { value: true, label: t("saved.group", { group }) },
            ]}
          />
        </Form.Item>
      )}
    </>
  );
}
