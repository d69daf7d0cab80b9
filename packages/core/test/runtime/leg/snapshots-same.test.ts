import { describe, expect, it } from "vitest";
import { eachWay } from "../../../../../test/support/each-way.ts";
import { eagerSnapshots } from "../../../../../test/support/snapshots.ts";
import {
  dropOldResults,
  type EventStore,
  jsonSchema,
  memoryStore,
  PawlError,
  type StoredEvent,
  tool,
} from "../../../src/index.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { askWith, calling, echo, text } from "../../support/tools.ts";

/** What happens in a session, as one would do it with snapshots or without. */
const stories: Record<string, (world: Setup, sessionId: string) => Promise<string | undefined>> = {
  "another message": async () => undefined,
  "a question that is answered late, and twice": async ({ say, answer, pawl }, sessionId) => {
    const { pending } = await say("ask", { sessionId });
    const callId = pending[0]?.callId ?? "";
    await answer(sessionId, callId, "yes");
    await say("Next", { sessionId });
    const late = pawl.run("tester", { ...user, sessionId, answers: [{ callId, value: "yes" }] });
    return await codeOf(late.result);
  },
  "an answer to a question that nobody asked": async ({ pawl, say }, sessionId) => {
    await say("Next", { sessionId });
    const answers = [{ callId: "toolu_x", value: 1 }];
    const late = pawl.run("tester", { ...user, sessionId, answers });
    return await codeOf(late.result);
  },
  "a message instead of an answer": async ({ say }, sessionId) => {
    await say("ask", { sessionId });
    await say("Never mind", { sessionId });
    return undefined;
  },
  "a call whose id was used before": async ({ say }, sessionId) => {
    const { stop } = await say("repeat", { sessionId });
    return stop.type;
  },
  "a failed run and its retry": async ({ say, pawl }, sessionId) => {
    const { runId } = await say("fail", { sessionId });
    const { stop } = await pawl.run("tester", { ...user, sessionId, retry: runId }).result;
    return stop.type;
  },
  "a redaction": async ({ pawl, of }, sessionId) => {
    const [answer] = await of(sessionId, "assistant_message");
    await pawl.redact(sessionId, answer?.seq ?? 0, user);
    return undefined;
  },
  "a new start of the context": async ({ pawl, of }, sessionId) => {
    const [, second] = await of(sessionId, "user_message");
    await pawl.startContextAt(sessionId, { ...user, fromSeq: second?.seq ?? 0 });
    return undefined;
  },
  "a fork": async ({ pawl, say }, sessionId) => {
    const { id } = await pawl.fork(sessionId, user);
    await say("And in this one?", { sessionId: id });
    await say("And then?", { sessionId: id });
    return undefined;
  },
};

/** Resolves to the code of the error with which the work rejects. */
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  await work.then(
    () => "fulfilled",
    (error: unknown) => (PawlError.is(error) ? error.code : "no PawlError"),
  );

const flip = tool({
  name: "flip",
  description: "Changes the mode.",
  input: jsonSchema({ type: "object" }),
  execute: (_, { setMode }) => {
    setMode("night");
    return "It is night.";
  },
});

/** Tells a story over this store. Returns all logs without times, the requests, and what the story returned. */
async function told(store: EventStore, story: (typeof stories)[string]) {
  let ids = 0;
  let calls = 0;
  const { tool: plain } = echo();
  const use = (id: string) => ({ tools: [{ ...calling("echo", "x"), id }] });
  const world = setup(
    {
      newId: (prefix) => `${prefix}${++calls}`,
      rules: ({ messages }) => {
        const input = JSON.stringify(messages.at(-1));
        if (input.includes('"tool_result"')) return { text: "Done." };
        if (input.includes("ask")) return { thinking: "Hm.", tools: [calling("ask", "?")] };
        if (input.includes("repeat")) return use("toolu_first");
        if (input.includes("fail")) return { fault: { status: 400 } };
        if (input.includes("first")) return use("toolu_first");
        return messages.length % 2 === 0
          ? { text: "Fine." }
          : { tools: [{ name: "flip", input: { ["__proto__"]: { a: 1 }, constructor: "c" } }] };
      },
    },
    {
      tools: [plain, flip, askWith(text)],
      userData: { read: ({ session }) => `Seen by ${session.userId}, "__proto__".` },
      checkpointWhen: [dropOldResults({ whenTokens: 400, keepTurns: 1 })],
    },
    { store, testing: { newId: () => `id-${++ids}` }, onError: () => undefined },
  );
  const { sessionId } = await world.say("first");
  await world.say("second", { sessionId });
  const outcome = await story(world, sessionId);
  for (const input of ["third", "fourth", "fifth"]) await world.say(input, { sessionId });
  const sessions = await store.sessions.list(user);
  const logs = await Promise.all(sessions.map(({ id }) => world.log(id)));
  expect(world.model.rejected).toEqual([]);
  return { outcome, logs: logs.map(timeless), requests: world.model.requests };
}

const timeless = (log: readonly StoredEvent[]) =>
  log.map(({ type, seq, key, data }) => {
    const text = JSON.stringify(data, (name, value) => (/_ms$|_at$/.test(name) ? 0 : value));
    return { type, seq, key, text };
  });

describe("R5 a session that continues from a snapshot", () => {
  it.each(Object.entries(stories))("R5 has the same requests and the same log: %s", async (_, story) => {
    const now = () => Date.UTC(2026, 10, 24);
    const [kept, plain] = eachWay("saveSnapshot").map(([, as]) => told(as(memoryStore({ now })), story));
    expect(await kept).toEqual(await plain);
    const inner = memoryStore({ now });
    let restored = 0;
    const store: EventStore = {
      ...inner,
      open: async (wanted) => {
        const found = await eagerSnapshots(inner).open?.(wanted);
        if (found?.snapshot !== undefined) restored += 1;
        return found;
      },
    };
    expect(await told(store, story)).toEqual(await plain);
    expect(restored).toBeGreaterThan(3);
  });
});
