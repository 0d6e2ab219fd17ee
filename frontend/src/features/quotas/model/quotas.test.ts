import { describe, expect, it } from "vitest";
import type { Group } from "@/shared/api/types";
import { aQuota } from "@/testing/factories";
import { groupLimitForm, groupLimitInput } from "./limits";
import { ALL_POOLS, limitsForm, minimumOf, newQuota, quotaChanges, quotaRows } from "./quotas";

const group = (id: string, parent: string | null, title = id): Group => ({
  id,
  parent,
  name: id,
  title_en: title,
  title_zh: title,
  role: null,
});

const ofGroup = (id: string, resource: string) => {
  const quota = aQuota({ id: `${id} ${resource}`, resource });
  return { ...quota, group: { ...quota.group, id } };
};

describe("the tree of groups", () => {
  it("goes depth first and names every group once", () => {
    const groups = [group("b", "org"), group("org", null), group("a", "org")];
    const rows = quotaRows(groups, [ofGroup("a", "cpu"), ofGroup("a", "gpu")], "en");
    expect(rows.map((row) => [row.group.id, row.depth, row.quota?.resource, row.isFirst])).toEqual([
      ["org", 0, undefined, true],
      ["a", 1, "gpu", true],
      ["a", 1, "cpu", false],
      ["b", 1, undefined, true],
    ]);
  });

  it("shows a group whose parent is hidden at the top", () => {
    expect(quotaRows([group("a", "org")], [], "en")[0]?.depth).toBe(0);
  });
});

describe("limits", () => {
  const quota = aQuota({ guarantee: 2000, deserved: 6000, ceiling: null });

  it("are typed in GPUs and sent in thousandths, only what is new", () => {
    const form = limitsForm(quota);
    expect(form).toMatchObject({ guarantee: 2, deserved: 6, ceiling: null, weight: "medium" });
    expect(quotaChanges(form, quota)).toEqual({});
    expect(quotaChanges({ ...form, deserved: 6.125, ceiling: 8, weight: "low" }, quota)).toEqual({
      deserved: 6125,
      ceiling: 8000,
      weight: "low",
    });
  });

  it("of memory are typed in GiB", () => {
    expect(limitsForm(aQuota({ resource: "memory", ceiling: 4096 })).ceiling).toBe(4);
  });

  it("rise from guarantee over deserved to ceiling", () => {
    const form = limitsForm(quota);
    expect(minimumOf("deserved", form)).toBe(2);
    expect(minimumOf("ceiling", form)).toBe(6);
    expect(minimumOf("user_ceiling", form)).toBe(0);
  });
});

describe("a new quota", () => {
  it("is sent in the server's units", () => {
    const limits = { guarantee: 0, deserved: 2, ceiling: null, user_ceiling: 1.5 };
    const form = { ...limits, weight: "medium", group: "g", pool: "", resource: "gpu" } as const;
    expect(newQuota(form)).toEqual({
      group: "g",
      pool: null,
      resource: "gpu",
      guarantee: 0,
      deserved: 2000,
      ceiling: null,
      user_ceiling: 1500,
      weight: "medium",
    });
  });
});

describe("limits of each member", () => {
  it("are typed in hours, and empty is unlimited", () => {
    const limits = {
      pending_per_user_max: 100,
      running_per_user_max: null,
      environments_per_user_max: 5,
      time_limit_s_max: 5400,
      extension_s_max: 7200,
      developer_priority_max: "normal",
      group_admin_priority_max: "high",
    } as const;
    const form = groupLimitForm({
      group: aQuota().group,
      my_priority_max: "high",
      volumes_mib: 0,
      volumes_mib_max: null,
      ...limits,
    });
    expect([form.hours, form.extension_hours]).toEqual([1.5, 2]);
    expect(groupLimitInput(form)).toEqual(limits);
    expect(groupLimitInput({ ...form, hours: null }).time_limit_s_max).toBeNull();
  });
});

it("makes a quota of one model a ceiling that promises nothing", () => {
  const form = {
    group: "group-1",
    pool: ALL_POOLS,
    resource: "gpu" as const,
    guarantee: 2,
    deserved: 3,
    ceiling: 4,
    user_ceiling: null,
    weight: "medium" as const,
  };
  const place = { group: "group-1", pool: null, resource: "gpu" };
  expect(newQuota({ ...form, model: "NVIDIA H100 SXM 80GB" })).toEqual({
    ...place,
    model: "NVIDIA H100 SXM 80GB",
    ceiling: 4000,
    user_ceiling: null,
  });
  expect(newQuota({ ...form, model: "" })).toMatchObject({ ...place, deserved: 3000 });
  expect(newQuota({ ...form, resource: "cpu", model: "left from before" })).not.toHaveProperty(
    "model",
  );
});
