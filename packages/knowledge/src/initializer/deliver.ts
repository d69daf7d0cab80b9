import { messageOf, type RunContext, toJson } from "@pawl/core";
import { type Chosen, EVENTS, type KnowledgeFailure } from "../log/events.ts";
import { type FetchedSource, fetchSources } from "../sources/fetch-sources.ts";
import { keyOf, type Work } from "./work.ts";

/**
 * Fetches the chosen sources and stores their data, in the order of the choice.
 *
 * @throws PawlError if the log cannot be written.
 */
export async function deliver<Deps>(
  work: Work<Deps>,
  context: RunContext<Deps>,
  chosen: readonly Chosen[],
): Promise<void> {
  const { sources, sourceTimeoutMs: timeoutMs, clock } = work;
  const { userId, deps, signal } = context;
  for (const found of await fetchSources(sources, chosen, { userId, deps, signal, timeoutMs, clock })) {
    if (signal.aborted) return;
    await store(work, context, found);
  }
}

async function store<Deps>(work: Work<Deps>, context: RunContext<Deps>, found: FetchedSource): Promise<void> {
  const { source, error } = found;
  if (error === undefined) {
    const { params, data } = found;
    // Empty data is stored as a text, so that the model knows that nothing is on record.
    const text = data.trim() === "" ? "(nothing on record)" : data;
    const key = keyOf(work, context, `source:${source}`);
    await context.append({ type: "knowledge", data: { source, data: text, params }, key });
    return;
  }
  const { cause = error.message } = error;
  work.report(new Error(`${source}: ${messageOf(cause)}`, { cause }), context);
  const data: KnowledgeFailure = { hook: work.name, run_id: context.runId, source, code: error.code };
  const key = keyOf(work, context, `failed:${source}`);
  await context.append({ type: EVENTS.failed, data: toJson(data), key });
}
