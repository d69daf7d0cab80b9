import ts from "typescript";
import { expect, test } from "vitest";
import { findWithoutExample } from "../scripts/lib/examples.mjs";
import { findWrongNames } from "../scripts/lib/public-names.mjs";

/** Returns the program of a package with these files. Its doors are `index.ts` and, if it exists, `other.ts`. */
function packageWith(files: Readonly<Record<string, string>>) {
  const textOf = (path: string) => files[path.slice(1)];
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (path, version) => {
      const text = textOf(path);
      return text === undefined ? undefined : ts.createSourceFile(path, text, version, true);
    },
    fileExists: (path) => textOf(path) !== undefined,
    readFile: textOf,
    directoryExists: () => true,
    getDirectories: () => [],
    realpath: (path) => path,
    getCurrentDirectory: () => "/",
  };
  const paths = Object.keys(files).map((name) => `/${name}`);
  const options = { noLib: true, types: [], allowImportingTsExtensions: true, noEmit: true };
  const program = ts.createProgram(
    paths,
    { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
    host,
  );
  return { program, doors: paths.filter((path) => path === "/index.ts" || path === "/other.ts") };
}

const asText = ({ file, line, message }: { file: string; line: number; message: string }) =>
  `${file}:${line}: ${message}`;

/** Returns the problems of a package's names. */
function wrongIn(
  files: Readonly<Record<string, string>>,
  { most = Number.POSITIVE_INFINITY, everywhere = [] as string[] } = {},
) {
  const { program, doors } = packageWith(files);
  const options = { isOurs: () => true, most: { "/index.ts": most }, everywhere };
  return findWrongNames(program, { pkg: doors }, options).map(asText);
}

/** Returns what a package with this file says of missing examples. */
function bareIn(source: string) {
  const { program, doors } = packageWith({ "index.ts": 'export * from "./a.ts";', "a.ts": source });
  return findWithoutExample(program, doors).map(asText);
}

test("public names with comments that refer to public types are right", () => {
  const source =
    "/** A. */\nexport interface A { b: B }\n/** B. */\nexport type B = string;\n/** C. */\nexport const c = 1;";
  expect(wrongIn({ "index.ts": 'export * from "./a.ts";', "a.ts": source })).toEqual([]);
});

test("a public name needs a doc comment", () => {
  const files = {
    "index.ts": 'export { a } from "./a.ts";',
    "a.ts": "// No doc comment.\nexport const a = 1;",
  };
  expect(wrongIn(files)).toEqual(['/a.ts:2: "a" is public and has no doc comment']);
});

test("a type that a public name refers to is public", () => {
  const hidden = "interface Hidden { b: string }\n/** A. */\nexport function a(b: Hidden): void {}";
  expect(wrongIn({ "index.ts": 'export { a } from "./a.ts";', "a.ts": hidden })).toEqual([
    '/a.ts:3: "a" is public and refers to "Hidden", which no door exports',
  ]);
});

test("a type in a function's body may be hidden", () => {
  const inside = "type Hidden = string;\n/** A. */\nexport function a(): void { let b: Hidden; }";
  expect(wrongIn({ "index.ts": 'export { a } from "./a.ts";', "a.ts": inside })).toEqual([]);
});

test("a name has one door", () => {
  const door = 'export { a } from "./a.ts";';
  expect(wrongIn({ "index.ts": door, "other.ts": door, "a.ts": "/** A. */\nexport const a = 1;" })).toEqual([
    '/other.ts:1: "a" is exported by /index.ts too',
  ]);
});

test("a name that is allowed everywhere may have several doors", () => {
  const door = 'export { a } from "./a.ts";';
  const files = { "index.ts": door, "other.ts": door, "a.ts": "/** A. */\nexport const a = 1;" };
  expect(wrongIn(files, { everywhere: ["a"] })).toEqual([]);
});

test("a door has at most so many names", () => {
  const files = { "index.ts": 'export * from "./a.ts";', "a.ts": "/** A. */\nexport const a = 1, b = 2;" };
  expect(wrongIn(files, { most: 1 })).toEqual([
    "/index.ts:1: exports 2 names, at most 1: move one to another door",
  ]);
});

test.each([
  ["function", "/** A. */\nexport function a(): void {}"],
  ["class", "/** A. */\nexport class a {}"],
  ["variable that is a function", "/** A. */\nexport const a = (): void => {};"],
])("a public %s needs an example", (_, source) => {
  expect(bareIn(source)).toEqual(['/a.ts:2: "a" is public and has no @example']);
  expect(bareIn(source.replace("A.", "A.\n * @example\n * a;\n"))).toEqual([]);
});

test("the example of one overload is enough", () => {
  const overloads = "export function a(b: string): void;\n/** @example a */\nexport function a(): void;";
  expect(bareIn(`${overloads}\nexport function a(): void {}`)).toEqual([]);
});

test("types, values and hidden functions need no example", () => {
  expect(bareIn("export interface A { b(): void }\nexport const b = 1;\nfunction c(): void {}")).toEqual([]);
});
