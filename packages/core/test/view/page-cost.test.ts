import { expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import type { NewEvent } from "../../src/store.ts";
import { viewPage } from "../../src/view.ts";

const run = (n: number): NewEvent[] => [
  { type: "run_started", data: { run_id: `${n}`, agent: "a", agent_version: "1" } },
  { type: "user_message", data: { message: `Go ${n}` } },
  { type: "llm_request", data: { model: "m", prompt: { prefix_id: "p", upto_seq: n * 4 + 2 } } as never },
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
