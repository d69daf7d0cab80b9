import { type Awaitable, checkOptions, type JsonObject, type OptionKinds, PawlError } from "@pawl/core";

/** For whom tools are listed or called. */
export interface RemoteCaller<Deps = unknown> {
  /** Id of the user. */
  userId: string;
  /** Id of the session. */
  sessionId: string;
  /** What the application says about the user, see `RunOptions.caller`. */
  caller: JsonObject;
  /** The user's credentials, see `RunOptions.credentials`. */
  credentials: unknown;
  /** The value that the runtime's `deps` returned. */
  deps: Deps;
}

/** Options of `remoteTools()`. `Deps` is the type of the `deps` that `token` and `headers` need. */
export interface RemoteToolsOptions<Deps = unknown> {
  /** The address before `/tools/schema` and `/tools/execute`, e.g. `https://api.example.com/v1/coach`. */
  url: string;
  /**
   * The bearer token of each request: a text, a function that returns it, or `false` to send none. Default:
   * the run's `credentials` if they are a text, or else their field `token`. Requests without it are not
   * sent: the run is refused with `tools_failed`, or the call fails.
   */
  token?: string | false | ((of: RemoteCaller<Deps>) => Awaitable<string | undefined>);
  /** More headers of each request. Default: none. */
  headers?:
    | Readonly<Record<string, string>>
    | ((of: RemoteCaller<Deps>) => Awaitable<Readonly<Record<string, string>>>);
  /** The names of the tools to use, as the server lists them. Default: all. */
  include?: readonly string[];
  /** What the tools' names begin with for the model, e.g. `stats_`. Default: nothing. */
  prefix?: string;
  /**
   * Time limit of a call with its retries, in milliseconds. Default: two seconds more than the server's own
   * limit for the tool, or 60,000 if it has none.
   */
  timeoutMs?: number;
  /** How often a failed request of an `idempotent` tool, or for the list, is repeated. Default: 2. */
  retries?: number;
  /**
   * How long the list of tools is used before the server is asked for changes, in milliseconds. Default:
   * 60,000.
   */
  cacheMs?: number;
  /** Time limit of a request for the list, with its retries, in milliseconds. Default: 4,000. */
  schemaTimeoutMs?: number;
  /**
   * Whether the server may have other tools for each user. If so, each user and `caller` has a list of their
   * own. Set it to `false` if all have the same tools, so that one list is kept for all. Default: `true`.
   */
  perUser?: boolean;
  /** The most tools that are used. More of them are an error. Default: 128. */
  maxTools?: number;
  /**
   * The most characters of this server's tools in a prompt, as JSON of names, descriptions and schemas. Tools
   * are admitted in the order of the server's list, those that the session's prompt already has before all
   * others. One that no longer fits is left out and reported to `onWarning`. Default: 200,000, about 50,000
   * tokens.
   */
  maxToolChars?: number;
  /**
   * The maximum size of a response, in bytes. A larger one is not read to its end, so what it reports, e.g.
   * its cost, is not charged. Default: 1,000,000. A response of more than 100,000 values is refused, too, and
   * its report is kept.
   */
  maxResultBytes?: number;
  /** Sends the requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Called with problems that do not stop a run. Default: logs them with `console.warn`. */
  onWarning?(message: string): void;
}

const isHeaders = (value: unknown) =>
  typeof value === "object" &&
  value !== null &&
  Object.values(value).every((header) => typeof header === "string");

function upFrom(least: number, most = Number.POSITIVE_INFINITY) {
  const upTo = Number.isFinite(most) ? ` to ${most}` : "";
  return {
    mustBe: `a number from ${least}${upTo}`,
    is: (value: unknown) => typeof value === "number" && value >= least && value <= most,
  };
}

const MOST_MS = 2 ** 31 - 1;

const OPTIONS: OptionKinds<RemoteToolsOptions> = {
  url: "string!",
  token: {
    mustBe: "a text, a function that returns one, or false",
    is: (value) =>
      value === false || (typeof value === "string" && value !== "") || typeof value === "function",
  },
  headers: {
    mustBe: "an object of texts, or a function that returns one",
    is: (value) => typeof value === "function" || isHeaders(value),
  },
  include: {
    mustBe: "a list of the tools' names",
    is: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
  },
  prefix: {
    mustBe: "up to 32 letters, digits, _ or -",
    is: (value) => typeof value === "string" && /^[a-zA-Z0-9_-]{0,32}$/.test(value),
  },
  timeoutMs: upFrom(1, MOST_MS),
  retries: upFrom(0, 10),
  cacheMs: upFrom(0),
  schemaTimeoutMs: upFrom(1, MOST_MS),
  perUser: "boolean",
  maxTools: upFrom(1),
  maxToolChars: upFrom(1),
  maxResultBytes: upFrom(1),
  fetch: "function",
  onWarning: "function",
};

const INSTEAD = {
  baseUrl: "Use `url`.",
  baseURL: "Use `url`.",
  bearer: "Use `token`.",
  auth: "Use `token`.",
  apiKey: "Use `token`, or `headers`.",
  timeout: "Use `timeoutMs`.",
  maxRetries: "Use `retries`.",
  cache: "Use `cacheMs`.",
  ttlMs: "Use `cacheMs`.",
  tools: "Use `include`.",
  allow: "Use `include`.",
};

/** Checks the options of `remoteTools()`. @throws PawlError `config` */
export function checkRemoteTools(options: unknown): void {
  checkOptions("remoteTools()", options, OPTIONS, { instead: INSTEAD });
  const { url } = options as RemoteToolsOptions;
  // The message must not show the address: it may have a password.
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw wrongUrl("must be an address that begins with https:// or http://");
  if (parsed.username !== "" || parsed.password !== "")
    throw wrongUrl("must have no user and password. Use `headers: { authorization: … }` and `token: false`");
}

const wrongUrl = (what: string) => new PawlError("config", `\`url\` of remoteTools() ${what}.`);
