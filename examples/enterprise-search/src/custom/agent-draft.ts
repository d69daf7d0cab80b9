import { withoutHidden } from "@pawl/core/tools";
import * as z from "zod";
import { sources } from "../base/sources.ts";
import type { StoredAgent } from "../base/stored-agent.ts";
import { folded } from "../data/words.ts";

/** The fields that a person writes to make or change an agent, without its id, owner and workspace. */
export interface AgentDraft {
  /** One line of at most 80 characters. */
  name: string;
  /** What the agent is good for, at most 500 characters. The planner chooses agents by this text. */
  description: string;
  /** What the agent should do, at most 8,000 characters. */
  instructions: string;
  /** The sources that it may search. Default: all. */
  sources?: StoredAgent["sources"];
  /** The whole workspace, or the e-mail addresses of up to 50 people of it. Default: nobody. */
  sharedWith?: "workspace" | readonly string[];
}

const unique = (list: readonly string[]) => new Set(list).size === list.length;

const text = (most: number) =>
  z
    .string()
    .transform((value) => withoutHidden(value.toWellFormed().replaceAll("\0", "\uFFFD")).trim())
    .pipe(z.string().min(1).max(most));

const DRAFT = z.strictObject({
  name: text(80).refine((value) => !/[\p{Cc}\u2028\u2029]/u.test(value), "must be one line"),
  description: text(500),
  instructions: text(8_000),
  sources: z.array(z.enum(sources)).min(1).refine(unique, "must not repeat a source").optional(),
  sharedWith: z
    .union([
      z.literal("workspace"),
      z
        .array(z.string().trim().toLowerCase().min(1).max(200))
        .max(50)
        .refine(unique, "must not repeat anybody"),
    ])
    .optional(),
});

/** Checks a draft, which may be anything. Returns it with trimmed texts, or a sentence for each mistake. */
export function checkDraft(given: unknown): { draft: AgentDraft } | { problems: string[] } {
  const { success, data, error } = DRAFT.safeParse(given);
  if (success) return { draft: data as AgentDraft };
  return {
    problems: error.issues
      .slice(0, 10)
      .map(({ path, message }) => `${path.join(".") || "The draft"}: ${message}`),
  };
}

/** The beginning of an id, from the words of a name: `Finance briefing!` becomes `finance-briefing`. */
export function slugOf(name: string): string {
  const words = folded(name).match(/[a-z0-9]+/g) ?? ["agent"];
  return words.join("-").slice(0, 40).replace(/-$/, "");
}
