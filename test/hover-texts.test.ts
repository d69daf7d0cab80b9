import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";
import { at } from "../scripts/lib/project.mjs";

/** An editor shows more above the code that one reads. */
const MOST_LINES = 5;

const AGENT = "packages/core/src/agent/agent.ts";
const RUNTIME = "packages/core/src/runtime/begin/runtime-types.ts";
const RUN = "packages/core/src/runtime/begin/run-options.ts";

it.each<[file: string, options: string, names: string[]]>([
  [AGENT, "AgentOptions", ["name", "model", "instructions", "tools", "output", "limits", "userData"]],
  [RUNTIME, "RuntimeSettings", ["agents", "store", "deps", "times", "testing"]],
  [RUN, "RunOptions", ["userId", "sessionId", "input", "answers"]],
])("the commonest options have short hover texts: %s, %s", (file, options, names) => {
  const texts = hoverTexts(file, options);
  for (const name of names) {
    const lines = texts.get(name)?.split("\n") ?? [];
    expect(lines.length, `lines of ${name}`).toBeGreaterThan(0);
    expect(lines.length, `lines of ${name}`).toBeLessThanOrEqual(MOST_LINES);
  }
});

/** Returns the doc comments of an interface's members, by name. */
function hoverTexts(file: string, options: string): Map<string, string> {
  const text = readFileSync(at(file), "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found = source.statements.filter(ts.isInterfaceDeclaration).find((one) => one.name.text === options);
  return new Map(found?.members.map((member) => [member.name?.getText() ?? "", commentOf(member)]));
}

function commentOf(member: ts.TypeElement): string {
  const [doc] = ts.getJSDocCommentsAndTags(member).filter(ts.isJSDoc);
  return ts.getTextOfJSDocComment(doc?.comment) ?? "";
}
