import { Form, Input, Radio } from "antd";
import type {
  ImageSaveInput,
  SavedImage,
  SavedImageChange,
  WorkloadDetail,
} from "@/shared/api/types";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage, useTranslation } from "@/shared/i18n/language";
import { useMe } from "@/shared/session/me";
import { EntityDialog, EntityName } from "@/shared/ui/entity-dialog";
import { useChangeSavedImage, useSaveNotebook } from "../api/saved-images";
import {
  newImageForm,
  SAVED_IMAGE_NAME,
  SAVED_IMAGE_NAME_MAX,
  type SavedImageForm,
  savedImageForm,
  savedImageInput,
} from "../model/image";

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

interface ImageSaveDialogProps {
  notebook: WorkloadDetail;
  sizeMibMax: number;
  onClose: () => void;
}

/** As what a running notebook is saved, and what of it will be in the image. */
export function ImageSaveDialog({ notebook, sizeMibMax, onClose }: ImageSaveDialogProps) {
  const language = useLanguage();
  const { t } = useTranslation("images");
  const size = formatMemory(sizeMibMax, useLanguage());
  return (
    <EntityDialog<SavedImageForm, ImageSaveInput>
      title={t("save.title")}
      action={t("save.action")}
      initial={newImageForm(notebook.name)}
      save={useSaveNotebook(notebook.id)}
      bodyOf={savedImageInput}
      onClose={onClose}
    >
      <p>{t("save.keeps")}</p>
      <p>{t("save.keepsNot")}</p>
      <p className="quiet">{t("save.limits", { size })}</p>
      <SavedImageFields group={titleOf(notebook.group, language)} />
    </EntityDialog>
  );
}

/** What a saved image is called, and who may use it. */
export function SavedImageDialog({ image, onClose }: { image: SavedImage; onClose: () => void }) {
  const language = useLanguage();
  const { t } = useTranslation("images");
  const { owner, group, is_shared } = image;
  const isMine = owner.id === useMe().id;
  return (
    <EntityDialog<SavedImageForm, SavedImageChange>
      title={t("editTitle", { name: image.name })}
      action={t("save.save")}
      initial={savedImageForm(image)}
      save={useChangeSavedImage(image.id)}
      bodyOf={savedImageInput}
      onClose={onClose}
    >
      <SavedImageFields
        group={titleOf(group, language)}
        owner={isMine ? undefined : owner.display_name || owner.username}
        canShare={isMine || is_shared}
      />
    </EntityDialog>
  );
}
