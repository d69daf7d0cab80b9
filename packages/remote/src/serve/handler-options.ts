import type { Awaitable, JsonObject, Tool } from "@pawl/core";

/** Who calls a tool, as `authorize` says. */
export interface ToolUser {
  /** Id of the user for whom the tool runs: `userId` of its context. */
  userId: string;
  /** What else the application knows about the user, e.g. roles: `caller` of the context. Default: `{}`. */
  caller?: JsonObject;
  /** What the tool needs to act for the user: `credentials` of the context. Default: none. */
  credentials?: unknown;
}

/** Options of `toolHandler()` without `deps`. `Deps` is the type of the `deps` that the tools need. */
export interface ToolHandlerSettings<Deps = unknown> {
  /**
   * The tools to serve, or a function that returns those of one user. A tool that asks the user, or was made
   * by `agentTool()`, cannot be served.
   */
  tools: readonly Tool<Deps>[] | ((user: ToolUser) => Awaitable<readonly Tool<Deps>[]>);
  /**
   * Returns the user of a request, e.g. from its bearer token. Return `null` to answer 401, or a `Response`
   * to send that response. Called for every route.
   */
  authorize(request: Request): Awaitable<ToolUser | Response | null>;
  /** Returns the dependencies of one call: `deps` of the tool's context. */
  deps(user: ToolUser, request: Request): Awaitable<Deps>;
  /** The path before `/tools` in the URL that clients request, e.g. `/api/v1/coach`. Default: none. */
  basePath?: string;
  /** The title of the OpenAPI document. Default: `Tools`. */
  title?: string;
  /** Time limit of tools without a `timeoutMs` of their own, in milliseconds. Default: 60,000. */
  timeoutMs?: number;
  /** The maximum size of a request's body, in bytes. A larger one is refused with 413. Default: 1,000,000. */
  maxBodyBytes?: number;
  /**
   * The maximum size of a result, in bytes. A call with a larger one fails with `result_too_large`. Default:
   * 1,000,000.
   */
  maxResultBytes?: number;
  /** Called with every error that causes a 500 response. Default: logs it with `console.error`. */
  onError?(error: unknown, request: Request): void;
}

/** Options of `toolHandler()`. `deps` is optional if no tool needs it. */
export type ToolHandlerOptions<Deps = unknown> = unknown extends Deps
  ? Omit<ToolHandlerSettings<Deps>, "deps"> & Partial<Pick<ToolHandlerSettings<Deps>, "deps">>
  : ToolHandlerSettings<Deps>;

/** The options with their defaults. */
export type ServedTools = Required<Omit<ToolHandlerSettings, "deps">> &
  Partial<Pick<ToolHandlerSettings, "deps">>;
