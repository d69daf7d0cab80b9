import { scriptedModel, testClock } from "@pawl/testing";
import { expect, it } from "vitest";
import { settled } from "../../../../../test/support/settled.ts";
import { until } from "../../../../../test/support/until.ts";
import { agent, type EventStore, memoryStore, runtime } from "../../../src/index.ts";
import type { WorkLimits } from "../../../src/store.ts";
import { refusalOf } from "../../support/file-runs.ts";

/** A runtime with a session of each user, whose store counts the reads of whole logs at the same time. */
async function counted(workLimits: WorkLimits) {
  const inner = memoryStore();
  const clock = testClock();
  const count = { atOnce: 0, mostAtOnce: 0 };
  const gate: { isOpen: boolean; error?: Error } = { isOpen: true };
  const store: EventStore = {
    ...inner,
    read: async function* (sessionId, options = {}) {
      if (options.types !== undefined || (options.afterSeq ?? 0) > 0)
        return yield* inner.read(sessionId, options);
      count.atOnce += 1;
      count.mostAtOnce = Math.max(count.mostAtOnce, count.atOnce);
      await settled();
      if (!gate.isOpen) await until(() => gate.isOpen);
      count.atOnce -= 1;
      if (gate.error !== undefined) throw gate.error;
      yield* inner.read(sessionId, options);
    },
  };
  const model = scriptedModel(Array.from({ length: 20 }, () => ({ text: "Hello." })));
  const coach = agent({ name: "coach", model, instructions: "Be kind." });
  const pawl = runtime({ agents: [coach], store, testing: { clock }, workLimits });
  const say = async (userId: string) => (await pawl.run(coach, { userId, input: "Hi" }).result).sessionId;
  const [ada, eve, eli] = [await say("ada"), await say("eve"), await say("eli")];
  count.mostAtOnce = 0;
  return { pawl, clock, count, gate, say, ids: { ada, eve, eli } };
}

it("B7 views, copies and redactions of sessions are read in the same places, and runs in none", async () => {
  const { pawl, count, gate, say, ids, clock } = await counted({ sessions: 2 });
  await Promise.all(
    (Object.entries(ids) as [string, string][]).flatMap(([userId, id]) => [
      pawl.view(id, { userId }),
      pawl.fork(id, { userId }),
      pawl.redact(id, 3, { userId }),
    ]),
  );
  expect(count.mostAtOnce).toBe(2);
  gate.isOpen = false;
  const views = [pawl.view(ids.ada, { userId: "ada" }), pawl.view(ids.eve, { userId: "eve" })];
  await until(() => count.atOnce === 2);
  const waiting = [
    pawl.view(ids.eli, { userId: "eli" }),
    pawl.fork(ids.eli, { userId: "eli" }),
    pawl.redact(ids.eli, 3, { userId: "eli" }),
    pawl.enterRead({ userId: "eli", sessionId: ids.eli }),
  ].map(refusalOf);
  await settled();
  // A run begins and ends meanwhile.
  expect(await say("bob")).toBeTypeOf("string");
  await clock.advance(10_000);
  for (const refusal of waiting) expect(await refusal).toContain("overloaded: Too many sessions are in use");
  gate.isOpen = true;
  await Promise.all(views);
});

it("B7 a reader that fails leaves its place, and one that is aborted gives it up", async () => {
  const { pawl, gate, ids } = await counted({ sessions: 1 });
  const asked = { userId: "ada", sessionId: ids.ada };
  gate.error = new Error("down");
  for (let times = 0; times < 3; times += 1) {
    await expect(pawl.view(ids.ada, asked)).rejects.toThrow();
    await expect(pawl.fork(ids.ada, asked)).rejects.toThrow();
    await expect(pawl.redact(ids.ada, 99, asked)).rejects.toThrow();
  }
  delete gate.error;
  const place = await pawl.enterRead(asked);
  const control = new AbortController();
  const given = refusalOf(pawl.enterRead({ ...asked, signal: control.signal }));
  const next = pawl.view(ids.eve, { userId: "eve" });
  control.abort(new Error("gone"));
  expect(await given).toContain("gone");
  place.leave();
  expect((await next).messages).toHaveLength(2);
});

it("U6 B7 the options of enterRead() are checked", async () => {
  const { pawl } = await counted({});
  for (const wrong of [undefined, {}, { userId: "ada" }, { userId: "ada", sessionId: "s", user: "ada" }])
    expect(await refusalOf(pawl.enterRead(wrong as never))).toContain("invalid_input");
});
