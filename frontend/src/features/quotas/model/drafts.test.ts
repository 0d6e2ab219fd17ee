import { describe, expect, it } from "vitest";
import type { Group } from "@/shared/api/types";
import { aQuota } from "@/testing/factories";
import {
  countChanges,
  type Drafts,
  draftsOf,
  editorRows,
  editsOf,
  faultsOf,
  isOutdated,
  isOverParent,
  NO_DRAFTS,
  rebased,
  sumPromises,
  textOf,
  withFile,
  withText,
} from "./drafts";
import { parseAmount } from "./quotas";

const limits = { guarantee: 0, deserved: 2000, ceiling: 6000, user_ceiling: null };
const top = { ...aQuota().group, id: "org", name: "org", title_en: "Org", title_zh: "Org" };
const child = { id: "lab", name: "lab", title_en: "Lab", title_zh: "Lab" };
const groups = [
  { ...top, parent: null },
  { ...child, parent: "org" },
] as unknown as Group[];
const own = aQuota({ id: "1", group: top, pool: null, ...limits });
const below = aQuota({ id: "2", group: child, pool: null, ...limits, deserved: 1000 });
const rowsOf = (drafts: Drafts = NO_DRAFTS) => editorRows(groups, [own, below], drafts, "en");
const rowOf = (group: string, drafts: Drafts = NO_DRAFTS) => {
  const row = rowsOf(drafts).find((each) => each.group === group);
  if (!row) throw new Error(group);
  return row;
};

describe("cells", () => {
  it("are typed in GPUs, cores or GiB", () => {
    expect(textOf("gpu", "ceiling", { ...limits, weight: "low" })).toBe("6");
    expect(textOf("memory", "deserved", { ...limits, weight: "low" })).toBe("1.953125");
    expect(parseAmount("gpu", "deserved", " 0,5 ")).toBe(500);
    expect(parseAmount("memory", "deserved", "2")).toBe(2048);
    expect(parseAmount("gpu", "ceiling", "")).toBeNull();
    for (const text of ["", "-1", "1e3", "x", "1.2.3", "1,0000", "1,00,000", "1.000,5", ",5"]) {
      expect(parseAmount("gpu", "deserved", text)).toBeUndefined();
    }
  });

  it("are read as the pages write amounts, with commas between thousands", () => {
    const read = (text: string) => parseAmount("cpu", "deserved", text);
    expect(read("1,000")).toBe(1_000_000);
    expect(read("1,234,567.5")).toBe(1_234_567_500);
    expect([read("0,500"), read("1,5"), read("12,25")]).toEqual([500, 1500, 12_250]);
  });

  it("are drafts only while they say something else", () => {
    const typed = withText(NO_DRAFTS, rowOf("lab"), "ceiling", "8");
    expect(countChanges(typed)).toBe(1);
    expect(withText(typed, rowOf("lab"), "ceiling", "6")).toEqual({});
  });

  it("say what is wrong in them", () => {
    const typed = withText(NO_DRAFTS, rowOf("lab"), "deserved", "x");
    expect(faultsOf(rowOf("lab"), Object.values(typed)[0])).toEqual({
      deserved: { kind: "amount" },
    });
    const less = withText(NO_DRAFTS, rowOf("lab"), "ceiling", "0.5");
    expect(faultsOf(rowOf("lab"), Object.values(less)[0])).toEqual({
      ceiling: { kind: "order", least: 1000 },
    });
  });
});

describe("a change", () => {
  it("names what each quota was and what it shall be", () => {
    const drafts = withText(NO_DRAFTS, rowOf("lab"), "ceiling", "");
    const { keys, changes } = editsOf(rowsOf(drafts), drafts);
    expect(keys).toEqual(["lab||gpu|"]);
    expect(changes[0]).toMatchObject({
      group: "lab",
      before: { ceiling: 6000 },
      after: { ceiling: null, deserved: 1000 },
    });
  });

  it("is seen to be outdated, and kept on what is there now", () => {
    const drafts = withText(NO_DRAFTS, rowOf("lab"), "ceiling", "8");
    const draft = drafts["lab||gpu|"];
    const theirs = { ...rowOf("lab"), saved: { ...limits, deserved: 3000, weight: "medium" } };
    expect(isOutdated(rowOf("lab"), draft)).toBe(false);
    expect(isOutdated(theirs as never, draft)).toBe(true);
    const kept = rebased(drafts, theirs as never)["lab||gpu|"];
    expect([kept?.before?.deserved, kept?.texts]).toEqual([3000, { ceiling: "8" }]);
  });

  it("is read from a file, also for a quota that does not exist yet", () => {
    const edit = { group: "lab", pool: null, resource: "cpu", model: "", before: null };
    const drafts = draftsOf([{ ...edit, after: { ...limits, weight: "high" } }]);
    const row = editorRows(groups, [own, below], drafts, "en").find(
      ({ resource }) => resource === "cpu",
    );
    expect(row?.saved).toBeNull();
    expect(editsOf(row ? [row] : [], drafts).changes[0]).toMatchObject({
      before: null,
      after: { deserved: 2000, ceiling: 6000, weight: "high" },
    });
  });
});

it("keeps what was typed where a file changes nothing", () => {
  const typed = withText(NO_DRAFTS, rowOf("lab"), "ceiling", "8");
  const both = withText(typed, rowOf("org"), "deserved", "3");
  const saved = { ...limits, deserved: 1000, weight: "medium" } as const;
  const edit = { group: "lab", pool: null, resource: "gpu", model: "", before: saved };
  const read = (after: object | null) => draftsOf([{ ...edit, after } as never]);
  const merged = withFile(both, read({ ...saved, deserved: 2000 }));
  expect(merged["lab||gpu|"]?.texts).toEqual({ ceiling: "8", deserved: "2" });
  expect(merged["org||gpu|"]?.texts).toEqual({ deserved: "3" });
  expect(withFile(both, read(null))["lab||gpu|"]).toMatchObject({ isRemoved: true, texts: {} });
});

describe("sums", () => {
  it("follow what is typed, against the group above and what there is", () => {
    const drafts = withText(NO_DRAFTS, rowOf("lab"), "deserved", "5");
    const capacity = { pool: null, resource: "gpu", installed: 8000, usable: 4000 };
    const [sum] = sumPromises(groups, rowsOf(drafts), drafts, [capacity]);
    expect(sum?.total.deserved).toBe(5000);
    expect(sum?.below.org?.deserved).toBe(5000);
    expect(sum?.capacity?.usable).toBe(4000);
    const parent = { ...limits, weight: "medium" } as const;
    expect(isOverParent(parent, { guarantee: 0, deserved: 5000 }, "deserved")).toBe(true);
    expect(isOverParent(parent, { guarantee: 0, deserved: 2000 }, "deserved")).toBe(false);
  });
});
