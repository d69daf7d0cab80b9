import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { builtGallery, typeOfFile } from "../../../../test/support/built-gallery.ts";
import type { Shown } from "../../web/gallery/shown.ts";

/** The gallery of the coach's parts, served on a port of its own. */
export interface Gallery {
  url: string;
  /** Changes what the gallery shows when it reads again. */
  show(shown: Shown): void;
  close(): Promise<void>;
}

const STYLES = ["tokens", "base", "thread", "parts"];

const ROOT = join(import.meta.dirname, "..", "..", "web", "gallery");

/** Builds the gallery in memory, with the page's colours and fonts, and serves it. */
export async function openGallery(shown: Shown): Promise<Gallery> {
  const files = await builtGallery(ROOT, react(), STYLES);
  let current = shown;
  const server = createServer(({ url = "/" }, response) => {
    const path = url === "/" ? "index.html" : url.slice(1);
    const source = path === "shown.json" ? JSON.stringify(current) : files.get(path);
    if (source === undefined) return void response.writeHead(404).end();
    response.setHeader("content-type", typeOfFile(path));
    response.end(source);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (next) => {
      current = next;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
