import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import type { Directory } from "@/shared/api/types";
import { aMe, aPage } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { DirectoriesPage } from "./directories-page";

const entra: Directory = {
  id: "directory-1",
  name: "entra",
  title: "Entra ID",
  links_existing: false,
  rules: [{ external_group: "Vision", group: "vision", role: "developer" }],
  issuer: "https://login.example.org",
  client_id: "berth",
  has_client_secret: true,
  subject_claim: "sub",
  groups_claim: "groups",
  ldap: null,
  has_bind_password: false,
  synced_at: null,
  sync_fault: null,
  callback_url: "https://berth.example.org/sign-in/oidc/entra/callback",
  scim_url: "https://berth.example.org/scim/v2",
  has_token: false,
  scim_used_at: null,
  signed_in_at: null,
  applied_at: null,
  people: 3,
  external_groups: 2,
  version: 7,
};
const vision = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "Vision" };
const ONE = "/api/v1/directories/directory-1";

function show(directories: Directory[], routes: Record<string, unknown> = {}) {
  const asked = serve({
    "GET /api/v1/directories": aPage(directories),
    [`GET ${ONE}/external-groups`]: aPage([]),
    "GET /api/v1/groups": aPage([vision]),
    ...routes,
  });
  renderPart(<DirectoriesPage />, aMe({ platform_role: "platform_admin" }));
  return (route: string) => asked.filter((item) => item.route === route).map(({ body }) => body);
}

it("says why a directory cannot be read", async () => {
  const fault = { code: "ldap_unreachable", params: { host: "dc1.example.org" } };
  show([{ ...entra, issuer: "", ldap: {} as never, sync_fault: fault }]);
  expect(await screen.findByText("dc1.example.org does not answer.")).toBeTruthy();
  expect(screen.getByText("LDAP")).toBeTruthy();
});

it("puts rules in force only after it was seen who gains and loses what", async () => {
  const plan = {
    changes: [
      { kind: "take_role", username: "ada", group: "vision", before: "developer", after: "" },
    ],
    changes_total: 1,
    kept: [],
    kept_total: 0,
    unknown_groups: [],
  };
  const bodies = show([entra], { [`POST ${ONE}/plan`]: plan, [`PATCH ${ONE}`]: entra });
  fireEvent.click(await screen.findByLabelText("Rules of Entra ID"));
  fireEvent.click(await screen.findByLabelText("Remove rule 1"));
  const press = (words: string) =>
    fireEvent.click(within(screen.getByRole("dialog")).getByText(words, { selector: "button *" }));
  press("Show who gains and loses what");
  expect(await screen.findByText("ada loses Developer in Vision")).toBeTruthy();
  expect(bodies(`PATCH ${ONE}`)).toEqual([]);
  press("Put rules in force");
  await expect.poll(() => bodies(`PATCH ${ONE}`)).toEqual([{ rules: [], version: 7 }]);
});
