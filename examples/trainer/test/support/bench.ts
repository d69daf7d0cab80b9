import { randomUUID } from "node:crypto";
import { type Action, agent, type Json, memoryStore, runtime, type StoredEvent } from "@pawl/core";
import { type StrictModel, strictModel } from "@pawl/testing";
import { RESULT_TAG } from "../../src/base/named.ts";
import {
  currentWorkout,
  type TrainerData,
  type TrainerDeps,
  type TrainerToolsOptions,
  trainerTools,
  type Workout,
} from "../../src/index.ts";
import { plank, press, run, session } from "./exercises.ts";

/** A tool call of the model. An input that needs the id of the last artifact is a function of it. */
export type Call = readonly [tool: string, input: object | ((artifactId: string) => object)];

/** The trainer's ten tools in one session of a new user. */
export interface Bench {
  userId: string;
  data: TrainerData;
  /** The model of each run, in order. */
  models: StrictModel[];
  /** Starts a run in which the model makes these calls, one a turn, until a call ends the run. */
  calls(...calls: Call[]): Promise<{ actions: readonly Action[]; stop: string }>;
  log(): Promise<StoredEvent[]>;
  workout(): Promise<Workout | undefined>;
  /** The tool results in the model's last request. */
  read(): { text: string; isError: boolean }[];
  status(): Promise<string | undefined>;
}

export async function bench(data: TrainerData, options: TrainerToolsOptions = {}): Promise<Bench> {
  const userId = randomUUID();
  const sessionId = "s1";
  const store = memoryStore();
  const models: StrictModel[] = [];
  await data.seed(userId);
  await store.sessions.create({ id: sessionId, userId, agent: "trainer" });
  const log = async () => await Array.fromAsync(store.read(sessionId));
  const lastArtifact = async (): Promise<string> => {
    const ids = (await log()).flatMap((event) => (event.type === "artifact" ? [event.data.artifact_id] : []));
    return ids.at(-1) ?? "";
  };
  return {
    userId,
    data,
    models,
    log,
    calls: async (...calls) => {
      const model = strictModel({
        rules: async (_, { n }) => {
          const [name, input] = calls[n] ?? [];
          if (name === undefined) return { text: "Done." };
          const given = typeof input === "function" ? input(await lastArtifact()) : input;
          return { tools: [{ name, input: given as never }] };
        },
      });
      models.push(model);
      const trainer = agent({
        name: "trainer",
        model,
        instructions: "You are a trainer.",
        tools: trainerTools(options),
        resultTag: RESULT_TAG,
        limits: { turns: 20, toolCalls: 50, errorTurns: 20 },
        // Estimates that never reach the simulator's limit: the tools should judge large calls.
        estimateTokens: () => 1,
      });
      // A new runtime for each run keeps nothing but the log.
      const pawl = runtime<TrainerDeps>({ agents: [trainer], store, deps: () => ({ trainer: data }) });
      const { actions, stop } = await pawl.run("trainer", { userId, sessionId, input: "Go on" }).result;
      return { actions, stop: stop.type };
    },
    workout: async () => await currentWorkout(store.read(sessionId)),
    read: () => {
      const messages = models.at(-1)?.requests.at(-1)?.messages ?? [];
      return messages
        .flatMap(({ content }) => (typeof content === "string" ? [] : [...content]))
        .filter(({ type }) => type === "tool_result")
        .map(({ content, is_error }) => ({
          text: typeof content === "string" ? content : JSON.stringify(content),
          isError: is_error === true,
        }));
    },
    status: async () => (await store.sessions.get(sessionId))?.status,
  };
}

export function fieldsOf(value: Json | undefined): { [field: string]: Json } {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? value : {};
}

/** A call of `generate_workout`. */
export const generate = (...exercises: object[]): Call => [
  "generate_workout",
  { workout: session(...(exercises.length > 0 ? exercises : [press(), plank(), run()])) },
];

/** The fields of the last result. */
export const last = (actions: readonly Action[]) => fieldsOf(actions.at(-1)?.result);
