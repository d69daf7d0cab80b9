import type { PGlite } from "@electric-sql/pglite";
import { messageOf, PawlError } from "@pawl/core";

const MISSING =
  "`embeddedStore()` needs the package @electric-sql/pglite, which is not installed: npm install @electric-sql/pglite@0.5";

/**
 * Loads PGlite, a large and optional peer dependency.
 *
 * @throws PawlError `config` if it is not installed, `store_unavailable` if it cannot be loaded.
 */
export async function loadPglite(
  load: () => Promise<{ PGlite: typeof PGlite }> = () => import("@electric-sql/pglite"),
): Promise<typeof PGlite> {
  try {
    return (await load()).PGlite;
  } catch (cause) {
    if (isMissing(cause)) throw new PawlError("config", MISSING, { cause });
    throw new PawlError("store_unavailable", `PGlite cannot be loaded: ${messageOf(cause)}`, { cause });
  }
}

// The error about a file that is missing inside of PGlite has the same code, and its path in quotes.
const isMissing = (cause: unknown) =>
  (cause as { code?: string }).code === "ERR_MODULE_NOT_FOUND" &&
  /["']@electric-sql\/pglite["']/.test(messageOf(cause));
