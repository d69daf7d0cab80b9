import { setTimeout as sleep } from "node:timers/promises";
import type { EventStore, Runtime } from "@pawl/core";
import type { Records } from "./records.ts";
import { AGENT, ANSWER } from "./story.ts";

/** Runs to start, and how many of them may be in progress. */
export interface Journeys {
  front: Runtime<typeof AGENT>;
  store: EventStore;
  records: Records;
  /** Returns the id of the next session of a traveller, if there is to be one. */
  nextId(traveller: number): string | undefined;
  atATime: number;
  patienceMs: number;
}

/** How many users the sessions belong to. */
const USERS = 5;

/** Starts the runs and answers their questions, until all have ended or were given up. */
export async function travel({ nextId, atATime, ...journeys }: Journeys): Promise<void> {
  const travelAll = async (_: unknown, n: number) => {
    for (let id = nextId(n); id !== undefined; id = nextId(n))
      await travelOnce(journeys, id, `user-${n % USERS}`);
  };
  await Promise.all(Array.from({ length: atATime }, travelAll));
}

async function travelOnce(
  { front, store, records, patienceMs }: Omit<Journeys, "nextId" | "atATime">,
  sessionId: string,
  userId: string,
): Promise<void> {
  const given = { sessionId, userId };
  const journey = async (): Promise<string> => {
    await store.sessions.create({ id: sessionId, userId, agent: AGENT });
    // The id is the message, so that the model knows whose request it answers.
    let { result } = front.run(AGENT, { ...given, input: sessionId });
    for (;;) {
      const { stop, pending } = await result;
      if (stop.type !== "suspended") return stop.type;
      const answers = pending.map(({ callId, seq }) => ({ callId, question: seq, value: ANSWER }));
      ({ result } = front.run(AGENT, { ...given, answers }));
    }
  };
  const patience = new AbortController();
  try {
    const late = sleep(patienceMs, "late", { signal: patience.signal });
    const stop = await Promise.race([journey(), late]);
    if (stop === "late") records.faults.push(`${sessionId}: the run has not ended within ${patienceMs} ms`);
  } catch (error) {
    records.faults.push(`${sessionId}: ${error}`);
  } finally {
    patience.abort();
  }
}
