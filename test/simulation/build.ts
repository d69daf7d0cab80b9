import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { build } from "vite";

const root = join(import.meta.dirname, "../..");

/** A mistake that is planted into the source text. */
export interface PlantedBug {
  readonly name: string;
  /** The file, relative to the root of the project. */
  readonly file: string;
  /** The text to replace, which the file must have once, and the text in its place. */
  readonly is: string;
  readonly becomes: string;
  /** A seed that finds it. */
  readonly seed: number;
}

/** Bundles the simulation with the sources of the packages, and a planted bug. Returns the program's path. */
export async function buildSimulation(folder: string, bug?: PlantedBug): Promise<string> {
  let isPlanted = bug === undefined;
  const plant = {
    name: "plant",
    enforce: "pre" as const,
    load(id: string) {
      if (bug === undefined || relative(root, id) !== bug.file) return undefined;
      isPlanted = true;
      return planted(readFileSync(id, "utf8"), bug);
    },
  };
  const built = await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [plant],
    resolve: { conditions: ["@pawl/source"] },
    ssr: { resolve: { conditions: ["@pawl/source"] }, noExternal: true },
    build: {
      write: false,
      ssr: join(import.meta.dirname, "main.ts"),
      target: "node24",
      minify: false,
      rolldownOptions: { output: { codeSplitting: false } },
    },
  });
  if (!isPlanted) throw new Error(`No source of the simulation is ${bug?.file}.`);
  const [one] = Array.isArray(built) ? built : [built];
  const [chunk] = "output" in one ? one.output : [];
  const path = join(folder, `${bug?.name.replaceAll(/\W+/g, "-") ?? "simulation"}.mjs`);
  writeFileSync(path, chunk?.type === "chunk" ? chunk.code : "");
  return path;
}

/** Returns a source text with a bug. Throws if the source has changed, so that the bug would not be there. */
export function planted(source: string, { file, is, becomes }: PlantedBug): string {
  const parts = source.split(is);
  if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times: ${is}`);
  return parts.join(becomes);
}
