import { cleanup, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Budget } from "@/shared/api/types";
import { aMe, aPage, aQuota } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { BudgetPanel } from "./budget-panel";

const { group } = aQuota();
const budget: Budget = {
  id: "budget-1",
  group,
  pool: null,
  period: "month",
  gpu_hours: 100,
  money_micros: null,
  currency: "",
  by_group: false,
  used: 36_000,
  promised: 18_000,
  counted_until: null,
  unpriced: [],
  ends_at: "2030-06-01T00:00:00Z",
};
const PUT = "PUT /api/v1/budgets";

function show(role: string, shown = budget, groupRole: string | null = null) {
  const asked = serve({
    "GET /api/v1/budgets": [shown],
    "GET /api/v1/groups": aPage([{ ...group, role: groupRole, parent: null }]),
    "GET /api/v1/pools": aPage([]),
    [PUT]: budget,
  });
  renderPart(<BudgetPanel />, aMe({ platform_role: role }));
  return asked;
}

describe("BudgetPanel", () => {
  it("says what is used and what is promised to running work", async () => {
    show("auditor");
    expect(await screen.findByText("10 of 100 GPU-hours")).toBeTruthy();
    expect(screen.getByText("5 more committed to running work")).toBeTruthy();
    expect(screen.queryByRole("button", { name: /budget$|^Edit/ })).toBeNull();
  });

  it("changes the budget of the same group, pool and period", async () => {
    const asked = show("platform_admin");
    await userEvent.click(await screen.findByRole("button", { name: /Edit the budget/ }));
    const dialog = await screen.findByRole("dialog");
    const hours = within(dialog).getByRole("spinbutton", { name: "GPU-hours" });
    await userEvent.clear(hours);
    await userEvent.type(hours, "250");
    await userEvent.click(within(dialog).getByRole("button", { name: "Save limits" }));
    await waitFor(() => expect(asked.some(({ route }) => route === PUT)).toBe(true));
    expect(asked.find(({ route }) => route === PUT)?.body).toEqual({
      group: group.id,
      pool: null,
      period: "month",
      gpu_hours: 250,
      money_micros: null,
    });
  });

  it("lets the head of a group change what the group has set, and not what staff has", async () => {
    show("", { ...budget, by_group: true }, "group_admin");
    expect(await screen.findByText("set by the group")).toBeTruthy();
    expect(await screen.findByRole("button", { name: /Edit the budget/ })).toBeTruthy();
    cleanup();
    show("", budget, "group_admin");
    expect(await screen.findByRole("button", { name: "Add a budget" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Edit the budget/ })).toBeNull();
  });

  const money: Budget = {
    ...budget,
    gpu_hours: null,
    money_micros: 1_000_000_000,
    currency: "CNY",
    used: 12_340_000,
    promised: 5_000_000,
    counted_until: "2030-05-16T04:00:00Z",
    unpriced: ["H100"],
  };

  it("says what of the money is spent, and names models without a price", async () => {
    show("auditor", money);
    expect(await screen.findByText("CN¥12.34 of CN¥1,000.00")).toBeTruthy();
    expect(screen.getByText("CN¥5.00 more committed to running work")).toBeTruthy();
    expect(screen.getByText(/No price in CNY: H100/)).toBeTruthy();
  });

  it("changes a budget from GPU-hours to money", async () => {
    const asked = show("platform_admin");
    await userEvent.click(await screen.findByRole("button", { name: /Edit the budget/ }));
    const dialog = await screen.findByRole("dialog");
    await userEvent.click(within(dialog).getByRole("radio", { name: "Money" }));
    const amount = within(dialog).getByRole("spinbutton", { name: "Money" });
    await userEvent.clear(amount);
    await userEvent.type(amount, "99.5");
    await userEvent.click(within(dialog).getByRole("button", { name: "Save limits" }));
    await waitFor(() => expect(asked.some(({ route }) => route === PUT)).toBe(true));
    expect(asked.find(({ route }) => route === PUT)?.body).toMatchObject({
      gpu_hours: null,
      money_micros: 99_500_000,
    });
  });
});
