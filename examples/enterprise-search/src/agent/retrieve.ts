import type { PlanningSource } from "@pawl/planning";
import { dayOf } from "../base/day.ts";
import type { Hit } from "../search/index.ts";
import { callerOf, type SearchDeps } from "../tools/index.ts";

/** How many results the last answer is written from. */
const RESULTS = 5;

/**
 * Searches all sources for the user's own words, with the person that the user has chosen as the owner. The
 * answer at a limit is written from this.
 */
export async function plainSearch(source: PlanningSource<SearchDeps>): Promise<string> {
  const { message, deps } = source;
  const caller = callerOf(source);
  const owner = await chosenPerson(source);
  const found = await deps.search.search(caller, { text: message, limit: RESULTS, owner });
  const hits = found.status === "ok" ? found.hits : [];
  return hits.length === 0 ? "A search in all sources found nothing." : hits.map(shown).join("\n\n");
}

/** The e-mail address of the person that the user has chosen last; `undefined` if no choice was a person. */
async function chosenPerson(source: PlanningSource<SearchDeps>): Promise<string | undefined> {
  const { clarifications } = source.record;
  const id = clarifications.findLast(({ choice }) => choice !== undefined)?.choice?.id;
  if (id === undefined) return undefined;
  const { people } = await source.deps.search.people(callerOf(source), { text: id, limit: 1 });
  return people.find(({ email }) => email === id)?.email;
}

function shown({ id, title, owner, at, fragment }: Hit): string {
  return `[${id}] ${title}, ${owner.name}, ${dayOf(at)}\n${fragment.text}`;
}
