import { join, resolve } from "node:path";

/** What the playground can be told from outside. The names are those of `.env.example`. */
export interface Config {
  host: string;
  /** 0: any free port. */
  port: number;
  /** Where the log and the users' files are kept. */
  dir: string;
  /** The built page. */
  webDir: string;
  modelId: string;
  /** Without one, the coach is simulated. */
  apiKey?: string;
  /** Where the Messages API is, if not at its usual place. */
  baseURL?: string;
  /** Serves the agent that the tests need as well. */
  test: boolean;
}

const here = join(import.meta.dirname, "..");

/**
 * Reads the configuration from environment variables; an empty one counts as absent.
 *
 * @throws Error with one line for the person who set the variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const { ANTHROPIC_API_KEY: apiKey, ANTHROPIC_BASE_URL: baseURL } = env;
  return {
    host: env.HOST || "127.0.0.1",
    port: portOf(env.PORT || "4321"),
    dir: resolve(env.PAWL_DIR || join(here, "..", "..", ".pawl")),
    webDir: join(here, "dist", "web"),
    modelId: env.COACH_MODEL_ID || "claude-sonnet-5-5",
    test: env.PAWL_TEST === "1",
    ...(apiKey && { apiKey }),
    ...(baseURL && { baseURL }),
  };
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new Error(`PORT must be a number from 0 to 65535, not "${text}".`);
  return port;
}
