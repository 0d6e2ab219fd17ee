import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Form } from "antd";
import { expect, it } from "vitest";
import type { Template } from "@/shared/api/types";
import { aMe, anImage, aPage, aPool, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { renderPart } from "@/testing/render";

import { CountField, Lockable, TemplateContext } from "./fields";
import { ReusePanel } from "./reuse-panel";
import { SubmissionStart } from "./start-from";
import { TemplateDialog } from "./template-dialog";

const SAVE = "POST /api/v1/job-templates";
const terms = { settings: { gpus: 2, env: { HUB: "canary" } }, locked: ["env"], ranges: {} };
const template: Template = {
  ...terms,
  ranges: { gpus: { max: 2 } },
  id: "t1",
  kind: "training",
  scope: "platform",
  group: null,
  name: "Small",
  description: "For tests",
  version: 1,
  changed_at: "2026-01-01T00:00:00Z",
  changed_by: null,
  may_change: false,
};

it("stores settings with their locks and ranges, and shows no value of a variable", async () => {
  const asked = serve({ [SAVE]: template });
  let isClosed = false;
  renderPart(
    <TemplateDialog kind="training" terms={terms} onClose={() => (isClosed = true)} />,
    aMe(),
  );
  const dialog = within(await screen.findByRole("dialog"));
  expect(dialog.queryByText(/canary/)).toBeNull();
  fireEvent.change(dialog.getByRole("textbox", { name: "Name" }), { target: { value: "Small" } });
  fireEvent.change(dialog.getByRole("spinbutton", { name: "Maximum of GPUs" }), {
    target: { value: "4" },
  });
  await userEvent.click(dialog.getByRole("button", { name: "Save template" }));
  await waitFor(() => expect(isClosed).toBe(true));
  expect(asked.find(({ route }) => route === SAVE)?.body).toEqual({
    name: "Small",
    description: "",
    scope: "user",
    settings: terms.settings,
    locked: ["env"],
    ranges: { gpus: { max: 4 } },
  });
});

it("asks for the name first, keeps one's own template short, and says that it is saved", async () => {
  serve({ [SAVE]: template });
  renderPart(<TemplateDialog kind="training" terms={terms} onClose={() => {}} />, aMe());
  const name = await screen.findByRole("textbox", { name: "Name" });
  await waitFor(() => expect(document.activeElement).toBe(name));
  const settings = screen.getByRole("heading", { name: "Settings" }).closest("details");
  expect(settings?.open).toBe(false);
  expect(screen.getByText("2 settings are kept")).toBeTruthy();
  await userEvent.type(name, "Small");
  await userEvent.click(screen.getByRole("button", { name: "Save template" }));
  expect(await screen.findByText("Template “Small” is saved.")).toBeTruthy();
});

it("names what it keeps by titles and words, not by codes", async () => {
  const pool = aPool({ name: "training", title_en: "Training" });
  serve({
    "GET /api/v1/pools": aPage([pool]),
    "GET /api/v1/images": aPage([anImage({ name: "jupyter-python", title_en: "JupyterLab" })]),
  });
  const settings = {
    image: "jupyter-python",
    pool: "training",
    priority: "low",
    restart: { rule: "on_infrastructure" },
  };
  renderPart(
    <TemplateDialog
      kind="training"
      terms={{ settings, locked: [], ranges: {} }}
      onClose={() => {}}
    />,
    aMe(),
  );
  for (const words of ["JupyterLab", "Training", "Low", "After infrastructure failures"])
    expect(await screen.findByText(words)).toBeTruthy();
  for (const code of ["jupyter-python", "training", "on_infrastructure"])
    expect(screen.queryByText(code)).toBeNull();
});

it("keeps the dialog with the reason when the server refuses", async () => {
  serve({ [SAVE]: () => problem(409, "template_name_taken", { detail: "Taken there." }) });
  renderPart(<TemplateDialog kind="training" terms={terms} onClose={() => {}} />, aMe());
  fireEvent.change(await screen.findByRole("textbox", { name: "Name" }), {
    target: { value: "Small" },
  });
  await userEvent.click(screen.getByRole("button", { name: "Save template" }));
  expect(await screen.findByText("Taken there.")).toBeTruthy();
});

it("changes no locked field, and keeps a number within its range", async () => {
  renderPart(
    <TemplateContext value={template}>
      <Form>
        <CountField name="gpus" label="GPUs" max={8} />
        <Lockable settings={["env"]}>
          <CountField name="rows" label="Rows" max={8} />
        </Lockable>
      </Form>
    </TemplateContext>,
  );
  expect((await screen.findByRole("spinbutton", { name: "GPUs" })).hasAttribute("disabled")).toBe(
    false,
  );
  expect(screen.getByRole("spinbutton", { name: "Rows" }).hasAttribute("disabled")).toBe(true);
});

it("offers templates and the last configurations, and says what a chosen one holds to", async () => {
  serve({
    "GET /api/v1/job-templates": aPage([template]),
    "GET /api/v1/job-templates/t1": template,
    "GET /api/v1/workloads": aPage([aWorkload({ name: "yesterday" })]),
  });
  const chosen: object[] = [];
  renderPart(
    <SubmissionStart
      title="Submit"
      kind="training"
      origin={{ template: "t1" }}
      onChoose={(origin) => chosen.push(origin)}
    >
      {(body) => <p>{JSON.stringify(body)}</p>}
    </SubmissionStart>,
  );
  expect(await screen.findByText(JSON.stringify(terms.settings))).toBeTruthy();
  const words = await screen.findByTestId("template-terms");
  expect(words.textContent).toBe("Small For tests · Locked: Environment variables · GPUs ≤ 2");
  await userEvent.click(screen.getByRole("combobox"));
  await userEvent.click(await screen.findByText(/^yesterday · /));
  expect(chosen).toEqual([{ from: "workload-1" }]);
});

const LISTS = { "GET /api/v1/job-templates": aPage([]), "GET /api/v1/workloads": aPage([]) };
const work = (kind: "training" | "environment") => ({ work: { kind, id: "gone" } });

it.each([
  ["template", { origin: { template: "t9" } }],
  ["notebook", { origin: {}, ...work("environment") }],
  ["job", { origin: {}, ...work("training") }],
])("offers the form with its defaults where the %s of a link is gone", async (what, from) => {
  serve(LISTS);
  renderPart(
    <SubmissionStart title="Submit" kind="training" {...from} onChoose={() => {}}>
      {(body) => <p>form of {String(body)}</p>}
    </SubmissionStart>,
  );
  const warning = await screen.findByText(new RegExp(`^The ${what} of this link was not found`));
  expect(screen.getByText("form of undefined")).toBeTruthy();
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  await waitFor(() => expect(warning.isConnected).toBe(false));
});

it("offers to ask again, and no form, where a template could not be read", async () => {
  const route = "GET /api/v1/job-templates/t9";
  serve({ ...LISTS, [route]: () => problem(503, "busy", { detail: "Busy." }) });
  renderPart(
    <SubmissionStart title="Submit" kind="training" origin={{ template: "t9" }} onChoose={() => {}}>
      {() => <p>form</p>}
    </SubmissionStart>,
  );
  expect(await screen.findByRole("button", { name: "Try again" })).toBeTruthy();
  expect(screen.queryByText("form")).toBeNull();
});

it("makes a template of work, without what belongs to one submission", async () => {
  const manifest = { apiVersion: "berth/v1", kind: "Job", name: "train", gpus: 2 };
  const asked = serve({
    "GET /api/v1/jobs/workload-1/manifest": manifest,
    [SAVE]: template,
  });
  renderPart(<ReusePanel workload={aWorkload({ kind: "training" })} />, aMe());
  await userEvent.click(await screen.findByRole("button", { name: "Save as template" }));
  fireEvent.change(await screen.findByRole("textbox", { name: "Name" }), {
    target: { value: "Again" },
  });
  await userEvent.click(screen.getByRole("button", { name: "Save template" }));
  await waitFor(() => expect(asked.some(({ route }) => route === SAVE)).toBe(true));
  expect(asked.find(({ route }) => route === SAVE)?.body).toMatchObject({
    name: "Again",
    settings: { gpus: 2 },
  });
});
