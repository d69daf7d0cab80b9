import { beforeEach, describe, expect, it } from "vitest";
import { eachWay } from "../../../../../test/support/each-way.ts";
import {
  type EventStore,
  type Hook,
  jsonSchema,
  memoryStore,
  type RunOptions,
  type StoredEvent,
  tool,
} from "../../../src/index.ts";
import { allowFailedHooks } from "../../support/hooks.ts";
import { type Options, setup, user } from "../../support/setup.ts";
import { beforeAppend, has } from "../../support/stores.ts";

beforeEach(allowFailedHooks);

const ok = { text: "Fine." };
const whole = jsonSchema({ type: "object", properties: { n: { type: "number" } }, required: ["n"] });
const shift = tool({
  name: "shift",
  description: "Changes the mode.",
  input: jsonSchema({ type: "object" }),
  execute: (_, { setMode }) => {
    setMode("night");
    return "It is night.";
  },
});
const reading = { name: "read_page", description: "Reads.", inputSchema: { type: "object" } };

interface Story {
  options?: Options;
  script?: Parameters<typeof setup>[0];
  said?: readonly Partial<RunOptions>[];
}

/** What a request depends on. Each story has two messages or more. */
const stories: Record<string, Story> = {
  "tools of the page that change": {
    options: { clientTools: true },
    said: [{ clientTools: [reading] }, { clientTools: [reading] }, {}, { clientTools: [] }],
  },
  "user data that change": { options: { userData: { read: ({ session }) => `Seen ${session.lastSeq}.` } } },
  "a mode that a tool sets": {
    options: { tools: [shift] },
    script: [{ tools: [{ name: "shift", input: {}, id: "toolu_1" }] }, ok, ok, ok],
  },
  "an output": {
    options: { output: whole },
    script: [{ text: '{"n":1}' }, { text: '{"n":2}' }, { text: "no" }, { text: '{"n":3}' }],
  },
  "a caller and credentials that the message repeats": {
    said: [
      {
        caller: { team: "a" },
        credentials: { token: "secret-1234567812345678" },
        input: "My key is secret-1234567812345678.",
      },
      { caller: { team: "b" }, credentials: { token: "other-8765432187654321" } },
    ],
  },
  "tags of a hook, and what the user writes in them": {
    options: { hooks: [{ name: "tags", tags: ["menu"] }] },
    said: [{ input: "<menu>mine</menu>" }, { knowledge: [{ source: "s", data: "<menu>", tag: "dish" }] }, {}],
  },
  "limits that lower max_tokens": { options: { limits: { outputTokens: 300 } } },
};

/** The log of a story without times and random ids. `late` stores a note between the plan and its append. */
async function told({ options = {}, script = [ok, ok, ok, ok], said = [{}, {}, {}] }: Story, more: Told) {
  const inner = memoryStore();
  let late = more.late === true;
  const store = beforeAppend(more.as?.(inner) ?? inner, async (events, id) => {
    if (!late || !has(events, "run_started") || (await inner.sessions.get(id))?.lastSeq === 0) return;
    late = false;
    await inner.append(id, [{ type: "note", data: { text: "late" } }], { appendId: "other" });
  });
  let id = 0;
  const waits: Hook = { name: "waits", beforeTurn: () => undefined };
  const hooks = [...(options.hooks ?? []), ...(more.apart ? [waits] : [])];
  const world = setup(
    script,
    { ...options, hooks },
    { store: store as EventStore, testing: { newId: () => `id-${++id}` } },
  );
  let sessionId: string | undefined;
  for (const one of said) {
    const run = world.pawl.run("tester", { ...user, input: "Hi", ...(sessionId && { sessionId }), ...one });
    ({ sessionId } = await run.started);
    await run.result;
  }
  expect(world.model.rejected).toEqual([]);
  expect(JSON.stringify(world.model.requests)).not.toContain("secret-1234");
  return { log: timeless(await world.log(sessionId ?? "")), requests: world.model.requests };
}

interface Told {
  /** Whether the request is stored by itself. */
  apart?: boolean;
  as?: (store: EventStore) => EventStore;
  late?: boolean;
}

const timeless = (log: readonly StoredEvent[]) =>
  log.map(({ type, seq, key, data }) => ({
    ...{ type, seq, key },
    data: JSON.parse(
      JSON.stringify(data, (name, value) => (/_ms$|request_id|^id$|attempt_id/.test(name) ? 0 : value)),
    ),
  }));

describe("R1 the first request, stored with the start of its run", () => {
  it.each(Object.entries(stories))("is what the loop would ask: %s", async (_, story) => {
    const together = await told(story, {});
    expect(together.log[3]?.type === "llm_request" || together.log[4]?.type === "llm_request").toBe(true);
    expect(await told(story, { apart: true })).toEqual(together);
    for (const [way, as] of eachWay("open")) expect(await told(story, { as }), way).toEqual(together);
  });

  it.each(Object.entries(stories))("is planned again if something is stored first: %s", async (_, story) => {
    const together = await told(story, { late: true });
    expect(JSON.stringify(together.requests[story.script ? 2 : 1])).toContain("late");
    expect(together.log.filter(({ data }) => data.text === "late")).toHaveLength(1);
    const apart = await told(story, { late: true, apart: true });
    expect(apart.requests).toEqual(together.requests);
  });

  it("is left out if a limit of the session ends the run at once", async () => {
    const world = setup([ok], { sessionLimits: { turns: 1 } });
    const { sessionId } = await world.say("Hi");
    const { stop } = await world.say("Again", { sessionId });
    expect(stop.type).not.toBe("end_turn");
    expect(await world.of(sessionId, "llm_request")).toHaveLength(1);
    expect(await world.of(sessionId, "run_ended")).toHaveLength(2);
    expect(world.model.requests).toHaveLength(1);
  });

  it("comes after the hooks' `onError` if `userData` fails", async () => {
    const seen: boolean[] = [];
    const appended: (readonly { type: string }[])[] = [];
    const store = beforeAppend(memoryStore(), (events) => void appended.push(events));
    const onError = () => void seen.push(appended.some((events) => has(events, "llm_request")));
    const userData = () => {
      throw new Error("down");
    };
    const { say } = setup(
      [ok],
      { userData: { read: userData }, hooks: [{ name: "told", onError }] },
      { store },
    );
    expect((await say("Hi")).text).toBe("Fine.");
    expect(seen).toEqual([false]);
  });

  it("is stored by itself if the message replaces a question", async () => {
    const appends: string[][] = [];
    const store = beforeAppend(memoryStore(), (events) => {
      appends.push(events.map(({ type }) => type));
    });
    const asks = tool({
      name: "asks",
      description: "Asks.",
      input: jsonSchema({ type: "object" }),
      execute: (_, { ask }) => ask({ kind: "text", payload: {}, answer: jsonSchema({}) }),
    });
    const world = setup(
      [{ tools: [{ name: "asks", input: {}, id: "toolu_1" }] }, ok],
      { tools: [asks] },
      { store },
    );
    const { sessionId } = await world.say("Hi");
    appends.length = 0;
    expect((await world.say("Instead", { sessionId })).text).toBe("Fine.");
    expect(appends[0]).toEqual(expect.arrayContaining(["run_ended", "run_started", "user_message"]));
    expect(appends[0]).not.toContain("llm_request");
    expect(world.model.rejected).toEqual([]);
  });
});
