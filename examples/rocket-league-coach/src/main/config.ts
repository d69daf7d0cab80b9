import { join, resolve } from "node:path";
import { pricingOf } from "@pawl/anthropic";

/** The settings of the programs. The variables are described in `.env.example`. */
export interface Config {
  host: string;
  /** The port of the front server. 0 chooses any free port. */
  port: number;
  backendPort: number;
  /** The backend's address, without the path of its API. */
  backendUrl: string;
  modelId: string;
  maxSteps: number;
  /** How long a run of a dead front server waits before another one may resume it, in milliseconds. */
  leaseMs: number;
  /** The tokens that each user may use in a month. */
  tokenBudget: number;
  /** The directory of the embedded databases. */
  dir: string;
  /** The key of the Messages API. Without it, the coach is simulated. */
  apiKey?: string;
  /** The base URL of the Messages API. Default: Anthropic's. */
  baseURL?: string;
  databaseUrl?: string;
  /** The secret of users' bearer tokens. */
  tokenSecret?: string;
  /** The key with which the front server settles reservations. */
  serviceKey?: string;
}

type Env = Readonly<Record<string, string | undefined>>;
type NumberName = "BACKEND_PORT" | "COACH_MAX_STEPS" | "COACH_TOKEN_BUDGET" | "PAWL_LEASE_MS" | "PORT";

/**
 * Reads the settings from environment variables. An empty variable counts as absent.
 *
 * @throws Error with a message of one line that names the variable.
 */
export function readConfig(env: Env): Config {
  const { ANTHROPIC_API_KEY: apiKey, DATABASE_URL: databaseUrl } = env;
  const baseURL = addressIn(env, "ANTHROPIC_BASE_URL");
  const tokenSecret = secretIn(env, "COACH_TOKEN_SECRET");
  const serviceKey = secretIn(env, "COACH_SERVICE_KEY");
  if (databaseUrl && !/^postgres(ql)?:\/\//.test(databaseUrl))
    throw new Error("DATABASE_URL must be a URL like postgres://user:password@host:5432/database.");
  return {
    host: env.HOST || "127.0.0.1",
    port: numberIn(env, "PORT", 3_000, [0, 65_535]),
    backendPort: numberIn(env, "BACKEND_PORT", 8_000, [0, 65_535]),
    backendUrl: addressIn(env, "BACKEND_URL") ?? "http://localhost:8000",
    modelId: modelIn(env),
    maxSteps: numberIn(env, "COACH_MAX_STEPS", 10, [1, 100]),
    leaseMs: numberIn(env, "PAWL_LEASE_MS", 10_000, [1_000, 600_000]),
    tokenBudget: numberIn(env, "COACH_TOKEN_BUDGET", 1_000_000, [0, 1_000_000_000]),
    dir: resolve(env.PAWL_DIR || join(import.meta.dirname, "../../.pawl")),
    ...(apiKey && { apiKey }),
    ...(baseURL && { baseURL }),
    ...(databaseUrl && { databaseUrl }),
    ...(tokenSecret && { tokenSecret }),
    ...(serviceKey && { serviceKey }),
  };
}

/** Reads the model's name, which must be known unless another server is used. */
function modelIn(env: Env): string {
  const id = env.COACH_MODEL_ID || "claude-opus-4-5";
  if (env.ANTHROPIC_BASE_URL || pricingOf(id) !== undefined) return id;
  throw new Error(
    `COACH_MODEL_ID is not a known Claude model: "${id}". For a newer model or another server, set ANTHROPIC_BASE_URL too.`,
  );
}

function addressIn(env: Env, name: "ANTHROPIC_BASE_URL" | "BACKEND_URL"): string | undefined {
  const url = env[name] || undefined;
  if (url === undefined || (/^https?:/.test(url) && URL.canParse(url))) return url?.replace(/\/+$/, "");
  throw new Error(`${name} must be an http or https URL, not "${url}".`);
}

function secretIn(env: Env, name: "COACH_SERVICE_KEY" | "COACH_TOKEN_SECRET"): string | undefined {
  const secret = env[name] || undefined;
  // The value is a secret, so it is not part of the message.
  if (secret === undefined || secret.length >= 16) return secret;
  throw new Error(`${name} must have at least 16 characters.`);
}

function numberIn(env: Env, name: NumberName, standard: number, [least, most]: [number, number]): number {
  const text = env[name] || String(standard);
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
