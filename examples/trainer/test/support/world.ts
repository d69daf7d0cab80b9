import { randomUUID } from "node:crypto";
import { claude } from "@pawl/anthropic";
import {
  type EventStore,
  type EventType,
  type ModelClient,
  type Runtime,
  runtime,
  type StoredEvent,
  type StoredOf,
} from "@pawl/core";
import type { Reservations } from "@pawl/core/store";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";
import { type MessagesApi, type MessagesApiOptions, messagesApi, type Reply } from "@pawl/testing";
import { beforeAll, onTestFinished } from "vitest";
import {
  agentApi,
  dataSources,
  type LocalIssuer,
  localIssuer,
  type TrainerData,
  type TrainerDeps,
  trainer,
  trainerData,
  trainerModels,
} from "../../src/index.ts";

/** A store, and the trainer's data in the same database. */
export interface Place {
  store: EventStore;
  data: TrainerData;
}

/** A trainer with a sample user. Tests use it over HTTP or through the runtime. */
export interface World extends Place {
  pawl: Runtime;
  api: MessagesApi;
  userId: string;
  issuer: LocalIssuer;
  /**
   * Sends a request to `/agent` + `path` with the user's token, or with another user's; without one for
   * `null`.
   */
  ask(path: string, init?: RequestInit & { json?: unknown; as?: string | null }): Promise<Response>;
  log(sessionId: string): Promise<StoredEvent[]>;
  of<T extends EventType>(sessionId: string, type: T): Promise<StoredOf<T>[]>;
}

let embedded: Promise<EmbeddedStore> | undefined;

/** Returns one database for all tests of a file, because creating one takes seconds. */
export async function embeddedPlace(): Promise<Place> {
  embedded ??= embeddedStore();
  const store = await embedded;
  return { store, data: await trainerData(store.db) };
}

// Starts the database before the first test, so that it does not count towards that test's time.
beforeAll(async () => void (await embeddedPlace()), 60_000);

export async function embeddedDatabase(): Promise<EmbeddedStore["db"]> {
  embedded ??= embeddedStore();
  return (await embedded).db;
}

export interface WorldOptions extends MessagesApiOptions {
  place?: Place;
  /** The id of the model that answers requests without `model`. */
  model?: string;
  /** Creates the initializer's model. Default: no initializer. */
  initializer?: (api: MessagesApi) => ModelClient;
  initializerTimeoutMs?: number;
  /** The id of the model that answers while the chosen one keeps failing. */
  fallback?: string;
  reservations?: Reservations;
}

export async function world(options: WorldOptions = {}): Promise<World> {
  const { place = await embeddedPlace(), model = "claude-haiku-4-5", initializer, ...others } = options;
  const { fallback, reservations, initializerTimeoutMs, ...simulated } = others;
  const api = await messagesApi(simulated);
  onTestFinished(() => api.close());
  const made = (id: string) => claude(id, { apiKey: "simulator", baseURL: api.url });
  const further = trainerModels.filter((id) => id !== model);
  const agent = trainer({
    models: [made(model), ...further.map(made)],
    ...(initializer && { initializer: initializer(api) }),
    ...(fallback && { fallback: made(fallback) }),
    ...(reservations && { reservations }),
    ...(initializerTimeoutMs && { initializerTimeoutMs }),
  });
  const { store, data } = place;
  const pawl = runtime<TrainerDeps>({
    agents: [agent],
    store,
    deps: () => ({ trainer: data }),
    onError: () => undefined,
  });
  const userId = randomUUID();
  await data.seed(userId);
  const issuer = await localIssuer();
  const serve = agentApi({
    runtime: pawl,
    authorize: issuer.authorize,
    models: trainerModels,
    sources: Object.fromEntries(dataSources().map(({ name, displayName }) => [name, displayName])),
    maxInputLength: 4_000,
  });
  const log = async (sessionId: string) => await Array.fromAsync(store.read(sessionId));
  return {
    store,
    data,
    pawl,
    api,
    userId,
    issuer,
    ask: async (path, { json, as = userId, ...init } = {}) => {
      const token = as === null ? undefined : await issuer.issue(as);
      const request = new Request(`http://localhost/agent${path}`, {
        ...init,
        ...(json !== undefined && { method: "POST", body: JSON.stringify(json) }),
        headers: {
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(init.headers as Record<string, string> | undefined),
        },
      });
      return await serve(request);
    },
    log,
    of: async (sessionId, type) =>
      (await log(sessionId)).filter((event): event is never => event.type === type),
  };
}

/** The fields of a request's block that tests check. */
export interface SentBlock {
  type: string;
  text?: string;
  id?: string;
  tool_use_id?: string;
  is_error?: boolean;
  cache_control?: unknown;
}

export interface Sent {
  system: SentBlock[];
  tools: SentBlock[];
  messages: { role: string; content: SentBlock[] }[];
  tool_choice?: unknown;
}

/** Returns all requests to the model, in order. */
export function sent({ api }: World): Sent[] {
  return api.requests.map(({ body }) => body as unknown as Sent);
}

/** Reads a response in the trainer's dialect to its end, and returns the events. */
export async function told(response: Response): Promise<{ type: string; [field: string]: unknown }[]> {
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: "));
  return frames.map((frame) => JSON.parse(frame.slice(6)));
}

const one = (name: string, input: object): Reply => ({ tools: [{ name, input: input as never }] });
export const notify = (message = "Here you are.", artifact_id?: string): Reply =>
  one("message_notify_user", { message, ...(artifact_id && { artifact_id }) });
export const ask = (question = "How long?", options = ["20 minutes", "An hour"]): Reply =>
  one("message_ask_user", { question, options });
export const idle: Reply = one("idle", { reason: "Done." });
export const call = one;

/** An exercise as the model sends it. */
export function press(order = 1, more: object = {}): object {
  return {
    exercise_name: "Dumbbell bench press",
    exercise_type: "reps",
    order,
    sets: 3,
    reps: [10, 10, 8],
    load_each: [16, 16, 16],
    load_unit: "kg",
    rest_sec: 90,
    muscles_utilized: [
      { muscle: "Chest", share: 0.65 },
      { muscle: "Triceps", share: 0.35 },
    ],
    goals_addressed: [{ goal: "strength", share: 1 }],
    reasoning: "The main press.",
    ...more,
  };
}

export const workout = (...exercises: object[]): Reply =>
  one("generate_workout", {
    workout: { title: "Chest", exercises: exercises.length > 0 ? exercises : [press()] },
  });
