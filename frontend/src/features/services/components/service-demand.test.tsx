import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { renderPart } from "@/testing/render";
import { aService } from "@/testing/services";
import { ServiceDemand } from "./service-demand";

const AT = "2026-03-01T09:00:00Z";
const forecast = {
  made_at: AT,
  model: "seasonal_median",
  is_trusted: false,
  past: [{ at: "2026-03-01T08:00:00Z", requests: 120 }],
  hours: [{ at: AT, low: 80, middle: 100, high: 140 }],
  accuracy: [
    { model: "seasonal_naive", error_permille: 700, against_naive_permille: 1000, hours: 168 },
    { model: "seasonal_median", error_permille: 560, against_naive_permille: 800, hours: 168 },
  ],
};

it("says what is a guess and what was learned", async () => {
  const service = aService({ cold_start: { p50_ms: 22_000, p90_ms: 41_000, seen: 5 } });
  renderPart(<ServiceDemand service={service} />, aMe());
  expect(await screen.findByText("32 requests at a time")).toBeTruthy();
  expect(screen.getByText("by the word of its server; nothing learned yet")).toBeTruthy();
  expect(screen.getByText("seen in 5 starts")).toBeTruthy();
  expect(screen.getByText(/once three days of requests are known/)).toBeTruthy();
});

it("shows what is expected beside what came, and how far off each model was", async () => {
  renderPart(<ServiceDemand service={aService({ forecast })} />, aMe());
  expect(await screen.findByRole("img", { name: /last two days/ })).toBeTruthy();
  expect(screen.getByText(/the error was 56 % of the demand, 80 % of that/)).toBeTruthy();
  expect(screen.getByText(/starts no replicas/)).toBeTruthy();
  expect(screen.getAllByRole("listitem").map((each) => each.textContent)).toEqual([
    "Same hour a day or a week before: error 70 % of the demand",
    "Median of the same hours: error 56 % of the demand",
  ]);
});
