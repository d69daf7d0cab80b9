import { existsSync } from "node:fs";
import { type CompanyFolder, obstacleIn, setAside } from "./company-folder.ts";

/** SQLSTATEs of `data_corrupted` and `index_corrupted`. */
const DAMAGED = ["XX001", "XX002"];

interface Opening<Database> {
  /** Opens or creates the database in a directory. */
  create(directory: string): Promise<Database & { close(): Promise<void> }>;
  /** Builds the index, or continues to. */
  fill(db: Database): Promise<void>;
  /** Returns why a database that is in order may not be opened. */
  obstacle?: (directory: string) => string | undefined;
}

/**
 * Opens the index of a folder. One that is damaged is set aside, and another one is built. It is deleted by
 * nobody here, because an index that cannot be opened now may be in order: the disk may be full, a file may
 * lack rights, or the process may be ending.
 */
export async function openIndex<Database>(
  folder: CompanyFolder,
  opening: Opening<Database>,
): Promise<Database> {
  const { create, fill, obstacle = obstacleIn } = opening;
  const isThere = existsSync(folder.index);
  try {
    return await opened(folder.index, { create, fill });
  } catch (error) {
    if (!isThere || !isDamage(error)) throw error;
    const reason = obstacle(folder.index);
    if (reason !== undefined) throw new Error(reason, { cause: error });
    setAside(folder);
    return await opened(folder.index, { create, fill });
  }
}

async function opened<Database>(
  directory: string,
  { create, fill }: Pick<Opening<Database>, "create" | "fill">,
): Promise<Database> {
  const db = await create(directory).catch((cause: unknown) => {
    throw isOfFiles(cause) ? cause : new NotOpened(cause);
  });
  try {
    await fill(db);
    return db;
  } catch (error) {
    await db.close().catch(() => undefined);
    throw error;
  }
}

/** Postgres did not start. It reports no reason. */
class NotOpened extends Error {
  constructor(cause: unknown) {
    super("The index cannot be opened.", { cause });
  }
}

/** Whether an error is one of the file system: those of PGlite and of Node have an `errno`. */
function isOfFiles(error: unknown): boolean {
  return Object(error).errno !== undefined;
}

function isDamage(error: unknown): boolean {
  return error instanceof NotOpened || DAMAGED.includes(String(Object(error).code));
}
