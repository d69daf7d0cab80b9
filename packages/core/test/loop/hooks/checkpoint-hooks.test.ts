import { describe, expect, it } from "vitest";
import * as z from "zod";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import {
  type CheckpointStrategy,
  type EventStore,
  type Hook,
  memoryStore,
  runtime,
  type StoredEvent,
  tool,
} from "../../../src/index.ts";
import { named, sound } from "../../support/hooks.ts";
import { setup, user } from "../../support/setup.ts";

const readLong = tool({
  name: "read",
  description: "Reads.",
  input: z.object({ n: z.number() }),
  idempotent: true,
  execute: ({ n }) => `${n} `.repeat(400),
});

const script = [
  ...[1, 2, 3].map((n) => ({ tools: [{ name: "read", id: `toolu_${n}`, input: { n } }] })),
  { text: "Done." },
];
/** The same, and the answer to the next message. */
const talk = [...script, { text: "Fine." }];

/** Leaves out everything but the last answer and what follows it, once, before the third turn. */
const forget: CheckpointStrategy = ({ entries, run }) => {
  const answer = entries.findLast(({ role }) => role === "assistant");
  if (run.turns !== 2 || answer === undefined || JSON.stringify(entries[0]).includes("Shorter."))
    return undefined;
  return { reason: "summary", fromSeq: answer.seq, summary: "Shorter." };
};

/** Appends its plan whenever the model cannot read it. */
function planner(): Hook & { called: number } {
  const hook = {
    called: 0,
    ...named("planner", {
      beforeTurn: async (_plan, { read, append }) => {
        hook.called += 1;
        let said = false;
        for await (const event of read({ types: ["note", "checkpoint"] }))
          said = event.type === "note" && (said || event.data.tag === "Plan");
        if (!said) await append({ type: "note", data: { text: "Read all.", tag: "Plan" } });
        return undefined;
      },
    }),
  };
  return hook;
}

function plansIn(log: readonly StoredEvent[]): number {
  return log.filter((event) => event.type === "note" && event.data.tag === "Plan").length;
}

describe("C11 hooks and a checkpoint", () => {
  it("C10 C13 beforeTurn is called again after it, so the next request has the hook's notes", async () => {
    const hook = planner();
    const world = setup(talk, { tools: [readLong], hooks: [hook], checkpointWhen: [forget] });
    const { sessionId, text } = await world.say("Read all");
    expect(text).toBe("Done.");
    expect(await world.of(sessionId, "checkpoint")).toHaveLength(1);
    const prompts = world.model.requests.map(({ messages }) => JSON.stringify(messages));
    expect(prompts.map((prompt) => prompt.includes("Shorter."))).toEqual([false, false, true, true]);
    expect(prompts.map((prompt) => prompt.split("<Plan>").length - 1)).toEqual([1, 1, 1, 1]);
    expect(plansIn(await world.log(sessionId))).toBe(2);
    expect(hook.called).toBe(5);
    await sound(world, sessionId);
  });

  it("L14 the turn has the settings, and the end, that the second call returned", async () => {
    let calls = 0;
    const counts = (ends: boolean) =>
      named("counts", {
        beforeTurn: () => {
          calls += 1;
          if (ends && calls === 4) return { stop: { type: "quota_exceeded", message: "Enough." } };
          return { maxTokens: 100 + calls };
        },
      });
    const world = setup(script, { tools: [readLong], hooks: [counts(false)], checkpointWhen: [forget] });
    const { sessionId } = await world.say("Read all");
    const asked = (await world.of(sessionId, "llm_request")).map(({ data }) => data.params.max_tokens);
    expect(asked).toEqual([101, 102, 104, 105]);

    calls = 0;
    const other = setup(script, { tools: [readLong], hooks: [counts(true)], checkpointWhen: [forget] });
    const { stop } = await other.say("Read all");
    expect(stop).toMatchObject({ type: "quota_exceeded", message: "Enough." });
    expect(other.model.requests).toHaveLength(2);
  });

  it("a turn has one checkpoint at most, whatever hooks append and strategies ask for", async () => {
    const always: CheckpointStrategy = ({ entries, run }) => {
      const last = entries.findLast(({ role }) => role === "assistant");
      if (run.turns === 0 || last === undefined) return undefined;
      return { reason: "summary", fromSeq: last.seq, summary: "Shorter." };
    };
    const hooks = [
      named("talks", {
        beforeTurn: async (_plan, { append }) => {
          await append({ type: "note", data: { text: "More." } });
          return undefined;
        },
      }),
    ];
    const world = setup(talk, { tools: [readLong], hooks, checkpointWhen: [always] });
    const { sessionId, stop } = await world.say("Read all");
    expect(stop.type).toBe("end_turn");
    expect(await world.of(sessionId, "checkpoint")).toHaveLength(3);
    await sound(world, sessionId);
  });

  it("E2 C13 a crash at every append changes nothing that the model reads", async () => {
    const tell = async (store: EventStore) => {
      const world = setup(
        { rules: ({ messages }) => script[turnOf(messages)] ?? { text: "?" } },
        {
          tools: [readLong],
          hooks: [planner()],
          checkpointWhen: [forget],
        },
      );
      const pawl = runtime({
        agents: [world.agent],
        store,
        times: { storeRetryMs: [] },
        onError: () => undefined,
      });
      await pawl.sweep();
      const [session] = await store.sessions.list(user);
      const more = session && { sessionId: session.id };
      const { text } = await pawl.run("tester", { ...user, ...more, input: "Read all", clientMessageId: "m" })
        .result;
      expect(text).toBe("Done.");
      return world.model.requests;
    };
    const turnOf = (messages: readonly unknown[]) => {
      const calls = JSON.stringify(messages).match(/toolu_\d/g) ?? [];
      return Math.max(0, ...calls.map((id) => Number(id.slice(-1))));
    };
    const counted = crashingStore(memoryStore(), Number.POSITIVE_INFINITY, "after");
    const expected = (await tell(counted)).map(({ messages }) => JSON.stringify(messages)).at(-1);
    expect(counted.appends).toBeGreaterThan(12);
    for (let at = 1; at <= counted.appends; at += 1) {
      for (const when of ["before", "after"] as const) {
        let clock = 0;
        const base = memoryStore({ now: () => clock });
        const dying = crashingStore(base, at, when);
        const before = await tell(dying).catch(() => []);
        expect(dying.dead).toBe(true);
        clock += 600_000;
        const requests = [...before, ...(await tell(base))];
        const [session] = await base.sessions.list(user);
        const log = await Array.fromAsync(base.read(session?.id ?? ""));
        const where = `${when} append ${at}`;
        expect([where, plansIn(log), log.filter(({ type }) => type === "checkpoint").length]).toEqual([
          ...[where, 2, 1],
        ]);
        const last = requests.at(-1);
        if (last !== undefined) expect([where, JSON.stringify(last.messages)]).toEqual([where, expected]);
        expect(log.filter(({ type }) => type === "run_ended")).toHaveLength(1);
        await assertRebuilds([log], requests);
      }
    }
  });
});
