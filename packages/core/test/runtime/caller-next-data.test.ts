import { describe, expect, it } from "vitest";
import { jsonSchema, memoryStore, type RunOptions, tool, type UserDataSource } from "../../src/index.ts";
import { named } from "../support/hooks.ts";
import { type Options, type Setup, setup, stored, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

const [ADA, BEN] = ["tok_ada_4f2c9a7e1b8d6053", "tok_ben_91c3d5e7f9a1b3c5"];
const ada = { caller: { name: "ada" }, credentials: { token: ADA } };
const ben = { caller: { name: "ben" }, credentials: { token: BEN } };
const EVE = { caller: { name: "eve" }, credentials: { token: "tok_eve_5d7f9a1b3c5e7092" } };

const look = { tools: [{ name: "look", input: {} }] };
type Seen = [caller: unknown, credentials: unknown, deps: unknown];
type Source = Pick<UserDataSource, "caller" | "credentials" | "deps">;
const seenIn = ({ caller, credentials, deps }: Source): Seen => [caller, credentials, deps];
const whole = ({ caller, credentials }: { caller: object; credentials?: unknown }): Seen => [
  caller,
  credentials,
  { caller, credentials },
];

/** A run of Ada whose tool waits for `open`. Messages that arrive meanwhile start runs of their own. */
async function busy(options: Options = {}, runtime: Parameters<typeof setup>[2] = {}, act = () => "looked") {
  const [inTool, inData]: [Seen[], Seen[]] = [[], []];
  const gate = Promise.withResolvers<void>();
  const slow = tool({
    name: "look",
    description: "Looks.",
    input: jsonSchema({ type: "object" }),
    execute: async (_input, context) => {
      inTool.push(seenIn(context));
      await gate.promise;
      return act();
    },
  });
  const world = setup(
    [look, look, look],
    {
      tools: [slow],
      whenBusy: "queue",
      limits: { turns: 1 },
      userData: {
        per: "run",
        read: (source) => {
          inData.push(seenIn(source));
          return `data of ${source.caller.name}`;
        },
      },
      ...options,
    },
    { deps: (_session, run) => ({ ...run }), onError: () => undefined, ...runtime },
  );
  const first = world.pawl.run("tester", { ...user, input: "Go", ...ada });
  const { sessionId } = await first.started;
  await stored(world, sessionId, "tool_started");
  const queue = async (more: Partial<RunOptions>) => {
    const run = world.pawl.run("tester", { ...user, sessionId, input: "And?", ...more });
    await run.started;
    return run;
  };
  return { world, first, sessionId, queue, inTool, inData, open: () => gate.resolve() };
}

/** The user data that the model read after those of the first run. */
async function dataOf(world: Setup, sessionId: string) {
  return (await world.of(sessionId, "knowledge")).map(({ data }) => data.data);
}

describe("F17 the run of a queued message", () => {
  it("reads its user data as its own caller, with its own credentials and `deps`", async () => {
    const { world, sessionId, queue, inData, open } = await busy();
    const second = await queue(ben);
    open();
    await second.result;
    expect(inData).toEqual([whole(ada), whole(ben)]);
    expect(await dataOf(world, sessionId)).toEqual(["data of ben"]);
  });

  it("makes its `deps` once, for its user data, tools and hooks", async () => {
    const made: unknown[] = [];
    const inHooks: unknown[] = [];
    const deps = (_session: unknown, { caller }: { caller: object }) => {
      made.push(caller);
      return caller;
    };
    const spy = named("spy", { beforeTurn: (_plan, { deps: given }) => void inHooks.push(given) });
    const { queue, inTool, open } = await busy({ hooks: [spy] }, { deps });
    const second = await queue(ben);
    open();
    await second.result;
    expect(made).toEqual([ada.caller, ben.caller]);
    expect(inHooks).toEqual(made);
    expect(inTool.map(([, , given]) => given)).toEqual(made);
  });

  it("reads its user data again if another sender's message comes while it reads them", async () => {
    const [reading, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const read: unknown[] = [];
    const userData = async ({ caller }: UserDataSource) => {
      read.push(caller.name);
      if (caller.name === "ben") {
        reading.resolve();
        await go.promise;
      }
      return `data of ${caller.name}`;
    };
    const { world, sessionId, queue, inTool, open } = await busy({ userData: { read: userData } });
    await queue(ben);
    open();
    await reading.promise;
    const third = await queue(EVE);
    go.resolve();
    await third.result;
    expect(read).toEqual(["ada", "ben", "eve"]);
    expect(inTool).toEqual([whole(ada), whole(EVE)]);
    expect(await dataOf(world, sessionId)).toEqual(["data of eve"]);
    expect(await world.of(sessionId, "run_started")).toHaveLength(2);
  });

  it("does not get the credentials of a message that was refused", async () => {
    const { world, sessionId, queue, inTool, open } = await busy();
    const second = await queue({ ...ben, clientMessageId: "m1" });
    // The same message again, from somebody else: it is stored once.
    await queue({ ...EVE, clientMessageId: "m1" }).catch(() => undefined);
    open();
    await second.result;
    expect(await world.of(sessionId, "user_message")).toHaveLength(2);
    expect(inTool[1]).toEqual(whole(ben));
  });

  it("does not get those of an earlier message if its own came to another process", async () => {
    const { world, sessionId, queue, inTool, inData, open } = await busy();
    await queue(ben);
    const elsewhere = setup([], { whenBusy: "queue" }, { store: world.store });
    await elsewhere.pawl.run("tester", { ...user, sessionId, input: "Me too", ...EVE }).started;
    open();
    await until(async () => (await world.pawl.view(sessionId, user)).pending.length > 0);
    expect((await world.pawl.view(sessionId, user)).pending).toMatchObject([{ kind: "credentials" }]);
    expect(inTool).toEqual([whole(ada)]);
    expect(inData[1]).toEqual(whole({ caller: EVE.caller, credentials: undefined }));
  });

  it("ends as `error` if its own `deps` fail, after the run before has ended well", async () => {
    const deps = (_session: unknown, { caller }: { caller: { name?: unknown } }) => {
      if (caller.name === "ben") throw new Error("no workspace");
      return {};
    };
    const { first, queue, open } = await busy({}, { deps: deps as never });
    const second = await queue(ben);
    open();
    expect((await first.result).stop.type).toBe("turn_limit");
    expect((await second.result).stop.type).toBe("error");
  });
});

describe("F17 the run of a queued message without credentials", () => {
  it("sees none of the run before in tools, hooks and user data, and they stay hidden in its log", async () => {
    const inHooks: unknown[] = [];
    const spy = named("spy", {
      beforeTurn: (_plan, context) => void inHooks.push(seenIn(context)),
      // An API of the application may still repeat the token of the run before, e.g. from a cache.
      afterTurn: async (_turn, { append }) =>
        void (await append({ type: "note", data: { text: `Not ${ADA}` } })),
    });
    const { world, sessionId, queue, inTool, inData, open } = await busy(
      { hooks: [spy] },
      {},
      () => `for ${ADA}`,
    );
    const second = await queue({ caller: ben.caller });
    open();
    await second.result;
    const none = whole({ caller: ben.caller, credentials: undefined });
    expect([inTool[1], inData[1], inHooks[1]]).toEqual([none, none, none]);
    const log = await world.log(sessionId);
    expect(JSON.stringify(log)).not.toContain(ADA);
    const notes = await world.of(sessionId, "note");
    expect(notes.map(({ data }) => data.text)).toEqual(["Not …", "Not …"]);
  });
});

it("F17 E2 a process that dies as the next run starts leaves a run that asks for its own credentials", async () => {
  let clock = 0;
  const store = memoryStore({ now: () => clock });
  const dying = dyingStore(store, (events) => has(events, "run_ended"));
  const { world, sessionId, queue, open } = await busy({}, { store: dying });
  await queue(ben);
  open();
  await until(() => dying.dead);
  clock += 60_000;
  const seen: Seen[] = [];
  const spy = named("spy", { beforeTurn: (_plan, context) => void seen.push(seenIn(context)) });
  const options = { tools: [...world.agent.tools.values()], hooks: [spy] };
  const next = setup([{ text: "Done." }], options, { store, deps: (_session, run) => ({ ...run }) });
  await next.pawl.sweep();
  await until(async () => (await next.pawl.view(sessionId, user)).pending.length > 0);
  expect(seen).toEqual([]);
  const { pending } = await next.pawl.view(sessionId, user);
  const answers = pending.map(({ callId }) => ({ callId, value: true }));
  await next.pawl.run("tester", { ...user, sessionId, answers, ...ben }).result;
  expect(seen).toEqual([whole(ben)]);
});
