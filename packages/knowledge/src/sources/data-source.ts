import {
  checkOptions,
  type Infer,
  type JsonObject,
  type OptionKinds,
  PawlError,
  type Schema,
  toJsonSchema,
} from "@pawl/core";
import { checkLimits } from "../base/clipped.ts";

/** The argument of a data source's `fetch`. */
export interface SourceRequest<Deps = unknown, Params = unknown> {
  /** The id of the session's user. Models and messages cannot change it. */
  userId: string;
  /** The params, parsed by the source's schema. */
  params: Params;
  /** The value that the runtime's `deps` option returned for the session. */
  deps: Deps;
  /** Aborts when the time limit is reached or the run is stopped. */
  signal: AbortSignal;
}

/** Options of `dataSource()`. */
export interface DataSourceOptions<P extends Schema, Raw, Deps> {
  /**
   * The source's name: 1 to 64 characters of `a-z A-Z 0-9 _ -`. The name `user_data` is reserved for the
   * agent's `userData`.
   */
  name: string;
  /** A name for people. Default: `name`. */
  displayName?: string;
  /** The description for the model that chooses sources: what the data is, and when it helps. */
  description: string;
  /**
   * The schema of the params, which must be an object. The initializer sets only the field `days_back`, a
   * range in days, if the schema has it. Default: no params.
   */
  params?: P;
  /** Fetches the data. Throw to report an error. */
  fetch: (request: SourceRequest<Deps, Infer<P>>) => Raw | Promise<Raw>;
  /** Formats the data for the model. Default: a string unchanged, any other value as JSON. */
  format?: (raw: Awaited<Raw>) => string;
  /** The longest text that the model reads, in characters. A longer one is cut. Default: 50,000. */
  maxChars?: number;
  /**
   * Time limit of `fetch`, in milliseconds. Default: the caller's limit, e.g. `sourceTimeoutMs` of the
   * initializer.
   */
  timeoutMs?: number;
}

const OPTIONS: OptionKinds<DataSourceOptions<Schema, unknown, unknown>> = {
  name: "string!",
  displayName: "string",
  description: "string!",
  params: "any",
  fetch: "function!",
  format: "function",
  maxChars: "number",
  timeoutMs: "number",
};

const INSTEAD = { input: "Use `params`.", execute: "Use `fetch`.", run: "Use `fetch`." };

/**
 * A source of data about the user, made by {@link dataSource}. The fields are those of {@link
 * DataSourceOptions}, with the defaults filled in.
 */
export interface DataSource<Deps = unknown> {
  /** The source's name, unique among the sources of an agent. */
  readonly name: string;
  /** The name that users read. */
  readonly displayName: string;
  /** What the source has, for the model that chooses. */
  readonly description: string;
  /** The schema of the source's params; `undefined` if it takes none. */
  readonly params: Schema | undefined;
  /** `params` as JSON Schema; `undefined` if the source takes no params. */
  readonly paramsSchema: JsonObject | undefined;
  /** The maximum length of the formatted data, in characters. */
  readonly maxChars: number;
  /** Time limit of a fetch, in milliseconds; `undefined` for the caller's default. */
  readonly timeoutMs: number | undefined;
  /** Fetches the data. */
  readonly fetch: (request: SourceRequest<Deps>) => unknown;
  /** Formats fetched data as text for the model. */
  readonly format: (raw: unknown) => string;
}

/** The default of `maxChars`, in characters. More would fill most of a model's context. */
const MAX_CHARS = 50_000;

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Defines a source of data about the user, for `initializer()` or `fetchSources()`. The type of the params is
 * inferred from the schema.
 *
 * @throws PawlError `config` if the name is invalid, the params are not an object, JSON Schema cannot express
 * them, or a limit is not a whole number from 1.
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
  checkOptions("dataSource()", options, OPTIONS, { instead: INSTEAD });
  const { name, displayName = name, description, params, fetch, format = asText } = options;
  const { maxChars = MAX_CHARS, timeoutMs } = options;
  if (!NAME.test(name) || name === "user_data") {
    throw new PawlError(
      "config",
      `"${name}" is not a valid name for a data source: use 1 to 64 letters, digits, _ and -, and not user_data.`,
    );
  }
  const what = `the data source "${name}"`;
  checkLimits(what, { maxChars, timeoutMs });
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
 * Returns a map of the values by their names.
 *
 * @throws PawlError `config` if two values have the same name.
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
