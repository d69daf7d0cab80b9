import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import react from "@vitejs/plugin-react";
import { build, defaultClientConditions } from "vite";
import type { Shown } from "../../web/gallery/shown.ts";

/** The gallery of the coach's parts, served on a port of its own. */
export interface Gallery {
  url: string;
  /** Changes what the gallery shows when it reads again. */
  show(shown: Shown): void;
  close(): Promise<void>;
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["css", "text/css"],
]);

/** Builds the gallery in memory, with the page's colours and fonts, and serves it. */
export async function openGallery(shown: Shown): Promise<Gallery> {
  const files = await built();
  let current = shown;
  const server = createServer(({ url = "/" }, response) => {
    const path = url === "/" ? "index.html" : url.slice(1);
    const source = path === "shown.json" ? JSON.stringify(current) : files.get(path);
    if (source === undefined) return void response.writeHead(404).end();
    response.setHeader(
      "content-type",
      TYPES.get(path.slice(path.lastIndexOf(".") + 1)) ?? "application/json",
    );
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

const STYLES = join(import.meta.dirname, "..", "..", "..", "playground", "web", "styles");

/** Adds the page's colours, fonts and shared classes to the gallery. */
async function withStyles(html: string): Promise<string> {
  const names = ["tokens", "base", "thread", "parts"];
  const styles = await Promise.all(names.map((name) => readFile(join(STYLES, `${name}.css`), "utf8")));
  return html.replace("<head>", () => `<head><style>${styles.join("\n")}</style>`);
}

async function built(): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const result = await build({
    configFile: false,
    logLevel: "error",
    root: join(import.meta.dirname, "..", "..", "web", "gallery"),
    plugins: [react(), { name: "page-styles", transformIndexHtml: withStyles }],
    resolve: { conditions: ["@pawl/source", ...defaultClientConditions] },
    build: { write: false, target: "es2022" },
  });
  const outputs = Array.isArray(result) ? result : [result];
  return new Map(
    outputs.flatMap((one) =>
      "output" in one
        ? one.output.map((file) => [file.fileName, file.type === "chunk" ? file.code : file.source] as const)
        : [],
    ),
  );
}
