import { expect, test } from "vitest";
import type { Volume } from "@/shared/api/types";
import { inOrder, VOLUME_NAME, volumeForm, volumeInput } from "./volume";

const shared = {
  id: "1",
  kind: "group",
  name: "shared",
  description: "",
  group: { id: "g", name: "vision", title_en: "Vision", title_zh: "Vision" },
  owner: null,
  quota_mib: 1536,
  writers: "developer",
  is_writable_below: false,
  state: "active",
} as unknown as Volume;

test("a form is in GiB, a request in MiB", () => {
  expect(volumeForm(shared).quota_gib).toBe(1.5);
  expect(volumeInput(volumeForm(shared))).toEqual({
    group: "g",
    name: "shared",
    description: "",
    quota_mib: 1536,
    writers: "developer",
    is_writable_below: false,
  });
});

test("my home comes first, the trash last", () => {
  const home = { ...shared, id: "h", name: "home", group: null, owner: { id: "me" } } as Volume;
  const gone = { ...shared, id: "t", name: "a", state: "trashed" } as Volume;
  const other = { ...shared, id: "o", name: "b" } as Volume;
  expect(inOrder([gone, shared, other, home], "me").map(({ id }) => id)).toEqual([
    "h",
    "o",
    "1",
    "t",
  ]);
});

test("names are folders", () => {
  for (const name of ["a", "data-1", "v2.0_x"]) expect(VOLUME_NAME.test(name)).toBe(true);
  for (const name of ["", "A", ".a", "a/b", "a".repeat(64)])
    expect(VOLUME_NAME.test(name)).toBe(false);
});
