import { testClock } from "@pawl/testing";
import { afterEach, beforeEach, expect, it } from "vitest";
import * as z from "zod";
import { settled } from "../../../../test/support/settled.ts";
import { type FileStore, memoryFiles, memoryStore, type Schema, tool } from "../../src/index.ts";
import { base64 } from "../support/file-runs.ts";
import { png } from "../support/files.ts";
import { setup } from "../support/setup.ts";
import { beforeAppend } from "../support/stores.ts";

// Held events are stored before the loop waits for a promise of the application's. That promise may be
// rejected before they are.

const done = { text: "Done." };

let unhandled: unknown[] = [];
const listen = (reason: unknown) => void unhandled.push(reason);

beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", listen);
});

afterEach(() => {
  process.off("unhandledRejection", listen);
});

/** A store that takes its time, as a database does. */
const slowStore = () => beforeAppend(memoryStore(), settled);

/** A schema that waits for a database, which is down. */
const broken = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: async () => {
      throw new Error("the database is down");
    },
    jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
  },
} as unknown as Schema<unknown>;

it("R2 E2 a schema that fails before the answer is stored fails its call, and not the process", async () => {
  const look = tool({ name: "look", description: "", input: broken, execute: () => "never" });
  const script = [{ tools: [{ name: "look" }] }, done];
  const { say, of } = setup(script, { tools: [look] }, { store: slowStore(), onError: () => undefined });
  const { sessionId, stop } = await say("Go");
  expect(stop.type).toBe("end_turn");
  const [result] = await of(sessionId, "tool_result");
  expect(result?.data).toMatchObject({ success: false, result: "the database is down" });
  expect(unhandled).toEqual([]);
});

it("R2 E2 a file store that fails before the results are stored fails the run, and not the process", async () => {
  const files: FileStore = {
    ...memoryFiles(),
    get: async () => {
      throw new Error("EIO");
    },
  };
  const source = { type: "base64", media_type: "image/png", data: base64(png(3, 2)) };
  const draw = tool({
    name: "draw",
    description: "",
    input: z.object({}),
    execute: () => "drawn",
    format: () => [{ type: "image", source }],
  });
  const script = [{ tools: [{ name: "draw" }] }, done];
  const { say, store } = setup(script, { tools: [draw] }, { store: slowStore(), files });
  await expect(say("Go")).rejects.toMatchObject({ code: "store_unavailable" });
  const [row] = await store.sessions.list({ userId: "u1" });
  const log = await Array.fromAsync(store.read(row?.id ?? ""));
  expect(log.at(-1)?.type).toBe("tool_result");
  expect(unhandled).toEqual([]);
});

it("R2 E2 a schema that fails before the session is given back refuses the answer, and not the process", async () => {
  const inner = memoryStore();
  const store = {
    ...inner,
    release: async (...given: Parameters<typeof inner.release>) => {
      await settled();
      return await inner.release(...given);
    },
  };
  const ask = tool({ name: "ask", description: "", input: z.object({}), suspends: { answer: broken } });
  const { say, answer, of } = setup(
    [{ tools: [{ name: "ask", id: "toolu_q" }] }],
    { tools: [ask] },
    { store },
  );
  const { sessionId } = await say("Go");
  await expect(answer(sessionId, "toolu_q", "yes")).rejects.toThrow("the database is down");
  expect(await of(sessionId, "tool_answered")).toEqual([]);
  expect(unhandled).toEqual([]);
});

it("R2 E2 a schema that fails for the default of a question does not fail the process", async () => {
  const suspends = { answer: broken, expires: { afterMs: 60_000, default: "no" } };
  const ask = tool({ name: "ask", description: "", input: z.object({}), suspends });
  // The question would expire within a later test.
  const { say } = setup(
    [{ tools: [{ name: "ask" }] }],
    { tools: [ask] },
    { testing: { clock: testClock() } },
  );
  expect((await say("Go")).pending).toHaveLength(1);
  await settled();
  expect(unhandled).toEqual([]);
});
