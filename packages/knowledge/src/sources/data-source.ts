import { type Infer, type JsonObject, PawlError, type Schema, toJsonSchema } from "@pawl/core";
import { checkLimit } from "../base/clipped.ts";

/** What a source is asked with. */
export interface SourceRequest<Deps = unknown, Params = unknown> {
  /** Whose data. It is the session's owner, whatever a model or a message says. */
  userId: string;
  /** As the source's schema has parsed them. */
  params: Params;
  /** What the runtime's `deps` made for the session. */
  deps: Deps;
  /** Fires when it takes too long, or the run is to stop. */
  signal: AbortSignal;
}

/** Options of `dataSource()`. */
export interface DataSourceOptions<P extends Schema, Raw, Deps> {
  /** 1 to 64 of `a-z A-Z 0-9 _ -`; not `user_data`, which is what the agent's `userData` says. */
  name: string;
  /** For people. Default: the name. */
  displayName?: string;
  /** For the model that chooses: what the data are, and when they help. */
  description: string;
  /**
   * An object. A field `days_back` is how far back the source looks: the initializer sets it, and it alone.
   */
  params?: P;
  /** Gets the data. Throw to fail. */
  fetch: (request: SourceRequest<Deps, Infer<P>>) => Raw | Promise<Raw>;
  /** What the model reads. Default: a string as it is, anything else as JSON. */
  format?: (raw: Awaited<Raw>) => string;
  /** The most characters that the model reads of it. Default: 50,000. */
  maxChars?: number;
  /** After this many milliseconds the source has failed. Default: what its caller says. */
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

/** What the model reads of one source, at most: more would be most of a context. */
const MAX_CHARS = 50_000;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Defines a source of data. The type of `params` follows from the schema.
 *
 * @throws PawlError `config` for a bad name, params that are no object or that JSON Schema cannot express, or
 * bad limits.
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
      `"${name}" is no name for a data source: 1 to 64 letters, digits, _ and - are allowed, and not user_data.`,
    );
  }
  const what = `the data source "${name}"`;
  checkLimit(maxChars, `maxChars of ${what}`);
  checkLimit(timeoutMs, `timeoutMs of ${what}`);
  const paramsSchema = params && toJsonSchema(params, what);
  if (paramsSchema !== undefined && paramsSchema.type !== "object") {
    throw new PawlError("config", `The params of ${what} must be an object.`);
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

/** @throws PawlError `config` where two sources have one name. */
export function byName<S extends { readonly name: string }>(
  named: readonly S[],
  what: string,
): Map<string, S> {
  const map = new Map<string, S>();
  for (const one of named) {
    if (map.has(one.name)) throw new PawlError("config", `Two ${what} are named "${one.name}".`);
    map.set(one.name, one);
  }
  return map;
}

function asText(raw: unknown): string {
  return typeof raw === "string" ? raw : (JSON.stringify(raw) ?? "");
}
