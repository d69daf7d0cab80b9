import { type Tool, type ToolContext, tool } from "@pawl/core";
import * as z from "zod";
import { dataSources, type TrainerDeps, type TrainerSource } from "../data/index.ts";
import { problemsOf } from "../workout/index.ts";
import { resultOf, resultText } from "./support.ts";

/** What each source says, by name; `errors` for those that failed while others did not. */
export interface FetchedData {
  success: true;
  data: { [source: string]: string };
  errors?: { [source: string]: string };
}

/** @param sources default: the trainer's eight */
export function fetchData(sources: readonly TrainerSource[] = dataSources()): Tool<TrainerDeps> {
  const byName = new Map(sources.map((source) => [source.name, source]));
  const names = sources.map(({ name }) => name) as [string, ...string[]];
  const known = sources.map(({ name, description }) => `${name}: ${description}`).join("\n");
  return tool({
    name: "fetch_data",
    description: `Adds data about the user, from one source or several at once. Not for what you can already read. Sources:\n${known}`,
    input: z.object({
      sources: z.array(z.enum(names)).min(1).max(names.length),
      params: z
        .record(z.string(), z.looseObject({ days_back: z.number().optional(), limit: z.number().optional() }))
        .optional()
        .describe(
          'What a source is asked with, by its name, e.g. {"workout_history": {"days_back": 60, "limit": 20}}.',
        ),
    }),
    category: "data",
    status: { start: "Gathering your info...", done: "Context ready" },
    idempotent: true,
    repeatable: true,
    timeoutMs: 15_000,
    execute: async (
      { sources: asked, params = {} },
      context: ToolContext<TrainerDeps>,
    ): Promise<FetchedData> => {
      const wanted = [...new Set(asked)];
      const settled = await Promise.allSettled(
        wanted.map((name) => textOf(byName.get(name), params[name] ?? {}, context)),
      );
      const data: FetchedData["data"] = {};
      const errors: FetchedData["data"] = {};
      settled.forEach((outcome, at) => {
        const name = wanted[at] ?? "";
        if (outcome.status === "fulfilled") data[name] = outcome.value;
        else
          errors[name] =
            outcome.reason instanceof BadParams ? outcome.reason.message : "It could not be read.";
      });
      const failed = Object.entries(errors).map(([name, message]) => `${name}: ${message}`);
      if (failed.length === wanted.length) throw new Error(failed.join(" "));
      return { success: true, data, ...(failed.length > 0 && { errors }) };
    },
    format: (result) => {
      const { data, errors = {} } = resultOf<FetchedData>(result);
      const texts = Object.entries(data).map(([name, text]) => `${name}:\n${text}`);
      const failures = Object.entries(errors).map(([name, message]) => `${name} failed: ${message}`);
      return resultText("fetch_data", [...texts, ...failures].join("\n\n"));
    },
  });
}

/** What was asked of a source makes no sense. The model may read why. */
class BadParams extends Error {}

async function textOf(
  source: TrainerSource | undefined,
  params: object,
  { userId, deps, signal }: ToolContext<TrainerDeps>,
): Promise<string> {
  if (source === undefined) throw new BadParams("There is no such source.");
  const parsed = source.params?.safeParse(params);
  if (parsed?.success === false) throw new BadParams(problemsOf(parsed.error));
  const raw = await source.fetch({ userId, params: parsed?.data ?? {}, deps, signal });
  return source.format(raw);
}
