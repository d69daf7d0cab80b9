import { type Reply, type StrictModel, type StrictModelOptions, strictModel } from "@pawl/testing";
import { until } from "../../../../test/support/until.ts";
import {
  type Agent,
  type AgentOptions,
  agent,
  type EventStore,
  type EventType,
  type ModelClient,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type SessionEvent,
  type StoredEvent,
  type StoredOf,
} from "../../src/index.ts";

// What a process loads on first use is loaded before the first run. From the sources, loading takes longer than
// many runs of these tests, so it would decide which of two requests comes first.
import "../../src/runtime/later/index.ts";
import "../../src/parts/index.ts";

export { until };

/** The owner of the tests' sessions. */
export const user = { userId: "u1" };

/** Options of an agent, without its model. */
export type Options = Partial<Omit<AgentOptions<unknown>, "model">>;

/** An agent over a script, with a runtime and a log of its own. */
export interface Setup {
  pawl: Runtime;
  agent: Agent<unknown>;
  model: StrictModel;
  store: EventStore;
  /** One request of user u1, to its end. */
  say(input: string, options?: Partial<RunOptions>): Promise<RunResult>;
  answer(sessionId: string, callId: string, value: unknown): Promise<RunResult>;
  log(sessionId: string): Promise<StoredEvent[]>;
  of<T extends EventType>(sessionId: string, type: T): Promise<StoredOf<T>[]>;
}

export function setup(
  script: readonly Reply[] | StrictModelOptions,
  options: Options = {},
  runtimeOptions: Partial<RuntimeOptions<unknown>> = {},
  around: (model: ModelClient) => ModelClient = (model) => model,
): Setup {
  const model = strictModel("length" in script ? { script } : script);
  const store = runtimeOptions.store ?? memoryStore();
  const made = agent({ name: "tester", instructions: "You are a test.", ...options, model: around(model) });
  const pawl = runtime({
    agents: [made],
    ...runtimeOptions,
    times: { abortGraceMs: 20, ...runtimeOptions.times },
    store,
  });
  const log = async (sessionId: string) => await Array.fromAsync(store.read(sessionId));
  return {
    pawl,
    agent: made,
    model,
    store,
    log,
    say: (input, more = {}) => pawl.run("tester", { userId: "u1", input, ...more }).result,
    answer: (sessionId, callId, value) =>
      pawl.run("tester", { userId: "u1", sessionId, answers: [{ callId, value: value as never }] }).result,
    of: async (sessionId, type) =>
      (await log(sessionId)).filter((event): event is never => event.type === type),
  };
}

export async function collect(events: AsyncIterable<SessionEvent>): Promise<SessionEvent[]> {
  return await Array.fromAsync(events);
}

export function types(events: readonly { type: string }[]): string[] {
  return events.map(({ type }) => type);
}

/** Never settles, and ignores its abort signal. */
export const never = (): Promise<never> => new Promise<never>(() => undefined);

/** Waits until an event of this type is in the log, however slow the machine is. */
export async function stored(world: Pick<Setup, "log">, sessionId: string, type: string): Promise<void> {
  await until(async () => (await world.log(sessionId)).some((event) => event.type === type));
}
