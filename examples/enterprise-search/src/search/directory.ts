import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { folded, wordsOf } from "../data/words.ts";

/** A person as results show them. */
export interface ShownPerson {
  name: string;
  email: string;
  initials: string;
  team: string;
  department: string;
  role: string;
}

interface Row {
  id: number;
  first: string;
  last: string;
  email: string;
  team: string;
  department: string;
  role: string;
}

/** A person of the workspace, with the id that documents have. */
export interface KnownPerson extends ShownPerson {
  id: number;
  first: string;
  last: string;
}

/** Reads all people of a workspace. All of them may see the directory. */
export async function peopleOf(db: Database, workspaceId: string): Promise<KnownPerson[]> {
  const rows = await ask<Row>(
    db,
    `SELECT id, first, last, email, team, department, role FROM enterprise_search.person
     WHERE workspace = $1 ORDER BY last, first, id`,
    [workspaceId],
  );
  return rows.map((row) => ({
    ...row,
    name: `${row.first} ${row.last}`,
    initials: `${row.first.charAt(0)}${row.last.charAt(0)}`,
  }));
}

export const shown = ({ name, email, initials, team, department, role }: KnownPerson): ShownPerson => ({
  name,
  email,
  initials,
  team,
  department,
  role,
});

/** Finds the people that a text may mean: by e-mail address, by full name, or by first or last name. */
export function peopleNamed(people: readonly KnownPerson[], text: string): KnownPerson[] {
  const wanted = folded(text.trim());
  const by = (of: (person: KnownPerson) => string) =>
    people.filter((person) => folded(of(person)) === wanted);
  for (const found of [by(({ email }) => email), by(({ name }) => name)]) if (found.length > 0) return found;
  const parts = wordsOf(text);
  const whole = people.filter(({ name }) => {
    const own = new Set(wordsOf(name));
    return parts.length > 1 && parts.every((part) => own.has(part));
  });
  return whole.length > 0 ? whole : [...new Set([...by(({ first }) => first), ...by(({ last }) => last)])];
}

/** Finds people whose full names are in a question, and the words that name them. */
export function peopleIn(people: readonly KnownPerson[], words: readonly string[]) {
  const at = new Map(words.map((word, index) => [word, index]));
  const found = people.filter(({ first, last }) => {
    const [one, two] = [at.get(folded(first)), at.get(folded(last))];
    return one !== undefined && two !== undefined && Math.abs(one - two) === 1;
  });
  if (found.length > 0)
    return { people: found, whole: true, words: found.flatMap(({ name }) => wordsOf(name)) };
  const first = people.filter((person) => at.has(folded(person.first)));
  return { people: first, whole: false, words: first.map((person) => folded(person.first)) };
}
