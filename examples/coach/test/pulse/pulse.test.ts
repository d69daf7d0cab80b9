import { type Json, memoryFiles, memoryStore } from "@pawl/core";
import { strictModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { fileIndex, userFiles } from "../../src/index.ts";
import { calling, coached, MORNING } from "../support/harness.ts";

const DAY = 86_400_000;
const ask = (context = "How are things?"): [string, object] => ["show_pulse_check", { context }];
const ended = [{ text: "I see." }];

/** Creates a world in which several processes share one log and one place of files. */
function world() {
  const [log, files] = [memoryStore(), memoryFiles()];
  let now = MORNING;
  return {
    files: userFiles(files, "ada"),
    wait: (days: number) => {
      now += days * DAY;
    },
    process: (script: Parameters<typeof strictModel>[0]) => {
      const model = strictModel(script);
      return { model, ...coached(model, { log, files, now: () => now }) };
    },
  };
}

const answerOf = (callId: string, value: Json) => [{ callId, value }];

describe("the pulse check", () => {
  it("P1 P2 P4 waits three days, survives its server, and continues with the ratings; the first of two devices counts", async () => {
    const { process, wait, files } = world();
    const before = process({ script: calling(ask()) });
    const first = await before.ask({ input: "Hi" });
    await before.ask({
      sessionId: first.sessionId,
      answers: answerOf(first.pending[0]?.callId ?? "", { ratings: { health: 3, work: 4 } }),
    });

    const asking = process({ script: calling(ask("And now?")) });
    const asked = await asking.ask({ input: "Hi again" });
    expect(asked.stop.type).toBe("suspended");
    await asking.pawl.drain();

    wait(3);
    const after = process({ script: ended });
    const { sessionId } = asked;
    const { pending } = await after.pawl.view(sessionId, { userId: "ada" });
    expect(pending).toMatchObject([
      {
        kind: "pulse_check",
        payload: {
          context: "And now?",
          skippable: true,
          scale: { min: 1, max: 5 },
          domains: expect.arrayContaining([{ id: "health", label: "Health" }]),
        },
      },
    ]);
    const callId = pending[0]?.callId ?? "";
    const devices = await Promise.allSettled([
      after.ask({ sessionId, answers: answerOf(callId, { ratings: { health: 2, love: 5 } }) }),
      after.ask({ sessionId, answers: answerOf(callId, { ratings: { health: 5 } }) }),
    ]);
    expect(devices.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    const results = await after.results(sessionId);
    expect(results).toHaveLength(1);
    const [won] = devices.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    expect(won?.text).toContain("I see.");
    const { health } = Object(results[0]?.result).ratings as { health: number };
    expect(results[0]?.result).toMatchObject({
      baseline: { health: 3, work: 4 },
      baseline_day: "2026-11-21",
      changes: { health: { before: 3, after: health, change: health - 3 } },
    });
    const read = JSON.stringify(after.model.requests[0]?.messages.at(-1));
    expect(read).toContain(`\\"after\\":${health}`);
    expect(after.model.rejected).toEqual([]);
    const kept = (await fileIndex(files, "pulse-checks")).map(({ day }) => day);
    expect(kept).toEqual(["2026-11-21", "2026-11-24"]);
  });

  it("P1 compares with the last rating of each area, and is one check even after a crash between the file and the log", async () => {
    const [log, files] = [memoryStore(), memoryFiles()];
    let [now, isDead] = [MORNING, false];
    const never = new Promise<never>(() => undefined);
    const mortal: typeof log = {
      ...log,
      append: (...args) => (isDead ? never : log.append(...args)),
      renew: (...args) => (isDead ? never : log.renew(...args)),
    };
    const deadly: typeof files = {
      ...files,
      put: async (...args) => {
        await files.put(...args);
        isDead = now > MORNING + DAY;
      },
    };
    const rate = async (log: typeof mortal, ratings: Json) => {
      const model = strictModel({ script: calling(ask()) });
      const made = coached(model, { log, files: deadly, now: () => now, leaseTtlMs: 150 });
      const { sessionId, pending } = await made.ask({ input: "Hi" });
      const run = made.pawl.run("coach", {
        userId: "ada",
        sessionId,
        answers: answerOf(pending[0]?.callId ?? "", { ratings }),
      });
      run.result.catch(() => undefined);
      return { sessionId, run };
    };
    await (await rate(log, { work: 4, play: 2 })).run.result;
    now += DAY;
    await (await rate(log, { health: 3 })).run.result;
    now += DAY;
    const { sessionId } = await rate(mortal, { work: 1, health: 3 });
    await expect.poll(() => isDead).toBe(true);
    const second = coached(strictModel({ script: ended }), { log, files, now: () => now + 5_000 });
    await expect.poll(() => second.pawl.sweep()).toBe(1);
    await expect.poll(() => second.results(sessionId)).toHaveLength(1);
    expect((await second.results(sessionId))[0]?.result).toEqual({
      ratings: { work: 1, health: 3 },
      baseline: { work: 4, play: 2, health: 3 },
      baseline_day: "2026-11-22",
      changes: { work: { before: 4, after: 1, change: -3 }, health: { before: 3, after: 3, change: 0 } },
    });
    expect(await files.list("ada/pulse-checks")).toHaveLength(3);
  });

  it("P2 may be skipped, and then changes nothing", async () => {
    const { process, files } = world();
    const { ask: say } = process({ script: calling(ask()) });
    const { sessionId, pending } = await say({ input: "Hi" });
    const { actions } = await say({
      sessionId,
      answers: answerOf(pending[0]?.callId ?? "", { skipped: true }),
    });
    expect(actions).toMatchObject([{ success: true, result: { skipped: true, baseline: {} } }]);
    expect(await files.list()).toEqual([]);
  });

  it.each<[string, Json]>([
    ["a rating above the scale", { ratings: { work: 6 } }],
    ["a rating below it", { ratings: { work: 0 } }],
    ["half a rating", { ratings: { work: 2.5 } }],
    ["an unknown area", { ratings: { hacking: 3 } }],
    ["no ratings", { ratings: {} }],
    ["a list", [1, 2, 3]],
    ["a rating in words", { ratings: { work: "5" } }],
  ])("P5 refuses %s and keeps the question open", async (_, value) => {
    const { ask: say, pawl } = world().process({ script: calling(ask()) });
    const { sessionId, pending } = await say({ input: "Hi" });
    const answers = answerOf(pending[0]?.callId ?? "", value);
    await expect(say({ sessionId, answers })).rejects.toMatchObject({ code: "invalid_answer" });
    expect((await pawl.view(sessionId, { userId: "ada" })).pending).toHaveLength(1);
  });

  it("P1 compares with the last check, even if the day is a different one in UTC, or after midnight", async () => {
    const [log, files] = [memoryStore(), memoryFiles()];
    const rate = async (now: string, work: number) => {
      const more = { log, files, now: () => Date.parse(now), timeZone: "America/Los_Angeles" };
      const { ask: say, results } = coached(strictModel({ script: calling(ask()) }), more);
      const { sessionId, pending } = await say({ input: "Hi" });
      await say({ sessionId, answers: answerOf(pending[0]?.callId ?? "", { ratings: { work } }) });
      return (await results(sessionId))[0]?.result;
    };
    await rate("2026-11-21T23:00:00Z", 1);
    expect(await rate("2026-11-22T01:00:00Z", 2)).toMatchObject({ baseline: { work: 1 } });
    expect(await rate("2026-11-22T09:00:00Z", 3)).toMatchObject({ baseline: { work: 2 } });
    expect(await rate("2026-11-22T17:00:00Z", 4)).toMatchObject({
      baseline: { work: 3 },
      baseline_day: "2026-11-21",
    });
  });

  it("P3 P6 keeps files saved beside the question, and closes the question when a message arrives instead of an answer", async () => {
    const script = [
      ...calling(["save_file", { file_type: "capture", content: "A thought" }], ask()).slice(0, 1),
      ...ended,
    ];
    const { process, files } = world();
    const { ask: say, results, model } = process({ script });
    const { sessionId } = await say({ input: "Hi" });
    expect(await files.list("captures")).toHaveLength(1);
    await say({ sessionId, input: "Not now" });
    expect(
      (await results(sessionId)).map(({ tool_name, result }) => [tool_name, Object(result).answered]),
    ).toEqual([
      ["save_file", undefined],
      ["show_pulse_check", false],
    ]);
    expect(model.rejected).toEqual([]);
  });
});
