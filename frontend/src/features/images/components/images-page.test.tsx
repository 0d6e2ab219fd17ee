import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { aMe, anImage, aPage, aWorkload } from "@/testing/factories";
import { problem, serve } from "@/testing/fake-server";
import { aRetention, aSavedImage } from "@/testing/images";
import { renderPart } from "@/testing/render";
import { ImagesPage } from "./images-page";

const python = anImage({ id: "image-1", reference: "berth/python:1" });
const old = anImage({
  id: "image-2",
  name: "torch-1",
  title_en: "Old PyTorch",
  reference: "berth/torch:1",
  is_active: false,
});

function show(routes: Record<string, unknown> = {}, role = "platform_admin") {
  const saved = aPage([aSavedImage()]);
  const asked = serve({
    "GET /api/v1/images": aPage([python, old, anImage({ id: "saved-1", name: "li.wei/fixed" })]),
    "GET /api/v1/saved-images": saved,
    "GET /api/v1/image-builds": { blocker: null, size_mib_max: 51_200 },
    "GET /api/v1/pools": aPage([]),
    "GET /api/v1/registries": aPage([]),
    "GET /api/v1/groups": aPage([]),
    "GET /api/v1/image-retention": aRetention(),
    "GET /api/v1/image-retention/groups/group-1": aRetention(),
    ...routes,
  });
  renderPart(<ImagesPage />, aMe({ platform_role: role }));
  return asked;
}

/** By label or words: looking for roles in a page of forms takes seconds. */
async function fill(name: string, text: string) {
  fireEvent.change(await screen.findByLabelText(name), { target: { value: text } });
}

async function press(words: string) {
  fireEvent.click(await screen.findByText(words, { selector: "button *" }));
}

it("keeps in the address whose nodes are shown", async () => {
  const nodes = { may_pull: false, nodes: [] };
  show({ "GET /api/v1/images/image-1/nodes": nodes }, "none");
  fireEvent.click(await screen.findByLabelText("Nodes with python"));
  expect(await screen.findByText("No node has a container engine.")).toBeTruthy();
  fireEvent.click(screen.getByLabelText("Close"));
  await waitFor(() => expect(screen.queryByText("No node has a container engine.")).toBeNull());
});

it("withdraws an image after a question that says what it means", async () => {
  const route = "PATCH /api/v1/images/image-1";
  const asked = show({ [route]: { ...python, is_active: false } });
  fireEvent.click(await screen.findByLabelText("Withdraw python"));
  expect(await screen.findByText(/Running work is not affected/)).toBeTruthy();
  await press("Yes, withdraw");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({ is_active: false }),
  );
  await waitFor(() =>
    expect(asked.filter(({ route: one }) => one === "GET /api/v1/images").length).toBe(2),
  );
  expect(screen.getByText("Withdrawn")).toBeTruthy();
  expect(screen.getByLabelText("Offer torch-1 again")).toBeTruthy();
});

it("adds an image, and says at its field what the server refuses", async () => {
  const route = "POST /api/v1/images";
  const refusal = { pointer: "/reference", code: "invalid", detail: "No engine could name this." };
  const asked = show({ [route]: () => problem(422, "invalid", { errors: [refusal] }) });
  await press("Add image");
  await fill("Name", "torch-2.9");
  await fill("Title in English", "PyTorch 2.9");
  await fill("Title in Chinese", "PyTorch 2.9");
  await fill("Reference", "example.org/torch:2.9");
  await press("Save image");
  expect(await screen.findByText("No engine could name this.")).toBeTruthy();
  expect(asked.find((one) => one.route === route)?.body).toEqual({
    name: "torch-2.9",
    title_en: "PyTorch 2.9",
    title_zh: "PyTorch 2.9",
    description_en: "",
    description_zh: "",
    reference: "example.org/torch:2.9",
    for_environments: false,
    for_training: true,
  });
});

it("changes an image, whose name stays", async () => {
  const route = "PATCH /api/v1/images/image-1";
  const asked = show({ [route]: python });
  fireEvent.click(await screen.findByLabelText("Edit python"));
  expect(await screen.findByLabelText("Name")).toHaveProperty("disabled", true);
  await fill("Title in English", "Python 3");
  await press("Save image");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      title_en: "Python 3",
      title_zh: python.title_zh,
      description_en: python.description_en,
      description_zh: python.description_zh,
      reference: "berth/python:1",
      for_environments: true,
      for_training: true,
      version: 1,
    }),
  );
});

it("lets others look only, without references", async () => {
  show({ "GET /api/v1/images": aPage([anImage()]) }, "operator");
  expect(await screen.findByText("Plain Python")).toBeTruthy();
  expect(screen.queryByText("Add image")).toBeNull();
  expect(screen.queryByText("Reference")).toBeNull();
});

const SAVED = "/api/v1/saved-images/saved-1";

it("lists saved images apart from those of the platform", async () => {
  show({}, "");
  const saved = await screen.findByRole("table", { name: "Saved images" });
  await waitFor(() => expect(saved.textContent).toContain("li.wei/fixed"));
  expect(saved.textContent).toContain("2.0 GiB");
  expect(saved.textContent).toContain("Only me");
  const platform = await screen.findByRole("table", { name: "Images of the platform" });
  expect(platform.textContent).not.toContain("li.wei/fixed");
});

it("lists saved images page after page", async () => {
  const next = "http://localhost/api/v1/saved-images?cursor=older";
  const older = aPage([aSavedImage({ id: "saved-2", name: "li.wei/older" })]);
  const asked = show({
    "GET /api/v1/saved-images": ({ url }: { url: string }) =>
      url.includes("cursor=older") ? older : { ...aPage([aSavedImage()]), next },
  });
  await press("Show more");
  expect(await screen.findByText("li.wei/older")).toBeTruthy();
  expect(screen.getByText("li.wei/fixed")).toBeTruthy();
  expect(screen.queryByText("Show more")).toBeNull();
  expect(asked.filter(({ url }) => url.includes("cursor=older")).length).toBe(1);
});

it("renames and shares a saved image", async () => {
  const route = `PATCH ${SAVED}`;
  const asked = show({ [route]: aSavedImage() }, "");
  fireEvent.click(await screen.findByLabelText("Edit li.wei/fixed"));
  await fill("Name", "better");
  fireEvent.click(screen.getByLabelText("Everyone in Vision"));
  await press("Save");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      name: "better",
      note: "with flash-attn",
      is_shared: true,
    }),
  );
});

it("removes a saved image, and says when work still uses it", async () => {
  const route = `DELETE ${SAVED}`;
  const detail = "Notebooks or jobs that have not ended use this image (1).";
  const asked = show({ [route]: () => problem(409, "image_in_use", { detail }) }, "");
  fireEvent.click(await screen.findByLabelText("Remove li.wei/fixed"));
  await screen.findByText(/^Remove this image\?/);
  const buttons = screen.getAllByText("Remove", { selector: "button *" });
  fireEvent.click(buttons[buttons.length - 1] as HTMLElement);
  await waitFor(() => expect(asked.some((one) => one.route === route)).toBe(true));
  expect(await screen.findByText(detail)).toBeTruthy();
});

it("offers nothing about an image that only others may change", async () => {
  const shared = aSavedImage({ is_shared: true, may_manage: false });
  show({ "GET /api/v1/saved-images": aPage([shared]) }, "");
  expect(await screen.findByText("Everyone in Vision")).toBeTruthy();
  expect(screen.queryByLabelText("Remove li.wei/fixed")).toBeNull();
});

it("lets an administrator unshare an image of another person, and not share it", async () => {
  const owner = { id: "user-2", username: "wang.fang", display_name: "Wang Fang" };
  const name = "wang.fang/fixed";
  const images = [
    aSavedImage({ owner, name }),
    aSavedImage({ owner, id: "saved-2", name: "wang.fang/ours", is_shared: true }),
  ];
  show({ "GET /api/v1/saved-images": aPage(images) });
  fireEvent.click(await screen.findByLabelText(`Edit ${name}`));
  await screen.findByLabelText("Note");
  expect(screen.queryByLabelText("Everyone in Vision")).toBeNull();
  await press("Cancel");
  fireEvent.click(screen.getByLabelText("Edit wang.fang/ours"));
  expect(await screen.findByLabelText("Only Wang Fang")).toBeTruthy();
});

async function build() {
  await press("Build an image…");
  return (await screen.findByText("Built from")).closest("form") as HTMLFormElement;
}

it("builds an image from requirements, with the group and the resources of its job", async () => {
  const route = "POST /api/v1/image-builds";
  const asked = show({ [route]: aWorkload({ id: "job-9", kind: "training" }) });
  const form = within(await build());
  expect(form.getByText("The whole image may take at most 50.0 GiB.")).toBeTruthy();
  fireEvent.mouseDown(form.getByLabelText("Built on"));
  fireEvent.click((await screen.findAllByTitle("Python"))[0] as HTMLElement);
  fireEvent.change(form.getByLabelText(/^Python packages/), { target: { value: "numpy==2.1\n" } });
  fireEvent.change(form.getByLabelText(/^System packages/), { target: { value: "gcc,  git" } });
  fireEvent.change(form.getByLabelText("Name"), { target: { value: "made" } });
  await press("Build");
  await waitFor(() =>
    expect(asked.find((one) => one.route === route)?.body).toEqual({
      name: "made",
      note: "",
      is_shared: false,
      group: aMe().memberships[0]?.group.name,
      cpu_milli: 2000,
      memory_mib: 8192,
      image: "python",
      requirements: "numpy==2.1\n",
      packages: ["gcc", "git"],
    }),
  );
});

it("shows the line of a Dockerfile that cannot be built at its field", async () => {
  const fault = {
    pointer: "/dockerfile",
    code: "build_one_from",
    detail: "Line 3: only one FROM.",
  };
  const asked = show({
    "POST /api/v1/image-builds": () => problem(422, "build_one_from", { errors: [fault] }),
  });
  const form = within(await build());
  fireEvent.click(form.getByLabelText("Dockerfile"));
  const text = "FROM python\nRUN true\nFROM other";
  fireEvent.change(await form.findByLabelText("Dockerfile", { selector: "textarea" }), {
    target: { value: text },
  });
  fireEvent.change(form.getByLabelText("Name"), { target: { value: "made" } });
  await press("Build");
  expect(await screen.findByText("Line 3: only one FROM.")).toBeTruthy();
  const sent = asked.find((one) => one.route === "POST /api/v1/image-builds")?.body;
  expect(sent).toMatchObject({ dockerfile: text });
  expect(sent).not.toHaveProperty("requirements");
});

it("says why nothing can be built instead of offering it", async () => {
  const blocker = { code: "build_needs_engine", params: {} };
  show({ "GET /api/v1/image-builds": { blocker, size_mib_max: 0 } });
  expect(await screen.findByText(/no node has a container engine/)).toBeTruthy();
  expect(screen.queryByText("Build an image…")).toBeNull();
});
