import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import type { Fault } from "./fault.ts";
import type { judgeSessions } from "./properties.ts";

const packages = join(import.meta.dirname, "../../../..");

/** Throws unless the sources have each text of a fault once. */
export function checkFault({ edits }: Fault): void {
  for (const [file, is] of edits) halves(readFileSync(join(packages, file), "utf8"), file, is);
}

function halves(source: string, file: string, is: string): readonly [before: string, after: string] {
  const parts = source.split(is);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${is}`);
  return parts as [string, string];
}

/** Loads the judge of random sessions with the sources of the packages, into which a fault is planted. */
export async function withFault({ name, edits }: Fault): Promise<{ judgeSessions: typeof judgeSessions }> {
  const planted = new Set<string>();
  const plant = {
    name: "plant",
    enforce: "pre" as const,
    load(id: string) {
      const own = edits.filter(([file]) => relative(packages, id) === file);
      if (own.length === 0) return undefined;
      let source = readFileSync(id, "utf8");
      for (const [file, is, becomes] of own) {
        const [before, after] = halves(source, file, is);
        source = `${before}${becomes}${after}`;
        planted.add(file);
      }
      return source;
    },
  };
  const built = await build({
    root: packages,
    configFile: false,
    logLevel: "error",
    plugins: [plant],
    resolve: { conditions: ["@pawl/source"] },
    ssr: { resolve: { conditions: ["@pawl/source"] }, noExternal: [/^@pawl\//] },
    build: {
      write: false,
      ssr: join(import.meta.dirname, "properties.ts"),
      target: "node24",
      minify: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  if (edits.some(([file]) => !planted.has(file))) throw new Error(`A file of "${name}" is not loaded.`);
  const [one] = Array.isArray(built) ? built : [built];
  const [chunk] = "output" in one ? one.output : [];
  // Below the package, whose dependencies the program uses.
  const folder = join(packages, "sse/node_modules/.cache");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `fault-${name.replaceAll(/\W+/g, "-")}.mjs`);
  writeFileSync(path, chunk?.type === "chunk" ? chunk.code : "");
  return (await import(pathToFileURL(path).href)) as never;
}
