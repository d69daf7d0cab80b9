import type { Choice, PlanQuestion } from "@pawl/planning";
import { dayOf } from "../base/day.ts";
import type { FoundPerson } from "../search/index.ts";
import { type CallerSource, callerOf } from "../tools/index.ts";
import { isNamed } from "./named.ts";

const MOST_PEOPLE = 10;

/**
 * Returns the people that a question may mean, from the caller's directory. Returns nothing if the question
 * is not about a name. Then the planner's own choices are shown.
 */
export async function peopleChoices({ about }: PlanQuestion, source: CallerSource): Promise<Choice[]> {
  if (about === undefined) return [];
  const { people } = await source.deps.search.people(callerOf(source), { text: about, limit: MOST_PEOPLE });
  return people.filter((one) => isNamed(one, about)).map(choiceOf);
}

/** A person as a choice. The last document is the newest that the caller may see. */
function choiceOf({ name, email, initials, team, department, role, last }: FoundPerson): Choice {
  const written = last === null ? "" : ` · last wrote on ${dayOf(last.at)}`;
  return {
    id: email,
    label: name,
    // The model reads the detail with the answer, and passes the address as `owner` of a search.
    detail: `${role}, ${team} (${department}), ${email}${written}`,
    data: { initials, team, department, role, last: last && { ...last } },
  };
}
