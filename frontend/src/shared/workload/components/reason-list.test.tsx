import { screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { Reason } from "@/shared/api/types";
import { renderPart } from "@/testing/render";
import { speak } from "@/testing/speak";
import { ReasonList } from "./reason-list";

const quota: Reason = {
  code: "quota_ceiling",
  params: { group: "vision", pool: "", resource: "gpu", used: 5875, limit: 6000, requested: 250 },
};
const short: Reason = {
  code: "insufficient_now",
  params: { resource: "memory", requested: 32_768, free: 4096 },
};

async function said(reasons: Reason[]): Promise<(string | null)[]> {
  renderPart(<ReasonList reasons={reasons} />);
  return (await screen.findAllByRole("listitem")).map((item) => item.textContent);
}

describe("ReasonList", () => {
  it("says every number with its unit", async () => {
    expect(await said([quota, short])).toEqual([
      "Group Vision uses 5.875 of 6 cards, and this needs 0.25 cards more. It starts when work of the group ends.",
      "It needs 32.0 GiB of memory. Free now: 4.0 GiB of memory.",
    ]);
  });

  it("is written in Chinese, not translated", async () => {
    await speak("zh-CN");
    const [sentence] = await said([quota]);
    expect(sentence).toContain("6 张卡"); // locale-check: the expected text
  });

  it("does not promise what a quota can never grant", async () => {
    const [sentence] = await said([{ ...quota, params: { ...quota.params, requested: 8000 } }]);
    expect(sentence).toBe(
      "It needs 8 cards, and group Vision may use 6 cards at most. Ask for less.",
    );
  });

  it("says until when a budget or a calendar holds it back", async () => {
    const budget = {
      code: "quota_budget",
      params: {
        group: "vision",
        pool: "",
        used: 36_000,
        promised: 0,
        requested: 7200,
        limit: 39_600,
      },
    };
    const opens_at = new Date(2026, 2, 2, 20).getTime();
    const calendar = { code: "waiting_for_calendar", params: { pool: "development", opens_at } };
    const never = { code: "waiting_for_calendar", params: { pool: "development", opens_at: 0 } };
    const [first, second, third] = await said([budget, calendar, never]);
    expect(first).toContain("has used 10 of 11 card-h");
    expect(second).toContain("Mar 2, 2026, 20:00:00");
    expect(third).toContain("lends no cards");
  });

  it("admits a code that it does not know", async () => {
    const [sentence] = await said([{ code: "moon_phase", params: {} }]);
    expect(sentence).toContain("moon_phase");
  });
});
