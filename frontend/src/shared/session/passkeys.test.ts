import { afterEach, expect, it, vi } from "vitest";
import { askPasskey, canUsePasskeys, isDeclined } from "./passkeys";

afterEach(() => vi.unstubAllGlobals());

it("offers passkeys under a name, in browsers that know them", () => {
  expect(canUsePasskeys({ hostname: "berth.example" })).toBe(false);
  vi.stubGlobal("PublicKeyCredential", { parseRequestOptionsFromJSON: () => ({}) });
  expect(canUsePasskeys({ hostname: "berth.example" })).toBe(true);
  expect(canUsePasskeys({ hostname: "10.0.0.1" })).toBe(false);
  expect(canUsePasskeys({ hostname: "[fd00::1]" })).toBe(false);
});

it("passes the server's options to the browser and its answer back", async () => {
  const asked: unknown[] = [];
  vi.stubGlobal("PublicKeyCredential", {
    parseRequestOptionsFromJSON: (options: unknown) => ({ parsed: options }),
  });
  vi.stubGlobal("navigator", {
    credentials: {
      get: async (options: unknown) => {
        asked.push(options);
        return { toJSON: () => ({ id: "key-1" }) };
      },
    },
  });
  expect(await askPasskey({ publicKey: { challenge: "AAAA" } })).toEqual({ id: "key-1" });
  expect(asked).toEqual([{ publicKey: { parsed: { challenge: "AAAA" } } }]);
});

it("takes a closed dialog of the browser as no fault", () => {
  expect(isDeclined(new DOMException("timed out", "NotAllowedError"))).toBe(true);
  expect(isDeclined(new TypeError("network"))).toBe(false);
});
