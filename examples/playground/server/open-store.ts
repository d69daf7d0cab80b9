import { PawlError } from "@pawl/core";
import { type EmbeddedStore, embeddedStore } from "@pawl/postgres/embedded";

/** SQLite's error code for a locked database: another process uses the directory. */
const BUSY = 5;

/**
 * Opens the log in a directory.
 *
 * @throws Error with one line if the directory cannot be used.
 */
export async function openStore(dataDir: string): Promise<EmbeddedStore> {
  try {
    return await embeddedStore({ dataDir });
  } catch (error) {
    if (!isInUse(error)) throw error;
    throw new Error(`The directory "${dataDir}" is in use. Is another npm start running?`, { cause: error });
  }
}

function isInUse(error: unknown): boolean {
  return PawlError.is(error, "store_unavailable") && codeOf(error.cause) === BUSY;
}

function codeOf(cause: unknown): unknown {
  return typeof cause === "object" && cause !== null && "errcode" in cause ? cause.errcode : undefined;
}
