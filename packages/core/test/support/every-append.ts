import {
  type EventStore,
  memoryStore,
  PawlError,
  type RunResult,
  type Runtime,
  type StoredEvent,
} from "../../src/index.ts";
import { until } from "./setup.ts";
import { dyingStore } from "./stores.ts";

/** The owner and the session of these stories. */
export const OWNER = { userId: "u", sessionId: "s" };

/** A story over processes of which the first dies at one of its appends. */
export interface Story {
  boot(store: EventStore): Runtime;
  agent: string;
  /** Returns the answer to a question. Default: the story has none. */
  answer?(kind: string): never;
  /** Checks the outcome. `all` are the events of the session and of those below it, by the session's id. */
  check(
    result: RunResult,
    all: ReadonlyMap<string, readonly StoredEvent[]>,
    where: string,
  ): Promise<void> | void;
}

/**
 * Tells the story once for each append, whose process dies before it is stored or after it; the next process
 * goes on. Returns how often a process has died.
 */
export async function atEveryAppend(story: Story): Promise<number> {
  let deaths = 0;
  for (const isStored of [true, false])
    for (let at = 1; ; at += 1) {
      let time = Date.UTC(2026, 0, 1);
      const base = memoryStore({ now: () => time });
      await base.sessions.create({ id: OWNER.sessionId, userId: OWNER.userId, agent: story.agent });
      let appends = 0;
      const dies = () => {
        appends += 1;
        return appends >= at;
      };
      const dying = dyingStore(base, dies, { isStored });
      let isTold = false;
      const told = tell(story, story.boot(dying)).finally(() => {
        isTold = true;
      });
      const dead = until(() => isTold || dying.dead);
      let result = await Promise.race([told, dead.then(() => undefined)]);
      const isOver = result !== undefined;
      if (result === undefined) {
        deaths += 1;
        time += 60_000;
        const next = story.boot(base);
        await next.sweep();
        result = await tell(story, next);
      }
      const all = new Map<string, readonly StoredEvent[]>();
      for (const { id } of await base.sessions.list({ userId: OWNER.userId }))
        all.set(id, await Array.fromAsync(base.read(id)));
      await story.check(result, all, `${isStored ? "after" : "before"} append ${at}`);
      if (isOver) break;
    }
  return deaths;
}

/** Sends the message, and answers each question twice. A client repeats both after a lost connection. */
async function tell({ agent, answer }: Story, pawl: Runtime): Promise<RunResult> {
  const say = async () => await pawl.run(agent, { ...OWNER, input: "go", clientMessageId: "m" }).result;
  let result = await say();
  while (result.stop.type === "suspended" && answer !== undefined) {
    const answers = result.pending.map(({ callId, kind }) => ({ callId, value: answer(kind) }));
    const send = () => pawl.run(agent, { ...OWNER, answers }).result;
    for (const sent of await Promise.allSettled([send(), send()]))
      if (sent.status === "rejected" && !isAnswered(sent.reason)) throw sent.reason;
    // Nothing follows for a client whose answers were stored by a process that has died.
    for await (const _ of pawl.follow(OWNER.sessionId, { untilIdle: true }));
    result = await say();
  }
  return result as RunResult;
}

function isAnswered(error: unknown): boolean {
  return PawlError.is(error, "already_answered") || PawlError.is(error, "unknown_call");
}

/** Returns the events of a type, of one session or of all. */
export function eventsOf<T extends StoredEvent["type"]>(
  all: ReadonlyMap<string, readonly StoredEvent[]>,
  type: T,
  sessionId?: string,
): Extract<StoredEvent, { type: T }>[] {
  const events = sessionId === undefined ? [...all.values()].flat() : (all.get(sessionId) ?? []);
  return events.filter((event): event is Extract<StoredEvent, { type: T }> => event.type === type);
}
