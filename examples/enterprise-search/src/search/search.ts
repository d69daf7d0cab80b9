import type { Database } from "@pawl/postgres";
import { type Source, sources } from "../base/sources.ts";
import type { Caller } from "./caller.ts";
import { cleanQuery, MOST_WORDS } from "./clean.ts";
import { type KnownPerson, peopleIn, peopleNamed, type ShownPerson, shown } from "./directory.ts";
import { type Fragment, fragmentOf } from "./fragment.ts";
import { questionWords, sourceIn } from "./question-words.ts";
import { type Filters, MOST_RANKED, type Ranked, type RankQuery, rank } from "./rank.ts";
import type { Lexicon } from "./terms.ts";
import { timeIn } from "./time-in.ts";

/** A search. Everything but the text narrows the results. */
export interface SearchQuery {
  /** A question or words in any language, up to 400 characters. `-word` excludes, `"…"` asks for a phrase. */
  text: string;
  /** Default: all. */
  sources?: readonly Source[] | undefined;
  /** Who wrote it, organizes it or owns it: an e-mail address or a name. */
  owner?: string | undefined;
  /** Who else is involved. */
  involves?: string | undefined;
  /** The channel, label, room or folder. */
  place?: string | undefined;
  kind?: string | undefined;
  /** In milliseconds since 1970; `to` is not part of it. */
  time?: { from?: number; to?: number } | undefined;
  excludedIds?: readonly string[] | undefined;
  /** How many results, 1 to 20. Default: 5. */
  limit?: number | undefined;
}

/** A found document. */
export interface Hit {
  id: string;
  source: Source;
  thread: string;
  title: string;
  owner: ShownPerson;
  place: string;
  kind: string;
  /** ISO 8601, UTC. */
  at: string;
  fragment: Fragment;
  /** For comparison within one search. */
  score: number;
}

/** The outcome of a search. */
export type SearchOutcome =
  | {
      status: "ok";
      hits: Hit[];
      /**
       * The number of matching documents that the caller may see. With `more`, there are older ones too.
       */
      total: number;
      more: boolean;
    }
  /** The text has only common words. */
  | { status: "nothing_to_search" }
  /** Several people have the name, or nobody has it. */
  | { status: "ambiguous_person" | "unknown_person"; name: string; people: ShownPerson[] };

/** The directory and the words of a workspace. */
export interface Known {
  people(): Promise<readonly KnownPerson[]>;
  lexicon: Lexicon;
}

export interface SearchOptions {
  /** Returns the present, in milliseconds since 1970, for "last week". */
  now(): number;
  /** Whether synonyms are searched for. */
  synonyms: boolean;
}

/** Searches the documents that the caller may see. Rejects with the driver's error if the database fails. */
export async function searchDocuments(
  db: Database,
  caller: Caller,
  query: SearchQuery,
  known: Known,
  options: SearchOptions,
): Promise<SearchOutcome> {
  const people = await known.people();
  const ids: { owner?: number[]; involves?: number[] } = {};
  for (const field of ["owner", "involves"] as const) {
    const name = query[field];
    if (name === undefined) continue;
    const found = peopleNamed(people, name);
    const [first, second] = found;
    if (first === undefined) return { status: "unknown_person", name, people: [] };
    if (second !== undefined)
      return { status: "ambiguous_person", name, people: found.slice(0, 10).map(shown) };
    ids[field] = [first.id];
  }
  const planned = await planOf(caller, query, known, options);
  if (planned.terms.length === 0) return { status: "nothing_to_search" };
  const filters: Filters = {
    sources: query.sources ?? sources,
    owners: ids.owner,
    involves: ids.involves,
    place: query.place,
    kind: query.kind,
    time: query.time,
    excludedIds: query.excludedIds ?? [],
  };
  const asked = { ...planned, filters, limit: query.limit ?? 5 };
  const strict = await rank(db, caller, { ...asked, wide: false });
  const isEnough = strict.length >= ENOUGH || planned.terms.length < 2;
  const rows = isEnough ? strict : await rank(db, caller, { ...asked, wide: true });
  const total = rows[0]?.total ?? 0;
  return { status: "ok", hits: rows.map((row) => hitOf(row, people)), total, more: total >= MOST_RANKED };
}

/** If fewer documents than this have two of the words, documents with one word are found too. */
const ENOUGH = 3;

/** Reads what a text asks for: words with their rarity, people, a time, a source. */
export async function planOf(
  caller: Caller,
  { text }: Pick<SearchQuery, "text">,
  { people, lexicon }: Known,
  { now, synonyms }: SearchOptions,
): Promise<Omit<RankQuery, "filters" | "limit" | "wide">> {
  const { words, excluded, phrases } = cleanQuery(text);
  const time = timeIn(words, now());
  const source = sourceIn(words);
  const named = peopleIn(await people(), words);
  const dropped = new Set<string>(time?.words ?? []);
  if (named.whole) for (const word of named.words) dropped.add(word);
  const content = words.filter((word) => !dropped.has(word) && !questionWords.has(word));
  // If the text has only names and question words, all of its words are searched for.
  const searched = (content.length > 0 ? content : words).slice(0, MOST_WORDS);
  return {
    terms: await lexicon.terms(caller, searched, synonyms),
    excluded,
    phrases,
    hints: {
      owners: named.people.map(({ id }) => id),
      surely: named.whole,
      time: time?.range,
      source: source?.source,
    },
  };
}

function hitOf({ marked, total: _, owner, ...row }: Ranked, people: readonly KnownPerson[]): Hit {
  return { ...row, owner: ownerOf(owner, people), fragment: fragmentOf(marked) };
}

/** Shows a document's owner. Somebody who left the company has no entry in the directory. */
export function ownerOf(id: number, people: readonly KnownPerson[]): ShownPerson {
  const found = people.find((person) => person.id === id);
  if (found !== undefined) return shown(found);
  return { name: "Unknown", email: "", initials: "?", team: "", department: "", role: "" };
}
