import ts from "typescript";
import { describe, expect, it } from "vitest";
import { findUnexplainedWords, publicWords } from "../scripts/lib/public-words.mjs";

/** Returns the words of a package whose only file is its door. */
function wordsIn(source: string) {
  const host: ts.CompilerHost = {
    ...ts.createCompilerHost({}),
    getSourceFile: (path, version) =>
      path === "/index.ts" ? ts.createSourceFile(path, source, version, true) : undefined,
    fileExists: (path) => path === "/index.ts",
    readFile: () => source,
    getCurrentDirectory: () => "/",
  };
  const program = ts.createProgram(["/index.ts"], { noLib: true, types: [] }, host);
  return publicWords(program, ["/index.ts"], () => true);
}

/** Three public types with a member of this name. */
const often = (member: string) =>
  ["A", "B", "C"].map((name) => `export interface ${name} { ${member}: string }`).join("\n");

const glossary = `
| word | meaning |
|---|---|
| [lease](architecture.md#leases) | A right for a time (TTL). |
| delegate, sub-agent | An agent. |
`;
const unexplained = (source: string, plain: string[] = ["a", "b", "c"]) =>
  findUnexplainedWords(wordsIn(source), glossary, new Set(plain)).map((one) => /"(.+?)"/.exec(one)?.[1]);

describe("U8 a word that is in three public types", () => {
  it("U8 is in the glossary, or in the list of plain words", () => {
    expect(unexplained(often("pending"))).toEqual(["pending"]);
    expect(unexplained(often("lease"))).toEqual([]);
    expect(unexplained(often("pending"), ["a", "b", "c", "pending"])).toEqual([]);
  });

  it("U8 may be a part of a name, also in the plural or of a term of several words", () => {
    expect(unexplained(often("leaseTtlMs"))).toEqual(["ttl", "ms"]);
    expect(unexplained(often("sub_agents"))).toEqual([]);
  });

  it.each([
    [
      "a parameter",
      ["A", "B", "C"].map((name) => `export function ${name}(caller: string): void {}`).join("\n"),
    ],
    ["a method", often("caller()")],
    ["a member of a member", often("x: { caller: string }; y")],
    ["the name of a type", "export type CallerA = 1;\nexport type CallerB = 1;\nexport type CallerC = 1;"],
  ])("U8 may be %s", (_, source) => {
    expect(unexplained(source)).toContain("caller");
  });

  it.each([
    [
      "two types",
      "export interface A { caller: 1 }\nexport interface B { caller: 1; callers: 1 }",
      ["a", "b"],
    ],
    [
      "types that no door exports",
      often("caller").replaceAll("export ", "").concat("\nexport type A1 = 1;"),
      ["a"],
    ],
    [
      "bodies",
      ["A", "B", "C"].map((name) => `export function ${name}() { let x: { caller: 1 }; }`).join("\n"),
      undefined,
    ],
    ["internal members", often("\n/** @internal */ caller"), undefined],
  ])("U8 does not count in %s", (_, source, plain) => {
    expect(unexplained(source, plain)).toEqual([]);
  });

  it("U8 is either plain or explained, and the list has no others", () => {
    const problems = findUnexplainedWords(wordsIn(often("lease")), glossary, new Set(["lease", "old"]));
    expect(problems).toEqual([
      'scripts/lib/plain-words.mjs:1: "lease" is in the glossary',
      'scripts/lib/plain-words.mjs:1: "old" is in no public name',
    ]);
  });
});
