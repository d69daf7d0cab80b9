import { agent, type EventStore, runtime, type StoredEvent } from "@pawl/core";
import { handler } from "@pawl/sse";
import { scriptedModel } from "@pawl/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { noStack } from "../packages/supabase/test/support/stack.ts";
import { testDatabase } from "./support/postgres.ts";
import { type CountedStore, countedStores } from "./support/trip-stores.ts";

const coach = agent({ name: "coach", model: scriptedModel(() => ({ text: "Ok." })), instructions: "x" });

/** Makes a session whose second run is repeated until it has so many events, and returns its id. */
async function sessionOf(events: number, store: EventStore): Promise<string> {
  const pawl = runtime({ agents: [coach], store });
  const { sessionId: id } = await pawl.run(coach, { userId: "ada", input: "Hi" }).result;
  await pawl.run(coach, { userId: "ada", sessionId: id, input: "Hi" }).result;
  const own: StoredEvent[] = await Array.fromAsync(store.read(id));
  const run = own.slice(own.findIndex(({ type, seq }) => seq > 1 && type === "run_started"));
  let batch: unknown[] = [];
  for (let last = own.length; last < events; last += run.length) {
    const copies = run.map(({ type, data }) => {
      if (type === "llm_request")
        return { type, data: { ...data, prompt: { ...data.prompt, upto_seq: last + 2 } } };
      return { type, data: "run_id" in Object(data) ? { ...(data as object), run_id: `r${last}` } : data };
    });
    batch.push(...copies);
    if (batch.length < 600 && last + run.length < events) continue;
    await store.append(id, batch as never, { appendId: `copies-${last}` });
    batch = [];
  }
  return id;
}

describe.each(Object.entries(countedStores))("trips of a page of messages, %s", (name, make) => {
  let counted: CountedStore | undefined;
  beforeAll(async () => {
    if (name !== "Supabase" || noStack === undefined) counted = await make(() => testDatabase());
  }, 60_000);
  afterAll(() => counted?.close());

  it("R5 takes as many trips and bytes in a session of 10,000 events as in one of 1,000", async () => {
    if (counted === undefined) return;
    const { store, trips } = counted;
    const serve = handler({
      runtime: runtime({ agents: [coach], store }),
      agent: "coach",
      authorize: () => ({ userId: "ada" }),
    });
    const ask = async (path: string) => {
      trips.list.length = 0;
      const text = await (await serve(new Request(`http://x/sessions/${path}`))).text();
      const { messages, before } = JSON.parse(text) as { messages: unknown[]; before: number };
      const kinds = trips.list.map(({ kind }) => kind);
      const read = trips.list.reduce((sum, { received }) => sum + received, 0);
      return { messages: messages.length, before, kinds, read, sent: text.length };
    };
    const pages = async (events: number) => {
      const id = await sessionOf(events, store);
      const opened = await ask(`${id}?last=50`);
      return { opened, older: await ask(`${id}?last=50&before=${opened.before}`), whole: await ask(id) };
    };
    const [short, long] = [await pages(1_000), await pages(10_000)];
    for (const { opened, older } of [short, long]) {
      expect(opened).toMatchObject({ messages: 50, kinds: ["session", "read"] });
      expect(older).toMatchObject({ messages: 50, kinds: ["session", "read", "read"] });
    }
    // The numbers in the events have more digits.
    expect(long.opened.read / short.opened.read).toBeLessThan(1.05);
    expect(long.older.read / short.older.read).toBeLessThan(1.05);
    expect(long.opened.sent / short.opened.sent).toBeLessThan(1.05);
  }, 120_000);
});
