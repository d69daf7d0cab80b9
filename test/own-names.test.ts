import ts from "typescript";
import { describe, expect, test } from "vitest";
import { findForeignNames } from "../scripts/lib/own-names.mjs";

const types = `
interface Words { readonly [name: string]: string }
declare const words: Words, name: string, known: "a" | "b", texts: string[], at: number;
declare const made: { [name: string]: string };
declare const Object: { hasOwn(object: object, name: string): boolean; keys(object: object): string[] };
`;

/** Returns the problems in these lines, which follow the types above. */
function found(lines: string): string[] {
  const text = `${types}${lines}`;
  const source = ts.createSourceFile("a.ts", text, ts.ScriptTarget.ESNext, true);
  const host: ts.CompilerHost = {
    getSourceFile: (file) => (file === "a.ts" ? source : undefined),
    getDefaultLibFileName: () => "none.d.ts",
    writeFile: () => undefined,
    getCurrentDirectory: () => "",
    getCanonicalFileName: (file) => file,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
    fileExists: (file) => file === "a.ts",
    readFile: () => undefined,
  };
  const program = ts.createProgram(["a.ts"], { noLib: true, strict: true }, host);
  return findForeignNames(program, (file) => file === "a.ts").map(({ message }) => message);
}

describe("names that are known at run time only", () => {
  test.each([
    ["a literal", "words.a + words['a']"],
    ["one of some literals", "words[known]"],
    ["a place in a list", "texts[at]"],
    ["one that is asked for before", "const of = () => Object.hasOwn(words, name) ? words[name] : undefined"],
    ["the same, behind a claim", "const of = () => Object.hasOwn(words, name) && (words as Words)[name]"],
    ["an object's own names", "for (const key of Object.keys(words)) words[key]"],
    [
      "a name that is refused before",
      "const put = (key: string) => { if (key === \"__proto__\") return; made[key] = ''; }",
    ],
    ["a generic name of some literals", "const of = <K extends 'a' | 'b'>(key: K) => words[key]"],
  ])("%s is fine", (_, lines) => {
    expect(found(lines)).toEqual([]);
  });

  test.each([
    ["any text", "words[name]", "may be inherited"],
    ["a text that is said to be a literal", "words[name as 'a']", "may be inherited"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code that is looked at
    ["a text with a part that varies", "words[`${name}_done` as const]", "may be inherited"],
    ["a generic text", "const of = <K extends string>(key: K) => words[key]", "may be inherited"],
    [
      "another name than the one that was asked for",
      "const of = (key: string) => Object.hasOwn(words, name) && words[key]",
      "may be inherited",
    ],
    ["the names of another object", "for (const key of Object.keys(made)) words[key]", "may be inherited"],
    ["`in`", "name in words", "use Object.hasOwn"],
    ["writing", "made[name] = ''", 'may be "__proto__"'],
    [
      "writing what was there before",
      "const put = () => { if (Object.hasOwn(made, name)) made[name] = ''; }",
      'may be "__proto__"',
    ],
  ])("%s is reported", (_, lines, message) => {
    expect(found(lines)).toEqual([expect.stringContaining(message)]);
  });
});
