import { describe, expect, test } from "vitest";
import { findWrongArrows } from "../scripts/lib/arrows.mjs";

const manifest = (name: string, more: object = {}) =>
  JSON.stringify(
    { name, exports: { ".": {}, "./extra": {}, "./tools": {}, "./stop/*": {} }, ...more },
    null,
    2,
  );
const usesCore = { dependencies: { "@pawl/core": "workspace:^" } };

const house = {
  "packages/core/package.json": manifest("@pawl/core"),
  "packages/sse/package.json": manifest("@pawl/sse", usesCore),
  "packages/postgres/package.json": manifest("@pawl/postgres", usesCore),
  "packages/planning/package.json": manifest("@pawl/planning", usesCore),
  "packages/testing/package.json": manifest("@pawl/testing", usesCore),
  "examples/coach/package.json": manifest("@pawl/example-coach"),
};

const found = (files: Record<string, string>) =>
  findWrongArrows(new Map(Object.entries({ ...house, ...files }))).map(
    ({ file, line, message }) => `${file}:${line}: ${message}`,
  );

describe("allowed", () => {
  test.each([
    ["an adapter uses core", "packages/sse/src/a.ts", 'import { agent } from "@pawl/core";'],
    [
      "an entry that exports name",
      "packages/sse/src/a.ts",
      'import "@pawl/core/extra"; import "@pawl/core/stop/x";',
    ],
    [
      "core's entry for hooks and tools",
      "packages/planning/src/a.ts",
      'import "@pawl/core"; import "@pawl/core/tools";',
    ],
    ["tests use testing", "packages/sse/test/a.test.ts", 'import { scripted } from "@pawl/testing";'],
    ["core's tests too", "packages/core/test/a.test.ts", 'import { scripted } from "@pawl/testing";'],
    ["examples use all", "examples/coach/src/a.ts", 'import "@pawl/sse"; import "@pawl/testing";'],
    ["root tests reach into sources", "test/a.test.ts", 'import "../packages/core/src/run.ts";'],
    [
      "text that only looks like an import",
      "packages/core/src/a.ts",
      "// import '@pawl/sse'\nconst a = 'import \"@pawl/sse\"';",
    ],
  ])("%s", (_, file, text) => {
    expect(found({ [file]: text })).toEqual([]);
  });
});

describe("reported, with file and line", () => {
  test.each([
    [
      "core -> adapter",
      "packages/core/src/a.ts",
      'import "@pawl/sse";',
      "@pawl/core must not know @pawl/sse",
    ],
    [
      "adapter -> adapter",
      "packages/sse/src/a.ts",
      'export * from "@pawl/postgres";',
      "@pawl/sse must not know @pawl/postgres",
    ],
    ["a type", "packages/sse/src/a.ts", 'import type { A } from "@pawl/postgres";', "must not know"],
    ["a type in place", "packages/sse/src/a.ts", 'type A = import("@pawl/postgres").A;', "must not know"],
    ["a late import", "packages/sse/src/a.ts", 'await import("@pawl/postgres");', "must not know"],
    [
      "shipped code -> testing",
      "packages/sse/src/a.ts",
      'import "@pawl/testing";',
      "@pawl/testing is for tests",
    ],
    [
      "a source file of another package",
      "packages/sse/src/a.ts",
      'import "@pawl/core/src/run.ts";',
      "not among the exports",
    ],
    [
      "... from an example",
      "examples/coach/src/a.ts",
      'import "@pawl/core/dist/index.js";',
      "not among the exports",
    ],
    [
      "a path out of the package",
      "packages/sse/src/a.ts",
      'import "../../core/src/run.ts";',
      "leaves packages/sse/src",
    ],
    [
      "... or into its tests",
      "packages/sse/src/a.ts",
      'import "../test/help.ts";',
      "leaves packages/sse/src",
    ],
    ["a package by its own name", "packages/sse/src/a.ts", 'import "@pawl/sse";', "imports itself"],
    [
      "an entry that is not for extensions",
      "packages/planning/src/a.ts",
      'import "@pawl/core/extra";',
      "only the main entry and /tools",
    ],
    [
      "what is not installed with it",
      "packages/sse/src/a.ts",
      'import "hono";',
      "hono is not among the dependencies",
    ],
    [
      "adapter -> adapter in a test",
      "packages/sse/test/a.test.ts",
      'import "@pawl/postgres";',
      "must not know",
    ],
  ])("%s", (_, file, text, message) => {
    expect(found({ [file]: `// one\n${text}\n` })).toEqual([
      expect.stringMatching(new RegExp(`^${file}:2: .*${message}`)),
    ]);
  });

  test("dependencies that point the wrong way", () => {
    const core = manifest("@pawl/core", { devDependencies: { "@pawl/testing": "workspace:^" } });
    const sse = manifest("@pawl/sse", { dependencies: { "@pawl/testing": "workspace:^" } });
    expect(found({ "packages/core/package.json": core, "packages/sse/package.json": sse })).toEqual([
      expect.stringMatching(/^packages\/core\/package.json:\d+: @pawl\/core must not list @pawl\/testing/),
      expect.stringMatching(/^packages\/sse\/package.json:\d+: @pawl\/sse must not list @pawl\/testing/),
    ]);
  });
});
