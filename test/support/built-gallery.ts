import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, defaultClientConditions, type PluginOption } from "vite";

const STYLES = join(import.meta.dirname, "..", "..", "examples", "playground", "web", "styles");

/**
 * Builds the gallery of an example's page parts in memory, with the playground's colours, fonts and shared
 * classes. Returns its files by name.
 *
 * @param root the folder of the gallery's `index.html`
 * @param react Vite's plugin for React
 * @param styles names of the playground's style sheets
 */
export async function builtGallery(
  root: string,
  react: PluginOption,
  styles: readonly string[],
): Promise<ReadonlyMap<string, string | Uint8Array>> {
  const withStyles = async (html: string): Promise<string> => {
    const sheets = await Promise.all(styles.map((name) => readFile(join(STYLES, `${name}.css`), "utf8")));
    return html.replace("<head>", () => `<head><style>${sheets.join("\n")}</style>`);
  };
  const result = await build({
    configFile: false,
    logLevel: "error",
    root,
    plugins: [react, { name: "page-styles", transformIndexHtml: withStyles }],
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

const TYPES: ReadonlyMap<string, string> = new Map([
  ["html", "text/html"],
  ["js", "text/javascript"],
  ["css", "text/css"],
]);

/** Returns the media type of a gallery's file, by its name. */
export function typeOfFile(name: string): string {
  return TYPES.get(name.slice(name.lastIndexOf(".") + 1)) ?? "application/json";
}
