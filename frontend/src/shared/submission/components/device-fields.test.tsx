import { screen, waitFor } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { Button, Form } from "antd";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import type { Pool } from "@/shared/api/types";
import { aPool } from "@/testing/factories";
import { renderPart } from "@/testing/render";
import { type DeviceForm, devicesOf } from "../model/devices";
import { DeviceFields } from "./device-fields";

const { limits } = aPool();
const sharing = aPool({
  id: "sharing",
  slices_per_card: 1,
  slice_mib: 0,
  limits: { ...limits, slices_max: 0, gpu_memory_mib_max: 32_768, burst_pct: 150 },
});
const cut = aPool({
  id: "cut",
  mode: "mig",
  limits: { ...limits, slices_max: 0, profiles: ["1g.10gb", "3g.40gb"] },
});

function Harness({ pools, onSend }: { pools: Pool[]; onSend: (form: DeviceForm) => void }) {
  const [index, setIndex] = useState(0);
  return (
    <Form<DeviceForm> layout="vertical" onFinish={onSend}>
      <DeviceFields pool={pools[index] as Pool} />
      <Button onClick={() => setIndex((index + 1) % pools.length)}>next pool</Button>
      <Button htmlType="submit">send</Button>
    </Form>
  );
}

function show(...pools: Pool[]) {
  const onSend = vi.fn<(form: DeviceForm) => void>();
  renderPart(<Harness pools={pools} onSend={onSend} />);
  const send = async () => {
    await userEvent.click(await screen.findByRole("button", { name: "send" }));
  };
  return { onSend, send };
}

async function type(name: string, text: string) {
  const field = await screen.findByRole("spinbutton", { name });
  await userEvent.clear(field);
  if (text) await userEvent.type(field, text);
}

it("asks a share for a guarantee and a ceiling that the pool allows", async () => {
  const { onSend, send } = show(sharing);
  await type("GPU memory (GiB)", "4");
  await type("GPU memory limit (GiB)", "7");
  await send();
  expect(await screen.findByText("Enter 4 to 6.")).toBeTruthy();
  expect(onSend).not.toHaveBeenCalled();
  await type("GPU memory limit (GiB)", "6");
  await send();
  await waitFor(() => expect(onSend).toHaveBeenCalled());
  const [[form] = []] = onSend.mock.calls;
  const sent = { gpu_milli: 250, gpu_memory_mib: 4096, gpu_memory_ceiling_mib: 6144 };
  expect(devicesOf(form ?? {})).toEqual(sent);
});

it("says what happens when the card is full, and lets the ceiling be", async () => {
  const { onSend, send } = show(sharing);
  expect(await screen.findByText(/Work within its guarantee is not affected/)).toBeTruthy();
  await send();
  await waitFor(() => expect(onSend).toHaveBeenCalled());
  expect(devicesOf(onSend.mock.calls[0]?.[0] ?? {})).toEqual({
    gpu_milli: 250,
    gpu_memory_mib: 8192,
  });
});

it("offers no ceiling where shares do not grow", async () => {
  show({ ...sharing, limits: { ...sharing.limits, burst_pct: 100 } });
  expect(await screen.findByText(/shares in this pool do not grow/)).toBeTruthy();
  expect(screen.queryByRole("spinbutton", { name: /memory limit/ })).toBeNull();
});

it("asks for no GPU at all, in every pool, until one is wanted again", async () => {
  const whole = aPool({ mode: "exclusive", limits: { ...limits, gpus_max: 8 } });
  const { onSend, send } = show(aPool(), cut, whole, sharing);
  await userEvent.click(await screen.findByRole("switch", { name: "No GPU" }));
  for (const _pool of ["slices", "profile", "gpus", "share"]) {
    expect(screen.queryByRole("spinbutton")).toBeNull();
    onSend.mockClear();
    await send();
    await waitFor(() => expect(onSend).toHaveBeenCalled());
    expect(devicesOf(onSend.mock.calls[0]?.[0] ?? {})).toEqual({ gpus: 0 });
    await userEvent.click(screen.getByRole("button", { name: "next pool" }));
  }
  await userEvent.click(screen.getByRole("switch", { name: "No GPU" }));
  onSend.mockClear();
  await send();
  await waitFor(() => expect(onSend).toHaveBeenCalled());
  expect(devicesOf(onSend.mock.calls[0]?.[0] ?? {})).toEqual({ slices: 1 });
});

it("says where no GPU is chosen to those who type a zero", async () => {
  const { onSend, send } = show(aPool({ mode: "exclusive", limits: { ...limits, gpus_max: 8 } }));
  await type("GPUs", "0");
  await send();
  expect(await screen.findByText(/^Enter 1 to 8\. .*turn on No GPU/)).toBeTruthy();
  expect(onSend).not.toHaveBeenCalled();
});

it("starts over in another pool, and sends only what that one gives", async () => {
  const whole = aPool({ mode: "exclusive", limits: { ...limits, gpus_max: 8 } });
  const { onSend, send } = show(aPool(), cut, whole);
  await type("Slices", "3");
  for (const sent of [{ slices: 3 }, { mig_profile: "1g.10gb" }, { gpus: 1 }]) {
    onSend.mockClear();
    await send();
    await waitFor(() => expect(onSend).toHaveBeenCalled());
    expect(devicesOf(onSend.mock.calls[0]?.[0] ?? {})).toEqual(sent);
    await userEvent.click(screen.getByRole("button", { name: "next pool" }));
  }
});
