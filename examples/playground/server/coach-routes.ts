import type { FileStore } from "@pawl/core";
import { fileIndex, readMarkdown, sessionTypes, userFiles } from "@pawl/example-coach";
import type { Context, Hono } from "hono";
import type { BrowserIdentity } from "./browser-identity.ts";

/**
 * What the coach keeps for its user, for reading: `GET /api/coach/files` lists it, `GET /api/coach/file?path=…` is one of them in its parts.
 * Only what the list has can be read, and a list is one user's. `GET /api/coach/session-types` names what a session may be begun as.
 */
export function coachRoutes(app: Hono, files: FileStore, identity: BrowserIdentity): void {
  const own = (c: Context): FileStore => userFiles(files, identity.userOf(c.req.raw)?.userId ?? "");
  app.get("/api/coach/session-types", (c) =>
    c.json({ types: Object.entries(sessionTypes).map(([name, { title }]) => ({ name, title })) }),
  );
  app.get("/api/coach/files", async (c) => {
    c.header("cache-control", "no-store");
    return c.json({ files: await fileIndex(own(c)) });
  });
  app.get("/api/coach/file", async (c) => {
    c.header("cache-control", "no-store");
    const path = c.req.query("path") ?? "";
    const known = (await fileIndex(own(c))).find((file) => file.path === path);
    const file = known && (await readMarkdown(own(c), path));
    return file === undefined ? c.notFound() : c.json({ ...known, ...file });
  });
}
