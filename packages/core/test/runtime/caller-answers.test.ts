import { describe, expect, it } from "vitest";
import { settled } from "../../../../test/support/settled.ts";
import {
  type EventStore,
  jsonSchema,
  memoryStore,
  type RunOptions,
  type ToolContext,
  tool,
} from "../../src/index.ts";
import { named } from "../support/hooks.ts";
import { type Options, type Setup, setup, stored, until, user } from "../support/setup.ts";
import { beforeAppend, dyingStore, has } from "../support/stores.ts";

const [ADA, BEN] = ["tok_ada_4f2c9a7e1b8d6053", "tok_ben_91c3d5e7f9a1b3c5"];
const ada = { caller: { name: "ada" }, credentials: { token: ADA } };
const ben = { caller: { name: "ben" }, credentials: { token: BEN } };

/** What a tool or hook saw: the caller, its credentials, and the `deps` that were made for both. */
type Seen = [caller: unknown, credentials: unknown, deps: unknown];

const seenIn = (context: { caller: unknown; credentials: unknown; deps: unknown }): Seen => [
  context.caller,
  context.credentials,
  context.deps,
];
const whole = ({ caller, credentials }: { caller: object; credentials: unknown }): Seen => [
  caller,
  credentials,
  { caller, credentials },
];

const anything = jsonSchema({ type: "object" });
const call = (name: string) => ({ name, input: {} });

interface Parts {
  /** What the tool that runs meanwhile does once the answer is in the log. */
  slow?: (context: ToolContext<unknown>) => unknown;
  options?: Options;
  runtime?: Parameters<typeof setup>[2];
  script?: Parameters<typeof setup>[0] & readonly unknown[];
}

/** A run of Ada in which one tool asks while another one runs. `open` lets the running one go on. */
async function asking({ slow = () => "slow is done", options, runtime, script }: Parts = {}) {
  const seen: { [name: string]: Seen[] } = { ask: [], slow: [], look: [], hook: [] };
  const gate = Promise.withResolvers<void>();
  const tools = [
    tool({
      name: "ask",
      description: "Asks.",
      input: anything,
      suspends: { answer: jsonSchema<string>({ type: "string" }) },
      execute: (_input, context) => void seen.ask?.push(seenIn(context)),
    }),
    tool({
      name: "slow",
      description: "Waits.",
      input: anything,
      execute: async (_input, context) => {
        await gate.promise;
        seen.slow?.push(seenIn(context));
        return await slow(context);
      },
    }),
    tool({
      name: "look",
      description: "Looks.",
      input: anything,
      execute: (_input, context) => void seen.look?.push(seenIn(context)),
    }),
  ];
  const hook = named("spy", { beforeTurn: (_plan, context) => void seen.hook?.push(seenIn(context)) });
  const replies = script ?? [
    { tools: [call("ask"), call("slow")] },
    { tools: [call("look")] },
    { text: "Done." },
  ];
  const world = setup(
    replies,
    { tools, hooks: [hook], ...options },
    { deps: (_session, run) => ({ ...run }), onError: () => undefined, ...runtime },
  );
  const run = world.pawl.run("tester", { ...user, input: "Go", ...ada });
  const { sessionId } = await run.started;
  await stored(world, sessionId, "tool_suspended");
  const answer = (more: Partial<RunOptions>) => answerAll(world, sessionId, more);
  return { world, run, sessionId, seen, answer, open: () => gate.resolve() };
}

/** Answers every open question of the session. */
async function answerAll({ pawl }: Setup, sessionId: string, more: Partial<RunOptions>) {
  const { pending } = await pawl.view(sessionId, user);
  const answers = pending.map(({ callId, kind }) => ({
    callId,
    value: kind === "credentials" ? true : "yes",
  }));
  const run = pawl.run("tester", { ...user, sessionId, answers, ...more });
  await run.started;
  return run;
}

describe("F17 an answer that comes while another tool of the run still runs", () => {
  it("brings its caller, credentials and `deps` to what runs later, and to the hooks", async () => {
    const { run, seen, answer, open } = await asking();
    await answer(ben);
    open();
    expect((await run.result).stop.type).toBe("end_turn");
    expect(seen).toEqual({
      slow: [whole(ada)],
      ask: [whole(ben)],
      look: [whole(ben)],
      hook: [whole(ada), whole(ben), whole(ben)],
    });
  });

  it("has its credentials hidden at once, also in what the other tool returns", async () => {
    const { world, sessionId, run, answer, open } = await asking({ slow: () => `${ADA} ${BEN}` });
    await answer(ben);
    open();
    await run.result;
    const log = JSON.stringify(await world.log(sessionId));
    expect([log.includes(ADA), log.includes(BEN), log.includes("… …")]).toEqual([false, false, true]);
  });

  it("has its credentials hidden in what the other tool shows while it runs", async () => {
    const shown = Promise.withResolvers<unknown>();
    const slow: Parts["slow"] = async ({ progress }) => {
      progress({ for: BEN });
      await shown.promise;
    };
    const { run, answer, open } = await asking({ slow });
    run.on("tool_progress", ({ data }) => shown.resolve(data.data));
    await answer(ben);
    open();
    expect(await shown.promise).toEqual({ for: "…" });
    await run.result;
  });

  it("has them hidden before it is stored", async () => {
    const store = memoryStore();
    const [arrived, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const held = beforeAppend(store, async (events) => {
      if (!has(events, "tool_answered")) return;
      arrived.resolve();
      await gate.promise;
    });
    const { world, sessionId, answer, open } = await asking({ slow: () => BEN, runtime: { store: held } });
    const answered = answer(ben);
    await arrived.promise;
    open();
    await stored(world, sessionId, "tool_result");
    gate.resolve();
    await (await answered).result;
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(BEN);
  });

  it("waits for its credentials if the run reads the answer before its append has returned", async () => {
    const store = memoryStore();
    const gate = Promise.withResolvers<void>();
    const late: EventStore = {
      ...store,
      append: async (id, events, options) => {
        const rows = await store.append(id, events, options);
        if (has(events, "tool_answered")) await gate.promise;
        return rows;
      },
    };
    const { world, sessionId, run, seen, answer, open } = await asking({ runtime: { store: late } });
    const answered = answer(ben);
    await stored(world, sessionId, "tool_answered");
    open();
    await stored(world, sessionId, "tool_result");
    await settled();
    gate.resolve();
    await answered;
    expect((await run.result).stop.type).toBe("end_turn");
    expect({ ask: seen.ask, look: seen.look }).toEqual({ ask: [whole(ben)], look: [whole(ben)] });
  });

  it("brings nothing to the next run if a message interrupts the run first", async () => {
    const eve = { caller: { name: "eve" }, credentials: { token: "tok_eve_5d7f9a1b3c5e7092" } };
    const { world, sessionId, seen, answer, open } = await asking({ options: { whenBusy: "interrupt" } });
    await answer(ben);
    const next = world.pawl.run("tester", { ...user, sessionId, input: "And?", ...eve });
    await next.started;
    open();
    expect((await next.result).stop.type).toBe("end_turn");
    expect({ ask: seen.ask, look: seen.look }).toEqual({ ask: [], look: [whole(eve)] });
  });

  it("keeps the credentials of the run if it names neither a caller nor credentials", async () => {
    const { run, seen, answer, open } = await asking();
    await answer({});
    open();
    await run.result;
    expect(seen.look).toEqual([whole(ada)]);
  });

  it("keeps them for the same caller without credentials", async () => {
    const { run, seen, answer, open } = await asking();
    await answer({ caller: ada.caller });
    open();
    await run.result;
    expect(seen.look).toEqual([whole(ada)]);
  });

  it("never gives them to another caller: the run asks that caller for credentials", async () => {
    const { world, sessionId, run, seen, answer, open } = await asking();
    await answer({ caller: ben.caller });
    open();
    expect((await run.result).pending).toMatchObject([{ kind: "credentials" }]);
    expect({ ask: seen.ask, look: seen.look }).toEqual({ ask: [], look: [] });
    await (await answerAll(world, sessionId, ben)).result;
    expect(seen.look).toEqual([whole(ben)]);
  });

  it("never gives them to another caller, whose answer another process has stored", async () => {
    const { world, sessionId, run, seen, open } = await asking();
    const elsewhere = setup([], { tools: [...world.agent.tools.values()] }, { store: world.store });
    await answerAll(elsewhere, sessionId, ben);
    open();
    expect((await run.result).pending).toMatchObject([{ kind: "credentials" }]);
    expect(seen.ask).toEqual([]);
  });

  it("brings its own tools, and calls that have not started are checked again", async () => {
    const [checked, ran]: [unknown[], unknown[]] = [[], []];
    const byCaller = named("check", {
      beforeTool: ({ tool: { name } }, { caller }) => void checked.push(`${name} ${caller.name}`),
      afterTool: ({ tool: { name } }, { caller }) => void ran.push(`${name} ${caller.name}`),
    });
    const { run, seen, answer, open } = await asking({
      options: { toolConcurrency: 1, hooks: [byCaller] },
      script: [{ tools: [call("ask"), call("slow"), call("look")] }, { text: "Done." }],
    });
    await answer(ben);
    open();
    await run.result;
    expect(seen.look).toEqual([whole(ben)]);
    expect(checked).toContain("look ben");
    expect(ran).toEqual(["slow ada", "ask ben", "look ben"]);
  });

  it("runs no tool that its caller does not have", async () => {
    const { world, sessionId, seen, run, answer, open } = await askingByRole();
    await answer(ben);
    open();
    await run.result;
    const results = (await world.of(sessionId, "tool_result")).map(({ data }) => data.result);
    expect({ look: seen.look, last: results.at(-1) }).toEqual({
      look: [],
      last: 'The tool "look" is not available any more.',
    });
  });

  it("ends the run as `error` if its `deps` cannot be made, and runs nothing more", async () => {
    const deps = (_session: unknown, { caller }: { caller: { name?: unknown } }) => {
      if (caller.name === "ben") throw new Error(`no workspace for ${BEN}`);
      return {};
    };
    const { world, sessionId, run, seen, answer, open } = await asking({ runtime: { deps: deps as never } });
    await answer(ben);
    open();
    expect((await run.result).stop.type).toBe("error");
    expect(seen.ask).toEqual([]);
    expect(JSON.stringify(await world.log(sessionId))).not.toContain(BEN);
  });

  it("does not keep the user from stopping the run while its `deps` are made", async () => {
    const making = Promise.withResolvers<void>();
    const deps = (_session: unknown, { caller }: { caller: { name?: unknown } }) => {
      if (caller.name !== "ben") return {};
      making.resolve();
      return new Promise(() => undefined);
    };
    const { world, sessionId, run, answer, open } = await asking({ runtime: { deps: deps as never } });
    await answer(ben);
    open();
    await making.promise;
    await world.pawl.stop(sessionId, user);
    expect((await run.result).stop.type).toBe("aborted");
  });
});

/** Like `asking`, with tools of which only Ada has `look`. */
async function askingByRole() {
  const plain = await asking();
  plain.open();
  await (await plain.answer({})).result;
  const all = [...plain.world.agent.tools.values()];
  for (const list of Object.values(plain.seen)) list.length = 0;
  const gate = Promise.withResolvers<void>();
  const slow = tool({ name: "slow", description: "Waits.", input: anything, execute: () => gate.promise });
  const world = setup(
    [{ tools: [call("ask"), call("slow")] }, { tools: [call("look")] }, { text: "Done." }],
    {
      tools: ({ caller }) => [
        ...all.filter(({ name }) => name === "ask" || (name === "look" && caller.name === "ada")),
        slow,
      ],
    },
  );
  const run = world.pawl.run("tester", { ...user, input: "Go", ...ada });
  const { sessionId } = await run.started;
  await stored(world, sessionId, "tool_suspended");
  const answer = (more: Partial<RunOptions>) => answerAll(world, sessionId, more);
  return { world, run, sessionId, seen: plain.seen, answer, open: () => gate.resolve() };
}

describe("F17 two requests for one question", () => {
  it("bring the credentials of the one that was stored", async () => {
    const { world, sessionId, run, seen, open } = await asking();
    const { pending } = await world.pawl.view(sessionId, user);
    const answers = pending.map(({ callId }) => ({ callId, value: "yes" }));
    const send = (who: object) => world.pawl.run("tester", { ...user, sessionId, answers, ...who });
    const both = [
      send(ben),
      send({ caller: { name: "eve" }, credentials: { token: "tok_eve_00000000000000" } }),
    ];
    const outcomes = await Promise.allSettled(both.map(({ started }) => started));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    open();
    await run.result;
    const [answered] = await world.of(sessionId, "tool_answered");
    const isBen = answered?.data.caller?.name === "ben";
    expect(seen.look).toEqual([
      isBen
        ? whole(ben)
        : whole({ caller: { name: "eve" }, credentials: { token: "tok_eve_00000000000000" } }),
    ]);
  });
});

it("F17 a process that dies after an answer with credentials leaves a run that asks for them", async () => {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const dying = dyingStore(store, (events) => has(events, "tool_answered"));
  const ask = tool({
    name: "ask",
    description: "Asks.",
    input: anything,
    suspends: { answer: jsonSchema<string>({ type: "string" }) },
    execute: (_input, { credentials }) => JSON.stringify(credentials ?? null),
  });
  const old = setup([{ tools: [call("ask")] }], { tools: [ask] }, { store: dying });
  // The run itself was begun without credentials.
  const { sessionId } = await old.say("Go");
  const { pending } = await old.pawl.view(sessionId, user);
  const answers = [{ callId: pending[0]?.callId ?? "", value: "yes" }];
  void old.pawl.run("tester", { ...user, sessionId, answers, ...ben }).result.catch(() => undefined);
  await until(() => dying.dead);
  clock += 60_000;
  const next = setup([{ text: "Done." }], { tools: [ask] }, { store });
  await next.pawl.sweep();
  await until(async () => (await next.pawl.view(sessionId, user)).pending.length > 0);
  expect((await next.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "credentials" }]);
  expect(await next.of(sessionId, "tool_result")).toEqual([]);
});

it("F17 E2 a process that dies as an answer comes leaves a run that asks that caller, and acts only for it", async () => {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const dying = dyingStore(store, (events) => has(events, "tool_answered"));
  const { world, sessionId, seen, answer, open } = await asking({ runtime: { store: dying } });
  void answer(ben);
  await until(() => dying.dead);
  open();
  clock += 60_000;
  const options = {
    tools: [...world.agent.tools.values()],
    hooks: world.agent.hooks.filter(({ name }) => name === "spy"),
  };
  const next = setup([{ text: "Done." }], options, { store, deps: (_session, run) => ({ ...run }) });
  await next.pawl.sweep();
  await until(async () => (await next.pawl.view(sessionId, user)).pending.length > 0);
  expect(seen).toEqual({ ask: [], slow: [whole(ada)], look: [], hook: [whole(ada)] });
  await (await answerAll(next, sessionId, ben)).result;
  expect(seen).toEqual({ ask: [whole(ben)], slow: [whole(ada)], look: [], hook: [whole(ada), whole(ben)] });
  expect(JSON.stringify(await next.log(sessionId))).not.toMatch(/tok_/);
});
