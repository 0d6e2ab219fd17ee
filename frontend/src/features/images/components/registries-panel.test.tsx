import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe, aPage } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { RegistriesPanel } from "./registries-panel";

const hub = {
  id: "registry-1",
  host: "hub.example.org:5443",
  username: "puller",
  changed_at: "2026-01-01T08:00:00Z",
  changed_by: { id: "user-2", username: "wang.fang", display_name: "Wang Fang" },
  last_used_at: null,
};

function show(routes: Record<string, unknown>) {
  const asked = serve({ "GET /api/v1/registries": aPage([hub]), ...routes });
  renderPart(<RegistriesPanel />, aMe({ platform_role: "platform_admin" }));
  return asked;
}

async function fill(name: string, text: string) {
  fireEvent.change(await screen.findByLabelText(name), { target: { value: text } });
}

it("adds a login, and says at its field what the server refuses", async () => {
  const route = "POST /api/v1/registries";
  const detail = "There is a login for hub.example.org:5443 already. Change that one.";
  const refusal = { pointer: "/host", code: "registry_taken", detail };
  const asked = show({ [route]: () => problem(409, "registry_taken", { errors: [refusal] }) });
  fireEvent.click(await screen.findByText("Add login…"));
  await fill("Registry", "https://hub");
  await fill("User name", "puller");
  await fill("Password or token", "secret");
  fireEvent.click(screen.getByText("Save login"));
  expect(await screen.findByText(/Enter a host name with a dot or a port/)).toBeTruthy();
  await fill("Registry", "hub.example.org:5443");
  fireEvent.click(screen.getByText("Save login"));
  expect(await screen.findByText(detail)).toBeTruthy();
  expect(asked.find((one) => one.route === route)?.body).toEqual({
    host: "hub.example.org:5443",
    username: "puller",
    password: "secret",
  });
});

it("replaces a login without showing the one that is stored", async () => {
  const route = "PUT /api/v1/registries/registry-1";
  const asked = show({ [route]: hub });
  fireEvent.click(await screen.findByLabelText("Replace the login of hub.example.org:5443"));
  expect(await screen.findByLabelText("Registry")).toHaveProperty("disabled", true);
  expect(screen.getByLabelText("Password or token")).toHaveProperty("value", "");
  await fill("Password or token", "new");
  fireEvent.click(screen.getByText("Save login"));
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      username: "puller",
      password: "new",
    }),
  );
});

it("says when there is none", async () => {
  show({ "GET /api/v1/registries": aPage([]) });
  expect(await screen.findByText(/No registry has a login/)).toBeTruthy();
});
