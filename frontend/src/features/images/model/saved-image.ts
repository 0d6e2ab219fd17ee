/** A saved image as its forms hold it, and how far a save is. Pure. */
import type { ImageSave, ImageSaveInput, SavedImage } from "@/shared/api/types";

/** Names that the server takes; it puts the owner's before them. */
export const SAVED_IMAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,29}$/;
export const SAVED_IMAGE_NAME_MAX = 30;
const MIB = 1024 * 1024;

export interface SavedImageForm {
  name: string;
  note?: string;
  is_shared: boolean;
}

/** What a new save begins with: a name that says what it is of. */
export function newImageForm(notebook: string): SavedImageForm {
  const plain = notebook.toLowerCase().replace(/[^a-z0-9._-]+/g, "-");
  return {
    name: plain.replace(/^[^a-z0-9]+/, "").slice(0, SAVED_IMAGE_NAME_MAX),
    note: "",
    is_shared: false,
  };
}

export function savedImageForm({ name, note, is_shared }: SavedImage): SavedImageForm {
  return { name: name.slice(name.indexOf("/") + 1), note, is_shared };
}

export function savedImageInput({ name, note, is_shared }: SavedImageForm): ImageSaveInput {
  return { name, note: note?.trim() ?? "", is_shared };
}

export function isUnderWay(save: ImageSave | null | undefined): boolean {
  return save != null && ["ordered", "committing", "pushing"].includes(save.state);
}

/** How far a push is, in percent; null while that is not known. */
export function pushedPct({ done_bytes, total_bytes }: ImageSave): number | null {
  return total_bytes > 0 ? Math.min(100, Math.floor((100 * done_bytes) / total_bytes)) : null;
}

export function mibOf(bytes: number): number {
  return Math.round(bytes / MIB);
}
