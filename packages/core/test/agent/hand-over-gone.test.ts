import { describe, expect, it } from "vitest";
import { crashingStore } from "../../../../test/support/crashing-store.ts";
import { assertSoundLog } from "../../../../test/support/invariants.ts";
import { approval, PawlError, type StoredEvent } from "../../src/index.ts";
import { transfer } from "../support/airline.ts";
import {
  agents,
  done,
  ends,
  type FrontDesk,
  frontDesk,
  isQueued,
  readInvoice,
  speakers,
  user,
} from "../support/front-desk.ts";

const notes = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "note" ? [data.text] : []));

const errors = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "error" ? [data.code] : []));

/** A process of a later version without the agent that has the conversation, and what it reports. */
function later(world: FrontDesk) {
  const reported: string[] = [];
  const pawl = world.bootAlone({ onError: (error) => void reported.push(String(error)) });
  return { pawl, reported };
}

/** A process dies at its n-th append, so that the run of `billing` is open and nobody works on it. */
async function dies(world: FrontDesk, at: number): Promise<void> {
  const pawl = world.boot(crashingStore(world.store, at, "before"));
  await world.say("My invoice", {}, pawl).catch(() => undefined);
}

const retries = { runtime: { onError: () => undefined } };

/** A world in which the process has died in the run of `billing`, before its result was stored. */
async function abandoned() {
  const script = { desk: [transfer("billing"), done, done], billing: [readInvoice, done, done] };
  for (let at = 4; at < 12; at += 1) {
    const world = frontDesk(script, retries);
    await dies(world, at);
    const log = await world.log();
    if (agents(log).length === 2 && ends(log).length === 1) return world;
  }
  throw new Error("no append leaves the run of billing open");
}

describe("F16 if the agent that has the conversation was removed,", () => {
  it("the session's own agent answers the next message, and model, log and onError name the other one", async () => {
    const world = frontDesk({ desk: [transfer("billing"), done, done], billing: [done] });
    await world.say("My invoice");
    const { pawl, reported } = later(world);
    expect((await world.say("And?", {}, pawl)).text).toBe("Done.");
    await world.say("Thanks", {}, pawl);
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "desk", "desk"]);
    expect(notes(log)).toEqual([
      'The agent "billing" is gone, so "desk" continues. Earlier notes on roles are void.',
    ]);
    expect(JSON.stringify(world.desk.requests.at(-1)?.messages)).toContain("is gone");
    expect(errors(log)).toEqual(["agent_missing"]);
    expect(reported).toEqual([expect.stringContaining('no agent "billing"')]);
    assertSoundLog(log);
  });

  it("the session's own agent keeps the conversation, also where the other agent is back", async () => {
    const world = frontDesk({ desk: [transfer("billing"), done, done], billing: [done] });
    await world.say("My invoice");
    await world.say("And?", {}, later(world).pawl);
    await world.say("Thanks");
    expect(agents(await world.log())).toEqual(["desk", "billing", "desk", "desk"]);
  });

  it("a note on a role comes again when the session's own agent continues", async () => {
    const world = frontDesk(
      { desk: [transfer("billing"), done], billing: [done] },
      { desk: { roles: { front: { instructions: "Be brief." } } } },
    );
    await world.say("My invoice");
    await world.say("And?", {}, later(world).pawl);
    expect(JSON.stringify(world.desk.requests.at(-1)?.messages).split("Be brief.")).toHaveLength(3);
  });

  it("its abandoned run ends with the next message, which the session's own agent answers", async () => {
    const world = await abandoned();
    const { pawl } = later(world);
    const { text } = await world.say("Hello?", { whenBusy: "queue" }, pawl);
    expect(text).toBe("Done.");
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "desk"]);
    expect(ends(log).map(({ stop }) => stop.type)).toEqual(["terminal_tool", "interrupted", "end_turn"]);
    expect(ends(log)[1]?.next?.messages).toEqual(log.filter(isQueued).map(({ seq }) => seq));
    assertSoundLog(log);
  });

  it("the user can stop its abandoned run", async () => {
    const world = await abandoned();
    const { pawl } = later(world);
    await pawl.stop("s1", { userId: "u1" });
    const log = await world.log();
    expect(ends(log).at(-1)?.stop.type).toBe("aborted");
    expect(agents(log)).toEqual(["desk", "billing"]);
    assertSoundLog(log);
  });

  it("a sweep leaves its run to other processes for ten lease times, and then the own agent continues", async () => {
    const world = await abandoned();
    const { pawl, reported } = later(world);
    expect(await pawl.sweep({ wait: true })).toBe(0);
    expect(reported).toEqual([expect.stringContaining('no agent "billing"'), expect.anything()]);
    // Each process starts a minute after the one before it, so this is after six lease times, and then twelve.
    expect(await later(world).pawl.sweep({ wait: true })).toBe(1);
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "desk"]);
    expect(speakers(log).at(-1)).toBe("desk");
    expect(ends(log).at(-1)?.stop.type).toBe("end_turn");
    assertSoundLog(log);
  });

  it("an answer to its question is refused, and a process that has the agent still takes it", async () => {
    const world = frontDesk(
      { desk: [transfer("billing")], billing: [readInvoice, done] },
      { billing: { hooks: [approval({ when: ["invoice"] })] } },
    );
    const { pending } = await world.say("My invoice");
    const answers = [{ callId: pending?.[0]?.callId ?? "", value: { approved: true } }];
    const refused = later(world).pawl.run("desk", { ...user, answers }).result;
    await expect(refused).rejects.toThrow('no agent "billing"');
    const { text } = await world.boot().run("desk", { ...user, answers }).result;
    expect(text).toBe("Done.");
  });

  it("a message instead of the answer goes to the session's own agent", async () => {
    const world = frontDesk(
      { desk: [transfer("billing"), done], billing: [readInvoice] },
      { billing: { hooks: [approval({ when: ["invoice"] })] } },
    );
    await world.say("My invoice");
    await world.say("Never mind", {}, later(world).pawl);
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "billing", "desk"]);
    assertSoundLog(log);
  });

  it.each([
    ["a hand-over", undefined, "terminal_tool"],
    ["a hand-over and a message", "queue", "terminal_tool"],
    ["a hand-over and a message, and then more crashes,", "queue", "crash_loop"],
  ] as const)("%s before a crash: the session's own agent continues", async (_case, whenBusy, stop) => {
    const world = frontDesk(
      { desk: [transfer("billing"), done, done], billing: [] },
      { ...retries, desk: { hooks: [{ name: "spy", afterTurn: () => undefined }] } },
    );
    await world.say("My invoice", {}, world.boot(endless(world))).catch(() => undefined);
    const { openRun: run_id = "" } = (await world.store.sessions.get("s1")) ?? {};
    const crash = { type: "run_recovered" as const, data: { run_id: run_id ?? "" } };
    const crashes = stop === "crash_loop" ? Array.from({ length: 9 }, () => crash) : [];
    if (crashes.length > 0) await world.store.append("s1", crashes, { appendId: "crashes" });
    const { pawl, reported } = later(world);
    if (whenBusy !== undefined) await world.say("Hello?", { whenBusy }, pawl);
    else await pawl.sweep({ wait: true });
    const log = await world.log();
    expect(agents(log)).toEqual(["desk", "desk"]);
    expect(ends(log).map((end) => end.stop.type)).toEqual([stop, "end_turn"]);
    expect(notes(log)).toEqual([expect.stringContaining("is gone")]);
    expect(reported).toEqual([expect.stringContaining('no agent "billing"')]);
    assertSoundLog(log);
  });
});

/** A store whose process dies before the append that ends a run. */
function endless({ store }: FrontDesk): FrontDesk["store"] {
  let isDead = false;
  const append: typeof store.append = async (id, events, options) => {
    isDead ||= events.some(({ type }) => type === "run_ended");
    if (isDead) throw new PawlError("store_unavailable", "The process is dead.");
    return await store.append(id, events, options);
  };
  return { ...store, append };
}
