import { type EventStore, memoryStore } from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";

/** A store that counts how many events it gives in one turn of the event loop. */
export interface CountedTurns {
  store: EventStore;
  /** Returns what `work` returns, and the most events that it read in one turn. */
  most<T>(work: () => Promise<T>): Promise<{ result: T; most: number }>;
}

// Some tests take it away.
const { setImmediate } = globalThis;

/** Returns a store that reads as fast as memory does. */
export function countedTurns(): CountedTurns {
  const over = memoryStore();
  let given = 0;
  let most = 0;
  const read: EventStore["read"] = async function* (...asked) {
    for await (const event of over.read(...asked)) {
      given += 1;
      most = Math.max(most, given);
      yield event;
    }
  };
  return {
    store: { ...over, read },
    most: async (work) => {
      let isOver = false;
      const turn = () => {
        given = 0;
        if (!isOver) setImmediate(turn);
      };
      turn();
      most = 0;
      try {
        return { result: await work(), most };
      } finally {
        isOver = true;
      }
    },
  };
}

/** Returns the events of one run with many calls, at 4 events each. */
export function longRun(calls: number): NewEvent[] {
  const call = (n: number) => ({ call_id: `c${n}`, tool_name: "look" });
  const turns = Array.from({ length: calls }, (_, n) => [
    { type: "llm_request", data: { model: "m", turn: n, prompt: { prefix_id: "p", upto_seq: 4 * n + 2 } } },
    {
      type: "assistant_message",
      data: {
        attempt: 4 * n + 3,
        content: [{ type: "tool_use", id: `c${n}`, name: "look", input: {} }],
        complete: 1,
        disposition: "kept",
      },
    },
    { type: "tool_started", data: call(n) },
    { type: "tool_result", data: { ...call(n), success: true, result: n } },
  ]);
  const begin = [
    { type: "run_started", data: { run_id: "r", agent: "coach", agent_version: "1" } },
    { type: "user_message", data: { message: "Go" } },
  ];
  const tokens = { prompt: 0, completion: 0, cached: 0, total: 0 };
  const stop = { type: "end_turn", message: "Done." };
  const end = {
    type: "run_ended",
    data: { run_id: "r", stop, session_status: "idle", tokens, cost_cents: 0 },
  };
  return [...begin, ...turns.flat(), end] as never;
}
