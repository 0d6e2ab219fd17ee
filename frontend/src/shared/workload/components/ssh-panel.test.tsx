import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import type { WorkloadDetail } from "@/shared/api/types";
import { useConfig } from "@/shared/session/me";
import { aPage, aWorkload } from "@/testing/factories";
import { serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";
import { SshPanel } from "./ssh-panel";

const SITE = { portal_url: "https://portal.example", ssh_port: 8022 };
const NOTEBOOK: Partial<WorkloadDetail> = {
  kind: "environment",
  name: "lab",
  state: "running",
  runtime: "docker",
};

function show(fields: Partial<WorkloadDetail> = {}, routes: Record<string, unknown> = {}) {
  serve({
    "GET /api/v1/config": SITE,
    "GET /api/v1/ssh-keys": aPage([{ id: "key-1" }]),
    ...routes,
  });
  renderPart(
    <>
      <SshPanel workload={aWorkload({ ...NOTEBOOK, ...fields })} />
      <Known />
    </>,
  );
}

function Known() {
  return useConfig() ? "config is known" : null;
}

/** The texts to copy, top to bottom. */
async function lines(): Promise<(string | null)[]> {
  await screen.findByText("Connect by SSH");
  return [...document.querySelectorAll("pre")].map(({ textContent }) => textContent);
}

it("has lines with the work's own name for ssh, its configuration and VS Code", async () => {
  show();
  expect(await lines()).toEqual([
    "ssh -p 8022 lab@portal.example",
    "Host berth-lab\n  HostName portal.example\n  Port 8022\n  User lab\n  ServerAliveInterval 30",
    "code --remote ssh-remote+berth-lab /workspace",
  ]);
  expect(screen.getByRole("link", { name: "Open in VS Code", hidden: true })).toHaveProperty(
    "href",
    "vscode://vscode-remote/ssh-remote+berth-lab/workspace",
  );
  expect(screen.queryByText("Add an SSH key")).toBeNull();
});

// A shell would take the first apart, the second leads to the volumes, all tasks of an array share one.
it.each<Partial<WorkloadDetail>>([{ name: "训练 1" }, { name: "files" }, { array_index: 3 }])(
  "uses the id where the name does not lead there: %o",
  async (fields) => {
    show(fields);
    expect((await lines())[0]).toBe("ssh -p 8022 workload-1@portal.example");
  },
);

it("names no folder where it does not know one", async () => {
  show({ runtime: "process" });
  expect((await lines())[2]).toBe("code --remote ssh-remote+berth-lab");
  expect(screen.queryByText("Open in VS Code")).toBeNull();
});

it("leads a reader without a key to where one is added", async () => {
  show({}, { "GET /api/v1/ssh-keys": aPage([]) });
  const link = await screen.findByText("Add an SSH key");
  expect(link.getAttribute("href")).toBe("/ssh-keys");
});

it.each([
  [{ state: "suspended" as const }, SITE],
  [{ owner: { id: "other", username: "other", display_name: "" } }, SITE],
  [{}, { ...SITE, ssh_port: null }],
])("shows nothing where it leads nowhere: %o", async (fields, config) => {
  show(fields, { "GET /api/v1/config": config });
  await screen.findByText("config is known");
  expect(screen.queryByText("Connect by SSH")).toBeNull();
});
