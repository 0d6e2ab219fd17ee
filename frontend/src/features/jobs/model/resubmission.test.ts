import { expect, it } from "vitest";
import { anImage, aPool, aWorkload } from "@/testing/factories";
import { type JobFormValues, jobInput } from "./job-form";
import { jobFormLike, jobFormOf, resubmission } from "./resubmission";
import { readJobOrigin } from "./tabs";

const job = aWorkload({
  name: "train",
  gpus: 2,
  replicas: 3,
  memory_mib: 16_384,
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
  spec: {
    script: "",
    command: ["python", "-c", "print('a b')"],
    env: { A: "1" },
    hidden_env: [],
    ports: [6006],
    datasets: ["imagenet"],
    home: false,
    volumes: [{ id: "1", name: "shared" }],
    inputs: [{ job: "0", name: "stage-1" }],
    secrets: [{ name: "hub", scope: "group", as: "env", target: "HUB_TOKEN" }],
    launcher: "torchrun",
    notice_signal: "none",
  },
});
const offered = {
  groups: [job.group] as const,
  pools: [aPool({ id: job.pool.id, name: job.pool.name })] as const,
  images: [anImage({ id: job.image.id, name: job.image.name })],
  group: job.group.name,
};

it("submits the same again when nothing is changed", () => {
  expect(jobInput(jobFormOf(job, offered) as JobFormValues)).toEqual({
    name: "train",
    home: false,
    volumes: ["shared"],
    inputs: [{ job: "0", name: "stage-1" }],
    group: job.group.name,
    pool: job.pool.name,
    image: job.image.name,
    command: ["python", "-c", "print('a b')"],
    env: { A: "1" },
    ports: [6006],
    secrets: [{ name: "hub", scope: "group", as: "env", target: "HUB_TOKEN" }],
    datasets: ["imagenet"],
    gpus: 2,
    replicas: 3,
    launcher: "torchrun",
    cpu_milli: job.cpu_milli,
    memory_mib: 16_384,
    time_limit_s: job.time_limit_s,
    priority: "high",
    preemptible: true,
    notice_signal: "none",
    retries_max: 2,
    restart: {
      rule: "on_failure",
      pause_s: 120,
      free_codes: [75],
      final_codes: [2],
      after_out_of_memory: true,
    },
  });
});

it("leaves open what is no longer offered", () => {
  const form = jobFormOf(job, { ...offered, images: [] });
  expect(form).not.toHaveProperty("image");
});

it("leaves the values that only the owner sees to be filled in", () => {
  const spec = { ...job.spec, env: {}, hidden_env: ["KEY"] };
  expect(jobFormOf({ ...job, spec }, offered).env).toEqual([{ name: "KEY", value: "" }]);
  expect(resubmission({ ...job, spec }).env).toEqual({ KEY: "" });
});

it("goes on from a notebook with its image, size and files, and a file of the home", () => {
  const form = jobFormLike(job, { notebook: job.id, file: "train.py" }, offered);
  expect(form).toMatchObject({
    image: job.image.name,
    volumes: ["shared"],
    home: true,
    way: "script",
    ports: [],
  });
  expect(form.script).toContain("python 'train.py'");
});

it("reads the outputs of a job in a new one", () => {
  expect(jobFormLike(job, { outputs: job.id }, offered)).toEqual({
    group: job.group.name,
    pool: job.pool.name,
    image: job.image.name,
    inputs: [{ job: job.id, name: "train" }],
  });
});

it("reads what the address names", () => {
  expect(readJobOrigin({ notebook: "1", file: "a.py", other: "x", outputs: 3 })).toEqual({
    notebook: "1",
    file: "a.py",
  });
});
