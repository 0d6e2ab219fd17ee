import { expect, it } from "vitest";
import { scriptFor } from "@/shared/submission/model/files";
import type { SubmissionBody } from "@/shared/submission/model/submission";
import { anImage, aPool } from "@/testing/factories";
import { type JobFormValues, jobInput } from "./job-form";
import { jobFormLike, jobFormOf, readJobOrigin } from "./resubmission";

const job: SubmissionBody & { restart: object } = {
  name: "train",
  group: "vision",
  pool: "training",
  image: "pytorch",
  gpus: 2,
  replicas: 3,
  cpu_milli: 4000,
  memory_mib: 16_384,
  time_limit_s: 3600,
  priority: "high",
  preemptible: true,
  retries_max: 2,
  restart: {
    rule: "on_failure",
    pause_s: 120,
    free_codes: [75],
    final_codes: [2],
    after_out_of_memory: true,
  },
  command: ["python", "-c", "print('a b')"],
  env: { A: "1" },
  ports: [6006],
  datasets: ["imagenet"],
  home: false,
  volumes: ["shared"],
  inputs: [{ job: "0", name: "stage-1" }],
  secrets: [{ name: "hub", scope: "group", as: "env", target: "HUB_TOKEN" }],
  launcher: "torchrun",
  notice_signal: "none",
};
const offered = {
  groups: [{ id: "1", name: "vision", title_en: "Vision", title_zh: "Vision" }] as const,
  pools: [aPool({ name: "training" })] as const,
  images: [anImage({ name: "pytorch" })],
  group: "vision",
};

it("submits the same again when nothing is changed", () => {
  expect(jobInput(jobFormOf(job, offered) as JobFormValues)).toEqual(job);
});

it("submits work without a GPU, and with little memory, as it was", () => {
  const bare = { ...job, gpus: 0, cpu_milli: 250, memory_mib: 256 };
  expect(jobInput(jobFormOf(bare, offered) as JobFormValues)).toEqual(bare);
});

it("leaves open what is no longer offered", () => {
  const form = jobFormOf(job, { ...offered, images: [] });
  expect(form).not.toHaveProperty("image");
});

it("has only what the body has, so that defaults stay", () => {
  expect(jobFormOf({ gpus: 1, env: { KEY: "" } }, offered)).toEqual({
    is_cpu_only: false,
    gpus: 1,
    env: [{ name: "KEY", value: "" }],
  });
});

it("goes on from a notebook with its image, size and files, and a file of the home", () => {
  const form = jobFormLike(job, { notebook: "7", file: "train.py" }, offered);
  expect(form).toMatchObject({
    image: "pytorch",
    volumes: ["shared"],
    home: true,
    way: "file",
    file: "train.py",
    ports: [],
  });
  expect(form).not.toHaveProperty("name");
});

it("leaves open what to run of a notebook of which no file is chosen", () => {
  const form = jobFormLike(job, { notebook: "7" }, offered);
  expect([form.way, form.file]).toEqual(["file", undefined]);
});

it("has its defaults where what the address names is gone, but for the file to run", () => {
  for (const origin of [{ from: "7" }, { outputs: "7" }, { notebook: "7" }, { template: "7" }])
    expect(jobFormLike(undefined, origin, offered)).toEqual({});
  const form = jobFormLike(undefined, { notebook: "7", file: "lab/train.py" }, offered);
  expect(form).toMatchObject({ way: "file", file: "lab/train.py" });
});

it("reads the outputs of a job in a new one, with its program, size and data sets", () => {
  const ran = { ...job, command: [], script: scriptFor("lab/train.py") };
  const form = jobFormLike(ran, { outputs: "7" }, offered);
  expect(form).toMatchObject({
    image: "pytorch",
    gpus: 2,
    cpu: 4,
    datasets: ["imagenet"],
    way: "file",
    file: "lab/train.py",
    inputs: [{ job: "7", name: "train" }],
  });
  expect(form).not.toHaveProperty("name");
});

it("knows the file that a job ran, and its parameters, when it is submitted again", () => {
  const parameters = [{ name: "epochs", value: "10" }];
  const ran = { ...job, command: [], script: scriptFor("lab/study.ipynb", parameters) };
  const form = jobFormLike(ran, { from: "7" }, offered);
  expect(form).toMatchObject({ way: "file", file: "lab/study.ipynb", parameters: "epochs=10" });
  expect(jobInput(form as JobFormValues)).toMatchObject({ script: ran.script });
});

it("goes on from a job: the same again, with its outputs to read", () => {
  const form = jobFormLike(job, { from: "7", outputs: "7" }, offered);
  expect(form).toEqual({
    ...jobFormLike(job, { from: "7" }, offered),
    inputs: [
      { job: "0", name: "stage-1" },
      { job: "7", name: "train" },
    ],
  });
});

it("reads what the address names", () => {
  expect(readJobOrigin({ notebook: "1", file: "a.py", other: "x", outputs: 3 })).toEqual({
    notebook: "1",
    file: "a.py",
  });
});
