import { type Clock, type JsonObject, systemClock, toJson, validate } from "@pawl/core";
import { clipped } from "../base/clipped.ts";
import { TimeUp, within } from "../base/within.ts";
import { byName, type DataSource } from "./data-source.ts";

/** A source and its params. */
export interface SourceQuery {
  source: string;
  params?: JsonObject;
}

/**
 * Why a source returned nothing. The message can be shown to a model and to people. `cause` is the thrown
 * value, for the server's own log.
 */
export interface SourceError {
  code: "unknown_source" | "invalid_params" | "timed_out" | "failed";
  message: string;
  cause?: unknown;
}

/** The outcome of one query: text and the parsed params, or an error. */
export type FetchedSource =
  | { source: string; displayName: string; params: JsonObject; data: string; error?: never }
  | { source: string; error: SourceError; displayName?: never; params?: never; data?: never };

/** Options of `fetchSources()`. */
export interface FetchOptions<Deps> {
  userId: string;
  deps: Deps;
  /** Cancels all queries. */
  signal?: AbortSignal;
  /** The time limit of sources without a `timeoutMs`, in milliseconds. Default: 5 s. */
  timeoutMs?: number;
  clock?: Clock;
}

/**
 * Fetches sources side by side. The results are in the order of the queries, and a failure of one source does
 * not affect the others. The text is not sanitised here: core does that when it enters a prompt as
 * `knowledge`.
 *
 * Rejects only with the signal's reason, when it aborts, or for two sources of one name.
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
  {
    userId,
    deps,
    signal = new AbortController().signal,
    timeoutMs = 5_000,
    clock = systemClock,
  }: FetchOptions<Deps>,
): Promise<FetchedSource[]> {
  const known = byName(sources, "data sources");
  const fetchOne = async ({ source: name, params = {} }: SourceQuery): Promise<FetchedSource> => {
    const source = known.get(name);
    if (source === undefined) return failed(name, "unknown_source", `There is no data source "${name}".`);
    const time = source.timeoutMs ?? timeoutMs;
    const parsed = await parsedParams(source, params);
    if (!parsed.ok) return failed(name, "invalid_params", parsed.problems.join("; "));
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

/** Parses params by the source's schema. A source without one gets `{}`. */
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
