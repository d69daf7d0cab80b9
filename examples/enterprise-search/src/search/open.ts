import { arrayText, ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import type { Source } from "../base/sources.ts";
import { type Caller, VISIBLE } from "./caller.ts";
import type { KnownPerson, ShownPerson } from "./directory.ts";
import { ownerOf } from "./search.ts";

/** A document that another one belongs to or refers to. */
export interface Related {
  id: string;
  source: Source;
  title: string;
  owner: ShownPerson;
  at: string;
}

/** A whole document. */
export interface OpenDocument extends Related {
  thread: string;
  participants: ShownPerson[];
  place: string;
  kind: string;
  /** The text from `start` on, up to {@link MOST_TEXT} characters. */
  text: string;
  /** Where `text` begins in the whole text, and the length of the whole text, in UTF-16 code units. */
  start: number;
  length: number;
  /** The other messages of the thread that the caller may see, the oldest first, 50 at most. */
  inThread: Related[];
  /** The documents that it refers to and that the caller may see. */
  links: Related[];
}

/** How much of a document is returned at once. */
export const MOST_TEXT = 8_000;

interface Row {
  id: string;
  source: Source;
  thread: string;
  title: string;
  body: string;
  owner: number;
  participants: number[];
  place: string;
  kind: string;
  at: string;
  links: string[];
}

const COLUMNS = `d.id, d.source, d.title, d.owner,
  to_char(d.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS at`;

/**
 * Reads a document, what it refers to and its thread, each if the caller may see it. `undefined` if there is
 * no such document, or the caller may not see it: the two cannot be distinguished.
 */
export async function openDocument(
  db: Database,
  caller: Caller,
  { id, start = 0 }: { id: string; start?: number },
  people: readonly KnownPerson[],
): Promise<OpenDocument | undefined> {
  const who = [caller.workspaceId, caller.email];
  const [row] = await ask<Row>(
    db,
    `SELECT ${COLUMNS}, d.thread, d.body, d.place, d.kind, d.participants, d.links
     FROM enterprise_search.documents d WHERE d.id = $3 AND ${VISIBLE}`,
    [...who, id],
  );
  if (row === undefined) return undefined;
  const inThread = await ask<Row>(
    db,
    `SELECT ${COLUMNS} FROM enterprise_search.documents d
     WHERE d.thread = $3 AND d.id <> $4 AND ${VISIBLE} ORDER BY d.at, d.id LIMIT 50`,
    [...who, row.thread, row.id],
  );
  const links = await ask<Row>(
    db,
    `SELECT ${COLUMNS} FROM enterprise_search.documents d
     WHERE d.id = ANY($3::text::text[]) AND ${VISIBLE} ORDER BY d.at, d.id`,
    [...who, arrayText(row.links)],
  );
  const related = (one: Row): Related => ({
    id: one.id,
    source: one.source,
    title: one.title,
    owner: ownerOf(one.owner, people),
    at: one.at,
  });
  return {
    ...related(row),
    thread: row.thread,
    place: row.place,
    kind: row.kind,
    participants: row.participants.map((person) => ownerOf(person, people)),
    text: row.body.slice(start, start + MOST_TEXT),
    start,
    length: row.body.length,
    inThread: inThread.map(related),
    links: links.map(related),
  };
}
