import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { root } from "../../scripts/lib/project.mjs";
import { findWrongSizes } from "./size-rules.mjs";

/** The bundles in the README's table, by its first column: what a page or worker that imports this loads. */
const BUNDLES = {
  "`createAgentClient` of `@pawl/client`": 'export { createAgentClient } from "@pawl/client";',
  "`useAgent` of `@pawl/client/react`, without React": 'export { useAgent } from "@pawl/client/react";',
  "`agent`, `tool`, `runtime` and `memoryStore` of `@pawl/core`":
    'export { agent, tool, runtime, memoryStore } from "@pawl/core";',
  "the same, with `claude` of `@pawl/anthropic`":
    'export { agent, tool, runtime, memoryStore } from "@pawl/core"; export { claude } from "@pawl/anthropic";',
  "`handler` of `@pawl/sse`": 'export { handler } from "@pawl/sse";',
};

/** Checks how large the tarballs are, `{ name: path }`, and that the README's table of bundles is true. */
export async function checkSizes(tarballs) {
  const packed = Object.entries(tarballs).map(([name, path]) => [name, statSync(path).size]);
  const bundles = [];
  for (const [label, code] of Object.entries(BUNDLES)) bundles.push([label, await bundled(code)]);
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const problems = findWrongSizes(Object.fromEntries(packed), Object.fromEntries(bundles), readme);
  return { ok: problems.length === 0, output: problems.map((problem) => `${problem}\n`).join("") };
}

/** The size of a program in bytes, with everything that it imports from `dist/` and from npm. */
async function bundled(code) {
  const entry = join(root, "entry-of-a-bundle.js");
  const { output } = await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) => (id === entry ? code : undefined),
      },
    ],
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        external: [/^react(\/|$)/, /^node:/],
        preserveEntrySignatures: "strict",
      },
    },
  });
  const chunks = output.filter(({ type }) => type === "chunk").map((chunk) => Buffer.from(chunk.code));
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  return {
    minified: sum(chunks.map(({ length }) => length)),
    compressed: sum(chunks.map((chunk) => gzipSync(chunk, { level: 9 }).length)),
  };
}
