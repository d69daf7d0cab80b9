import { type JsonObject, type ToolContext, tool } from "@pawl/core";
import { type DataSource, fetchSources } from "@pawl/knowledge";
import * as z from "zod";
import { harmless } from "../base/named.ts";
import { dataSources, type TrainerDeps } from "../data/index.ts";
import { resultOf } from "./support.ts";

/** The data of each source, by source name. If some sources failed, `errors` has their messages. */
export interface FetchedData {
  success: true;
  data: { [source: string]: string };
  errors?: { [source: string]: string };
}

/**
 * Creates the tool `fetch_data`.
 *
 * @param sources default: the trainer's eight
 */
export function fetchData(sources: readonly DataSource<TrainerDeps>[] = dataSources()) {
  const names = sources.map(({ name }) => name) as [string, ...string[]];
  const known = sources.map(({ name, description }) => `${name}: ${description}`).join("\n");
  return tool({
    name: "fetch_data",
    description: `Adds data about the user, from one source or several at once. Do not use it for data that you can already read. Sources:\n${known}`,
    input: z.object({
      sources: z.array(z.enum(names)).min(1).max(names.length),
      params: z
        .record(z.string(), z.looseObject({ days_back: z.number().optional(), limit: z.number().optional() }))
        .optional()
        .describe(
          'The parameters of each source, by its name, e.g. {"workout_history": {"days_back": 60, "limit": 20}}.',
        ),
    }),
    category: "data",
    status: { start: "Gathering your info...", done: "Context ready" },
    idempotent: true,
    repeatable: true,
    timeoutMs: 15_000,
    execute: async (
      { sources: asked, params = {} },
      { userId, deps, signal }: ToolContext<TrainerDeps>,
    ): Promise<FetchedData> => {
      const queries = [...new Set(asked)].map((source) => ({
        source,
        params: (Object.hasOwn(params, source) ? (params[source] ?? {}) : {}) as JsonObject,
      }));
      const fetched = await fetchSources(sources, queries, { userId, deps, signal });
      const data = new Map<string, string>();
      const errors = new Map<string, string>();
      for (const { source, data: text, error } of fetched) {
        if (error === undefined) data.set(source, text);
        else errors.set(source, error.message);
      }
      // biome-ignore lint/plugin: there is one for each source at most.
      if (errors.size === fetched.length) throw new Error([...errors.values()].join(" "));
      return {
        success: true,
        data: Object.fromEntries(data),
        ...(errors.size > 0 && { errors: Object.fromEntries(errors) }),
      };
    },
    format: (result) => {
      const { data, errors = {} } = resultOf<FetchedData>(result);
      const texts = Object.entries(data).map(([name, text]) => `${name}:\n${text}`);
      const failures = Object.values(errors);
      return harmless([...texts, ...failures].join("\n\n"));
    },
  });
}
