import { checkOptions, type OptionKinds } from "@pawl/core";
import { checkCounts } from "../base/check-counts.ts";
import { relevanceOf } from "../base/relevance.ts";
import type { ToolDoc } from "./tool-doc.ts";

/** A description of a tool, and why it was chosen or left out. */
export interface JudgedToolDoc {
  tool: string;
  /** The reason, in a few words. */
  why: string;
  /** How well the description fits the query: 0 for no word in common. */
  score: number;
  /** The estimated length of the description, in tokens. */
  tokens: number;
}

/** The outcome of `chooseToolDocs()`, most relevant first. `text` is for the prompt. */
export interface ChosenToolDocs {
  chosen: JudgedToolDoc[];
  left: JudgedToolDoc[];
  /** The tokens of all chosen descriptions. */
  tokens: number;
  text: string;
}

const OPTIONS: OptionKinds<Parameters<typeof chooseToolDocs>[1]> = {
  ...{ query: "string!", first: "any", among: "any", most: "number", maxTokens: "number" },
};

/**
 * Chooses the descriptions that are most relevant to a request, within a budget of tokens. Each has the
 * reason why it was chosen or left out, e.g. for a debug panel.
 *
 * @throws PawlError `config` for invalid options.
 *
 * @example
 * ```ts
 * import { chooseToolDocs, parseToolDocs } from "@pawl/planning";
 *
 * const docs = parseToolDocs(`
 * ## search_gmail
 * - Summary: Searches the mail.
 * ## search_calendar
 * - Summary: Searches meetings.
 * `);
 * const { chosen } = chooseToolDocs(docs, { query: "When is the meeting?", most: 1 });
 * console.log(chosen[0]?.tool, chosen[0]?.why); // search_calendar has "meeting"
 * ```
 */
export function chooseToolDocs(
  docs: readonly ToolDoc[],
  options: {
    /** What the descriptions should be relevant to, e.g. the user's message. */
    query: string;
    /** The names of tools that come first, e.g. those of the plan. Default: none. */
    first?: Iterable<string>;
    /** The names of tools to choose from. Default: all. */
    among?: Iterable<string>;
    /** The most descriptions. Default: 8. */
    most?: number;
    /** The most tokens of all descriptions together, at four characters a token. Default: 2,000. */
    maxTokens?: number;
  },
): ChosenToolDocs {
  checkOptions("chooseToolDocs()", options, OPTIONS);
  const { query, most = 8, maxTokens = 2_000 } = options;
  checkCounts("chooseToolDocs()", { most, maxTokens });
  const first = new Set(options.first ?? []);
  const among = options.among === undefined ? undefined : new Set(options.among);
  const open = docs.filter(({ tool }) => among?.has(tool) ?? true);
  const scores = relevanceOf(
    query,
    open.map(({ tool, text }) => ({ name: tool, text })),
  );
  const ranked = open
    .map((doc, at) => ({ doc, ...(scores[at] ?? { score: 0, words: [] }) }))
    .sort((a, b) => Number(first.has(b.doc.tool)) - Number(first.has(a.doc.tool)) || b.score - a.score);
  const outcome: ChosenToolDocs = { chosen: [], left: [], tokens: 0, text: "" };
  const texts: string[] = [];
  for (const { doc, score, words } of ranked) {
    const tokens = Math.ceil(doc.text.length / 4);
    const judged = { tool: doc.tool, score: Math.round(score * 100) / 100, tokens };
    const isFirst = first.has(doc.tool);
    const over = outcome.tokens + tokens - maxTokens;
    const against = [
      !isFirst && score === 0 && "has no word of the request",
      outcome.chosen.length >= most && `${most} ${most === 1 ? "other is" : "others are"} more relevant`,
      over > 0 && `is ${over} tokens over the budget of ${maxTokens}`,
    ].find((reason) => reason !== false);
    if (against !== undefined) {
      outcome.left.push({ ...judged, why: against });
      continue;
    }
    const why = isFirst ? "is in the plan" : `has ${words.map((word) => `"${word}"`).join(", ")}`;
    outcome.chosen.push({ ...judged, why });
    outcome.tokens += tokens;
    texts.push(doc.text);
  }
  return { ...outcome, text: texts.join("\n\n") };
}
