import {
  type Clock,
  checkOptions,
  type JsonObject,
  type OptionKinds,
  systemClock,
  toJson,
  validate,
} from "@pawl/core";
import { listedProblems, TimeUp, within } from "@pawl/core/tools";
import { clipped } from "../base/clipped.ts";
import { byName, type DataSource } from "./data-source.ts";

/** A source to fetch, by its name, with its params. */
export interface SourceQuery {
  /** Name of the source. */
  source: string;
  /** The source's params. They are validated. Default: none. */
  params?: JsonObject;
}

/**
 * Why a source could not be fetched. The message may be shown to models and users. `cause` is the thrown
 * value, for the server's own log.
 */
export interface SourceError {
  /** Why there is no data. */
  code: "unknown_source" | "invalid_params" | "timed_out" | "failed";
  /** The reason in words, for developers. */
  message: string;
  /** The thrown value, if one was thrown. */
  cause?: unknown;
}

/** The outcome of one query: the text with the parsed params, or an error. */
export type FetchedSource =
  | { source: string; displayName: string; params: JsonObject; data: string; error?: never }
  | { source: string; error: SourceError; displayName?: never; params?: never; data?: never };

/** Options of `fetchSources()`. */
export interface FetchOptions<Deps> {
  /** Id of the user whose data is fetched. */
  userId: string;
  /** The application's dependencies, as the sources expect them. */
  deps: Deps;
  /** Cancels all queries when it aborts. */
  signal?: AbortSignal;
  /** Time limit of each source without its own `timeoutMs`, in milliseconds. Default: 5,000. */
  timeoutMs?: number;
  /** The clock for time limits. Default: the system's clock. */
  clock?: Clock;
}

const OPTIONS: OptionKinds<FetchOptions<unknown>> = {
  userId: "string!",
  deps: "any",
  signal: "object",
  timeoutMs: "number",
  clock: "object",
};

/**
 * Fetches several sources concurrently. The results are in the order of the queries. If a source fails, its
 * result is an error, and the others are not affected. The texts are not sanitised; that happens when they
 * are sent to a model as `knowledge`.
 *
 * Rejects only if the signal aborts, with its reason, or if two sources have the same name, with a PawlError
 * `config`.
 *
 * @example
 * ```ts
 * import { dataSource, fetchSources } from "@pawl/knowledge";
 *
 * const goals = dataSource({ name: "goals", description: "What the user wants.", fetch: () => "Strength" });
 * const found = await fetchSources([goals], [{ source: "goals" }, { source: "passwords" }], {
 *   userId: "ada",
 *   deps: {},
 * });
 * console.log(found.map(({ data, error }) => data ?? error?.code)); // [ "Strength", "unknown_source" ]
 * ```
 */
export async function fetchSources<Deps>(
  sources: readonly DataSource<Deps>[],
  queries: readonly SourceQuery[],
  options: FetchOptions<Deps>,
): Promise<FetchedSource[]> {
  checkOptions("fetchSources()", options, OPTIONS);
  const { userId, deps, signal = new AbortController().signal } = options;
  const { timeoutMs = 5_000, clock = systemClock } = options;
  const known = byName(sources, "data sources");
  const fetchOne = async ({ source: name, params = {} }: SourceQuery): Promise<FetchedSource> => {
    const source = known.get(name);
    if (source === undefined) return failed(name, "unknown_source", `There is no data source "${name}".`);
    const time = source.timeoutMs ?? timeoutMs;
    const parsed = await parsedParams(source, params);
    if (!parsed.ok) return failed(name, "invalid_params", listedProblems(parsed.problems));
    const data = await within({ signal, timeoutMs: time, clock }, async (own) => {
      const raw = await source.fetch({ userId, params: parsed.value, deps, signal: own });
      const text: unknown = source.format(raw);
      if (typeof text !== "string")
        throw new TypeError(
          `format of "${name}" must return a string; it returned a value of type ${typeof text}.`,
        );
      return text;
    });
    return {
      source: name,
      displayName: source.displayName,
      params: stored(parsed.value),
      data: clipped(data, source.maxChars),
    };
  };
  const settled = await Promise.allSettled(queries.map(fetchOne));
  signal.throwIfAborted();
  return settled.map((outcome, at) =>
    outcome.status === "fulfilled" ? outcome.value : thrown(queries[at]?.source ?? "", outcome.reason),
  );
}

/** Parses params by the source's schema. A source without a schema gets `{}`. */
export async function parsedParams<Deps>(
  { params: schema }: DataSource<Deps>,
  params: JsonObject,
): Promise<{ ok: true; value: unknown } | { ok: false; problems: string[] }> {
  return schema === undefined ? { ok: true, value: {} } : await validate(schema, params);
}

function stored(params: unknown): JsonObject {
  const json = toJson(params);
  return json !== null && typeof json === "object" && !Array.isArray(json) ? json : {};
}

function thrown(source: string, cause: unknown): FetchedSource {
  if (cause instanceof TimeUp)
    return failed(source, "timed_out", `The data source "${source}" took too long.`, cause);
  return failed(source, "failed", `The data source "${source}" could not be read.`, cause);
}

function failed(source: string, code: SourceError["code"], message: string, cause?: unknown): FetchedSource {
  return { source, error: { code, message, ...(cause !== undefined && { cause }) } };
}
