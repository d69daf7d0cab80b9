import { type Reply, type StrictModel, type StrictModelOptions, strictModel } from "@pawl/testing";
import * as z from "zod";
import {
  type Agent,
  type AgentOptions,
  agent,
  type EventStore,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type StoredEvent,
  tool,
} from "../../src/index.ts";

export const invoice = tool({
  name: "invoice",
  description: "Reads an invoice.",
  input: z.object({}),
  idempotent: true,
  execute: () => "Invoice 7.",
});

type Script = readonly Reply[] | StrictModelOptions;

const modelOf = (script: Script) => strictModel("length" in script ? { script } : script);

export interface FrontDesk {
  desk: StrictModel;
  billing: StrictModel;
  store: EventStore;
  /** Starts another process over the same store. */
  boot(store?: EventStore): Runtime;
  say(input: string, options?: Partial<RunOptions>, pawl?: Runtime): Promise<RunResult>;
  log(): Promise<StoredEvent[]>;
}

type Options = Partial<AgentOptions<unknown>>;

/** Two agents that hand over to each other, and a new process for each message to the desk. */
export function frontDesk(
  scripts: { desk: Script; billing: Script },
  options: {
    desk?: Options;
    billing?: Options;
    others?: Agent[];
    runtime?: Partial<RuntimeOptions<unknown>>;
  } = {},
): FrontDesk {
  const [desk, billing] = [modelOf(scripts.desk), modelOf(scripts.billing)];
  let time = Date.UTC(2026, 0, 1);
  const store = memoryStore({ now: () => time });
  const agents = [
    agent({
      ...{ name: "desk", instructions: "You are the desk.", model: desk },
      handOverTo: { billing: "It knows invoices." },
      ...options.desk,
    }),
    agent({
      ...{ name: "billing", instructions: "You know invoices.", model: billing, tools: [invoice] },
      handOverTo: { desk: "It knows everything else." },
      ...options.billing,
    }),
    ...(options.others ?? []),
  ];
  const boot = (over: EventStore = store) => {
    // The lease of an earlier process has expired.
    time += 60_000;
    return runtime({ agents, store: over, times: { storeRetryMs: [], pollMs: 20 }, ...options.runtime });
  };
  return {
    ...{ desk, billing, store, boot },
    say: async (input, more = {}, pawl = boot()) => {
      const isNew = (await store.sessions.get("s1")) === undefined;
      if (isNew) await store.sessions.create({ id: "s1", userId: "u1", agent: "desk" });
      return await pawl.run("desk", { userId: "u1", sessionId: "s1", input, ...more }).result;
    },
    log: async () => await Array.fromAsync(store.read("s1")),
  };
}

export const done = { text: "Done." };
export const user = { userId: "u1", sessionId: "s1" };
export const readInvoice = { tools: [{ name: "invoice", input: {} }] };

/** The agent of each run, in order. */
export const agents = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "run_started" ? [data.agent] : []));

/** Who answers each request, in order. */
export const speakers = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "llm_request" ? [data.role] : []));

export const skips = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "tool_result" ? [data.skipped] : []));

export const isQueued = ({ type, data }: StoredEvent) => type === "user_message" && data.queued === true;

/** A hook that waits until the test opens it, once. */
export function held() {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  const wait = async (): Promise<undefined> => {
    resolve();
    await opened;
  };
  return { reached, open, wait };
}

export const ends = (log: readonly StoredEvent[]) =>
  log.flatMap(({ type, data }) => (type === "run_ended" ? [data] : []));
