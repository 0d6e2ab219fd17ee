/** Whole objects of the API from the few fields that a test is about. */
import type {
  Accelerator,
  Image,
  Me,
  Node,
  Policy,
  Pool,
  PoolQueue,
  Quota,
  Volume,
  WebApp,
  WorkGlimpse,
  WorkloadDetail,
} from "@/shared/api/types";

const AT = "2026-03-01T09:00:00Z";
const vision = { id: "group-1", name: "vision", title_en: "Vision", title_zh: "视觉" };
export const liWei = { id: "user-1", username: "li.wei", display_name: "Li Wei" };
const development = {
  id: "pool-1",
  name: "development",
  title_en: "Development",
  title_zh: "开发池",
};
export const python = { id: "image-1", name: "python", title_en: "Python", title_zh: "Python" };

export function aMe(fields: Partial<Me> = {}): Me {
  const memberships = [{ group: vision, role: "developer" }];
  const clock = { time_zone: "", hours: "" } as const;
  return { ...liWei, ...clock, kind: "person", platform_role: "", memberships, ...fields };
}

export function aWorkload(fields: Partial<WorkloadDetail> = {}): WorkloadDetail {
  return {
    id: "workload-1",
    kind: "training",
    name: "train",
    state: "running",
    cause: "",
    cause_params: {},
    group: vision,
    tags: [],
    owner: liWei,
    pool: development,
    image: python,
    gpus: 1,
    slices: 0,
    gpu_memory_mib: 0,
    gpu_milli: 0,
    gpu_memory_ceiling_mib: null,
    mig_profile: "",
    gpu_models: [],
    gpu_memory_min_mib: 0,
    gpu_features: [],
    gpu_bandwidth_min_gbps: 0,
    replicas: 1,
    cpu_milli: 4000,
    memory_mib: 16_384,
    priority: "normal",
    time_limit_s: 3600,
    submitted_at: AT,
    queued_at: AT,
    started_at: null,
    finished_at: null,
    ends_at: null,
    exit_code: null,
    checkpointed_at: null,
    retry_at: null,
    restart: {
      rule: "on_infrastructure",
      pause_s: 0,
      free_codes: [],
      final_codes: [],
      after_out_of_memory: false,
    },
    retries: 0,
    retries_max: 0,
    epoch: 1,
    version: 1,
    is_ready: false,
    simulated: false,
    runtime: "process",
    is_isolated: false,
    preemptible: false,
    priority_until: null,
    evictions: 0,
    held_by: "",
    heir: null,
    owner_left_at: null,
    not_before: null,
    array_id: null,
    array_index: null,
    array: null,
    dependencies: [],
    position: null,
    expected_start: null,
    reasons: [],
    idle_warning: null,
    app: null,
    shows: null,
    reservation: null,
    moved_starts: [],
    avoids: [],
    idle: null,
    spec: {
      command: [],
      script: "true",
      env: {},
      hidden_env: [],
      launcher: "plain",
      notice_signal: "SIGTERM",
      datasets: [],
      home: false,
      volumes: [],
      inputs: [],
      ports: [],
      port_names: {},
      secrets: [],
      template: null,
    },
    allocations: [],
    short_disks: [],
    silence: "",
    silent_nodes: [],
    silent_since: null,
    timeline: [],
    ...fields,
  };
}

export function aCard(fields: Partial<Accelerator> = {}): Accelerator {
  return {
    id: "card-1",
    uuid: "SIM-1",
    index: 0,
    vendor: "simulated",
    model: "Simulated 32GB",
    memory_mib: 32_768,
    mode: "shared",
    slices: 8,
    state: "ok",
    fault: "",
    is_retest_due: false,
    island: 0,
    isolation: [],
    driver: "simulated",
    is_simulated: true,
    utilisation_pct: null,
    memory_used_mib: null,
    power_mw: null,
    temperature_c: null,
    holders: [],
    ...fields,
  };
}

/** The first `count` slots taken, of which the first `mine` by the reader. */
export function takenSlots(count: number, mine = 0): Accelerator["holders"] {
  return Array.from({ length: count }, (_, slot) => ({
    slot,
    mine: slot < mine,
    lent: false,
    visible: false,
    workload_id: null,
    workload_name: null,
    owner: null,
  }));
}

export function aNode(fields: Partial<Node> = {}): Node {
  return {
    id: "node-1",
    name: "gpu-dev-1",
    pool: development,
    state: "ready",
    hold: "",
    drain_until: null,
    drain_stops: false,
    faults: [],
    runtime: "process",
    is_isolated: false,
    address: "127.0.0.1",
    cpu_milli: 96_000,
    cpu_used_milli: 0,
    memory_mib: 524_288,
    memory_used_mib: 0,
    containers_held: 0,
    agent_version: "1",
    last_seen_at: AT,
    silent_since: null,
    lost_as: "",
    models: [{ name: aCard().model, known: null }],
    accelerators: [aCard()],
    ...fields,
  };
}

export function aPool(fields: Partial<Pool> = {}): Pool {
  return {
    ...development,
    purpose: "development",
    mode: "shared",
    isolation: "timeslice",
    slices_per_card: 8,
    slice_mib: 4096,
    cpu_overcommit_pct: 400,
    default_time_limit_s: 28_800,
    time_limit_s_max: 604_800,
    is_open: true,
    backend: "agents",
    version: 1,
    models: [],
    capacity: {
      nodes: 1,
      gpus_total: 1,
      gpus_free: 1,
      gpus_lost: 0,
      slices_total: 8,
      slices_free: 8,
      largest_free: 8,
      waiting: 0,
      is_simulated: true,
      model: "Simulated 32GB",
      memory_mib: 32_768,
    },
    limits: {
      gpus_max: 0,
      slices_max: 8,
      gpu_memory_mib_max: 0,
      burst_pct: 100,
      profiles: [],
      cpu_milli_max: 384_000,
      memory_mib_max: 524_288,
      replicas_max: 1,
    },
    ...fields,
  };
}

export function anImage(fields: Partial<Image> = {}): Image {
  return {
    ...python,
    description_en: "Plain Python",
    description_zh: "Python",
    for_environments: true,
    for_training: true,
    is_active: true,
    reference: null,
    version: 1,
    ...fields,
  };
}

export function aWebApp(fields: Partial<WebApp> = {}): WebApp {
  return {
    id: "app-1",
    name: "tensorboard",
    title_en: "TensorBoard",
    title_zh: "TensorBoard",
    description_en: "",
    description_zh: "",
    icon: "chart",
    image: anImage(),
    command: ["tensorboard", "--logdir={folder}", "--port={port}"],
    served_at: "path",
    writes: false,
    cpu_milli: 1000,
    memory_mib: 1024,
    idle_s: 1800,
    time_limit_s: 28_800,
    is_active: true,
    version: 1,
    ...fields,
  };
}

export function aPage<T>(results: T[]) {
  return { next: null, previous: null, results };
}

export function aGlimpse(fields: Partial<WorkGlimpse> = {}): WorkGlimpse {
  return {
    id: "workload-1",
    name: "train",
    owner: liWei,
    group: vision,
    mine: false,
    kind: "training",
    gpus: 1,
    slices: 0,
    replicas: 1,
    preemptible: false,
    ...fields,
  };
}

export function aQueue(fields: Partial<PoolQueue> = {}): PoolQueue {
  return { waiting_total: 0, waiting: [], reservations: [], running: [], ...fields };
}

export function aQuota(fields: Partial<Quota> = {}): Quota {
  return {
    id: "quota-1",
    group: vision,
    pool: development,
    resource: "gpu",
    model: "",
    guarantee: 0,
    deserved: 0,
    ceiling: 6000,
    user_ceiling: null,
    weight: "medium",
    used: 0,
    my_used: 0,
    ...fields,
  };
}

export function aPolicy(fields: Partial<Policy> = {}): Policy {
  return {
    queue: "best_effort",
    packing: "pack",
    order: "age",
    patience_s: 21_600,
    stretch: 1,
    turn_s: 0,
    backfill_depth: 1,
    preemption: true,
    reclaim: true,
    min_runtime_s: 600,
    reclaim_min_runtime_s: 0,
    grace_s: 60,
    consolidate: false,
    victims_max: 64,
    fall_back: [],
    lending: { to_pools: [], windows: [], by_day: true, keep_gpus: 0, bound_s: 120 },
    isolation: "timeslice",
    burst_pct: 100,
    mix_groups: false,
    silence: "keep",
    idle_warn_s: 1800,
    idle_release_s: 7200,
    idle_stop_s: 86_400,
    idle_keep_s: 3600,
    idle_keeps_max: 4,
    ...fields,
  };
}

/** The home of who is signed in. */
export function aHome(fields: Partial<Volume> = {}): Volume {
  return {
    id: "home-1",
    kind: "home",
    name: "wang.fang",
    description: "",
    group: null,
    owner: null,
    access: "write",
    writers: "developer",
    location: "shared",
    node: null,
    mount_path: "/home/berth",
    folder_name: "home",
    quota_mib: 0,
    used_mib: null,
    measured_at: null,
    is_full: false,
    is_writable_below: true,
    may_manage: false,
    state: "active",
    uses: 0,
    created_at: "2026-11-23T06:00:00Z",
    removed_at: null,
    ...fields,
  };
}
