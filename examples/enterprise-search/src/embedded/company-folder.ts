import { accessSync, constants, existsSync, readdirSync, renameSync, rmSync, statfsSync } from "node:fs";
import { basename, join } from "node:path";

/** The folder of one company: the index, which can be built again, and the agents of people, which cannot. */
export interface CompanyFolder {
  path: string;
  /** The database of the index in this format. */
  index: string;
  /** The file with a copy of the agents that people have made. */
  agents: string;
}

/** The company that an index is of. */
export interface CompanyName {
  format: string;
  seed: string;
  documents: number;
}

export function companyFolder(dataDir: string, { format, seed, documents }: CompanyName): CompanyFolder {
  const path = join(dataDir, `company-${encodeURIComponent(seed)}-${documents}`);
  return { path, index: join(path, `index-${format}`), agents: join(path, "agents.json") };
}

/** Returns the folders of this company's indexes that were built before they were kept in one folder. */
export function formerFolders(dataDir: string, { seed, documents }: CompanyName): string[] {
  const suffix = `-${encodeURIComponent(seed)}-${documents}`;
  return readdirSync(dataDir)
    .filter((name) => name.endsWith(suffix) && /^search-[0-9a-f]{8}$/.test(name.slice(0, -suffix.length)))
    .map((name) => join(dataDir, name));
}

/** Renames an index that cannot be opened. It is deleted when another one is built. */
export function setAside({ index }: CompanyFolder): void {
  let number = 1;
  while (existsSync(`${index}.damaged-${number}`)) number += 1;
  renameSync(index, `${index}.damaged-${number}`);
}

/** Deletes all indexes but the open one. What cannot be deleted now is left for the next start. */
export function removeOtherIndexes({ path, index }: CompanyFolder): void {
  const others = readdirSync(path).filter((name) => name.startsWith("index-") && name !== basename(index));
  for (const name of others) removeFolder(join(path, name));
}

/** Deletes a folder. Keeps quiet about failures, e.g. missing rights: the folder is only in the way. */
export function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {}
}

/** The least free space that a database needs, in bytes. Its empty tables have 40 MB. */
const LEAST_SPACE = 64_000_000;

/**
 * Returns why a database that is in order may not be opened: a file without rights, or a full disk. Postgres
 * ends with the same error as for a damaged file. `undefined` if there is no such reason.
 */
export function obstacleIn(
  directory: string,
  { free = freeSpace, access = accessSync }: { free?: typeof freeSpace; access?: typeof accessSync } = {},
): string | undefined {
  try {
    access(directory, constants.R_OK | constants.W_OK | constants.X_OK);
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
      const rights = constants.R_OK | constants.W_OK | (entry.isDirectory() ? constants.X_OK : 0);
      access(join(entry.parentPath, entry.name), rights);
    }
    return free(directory) < LEAST_SPACE ? "There is no space left on the disk." : undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function freeSpace(directory: string): number {
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize;
}
