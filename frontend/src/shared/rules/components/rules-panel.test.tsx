import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { SubmissionRules } from "@/shared/api/types";
import { aMe, anImage, aPage, aPool } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PoolRulesPanel } from "./rules-panel";

const PATH = "/api/v1/job-rules/pools/{owner_id}".replace("{owner_id}", aPool().id);
const rules: SubmissionRules = {
  defaults: { launcher: "torchrun" },
  locked: ["launcher"],
  required: [],
  ranges: { memory_mib: { max: 8192 }, time_limit_s: { min: 3600 } },
  choices: { image: ["python"] },
  version: 2,
  changed_at: null,
  changed_by: null,
  may_change: true,
  rule_fields: ["image", "memory_mib", "time_limit_s", "launcher"],
  above: [],
};

function show(fields: Partial<SubmissionRules> = {}) {
  const asked = serve({
    [`GET ${PATH}`]: { ...rules, ...fields },
    [`PUT ${PATH}`]: rules,
    "GET /api/v1/images": aPage([anImage()]),
  });
  renderPart(<PoolRulesPanel pool={aPool()} />, aMe({ platform_role: "platform_admin" }));
  return asked;
}

it("lists the rules in the units of forms", async () => {
  show();
  expect(await screen.findByText("torchrun · Locked")).toBeTruthy();
  expect(screen.getByText("– 8")).toBeTruthy();
  expect(screen.getByText("python")).toBeTruthy();
});

it("replaces all rules with the version that was seen", async () => {
  const asked = show();
  await userEvent.click(await screen.findByRole("button", { name: "Change rules" }));
  const dialog = await screen.findByRole("dialog");
  const most = within(dialog).getByRole("spinbutton", { name: "Maximum of Memory (GiB)" });
  await userEvent.clear(most);
  await userEvent.type(most, "4");
  await userEvent.click(within(dialog).getByRole("button", { name: "Save rules" }));

  await waitFor(() => expect(asked.some(({ route }) => route === `PUT ${PATH}`)).toBe(true));
  const { defaults, locked, required, choices, version } = rules;
  expect(asked.find(({ route }) => route === `PUT ${PATH}`)?.body).toEqual({
    ...{ defaults, locked, required, choices, version },
    ranges: { memory_mib: { max: 4096 }, time_limit_s: { min: 3600 } },
  });
});

it("offers no change to those who may not", async () => {
  show({ may_change: false, defaults: {}, locked: [], ranges: {}, choices: {} });
  expect(await screen.findByText(/No rules/)).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Change rules" })).toBeNull();
});
