import { expect, it, vi } from "vitest";
import { packFiles, sendBatch } from "./batches";

const text = (data: string) => new TextEncoder().encode(data).buffer;

async function bytes(body: Blob): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer());
}

function field(archive: Uint8Array, from: number, length: number): string {
  return new TextDecoder().decode(archive.slice(from, from + length)).replace(/\0.*$/s, "");
}

it("packs files with their sizes in whole blocks, and an end", async () => {
  const { body, starts } = packFiles([
    { path: "数据/a.txt", data: text("hello") },
    { path: "empty", data: text("") },
  ]);
  const archive = await bytes(body);
  expect(starts).toEqual([512, 1536]);
  expect(archive.length).toBe(512 + 512 + 512 + 1024);
  expect(field(archive, 0, 100)).toBe("数据/a.txt");
  expect(field(archive, 124, 12)).toBe("00000000005");
  expect(field(archive, 512, 5)).toBe("hello");
  expect(field(archive, 1024, 100)).toBe("empty");
  const sum = archive
    .slice(0, 512)
    .reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  expect(Number.parseInt(field(archive, 148, 8), 8)).toBe(sum);
});

it("names a long path in a header of its own, whose length counts itself", async () => {
  for (const length of [101, 92 + 255, 986, 987, 988, 989, 990]) {
    const path = `${"d/".repeat(10)}${"x".repeat(length - 20)}`;
    const { body, starts } = packFiles([{ path, data: text("1") }]);
    const archive = await bytes(body);
    expect(field(archive, 156, 1)).toBe("x");
    const size = Number.parseInt(field(archive, 124, 12), 8);
    const record = field(archive, 512, size);
    expect(record).toBe(`${size} path=${path}\n`);
    expect(archive[starts[0] ?? 0]).toBe("1".charCodeAt(0));
  }
});

type Answer = { status: number; body?: unknown };

/** Answers each request with the next of these; keeps what was sent. */
function answering(...answers: Answer[]) {
  const sent: { address: string; body: Blob }[] = [];
  class FakeRequest {
    upload: { onprogress?: (event: { loaded: number }) => void } = {};
    status = 0;
    responseText = "";
    onloadend = () => {};
    private address = "";
    open(method: string, address: string) {
      this.address = `${method} ${address}`;
    }
    setRequestHeader() {}
    getResponseHeader() {
      return null;
    }
    abort() {
      this.onloadend();
    }
    send(body: Blob) {
      sent.push({ address: this.address, body });
      const answer = answers.shift();
      if (!answer) return;
      this.upload.onprogress?.({ loaded: 515 });
      this.status = answer.status;
      this.responseText = JSON.stringify(answer.body ?? {});
      this.onloadend();
    }
  }
  vi.stubGlobal("XMLHttpRequest", FakeRequest);
  return sent;
}

const FILES = ["a/b~1.txt", "c"].map((path) => ({ path, file: new File(["hello"], path) }));
const unread = new File([""], "gone");
unread.arrayBuffer = () => Promise.reject(new Error("The file could not be read"));

function send(files: Parameters<typeof sendBatch>[1], signal = new AbortController().signal) {
  const seen: (readonly number[] | "again")[] = [];
  const events = {
    onProgress: (bytes: readonly number[]) => seen.push(bytes),
    onRetry: () => seen.push("again"),
  };
  return {
    result: sendBatch({ volume: "home-1", language: "en" }, files, [0, 0], events, signal),
    seen,
  };
}

it("sends the same archive again until it is answered", async () => {
  const sent = answering({ status: 0 }, { status: 503 }, { status: 200 });
  const { result, seen } = send(FILES);
  expect(await result).toEqual([null, null]);
  expect(sent.map(({ address }) => address)).toEqual(
    Array(3).fill("PUT /api/v1/volumes/home-1/archive"),
  );
  expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
  expect(seen).toEqual([[3, 0], "again", [3, 0], "again", [3, 0]]);
});

it("tells each file its own fate", async () => {
  const fault = { pointer: "/a~1b~01.txt", code: "file_exists", params: {}, detail: "Taken." };
  const body = { code: "files_refused", detail: "1 file was not written.", errors: [fault] };
  answering({ status: 422, body });
  const files = [...FILES, { path: "gone", file: unread }];
  const fates = await send(files).result;
  expect(fates?.map((fate) => fate?.code ?? null)).toEqual(["file_exists", null, "page_failed"]);
  expect(fates?.[0]?.detail).toBe("Taken.");
});

it("gives up where asking again changes nothing", async () => {
  const full = { status: 507, body: { code: "volume_full", detail: "Full." } };
  const sent = answering(full);
  const fates = await send(FILES).result;
  expect(fates?.map((fate) => fate?.code)).toEqual(["volume_full", "volume_full"]);
  expect(sent.length).toBe(1);
});

it("stops without a result", async () => {
  const sent = answering();
  const stop = new AbortController();
  const { result } = send(FILES, stop.signal);
  await vi.waitFor(() => expect(sent.length).toBe(1));
  stop.abort();
  expect(await result).toBeNull();
});
