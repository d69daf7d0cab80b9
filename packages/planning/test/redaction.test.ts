import { type JsonObject, memoryBlobs, readShown, type StoredEvent } from "@pawl/core";
import { describe, expect, it } from "vitest";
import { settled } from "../../../test/support/settled.ts";
import { until } from "../../../test/support/until.ts";
import { newRecord, type RunRecord, recordOf, withEvent } from "../src/index.ts";
import { plans, reviews, type World, worldOf } from "./support/world.ts";

const user = { userId: "u1" };
const secret = (what: string) => `Rosebud ${what}`;
const question = { text: secret("question"), about: secret("about"), choices: [] };
const tasks = [
  { id: "mail", title: secret("title"), tool: "search_gmail" },
  { id: "chat", title: secret("chat"), tool: "search_slack" },
];
const draft = { goal: secret("goal"), reasoning: secret("why"), rewritten_query: secret("query"), tasks };

/** A run that is planned, asked about, reviewed, and lands at its limit. Every text has the word. */
async function told(): Promise<{ world: World; sessionId: string }> {
  const small: JsonObject[] = [{ ...draft, status: "needs_clarification", question }, draft];
  const world = worldOf(
    {
      small: [
        ...small.map(plans),
        reviews({ notes: secret("note"), tasks: [...tasks, { id: "sum", title: secret("sum") }] }),
        plans({ tasks: [], goal: "Answer" }),
        plans({ tasks: [], goal: "Answer" }),
      ],
      main: [
        {
          tools: [
            { name: "search_gmail", input: { query: secret("input") } },
            { name: "search_slack", input: { query: secret("chat input") } },
          ],
        },
        { text: secret("answer") },
        { text: "Later." },
        { text: "Bye." },
      ],
    },
    { review: { everyCalls: 100 }, fallback: { retrieve: () => secret("retrieved") } },
    {
      fails: (tool) => tool === "search_slack",
      agent: { onLimit: "land", limits: { turns: 2 } },
      blobs: memoryBlobs(),
    },
  );
  const waiting = await world.say(secret("message"));
  const { sessionId, stop } = await world.answer(waiting, { text: secret("choice") });
  expect(stop.type).toBe("turn_limit");
  return { world, sessionId };
}

async function shownOf(world: World, sessionId: string): Promise<StoredEvent[]> {
  return await Array.fromAsync(readShown(world.store, sessionId));
}

const isText = (value: unknown) => JSON.stringify(value).includes("Rosebud");

/** Redacts this event in a session of the same story. Returns its records, and has one more run there. */
async function afterRedaction({ seq }: StoredEvent): Promise<RunRecord[]> {
  const { world, sessionId } = await told();
  await world.pawl.redact(sessionId, seq, user);
  const shown = await shownOf(world, sessionId);
  expect(isText(shown[seq - 1])).toBe(false);
  const records = [recordOf(await world.log(sessionId)), shown.reduce(withEvent, newRecord(sessionId))];
  const { stop } = await world.say("And now?", { sessionId });
  expect(stop.type).toBe("end_turn");
  return records;
}

function expectHidden({ type }: StoredEvent, record: RunRecord): void {
  const { clarifications, reviews, retrieved } = record;
  if (type === "planning.clarification") expect(clarifications).toEqual([]);
  if (type === "planning.review") expect(reviews).toEqual([]);
  if (type === "knowledge") expect(retrieved).toBe("[redacted]");
}

describe("redactions and the record", () => {
  it("E2 M3 of a whole run hide its text everywhere: readers, view, live tail, record, later prompts", async () => {
    const { world, sessionId } = await told();
    const live: unknown[] = [];
    let lastSeq = 0;
    let record = recordOf(await world.log(sessionId));
    expect(isText(record)).toBe(true);
    const { length } = await world.log(sessionId);
    const abort = new AbortController();
    const reading = (async () => {
      for await (const event of world.pawl.follow(sessionId, { afterSeq: length, signal: abort.signal })) {
        live.push(event);
        if (!("seq" in event)) continue;
        record = withEvent(record, event);
        lastSeq = event.seq;
      }
    })().catch(() => undefined);
    await settled();
    await world.pawl.redact(sessionId, 1, { ...user, throughSeq: length });
    const last = (await world.log(sessionId)).length;
    await until(() => lastSeq === last);
    abort.abort();
    await reading;
    expect(live.length).toBeGreaterThan(20);
    const followed: unknown[] = [];
    for await (const event of world.pawl.follow(sessionId, { untilIdle: true })) followed.push(event);
    const places = {
      shown: await shownOf(world, sessionId),
      view: await world.pawl.view(sessionId, user),
      ...{ live, followed, record },
      stored: recordOf(await world.log(sessionId)),
      known: recordOf(await shownOf(world, sessionId)),
      fork: await world.log((await world.pawl.fork(sessionId, user)).id),
    };
    for (const [place, value] of Object.entries(places))
      expect([place, isText(value)]).toEqual([place, false]);

    // The hook has the session's record in memory, and must not tell it to a model any more.
    const requests = world.small.requests.length;
    await world.say("And now?", { sessionId });
    expect(isText(world.small.requests.slice(requests))).toBe(false);
    expect(isText(world.model.requests.at(-1))).toBe(false);
    expect((await world.record(sessionId)).plan?.goal).toBe("Answer");
    expect(world.errors).toEqual([]);
  });

  it("M3 of any single event can be folded, live or from shown events", async () => {
    const { world, sessionId } = await told();
    const log = (await world.log(sessionId)).filter(
      ({ type }) => type.startsWith("planning.") || type === "knowledge",
    );
    expect(new Set(log.map(({ type }) => type))).toEqual(
      new Set(["planning.plan", "planning.clarification", "planning.review", "knowledge"]),
    );
    const lastPlan = log.findLast(({ type }) => type === "planning.plan");
    for (const event of log) {
      const records = await afterRedaction(event);
      for (const record of records) expectHidden(event, record);
      if (event === lastPlan) expect(records.map(({ plan }) => plan)).toEqual([undefined, undefined]);
    }
  });

  it("M3 of a call and its result hide its content in the record", async () => {
    const { world, sessionId } = await told();
    const log = await world.log(sessionId);
    for (const { seq, type } of log)
      if (type === "assistant_message" || type === "tool_result")
        await world.pawl.redact(sessionId, seq, user);
    const stored = recordOf(await world.log(sessionId));
    const known = recordOf(await shownOf(world, sessionId));
    expect(stored.calls).toEqual(known.calls);
    expect(
      stored.calls.map(({ tool, status, arguments: input, summary }) => [tool, status, input, summary]),
    ).toEqual([
      ["search_gmail", "success", {}, "[redacted]"],
      ["search_slack", "error", {}, "[redacted]"],
    ]);
    expect([stored.failedTools, stored.fragments]).toEqual([known.failedTools, known.fragments]);
    expect(stored.failedTools[0]?.lastError).toBe("[redacted]");
  });

  it("M2 of the end of a run hide its message", async () => {
    const blocked = plans({ status: "blocked", blocked: secret("no access") });
    const world = worldOf({ small: [blocked], main: [] });
    const { sessionId, stop } = await world.say("Q4?");
    expect(stop.message).toContain("Rosebud");
    const { length } = await world.log(sessionId);
    await world.pawl.redact(sessionId, 1, { ...user, throughSeq: length });
    for (const record of [recordOf(await world.log(sessionId)), recordOf(await shownOf(world, sessionId))]) {
      expect(JSON.stringify(record)).not.toContain("Rosebud");
      expect([record.stop?.type, record.stop?.message]).toEqual(["blocked", "[redacted]"]);
      expect(record.stopped).toBeUndefined();
    }
    expect(isText(await world.pawl.view(sessionId, user))).toBe(false);
  });
});
