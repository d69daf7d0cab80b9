import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Rollup } from "vite";

const root = dirname(dirname(import.meta.dirname));
const cache = join(root, "node_modules", ".cache");
const CONDITIONS = ["@pawl/source", "node"];

/** Bundles programs of the tests in vitest's own process, each when the first test file asks for it. */
export async function setup(): Promise<() => void> {
  const paths = new Map<string, Promise<string>>();
  const desk = createServer(async (request, response) => {
    const file = decodeURIComponent(request.url ?? "").slice(1);
    const path = paths.get(file) ?? bundle(file);
    paths.set(file, path);
    try {
      response.end(await path);
    } catch (error) {
      response.writeHead(500).end(String(error));
    }
  }).listen(0, "127.0.0.1");
  await once(desk, "listening");
  // `bundled()` asks there. The processes of the test files inherit it.
  process.env.PAWL_TEST_PROGRAMS = `http://127.0.0.1:${(desk.address() as AddressInfo).port}`;
  return () => {
    desk.close();
    desk.closeAllConnections();
  };
}

/** Bundles a program, a path relative to the root, with all that it imports. Resolves to the bundle's path. */
async function bundle(file: string): Promise<string> {
  const result = await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [ownPlaces],
    resolve: { conditions: CONDITIONS },
    // PGlite reads its WebAssembly from beside its own files.
    ssr: { resolve: { conditions: CONDITIONS }, noExternal: true, external: ["@electric-sql/pglite"] },
    build: { write: false, ssr: join(root, file), target: "node22", minify: false },
  });
  const { output } = result as Rollup.RollupOutput;
  const chunks = output.flatMap((one) => (one.type === "chunk" ? [one] : []));
  const hash = chunks.reduce((all, { code }) => all.update(code), createHash("sha256")).digest("hex");
  const folder = join(cache, `program-${hash.slice(0, 16)}`);
  if (!existsSync(folder)) write(chunks, folder);
  return join(folder, chunks.find(({ isEntry }) => isEntry)?.fileName ?? "");
}

function write(chunks: readonly Rollup.OutputChunk[], folder: string): void {
  mkdirSync(cache, { recursive: true });
  const made = mkdtempSync(join(cache, "program-"));
  writeFileSync(join(made, "package.json"), '{ "type": "module" }');
  for (const { fileName, code } of chunks) {
    mkdirSync(dirname(join(made, fileName)), { recursive: true });
    writeFileSync(join(made, fileName), code);
  }
  try {
    renameSync(made, folder);
  } catch {
    // Another run has made it in the meantime.
    rmSync(made, { recursive: true });
  }
}

/** Files find what lies beside them, e.g. a worker or a text, where they are in the repository. */
const ownPlaces = {
  name: "own-places",
  enforce: "pre" as const,
  transform: (code: string, id: string) =>
    id.includes("\0") || !code.includes("import.meta.")
      ? undefined
      : code
          .replaceAll("import.meta.dirname", JSON.stringify(dirname(id)))
          .replaceAll("import.meta.filename", JSON.stringify(id))
          .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(id).href)),
};
