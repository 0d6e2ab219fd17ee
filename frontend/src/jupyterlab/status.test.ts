import { expect, test } from "vitest";
import { idleLoss, type LabStatus, languageOf, statusLine } from "./status";

const STATUS: LabStatus = {
  name: "sam",
  is_own: true,
  now: "2026-11-23T10:00:00Z",
  ends_at: "2026-11-23T13:30:00Z",
  gpu: { utilisation_pct: 37.4, memory_mib: 3072, memory_limit_mib: 10240 },
  idle: {
    next: "release",
    next_at: "2026-11-23T10:27:30Z",
    is_warned: false,
    keeps_left: 4,
    keep_s: 3600,
    gpu_state: "held",
  },
  notices: [],
  page_url: "https://portal.example.org/notebooks/1",
  job_form_url: null,
  language: "en",
};
const idle = (change: object) => ({ ...STATUS, idle: { ...STATUS.idle, ...change } }) as LabStatus;

test("says the use of its GPU and when it ends", () => {
  expect(statusLine(STATUS, "en")).toEqual({
    text: "Berth · GPU 37 %, 3.0 GiB of 10.0 GiB · ends in 3 h 30 min",
    isUrgent: false,
  });
  expect(statusLine({ ...STATUS, gpu: null, ends_at: null, idle: null }, "zh-CN").text).toBe(
    "Berth",
  );
  const unmeasured = { ...STATUS, gpu: { ...STATUS.gpu, utilisation_pct: null } } as LabStatus;
  expect(statusLine(unmeasured, "en").text).not.toContain("GPU");
});

test("warns of what its owner was warned of, and of nothing before", () => {
  expect(idleLoss(STATUS, "en")).toBeNull();
  const warned = idle({ is_warned: true });
  expect(idleLoss(warned, "en")).toEqual({ loss: "release", left: "28 min" });
  const line = statusLine(warned, "en");
  expect([line.isUrgent, line.text.endsWith("Idle: the GPU is released in 28 min")]).toEqual([
    true,
    true,
  ]);
  expect(statusLine(idle({ is_warned: true, next: "stop" }), "zh-CN").text).toContain("停止");
});

test("says where its GPU is, and that its end is near", () => {
  expect(statusLine(idle({ gpu_state: "released" }), "en").text).toContain("GPU released");
  expect(statusLine(idle({ gpu_state: "requested" }), "en").text).toContain("waiting for a GPU");
  expect(statusLine({ ...STATUS, ends_at: "2026-11-23T10:20:00Z" }, "en").isUrgent).toBe(true);
});

test("speaks as JupyterLab where that is Chinese, else as the portal", () => {
  expect(languageOf("zh_CN", "en")).toBe("zh-CN");
  expect(languageOf("en", "zh-CN")).toBe("zh-CN");
  expect(languageOf("en", undefined)).toBe("en");
});
