import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Json } from "@pawl/core";
import react from "@vitejs/plugin-react";
import { builtGallery, typeOfFile } from "../../../../test/support/built-gallery.ts";
import { pause } from "../../../../test/support/pause.ts";
import type { Shown } from "../../web/gallery/shown.ts";

/** The gallery of the search agent's parts, served on a port of its own. */
export interface Gallery {
  url: string;
  /** What is shown when the page reads again. Tests may change its `answers`. */
  shown: Shown;
  /** The requests to the agent's routes, e.g. `PUT /me {"email":"…"}`, and `PUT /me answered`. */
  requests: string[];
  /** How long a change takes, in milliseconds. */
  slowMs: number;
  close(): Promise<void>;
}

const STYLES = ["tokens", "base", "thread", "parts", "prose"];

const ROOT = join(import.meta.dirname, "..", "..", "web", "gallery");

/** Lists what sticks out of the window and is not cut off, as classes. */
export const TOO_WIDE = `(() => {
  const isCut = (one) => one !== null && (getComputedStyle(one).overflowX !== "visible" || isCut(one.parentElement));
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !isCut(one.parentElement))
    .map((one) => one.className);
})()`;

/** Builds the gallery in memory, with the page's colours and fonts, and serves it. */
export async function openGallery(): Promise<Gallery> {
  const files = await builtGallery(ROOT, react(), STYLES);
  const gallery: Omit<Gallery, "url" | "close"> = {
    shown: { events: [], writing: "", answers: {} },
    requests: [],
    slowMs: 0,
  };
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? "/", "http://gallery").pathname;
    if (path.startsWith("/api/")) {
      const { status, body } = await answerOf(gallery, request);
      response.writeHead(status, { "content-type": "application/json" });
      return void response.end(JSON.stringify(body));
    }
    const file = path === "/" ? "index.html" : path.slice(1);
    const source = file === "shown.json" ? JSON.stringify(gallery.shown) : files.get(file);
    if (source === undefined) return void response.writeHead(404).end();
    const type = typeOfFile(file);
    response.writeHead(200, { "content-type": type }).end(source);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(gallery, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

/** Answers what the test has set for the path, and 404 otherwise. A text is a failure. */
async function answerOf(
  { shown, requests, slowMs }: Omit<Gallery, "url" | "close">,
  request: IncomingMessage,
): Promise<{ status: number; body: Json }> {
  const { pathname, search } = new URL(request.url ?? "/", "http://gallery");
  const path = decodeURIComponent(pathname.slice("/api".length));
  requests.push(`${request.method} ${path}${decodeURIComponent(search)} ${await text(request)}`.trim());
  if (request.method !== "GET") {
    await pause(slowMs, "the time that the server takes");
    requests.push(`${request.method} ${path} answered`);
    return { status: 200, body: {} };
  }
  const body = Object.hasOwn(shown.answers, path) ? shown.answers[path] : undefined;
  if (typeof body === "string") return { status: 500, body };
  return body === undefined ? { status: 404, body: { status: "not_found" } } : { status: 200, body };
}
