import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { PasswordDialog } from "./password-dialog";

const CHANGE = "POST /_allauth/browser/v1/account/password/change";
const NEW = "a much longer secret";

async function change(again = NEW) {
  const onClose = vi.fn();
  renderPart(<PasswordDialog onClose={onClose} />);
  const fill = (name: string, value: string) =>
    fireEvent.change(screen.getByLabelText(name), { target: { value } });
  await screen.findByLabelText("Current password");
  fill("Current password", "old secret");
  fill("New password", NEW);
  fill("Repeat new password", again);
  fireEvent.click(screen.getByText("Change password", { selector: "button *" }));
  return onClose;
}

it("changes the password and says so", async () => {
  const asked = serve({ [CHANGE]: { status: 200 } });
  const onClose = await change();
  await waitFor(() => expect(onClose).toHaveBeenCalled());
  expect(asked[0]?.body).toEqual({ current_password: "old secret", new_password: NEW });
  expect(await screen.findByText(/^Password changed/)).toBeTruthy();
});

it("says at the field that the current password is wrong", async () => {
  const message = "Please type your current password.";
  const errors = [{ code: "enter_current_password", param: "current_password", message }];
  serve({ [CHANGE]: () => Response.json({ status: 400, errors }, { status: 400 }) });
  const onClose = await change();
  const field = () => screen.getByLabelText("Current password").closest(".ant-form-item");
  await waitFor(() => expect(field()?.textContent).toContain("The current password is wrong."));
  expect(onClose).not.toHaveBeenCalled();
});

it("says that the session has ended", async () => {
  const flows = { status: 401, data: { flows: [{ id: "login" }] } };
  serve({ [CHANGE]: () => Response.json(flows, { status: 401 }) });
  const onClose = await change();
  expect(await screen.findByText(/Your session has expired/)).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

it("sends nothing while the two new ones differ", async () => {
  const asked = serve({});
  await change("something else");
  expect(await screen.findByText("The passwords do not match.")).toBeTruthy();
  expect(asked).toEqual([]);
});

it("says what the gate before the account API refuses", async () => {
  const refusal = { code: "too_many_requests", detail: "Too many requests. Try again in 9 s." };
  serve({ [CHANGE]: () => Response.json(refusal, { status: 429 }) });
  const onClose = await change();
  expect(await screen.findByText(/Too many requests/)).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});
