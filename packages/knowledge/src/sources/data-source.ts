import { type Infer, type JsonObject, PawlError, type Schema, toJsonSchema } from "@pawl/core";
import { checkLimit } from "../base/clipped.ts";

/** A request to a source. */
export interface SourceRequest<Deps = unknown, Params = unknown> {
  /** The session's user, whatever a model or a message says. */
  userId: string;
  /** Parsed by the source's schema. */
  params: Params;
  /** What the runtime's `deps` made for the session. */
  deps: Deps;
  /** Aborts at the time-out, or when the run is stopped. */
  signal: AbortSignal;
}

/** Options of `dataSource()`. */
export interface DataSourceOptions<P extends Schema, Raw, Deps> {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`; not `user_data`, which is reserved for the agent's `userData`. */
  name: string;
  /** For people. Default: the name. */
  displayName?: string;
  /** For the model that chooses: what the data are, and when they help. */
  description: string;
  /**
   * The schema of an object. The initializer sets only its field `days_back`, the range in days, if it has
   * one. Default: the source takes no params.
   */
  params?: P;
  /** Gets the data. Throw to fail. */
  fetch: (request: SourceRequest<Deps, Infer<P>>) => Raw | Promise<Raw>;
  /** Formats the data for the model. Default: a string as it is, anything else as JSON. */
  format?: (raw: Awaited<Raw>) => string;
  /** The most characters that the model reads of it. Default: 50,000. */
  maxChars?: number;
  /** Time limit in milliseconds. Default: the caller's, e.g. `sourceTimeoutMs` of the initializer. */
  timeoutMs?: number;
}

/** A source of data about the user, ready to be fetched. Made by {@link dataSource}. */
export interface DataSource<Deps = unknown> {
  readonly name: string;
  readonly displayName: string;
  readonly description: string;
  readonly params: Schema | undefined;
  /** The schema of `params` as JSON Schema; `undefined` without one. */
  readonly paramsSchema: JsonObject | undefined;
  readonly maxChars: number;
  readonly timeoutMs: number | undefined;
  readonly fetch: (request: SourceRequest<Deps>) => unknown;
  readonly format: (raw: unknown) => string;
}

/** The default of `maxChars`. More would fill most of a context. */
const MAX_CHARS = 50_000;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Defines a source of data. The type of `params` follows from the schema.
 *
 * @throws PawlError `config` for an invalid name, params that are not an object or that JSON Schema cannot
 * express, or invalid limits.
 *
 * @example
 * ```ts
 * import { dataSource, fetchSources } from "@pawl/knowledge";
 * import * as z from "zod";
 *
 * const workouts = dataSource({
 *   name: "workout_history",
 *   displayName: "Your workouts",
 *   description: "Past workouts, newest first.",
 *   params: z.object({ days_back: z.int().min(1).max(365).default(14) }),
 *   fetch: async ({ userId, params }) => [`${userId}: squats, ${params.days_back} days`],
 *   format: (rows) => rows.join("\n"),
 * });
 * const [found] = await fetchSources([workouts], [{ source: "workout_history" }], {
 *   userId: "ada",
 *   deps: undefined,
 * });
 * console.log(found?.data, found?.params); // ada: squats, 14 days { days_back: 14 }
 * ```
 */
export function dataSource<P extends Schema = Schema<JsonObject>, Raw = unknown, Deps = unknown>(
  options: DataSourceOptions<P, Raw, Deps>,
): DataSource<Deps> {
  const { name, displayName = name, description, params, fetch, format = asText } = options;
  const { maxChars = MAX_CHARS, timeoutMs } = options;
  if (!NAME.test(name) || name === "user_data") {
    throw new PawlError(
      "config",
      `"${name}" is not a valid name for a data source: use 1 to 64 letters, digits, _ and -, and not user_data.`,
    );
  }
  const what = `the data source "${name}"`;
  checkLimit(maxChars, `maxChars of ${what}`);
  checkLimit(timeoutMs, `timeoutMs of ${what}`);
  const paramsSchema = params && toJsonSchema(params, what);
  if (paramsSchema !== undefined && paramsSchema.type !== "object") {
    throw new PawlError(
      "config",
      `The params of ${what} must be the schema of an object; its JSON Schema has type ${JSON.stringify(paramsSchema.type)}.`,
    );
  }
  return {
    name,
    displayName,
    description,
    params,
    paramsSchema,
    maxChars,
    timeoutMs,
    fetch: fetch as DataSource<Deps>["fetch"],
    format: format as DataSource<Deps>["format"],
  };
}

/**
 * Indexes by name.
 *
 * @throws PawlError `config` if two have the same name.
 */
export function byName<S extends { readonly name: string }>(
  named: readonly S[],
  what: string,
): Map<string, S> {
  const map = new Map<string, S>();
  for (const one of named) {
    if (map.has(one.name))
      throw new PawlError("config", `Two ${what} are named "${one.name}"; names must be unique.`);
    map.set(one.name, one);
  }
  return map;
}

function asText(raw: unknown): string {
  return typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "");
}
