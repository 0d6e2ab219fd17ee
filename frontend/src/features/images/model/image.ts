/** An image as its form holds it. Pure. */
import type { Image, ImageChange, ImageInput } from "@/shared/api/types";

/** Names that the server takes: work asks for an image by them. */
export const IMAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** What an engine could pull, as the server takes it. */
export const IMAGE_REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,299}$/;

export interface ImageForm {
  name: string;
  title_en: string;
  title_zh: string;
  description_en?: string;
  description_zh?: string;
  reference: string;
  for_environments: boolean;
  for_training: boolean;
}

export function imageForm({ id: _id, is_active: _isActive, ...image }: Image): ImageForm {
  return { ...image, reference: image.reference ?? "" };
}

export function imageInput(form: ImageForm): ImageInput {
  return {
    ...form,
    title_en: form.title_en.trim(),
    title_zh: form.title_zh.trim(),
    description_en: form.description_en?.trim() ?? "",
    description_zh: form.description_zh?.trim() ?? "",
  };
}

/** What can be changed later: everything but the name. */
export function imageChange({ name: _stays, ...change }: ImageInput): ImageChange {
  return change;
}
