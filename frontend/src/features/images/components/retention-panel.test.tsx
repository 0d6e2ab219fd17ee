import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { aRetention } from "@/testing/images";
import { renderPart } from "@/testing/render";
import { RetentionPanel } from "./retention-panel";

const ROUTE = "PUT /api/v1/image-retention";
const wang = { id: "user-2", username: "wang.fang", display_name: "Wang Fang" };
const going = {
  id: "saved-1",
  name: "wang.fang/fixed",
  owner: wang,
  size_bytes: 2 * 1024 ** 3,
  leaves_at: "2030-01-01T08:00:00Z",
};
const rule = aRetention({
  newest: 3,
  used_days: 30,
  is_own: true,
  may_change: true,
  changed_at: "2026-01-01T08:00:00Z",
  changed_by: wang,
});

function show(routes: Record<string, unknown>, role = "platform_admin") {
  const asked = serve({ "GET /api/v1/groups": aPage([]), ...routes });
  renderPart(<RetentionPanel />, aMe({ platform_role: role }));
  return asked;
}

it("says what goes when, and to whom it belongs", async () => {
  const found = { ...rule, leaving: [going], leaving_count: 2, leaving_bytes: 3 * 1024 ** 3 };
  show({ "GET /api/v1/image-retention": found });
  expect(await screen.findByText(/The newest 3 of each person in a group stay/)).toBeTruthy();
  const table = screen.getByRole("table", { name: "Images that go: 2 (3.0 GiB)" });
  expect(table.textContent).toContain("wang.fang/fixed");
  expect(table.textContent).toContain("Wang Fang");
  expect(screen.getByText(/Not all are listed/)).toBeTruthy();
});

it("shows what would go before the rule is saved", async () => {
  const preview = { ...rule, leaving: [going], leaving_count: 1, leaving_bytes: 2 * 1024 ** 3 };
  const asked = show({
    "GET /api/v1/image-retention": rule,
    [ROUTE]: ({ body }: { body: { dry_run?: boolean } }) => (body.dry_run ? preview : rule),
  });
  fireEvent.click(await screen.findByText("Change rule…"));
  fireEvent.change(await screen.findByLabelText("Days after the last use"), {
    target: { value: "10" },
  });
  fireEvent.click(screen.getByText("Show what would go"));
  expect(await screen.findByText("Images that go: 1 (2.0 GiB)")).toBeTruthy();
  fireEvent.click(screen.getByText("Save rule"));
  await waitFor(() =>
    expect(asked.filter(({ route }) => route === ROUTE).map(({ body }) => body)).toEqual([
      { newest: 3, used_days: 10, dry_run: true },
      { newest: 3, used_days: 10 },
    ]),
  );
});

it("shows a member the rule that is in force for the group, and from whom it comes", async () => {
  const above = { ...rule, is_own: false, may_change: false };
  show({ "GET /api/v1/image-retention/groups/group-1": above }, "");
  expect(await screen.findByText("This is the rule of The platform.")).toBeTruthy();
  expect(screen.getByText("No image goes under this rule.")).toBeTruthy();
  expect(screen.queryByText("Change rule…")).toBeNull();
});
