import { PawlError } from "@pawl/core";
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Env } from "./routes.ts";

/** The origins whose pages may use the handler, and what those pages may do. */
export interface CorsOptions {
  /** Origins without a path, e.g. `["https://app.example.com"]`; or `"*"` for every page. */
  origins: readonly string[] | "*";
  /** Whether requests may carry cookies. Not allowed with `"*"`. Default: `false`. */
  credentials?: boolean;
  /**
   * Names of headers that pages may read besides Pawl's, e.g. those of a response from `authorize`. Default:
   * none.
   */
  exposeHeaders?: readonly string[];
}

/** Response headers that Pawl's own clients and those of the dialects read. */
const EXPOSED = ["x-pawl-session", "x-pawl-run", "x-vercel-ai-ui-message-stream", "retry-after"];

/** How long browsers cache a preflight's answer, in seconds. This is Chromium's maximum. */
const MAX_AGE = 7_200;

/**
 * Answers preflights, and lets pages of these origins read every response, including errors. Allows any
 * header that a page announces: the list of origins is the protection.
 *
 * @throws PawlError `config` for origins in a form that no browser sends.
 */
export function corsOf(options: CorsOptions): MiddlewareHandler<Env> {
  const { origins, credentials = false, exposeHeaders = [] } = options;
  checkOrigins(origins);
  if (origins === "*" && credentials) {
    throw new PawlError("config", 'Name the `origins` that may send cookies: browsers send none to "*".');
  }
  const known = new Set(origins === "*" ? [] : origins);
  return cors({
    origin: origins === "*" ? "*" : (origin) => (known.has(origin) ? origin : null),
    allowMethods: ["GET", "HEAD", "POST"],
    exposeHeaders: [...EXPOSED, ...exposeHeaders],
    maxAge: MAX_AGE,
    credentials,
  });
}

function checkOrigins(origins: unknown): void {
  if (origins === "*") return;
  const wrong = Array.isArray(origins) ? origins.find((origin) => !isOrigin(origin)) : origins;
  if (Array.isArray(origins) && wrong === undefined) return;
  if (wrong === "*") throw new PawlError("config", '`cors.origins` must be "*" itself, without brackets.');
  throw new PawlError(
    "config",
    `\`cors.origins\` must be "*" or a list of origins, e.g. ["https://app.example.com"], without a path; got ${JSON.stringify(wrong)}.`,
  );
}

/**
 * Whether the origin is written as browsers write it. An extra slash or star would silently shut a page out.
 * Apps may have their own schemes.
 */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== "string" || !URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host !== "" && !host.includes("*") && origin === `${protocol}//${host}`;
}
