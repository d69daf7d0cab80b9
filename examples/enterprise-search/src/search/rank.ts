import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Source } from "../base/sources.ts";
import { type Caller, VISIBLE } from "./caller.ts";
import { anyOf, type Term } from "./terms.ts";
import type { TimeRange } from "./time-in.ts";

/** Conditions that all results must meet. */
export interface Filters {
  sources: readonly Source[];
  owners?: readonly number[] | undefined;
  /** Ids of people. At least one of them has received, attends, edits or owns the document. */
  involves?: readonly number[] | undefined;
  place?: string | undefined;
  kind?: string | undefined;
  time?: Partial<TimeRange> | undefined;
  excludedIds: readonly string[];
}

/** Hints of the question, which raise the rank of documents. */
export interface Hints {
  owners: readonly number[];
  /** Whether the question has the full names of the owners. */
  surely: boolean;
  time: TimeRange | undefined;
  source: Source | undefined;
}

export interface RankQuery {
  terms: readonly Term[];
  excluded: readonly string[];
  phrases: readonly (readonly string[])[];
  filters: Filters;
  hints: Hints;
  limit: number;
  /** Whether one of the rarest words is enough. Otherwise two are needed. */
  wide: boolean;
}

/** A ranked document. `marked` is its text with private marks around the found words. */
export interface Ranked {
  id: string;
  source: Source;
  thread: string;
  title: string;
  marked: string;
  owner: number;
  place: string;
  kind: string;
  at: string;
  score: number;
  total: number;
}

/** How many documents are ranked at most: the newest of those that match. */
export const MOST_RANKED = 2_000;

/** How many of them are ranked in detail, which costs several times as much: those with the rarest words. */
const MOST_LIKELY = 200;

/** The marks around found words. Stored texts never contain them. */
export const MARKS = { start: "\uE000", stop: "\uE001" } as const;

/** Collects the parameters of a statement. */
class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns its place, with its type. */
  add(value: unknown, type: string): string {
    this.values.push(Array.isArray(value) ? arrayText(value) : value);
    return `$${this.values.length}::text::${type}`;
  }
}

/** Ranks the documents that match a query and that the caller may see, the best first. One statement. */
export async function rank(db: Database, caller: Caller, query: RankQuery): Promise<Ranked[]> {
  const { text, values } = rankStatement(caller, query);
  return await ask<Ranked>(db, text, values);
}

/** The statement of {@link rank}, for tests of its plan. */
export function rankStatement(caller: Caller, query: RankQuery): { text: string; values: unknown[] } {
  const given = new Parameters();
  given.values.push(caller.workspaceId, caller.email);
  const where = [VISIBLE, matching(query, given), ...filtering(query, given)];
  const rough = roughly(query, given);
  const score = scoring(query, given);
  const all = given.add(anyOf(query.terms.map(wide)), "tsquery");
  const limit = given.add(String(query.limit), "integer");
  const options = `'StartSel=${MARKS.start}, StopSel=${MARKS.stop}, HighlightAll=true'`;
  const text = `
    WITH candidate AS MATERIALIZED (
      SELECT d.id, d.tsv, d.at, d.owner, d.source FROM enterprise_search.documents d
      WHERE ${where.join("\n AND ")}
      ORDER BY extract(epoch FROM d.at) DESC, d.id LIMIT ${MOST_RANKED}),
    likely AS MATERIALIZED (
      SELECT c.*, count(*) OVER () AS total FROM candidate c
      ORDER BY ${rough} DESC, c.at DESC, c.id LIMIT ${MOST_LIKELY}),
    ranked AS MATERIALIZED (
      SELECT c.id, c.total, ${score} AS score FROM likely c
      ORDER BY score DESC, c.at DESC, c.id LIMIT ${limit})
    SELECT d.id, d.source, d.thread, d.title, d.owner, d.place, d.kind, r.score::float8, r.total::integer,
      to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at,
      ts_headline('enterprise_search.words', d.body, ${all}, ${options}) AS marked
    FROM ranked r JOIN enterprise_search.documents d ON d.id = r.id
    ORDER BY r.score DESC, d.at DESC, d.id`;
  return { text, values: given.values };
}

/** A document is a candidate if it has two of the four rarest words, or one if that is enough. */
function matching({ terms, hints, wide: isWide }: RankQuery, given: Parameters): string {
  const words = rarest(terms, 4).map(wide);
  const pairs = words.flatMap((one, at) => words.slice(at + 1).map((two) => `(${one}) & (${two})`));
  const match = (query: string) => `d.tsv @@ ${given.add(query, "tsquery")}`;
  const two = match(pairs.length > 0 && !isWide ? anyOf(pairs) : anyOf(words));
  if (hints.owners.length === 0 || !hints.surely) return two;
  // A document that the named person wrote needs only one of the words.
  return `(${two} OR (d.owner = ANY(${given.add(hints.owners, "integer[]")}) AND ${match(anyOf(words))}))`;
}

const rarest = (terms: readonly Term[], count: number) =>
  [...terms].sort((a, b) => b.weight - a.weight).slice(0, count);

/** A term's query with its synonyms. */
const wide = ({ query, others }: Term) => (others === undefined ? query : `(${query}) | (${others})`);

function filtering({ filters, excluded, phrases }: RankQuery, given: Parameters): string[] {
  const where: string[] = [];
  const { sources, owners, involves, place, kind, time, excludedIds } = filters;
  if (sources.length < 4) where.push(`d.source = ANY(${given.add(sources, "text[]")})`);
  if (owners !== undefined) where.push(`d.owner = ANY(${given.add(owners, "integer[]")})`);
  if (involves !== undefined) {
    const ids = given.add(involves, "integer[]");
    where.push(`(d.participants && ${ids} OR d.owner = ANY(${ids}))`);
  }
  if (place !== undefined) where.push(`lower(d.place) = lower(${given.add(place, "text")})`);
  if (kind !== undefined) where.push(`d.kind = ${given.add(kind, "text")}`);
  if (time?.from !== undefined) where.push(`d.at >= ${given.add(iso(time.from), "timestamptz")}`);
  if (time?.to !== undefined) where.push(`d.at < ${given.add(iso(time.to), "timestamptz")}`);
  if (excludedIds.length > 0) where.push(`d.id <> ALL(${given.add(excludedIds, "text[]")})`);
  const words = (query: string) => `plainto_tsquery('enterprise_search.words', ${given.add(query, "text")})`;
  for (const word of excluded) where.push(`NOT d.tsv @@ ${words(word)}`);
  for (const phrase of phrases)
    where.push(
      `d.tsv @@ phraseto_tsquery('enterprise_search.words', ${given.add(phrase.join(" "), "text")})`,
    );
  return where;
}

/** The first and the last time that JavaScript writes with a year that Postgres reads. */
const FIRST = Date.parse("0001-01-01");
const LAST = Date.parse("9999-12-31T23:59:59.999Z");

/** Writes a time for Postgres. Models say "from 0000-01-01" and "to 9999-12-31" for a range that is open. */
const iso = (time: number) => new Date(Math.max(FIRST, Math.min(LAST, time))).toISOString();

/** The bonuses. The scores of the words add up to at most 1. */
const NEXT_TO = 0.25;
const CLOSE = 0.5;
const OWNER = 0.4;
const TIME = 0.25;
const SOURCE = 0.3;

function scoring({ terms, hints }: RankQuery, given: Parameters): string {
  const sum = terms.reduce((all, { weight, otherWeight }) => all + Math.max(weight, otherWeight), 0) || 1;
  const found = (query: string) =>
    `(1 - 0.1 / (0.1 + ts_rank('{0.1,0.6,0.5,0.6}', c.tsv, ${given.add(query, "tsquery")})))`;
  const parts = terms.map(({ query, others, weight, otherWeight }) => {
    const own = `${weight / sum} * ${found(query)}`;
    return others === undefined ? own : `greatest(${own}, ${otherWeight / sum} * ${found(others)})`;
  });
  for (const [at, term] of terms.slice(1).entries()) {
    const before = terms[at] as Term;
    const share = (before.weight + term.weight) / (2 * sum);
    const phrase = given.add(`(${wide(before)}) <-> (${wide(term)})`, "tsquery");
    parts.push(`CASE WHEN c.tsv @@ ${phrase} THEN ${NEXT_TO * share} ELSE 0 END`);
  }
  const rare = rarest(terms, 3);
  for (const [at, one] of rare.entries())
    for (const two of rare.slice(at + 1)) {
      const both = given.add(`(${wide(one)}) & (${wide(two)})`, "tsquery");
      const pairs = (rare.length * (rare.length - 1)) / 2;
      parts.push(`${CLOSE / pairs} * (1 - 0.1 / (0.1 + ts_rank_cd('{0.1,1,0.3,0.3}', c.tsv, ${both})))`);
    }
  return [...parts, ...bonuses(hints, given)].join("\n + ");
}

/** The rough score: the weights of the words that a document has, however often, and the bonuses. */
function roughly({ terms, hints }: RankQuery, given: Parameters): string {
  const sum = terms.reduce((all, { weight, otherWeight }) => all + Math.max(weight, otherWeight), 0) || 1;
  const parts = terms.map(({ query, others, weight, otherWeight }) => {
    const has = (one: string, value: number) =>
      `WHEN c.tsv @@ ${given.add(one, "tsquery")} THEN ${value / sum}`;
    return `CASE ${has(query, weight)} ${others === undefined ? "" : has(others, otherWeight)} ELSE 0 END`;
  });
  return [...parts, ...bonuses(hints, given)].join("\n + ");
}

function bonuses({ owners, surely, time, source }: Hints, given: Parameters): string[] {
  const parts: string[] = [];
  const bonus = (condition: string, value: number) =>
    parts.push(`CASE WHEN ${condition} THEN ${value} ELSE 0 END`);
  if (owners.length > 0)
    bonus(`c.owner = ANY(${given.add(owners, "integer[]")})`, surely ? OWNER : OWNER / 4);
  if (time !== undefined) {
    const [from, to] = [given.add(iso(time.from), "timestamptz"), given.add(iso(time.to), "timestamptz")];
    bonus(`c.at >= ${from} AND c.at < ${to}`, TIME);
  }
  if (source !== undefined) bonus(`c.source = ${given.add(source, "text")}`, SOURCE);
  return parts;
}
