import { agent, type EventStore, memoryStore, runtime, type StoredEvent } from "@pawl/core";
import type { ViewMessage } from "@pawl/core/view";
import { scriptedModel } from "@pawl/testing";
import { describe, expect, it } from "vitest";
import { agUi, aiSdk, handler } from "../../src/index.ts";
import { type Served, serve } from "../support/served.ts";

interface Page {
  messages: ViewMessage[];
  before: number | null;
  cursor: number;
  pending?: unknown[];
}

/** A session in which the user has sent so many messages. */
async function talked(count: number, options: Parameters<typeof serve>[1] = {}) {
  let turn = 0;
  const served = await serve(
    scriptedModel(() => ({ text: `Answer ${turn++}` })),
    options,
  );
  let sessionId: string | undefined;
  for (let n = 0; n < count; n += 1) {
    const run = served.runtime.run("coach", {
      userId: "ada",
      input: `Message ${n}`,
      ...(sessionId !== undefined && { sessionId }),
    });
    ({ sessionId } = await run.result);
  }
  return { served, id: sessionId ?? "" };
}

async function page(served: Served, id: string, query: string): Promise<Page> {
  const response = await served.ask(`/sessions/${id}?${query}`);
  expect(response.status).toBe(200);
  return (await response.json()) as Page;
}

const textsOf = ({ messages }: Page) => messages.map(({ text }) => text);

describe("R5 GET /sessions/:id in pages", () => {
  it("has the last messages and all else of the view, and the older ones by `before`", async () => {
    const { served, id } = await talked(5);
    const whole = (await (await served.ask(`/sessions/${id}`)).json()) as Page;
    expect(whole).not.toHaveProperty("before");
    const { before, messages, ...newest } = await page(served, id, "last=3");
    expect({ ...newest, messages: whole.messages }).toEqual(whole);
    expect(messages).toEqual(whole.messages.slice(-4));
    const older = await page(served, id, `last=3&before=${before}`);
    expect(Object.keys(older).toSorted()).toEqual(["before", "cursor", "messages", "session"]);
    expect(older).toMatchObject({ messages: whole.messages.slice(2, 6), cursor: whole.cursor });
    const oldest = await page(served, id, `last=3&before=${older.before}`);
    expect(oldest).toMatchObject({ messages: whole.messages.slice(0, 2), before: null });
  });

  it("has everything if that is little, also of a session without messages", async () => {
    const { served, id } = await talked(1);
    expect(textsOf(await page(served, id, "last=200"))).toEqual(["Message 0", "Answer 0"]);
    expect(await page(served, id, "last=1")).toMatchObject({ before: null });
    await served.store.sessions.create({ id: "empty", userId: "ada", agent: "coach" });
    expect(await page(served, "empty", "last=50")).toMatchObject({ messages: [], before: null, cursor: 0 });
  });

  it("ends an older page before the run of any event, and begins it nowhere", async () => {
    const { served, id } = await talked(3);
    const { cursor } = await page(served, id, "last=1");
    for (let before = 1; before <= cursor; before += 1) {
      const older = textsOf(await page(served, id, `last=200&before=${before}`));
      expect(older.length % 2).toBe(0);
      expect(older).toEqual(["Message 0", "Answer 0", "Message 1", "Answer 1"].slice(0, older.length));
    }
  });

  it.each([
    "last=0",
    "last=-1",
    "last=201",
    "last=1e9",
    "last=abc",
    "last=",
    "last=1.5",
    "last=%200x10",
    "before=3",
    "last=1&before=0",
    "last=1&before=-2",
    "last=1&before=999",
    "last=1&before=null",
    "last=1&before=99999999999999999999",
  ])("refuses %s", async (query) => {
    const { served, id } = await talked(1);
    const response = await served.ask(`/sessions/${id}?${query}`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe("invalid_input");
    expect(error.message).toMatch(/`(last|before)` must be/);
  });

  it("belongs to its user", async () => {
    const { served, id } = await talked(2);
    const { before } = await page(served, id, "last=1");
    for (const query of ["last=1", `last=1&before=${before}`, "last=1&before=999"]) {
      const response = await served.ask(`/sessions/${id}?${query}`, { as: "eve" });
      expect(response.status).toBe(404);
    }
  });

  it("hides what was redacted later, and what is meant for the operator", async () => {
    const { served, id } = await talked(4);
    const log: StoredEvent[] = await Array.fromAsync(served.store.read(id));
    const said = log.find((event) => event.type === "user_message" && event.data.message === "Message 0");
    const answered = log.find(({ type }) => type === "assistant_message");
    const { before } = await page(served, id, "last=2");
    await served.runtime.redact(id, said?.seq ?? 0, { userId: "ada" });
    await served.runtime.redact(id, answered?.seq ?? 0, { userId: "ada" });
    const older = await page(served, id, `last=50&before=${before}`);
    expect(textsOf(older).slice(0, 3)).toEqual(["[redacted]", "[redacted]", "Message 1"]);
    const whole = (await (await served.ask(`/sessions/${id}`)).json()) as Page;
    expect(older.messages).toEqual(whole.messages.slice(0, older.messages.length));
    expect(older.cursor).toBe(whole.cursor);
  });

  it("shows the question that is open, whatever the page's size", async () => {
    const ask = { tools: [{ id: "c1", name: "confirm", input: { question: "Sure?" } }] };
    const served = await serve(scriptedModel([{ text: "One" }, ask]));
    const first = await served.runtime.run("coach", { userId: "ada", input: "A" }).result;
    const { sessionId: id } = first;
    await served.runtime.run("coach", { userId: "ada", sessionId: id, input: "B" }).result;
    const newest = await page(served, id, "last=1");
    expect(newest).toMatchObject({ pending: [{ callId: "c1" }], messages: [{ text: "B" }, {}] });
  });
});

/** Counts the events that a store returns, and their bytes. */
function counted(store: EventStore) {
  const read = { calls: 0, events: 0, bytes: 0 };
  const counting: EventStore = {
    ...store,
    read: async function* (...args) {
      read.calls += 1;
      for await (const event of store.read(...args)) {
        read.events += 1;
        read.bytes += JSON.stringify(event).length;
        yield event;
      }
    },
  };
  return { read, counting };
}

it("R5 opening a session of 10,000 events reads as much as one of 1,000", async () => {
  const made = async (events: number) => {
    const log = memoryStore();
    const { read, counting } = counted(log);
    const { served, id } = await talked(2, { store: counting });
    const own = await Array.fromAsync(log.read(id));
    // The second run, again and again.
    const run = own.slice(own.findIndex(({ type, seq }) => seq > 1 && type === "run_started"));
    for (let last = own.length; last < events; last += run.length) {
      const copies = run.map(({ type, data }) => {
        if (type === "llm_request")
          return { type, data: { ...data, prompt: { ...data.prompt, upto_seq: last + 2 } } };
        return { type, data: "run_id" in Object(data) ? { ...(data as object), run_id: `r${last}` } : data };
      });
      await log.append(id, copies as never, { appendId: String(last) });
    }
    Object.assign(read, { calls: 0, events: 0, bytes: 0 });
    const newest = await page(served, id, "last=50");
    const opened = { ...read };
    const older = await page(served, id, `last=50&before=${newest.before}`);
    const scrolled = { calls: read.calls - opened.calls, events: read.events - opened.events };
    return { opened, scrolled, messages: [newest.messages.length, older.messages.length] };
  };
  const [short, long] = [await made(1_000), await made(10_000)];
  expect(long.messages).toEqual([50, 50]);
  expect(long.opened).toMatchObject({ calls: 1, events: 300 });
  expect(long.scrolled).toEqual({ calls: 2, events: 300 });
  expect({ ...short, opened: { ...short.opened, bytes: 0 } }).toEqual({
    ...long,
    opened: { ...long.opened, bytes: 0 },
  });
  // The numbers in the events have one more digit.
  expect(long.opened.bytes / short.opened.bytes).toBeLessThan(1.05);
});

it.each([
  ["AI SDK", aiSdk()],
  ["AG-UI", agUi()],
])("R5 a dialect's history comes in pages, too: %s", async (_name, dialect) => {
  let turn = 0;
  const model = scriptedModel(() => ({ text: `Answer ${turn++}` }));
  const coach = agent({ name: "coach", model, instructions: "x" });
  const pawl = runtime({ agents: [coach], store: memoryStore() });
  const serving = handler({
    runtime: pawl,
    agent: coach,
    authorize: () => ({ userId: "ada" }),
    dialect,
  });
  const { sessionId } = await pawl.run(coach, { userId: "ada", input: "A" }).result;
  await pawl.run(coach, { userId: "ada", sessionId, input: "B" }).result;
  const get = async (query: string) =>
    (await (await serving(new Request(`http://x/runs/${sessionId}${query}`))).json()) as {
      messages: unknown[];
      before: number | null;
    };
  const whole = await get("");
  const newest = await get("?last=1");
  const older = await get(`?last=1&before=${newest.before}`);
  expect(whole).not.toHaveProperty("before");
  expect(older.before).toBeNull();
  expect([...older.messages, ...newest.messages]).toEqual(whole.messages);
  expect((await serving(new Request(`http://x/runs/${sessionId}?last=0`))).status).toBe(400);
});
