import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, it } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { SecurityPage } from "./security-page";

const BASE = "/_allauth/browser/v1";
const FACTORS = `${BASE}/account/authenticators`;
const CONFIRM = `POST ${BASE}/auth/reauthenticate`;
const app = { type: "totp", created_at: 1_767_600_000, last_used_at: null };
const codes = { type: "recovery_codes", created_at: 1_767_600_000, last_used_at: null };
const kept = { ...codes, total_code_count: 10, unused_code_count: 7 };
const here = {
  id: 1,
  user_agent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  ip: "10.0.0.1",
  created_at: 1_767_600_000,
  is_current: true,
};
const there = { ...here, id: 2, ip: "10.0.0.2", is_current: false };

function needsPassword(): Response {
  const flows = [{ id: "reauthenticate" }];
  const body = { status: 401, data: { flows }, meta: { is_authenticated: true } };
  return Response.json(body, { status: 401 });
}

/** A server that asks for the password once before the first change. */
function serveSecurity(authenticators: object[], routes: Record<string, () => unknown> = {}) {
  let isConfirmed = false;
  const guarded = Object.fromEntries(
    Object.entries(routes).map(([route, answer]) => [
      route,
      () => (isConfirmed ? answer() : needsPassword()),
    ]),
  );
  return serve({
    [`GET ${FACTORS}`]: { data: authenticators },
    [`GET ${BASE}/auth/sessions`]: { data: [here, there] },
    [CONFIRM]: () => {
      isConfirmed = true;
      return Response.json({});
    },
    // The secret of an app that is not enrolled yet comes without the password.
    [`GET ${FACTORS}/totp`]: () =>
      Response.json(
        { status: 404, meta: { secret: "JBSWY3DPEHPK3PXP", totp_url: "otpauth://totp/li.wei" } },
        { status: 404 },
      ),
    ...guarded,
  });
}

async function confirmPassword() {
  await userEvent.type(await screen.findByLabelText("Current password"), "secret secret");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
}

it("enrols an app after the password, and shows the recovery codes once", async () => {
  const asked = serveSecurity([], {
    [`POST ${FACTORS}/totp`]: () => Response.json({ data: app }),
    [`GET ${FACTORS}/recovery-codes`]: () =>
      Response.json({ data: { ...kept, unused_codes: ["11112222", "33334444"] } }),
  });
  renderPart(<SecurityPage />);
  await userEvent.click(await screen.findByRole("button", { name: "Set up the app" }));
  await confirmPassword();
  expect(await screen.findByText("JBSWY3DPEHPK3PXP")).toBeTruthy();
  await userEvent.type(screen.getByLabelText("Current code from the app"), "123456");
  await userEvent.click(screen.getByRole("button", { name: "Turn on" }));
  expect(await screen.findByText(/11112222/)).toBeTruthy();
  expect(asked.find(({ route }) => route === CONFIRM)?.body).toEqual({ password: "secret secret" });
  const enrolled = asked.filter(({ route }) => route === `POST ${FACTORS}/totp`);
  expect(enrolled.map(({ body }) => body)).toEqual([{ code: "123456" }]);
});

it("turns the app off after the password", async () => {
  const asked = serveSecurity([app, kept], {
    [`DELETE ${FACTORS}/totp`]: () => Response.json({}),
  });
  renderPart(<SecurityPage />);
  expect(await screen.findByText(/^7 of 10 codes left/)).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Turn off the app" }));
  await confirmPassword();
  const turnedOff = () => asked.filter(({ route }) => route === `DELETE ${FACTORS}/totp`);
  await waitFor(() => expect(turnedOff()).toHaveLength(2));
});

it("says that the password is wrong, and changes nothing", async () => {
  const asked = serve({
    [`GET ${FACTORS}`]: { data: [app, kept] },
    [`GET ${BASE}/auth/sessions`]: { data: [here] },
    [`DELETE ${FACTORS}/totp`]: needsPassword,
    [CONFIRM]: () => Response.json({ errors: [{ code: "incorrect_password" }] }, { status: 400 }),
  });
  renderPart(<SecurityPage />);
  await userEvent.click(await screen.findByRole("button", { name: "Turn off the app" }));
  await confirmPassword();
  expect(await screen.findByText("The password is wrong.")).toBeTruthy();
  expect(asked.filter(({ route }) => route === `DELETE ${FACTORS}/totp`)).toHaveLength(1);
});

it("lists where I am signed in, and signs another place out", async () => {
  const sessions = `DELETE ${BASE}/auth/sessions`;
  const asked = serve({
    [`GET ${FACTORS}`]: { data: [] },
    [`GET ${BASE}/auth/sessions`]: { data: [here, there] },
    [sessions]: { data: [here] },
  });
  renderPart(<SecurityPage />);
  const table = await screen.findByRole("table", { name: "Sessions" });
  expect(within(table).getAllByText("Firefox · Linux")).toHaveLength(2);
  expect(within(table).getByText("This browser")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Sign out 10.0.0.2" }));
  await waitFor(() => expect(asked.find(({ route }) => route === sessions)).toBeTruthy());
  expect(asked.find(({ route }) => route === sessions)?.body).toEqual({ sessions: [2] });
});

it("says in Chinese what is there", async () => {
  serveSecurity([app, kept]);
  await speak("zh-CN");
  renderPart(<SecurityPage />);
  expect(await screen.findByText(/^剩余 7 个恢复码，共 10 个/)).toBeTruthy();
  expect(screen.getByRole("button", { name: "停用身份验证器" })).toBeTruthy();
});
