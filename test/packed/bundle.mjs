import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { root } from "../../scripts/lib/project.mjs";

/** The bundles in the README's table, by its first column: what a page or worker that imports this loads. */
export const BUNDLES = {
  "`createAgentClient` of `@pawl/client`": 'export { createAgentClient } from "@pawl/client";',
  "`useAgent` of `@pawl/client/react`, without React": 'export { useAgent } from "@pawl/client/react";',
  "`createAspClient` of `@pawl/client/asp`": 'export { createAspClient } from "@pawl/client/asp";',
  "`useAsp` of `@pawl/client/react`, without React": 'export { useAsp } from "@pawl/client/react";',
  "`agent`, `tool`, `runtime` and `memoryStore` of `@pawl/core`":
    'export { agent, tool, runtime, memoryStore } from "@pawl/core";',
  "the same, with `claude` of `@pawl/anthropic`":
    'export { agent, tool, runtime, memoryStore } from "@pawl/core"; export { claude } from "@pawl/anthropic";',
  "everything in `@pawl/core`": 'export * from "@pawl/core";',
  "`remoteTools` of `@pawl/remote`": 'export { remoteTools } from "@pawl/remote";',
  "`toolHandler` of `@pawl/remote/server`": 'export { toolHandler } from "@pawl/remote/server";',
  "`handler` of `@pawl/sse`": 'export { handler } from "@pawl/sse";',
};

/**
 * Bundles a program with everything that it imports from `dist/` and from npm.
 *
 * @returns {Promise<{ start: import("./bundle.d.mts").Part, later: import("./bundle.d.mts").Part }>} what the
 * program loads when it starts, and what its dynamic imports load later
 */
export async function bundle(code) {
  const entry = join(root, "entry-of-a-bundle.js");
  const { output } = await build({
    root,
    configFile: false,
    logLevel: "error",
    plugins: [virtual({ [entry]: code, [PRELOAD]: "export const __vitePreload = (load) => load();" })],
    build: {
      write: false,
      target: "es2023",
      modulePreload: false,
      rolldownOptions: {
        input: entry,
        external: [/^react(\/|$)/, /^node:/],
        preserveEntrySignatures: "allow-extension",
      },
    },
  });
  const chunks = new Map(output.flatMap((one) => (one.type === "chunk" ? [[one.fileName, one]] : [])));
  const first = new Set(output.flatMap((one) => (one.isEntry ? [one.fileName] : [])));
  for (const name of first) for (const needed of chunks.get(name)?.imports ?? []) first.add(needed);
  const all = [...chunks.values()];
  return {
    start: partOf(all.filter(({ fileName }) => first.has(fileName))),
    later: partOf(all.filter(({ fileName }) => !first.has(fileName))),
  };
}

/** Vite's code for dynamic imports in pages. A page has it once, and other bundlers have none. */
const PRELOAD = "\0vite/preload-helper.js";

function virtual(modules) {
  return {
    name: "virtual",
    enforce: "pre",
    resolveId: (id) => (Object.hasOwn(modules, id) ? id : undefined),
    load: (id) => (Object.hasOwn(modules, id) ? modules[id] : undefined),
  };
}

function partOf(chunks) {
  const sum = (sizes) => sizes.reduce((total, size) => total + size, 0);
  const codes = chunks.map(({ code }) => Buffer.from(code));
  const modules = chunks.flatMap((chunk) => Object.entries(chunk.modules));
  return {
    minified: sum(codes.map(({ length }) => length)),
    compressed: sum(codes.map((code) => gzipSync(code, { level: 9 }).length)),
    modules: modules.flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])),
  };
}
