import { describe, expect, it } from "vitest";
import { assertExtends } from "../../../../../test/support/invariants.ts";
import { assertRebuilds } from "../../../../../test/support/rebuild.ts";
import { setup, user } from "../../support/setup.ts";
import { ask, look } from "../../support/tools.ts";

const script = [
  { thinking: "Hm.", tools: [{ name: "look", id: "toolu_1" }] },
  { thinking: "So.", text: "First." },
  { thinking: "And.", text: "Second." },
  { tools: [{ name: "ask", id: "toolu_2" }] },
];

async function begun() {
  const world = setup([...script, { thinking: "Anew.", text: "Other." }, { text: "Fin." }], {
    tools: [look, ask],
  });
  const { sessionId } = await world.say("One", { metadata: { plan: "a" } });
  await world.say("Two", { sessionId });
  await world.say("Three", { sessionId });
  const ends = (await world.of(sessionId, "run_ended")).map(({ seq }) => seq);
  return { world, sessionId, ends };
}

describe("E2 a fork", () => {
  it("begins with a copy up to the end of a run and goes on by itself; the original stays as it is", async () => {
    const { world, sessionId, ends } = await begun();
    const before = await world.log(sessionId);
    const fork = await world.pawl.fork(sessionId, { ...user, atSeq: (ends[1] ?? 0) + 3 });
    const forked_from = { session_id: sessionId, seq: ends[1] };
    expect(fork).toMatchObject({
      userId: "u1",
      agent: "tester",
      status: "active",
      openRun: null,
      pending: 0,
      lastSeq: ends[1],
      metadata: { plan: "a", forked_from },
    });
    const { stop } = await world.say("Instead", { sessionId: fork.id });
    expect(stop.type).toBe("end_turn");
    // Thinking is echoed, and signed over the same words: the fork is one more way to go on.
    assertExtends([world.model.requests[2], world.model.requests.at(-1)] as never);
    expect(JSON.stringify(world.model.requests.at(-1)?.messages).match(/"type":"thinking"/g)).toHaveLength(3);
    expect(world.model.rejected).toEqual([]);
    expect(await world.log(sessionId)).toEqual(before);
    expect((await world.pawl.view(fork.id, user)).messages.map(({ text }) => text)).toEqual([
      "One",
      "First.",
      "Two",
      "Second.",
      "Instead",
      "Other.",
    ]);
    await world.say("Bye", { sessionId: fork.id });
    await assertRebuilds([await world.log(fork.id)], world.model.requests.slice(4));
    expect(world.model.rejected).toEqual([]);
  });

  it("leaves an open question out, and begins at the latest end without a place", async () => {
    const { world, sessionId, ends } = await begun();
    const fork = await world.pawl.fork(sessionId, user);
    expect(fork).toMatchObject({ lastSeq: ends[1], pending: 0 });
    expect((await world.pawl.view(sessionId, user)).pending).toHaveLength(1);
    expect((await world.pawl.view(fork.id, user)).pending).toEqual([]);
  });

  it("copies what was redacted as redacted, without thinking that was signed over it", async () => {
    const { world, sessionId, ends } = await begun();
    await world.answer(sessionId, "toolu_2", "yes");
    const [message] = await world.of(sessionId, "user_message");
    await world.pawl.redact(sessionId, message?.seq ?? 0, user);
    const fork = await world.pawl.fork(sessionId, { ...user, atSeq: ends[0] ?? 0 });
    expect(JSON.stringify(await world.log(fork.id))).not.toContain("One");
    await world.say("Instead", { sessionId: fork.id });
    expect(JSON.stringify(world.model.requests.at(-1)?.messages)).not.toContain('"type":"thinking"');
    expect(world.model.rejected).toEqual([]);
  });

  it("E11 is the owner's, and needs a run that has ended", async () => {
    const { world, sessionId, ends } = await begun();
    await expect(world.pawl.fork(sessionId, { userId: "u2" })).rejects.toMatchObject({ code: "not_found" });
    const early = { ...user, atSeq: (ends[0] ?? 0) - 1 };
    await expect(world.pawl.fork(sessionId, early)).rejects.toMatchObject({ code: "invalid_input" });
  });
});
