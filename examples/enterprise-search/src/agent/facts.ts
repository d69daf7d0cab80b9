import type { ShownPerson } from "../search/index.ts";
import { type CallerSource, callerOf } from "../tools/index.ts";
import { isNamed, nameWords } from "./named.ts";

/** Returns facts for the planner: the date, who the user is, and the people that the message may name. */
export async function plannerFacts(
  source: CallerSource & { message: string },
  now: () => number,
): Promise<string> {
  const caller = callerOf(source);
  const { search } = source.deps;
  const lines = await Promise.all(
    nameWords(source.message).map(async (word) => {
      const { people } = await search.people(caller, { text: word, limit: 10 });
      const named = people.filter((one) => isNamed(one, word));
      return named.length === 0 ? [] : [`- People called "${word}": ${named.map(line).join("; ")}`];
    }),
  );
  return [await userFacts(source, now), ...lines.flat()].join("\n");
}

/** Returns the date, and who the user is. */
export async function userFacts(source: CallerSource, now: () => number): Promise<string> {
  const caller = callerOf(source);
  const { people } = await source.deps.search.people(caller, { text: caller.email, limit: 1 });
  const user = people.find(({ email }) => email === caller.email);
  const today = new Date(now()).toISOString().slice(0, 10);
  return `- Today is ${today}.\n- The user is ${user === undefined ? caller.email : line(user)}.`;
}

function line({ name, email, role, team, department }: ShownPerson): string {
  return `${name} <${email}>, ${role}, ${team} (${department})`;
}
