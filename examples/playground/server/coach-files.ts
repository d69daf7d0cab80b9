import { type FileStore, PawlError, readText } from "@pawl/core";
import { fileIndex, userFiles } from "@pawl/example-coach";
import type { Hono } from "hono";
import type { BrowserIdentity } from "./browser-identity.ts";

/**
 * Serves the user's files. `GET /api/coach-files` lists them, newest first. `GET /api/coach-files/<path>`
 * returns the Markdown of one. The path must be in the user's own list, so it cannot lead to another user's
 * files.
 */
export function coachFiles(app: Hono, files: FileStore, identity: BrowserIdentity): void {
  const ofBrowser = (request: Request): FileStore => userFiles(files, identity.userOf(request)?.userId ?? "");
  app.get("/api/coach-files", async (c) => {
    const index = await fileIndex(ofBrowser(c.req.raw));
    const listed = index.map(({ path, type, size, modifiedAt }) => ({
      path,
      type,
      bytes: size,
      updated_at: modifiedAt,
    }));
    listed.sort((a, b) => (a.updated_at < b.updated_at ? 1 : -1));
    c.header("cache-control", "no-store");
    return c.json({ files: listed });
  });
  app.get("/api/coach-files/:path{.+}", async (c) => {
    const own = ofBrowser(c.req.raw);
    const asked = c.req.param("path").normalize("NFC");
    const found = (await fileIndex(own)).find(({ path }) => path === asked);
    const text = found && (await textOf(own, found.path));
    if (text === undefined) return c.notFound();
    c.header("cache-control", "no-store");
    return c.body(text, 200, { "content-type": "text/markdown; charset=utf-8" });
  });
}

/** Reads a file as text; `undefined` if it was deleted after it was listed. */
async function textOf(files: FileStore, path: string): Promise<string | undefined> {
  try {
    return await readText(files, path);
  } catch (error) {
    if (PawlError.is(error, "not_found")) return undefined;
    throw error;
  }
}
