import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Policy, PolicyRuleChange, SavedPolicyChange } from "@/shared/api/types";
import { aMe, aPage, aPolicy, aPool, liWei } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PolicyPage } from "./policy-form";
import { PolicyHistoryPanel } from "./policy-history";

const POLICY = "/api/v1/pools/pool-1/policy";
const HISTORY = `${POLICY}-changes`;
const UNDO = `POST ${HISTORY}/change-1/undo`;

const grace: PolicyRuleChange = { pointer: "/grace_s", before: null, after: 30 };
const change: SavedPolicyChange = {
  id: "change-1",
  at: "2030-05-01T10:00:00Z",
  actor: liWei,
  actor_name: "li.wei",
  reason: "Jobs save quickly",
  undoes: null,
  undone_by: null,
  rules: [grace],
};

function show(changes: SavedPolicyChange[], routes: object = {}, role = "operator") {
  const policy = aPolicy({ grace_s: 30 });
  const asked = serve({
    [`GET ${POLICY}`]: { policy, defaults: aPolicy() },
    [`GET ${HISTORY}`]: aPage(changes),
    "GET /api/v1/pools": aPage([aPool(), aPool({ id: "pool-2", name: "train" })]),
    ...routes,
  });
  // As in two windows of one person: the page shows them in two tabs.
  const both = (
    <>
      <PolicyPage pool={aPool()} />
      <PolicyHistoryPanel pool={aPool()} defaults={aPolicy()} />
    </>
  );
  renderPart(both, aMe({ platform_role: role }));
  return asked;
}

/** The panel, once it lists changes. */
async function panel() {
  const found = await screen.findByTestId("policy-history");
  await within(found).findByRole("table");
  return within(found);
}

async function openUndo() {
  await userEvent.click((await panel()).getByRole("button", { name: /^Undo the change of/ }));
  return within(await screen.findByRole("dialog"));
}

describe("the history of a policy", () => {
  it("says who changed which rule from what to what, when and why", async () => {
    show([change]);
    const list = await panel();
    expect(list.getByText("Grace period")).toBeTruthy();
    expect(list.getByText("1 min (default) → 30 s")).toBeTruthy();
    expect(list.getByText(liWei.display_name)).toBeTruthy();
    expect(list.getByText("Jobs save quickly")).toBeTruthy();
  });

  it.each<[PolicyRuleChange, string]>([
    [{ pointer: "/preemption", before: null, after: false }, "on (default) → off"],
    [{ pointer: "/lending/to_pools", before: ["train"], after: null }, "→ none (default)"],
    [
      { pointer: "/lending/windows", before: null, after: [{ start: 1200, end: 1920 }] },
      "all week (default) → Monday 20:00 – Tuesday 08:00",
    ],
    [{ pointer: "/of_old", before: 1, after: null }, "1 → null"],
  ])("has the words of the page for %o", async (rule, words) => {
    show([{ ...change, rules: [rule] }]);
    expect((await panel()).getByText(words, { exact: false })).toBeTruthy();
  });

  it("asks with what comes back, and undoes with the reason", async () => {
    const asked = show([change], { [UNDO]: change });
    const dialog = await openUndo();
    expect(dialog.getByText("30 s → 1 min (default)")).toBeTruthy();
    await userEvent.type(dialog.getByLabelText("Reason (optional)"), "A mistake");
    expect(asked.some(({ route }) => route === UNDO)).toBe(false);
    await userEvent.click(dialog.getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
    expect(asked.find(({ route }) => route === UNDO)?.body).toEqual({ reason: "A mistake" });
  });

  it("shows the rules that came back in their fields, beside edits that are not saved", async () => {
    let policy: Policy = aPolicy({ grace_s: 30 });
    show([change], {
      [`GET ${POLICY}`]: () => ({ policy, defaults: aPolicy() }),
      [UNDO]: () => {
        policy = aPolicy();
        return change;
      },
    });
    const mine = await screen.findByLabelText<HTMLInputElement>("Protected run time");
    const theirs = screen.getByLabelText<HTMLInputElement>("Grace period");
    await userEvent.clear(mine);
    await userEvent.type(mine, "15");
    expect(theirs.value).toBe("30");
    await userEvent.click((await openUndo()).getByRole("button", { name: "Undo" }));
    await waitFor(() => expect(theirs.value).toBe("60"));
    expect(mine.value).toBe("15");
  });

  it("says in the dialog why an undo is refused", async () => {
    const params = { rules: 1, who: "li.wei", changed_at: Date.now() };
    show([change], { [UNDO]: () => problem(409, "policy_changed_again", { params }) });
    const dialog = await openUndo();
    await userEvent.click(dialog.getByRole("button", { name: "Undo" }));
    expect(
      await dialog.findByText(/^1 of these .+; li.wei last changed the policy, at/),
    ).toBeTruthy();
  });

  it("marks what is undone and what undid it; only the latter can be undone", async () => {
    const undo = { ...change, id: "change-2", at: "2030-05-02T10:00:00Z", undoes: "change-1" };
    show([undo, { ...change, undone_by: "change-2" }]);
    const list = await panel();
    expect(list.getByText("Undone")).toBeTruthy();
    expect(list.getByText("Undo", { selector: ".ant-tag" })).toBeTruthy();
    expect(list.getAllByRole("button", { name: /^Undo the change of/ })).toHaveLength(1);
  });

  it("sends the reason with the rules, and empties its field once they are saved", async () => {
    const policy = aPolicy({ grace_s: 30 });
    const asked = show([], { [`PUT ${POLICY}`]: { policy, defaults: aPolicy() } });
    const reason = await screen.findByLabelText<HTMLTextAreaElement>("Reason (optional)");
    await userEvent.type(reason, "Jobs save quickly");
    await userEvent.click(screen.getByText("Save policy"));
    await waitFor(() =>
      expect(screen.getByLabelText<HTMLTextAreaElement>("Reason (optional)").value).toBe(""),
    );
    const saved = asked.find(({ route }) => route === `PUT ${POLICY}`)?.body;
    expect(saved).toEqual({ ...policy, reason: "Jobs save quickly" });
    expect(asked.filter(({ route }) => route === `GET ${HISTORY}`)).toHaveLength(2);
  });

  it("is read by an auditor, who cannot undo", async () => {
    show([change], {}, "auditor");
    const list = await panel();
    expect(list.getByText("Jobs save quickly")).toBeTruthy();
    expect(list.queryByRole("button", { name: /^Undo/ })).toBeNull();
    expect(screen.queryByLabelText("Reason (optional)")).toBeNull();
  });
});
