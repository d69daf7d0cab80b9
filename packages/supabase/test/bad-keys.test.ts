import { memoryStore, PawlError, runtime } from "@pawl/core";
import { createClient } from "@supabase/supabase-js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { safeText } from "../src/base/safe-error.ts";
import {
  answer,
  type RpcClient,
  sendMessage,
  supabaseBlobs,
  supabaseFiles,
  supabaseStore,
} from "../src/index.ts";

const auth = { persistSession: false, autoRefreshToken: false };
/** Nobody is there, and nobody has to be. */
const nowhere = "http://127.0.0.1:9";
const client = (key: string) => createClient(nowhere, key, { auth });
const note = { type: "note", data: { text: "x" } } as const;

/** All that an error says, with that of its causes. */
function said(error: unknown): string {
  if (!(error instanceof Error)) return JSON.stringify(error) ?? "";
  return [error.message, error.stack, JSON.stringify(error), said(error.cause)].join("\n");
}

async function failure(work: () => PromiseLike<unknown>): Promise<PawlError> {
  const error = await Promise.resolve(work()).catch((thrown: unknown) => thrown);
  if (!PawlError.is(error)) throw new Error(`no PawlError: ${String(error)}`);
  return error;
}

const calls: Record<string, (key: string) => PromiseLike<unknown>> = {
  append: (key) => supabaseStore(client(key)).append("s", [note], { appendId: "1" }),
  read: (key) => Array.fromAsync(supabaseStore(client(key)).read("s")),
  get: (key) => supabaseStore(client(key)).sessions.get("s"),
  blobs: (key) => supabaseBlobs(client(key)).put("s", "b", "1"),
  files: (key) => supabaseFiles(client(key), { bucket: "b" }).put("a.md", "x"),
  message: (key) => sendMessage(client(key), { sessionId: "s", message: "x", appendId: "1" }),
  answer: (key) => answer(client(key), { sessionId: "s", question: 1, value: 1, appendId: "1" }),
};

describe("keys and tokens that no header can carry", () => {
  it.each(Object.entries(calls))(
    "E11 are refused as config at once, and not revealed: %s",
    async (_name, call) => {
      for (const key of [
        "sb_secret_abc123\nrest456",
        "sb_secret_abc123\u0000rest456",
        "sb_secret_abc123…rest456",
      ]) {
        const error = await failure(() => call(key));
        expect([key, error.code]).toEqual([key, "config"]);
        expect(said(error)).not.toMatch(/abc123|rest456/);
      }
    },
  );

  it("E11 a token too", async () => {
    const accessToken = async () => "abc123\nrest456";
    const store = supabaseStore(createClient(nowhere, "sb_publishable_x", { auth, accessToken }));
    const error = await failure(() => store.sessions.get("s"));
    expect(error.code).toBe("config");
    expect(said(error)).not.toMatch(/abc123|rest456/);
  });

  it("E11 a runtime does not retry with such a key", async () => {
    let calls = 0;
    const broken = client("sb_secret_abc123\nrest456");
    const counted = {
      rpc: (name: never, args: never) => {
        calls += 1;
        return broken.rpc(name, args);
      },
    } as unknown as RpcClient;
    const pawl = runtime({ agents: [], store: { ...memoryStore(), append: supabaseStore(counted).append } });
    await expect(pawl.store.append("s", [note], { appendId: "1" })).rejects.toMatchObject({ code: "config" });
    expect(calls).toBe(1);
  });

  it("E11 whatever quotes a key with a line break is cleaned to the end of the quote", async () => {
    const quoted = new TypeError(
      'fetch of "sb_secret_abc123\nrest456" and "Bearer eyJh.abc123\nrest456" broke off',
    );
    const throwing: RpcClient = { rpc: () => Promise.reject(quoted) };
    const error = await failure(() => supabaseStore(throwing).sessions.get("s"));
    expect(error.code).toBe("store_unavailable");
    expect(said(error)).not.toMatch(/abc123|rest456/);
    const bucket = { list: () => Promise.resolve({ data: null, error: quoted }) };
    const files = supabaseFiles({ storage: { from: () => bucket as never } }, { bucket: "b" });
    const other = await failure(() => files.list());
    expect(other).toMatchObject({
      code: "store_unavailable",
      cause: { message: expect.stringContaining("broke off") },
    });
    expect(said(other)).not.toMatch(/abc123|rest456/);
  });

  it("B7 E11 a long message is searched for keys only as far as it can be shown, also if that cuts a key", () => {
    const searched = vi.spyOn(String.prototype, "replaceAll");
    onTestFinished(() => searched.mockRestore());
    expect(safeText(new Error("ey-".repeat(20_000)))).toHaveLength(500);
    const token = `ey${"h".repeat(20)}.abc123.rest456`;
    for (let at = 0; at < 100; at += 1) {
      const before = `sb_secret_${"a".repeat(9_988 - at)} `;
      expect(safeText(new Error(`${before}Bearer ${token} ${token} end`))).not.toMatch(/abc|rest|aaa/);
      expect(safeText(new Error(`${before}${token} end`))).not.toMatch(/abc|rest|aaa/);
    }
    const lengths = searched.mock.contexts.map((text) => String(text).length);
    expect(lengths.length).toBeGreaterThan(0);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(10_000);
  });
});
