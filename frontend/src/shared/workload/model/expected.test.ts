import { describe, expect, it } from "vitest";
import type { StartRange } from "@/shared/api/types";
import { spanOf } from "./expected";

const now = new Date("2026-03-01T12:00:00Z");

function range(earliest: string, latest: string): StartRange {
  return {
    earliest: `2026-03-01T${earliest}Z`,
    latest: `2026-03-01T${latest}Z`,
    basis: "limits",
  };
}

describe("spanOf", () => {
  it("keeps both ends of a real range", () => {
    expect(spanOf(range("12:20:00", "13:05:00"), now).form).toBe("between");
  });

  it("is not more exact than a minute", () => {
    expect(spanOf(range("12:20:00", "12:20:59"), now).form).toBe("about");
  });

  it("does not name a beginning that is past", () => {
    expect(spanOf(range("11:59:00", "13:05:00"), now)).toEqual({
      form: "by",
      to: new Date("2026-03-01T13:05:00Z"),
    });
  });
});
