import { join } from "node:path";
import { messageOf } from "@pawl/core";
import { RateLimiterMemory } from "rate-limiter-flexible";
import { BACKEND_PATH, coachBackend } from "../backend/index.ts";
import { BackendRefusal, rocketLeagueCoach } from "../front/index.ts";
import type { Config } from "./config.ts";
import { openDatabase } from "./databases.ts";
import { coachModel } from "./models.ts";
import { sharedTokens } from "./tokens.ts";

/** How many messages a user may send to one front server in a minute. */
const MESSAGES_A_MINUTE = 20;

/** A program: it answers requests until it is closed. */
export interface Program {
  serve(request: Request): Promise<Response>;
  /** Waits for running turns, and closes everything. */
  close(): Promise<void>;
}

/** The secrets that both processes share. */
export interface Secrets {
  tokenSecret: string;
  serviceKey: string;
}

/** Opens the backend: tools, budgets and conversations. */
export async function openBackend(config: Config, { tokenSecret, serviceKey }: Secrets): Promise<Program> {
  const { dir, databaseUrl, tokenBudget } = config;
  const { db, close } = await openDatabase(join(dir, "backend"), databaseUrl);
  const tokens = sharedTokens(tokenSecret);
  const backend = await coachBackend({
    db,
    serviceKey,
    authenticate: tokens.userOf,
    budgetOf: () => ({ tokens: tokenBudget, period: new Date().toISOString().slice(0, 7) }),
  });
  return { serve: async (request) => await backend.fetch(request), close };
}

/** Opens the front server: the loop, its log and the stream. `send` reaches the backend. Default: `fetch`. */
export async function openFront(config: Config, secrets: Secrets, send?: typeof fetch): Promise<Program> {
  const { dir, databaseUrl, backendUrl, maxSteps, leaseMs } = config;
  const opened = await openDatabase(join(dir, "front"), databaseUrl);
  const model = await coachModel(config);
  const coach = rocketLeagueCoach({
    model: model.model,
    backendUrl: `${backendUrl}${BACKEND_PATH}`,
    serviceKey: secrets.serviceKey,
    store: opened.store,
    maxSteps,
    leaseTtlMs: leaseMs,
    // In memory, so several front servers count apart.
    rateLimit: new RateLimiterMemory({ points: MESSAGES_A_MINUTE, duration: 60 }),
    ...(send && { fetch: send }),
  });
  const close = async () => {
    await coach.runtime.drain();
    await model.close();
    await opened.close();
  };
  try {
    await coach.check().catch((error: unknown) => unlessRefused(error, new URL(backendUrl).origin));
  } catch (error) {
    await close();
    throw error;
  }
  coach.runtime.start();
  const settle = async () => void (await coach.settle());
  const settling = setInterval(() => void settle().catch(report), 60_000);
  return {
    serve: coach.serve,
    close: async () => {
      clearInterval(settling);
      await close();
    },
  };
}

/** The backend may start later than the front server, or be down for a while. */
function unlessRefused(error: unknown, origin: string): void {
  if (error instanceof BackendRefusal) throw error;
  report(error);
  console.error(`coach: Until a backend answers at BACKEND_URL (${origin}), messages are refused with 503.`);
}

function report(error: unknown): void {
  console.error(`coach: ${messageOf(error)}`);
}

/** Returns the shared secrets. Two processes cannot share secrets that one of them makes up. */
export function secretsOf({ tokenSecret, serviceKey }: Config): Secrets {
  if (tokenSecret === undefined || serviceKey === undefined)
    throw new Error("Set COACH_TOKEN_SECRET and COACH_SERVICE_KEY to the same values for both processes.");
  return { tokenSecret, serviceKey };
}
