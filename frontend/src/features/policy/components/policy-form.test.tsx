import { Link, useLocation } from "@tanstack/react-router";
import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import type { Policy } from "@/shared/api/types";
import { aMe, aPage, aPolicy, aPool } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { aStudy } from "@/testing/studies";
import { PolicyPage } from "./policy-form";

const PATH = "/api/v1/pools/pool-1/policy";

function show(policy: Policy, put?: unknown, role = "platform_admin") {
  const asked = serve({
    [`GET ${PATH}`]: { policy, defaults: aPolicy() },
    [`PUT ${PATH}`]: put,
    [`GET ${PATH}-changes`]: aPage([]),
    "POST /api/v1/studies": aStudy(),
    "GET /api/v1/pools": aPage([aPool()]),
  });
  renderPart(<PolicyPage pool={aPool()} />, aMe({ platform_role: role }));
  return asked;
}

describe("PolicyPage", () => {
  it("marks what differs from the defaults, with the default in words", async () => {
    show(aPolicy({ min_runtime_s: 1800, queue: "strict" }));
    expect(await screen.findByText("Changed; default: 10 min")).toBeTruthy();
    expect(
      screen.getByText("Changed; default: Backfill: later jobs may start if they do not delay it"),
    ).toBeTruthy();
    expect(screen.getByText("Default: 6 h")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>("Protected run time").value).toBe("30");
  });

  it("sends every rule in the server's units, and shows its refusal at the field", async () => {
    const detail = "At least 90 s.";
    const asked = show(aPolicy(), () =>
      problem(422, "bound_below_grace", {
        errors: [{ pointer: "/lending/bound_s", code: "bound_below_grace", params: {}, detail }],
      }),
    );
    const grace = await screen.findByLabelText("Protected run time");
    await userEvent.clear(grace);
    await userEvent.type(grace, "15");
    await userEvent.click(screen.getByText("Save policy"));
    await waitFor(() => expect(asked.some(({ route }) => route === `PUT ${PATH}`)).toBe(true));
    expect(asked.find(({ route }) => route === `PUT ${PATH}`)?.body).toEqual(
      aPolicy({ min_runtime_s: 900 }),
    );
    const field = screen.getByLabelText("Reclaim within");
    const item = field.closest<HTMLElement>(".ant-form-item");
    expect(item && (await within(item).findByText(detail))).toBeTruthy();
  });

  it("says a refusal until the field is changed, and not after the policy is saved", async () => {
    const fault = { pointer: "/lending/bound_s", code: "odd", params: {}, detail: "Odd." };
    const answer = { policy: aPolicy(), defaults: aPolicy() };
    let isRefused = true;
    show(aPolicy(), () =>
      isRefused ? problem(422, "odd", { errors: [fault], detail: "Odd." }) : answer,
    );
    await userEvent.click(await screen.findByText("Save policy"));
    expect(await screen.findByText("Correct the marked fields.")).toBeTruthy();
    await userEvent.type(screen.getByLabelText("Reclaim within"), "1");
    expect(screen.queryByText("Correct the marked fields.")).toBeNull();
    await waitFor(() => expect(screen.queryByText("Odd.")).toBeNull());
    await userEvent.click(screen.getByText("Save policy"));
    expect(await screen.findByText("Odd.")).toBeTruthy();
    isRefused = false;
    await userEvent.click(screen.getByText("Save policy"));
    expect(await screen.findByText(/^Policy saved/)).toBeTruthy();
    await waitFor(() => expect(screen.queryByText("Odd.")).toBeNull());
  });

  it("asks before edits are left, not before a study of them, and has them again after it", async () => {
    serve({
      [`GET ${PATH}`]: { policy: aPolicy(), defaults: aPolicy(), version: 1 },
      [`GET ${PATH}-changes`]: aPage([]),
      "POST /api/v1/studies": aStudy(),
      "GET /api/v1/pools": aPage([aPool()]),
    });
    const Place = () => {
      const { pathname } = useLocation();
      return (
        <>
          <output aria-label="place">{pathname}</output>
          <Link to="/queue">Queue</Link>
          <Link to="/policies">Policies</Link>
          {!pathname.startsWith("/what-if") && <PolicyPage pool={aPool()} />}
        </>
      );
    };
    renderPart(<Place />, aMe({ platform_role: "operator" }));
    const place = () => screen.getByLabelText("place").textContent;
    const field = () => screen.findByLabelText<HTMLInputElement>("Protected run time");
    await userEvent.clear(await field());
    await userEvent.type(await field(), "15");
    await userEvent.click(screen.getByText("Queue"));
    await userEvent.click(await screen.findByRole("button", { name: "Keep editing" }));
    expect([place(), (await field()).value]).toEqual(["/", "15"]);
    await userEvent.click(screen.getByText(/^What if/));
    await waitFor(() => expect(place()).toMatch(/^.what-if/));
    await userEvent.click(screen.getByText("Policies"));
    await waitFor(async () => expect((await field()).value).toBe("15"));
  });

  it.each([
    ["idle_warning_too_early", { max: 239 }, /release or stop: 3 min 59 s at most/],
    ["too_large", { max: 7200 }, /^2 h at most/],
    ["odd", {}, "Odd."],
  ])("says limits of times in the units of the page: %s", async (code, params, words) => {
    const fault = { pointer: "/idle_warn_s", code, params, detail: "Odd." };
    show(aPolicy(), () => problem(422, code, { errors: [fault], detail: "Odd." }));
    await userEvent.click(await screen.findByText("Save policy"));
    const item = (await screen.findByLabelText("Warn before")).closest(".ant-form-item");
    expect(await within(item as HTMLElement).findByText(words)).toBeTruthy();
    expect(await screen.findByText("Correct the marked fields.")).toBeTruthy();
  });

  it("asks what if about the rules that are changed, before they are saved", async () => {
    const asked = show(aPolicy());
    const grace = await screen.findByLabelText("Protected run time");
    await userEvent.clear(grace);
    await userEvent.type(grace, "15");
    await userEvent.type(screen.getByLabelText("Reason (optional)"), "Later");
    await userEvent.click(screen.getByText(/^What if/));
    await waitFor(() => expect(asked.some(({ route }) => route.startsWith("POST"))).toBe(true));
    expect(asked.find(({ route }) => route === "POST /api/v1/studies")?.body).toEqual({
      days: 14,
      pools: [{ pool: "pool-1", policy: { min_runtime_s: 900 } }],
    });
    expect(asked.some(({ route }) => route.startsWith("PUT"))).toBe(false);
  });

  it("replaces what others have saved only after it was looked at, and keeps what was typed", async () => {
    let saved = { policy: aPolicy(), defaults: aPolicy(), version: 1 };
    const params = { who: "li.wei", changed_at: Date.now() };
    const asked = serve({
      [`GET ${PATH}`]: () => saved,
      [`PUT ${PATH}`]: () => {
        if (saved.version > 1) return { ...saved, version: 3 };
        saved = { ...saved, policy: aPolicy({ min_runtime_s: 1200, queue: "strict" }), version: 2 };
        return problem(409, "changed_by_another", { params });
      },
      [`GET ${PATH}-changes`]: aPage([]),
      "GET /api/v1/pools": aPage([aPool()]),
    });
    renderPart(<PolicyPage pool={aPool()} />, aMe({ platform_role: "operator" }));
    const field = () => screen.getByLabelText<HTMLInputElement>("Protected run time");
    await screen.findByLabelText("Protected run time");
    await userEvent.clear(field());
    await userEvent.type(field(), "15");
    await userEvent.click(screen.getByText("Save policy"));

    expect(
      await screen.findByText(/^It was changed by li.wei at .+ your values are kept/),
    ).toBeTruthy();
    const show = await screen.findByRole("button", { name: "Show what is saved now" });
    expect(field().value).toBe("15");
    await userEvent.click(show);
    expect(field().value).toBe("20");
    await userEvent.click(screen.getByRole("button", { name: "Back to my values" }));
    expect(field().value).toBe("15");
    await userEvent.click(screen.getByText("Save policy"));

    await waitFor(() =>
      expect(asked.filter(({ route }) => route === `PUT ${PATH}`)).toHaveLength(2),
    );
    const [first, second] = asked.filter(({ route }) => route === `PUT ${PATH}`);
    expect(first?.body).toEqual({ ...aPolicy({ min_runtime_s: 900 }), version: 1 });
    const mine = aPolicy({ min_runtime_s: 900, queue: "strict" });
    expect(second?.body).toEqual({ ...mine, version: 2 });
  });

  it("lets an auditor read, not change", async () => {
    show(aPolicy(), undefined, "auditor");
    const grace = await screen.findByLabelText<HTMLInputElement>("Grace period");
    expect(grace.disabled).toBe(true);
    expect(screen.queryByText("Save policy")).toBeNull();
    expect(screen.queryByRole("button", { name: "Add window" })).toBeNull();
  });
});
