import {
  agent,
  type CheckpointStrategy,
  type EventStore,
  memoryStore,
  runtime,
  type StoredEvent,
  summarize,
  tool,
} from "@pawl/core";
import type { NewEvent } from "@pawl/core/store";
import { scriptedModel } from "@pawl/testing";
import { z } from "zod";
import { SNAPSHOT_VERSION } from "../../packages/core/src/log/store/snapshot.ts";
import { folded, snapshotText } from "./snapshots.ts";

/** What a session's context does while its log grows. */
export type Context = "constant" | "everything";

const look = tool({
  name: "look",
  description: "Looks something up.",
  input: z.object({ about: z.string() }),
  execute: ({ about }) => `${about}: ${"a fact about it, ".repeat(30)}`,
});

const model = scriptedModel(({ messages }) => {
  const last = JSON.stringify(messages.at(-1));
  if (last.includes("tool_result")) return { text: "An answer in a few sentences. ".repeat(10) };
  return { tools: [{ name: "look", input: { about: "the weather of tomorrow" } }] };
});

const STRATEGIES: Readonly<Record<Context, readonly CheckpointStrategy[]>> = {
  constant: [
    summarize({
      model: scriptedModel(() => ({ text: "They talked about the weather. ".repeat(20) })),
      whenTokens: 4_000,
      keepTurns: 4,
    }),
  ],
  everything: [],
};

/** Returns the log of a session with at least this many events, whose runs call a tool each. */
export async function longLog(events: number, context: Context): Promise<StoredEvent[]> {
  const checkpointWhen = STRATEGIES[context];
  const coach = agent({ name: "coach", model, instructions: "Help.", tools: [look], checkpointWhen });
  const store = memoryStore();
  const pawl = runtime({ agents: [coach], store });
  let more: { sessionId?: string } = {};
  for (let length = 0; length < events; ) {
    const { sessionId } = await pawl.run("coach", { userId: "u1", input: "And tomorrow?", ...more }).result;
    more = { sessionId };
    length = (await store.sessions.get(sessionId))?.lastSeq ?? 0;
  }
  return await Array.fromAsync(store.read(more.sessionId ?? ""));
}

const BATCH = 100;

/**
 * Copies a log into a new session of `u1` and returns its id. Keeps a snapshot at the last end of a run that
 * has `tail` events or more after it, if there is one.
 */
export async function copyInto(
  store: EventStore,
  log: readonly StoredEvent[],
  tail = 0,
): Promise<{ id: string; snapshotSeq: number }> {
  const id = crypto.randomUUID();
  await store.sessions.create({ id, userId: "u1", agent: "coach" });
  const append = async (events: readonly StoredEvent[]) => {
    for (let at = 0; at < events.length; at += BATCH)
      await store.append(id, events.slice(at, at + BATCH).map(asNew), { appendId: crypto.randomUUID() });
  };
  const before = log.slice(0, log.length - tail);
  const seq = before.findLastIndex(({ type }) => type === "run_ended") + 1;
  const text = snapshotText(folded(log.slice(0, seq).map((event) => ({ ...event, sessionId: id }))));
  await append(log.slice(0, seq));
  if (text !== undefined && seq > 0)
    await store.saveSnapshot?.(id, { version: SNAPSHOT_VERSION, seq, state: text });
  await append(log.slice(seq));
  return { id, snapshotSeq: seq };
}

function asNew({ type, data, key }: StoredEvent): NewEvent {
  return { type, data, ...(key !== undefined && { key }) } as NewEvent;
}
