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
  ["a property, behind two claims", 'make({ open: undefined as unknown as Store["open"] });'],
  ["a property, in parentheses", "make({ open: (undefined)! });"],
  ["a property, sometimes", "make({ open: isOld ? undefined : store.open });"],
  ["a property in brackets", 'make({ ["open"]: undefined });'],
  ["`void 0`", "make({ open: void 0 });"],
  ["`null`", "make({ open: null as never });"],
  ["a constant", "make({ open: nothing }); const nothing = undefined;"],
  ["a shorthand", "make({ ...store, open }); const open = undefined;"],
  ["a getter", "make({ ...store, get open() { return undefined; } });"],
  ["a getter that returns", "make({ ...store, get open() { return; } });"],
  ["a copy of the rest", "const { open: _, ...others } = store;"],
  ["a copy of the rest, by the same name", "const { open, ...others } = store;"],
  ["a parameter's rest", "const least = ({ open, ...others }: EventStore) => others;"],
  ["an assigned copy of the rest", "({ open: gone, ...others } = store);"],
  ["`delete`", "delete store.open;"],
  ["`delete` by a text", 'delete store["open"];'],
  ["`delete` by a constant", 'delete store[key]; const key = "open";'],
  ["an assignment", "store.open = undefined;"],
  ["Object.assign", "Object.assign(store, { open: undefined });"],
  ["Object.defineProperty", 'Object.defineProperty(store, "open", { value: undefined });'],
  [
    "Object.defineProperty with a getter",
    'Object.defineProperty(store, "open", { get() { return undefined; } });',
  ],
  ["a property of a class", "class Store extends Other { open = undefined; }"],
  ["Reflect", 'Reflect.deleteProperty(store, "open");'],
  ["Reflect.set", 'Reflect.set(store, "open", undefined);'],
  ["one of its two ways", 'const as = eachWay("open")[1][1];'],
  ["the last of its two ways", 'const [, [, as]] = eachWay("open");'],
  ["`slice` of its two ways", 'it.each(eachWay("open").slice(1))("opens, %s", run);'],
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
  ["both ways, in turn", 'for (const [way, as] of eachWay("open")) run(as(store), way);'],
  ["both ways, by name", 'const [whole, less] = eachWay("open").map(([, as]) => run(as(store)));'],
  ["another value", "make({ open: 1, ...(open && { open }) });"],
  ["a constant with a value", "make({ ...store, open }); const open = held(store.open);"],
  ["a method", "make({ ...store, open() { return undefined; } });"],
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

test.each(["it.skip", "describe.skip.each(rows)", "test.todo"])(
  "B6 the other test must run: %s",
  (skipped) => {
    const text = `without(store, "open", "opens it");\n${skipped}("opens it", () => open(store));`;
    expect(found(text)).toEqual(['1: no test has the title "opens it"']);
  },
);

test("B6 a test that is skipped on some machines may be the other one", () => {
  const text = 'without(store, "open", "opens it");\nit.skipIf(noStack)("opens it", () => open(store));';
  expect(found(text)).toEqual([]);
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
