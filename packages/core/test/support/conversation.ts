import {
  type Agent,
  type EventStore,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type StoredEvent,
} from "../../src/index.ts";

/** The session `s1` of the user `u1` with the first of some agents. */
export interface Conversation {
  store: EventStore;
  /** Starts another process over the same store, or over another form of it. */
  boot(store?: EventStore): Runtime;
  /** Starts a process of another version of the app. */
  bootOther(agents: readonly Agent[], options?: Partial<RuntimeOptions<unknown>>): Runtime;
  /** Lets time pass by the store's clock. */
  wait(ms: number): void;
  /** Sends a message, in a new process if none is given. */
  say(input: string, options?: Partial<RunOptions>, pawl?: Runtime): Promise<RunResult>;
  log(): Promise<StoredEvent[]>;
}

/** Makes a conversation with a new process for each message. */
export function conversation(
  agents: readonly [Agent, ...Agent[]],
  options: Partial<RuntimeOptions<unknown>> = {},
): Conversation {
  const [{ name }] = agents;
  let time = Date.UTC(2026, 0, 1);
  const base = memoryStore({ now: () => time });
  const started = (
    some: readonly Agent[],
    store: EventStore,
    more: Partial<RuntimeOptions<unknown>> = {},
  ) => {
    // The lease of an earlier process has expired.
    time += 60_000;
    const times = { storeRetryMs: [], pollMs: 20 };
    return runtime({ agents: some, store, times, ...options, ...more });
  };
  const boot: Conversation["boot"] = (store = base) => started(agents, store);
  return {
    store: base,
    boot,
    bootOther: (others, more) => started(others, base, more),
    wait: (ms) => {
      time += ms;
    },
    say: async (input, more = {}, pawl = boot()) => {
      const isNew = (await base.sessions.get("s1")) === undefined;
      if (isNew) await base.sessions.create({ id: "s1", userId: "u1", agent: name });
      return await pawl.run(name, { userId: "u1", sessionId: "s1", input, ...more }).result;
    },
    log: async () => await Array.fromAsync(base.read("s1")),
  };
}
