import { describe, expect, it } from "vitest";
import { aQuota } from "@/testing/factories";
import { formatAmount, gpuShares, overShare } from "./quotas";

describe("quotas", () => {
  it("are written in the units of their resource", () => {
    expect(formatAmount("gpu", 5875, "en")).toBe("5⅞");
    expect(formatAmount("memory", 4096, "en")).toBe("4.0 GiB");
  });

  it("count as borrowed what is above the deserved share", () => {
    expect(overShare({ used: 8000, deserved: 6000 })).toBe(2000);
    expect(overShare({ used: 3000, deserved: 6000 })).toBe(0);
    expect(overShare({ used: 3000, deserved: 0 })).toBe(0);
  });

  it("of one pool are its own and those over all pools", () => {
    const everywhere = aQuota({ id: "1", pool: null });
    const here = aQuota({ id: "2" });
    const elsewhere = aQuota({ id: "3", pool: { ...aQuota().pool, id: "other" } as never });
    const processors = aQuota({ id: "4", resource: "cpu" });
    const shares = gpuShares([everywhere, here, elsewhere, processors], "pool-1");
    expect(shares.map(({ id }) => id)).toEqual(["1", "2"]);
  });
});
