import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it, vi } from "vitest";
import { aCardMap } from "@/testing/card-map";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import type { CardSearch } from "../model/card-search";
import { CardMapPanel } from "./card-map-page";

const VALUES = {
  order: "abc",
  utilisation_pct: [3, 0, null],
  memory_used_mib: [40_960, 0, null],
  power_w: [310, 60, null],
  temperature_c: [64, 30, null],
};

function show(search: CardSearch, map = aCardMap()) {
  serve({
    "GET /api/v1/card-map": map,
    "GET /api/v1/card-map/values": VALUES,
    "GET /api/v1/config": {},
  });
  const onSearch = vi.fn();
  renderPart(<CardMapPanel search={search} onSearch={onSearch} />);
  return onSearch;
}

it("lists the cards of the filter with holders and values, and what they add up to", async () => {
  const onSearch = show({ view: "table", state: "idle" });
  const table = await screen.findByRole("table", { name: "GPUs as a table" });
  const [, row] = within(table).getAllByRole("row");
  const cells = () =>
    within(row as HTMLElement)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent);
  await waitFor(() =>
    expect(cells().slice(-4)).toEqual(["3 %", "40.0 GiB of 80.0 GiB", "64 °C", "310 W"]),
  );
  expect(row?.textContent).toContain("ux lab — Li Wei · Vision");
  expect(row?.textContent).toContain("Work of another group");
  expect(screen.getByTestId("card-sums").textContent).toContain("1 of 3 GPUs");
  expect(screen.getByTestId("card-sums").textContent).toContain("¼ idle");
  await userEvent.click(within(table).getByRole("button", { name: "gpu-dev-1 #0" }));
  expect(onSearch).toHaveBeenCalledWith({ card: "33333333-3333-3333-3333-3333333333c1" });
});

it("shows one card with its work and its node", async () => {
  show({ view: "table", card: "33333333-3333-3333-3333-3333333333c1" });
  const details = await screen.findByTestId("card-details");
  expect(within(details).getByRole("link", { name: "ux lab" }).getAttribute("href")).toBe(
    "/notebooks/w1",
  );
  expect(within(details).getByRole("link", { name: "gpu-dev-1" }).getAttribute("href")).toBe(
    "/nodes/n1",
  );
});

it("has a line for each holder, also for those without a name and of one size", async () => {
  const { holders, parts } = aCardMap();
  const map = aCardMap({
    holders: {
      ...holders,
      ...{ workload: [null, null], name: [null, null], idle_since: [null, null] },
      ...{ owner: [-1, -1], group: [-1, -1] },
    },
    parts: { ...parts, card: [0, 0], slot: [0, 4], gpu_milli: [125, 125], holder: [0, 1] },
  });
  const complaints = vi.spyOn(console, "error");
  show({ view: "table", card: "33333333-3333-3333-3333-3333333333c1" }, map);
  const details = await screen.findByTestId("card-details");
  const lines = within(details).getAllByText("Work of another group");
  expect(lines).toHaveLength(2);
  expect(details.textContent).toContain("⅛ of a GPU");
  expect(complaints.mock.calls.flat().join()).not.toContain("same key");
});

it("names a filter of a group that holds nothing any more", async () => {
  show({ view: "table", team: "22222222-2222-2222-2222-2222222222ff" });
  expect(await screen.findByText("No GPU matches")).toBeTruthy();
  expect(screen.getByText("holds nothing now")).toBeTruthy();
  expect(document.body.textContent).not.toContain("2222222222ff");
});

it("says each colour of the map once", async () => {
  show({ view: "map" });
  await screen.findByRole("application");
  const legend = screen.getAllByRole("listitem").map((item) => item.textContent);
  expect(legend).toContain("Faulty");
  expect(new Set(legend).size).toBe(legend.length);
});

it("is walked by the arrow keys and says what has the focus", async () => {
  const onSearch = show({ view: "map" });
  const map = await screen.findByRole("application", { name: "Map of 3 GPUs" });
  map.focus();
  expect(await screen.findByText(/gpu-dev-1 #0\. Development · H100/)).toBeTruthy();
  await userEvent.keyboard("{ArrowDown}");
  expect(await screen.findByText(/gpu-train-1 #0\. Training · H100\. Free/)).toBeTruthy();
  // What is measured changes every second and would be read out as often.
  expect(screen.getByRole("status").textContent).not.toContain("used");
  await userEvent.keyboard("{ArrowDown}{Enter}");
  expect(onSearch).toHaveBeenCalledWith({ card: "33333333-3333-3333-3333-3333333333c3" });
});

it("says so in Chinese where nothing matches", async () => {
  await speak("zh-CN");
  show({ model: "A100" });
  expect(await screen.findByText("没有符合条件的卡")).toBeTruthy();
});
