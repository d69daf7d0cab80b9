import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Source } from "../base/sources.ts";
import { folded, wordsOf } from "../data/words.ts";
import { type Caller, VISIBLE } from "./caller.ts";
import { type KnownPerson, type ShownPerson, shown } from "./directory.ts";
import { changesBetween } from "./spelling.ts";

/** A search for people. Without fields, it finds all people of the workspace. */
export interface PeopleQuery {
  /** A name or a part of one, an e-mail address, a department, team or role. Typos are allowed. */
  text?: string | undefined;
  department?: string | undefined;
  team?: string | undefined;
  excludedEmails?: readonly string[] | undefined;
  /** How many, 1 to 20. Default: 10. */
  limit?: number | undefined;
}

export interface FoundPerson extends ShownPerson {
  /** The newest document of the person that the caller may see. */
  last: { id: string; source: Source; title: string; at: string } | null;
}

export interface PeopleOutcome {
  people: FoundPerson[];
  /** How many people fit. */
  total: number;
}

/** Finds people of the caller's workspace, those that fit best first. */
export async function findPeople(
  db: Database,
  caller: Caller,
  { text = "", department, team, excludedEmails = [], limit = 10 }: PeopleQuery,
  directory: readonly KnownPerson[],
): Promise<PeopleOutcome> {
  const parts = wordsOf(text.slice(0, 200)).slice(0, 8);
  const is = (value: string, wanted: string | undefined) =>
    wanted === undefined || folded(value) === folded(wanted);
  const fits = directory
    .filter((one) => is(one.department, department) && is(one.team, team))
    .filter(({ email }) => !excludedEmails.includes(email))
    .map((person) => ({ person, score: scoreOf(person, parts) }))
    .filter(({ score }) => parts.length === 0 || score > 0)
    .sort((a, b) => b.score - a.score);
  const best = fits[0]?.score ?? 0;
  // Leaves out people who fit much worse than the best one, e.g. by a first name only.
  const near = fits.filter(({ score }) => score >= best * 0.6);
  const chosen = near.slice(0, limit).map(({ person }) => person);
  const last = await lastOf(db, caller, chosen);
  const people = chosen.map((person) => ({ ...shown(person), last: last.get(person.id) ?? null }));
  return { people, total: near.length };
}

/** How well a person fits: 1 for each part that is a word of their entry, less for a beginning or a typo. */
function scoreOf(person: KnownPerson, parts: readonly string[]): number {
  const names = wordsOf(person.name);
  const others = wordsOf(`${person.email} ${person.department} ${person.team} ${person.role}`);
  return parts.reduce((sum, part) => sum + scoreOfPart(part, names, others), 0);
}

function scoreOfPart(part: string, names: readonly string[], others: readonly string[]): number {
  if (names.includes(part)) return 1;
  if (others.includes(part)) return 0.7;
  if (part.length > 2 && names.some((name) => name.startsWith(part))) return 0.6;
  if (part.length > 3 && part.length < 33 && names.some((name) => changesBetween(name, part) <= 1))
    return 0.5;
  return 0;
}

type Last = NonNullable<FoundPerson["last"]>;

async function lastOf(
  db: Database,
  caller: Caller,
  people: readonly KnownPerson[],
): Promise<ReadonlyMap<number, Last>> {
  if (people.length === 0) return new Map();
  const rows = await ask<Last & { person: number }>(
    db,
    `SELECT p.id AS person, l.id, l.source, l.title, l.at
     FROM unnest($3::text::integer[]) p(id) CROSS JOIN LATERAL (
       SELECT d.id, d.source, d.title,
         to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at
       FROM enterprise_search.documents d
       WHERE d.owner = p.id AND d.source <> 'calendar' AND ${VISIBLE} ORDER BY d.at DESC, d.id LIMIT 1) l`,
    [caller.workspaceId, caller.email, arrayText(people.map(({ id }) => id))],
  );
  return new Map(rows.map(({ person, ...last }) => [person, last]));
}
