import type { Reply } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { crashingStore } from "../../../../../test/support/crashing-store.ts";
import { expectPrinted } from "../../../../../test/support/printed.ts";
import { type Hook, memoryStore, runtime, tool } from "../../../src/index.ts";
import { type Setup, setup, user } from "../../support/setup.ts";
import { ask, question } from "../../support/tools.ts";
import { begin, check, endless, gate, ok, texts } from "../../support/when-busy.ts";

const broken: Reply = { text: "Half of it", fault: { midStream: "invalid_request_error", afterEvents: 4 } };
const refusedAtOnce: Reply = { text: "", fault: { status: 400 } };
const NOTE = expect.stringContaining("the user asks you to try again");

const retry = ({ pawl }: Pick<Setup, "pawl">, { sessionId, runId }: { sessionId: string; runId: string }) =>
  pawl.run("tester", { ...user, sessionId, retry: runId });

describe("L12 W5 a run that failed is run again, without a message of its own", () => {
  it("answers the last message anew, and shows no trace of the answer that broke off", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([broken, ok]);
    const failed = await world.say("First");
    expect(failed.stop.type).toBe("error");
    const again = await retry(world, failed).result;
    expect(again).toMatchObject({ text: "Ok.", stop: { type: "end_turn" } });
    expect(texts(world, 1)).toEqual(["user: First", "assistant: Half of ", NOTE]);
    const { messages } = await world.pawl.view(failed.sessionId, user);
    expect(messages.map(({ role, text }) => [role, text])).toEqual([
      ["user", "First"],
      ["assistant", "Ok."],
    ]);
    await check(world, failed.sessionId);
  });

  it("sends the same request again if the first one produced nothing", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([refusedAtOnce, ok]);
    const failed = await world.say("First");
    await retry(world, failed).result;
    expect(texts(world, 1)).toEqual(["user: First"]);
    await check(world, failed.sessionId);
  });

  it("continues from the results of tools, and runs none of them twice", async () => {
    expectPrinted("pawl: invalid_request_error");
    let count = 0;
    const book = tool({
      name: "book",
      description: "",
      input: z.object({}),
      execute: () => {
        count += 1;
        return "booked";
      },
    });
    const world = setup([{ text: "I book.", tools: [{ name: "book" }] }, broken, ok], { tools: [book] });
    const failed = await world.say("First");
    const again = await retry(world, failed).result;
    expect(again.text).toBe("Ok.");
    expect(count).toBe(1);
    const { messages, run } = await world.pawl.view(failed.sessionId, user);
    expect(messages.map(({ text }) => text)).toEqual(["First", "I book.\n\nOk."]);
    expect(run).toMatchObject({ id: again.runId, open: false });
    await check(world, failed.sessionId);
  });

  it("keeps the params that the failed run was asked with", async () => {
    expectPrinted("pawl: invalid_request_error");
    const seen: unknown[] = [];
    const look: Hook = { name: "look", beforeTurn: (_, { run }) => void seen.push(run.params) };
    const world = setup([broken, ok], { hooks: [look] });
    const failed = await world.say("First", { params: { lamp: "red" } });
    await retry(world, failed).result;
    expect(seen).toEqual([{ lamp: "red" }, { lamp: "red" }]);
  });

  it("can be retried as often as it fails, and after it was stopped", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([broken, broken, endless, ok]);
    const first = await world.say("First");
    const second = await retry(world, first).result;
    const third = retry(world, second);
    await third.started;
    await world.pawl.stop(first.sessionId, user);
    const stopped = await third.result;
    expect(stopped.stop.type).toBe("aborted");
    expect((await retry(world, stopped).result).text).toBe("Ok.");
    const { messages } = await world.pawl.view(first.sessionId, user);
    expect(messages.map(({ text }) => text)).toEqual(["First", "Ok."]);
    await check(world, first.sessionId);
  });

  it("makes one run of two requests at once, in two processes", async () => {
    expectPrinted("pawl: invalid_request_error");
    const store = memoryStore();
    const world = setup([broken, ok], {}, { store });
    const failed = await world.say("First");
    const other = runtime({ agents: [world.agent], store, times: { pollMs: 5 } });
    const runs = [retry(world, failed), retry({ pawl: other }, failed), retry(world, failed)];
    const results = await Promise.all(runs.map(({ result }) => result));
    expect(new Set(results.map(({ runId }) => runId)).size).toBe(1);
    expect(results.map(({ text }) => text)).toEqual(["Ok.", "Ok.", "Ok."]);
    // Later on, it is still that run.
    expect((await retry({ pawl: other }, failed).result).runId).toBe(results[0]?.runId);
    expect(world.model.requests).toHaveLength(2);
    await check(world, failed.sessionId);
  });

  it("E2 survives a crash at every write: one answer, no matter which process gives it", async () => {
    expectPrinted("pawl: invalid_request_error");
    for (let at = 1, dead = true; dead; at += 1) {
      for (const when of ["before", "after"] as const) {
        let clock = 0;
        const base = memoryStore({ now: () => clock });
        const world = setup([broken, ok, ok], {}, { store: base });
        const failed = await world.say("First");
        const store = crashingStore(base, at, when);
        const dying = runtime({
          agents: [world.agent],
          store,
          times: { storeRetryMs: [] },
          onError: () => undefined,
        });
        await retry({ pawl: dying }, failed).result.catch(() => undefined);
        clock += 60_000;
        const next = runtime({ agents: [world.agent], store: base, times: { pollMs: 5 } });
        await next.sweep();
        expect((await retry({ pawl: next }, failed).result).text).toBe("Ok.");
        const log = await check(world, failed.sessionId);
        expect(log.filter(({ type }) => type === "run_started")).toHaveLength(2);
        dead = store.dead;
      }
    }
  });

  it("shows the retry to a client that sends the message again, and refuses another text under its id", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([broken, ok]);
    const failed = await world.say("First", { clientMessageId: "m" });
    const again = await retry(world, failed).result;
    const { sessionId } = failed;
    expect(await world.say("First", { sessionId, clientMessageId: "m" })).toEqual(again);
    await expect(world.say("Other", { sessionId, clientMessageId: "m" })).rejects.toThrow(/a different text/);
  });

  it("returns the retry when a queued message is sent again that a run of its own answered", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([endless, broken, ok], { whenBusy: "interrupt" });
    const { run, sessionId, say } = await begin(world);
    const second = await say("Second", { clientMessageId: "m2" }).result;
    await run.result;
    expect(second.stop.type).toBe("error");
    const { run: last } = await world.pawl.view(sessionId, user);
    const again = await retry(world, { sessionId, runId: last?.id ?? "" }).result;
    const resent = await say("Second", { clientMessageId: "m2" }).result;
    expect([resent.runId, resent.text]).toEqual([again.runId, "Ok."]);
    await check(world, sessionId);
  });

  it("shows a run that is still in progress", async () => {
    const { work, open } = gate();
    const world = setup([{ tools: [{ name: "work" }] }, ok], { tools: [work] });
    const { run, sessionId } = await begin(world, "tool_started");
    const { runId } = await run.started;
    const same = retry(world, { sessionId, runId });
    expect((await same.started).runId).toBe(runId);
    open();
    expect(await same.result).toEqual(await run.result);
  });

  it("P1 shows a run that waits for its user, and asks nothing twice", async () => {
    const world = setup([{ tools: [question] }, ok], { tools: [ask] });
    const waiting = await world.say("First");
    expect(await retry(world, waiting).result).toEqual(waiting);
    await world.answer(waiting.sessionId, "toolu_q", "Yes.");
    const log = await check(world, waiting.sessionId);
    expect(log.filter(({ type }) => type === "tool_suspended")).toHaveLength(1);
  });
});

describe("W5 refuses these retries with an explanation", () => {
  it("a good answer, an older run, a run of another session, and somebody else's session", async () => {
    expectPrinted("pawl: invalid_request_error");
    const world = setup([broken, ok, ok]);
    const failed = await world.say("First");
    const { sessionId } = failed;
    const good = await world.say("Second", { sessionId });
    await expect(retry(world, good).result).rejects.toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("answered already"),
    });
    await expect(retry(world, failed).result).rejects.toThrow(
      "Only the last run of a session can be retried.",
    );
    await expect(retry(world, { sessionId, runId: "r-none" }).result).rejects.toThrow(/Only the last run/);
    const theirs = world.pawl.run("tester", { userId: "u2", sessionId, retry: good.runId });
    await expect(theirs.result).rejects.toMatchObject({ code: "not_found" });
    await check(world, sessionId);
  });

  it("a retry with a message, with answers, or of nothing", async () => {
    const world = setup([]);
    const asking = (options: object) => world.pawl.run("tester", { ...user, ...options } as never).result;
    await expect(asking({ sessionId: "s", retry: "r", input: "Hi" })).rejects.toThrow(
      /takes only one of `input`, `answers` and `retry`; got `input` and `retry`/,
    );
    await expect(asking({ sessionId: "s", retry: 1 })).rejects.toThrow(/must be the id/);
    await expect(asking({ retry: "r" })).rejects.toThrow(/need a `sessionId`/);
  });
});
