import { join, resolve } from "node:path";
import { pricingOf } from "@pawl/anthropic";
import { type FilesAt, isUrl } from "@pawl/example-coach";
import { DEFAULT_DOCUMENTS } from "@pawl/example-enterprise-search";
import { type RocketLeagueConfig, readCoachConfig } from "@pawl/example-rocket-league-coach";
import { trainerModels } from "@pawl/example-trainer";
import { isLoopback } from "./protection.ts";

/** The playground's configuration. The variables are described in `.env.example`. */
export interface Config {
  host: string;
  /** 0 chooses any free port. */
  port: number;
  /** The directory of the log and of the users' files. */
  dir: string;
  /** The directory of the built page. */
  webDir: string;
  modelId: string;
  /** The Rocket League coach's limits. */
  rocketLeague: Pick<RocketLeagueConfig, "maxSteps" | "tokenBudget">;
  /** How many documents the company of the search agent has. */
  searchDocuments: number;
  /** The id of the trainer's default model. */
  trainerModel?: string;
  /** The key of the Messages API. Without it, the agents are simulated. */
  apiKey?: string;
  /** The key of OpenAI. With it, a model of OpenAI chooses the trainer's data. */
  openaiKey?: string;
  /** The Supabase project that issues the trainer's access tokens. Without it, this server issues them. */
  supabase?: { url: string; key: string };
  /** The base URL of the Messages API. Default: Anthropic's. */
  baseURL?: string;
  /** The place of the coach's files. */
  files: FilesAt;
  /** The path or URL of the calendar that the coach reads. */
  calendar?: string;
  /** The connection string of a Postgres server. Without it, the log is in `dir`. */
  databaseUrl?: string;
  /** Whether to trust a proxy's headers `x-forwarded-for` and `x-forwarded-proto`. */
  trustProxy: boolean;
  /** Whether to serve the agent for tests too. */
  test: boolean;
}

type Env = Readonly<Record<string, string | undefined>>;

const here = join(import.meta.dirname, "..");

/**
 * Reads the configuration from environment variables. An empty variable counts as absent.
 *
 * @throws Error with a message of one line that names the variable.
 */
export function readConfig(env: Env): Config {
  const { ANTHROPIC_API_KEY: apiKey, OPENAI_API_KEY: openaiKey } = env;
  const baseURL = addressIn(env, "ANTHROPIC_BASE_URL");
  const trainerModel = modelIn(env, "PRIMARY_MODEL");
  const supabase = supabaseIn(env);
  const host = env.HOST || "127.0.0.1";
  const calendar = calendarIn(env, host);
  const databaseUrl = databaseIn(env);
  const dir = resolve(env.PAWL_DIR || join(here, "..", "..", ".pawl"));
  return {
    host,
    port: portOf(env.PORT || "4321"),
    dir,
    files: bucketIn(env) ?? { directory: join(dir, "files") },
    webDir: join(here, "dist", "web"),
    modelId: modelIn(env, "COACH_MODEL_ID") ?? "claude-sonnet-5-5",
    rocketLeague: rocketLeagueIn(env),
    searchDocuments: documentsIn(env),
    trustProxy: env.TRUST_PROXY === "1",
    test: env.PAWL_TEST === "1",
    ...(apiKey && { apiKey }),
    ...(baseURL && { baseURL }),
    ...(openaiKey && { openaiKey }),
    ...(trainerModel && { trainerModel }),
    ...(supabase && { supabase }),
    ...(calendar && { calendar }),
    ...(databaseUrl && { databaseUrl }),
  };
}

/** Reads the coach's calendar. The coach reads it to every user, so only its owner may reach the server. */
function calendarIn({ COACH_CALENDAR: source }: Env, host: string): string | undefined {
  if (!source) return undefined;
  if (!isLoopback(host)) {
    throw new Error(
      "COACH_CALENDAR requires a loopback HOST, e.g. 127.0.0.1: everybody who can reach this server could read the calendar.",
    );
  }
  if (isUrl(source)) return source;
  if (!/^[a-z][a-z+.-]+:/i.test(source)) return resolve(source);
  throw new Error("COACH_CALENDAR must be a path, or an http or https URL.");
}

function rocketLeagueIn({ COACH_MAX_STEPS, COACH_TOKEN_BUDGET }: Env): Config["rocketLeague"] {
  const { maxSteps, tokenBudget } = readCoachConfig({ COACH_MAX_STEPS, COACH_TOKEN_BUDGET });
  return { maxSteps, tokenBudget };
}

/** Reads the size of the company. Its database is in memory, so it has a limit. */
function documentsIn({ SEARCH_DOCUMENTS: text }: Env): number {
  const documents = text ? (/^\d{1,6}$/.test(text) ? Number(text) : Number.NaN) : DEFAULT_DOCUMENTS;
  if (documents >= 1_000 && documents <= 200_000) return documents;
  throw new Error(`SEARCH_DOCUMENTS must be a number from 1000 to 200000, not "${text}".`);
}

function databaseIn({ DATABASE_URL: url }: Env): string | undefined {
  if (!url) return undefined;
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) return url;
  // The value has a password, so it is not part of the message.
  throw new Error("DATABASE_URL must be a URL like postgres://user:password@host:5432/database.");
}

/**
 * Reads the name of a model, which must be known. With another base URL any name is allowed, because that
 * server may have models of its own.
 */
function modelIn(env: Env, name: "PRIMARY_MODEL" | "COACH_MODEL_ID"): string | undefined {
  const id = env[name] || undefined;
  if (id === undefined || env.ANTHROPIC_BASE_URL || pricingOf(id) !== undefined) return id;
  throw new Error(
    `${name} is not a known Claude model: "${id}". Known models are, among others, ${trainerModels.join(", ")}; ` +
      "for a newer model or another server, set ANTHROPIC_BASE_URL too.",
  );
}

function addressIn(
  env: Env,
  name: "ANTHROPIC_BASE_URL" | "SUPABASE_URL" | "SUPABASE_PUBLIC_URL",
): string | undefined {
  const url = env[name] || undefined;
  if (url === undefined || (/^https?:/.test(url) && URL.canParse(url))) return url;
  throw new Error(`${name} must be an http or https URL, not "${url}".`);
}

function supabaseIn(env: Env): Config["supabase"] {
  const { SUPABASE_PUBLISHABLE_KEY: key } = env;
  const url = addressIn(env, "SUPABASE_PUBLIC_URL");
  if (!url && !key) return undefined;
  if (!url || !key) throw new Error("Set both SUPABASE_PUBLIC_URL and SUPABASE_PUBLISHABLE_KEY, or neither.");
  return { url, key };
}

function bucketIn(env: Env): FilesAt | undefined {
  const { COACH_FILES_BUCKET: bucket, SUPABASE_SECRET_KEY: secretKey } = env;
  const url = addressIn(env, "SUPABASE_URL");
  if (!bucket && !secretKey && !url) return undefined;
  if (!bucket || !secretKey || !url) {
    throw new Error("Set all of COACH_FILES_BUCKET, SUPABASE_URL and SUPABASE_SECRET_KEY, or none.");
  }
  return { bucket, secretKey, url };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`PORT must be a number from 0 to 65535, not "${text}".`);
  return port;
}
