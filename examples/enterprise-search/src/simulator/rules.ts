import { checkOptions, type OptionKinds } from "@pawl/core";
import type { ParsedRequest, Reply, Rules } from "@pawl/testing";
import { dayOf } from "../base/day.ts";
import { type Found, fitting } from "./fitting.ts";
import { planFor, reviewFor } from "./plan.ts";
import { type Scene, sceneOf } from "./scene.ts";

/** Options of {@link searchRules}. */
export interface SearchRulesOptions {
  /** The speed: 2 is twice as fast, `Infinity` never pauses. Default: 1. */
  speed?: number;
}

const OPTIONS: OptionKinds<SearchRulesOptions> = {
  speed: { mustBe: "a number above 0", is: (speed) => typeof speed === "number" && speed > 0 },
};

/**
 * Creates rules by which the simulator of the Messages API plays the search agent's models: it plans, asks
 * which person is meant, searches, reviews, and quotes what it has found. The rules are a pure function of
 * the request.
 *
 * @example
 * ```ts
 * import { searchAgent, searchRules } from "@pawl/example-enterprise-search";
 * import { strictModel } from "@pawl/testing";
 *
 * const model = strictModel({ rules: searchRules({ speed: Infinity }) });
 * console.log(searchAgent({ model }).name); // enterprise-search
 * ```
 */
export function searchRules(options: SearchRulesOptions = {}): Rules {
  checkOptions("searchRules()", options, OPTIONS);
  const { speed = 1 } = options;
  return (request) => ({ latencyMs: 300 / speed, delayPerEventMs: 20 / speed, ...replyTo(request) });
}

function replyTo(request: ParsedRequest): Reply {
  const tools = (request.tools ?? []).map(({ name }) => name);
  const only = tools.length === 1 ? tools[0] : undefined;
  if (only === "write_plan") return planFor(promptOf(request));
  if (only === "review") return reviewFor(promptOf(request));
  const scene = sceneOf(request);
  // Who cannot plan is a custom agent or a connector.
  if (!tools.includes("write_plan")) return workOf(scene, request);
  const asks = agentsLeft(scene).map((agent_id) => ({
    name: "run_custom_agent",
    input: { agent_id, query: scene.said.slice(0, 400) },
  }));
  if (asks.length > 0) return { thinking: "The plan's next agent.", tools: asks };
  const next = searchesLeft(scene);
  if (next.length === 0 || scene.tags.has("Retrieved")) return { text: answerTo(scene) };
  const owner = /\[pending\] .* of ([^(\n]+?) \(search_/.exec(scene.tags.get("Plan") ?? "")?.[1];
  const input = { query: scene.said.slice(0, 400), ...(owner !== undefined && { owner }) };
  return { thinking: "The plan's next searches.", tools: next.map((name) => ({ name, input })) };
}

/** Plays a custom agent or a connector: searches once, and reports what it has found. */
function workOf(scene: Scene, { tools = [] }: ParsedRequest): Reply {
  const usable = tools.filter(
    ({ name, input_schema }) => name !== "search_people" && Object(Object(input_schema).properties).query,
  );
  if (scene.results.length > 0 || usable.length === 0) return { text: answerTo(scene) };
  const input = { query: scene.said.slice(0, 400) };
  return { tools: usable.slice(0, 2).map(({ name }) => ({ name: String(name), input })) };
}

/** The agents of the plan's pending tasks that were not asked. */
function agentsLeft({ tags, results }: Scene): string[] {
  const pending = [...(tags.get("Plan") ?? "").matchAll(/\[pending\] .*\(agent ([\w:-]+)/g)];
  const asked = results.filter(({ tool }) => tool === "run_custom_agent").length;
  return asked > 0 || tags.has("Retrieved") ? [] : pending.map(([, id]) => id as string);
}

function promptOf({ messages }: ParsedRequest): string {
  const content = messages[0]?.content ?? "";
  return typeof content === "string" ? content : content.map((block) => String(block.text ?? "")).join("\n");
}

/** The search tools of the plan's pending tasks that were not called. */
function searchesLeft({ tags, results }: Scene): string[] {
  const pending = [...(tags.get("Plan") ?? "").matchAll(/\[pending\] .*\((search_\w+)/g)];
  const called = new Set(results.map(({ tool }) => tool));
  return [...new Set(pending.map(([, tool]) => tool as string))].filter((tool) => !called.has(tool));
}

const NOTHING = "I have found nothing about this that you may see.";

/** Quotes the first two results of each source that fit the question. */
function answerTo({ said, tags, results }: Scene): string {
  const retrieved = tags.get("Retrieved");
  if (retrieved !== undefined)
    return `I could not finish my plan. A plain search has found this:\n\n${retrieved}`;
  if (results.length === 0)
    return "Hello! Ask me what the company's mails, messages, meetings and files say.";
  const listed = results.map(({ value }): Found[] => {
    const one: unknown = Object(value).results;
    return Array.isArray(one) ? one : [];
  });
  // What agents and connectors have answered is text.
  const told = results.flatMap(({ tool, value }) =>
    typeof value === "string" && /^(run_custom_agent|mcp__)/.test(tool) ? [value] : [],
  );
  if (told.length > 0) return told.join("\n\n");
  const fits = new Set(fitting(said, listed.flat()).map(({ id }) => id));
  const found = listed.flatMap((one) => one.filter(({ id }) => fits.has(id)).slice(0, 2));
  const missing = results.filter(({ failed }) => failed).map(({ tool }) => tool.replace(/^search_/, ""));
  const down = `I could not search ${[...new Set(missing)].join(" and ")}`;
  const later = "Please try again later.";
  if (missing.length === results.length) return `${down}, so I cannot answer. ${later}`;
  if (found.length === 0 && missing.length > 0) return `${NOTHING} ${down}. ${later}`;
  if (found.length === 0) return NOTHING;
  const lines = found.map(
    ({ id, title, owner, at, text }) =>
      `- **${title}**, ${owner.split(" <")[0]}, ${dayOf(at)}: ${shortened(text)} [${id}]`,
  );
  return `This is what I have found:\n\n${lines.join("\n")}`;
}

/** Cuts a text after a word, to 240 characters. */
function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 240
    ? line
    : `${line
        .slice(0, 239)
        .replace(/\s+\S*$/, "")
        .toWellFormed()}…`;
}
