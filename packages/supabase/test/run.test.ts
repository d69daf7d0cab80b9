import { randomUUID } from "node:crypto";
import { agent, type EventStore, runtime, tool } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { assertExtends, assertSoundLog } from "../../../test/support/invariants.ts";
import { until } from "../../../test/support/until.ts";
import { answer, sendMessage, supabaseBlobs, supabaseStore } from "../src/index.ts";
import { noStack, type Stack, stack } from "./support/stack.ts";

let project: Stack;
beforeAll(async () => {
  if (noStack !== undefined) return;
  project = await stack();
}, 60_000);
afterAll(() => project?.stop());

const ask = tool({
  name: "ask",
  description: "Asks.",
  input: z.object({ question: z.string() }),
  suspends: { answer: z.object({ yes: z.boolean() }) },
});
const save = tool({
  name: "save",
  description: "Saves.",
  input: z.object({ text: z.string() }),
  maxResultChars: 1_000,
  execute: ({ text }) => `saved \0 \ud800 ${text.repeat(300_000)}`,
});

describe.skipIf(noStack !== undefined)("a whole run over supabaseStore", () => {
  it("P1 P2 E6 E9 asks, gets its answer with the user's own token, and is finished by another process", async () => {
    const userId = randomUUID();
    const mine = project.user(await project.keys.token(userId));
    const model = strictModel({
      script: [
        { tools: [{ name: "save", input: { text: "x" } }] },
        { text: "One thing.", tools: [{ name: "ask", input: { question: "Really?" } }] },
        { text: "Good." },
        { text: "And again." },
      ],
    });
    const process = () => {
      const client = project.service();
      const coach = agent({ name: "coach", model, instructions: "Be kind.", tools: [ask, save] });
      const [store, blobs] = [supabaseStore(client), supabaseBlobs(client)];
      return runtime({ agents: [coach], store, blobs, times: { pollMs: 20 } });
    };
    const first = process();
    const asked = await first.run("coach", { userId, input: "Go" }).result;
    expect(asked.stop.type).toBe("suspended");
    const { sessionId, pending } = asked;
    await first.drain();

    const question = pending[0]?.seq ?? 0;
    const own = { sessionId, question, value: { yes: true }, appendId: "mine" };
    const stored = await answer(mine, own);
    expect(await answer(mine, own)).toEqual(stored);
    const second = process();
    expect(await second.sweep()).toBe(1);
    for await (const _ of second.follow(sessionId, { untilIdle: true, afterSeq: stored.seq }));
    expect((await second.view(sessionId, { userId })).run?.stop?.type).toBe("end_turn");

    await sendMessage(mine, { sessionId, message: "By the way", appendId: "m", clientMessageId: "c" });
    const again = await second.run("coach", { userId, sessionId, input: "And now?" }).result;
    expect(again.text).toBe("And again.");
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain("By the way");
    expect(model.rejected).toEqual([]);
    assertExtends(model.requests);

    const all = await Array.fromAsync(second.store.read(sessionId));
    assertSoundLog(all);
    const read: EventStore = supabaseStore(mine);
    const inLog = await Array.fromAsync(read.read(sessionId));
    expect(inLog.map(({ seq }) => seq)).toEqual(all.map(({ seq }) => seq));
    expect(inLog.some(({ data }) => typeof data === "object" && data !== null && "$blob" in data)).toBe(true);
    // A user's own process sees the whole payloads too.
    const theirs = runtime({ agents: [], store: read, blobs: supabaseBlobs(mine) });
    expect(await Array.fromAsync(theirs.store.read(sessionId))).toEqual(all);
    expect(await theirs.view(sessionId, { userId })).toEqual(await second.view(sessionId, { userId }));
    await second.drain();
  });

  it("L12 E9 a key that is refused during a run ends nothing: the run rejects, and another process continues it", async () => {
    const userId = randomUUID();
    const model = strictModel({ script: [{ tools: [{ name: "pay", input: {} }] }, { text: "Done." }] });
    const pay = tool({
      name: "pay",
      description: "Pays.",
      input: z.object({}),
      execute: () => {
        project.gateway.answerInstead("/rpc/pawl_rpc_append", 401, '{"message":"Invalid API key"}');
        return "Paid.";
      },
    });
    const coach = agent({ name: "payer", model, instructions: "Pay.", tools: [pay] });
    const process = () =>
      runtime({
        agents: [coach],
        store: supabaseStore(project.service()),
        times: { leaseTtlMs: 2_000, pollMs: 20 },
      });
    const first = process();
    const run = first.run("payer", { userId, input: "Go" });
    const { sessionId } = await run.started;
    await expect(run.result).rejects.toMatchObject({ code: "forbidden" });
    const left = await Array.fromAsync(first.store.read(sessionId));
    expect(left.at(-1)?.type).toBe("tool_started");

    const second = process();
    await until(async () => (await second.sweep()) > 0);
    for await (const _ of second.follow(sessionId, { untilIdle: true, afterSeq: left.length }));
    const log = await Array.fromAsync(second.store.read(sessionId));
    expect(log.find(({ type }) => type === "tool_result")?.data).toMatchObject({ success: false });
    expect((await second.view(sessionId, { userId })).run?.stop?.type).toBe("end_turn");
    expect(model.rejected).toEqual([]);
    assertSoundLog(log, left);
    await Promise.all([first.drain(), second.drain()]);
  });
});
