import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { capabilitiesOf, findLonelySwaps, isTest, PORTS, SUPPORT } from "../scripts/lib/capabilities.mjs";

const capabilities = new Set(["open", "watch", "files"]);
const path = "packages/a/test/a.test.ts";
const both = "run the test both ways by eachWay";

/** Returns the problems in a test file, as `line: message`. */
function found(text: string): string[] {
  const problems = findLonelySwaps(new Map([[path, text]]), capabilities);
  return problems.map(({ line, message }) => `${line}: ${message}`);
}

test.each([
  ["a property", "const store = { ...memoryStore(), open: undefined };"],
  ["a property, behind a claim", "make({ open: undefined as never });"],
  ["`void 0`", "make({ open: void 0 });"],
  ["a copy of the rest", "const { open: _, ...others } = store;"],
  ["a copy of the rest, by the same name", "const { open, ...others } = store;"],
  ["a parameter's rest", "const least = ({ open, ...others }: EventStore) => others;"],
  ["`delete`", "delete store.open;"],
  ["`delete` by a text", 'delete store["open"];'],
  ["an assignment", "store.open = undefined;"],
  ["a property of a class", "class Store extends Other { open = undefined; }"],
  ["Reflect", 'Reflect.deleteProperty(store, "open");'],
  ["a type", 'let store: Omit<EventStore, "append" | "open">;'],
  [
    "a store of its own",
    "const store = { append, read, acquire, renew, release, listRecoverable, sessions };",
  ],
  ["a class of its own", "class Store { acquire() {}\n listRecoverable() {} }"],
  ["`without()` that names no test", 'without(store, "open");'],
])("B6 a capability that is taken away by %s needs a test that has it", (_, text) => {
  expect(found(`\n${text}`)).toEqual([expect.stringMatching(/^2: `open` is taken away: /)]);
  expect(found(`\n${text}`)[0]).toContain(both);
});

test("B6 a module that is replaced needs a test with the module", () => {
  expect(found('vi.mock("../src/a.ts");')).toEqual([expect.stringContaining('`vi.mock("../src/a.ts")`')]);
});

test.each([
  ["both ways", 'it.each(eachWay("open"))("opens, %s", async (_, as) => run(as(memoryStore())));'],
  ["another value", "make({ open: 1, ...(open && { open }) });"],
  ["names that are no capability", "make({ error: undefined }); const { a: _, ...rest } = b; delete b.c;"],
  ["a part that is used", "const { open, ...others } = store; const both = { ...others, open: held(open) };"],
  ["a part with a default", "function serve({ files = memoryFiles(), ...others }) { return others; }"],
  ["a pattern without a rest", "const { open, watch } = store;"],
  ["a comparison", "expect(store.open === undefined).toBe(true);"],
  ["a store that wraps another one", "const store = { ...inner, acquire, listRecoverable };"],
  ["a store with it", "const store = { open, acquire, listRecoverable };"],
])("B6 %s needs no other test", (_, text) => {
  expect(found(text)).toEqual([]);
});

const twin = 'it("opens it at once", () => open(store));';

test.each([
  ["by a text", 'it("reads", () => without(store, "open", "opens it at once"));'],
  ["by a constant", 'const twin = "opens it at once"; without(store, "open", twin);'],
  ["by a comment on the line", "make({ open: undefined }); // twin: opens it at once"],
  ["by a comment above", "// twin: opens it at once\nmake({ open: undefined });"],
  ["by a block", "make({ open: undefined }); /* twin: opens it at once */"],
])("B6 another test may have it, named %s", (_, text) => {
  expect(found(`${text}\n${twin}`)).toEqual([]);
  expect(found(text)).toEqual([expect.stringContaining('no test has the title "opens it at once"')]);
});

test("B6 the other test may be in another file, or one of a table", () => {
  const text = 'without(store, "open", "opens %s");';
  const other = 'describe.each(rows)("opens %s", (row) => it("works", run));';
  const files = new Map([
    [path, text],
    ["packages/b/test/b.test.ts", other],
  ]);
  expect(findLonelySwaps(files, capabilities)).toEqual([]);
});

test("B6 the other test must not take the same capability away", () => {
  const problem = '1: the test "opens it" takes `open` away, too';
  expect(found('it("opens it", () => without(store, "open", "opens it"));')).toEqual([problem]);
  const lonely = 'without(store, "open", "opens it");\nit("opens it", () => make({ open: undefined }));';
  expect(found(lonely)).toEqual([problem, expect.stringMatching(/^2: `open` is taken away/)]);
  const other = 'without(a, "open", "opens it");\nit("opens it", () => without(b, "watch", "watches"));';
  expect(found(`${other}\nit("watches", run);`)).toEqual([]);
});

test("B6 what a store or a runtime may have is read from the sources", () => {
  const sources = PORTS.map(({ file }) => [file, readFileSync(file, "utf8")] as const);
  const names = ["appendWith", "blobs", "engine", "files", "open", "saveSnapshot", "tail", "watch"];
  expect([...capabilitiesOf(new Map(sources))].sort()).toEqual(names);
  expect(() => capabilitiesOf(new Map())).toThrow("declares no interface EventStore");
});

test("B6 tests and what they share are checked, but not the functions that take capabilities away", () => {
  const paths = [path, "test/support/world.ts", "test/soak/kill.test.ts", "examples/a/test/web/a.test.tsx"];
  expect(paths.filter(isTest)).toEqual(paths);
  expect([SUPPORT, "packages/a/src/a.ts", "scripts/test.mjs"].filter(isTest)).toEqual([]);
});
