import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import type { NewEvent } from "../../src/store.ts";
import { viewPage } from "../../src/view.ts";

const run = (n: number, events = 4): NewEvent[] => [
  { type: "run_started", data: { run_id: `${n}`, agent: "a", agent_version: "1" } },
  { type: "user_message", data: { message: `Go ${n}` } },
  {
    type: "llm_request",
    data: { model: "m", prompt: { prefix_id: "p", upto_seq: n * events + 2 } } as never,
  },
  {
    type: "run_ended",
    data: {
      run_id: `${n}`,
      stop: { type: "end_turn", message: "Done." },
      tokens: { prompt: 0, completion: 0, cached: 0, total: 0 },
    } as never,
  },
];

it("R5 a page of old messages folds each later redaction once, not once for each message", async () => {
  const store = memoryStore();
  const { id } = await store.sessions.create({ id: "s", userId: "u", agent: "a" });
  const runs = Array.from({ length: 1_000 }, (_, n) => run(n));
  await store.append(id, runs.flat(), { appendId: "runs" });
  const redactions = Array.from({ length: 1_000 }, (_, n): NewEvent => {
    return { type: "redaction", data: { seq: n * 4 + 2, of: "user_message" } };
  });
  await store.append(id, redactions, { appendId: "redactions" });
  let reads = 0;
  const counting = {
    ...store,
    read: async function* (...given: Parameters<typeof store.read>) {
      for await (const event of store.read(...given)) {
        if (event.type !== "redaction") yield event;
        else
          yield new Proxy(event, {
            get: (target, field) => {
              if (field === "type") reads += 1;
              return Reflect.get(target, field);
            },
          });
      }
    },
  };
  const page = await viewPage(counting, { id, lastSeq: 5_000 }, { last: 200, before: 4_001 });
  expect(page.view.messages).toHaveLength(200);
  expect(JSON.stringify(page.view.messages)).not.toContain("Go");
  expect(reads).toBeLessThan(20_000);
});

it("B7 a page stops after 10,000 events if it has a run, and reads one run whole in any case", async () => {
  const long = (n: number, events: number): NewEvent[] => {
    const [start, message, request, end] = run(n, events);
    const notes = Array.from({ length: events - 4 }, (): NewEvent => ({ type: "note", data: { text: "" } }));
    return [start, message, request, ...notes, end] as NewEvent[];
  };
  const pageOf = async (events: number, runs: number) => {
    const store = memoryStore();
    const { id } = await store.sessions.create({ id: "s", userId: "u", agent: "a" });
    for (let n = 0; n < runs; n += 1) await store.append(id, long(n, events), { appendId: `${n}` });
    let read = 0;
    const counting = {
      ...store,
      read: async function* (...given: Parameters<typeof store.read>) {
        for await (const event of store.read(...given)) {
          read += 1;
          yield event;
        }
      },
    };
    const { view, before } = await viewPage(counting, { id, lastSeq: events * runs }, { last: 200 });
    return { messages: view.messages.length, read, before };
  };
  // 100 runs with 50,000 events: the page has 20 to 40 of them.
  const { messages, read, before } = await pageOf(500, 100);
  expect(read).toBeLessThan(20_000);
  expect(messages).toBeGreaterThan(18);
  expect(before).toBeGreaterThan(30_000);
  expect(await pageOf(30_000, 1)).toMatchObject({ messages: 1, before: null });
  expect(await pageOf(4, 300)).toMatchObject({ messages: 200 });
});
