import { type Json, type Tool, tool } from "@pawl/core";
import * as z from "zod";
import type { Source } from "../base/sources.ts";
import type { Hit, SearchOutcome, SearchQuery, ShownPerson } from "../search/index.ts";
import {
  type Context,
  callerOf,
  costOf,
  ids,
  limit,
  person,
  query,
  rangeOf,
  resultOf,
  type SearchDeps,
  TIMEOUT_MS,
  timeRange,
  withIndex,
} from "./support.ts";

/**
 * The result of a search tool.
 *
 * - `ok`: `results` has what was found, which may be nothing
 * - `nothing_to_search`: the query has only words such as "the"
 * - `ambiguous_person`: several people have the name `name`; `people` lists them
 * - `unknown_person`: nobody has the name `name`
 */
export interface SearchResult {
  status: SearchOutcome["status"];
  source: Source;
  results: Hit[];
  /** The number of matching documents that the caller may see. With `more`, there are more than that. */
  total: number;
  more: boolean;
  name?: string;
  people?: ShownPerson[];
  cost_usd: number;
}

interface SourceTool<Filter extends z.ZodType> {
  source: Source;
  description: string;
  /** What `owner` is for this source, e.g. the sender. */
  owner: string;
  filters: Filter;
  /** Converts the filters. */
  narrow(filters: z.infer<Filter> | undefined): Pick<SearchQuery, "involves" | "place" | "kind">;
  status: { start: string; done: string };
}

const RESULTS = 5;

/** Makes the search tool of a source: `search_gmail` for `gmail`. */
export function sourceTool<Filter extends z.ZodType>(of: SourceTool<Filter>): Tool<SearchDeps> {
  const { source, filters } = of;
  return tool({
    name: `search_${source}`,
    description: of.description,
    input: z.object({
      query: query.describe(
        'What to look for, in the words that the documents use. `-word` excludes a word, `"…"` asks for a phrase.',
      ),
      owner: person
        .optional()
        .describe(`${of.owner}: an e-mail address, or a name. Answers with the people if several have it.`),
      time_range: timeRange.optional().describe("Only what is from these days."),
      filters: filters.optional().describe("More conditions, all of which must hold."),
      excluded_ids: ids.optional().describe("Ids of results that you have already."),
      limit: limit.optional().describe(`How many results, 1 to 20. Default: ${RESULTS}.`),
    }),
    category: "search",
    status: of.status,
    idempotent: true,
    repeatable: false,
    timeoutMs: TIMEOUT_MS,
    execute: async (input, context: Context): Promise<SearchResult> => {
      const outcome = await withIndex(() =>
        context.deps.search.search(callerOf(context), {
          text: input.query,
          sources: [source],
          owner: input.owner,
          time: rangeOf(input.time_range),
          excludedIds: input.excluded_ids,
          limit: input.limit ?? RESULTS,
          ...of.narrow(input.filters as z.infer<Filter> | undefined),
        }),
      );
      const result = resultFrom(source, outcome);
      context.report({
        connector: source,
        costUsd: result.cost_usd,
        fragments: result.results.map(({ id }) => id),
        summary: summaryOf(result),
      });
      return result;
    },
    format: (result) => forModel(result),
  }) as Tool<SearchDeps>;
}

function resultFrom(source: Source, outcome: SearchOutcome): SearchResult {
  const none = { source, results: [], total: 0, more: false, cost_usd: costOf(0) };
  if (outcome.status === "nothing_to_search") return { status: outcome.status, ...none };
  if (outcome.status !== "ok")
    return { status: outcome.status, ...none, name: outcome.name, people: outcome.people };
  const { hits, total, more } = outcome;
  return { status: "ok", source, results: hits, total, more, cost_usd: costOf(hits.length) };
}

function summaryOf({ status, results, total, more, name, people }: SearchResult): string {
  if (status === "nothing_to_search") return "Only common words";
  if (status === "unknown_person") return `Nobody is called ${name}`;
  if (status === "ambiguous_person") return `${people?.length} people are called ${name}`;
  return results.length === 0 ? "Nothing found" : `${results.length} of ${total}${more ? "+" : ""}`;
}

/** Returns the result as the model reads it, without the positions of found words, which are for pages. */
function forModel(result: Json): string {
  const { results, people, ...rest } = resultOf<SearchResult>(result);
  return JSON.stringify({
    ...rest,
    ...(people && { people: people.map(({ initials: _, ...one }) => one) }),
    results: results.map(({ fragment, owner, score: _, ...hit }) => ({
      ...hit,
      owner: `${owner.name} <${owner.email}>`,
      text: fragment.text,
    })),
  });
}
