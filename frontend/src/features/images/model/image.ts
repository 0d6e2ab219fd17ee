/** Images as their forms hold them, what a list is narrowed to, and how far a save is. Pure. */
import type {
  Image,
  ImageChange,
  ImageInput,
  ImageNodes,
  ImageSave,
  ImageSaveInput,
  SavedImage,
  SeverityCounts,
} from "@/shared/api/types";

/** Names that the server takes: work asks for an image by them. */
export const IMAGE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;
/** What an engine could pull, as the server takes it. */
export const IMAGE_REFERENCE = /^[A-Za-z0-9][A-Za-z0-9._:/@-]{0,299}$/;

/** What the address remembers of the platform's images. */
export interface ImageFilters {
  /** Part of a name, of a title, of a description or of a reference. */
  find: string;
  use: ImageUse | undefined;
  /** Withdrawn images are shown to administrators only. */
  state: ImageState | undefined;
}

export const IMAGE_USES = ["notebooks", "jobs"] as const;
type ImageUse = (typeof IMAGE_USES)[number];
export const IMAGE_STATES = ["offered", "withdrawn"] as const;
type ImageState = (typeof IMAGE_STATES)[number];
export const FIND_MAX = 100;

export function readImageFilters({ find, use, state }: Record<string, unknown>): ImageFilters {
  return {
    find: typeof find === "string" ? find.slice(0, FIND_MAX) : "",
    use: IMAGE_USES.find((each) => each === use),
    state: IMAGE_STATES.find((each) => each === state),
  };
}

export function chosenImages(images: readonly Image[], filters: ImageFilters): Image[] {
  const part = filters.find.toLowerCase();
  return images.filter(
    (image) =>
      textsOf(image).some((text) => text.toLowerCase().includes(part)) &&
      (filters.use !== "notebooks" || image.for_environments) &&
      (filters.use !== "jobs" || image.for_training) &&
      (!filters.state || image.is_active === (filters.state === "offered")),
  );
}

function textsOf(image: Image): string[] {
  const { name, title_en, title_zh, description_en, description_zh, reference } = image;
  return [name, title_en, title_zh, description_en, description_zh, reference ?? ""];
}

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

export function imageForm(image: Image): ImageForm {
  const { id: _id, is_active: _isActive, version: _version, ...form } = image;
  return { ...form, reference: image.reference ?? "" };
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

/** Whether a node is to pull an image, or does. */
export function isPulling({ pull }: ImageNodes["nodes"][number]): boolean {
  return pull?.state === "ordered" || pull?.state === "pulling";
}

/** From the worst to what nobody has judged. */
export const SEVERITIES = ["critical", "high", "medium", "low", "unknown"] as const;

/** The severities that were found, the worst first. */
export function foundSeverities(counts: SeverityCounts) {
  return SEVERITIES.filter((severity) => counts[severity] > 0);
}
