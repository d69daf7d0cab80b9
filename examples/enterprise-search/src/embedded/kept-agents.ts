import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ask } from "@pawl/example-data-parts";
import type { Database } from "@pawl/postgres";
import * as z from "zod";
import type { StoredAgent } from "../base/stored-agent.ts";
import { companyAgents } from "../company/index.ts";
import { type AgentOutcome, type AgentStore, agentsOfPeople } from "../custom/index.ts";
import { type CompanyName, formerFolders } from "./company-folder.ts";
import { lockDirectory } from "./lock.ts";

const FILE = z.object({
  agents: z.array(
    z.object({
      ...{ id: z.string(), workspaceId: z.string(), owner: z.string().min(1) },
      sharedWith: z.union([z.literal("workspace"), z.array(z.string())]),
      ...{ name: z.string(), description: z.string(), instructions: z.string() },
      sources: z.array(z.string()).optional(),
    }),
  ),
});

/** Reads the agents of people from a file. `undefined` if there is no file. */
export function readAgents(file: string): StoredAgent[] | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return FILE.parse(JSON.parse(readFileSync(file, "utf8"))).agents as StoredAgent[];
  } catch (cause) {
    throw new Error(`The file "${file}" has the agents that people made, and cannot be read.`, { cause });
  }
}

/**
 * Copies the agents of people into a file. The index with their table can then be built again at any time.
 * Another file replaces the old one, so the file is whole even if the process ends here.
 */
export async function copyAgents(db: Database, file: string): Promise<undefined> {
  const text = `${JSON.stringify({ agents: await agentsOfPeople(db) }, undefined, 2)}\n`;
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  const next = `${file}.next`;
  writeFileSync(next, text, { flush: true });
  renameSync(next, file);
}

/** The agents that a new index begins with. */
export interface FirstAgents {
  agents: readonly StoredAgent[];
  /** Folders of former versions. Their agents are among these, so the folders can be deleted. */
  read: readonly string[];
}

/**
 * Collects the agents for a new index: those of the file and of former versions. Without both, those that the
 * company's people have at the beginning. A folder that cannot be read is left alone.
 */
export async function firstAgents(
  file: string,
  company: CompanyName,
  open: (directory: string) => Promise<Database & { close(): Promise<void> }>,
): Promise<FirstAgents> {
  const kept = readAgents(file);
  const found = new Map((kept ?? []).map((agent) => [agent.id, agent]));
  const first = new Set(companyAgents.map(({ id }) => id));
  const read: string[] = [];
  for (const folder of formerFolders(dirname(dirname(file)), company)) {
    const former = await agentsIn(folder, open).catch(() => undefined);
    if (former === undefined) continue;
    read.push(folder);
    // One that is missing in the file has been deleted.
    for (const agent of former)
      if (!found.has(agent.id) && (kept === undefined || !first.has(agent.id))) found.set(agent.id, agent);
  }
  const isNew = kept === undefined && read.length === 0;
  const agents = companyAgents.filter(({ owner }) => isNew || owner === "");
  return { agents: [...agents, ...found.values()], read };
}

/** Reads the agents of a former version's index. Fails if another process uses it. */
async function agentsIn(
  folder: string,
  open: (directory: string) => Promise<Database & { close(): Promise<void> }>,
): Promise<StoredAgent[]> {
  const directory = join(folder, "postgres");
  if (!existsSync(directory)) return [];
  const unlock = lockDirectory(folder);
  try {
    const db = await open(directory);
    try {
      const [table] = await ask<{ exists: boolean }>(
        db,
        "SELECT to_regclass('enterprise_search.custom_agent') IS NOT NULL AS exists",
      );
      return table?.exists === true ? await agentsOfPeople(db) : [];
    } finally {
      await db.close();
    }
  } finally {
    unlock();
  }
}

/** Copies the agents after each change, before the change is reported. */
export function keptAgents(store: AgentStore, copy: () => Promise<void>): AgentStore {
  const copied = async <T>(changed: Promise<AgentOutcome<T>>): Promise<AgentOutcome<T>> => {
    const outcome = await changed;
    if (outcome.status === "ok") await copy();
    return outcome;
  };
  return {
    list: (caller) => store.list(caller),
    create: (caller, draft) => copied(store.create(caller, draft)),
    update: (caller, id, draft) => copied(store.update(caller, id, draft)),
    remove: (caller, id) => copied(store.remove(caller, id)),
  };
}
