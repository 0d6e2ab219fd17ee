import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { aMe, aPage, aQuota } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { QuotaTable } from "./quota-table";

const quota = aQuota({ guarantee: 2000, deserved: 4000, ceiling: 6000, used: 5000 });
const groups = [{ ...quota.group, role: null, parent: null }];
const PATCH = "PATCH /api/v1/quotas/quota-1";

function show(role: string, patch: unknown = quota, quotas = [quota]) {
  const asked = serve({
    "GET /api/v1/groups": aPage(groups),
    "GET /api/v1/quotas": quotas,
    [PATCH]: patch,
  });
  renderPart(<QuotaTable />, aMe({ platform_role: role }));
  return asked;
}

async function edit(field: string, value: string) {
  await userEvent.click(await screen.findByRole("button", { name: /Edit GPUs/ }));
  const dialog = await screen.findByRole("dialog");
  const input = within(dialog).getByRole("spinbutton", { name: field });
  await userEvent.clear(input);
  await userEvent.type(input, value);
  await userEvent.click(within(dialog).getByRole("button", { name: "Save limits" }));
  return dialog;
}

describe("QuotaTable", () => {
  it("says what is used, what is deserved and what is above it", async () => {
    show("auditor");
    expect(await screen.findByText("5 of 6 GPUs")).toBeTruthy();
    expect(screen.getByText(/guarantee 2, deserved 4/)).toBeTruthy();
    expect(screen.getByText(/1 borrowed/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Edit/ })).toBeNull();
  });

  it("names the group in every row, seen only in its first", async () => {
    show("auditor", quota, [quota, { ...quota, id: "quota-2", resource: "cpu" }]);
    await screen.findByText("5 of 6 GPUs");
    const names = screen.getAllByText(quota.group.title_en);
    expect(names.map((name) => name.closest(".repeated") !== null)).toEqual([false, true]);
  });

  it("sends only what is new, in thousandths", async () => {
    const asked = show("platform_admin");
    await edit("Ceiling", "8");
    await waitFor(() => expect(asked.some(({ route }) => route === PATCH)).toBe(true));
    expect(asked.find(({ route }) => route === PATCH)?.body).toEqual({ ceiling: 8000 });
  });

  it("refuses a ceiling below the deserved share before the server has to", async () => {
    const asked = show("platform_admin");
    const dialog = await edit("Ceiling", "3");
    expect(await within(dialog).findByText(/At least 4/)).toBeTruthy();
    expect(asked.some(({ route }) => route === PATCH)).toBe(false);
  });

  it("shows what the server says at the field", async () => {
    const fault = { pointer: "/ceiling", code: "quota_order", params: {}, detail: "Too low." };
    show("platform_admin", () => problem(422, "quota_order", { errors: [fault] }));
    const dialog = await edit("Ceiling", "7");
    const item = within(dialog)
      .getByRole("spinbutton", { name: "Ceiling" })
      .closest<HTMLElement>(".ant-form-item");
    expect(item && (await within(item).findByText("Too low."))).toBeTruthy();
  });
});
