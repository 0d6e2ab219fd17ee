import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { aMe, aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ReceivedShares, SharedWithMe, SharePanel } from "./sharing";

const SHARES = "/api/v1/environments/workload-1/shares";
const chen = { id: "user-2", username: "chen.jie", display_name: "Chen Jie" };
const share = {
  id: "share-1",
  person: chen,
  access: "view",
  created_at: "2026-03-01T09:00:00Z",
  expires_at: "2026-03-02T09:00:00Z",
};

function show(part: "panel" | "notice", fields: Partial<WorkloadDetail> = {}, me = aMe()) {
  const work = aWorkload({ kind: "environment", name: "sam", ...fields });
  const received = { ...share, owner: work.owner, workload: work };
  const asked = serve({
    [`GET ${SHARES}`]: [share],
    [`POST ${SHARES}`]: share,
    [`DELETE ${SHARES}/share-1`]: null,
    "GET /api/v1/access-shares": aPage([received]),
    "GET /api/v1/groups/group-1/members": [
      { user: work.owner, role: "developer", kind: "person", is_own: true },
      { user: chen, role: "developer", kind: "person", is_own: true },
      { user: { ...chen, id: "user-3", display_name: "CI" }, role: "", kind: "robot" },
    ],
  });
  const shown =
    part === "panel" ? <SharePanel workload={work} /> : <SharedWithMe workload={work} />;
  renderPart(shown, me);
  return asked;
}

it("shares with a colleague found by name, view only and for a day unless told otherwise", async () => {
  const asked = show("panel");
  await userEvent.click(await screen.findByRole("button", { name: "Share" }));
  const dialog = await screen.findByRole("dialog");
  await userEvent.type(within(dialog).getByRole("combobox", { name: "Person" }), "chen");
  const options = await screen.findAllByText("Chen Jie (chen.jie)");
  await userEvent.click(options.at(-1) as HTMLElement);
  expect(screen.queryByText(/^CI/)).toBeNull();
  await userEvent.click(within(dialog).getByRole("button", { name: "Share" }));
  await waitFor(() => expect(asked.some(({ route }) => route === `POST ${SHARES}`)).toBe(true));
  const sent = asked.find(({ route }) => route === `POST ${SHARES}`);
  expect(sent?.body).toEqual({ person: "user-2", access: "view", hours: 24 });
});

it("ends a share after asking", async () => {
  const asked = show("panel");
  await userEvent.click(await screen.findByRole("button", { name: "End sharing with Chen Jie" }));
  const confirm = await screen.findByRole("tooltip");
  const [remove] = within(confirm).getAllByRole("button").toReversed();
  await userEvent.click(remove as HTMLElement);
  await waitFor(() =>
    expect(asked.some(({ route }) => route === `DELETE ${SHARES}/share-1`)).toBe(true),
  );
});

it("lets a colleague leave what is shared", async () => {
  const work = aWorkload({ kind: "environment", name: "sam" });
  const asked = serve({
    "GET /api/v1/access-shares": aPage([{ ...share, owner: work.owner, workload: work }]),
    "DELETE /api/v1/access-shares/share-1": null,
  });
  renderPart(<ReceivedShares kind="environment" />, aMe(chen));
  await userEvent.click(await screen.findByRole("button", { name: "Leave sam" }));
  const confirm = await screen.findByRole("tooltip");
  await userEvent.click(within(confirm).getByRole("button", { name: "Leave" }));
  await waitFor(() =>
    expect(asked.some(({ route }) => route === "DELETE /api/v1/access-shares/share-1")).toBe(true),
  );
});

it("tells a colleague what is shared, and opens it only while it runs", async () => {
  show("notice", { is_ready: true }, aMe(chen));
  const notice = await screen.findByTestId("shared-with-me");
  expect(notice.textContent).toContain("Li Wei shares this with you");
  expect(notice.textContent).toContain("View only");
  expect(within(notice).getByRole("button", { name: /Open/ })).toBeTruthy();
});

it("offers no way into a stopped notebook", async () => {
  show("notice", { is_ready: false, state: "suspended" }, aMe(chen));
  const notice = await screen.findByTestId("shared-with-me");
  expect(notice.textContent).toContain("It is not running");
  expect(within(notice).queryByRole("button")).toBeNull();
});
