import { randomUUID } from "node:crypto";
import type { EventStore, Hook, ModelClient } from "@pawl/core";
import {
  BACKEND_PATH,
  coachBackend,
  ROCKET_LEAGUE_AGENT,
  type RocketLeagueCoach,
  rocketLeagueCoach,
  sharedTokens,
} from "@pawl/example-rocket-league-coach";
import type { Database } from "@pawl/postgres";
import { ownRuns } from "./own-runs.ts";

/** How often runs are charged that ended while the backend was down, in milliseconds. */
const SETTLE_MS = 60_000;

/** The Rocket League coach's two servers, in this process. */
export interface RocketLeague {
  coach: RocketLeagueCoach;
  /** Sends a request to the backend, e.g. `/budget`. */
  backend(path: string, token: string): Promise<Response>;
  /** Issues the bearer token of a user. */
  issue(userId: string): Promise<string>;
  /** Resumes runs that a killed process left open. */
  start(): void;
  /** Waits until running turns have ended. */
  drain(): Promise<void>;
}

/** Options of `openRocketLeague()`. */
export interface RocketLeagueOptions {
  db: Database;
  /** The log, which the agents share. */
  store: EventStore;
  model: ModelClient;
  /** The tokens that each user may use in a calendar month. */
  tokenBudget: number;
  maxSteps: number;
  hooks?: readonly Hook[];
  onError(error: unknown): void;
}

/** Opens the coach's backend and its front server, with secrets that no other process has. */
export async function openRocketLeague(options: RocketLeagueOptions): Promise<RocketLeague> {
  const { db, store, model, tokenBudget, maxSteps, hooks = [], onError } = options;
  const serviceKey = randomUUID();
  const tokens = sharedTokens(randomUUID());
  const backend = await coachBackend({
    db,
    serviceKey,
    authenticate: tokens.userOf,
    budgetOf: () => ({ tokens: tokenBudget, period: new Date().toISOString().slice(0, 7) }),
    onError,
  });
  const coach = rocketLeagueCoach({
    model,
    backendUrl: `http://backend${BACKEND_PATH}`,
    serviceKey,
    store: ownRuns(store, (agent) => agent === ROCKET_LEAGUE_AGENT),
    maxSteps,
    hooks,
    fetch: async (url, init) => await backend.fetch(new Request(url, init)),
    // The page reconnects after a restart, and brings its user's token.
    withoutCredentials: "ask",
    onError,
  });
  let settling: NodeJS.Timeout | undefined;
  return {
    coach,
    issue: tokens.issue,
    backend: async (path, token) =>
      await backend.request(`${BACKEND_PATH}${path}`, { headers: { authorization: `Bearer ${token}` } }),
    start: () => {
      coach.runtime.start();
      settling = setInterval(() => void coach.settle().catch(onError), SETTLE_MS);
    },
    drain: async () => {
      clearInterval(settling);
      await coach.runtime.drain();
    },
  };
}
