import { checkOptions, type OptionKinds } from "@pawl/core";
import type { Database } from "@pawl/postgres";
import { checkCaller, checkDatabase, onTables, wholeNumber } from "../base/check.ts";
import type { Caller } from "./caller.ts";
import { checkPeople, checkSearch } from "./check-query.ts";
import { type KnownPerson, peopleOf } from "./directory.ts";
import { type OpenDocument, openDocument } from "./open.ts";
import { findPeople, type PeopleOutcome, type PeopleQuery } from "./people.ts";
import { type Known, type SearchOutcome, type SearchQuery, searchDocuments } from "./search.ts";
import { lexicon } from "./terms.ts";

/** Search over a company's documents. Every method shows what its caller may see, and nothing else. */
export interface CompanySearch {
  /** Searches all sources, or those of the query. */
  search(caller: Caller, query: SearchQuery): Promise<SearchOutcome>;
  /** Reads a document with its thread. `undefined` if the caller may see no such document. */
  open(caller: Caller, document: { id: string; start?: number }): Promise<OpenDocument | undefined>;
  /** Finds people of the caller's workspace, with their newest document that the caller may see. */
  people(caller: Caller, query: PeopleQuery): Promise<PeopleOutcome>;
}

export interface CompanySearchOptions {
  /** Returns the present, in milliseconds since 1970. Default: the clock. */
  now?: () => number;
  /** Whether synonyms of business English are searched for. Default: yes. */
  synonyms?: boolean;
}

const OPTIONS: OptionKinds<CompanySearchOptions> = { now: "function", synonyms: "boolean" };

/**
 * How long the directory of a workspace is remembered, in milliseconds. Permissions are not: see `VISIBLE`.
 */
const REMEMBERED_MS = 60_000;

/**
 * Opens the search over a database that {@link storeCompany} has filled: `pg`, postgres.js or a PGlite.
 * Methods reject with the driver's error if the database fails.
 *
 * @throws PawlError `config` for what is not a database, and for unknown and invalid options. Methods reject
 * with it for invalid queries, and if the database has no company yet.
 *
 * @example
 * ```ts fragment
 * const search = companySearch(db, { now: () => COMPANY_NOW });
 * const caller = { workspaceId: "harborline", email: "alex.chen@harborline.example" };
 * const found = await search.search(caller, { text: "What does Alex Rivera say about Q4?" });
 * ```
 */
export function companySearch(db: Database, given: CompanySearchOptions = {}): CompanySearch {
  checkDatabase("companySearch()", db);
  checkOptions("companySearch()", given, OPTIONS);
  const { now = Date.now, synonyms = true } = given;
  const workspaces = new Map<string, Known>();
  const knownOf = (workspaceId: string): Known => {
    const known = workspaces.get(workspaceId) ?? remember(db, workspaceId, now);
    workspaces.set(workspaceId, known);
    return known;
  };
  const options = { now, synonyms };
  return {
    search: async (caller, query) => {
      checkCaller("search()", caller);
      checkSearch(query);
      return await onTables(() => searchDocuments(db, caller, query, knownOf(caller.workspaceId), options));
    },
    open: async (caller, document) => {
      checkCaller("open()", caller);
      checkOptions("open()", document, { id: "string!", start: wholeNumber(0) });
      return await onTables(async () =>
        openDocument(db, caller, document, await knownOf(caller.workspaceId).people()),
      );
    },
    people: async (caller, query) => {
      checkCaller("people()", caller);
      checkPeople(query);
      return await onTables(async () =>
        findPeople(db, caller, query, await knownOf(caller.workspaceId).people()),
      );
    },
  };
}

function remember(db: Database, workspaceId: string, now: () => number): Known {
  let people: { read: Promise<KnownPerson[]>; at: number } | undefined;
  return {
    lexicon: lexicon(db, workspaceId),
    people: () => {
      if (people === undefined || now() - people.at > REMEMBERED_MS) {
        const read = peopleOf(db, workspaceId);
        people = { read, at: now() };
        read.catch(() => {
          people = undefined;
        });
      }
      return people.read;
    },
  };
}
