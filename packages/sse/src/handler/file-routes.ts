import { PawlError, type Runtime } from "@pawl/core";
import type { Hono } from "hono";
import { bodyOf, checkCoding, tooLarge } from "../request/read-json.ts";
import { refusal } from "../request/wire-error.ts";
import { heldBody, piecesOf } from "../stream/held-body.ts";
import { notMet } from "./conditional.ts";
import { type RateLimiter, withinRate } from "./rate-limit.ts";
import { type Env, json, route } from "./routes.ts";

interface Filing {
  runtime: Runtime;
  rateLimit: RateLimiter | undefined;
  maxFileBytes: number;
}

/** The most uploads of a user that are read at the same time. Each is held in memory. */
const MOST_AT_ONCE = 4;

/**
 * Adds the routes for files of messages.
 *
 * - `POST /files`: stores the body, the bytes of one file, and answers `{ id, mediaType, bytes, … }`
 * - `GET /files/:id`: the bytes of a file of this user
 */
export function fileRoutes(app: Hono<Env>, { runtime, rateLimit, maxFileBytes }: Filing): void {
  const atOnce = new Map<string, number>();
  route(app, "/files", {
    POST: async (c) => {
      const userId = c.get("userId");
      checkIsBytes(c.req.raw);
      await withinRate(rateLimit, userId);
      const count = atOnce.get(userId) ?? 0;
      if (count >= MOST_AT_ONCE)
        throw refusal(429, "rate_limited", "Upload fewer files at once.", { "retry-after": "1" });
      atOnce.set(userId, count + 1);
      try {
        const { content, bytes } = bytesOf(c.req.raw, maxFileBytes);
        return json(await kept(runtime.files.put(userId, content, { bytes, signal: c.req.raw.signal })));
      } finally {
        const left = (atOnce.get(userId) ?? 1) - 1;
        if (left > 0) atOnce.set(userId, left);
        else atOnce.delete(userId);
      }
    },
  });
  route(app, "/files/:id", {
    GET: async (c) => {
      const [userId, id] = [c.get("userId"), c.req.param("id") ?? ""];
      const { signal, method } = c.req.raw;
      const known = await kept(runtime.files.describe(userId, id));
      const headers = headersOf(known);
      // Before the file is read.
      const instead = notMet(c.req.raw, new Headers(headers));
      if (instead !== undefined) return instead;
      const length = { "content-length": String(known.bytes) };
      if (method === "HEAD") return new Response(null, { headers: { ...headers, ...length } });
      const { content, close } = await runtime.files.open(userId, id, { signal });
      const body = heldBody(piecesOf(content), { signal, onClose: close });
      return new Response(body, { headers: { ...headers, ...length } });
    },
  });
}

/** Types that every browser shows as pictures, and in which no script runs. */
const SHOWN: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function headersOf({ id, mediaType }: { id: string; mediaType: string }) {
  return {
    "content-type": mediaType === "text/plain" ? "text/plain; charset=utf-8" : mediaType,
    // Without a name, so that a page's `<a download="name">` counts.
    "content-disposition": SHOWN.includes(mediaType) ? "inline" : "attachment",
    // A file may also be valid HTML or script: no browser may guess another type, or run anything in it.
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "cross-origin-resource-policy": "same-site",
    "referrer-policy": "no-referrer",
    // The browser must ask each time before it shows a cached file: the file may have been deleted, or
    // another user may have signed in.
    "cache-control": "private, no-cache",
    vary: "cookie, authorization",
    etag: `"${id}"`,
  };
}

/**
 * Requires a content type for which browsers ask first before pages of other origins may send it. So no such
 * page can upload files with the user's cookie.
 */
function checkIsBytes(request: Request): void {
  checkCoding(request);
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== "application/octet-stream")
    throw refusal(
      415,
      "invalid_input",
      "Send the bytes of one file with the header `content-type: application/octet-stream`.",
      { accept: "application/octet-stream" },
    );
}

/** Returns the pieces of a body up to `maxBytes`, and how many bytes they have at most. */
function bytesOf(request: Request, maxBytes: number) {
  const tooLong = () => tooLarge(`A file may have at most ${maxBytes} bytes.`);
  const declared = Number(request.headers.get("content-length") ?? maxBytes);
  const bytes = declared >= 0 && declared <= maxBytes ? declared : maxBytes;
  return { content: bodyOf(request, maxBytes, tooLong), bytes };
}

/** Answers 404 if the runtime keeps no files. */
async function kept<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!PawlError.is(error, "config")) throw error;
    throw refusal(404, "not_found", "This server keeps no files: runtime() has no option `files`.");
  }
}
