import { screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { chooseClock } from "@/shared/i18n/clock";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { ProfilePage } from "./profile-page";

const CHOICE = "/api/v1/me/notices";
const choice = {
  email: "li@example.org",
  sends_mail: true,
  allows_channels: true,
  channel: null,
  kinds: [
    { kind: "idle", in_inbox: true, by_mail: true, by_channel: false },
    { kind: "alarms", in_inbox: true, by_mail: false, by_channel: false },
  ],
};

const saved = () => new Response(null, { status: 204 });

afterEach(() => chooseClock("", "h23"));

it("shows what the chosen clock says, and keeps it with the account", async () => {
  const asked = serve({ [`GET ${CHOICE}`]: choice, "PUT /api/v1/me/clock": saved });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  const clock = await screen.findByTestId("clock");
  expect(clock.textContent).not.toMatch(/[AP]M/);
  await userEvent.click(screen.getByText("12 hours"));
  expect(clock.textContent).toMatch(/\d [AP]M /);
  await userEvent.click(screen.getByRole("combobox", { name: "Time zone" }));
  await userEvent.type(screen.getByRole("combobox", { name: "Time zone" }), "Shanghai");
  await userEvent.click((await screen.findAllByTitle("Asia/Shanghai")).at(-1) as HTMLElement);
  await waitFor(() => expect(clock.textContent).toMatch(/GMT\+8$/));
  expect(localStorage.getItem("berth.timeZone")).toBe("Asia/Shanghai");
  const sent = () => asked.filter(({ route }) => route === "PUT /api/v1/me/clock");
  await waitFor(() =>
    expect(sent().map(({ body }) => body)).toEqual([
      { time_zone: "", hours: "h12" },
      { time_zone: "Asia/Shanghai", hours: "h12" },
    ]),
  );
});

it("switches the mails of a kind off, and leaves the others as they are", async () => {
  const asked = serve({ [`GET ${CHOICE}`]: choice, [`PUT ${CHOICE}`]: choice });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  const table = await screen.findByRole("table", { name: "Notices" });
  await userEvent.click(within(table).getByRole("switch", { name: "Email: Idle notebooks" }));
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`PUT ${CHOICE}`));
  expect(asked.at(-1)?.body).toEqual({ mails_off: ["alarms", "idle"] });
});

it("keeps a kind out of the inbox", async () => {
  const asked = serve({ [`GET ${CHOICE}`]: choice, [`PUT ${CHOICE}`]: choice });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  await userEvent.click(await screen.findByRole("switch", { name: "Inbox: Idle notebooks" }));
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`PUT ${CHOICE}`));
  expect(asked.at(-1)?.body).toEqual({ mails_off: ["alarms"], inbox_off: ["idle"] });
});

it("says why no mail can come", async () => {
  serve({ [`GET ${CHOICE}`]: { ...choice, email: "" } });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  expect(await screen.findByText(/Your account has no email address/)).toBeTruthy();
  for (const each of screen.getAllByRole("switch", { name: /^Email/ })) {
    expect(each.hasAttribute("disabled")).toBe(true);
  }
});

it("sends notices to a webhook of one's own, and shows its secret this once", async () => {
  const channel = { kind: "webhook", host: "hooks.example.org", failure: "" };
  const asked = serve({
    [`GET ${CHOICE}`]: choice,
    [`PUT ${CHOICE}/channel`]: { ...channel, signing_secret: "whsec_abc" },
  });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  await userEvent.click(await screen.findByRole("button", { name: "Add a channel" }));
  await userEvent.type(
    screen.getByRole("textbox", { name: "Address" }),
    " https://hooks.example.org/1 ",
  );
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("whsec_abc")).toBeTruthy();
  const sent = asked.find(({ route }) => route === `PUT ${CHOICE}/channel`);
  expect(sent?.body).toEqual({ kind: "webhook", address: "https://hooks.example.org/1" });
});

it("says why a channel took nothing, and keeps a kind out of it", async () => {
  const failed = "2030-01-01T12:00:00Z";
  const channel = { kind: "slack", host: "hooks.slack.com", failed_at: failed, delivered_at: null };
  const kinds = choice.kinds.map((each) => ({ ...each, by_channel: true }));
  const served = { ...choice, kinds, channel: { ...channel, failure: "not_taken" } };
  const asked = serve({
    [`GET ${CHOICE}`]: served,
    [`PUT ${CHOICE}`]: served,
    [`POST ${CHOICE}/channel/test`]: saved,
  });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  expect(await screen.findByText("Slack · hooks.slack.com")).toBeTruthy();
  expect(screen.getByText("The chat did not take the message.")).toBeTruthy();
  await userEvent.click(screen.getByRole("switch", { name: "Channel: Alarms" }));
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`PUT ${CHOICE}`));
  expect(asked.find(({ route }) => route === `PUT ${CHOICE}`)?.body).toEqual({
    mails_off: ["alarms"],
    channel_off: ["alarms"],
  });
  await userEvent.click(screen.getByRole("button", { name: "Send a test message" }));
  await waitFor(() => expect(asked.at(-1)?.route).toBe(`POST ${CHOICE}/channel/test`));
});

it("asks the browser for consent before it shows notices", async () => {
  const ask = vi.fn(async () => "granted");
  vi.stubGlobal("Notification", { permission: "granted", requestPermission: ask });
  serve({ [`GET ${CHOICE}`]: choice });
  renderPart(<ProfilePage onLanguage={() => {}} />);
  const own = await screen.findByRole("switch", { name: "Show new notices on the desktop" });
  await userEvent.click(own);
  expect(ask).toHaveBeenCalled();
  await waitFor(() => expect(own.getAttribute("aria-checked")).toBe("true"));
});
