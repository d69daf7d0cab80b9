import type { BreakerOptions } from "../base/breaker.ts";
import type { McpUser } from "../base/user.ts";
import type { McpOAuthOptions } from "./sign-in-options.ts";

/** A tool as its server lists it. */
export interface McpToolInfo {
  /** The tool's name on its server. */
  name: string;
  /** The name under which the model knows it, e.g. `mcp__mail__search`. */
  toolName: string;
  /** The description for the model. */
  description: string;
  /**
   * SHA-256 of its name, description, schemas and annotations, in hexadecimal. It changes if any of them
   * changes.
   */
  fingerprint: string;
  /** What the server says about the tool. These are claims. */
  annotations: {
    title?: string;
    readOnlyHint?: boolean;
    destructiveHint?: boolean;
    idempotentHint?: boolean;
    openWorldHint?: boolean;
  };
}

/** Options of `mcpServer()`. Either `url` or `command` is required. */
export interface McpServerOptions<Deps = unknown> {
  /**
   * The connector's name: 1 to 32 characters of `a-z A-Z 0-9 _ -`, no two `_` in a row. Tools are named
   * `mcp__<name>__<tool>`.
   */
  name: string;
  /** The address of a server over streamable HTTP. */
  url?: string | URL;
  /** The program of a server over stdio. Node only. */
  command?: string;
  /** The program's arguments. Default: none. */
  args?: readonly string[];
  /** The program's environment, added to a few safe variables such as `PATH`. Default: none. */
  env?: Readonly<Record<string, string>>;
  /** The program's working directory. Default: this process's own. */
  cwd?: string;
  /** Headers of every request to `url`, e.g. an API key that all users share. Default: none. */
  headers?: Readonly<Record<string, string>>;
  /**
   * Returns the bearer token of the run's user, e.g. from `credentials`. Each user and token gets a
   * connection of their own. Default: no token, and all users share one connection.
   */
  token?: (user: McpUser<Deps>) => string | undefined | Promise<string | undefined>;
  /**
   * Returns a new token after the server has refused the user's (401). Called for one request of a user at a
   * time; the request is sent again once. Default: the call fails.
   */
  refresh?: (user: McpUser<Deps> & { token: string }) => string | undefined | Promise<string | undefined>;
  /**
   * Signs each user in to the server by OAuth 2.1, instead of `token`. A call of a user who is not signed in
   * becomes a question of the kind `sign_in` with the address to open. The application's callback ends the
   * sign-in with `finishSignIn()`.
   */
  oauth?: McpOAuthOptions<Deps>;
  /** What a call does if the server still answers 401: fail, or ask for credentials. Default: `"fail"`. */
  onUnauthorized?: "fail" | "ask";
  /** The tools to offer, by their names on the server, or a function that chooses. Default: all. */
  tools?: readonly string[] | ((tool: McpToolInfo) => boolean);
  /**
   * Fingerprints of tools that were reviewed, by name, from `listTools()`. A tool that is missing here, or
   * differs, is not offered. Default: tools may change.
   */
  fingerprints?: Readonly<Record<string, string>>;
  /**
   * Whether the server's annotations are trusted: tools with `readOnlyHint` or `idempotentHint` are then
   * retried after a lost connection, and run again after a crash. Default: no.
   */
  trustAnnotations?: boolean;
  /** Whether a run needs this server: if it cannot be reached, the run is refused. Default: no. */
  required?: boolean;
  /**
   * Time limit of a call, in milliseconds. For up to half of it, the call waits for its turn. Default:
   * 60,000.
   */
  timeoutMs?: number;
  /** Time limit of connecting, in milliseconds. Default: 30,000. */
  connectTimeoutMs?: number;
  /**
   * The number of requests at a time. One user has at most half of them, and users take turns. Default: 8.
   */
  concurrency?: number;
  /** The longest response over HTTP, in bytes. Default: 10,485,760. Over stdio it is always this. */
  maxResponseBytes?: number;
  /** The longest result that the model reads, in characters. Default: the agent's `resultLimit`. */
  maxResultChars?: number;
  /**
   * The most characters of this server's tools in a prompt, as JSON of names, descriptions and schemas. Tools
   * are admitted in alphabetical order, those that the session's prompt already has before all others. One
   * that no longer fits is left out. Default: 200,000, about 50,000 tokens.
   */
  maxToolChars?: number;
  /** How long the list of tools is used before it is read again, in milliseconds. Default: 60,000. */
  listTtlMs?: number;
  /** How long a connection or program without requests stays open, in milliseconds. Default: 300,000. */
  idleMs?: number;
  /**
   * When a server that keeps failing gets no requests for a while, or none of one user. Default: 5 failures
   * in a row, 30 seconds.
   */
  breaker?: BreakerOptions;
  /**
   * The protocol to speak: `modern` (2026-07-28), `legacy` (`initialize`, up to 2025-11-25), or `auto`, which
   * asks first. Except for `legacy`, the SDK starts a program twice the first time. Default: `auto`.
   */
  protocol?: "auto" | "modern" | "legacy";
  /**
   * Whether the server may answer a call with a task, i.e. finish it later. The run then waits in the log.
   * Any process may poll the task, also one without the caller's `credentials`. Default: yes.
   */
  tasks?: boolean;
  /**
   * How long a task may take, in milliseconds. Afterwards its outcome is unknown. Default: 86,400,000, a day.
   */
  taskTimeoutMs?: number;
  /** How often a call may ask the user. Default: 10. */
  maxQuestions?: number;
  /**
   * A secret of at least 32 characters, the same in all processes. With it, the server's `requestState` and
   * the ids of tasks are encrypted in the log while a call waits. Default: they are stored as they are.
   */
  stateKey?: string;
  /** Sends HTTP requests. Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Returns the current time in milliseconds. Default: `Date.now`. */
  now?: () => number;
}
