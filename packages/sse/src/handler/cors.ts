import { checkOptions, type OptionKinds, PawlError } from "@pawl/core";
import type { MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Env } from "./routes.ts";

/** Which web pages of other origins may use the handler, and what they may do. */
export interface CorsOptions {
  /** The pages' origins without a path, e.g. `["https://app.example.com"]`; or `"*"` for every page. */
  origins: readonly string[] | "*";
  /** Whether requests may carry cookies. Not allowed with `"*"`. Default: `false`. */
  credentials?: boolean;
  /** Names of response headers that pages may read, in addition to those that Pawl sets. Default: none. */
  exposeHeaders?: readonly string[];
}

const OPTIONS: OptionKinds<CorsOptions> = {
  origins: "any!",
  credentials: "boolean",
  exposeHeaders: "list",
};

/** The response headers that Pawl's own clients and other dialects' clients read. */
const EXPOSED = ["x-pawl-session", "x-pawl-run", "x-vercel-ai-ui-message-stream", "retry-after"];

/** How long browsers cache the response to a preflight, in seconds. Chromium does not allow more. */
const MAX_AGE = 7_200;

/**
 * Returns middleware that answers preflights and lets pages of these origins read every response, including
 * errors. Pages may send any request header: only the list of origins protects the handler. Without options,
 * it does nothing.
 *
 * @throws PawlError `config` for origins in a form that no browser sends.
 */
export function corsOf(options: CorsOptions | undefined): MiddlewareHandler<Env> {
  if (options === undefined) return async (_, next) => await next();
  checkOptions("`cors` of handler()", options, OPTIONS, { instead: { origin: "Use `origins`, a list." } });
  const { origins, credentials = false, exposeHeaders = [] } = options;
  checkOrigins(origins);
  if (origins === "*" && credentials) {
    throw new PawlError(
      "config",
      'With `cors.credentials`, list the `origins` that may send cookies: browsers send none to "*".',
    );
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
 * Returns whether the origin is written exactly as browsers send it. A trailing slash or a wildcard would
 * silently match no page. Origins with an app's own scheme are valid.
 */
function isOrigin(origin: unknown): boolean {
  if (typeof origin !== "string" || !URL.canParse(origin)) return false;
  const { protocol, host } = new URL(origin);
  return host !== "" && !host.includes("*") && origin === `${protocol}//${host}`;
}
