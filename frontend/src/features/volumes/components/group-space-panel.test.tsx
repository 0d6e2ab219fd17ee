import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { GroupSpacePanel } from "./group-space-panel";

const LIMITS = {
  pending_per_user_max: null,
  running_per_user_max: null,
  environments_per_user_max: null,
  time_limit_s_max: null,
  extension_s_max: 0,
  developer_priority_max: "normal",
  group_admin_priority_max: "normal",
  my_priority_max: "normal",
};
const vision = {
  ...LIMITS,
  group: { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" },
  volumes_mib: 512 * 1024,
  volumes_mib_max: 1024 * 1024,
};
const empty = {
  ...LIMITS,
  group: { id: "group-2", name: "empty", title_en: "Empty", title_zh: "空" },
  volumes_mib: 0,
  volumes_mib_max: null,
};

it("shows group admins what is given out of how much, of groups that have volumes", async () => {
  serve({ "GET /api/v1/group-limits": [vision, empty] });
  renderPart(<GroupSpacePanel />);
  await screen.findByText(/512\s*GiB of 1,?024\s*GiB|512\s*GiB of 1\s*TiB/);
  expect(screen.queryByText("Empty")).toBeNull();
  expect(screen.queryByRole("button", { name: /^Change/ })).toBeNull();
});

it("lets administrators set a limit", async () => {
  const PATCH = "PATCH /api/v1/groups/group-2/limits";
  const asked = serve({
    "GET /api/v1/group-limits": [vision, empty],
    [PATCH]: { ...empty, volumes_mib_max: 2048 },
  });
  renderPart(<GroupSpacePanel />, aMe({ platform_role: "platform_admin" }));
  await userEvent.click(
    await screen.findByRole("button", { name: "Change the space of volumes of Empty" }),
  );
  await userEvent.type(await screen.findByLabelText("At most (GiB)"), "2");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await expect
    .poll(() => asked.filter(({ route }) => route === PATCH).map(({ body }) => body))
    .toEqual([{ volumes_mib_max: 2048 }]);
});
