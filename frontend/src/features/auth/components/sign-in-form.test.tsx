import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { SignInForm } from "./sign-in-form";

const SESSION = "GET /_allauth/browser/v1/auth/session";
const LOGIN = "POST /_allauth/browser/v1/auth/login";

async function signIn(onSignedIn: () => void) {
  renderPart(<SignInForm onSignedIn={onSignedIn} />);
  await userEvent.type(await screen.findByLabelText("Username"), "li.wei");
  await userEvent.type(screen.getByLabelText("Password"), "secret secret");
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
}

describe("SignInForm", () => {
  it("takes the CSRF cookie first, then signs in", async () => {
    const asked = serve({ [SESSION]: {}, [LOGIN]: {}, "GET /api/v1/me": aMe() });
    const onSignedIn = vi.fn();
    await signIn(onSignedIn);
    await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
    expect(asked.map(({ route }) => route)).toEqual([SESSION, LOGIN, "GET /api/v1/me"]);
    expect(asked[1]?.body).toEqual({ username: "li.wei", password: "secret secret" });
  });

  it("says in words that the password is wrong", async () => {
    const refused = { errors: [{ code: "username_password_mismatch", message: "" }] };
    serve({ [SESSION]: {}, [LOGIN]: () => Response.json(refused, { status: 400 }) });
    const onSignedIn = vi.fn();
    await signIn(onSignedIn);
    expect(await screen.findByText("Wrong username or password.")).toBeTruthy();
    expect(onSignedIn).not.toHaveBeenCalled();
  });
});
