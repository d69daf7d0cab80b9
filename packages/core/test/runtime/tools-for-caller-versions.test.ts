import { describe, expect, it } from "vitest";
import { type Agent, jsonSchema, memoryStore, tool } from "../../src/index.ts";
import { admin, calling, doing, done, guest, prefixes, results, sentTools } from "../support/for-caller.ts";
import { looking } from "../support/hooks.ts";
import { setup, stored, until, user } from "../support/setup.ts";
import { dyingStore, has } from "../support/stores.ts";

/** A run of version 1 whose process dies before its tool runs; `next` boots the process after it. */
async function dead(more: { credentials?: unknown } = {}) {
  let time = 0;
  const store = memoryStore({ now: () => time });
  const dying = dyingStore(store, (events) => has(events, "tool_call"));
  const agent = { tools: () => [doing("look"), doing("remove")], hooks: [looking] };
  const old = setup([calling("remove")], agent, { store: dying });
  const { sessionId } = await old.pawl.run("tester", { ...user, input: "Go", ...admin, ...more }).started;
  await until(() => dying.dead);
  time += 60_000;
  const next = (tools: Agent["toolsFor"] & {}, version = "1") =>
    setup([done], { tools, version }, { store, onError: () => undefined });
  return { sessionId, next };
}

const changes = async (world: ReturnType<typeof setup>, sessionId: string) =>
  (await world.of(sessionId, "agent_changed")).map(({ data: { from, to, tools } }) => ({ from, to, tools }));

describe("F19 F25 what the log says of a run that continues with other tools of a function", () => {
  it.each([["1"], ["2"]])("names the tool that is gone, in version %s", async (version) => {
    const { sessionId, next } = await dead();
    const world = next(() => [doing("look"), doing("other")], version);
    await world.pawl.sweep();
    await stored(world, sessionId, "run_ended");
    expect(await changes(world, sessionId)).toEqual([
      { from: "1", to: version, tools: { removed: ["remove"], changed: [] } },
    ]);
    expect(await results(world, sessionId)).toEqual(['The tool "remove" is not available any more.']);
  });

  it("names no tool if they could not be read, because the run only ends", async () => {
    const { sessionId, next } = await dead();
    const world = next(() => {
      throw new Error("down");
    }, "2");
    await world.pawl.stop(sessionId, user);
    await stored(world, sessionId, "run_ended");
    expect(await changes(world, sessionId)).toEqual([
      { from: "1", to: "2", tools: { removed: [], changed: [] } },
    ]);
  });

  it("names no tool if the run still waits for its caller's credentials", async () => {
    const { sessionId, next } = await dead({ credentials: "token_1234" });
    const tools: Agent["toolsFor"] & {} = ({ credentials }) =>
      credentials === undefined ? [] : [doing("look"), doing("remove")];
    const world = next(tools);
    await world.pawl.sweep();
    await stored(world, sessionId, "run_suspended");
    expect(await changes(world, sessionId)).toEqual([]);
    const events = world.pawl.follow(sessionId, { resume: true, credentials: "token_1234" });
    for await (const { type } of events) if (type === "run_ended") break;
    expect(await changes(world, sessionId)).toEqual([]);
    expect(await results(world, sessionId)).toEqual(["remove is done"]);
  });

  it("names no tool if a queued message's run gets its own prompt in another process", async () => {
    const gate = Promise.withResolvers<void>();
    let isDown = false;
    const slow = tool({
      name: "slow",
      description: "",
      input: jsonSchema({ type: "object" }),
      execute: () => gate.promise,
    });
    const tools: Agent["toolsFor"] & {} = ({ caller }) => {
      if (isDown) throw new Error("down");
      return caller.role === "admin" ? [slow, doing("remove")] : [slow];
    };
    const options = { whenBusy: "queue" as const, limits: { turns: 1 }, tools };
    const reported: unknown[] = [];
    const old = setup([calling("slow")], options, { onError: (error) => reported.push(error) });
    const first = old.pawl.run("tester", { ...user, input: "Go", ...admin });
    const { sessionId } = await first.started;
    await stored(old, sessionId, "tool_started");
    const second = old.pawl.run("tester", { ...user, sessionId, input: "And?", ...guest });
    await second.started;
    isDown = true;
    gate.resolve();
    await first.result;
    await until(() => reported.length > 0);
    isDown = false;
    const world = setup([done], options, { store: old.store });
    await until(async () => (await world.pawl.sweep()) > 0);
    await until(async () => (await world.of(sessionId, "run_ended")).length === 2);
    expect(sentTools(world)).toEqual(["slow"]);
    expect(await prefixes(world, sessionId)).toEqual(["slow remove", "slow"]);
    expect(await changes(world, sessionId)).toEqual([]);
  });
});
