import { type Tool, tool } from "@pawl/core";
import * as z from "zod";
import type { FoundPerson } from "../search/index.ts";
import {
  type Context,
  callerOf,
  costOf,
  limit,
  person,
  place,
  type SearchDeps,
  TIMEOUT_MS,
  withIndex,
} from "./support.ts";

/** The result of `search_people`. */
export interface PeopleResult {
  status: "ok";
  people: FoundPerson[];
  /** How many people fit. */
  total: number;
  cost_usd: number;
}

/** Finds people. */
export const searchPeople: Tool<SearchDeps> = tool({
  name: "search_people",
  description:
    "Finds people of the user's workspace by name, e-mail address, department, team or role, with the newest thing of theirs that the " +
    "user may see. Use it when a question names a person: several people may have the same first name.",
  input: z.object({
    query: person.optional().describe("A name or a part of one, an address, a team or a role. Default: all."),
    department: place.optional().describe("Only this department, e.g. Finance."),
    team: place.optional().describe("Only this team, e.g. Planning."),
    excluded_emails: z.array(person).max(100).optional().describe("People that you know already."),
    limit: limit.optional().describe("How many people, 1 to 20. Default: 10."),
  }),
  category: "search",
  status: { start: "Looking people up...", done: "People found" },
  idempotent: true,
  repeatable: false,
  timeoutMs: TIMEOUT_MS,
  execute: async (input, context: Context): Promise<PeopleResult> => {
    const { people, total } = await withIndex(() =>
      context.deps.search.people(callerOf(context), {
        text: input.query,
        department: input.department,
        team: input.team,
        excludedEmails: input.excluded_emails,
        limit: input.limit,
      }),
    );
    const costUsd = costOf(people.length);
    context.report({
      connector: "people",
      costUsd,
      fragments: people.map(({ email }) => email),
      summary: people.length === 0 ? "Nobody found" : `${people.length} of ${total} people`,
    });
    return { status: "ok", people, total, cost_usd: costUsd };
  },
});
