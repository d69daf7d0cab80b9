import {
  type AgentOptions,
  agent,
  type EventStore,
  type JsonObject,
  memoryStore,
  type RunOptions,
  type RunResult,
  type Runtime,
  type RuntimeOptions,
  runtime,
  type StoredEvent,
  type StoredOf,
} from "@pawl/core";
import {
  type Reply,
  type Script,
  type ScriptedModel,
  type ScriptedModelOptions,
  type StrictModel,
  scriptedModel,
  strictModel,
} from "@pawl/testing";
import { expect } from "vitest";
import * as z from "zod";
import { type DataSource, dataSource, type InitializerOptions, initializer } from "../../src/index.ts";

/** An agent of user u1 over a store of its own, whose model says "Ok." whatever it is asked. */
export interface World {
  pawl: Runtime;
  model: StrictModel;
  store: EventStore;
  say(input: NonNullable<RunOptions["input"]>, options?: Partial<RunOptions>): Promise<RunResult>;
  log(sessionId: string): Promise<StoredEvent[]>;
  knowledge(sessionId: string): Promise<StoredOf<"knowledge">["data"][]>;
  /** The data of events of other packages. */
  of(sessionId: string, type: string): Promise<JsonObject[]>;
}

export function worldOf(
  options: Partial<Omit<AgentOptions<unknown>, "model">> = {},
  { script, ...more }: Partial<RuntimeOptions<unknown>> & { script?: readonly Reply[] } = {},
): World {
  const model = strictModel(script === undefined ? { rules: () => ({ text: "Ok." }) } : { script });
  const store = more.store ?? memoryStore();
  const made = agent({ name: "tester", instructions: "You are a test.", ...options, model });
  const pawl = runtime({
    agents: [made],
    ...more,
    times: { storeRetryMs: [], abortGraceMs: 20, ...more.times },
    store,
  });
  const log = async (sessionId: string) => await Array.fromAsync(store.read(sessionId));
  return {
    pawl,
    model,
    store,
    log,
    say: async (input, options = {}) => {
      const result = await pawl.run("tester", { userId: "u1", input, ...options }).result;
      expect(model.rejected).toEqual([]);
      return result;
    },
    knowledge: async (sessionId) =>
      (await log(sessionId)).flatMap((event) => (event.type === "knowledge" ? [event.data] : [])),
    of: async (sessionId, type) =>
      (await log(sessionId)).flatMap((event) => (event.type === type ? [event.data as JsonObject] : [])),
  };
}

/** What was asked of sources, in order. */
export type Asked = { source: string; userId: string; params: unknown }[];

/** A source with a range, one without, and one that there is nothing in. */
export function someSources(asked: Asked = []): DataSource[] {
  const note = (source: string, userId: string, params: unknown) =>
    void asked.push({ source, userId, params });
  return [
    dataSource({
      name: "workout_history",
      displayName: "Your workouts",
      description: "Past workouts.",
      params: z.object({ days_back: z.int().min(1).max(365).default(14), limit: z.int().default(10) }),
      fetch: ({ userId, params }) => {
        note("workout_history", userId, params);
        return `${params.days_back} days of workouts`;
      },
    }),
    dataSource({
      name: "muscle_goals",
      description: "Goals by muscle.",
      fetch: ({ userId, params }) => {
        note("muscle_goals", userId, params);
        return [{ muscle: "chest", share: 0.5 }];
      },
    }),
    dataSource({
      name: "preferences",
      description: "Likes and dislikes.",
      fetch: ({ userId, params }) => {
        note("preferences", userId, params);
        return "";
      },
    }),
  ];
}

export interface Wish {
  source: unknown;
  reason?: unknown;
  days_back?: unknown;
}

export function choiceOf(wishes: readonly Wish[], rest: JsonObject = {}): JsonObject {
  const append = wishes.map(({ source, reason = "not_in_context", days_back = null }) => ({
    ...{ source, reason, days_back },
  }));
  return { reasoning: "Because.", append_knowledge: append, use_existing: [], ...rest } as JsonObject;
}

/** An answer that chooses. */
export function choosing(...wishes: readonly Wish[]): Reply {
  return { tools: [{ name: "select_knowledge", input: choiceOf(wishes) }] };
}

/** A world whose agent has an initializer with these sources and a model that says what the script says. */
export function initialized(
  script: Script,
  {
    model: around = {},
    ...options
  }: Partial<Omit<InitializerOptions, "model">> & { model?: ScriptedModelOptions } = {},
  more: Parameters<typeof worldOf> = [],
): World & { small: ScriptedModel; asked: Asked; errors: unknown[] } {
  const asked: Asked = [];
  const errors: unknown[] = [];
  const small = scriptedModel(script, { id: "small", forcedToolChoice: true, ...around });
  const hook = initializer({
    model: small,
    sources: someSources(asked),
    onError: (error) => errors.push(error),
    ...options,
  });
  const [agentOptions, runtimeOptions] = more;
  return { ...worldOf({ ...agentOptions, hooks: [hook] }, runtimeOptions), small, asked, errors };
}

/** The one message that a model was sent, as text. */
export function promptOf({ requests }: ScriptedModel, n = 0): string {
  return String(requests[n]?.messages[0]?.content[0]?.text);
}
