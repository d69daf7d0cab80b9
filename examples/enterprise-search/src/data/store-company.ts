import { checkOptions, type OptionKinds } from "@pawl/core";
import { ask, type ColumnTypes, columnsOf } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import { checkDatabase, wholeNumber } from "../base/check.ts";
import type { Document, Group, Person } from "../base/document.ts";
import type { StoredAgent } from "../base/stored-agent.ts";
import { type Company, companyAgents } from "../company/index.ts";
import { migrateSearch } from "./migrate.ts";
import { storeAgents } from "./store-agents.ts";
import { storeWords, withoutMarks } from "./store-words.ts";

/** The progress of building an index. */
export interface BuildProgress {
  stage: "start" | "draw" | "documents" | "words" | "ready";
  /** Documents that are stored. */
  done: number;
  total: number;
}

export interface StoreOptions {
  /** Is called after each step. */
  onProgress?(progress: BuildProgress): void;
  /** How many documents one statement stores. Default: 250. */
  chunk?: number;
  /** Returns the agents to begin with, for a company that is not stored yet. Default: the company's own. */
  agents?(): Promise<readonly StoredAgent[]>;
}

const OPTIONS: OptionKinds<StoreOptions> = {
  ...{ onProgress: "function", chunk: wholeNumber(1), agents: "function" },
};

const PERSON: ColumnTypes<Person> = {
  id: "integer",
  workspace: "text",
  first: "text",
  last: "text",
  email: "text",
  department: "text",
  team: "text",
  role: "text",
};
const TEAM: ColumnTypes<Pick<Group, "id" | "workspace" | "name" | "kind">> = {
  id: "integer",
  workspace: "text",
  name: "text",
  kind: "text",
};
const DOCUMENT: ColumnTypes<StoredDocument> = {
  id: "text",
  workspace: "text",
  source: "text",
  thread: "text",
  title: "text",
  body: "text",
  people: "text",
  owner: "integer",
  participants: "integer[]",
  place: "text",
  kind: "text",
  at: "timestamptz",
  acl: "integer[]",
  links: "text[]",
};
type StoredDocument = Omit<Document, "at"> & { people: string; at: string };

/**
 * Creates the tables if they are missing, and stores a company under its name, unless it is stored already.
 * If the process dies, the next call continues after the last chunk. Several processes may store the same
 * company at once.
 *
 * The name decides: if a company is stored under it, another one that `draw` would return is not. Use another
 * database for another size, because all companies of a database share its workspaces.
 *
 * @throws PawlError `config` for invalid arguments.
 */
export async function storeCompany(
  db: Database,
  name: string,
  draw: () => Company,
  options: StoreOptions = {},
): Promise<void> {
  checkDatabase("storeCompany()", db);
  checkOptions("storeCompany()", { name, draw }, { name: "string!", draw: "function!" });
  checkOptions("storeCompany()", options, OPTIONS);
  const { onProgress = () => undefined, chunk = 250, agents = async () => companyAgents } = options;
  onProgress({ stage: "start", done: 0, total: 0 });
  await migrateSearch(db);
  const known = await dataSet(db, name);
  if (known?.ready === true) return onProgress({ stage: "ready", done: known.stored, total: known.stored });
  onProgress({ stage: "draw", done: 0, total: 0 });
  const company = draw();
  const { documents, workspaces } = company;
  const total = documents.length;
  await ask(
    db,
    "INSERT INTO enterprise_search.data_set (name, documents) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
    [name, total],
  );
  await insert(
    db,
    "person",
    PERSON,
    workspaces.flatMap(({ people }) => people),
  );
  const groups = workspaces.flatMap((workspace) => workspace.groups);
  const teams = groups.map(({ id, workspace, name: title, kind }) => ({ id, workspace, name: title, kind }));
  await insert(db, "team", TEAM, teams);
  const members = groups.flatMap(({ id, members: ids }) =>
    ids.map((person_id) => ({ person_id, team_id: id })),
  );
  await insert(db, "member", { person_id: "integer", team_id: "integer" }, members);
  await storeAgents(db, await agents());
  const names = namesOf(company);
  for (let done = known?.stored ?? 0; done < total; ) {
    const rows = documents.slice(done, done + chunk).map((document) => stored(document, names));
    await insert(db, "documents", DOCUMENT, rows);
    done += rows.length;
    await ask(db, "UPDATE enterprise_search.data_set SET stored = greatest(stored, $2) WHERE name = $1", [
      name,
      done,
    ]);
    onProgress({ stage: "documents", done, total });
  }
  onProgress({ stage: "words", done: total, total });
  await storeWords(db, company, names);
  // VACUUM merges new entries into the text indexes. Until then, each search reads the list of them.
  await ask(db, "VACUUM (ANALYZE) enterprise_search.documents");
  await ask(db, "VACUUM (ANALYZE) enterprise_search.word");
  await ask(db, "UPDATE enterprise_search.data_set SET ready_at = now() WHERE name = $1", [name]);
  onProgress({ stage: "ready", done: total, total });
}

async function dataSet(db: Database, name: string): Promise<{ stored: number; ready: boolean } | undefined> {
  const [found] = await ask<{ stored: number; ready: boolean }>(
    db,
    "SELECT stored, ready_at IS NOT NULL AS ready FROM enterprise_search.data_set WHERE name = $1",
    [name],
  );
  return found;
}

function namesOf({ workspaces }: Company): ReadonlyMap<number, string> {
  return new Map(
    workspaces.flatMap(({ people }) =>
      people.map(({ id, first, last, email }) => [id, `${first} ${last} ${email}`] as const),
    ),
  );
}

function stored(document: Document, names: ReadonlyMap<number, string>): StoredDocument {
  const people = [document.owner, ...document.participants].map((id) => names.get(id)).join(", ");
  return { ...document, people, at: new Date(document.at).toISOString() };
}

/** Inserts rows in one statement. Rows that are stored already stay as they are. */
async function insert<Row extends object>(
  db: Database,
  table: string,
  types: ColumnTypes<Row>,
  rows: readonly Row[],
): Promise<void> {
  const { names, select, arrays, values } = columnsOf(types, rows, 1);
  await ask(
    db,
    `INSERT INTO enterprise_search.${table} (${names}) SELECT ${select} FROM unnest(${arrays}) AS r(${names})
     ON CONFLICT DO NOTHING`,
    values.map(withoutMarks),
  );
}
