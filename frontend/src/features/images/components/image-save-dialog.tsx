import { useTranslation } from "react-i18next";
import type { ImageSaveInput, WorkloadDetail } from "@/shared/api/types";
import { formatMemory } from "@/shared/i18n/format";
import { titleOf, useLanguage } from "@/shared/i18n/language";
import { EntityDialog } from "@/shared/ui/entity-dialog";
import { useSaveNotebook } from "../api/saved-images";
import { newImageForm, type SavedImageForm, savedImageInput } from "../model/saved-image";
import { SavedImageFields } from "./saved-image-fields";

interface ImageSaveDialogProps {
  environment: WorkloadDetail;
  sizeMibMax: number;
  onClose: () => void;
}

/** As what a running notebook is saved, and what of it will be in the image. */
export function ImageSaveDialog({ environment, sizeMibMax, onClose }: ImageSaveDialogProps) {
  const language = useLanguage();
  const { t } = useTranslation("images");
  const size = formatMemory(sizeMibMax, useLanguage());
  return (
    <EntityDialog<SavedImageForm, ImageSaveInput>
      title={t("save.title")}
      action={t("save.action")}
      initial={newImageForm(environment.name)}
      save={useSaveNotebook(environment.id)}
      bodyOf={savedImageInput}
      onClose={onClose}
    >
      <p>{t("save.keeps")}</p>
      <p>{t("save.keepsNot")}</p>
      <p className="quiet">{t("save.limits", { size })}</p>
      <SavedImageFields group={titleOf(environment.group, language)} />
    </EntityDialog>
  );
}
