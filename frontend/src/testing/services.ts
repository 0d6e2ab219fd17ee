/** Services for tests, whole. */
import type { ServiceDetail, ServiceReplica, ServiceRevision } from "@/shared/api/types";
import { liWei } from "./factories";

const AT = "2026-03-01T09:00:00Z";
const vision = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" };

export const ONE_SERVICE = "/api/v1/services/service-1";

export function aRevision(fields: Partial<ServiceRevision> = {}): ServiceRevision {
  return {
    number: 1,
    created_at: AT,
    created_by: liWei,
    proved_at: AT,
    failed_at: null,
    failure: null,
    spec: {
      preset: "vllm",
      image: "vllm",
      model: "/volumes/models/qwen",
      command: [],
      arguments: ["--max-model-len", "8192"],
      env: {},
      datasets: [],
      home: false,
      volumes: [],
      secrets: [],
      port: null,
      readiness_path: "/health",
      start_deadline_s: 1800,
      pool: "",
      gpus: 1,
      slices: 0,
      gpu_milli: 0,
      gpu_memory_mib: 0,
      gpu_memory_ceiling_mib: null,
      mig_profile: "",
      gpu_models: [],
      gpu_memory_min_mib: 0,
      gpu_features: [],
      gpu_bandwidth_min_gbps: 0,
      cpu_milli: 4000,
      memory_mib: 16_384,
    },
    ...fields,
  };
}

export function aService(fields: Partial<ServiceDetail> = {}): ServiceDetail {
  return {
    id: "service-1",
    name: "chat",
    path: "/vision/chat",
    group: vision,
    owner: liWei,
    state: "running",
    status: "ready",
    quality: "latency",
    target_ms: 2000,
    is_first_token: true,
    rate_milli: 0,
    replicas: {
      ...{ min: 1, max: 4, wanted: 2 },
      ...{ waiting: 0, starting: 0, ready: 2, draining: 0, ending: 0 },
    },
    revision: 1,
    stable_revision: 1,
    canary: null,
    refusal: null,
    version: 7,
    created_at: AT,
    zero_after_s: 600,
    hold_max: 1000,
    hold_deadline_s: 300,
    drain_s: 600,
    capacity: { open_requests: 32, answers: 0 },
    cold_start: { p50_ms: 60_000, p90_ms: 60_000, seen: 0 },
    share: { claims_since: null, easy_since: null, given: 0 },
    forecast: null,
    current: aRevision(),
    ...fields,
  };
}

export function aReplica(fields: Partial<ServiceReplica> = {}): ServiceReplica {
  return {
    id: "replica-1",
    name: "chat-1",
    revision: 1,
    stage: "ready",
    state: "running",
    cause: null,
    open_requests: 0,
    draining_since: null,
    created_at: AT,
    started_at: AT,
    finished_at: null,
    ...fields,
  };
}
