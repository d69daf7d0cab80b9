import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { LIMITS } from "../scripts/lib/limits.mjs";
import { root } from "../scripts/lib/project.mjs";
import { BUNDLES, bundle } from "./packed/bundle.mjs";

const HOOK = `
  import { registerHooks } from "node:module";
  const files = [];
  registerHooks({ load(url, context, next) {
    if (url.startsWith("file:")) files.push(url);
    return next(url, context);
  } });
  process.on("exit", () => console.log(JSON.stringify(files)));
`;

/** Returns the files that Node loads for an import in `@pawl/anthropic`, whose packages are built. */
async function loadedBy(...names: string[]): Promise<string[]> {
  const code = names.map((name) => `import "${name}";`).join("\n");
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(HOOK)}`, "--input-type=module", "--eval", code],
    { cwd: join(root, "packages/anthropic"), env: { ...process.env, NODE_OPTIONS: "" } },
  );
  return JSON.parse(stdout);
}

const ofSdk = (files: readonly string[]) =>
  files.flatMap((file) => /@anthropic-ai\/sdk\/(.*)$/.exec(file)?.[1] ?? []);

it("R6 importing core and the Claude client loads few modules, and nothing of the SDK but its errors", async () => {
  const files = await loadedBy("@pawl/core", "@pawl/anthropic");
  expect(ofSdk(files)).toEqual(["core/error.mjs", "internal/errors.mjs"]);
  expect(files.length).toBeGreaterThan(20);
  expect(files.length).toBeLessThanOrEqual(LIMITS.modulesAtImport);
  // The time of an import follows the number of its modules.
  expect(files.length).toBeLessThan((await loadedBy("@anthropic-ai/sdk")).length / 4);
});

it("R6 a program with the Claude client starts without the SDK", async () => {
  const { start, later } = await bundle(BUNDLES["the same, with `claude` of `@pawl/anthropic`"] ?? "");
  expect(ofSdk(start.modules)).not.toContain("client.mjs");
  expect(ofSdk(later.modules)).toContain("client.mjs");
});
