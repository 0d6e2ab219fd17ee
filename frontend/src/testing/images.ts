/** Saved images as the API answers, and how long they stay. */
import type { ImageRetention, ImageSave, SavedImage } from "@/shared/api/types";
import { liWei, python } from "./factories";

export function anImageSave(fields: Partial<ImageSave> = {}): ImageSave {
  return {
    id: "save-1",
    name: "fixed",
    note: "",
    is_shared: false,
    state: "ordered",
    done_bytes: 0,
    total_bytes: 0,
    size_bytes: 0,
    code: "",
    detail: "",
    image: null,
    created_at: "2026-01-01T08:00:00Z",
    ended_at: null,
    ...fields,
  };
}

export function aSavedImage(fields: Partial<SavedImage> = {}): SavedImage {
  return {
    id: "saved-1",
    name: "li.wei/fixed",
    note: "with flash-attn",
    owner: liWei,
    is_shared: false,
    group: { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" },
    digest: `sha256:${"a".repeat(64)}`,
    size_bytes: 2 * 1024 ** 3,
    workload_id: "workload-1",
    workload_name: "lab",
    base: python,
    created_at: "2026-01-01T08:00:00Z",
    last_used_at: "2026-01-01T08:00:00Z",
    is_pinned: false,
    leaves_at: null,
    kept_by: "no_rule",
    vulnerabilities: null,
    may_manage: true,
    ...fields,
  };
}

/** No rule of retention: nothing goes. */
export function aRetention(fields: Partial<ImageRetention> = {}): ImageRetention {
  return {
    newest: 0,
    used_days: null,
    group: null,
    is_own: false,
    changed_at: null,
    changed_by: null,
    may_change: false,
    leaving: [],
    leaving_count: 0,
    leaving_bytes: 0,
    due_count: 0,
    ...fields,
  };
}
