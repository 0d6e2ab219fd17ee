import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { aMe } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart, speak } from "@/testing/render";
import { SignInForm } from "./sign-in-form";

const SESSION = "GET /_allauth/browser/v1/auth/session";
const CONFIG = "GET /api/v1/config";
const LOGIN = "POST /_allauth/browser/v1/auth/login";

const CODE = "POST /_allauth/browser/v1/auth/2fa/authenticate";
const PENDING = {
  status: 401,
  data: {
    flows: [
      { id: "login" },
      { id: "mfa_authenticate", is_pending: true, types: ["totp", "recovery_codes"] },
    ],
  },
  meta: { is_authenticated: false },
};

async function enterCode(code: string) {
  await userEvent.type(await screen.findByLabelText("Code"), code);
  await userEvent.click(screen.getByRole("button", { name: "Confirm" }));
}

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
    const sent = asked.filter(({ route }) => route !== CONFIG);
    expect(sent.map(({ route }) => route)).toEqual([SESSION, LOGIN, "GET /api/v1/me"]);
    expect(sent[1]?.body).toEqual({ username: "li.wei", password: "secret secret" });
  });

  it("signs in although another answer has replaced the CSRF cookie meanwhile", async () => {
    let tries = 0;
    serve({
      [SESSION]: {},
      [LOGIN]: () => {
        tries += 1;
        // biome-ignore lint/suspicious/noDocumentCookie: as the server's answers set it
        document.cookie = "berth-csrf=of-another-answer";
        return Response.json({}, { status: tries === 1 ? 403 : 200 });
      },
      "GET /api/v1/me": aMe(),
    });
    const onSignedIn = vi.fn();
    await signIn(onSignedIn);
    await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
    expect(tries).toBe(2);
  });

  it("says in words that the password is wrong", async () => {
    const refused = { errors: [{ code: "username_password_mismatch", message: "" }] };
    serve({ [SESSION]: {}, [LOGIN]: () => Response.json(refused, { status: 400 }) });
    const onSignedIn = vi.fn();
    await signIn(onSignedIn);
    expect(await screen.findByText("Wrong username or password.")).toBeTruthy();
    expect(onSignedIn).not.toHaveBeenCalled();
  });

  it("asks for the code of who has enrolled an app, and says that one was wrong", async () => {
    let tries = 0;
    const asked = serve({
      [SESSION]: {},
      [LOGIN]: () => Response.json(PENDING, { status: 401 }),
      [CODE]: () => {
        tries += 1;
        return tries === 1
          ? Response.json({ errors: [{ code: "incorrect_code" }] }, { status: 400 })
          : Response.json({});
      },
      "GET /api/v1/me": aMe(),
    });
    const onSignedIn = vi.fn();
    await signIn(onSignedIn);
    await enterCode("123456");
    expect(await screen.findByText(/^This code is wrong or has been used already/)).toBeTruthy();
    expect(onSignedIn).not.toHaveBeenCalled();
    await userEvent.clear(screen.getByLabelText("Code"));
    await enterCode(" 654321 ");
    await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
    const sent = asked.filter(({ route }) => route === CODE).map(({ body }) => body);
    expect(sent).toEqual([{ code: "123456" }, { code: "654321" }]);
  });

  it("goes back to name and password from the second step", async () => {
    serve({ [SESSION]: {}, [LOGIN]: () => Response.json(PENDING, { status: 401 }) });
    await signIn(vi.fn());
    await userEvent.click(await screen.findByText("Back to username and password"));
    expect(await screen.findByLabelText("Username")).toBeTruthy();
  });

  it("says the second step in Chinese", async () => {
    serve({ [SESSION]: {}, [LOGIN]: () => Response.json(PENDING, { status: 401 }) });
    await signIn(vi.fn());
    await screen.findByLabelText("Code");
    await speak("zh-CN");
    expect(await screen.findByLabelText("验证码")).toBeTruthy();
  });

  it("leads to the reset of a forgotten password only where mail is sent", async () => {
    serve({ [CONFIG]: { has_password_reset: true } });
    renderPart(<SignInForm onSignedIn={vi.fn()} />);
    const link = await screen.findByRole("link", { name: "Forgot your password?" });
    expect(link.getAttribute("href")).toBe("/forgot-password");
  });

  it("offers the directories that are set up, and leads back from them to where somebody was", async () => {
    const sign_in = [{ name: "entra", title: "Entra ID", kind: "oidc" }];
    serve({ [CONFIG]: { sign_in } });
    renderPart(<SignInForm onSignedIn={vi.fn()} next="/jobs?show=all" />);
    const link = await screen.findByRole("link", { name: "Sign in with Entra ID" });
    expect(link.getAttribute("href")).toBe("/sign-in/oidc/entra?next=%2Fjobs%3Fshow%3Dall");
    screen.getByText("Or with a username and password:");
  });

  it("offers no directory where none is set up", async () => {
    serve({ [CONFIG]: { sign_in: [] } });
    renderPart(<SignInForm onSignedIn={vi.fn()} />);
    await screen.findByLabelText("Username");
    expect(screen.queryByText(/Sign in with (?!a passkey)/)).toBeNull();
    expect(screen.queryByText("Or with a username and password:")).toBeNull();
  });

  it.each([
    ["not_provisioned", /has not given you access/],
    ["something_else", /did not work/],
  ])("says why a directory did not let somebody in: %s", async (refused, words) => {
    serve({ [CONFIG]: { sign_in: [] } });
    renderPart(<SignInForm onSignedIn={vi.fn()} refused={refused} />);
    await screen.findByText(words);
  });

  it("asks for the second factor of somebody for whom a directory has vouched", async () => {
    serve({
      [SESSION]: () => Response.json(PENDING, { status: 401 }),
      [CODE]: {},
      "GET /api/v1/me": aMe(),
    });
    const onSignedIn = vi.fn();
    renderPart(<SignInForm onSignedIn={onSignedIn} isSecondStep />);
    await enterCode("123456");
    await waitFor(() => expect(onSignedIn).toHaveBeenCalled());
  });
});
