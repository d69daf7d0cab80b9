import { type Tool, validate } from "@pawl/core";
import { listedProblems } from "@pawl/core/tools";
import { fieldsOf, listed } from "../base/text.ts";
import type { ToolDoc } from "./tool-doc.ts";

/**
 * Compares the descriptions of tools with the tools. Returns a sentence for each difference: a tool without a
 * description, a description without a tool, parameters that differ, and examples that the tool would refuse.
 * Use it in a test.
 *
 * @example
 * ```ts
 * import { tool } from "@pawl/core";
 * import { checkToolDocs, parseToolDocs } from "@pawl/planning";
 * import * as z from "zod";
 *
 * const search = tool({
 *   name: "search_gmail",
 *   description: "Searches the mail.",
 *   input: z.object({ query: z.string(), from: z.string().optional() }),
 *   execute: () => [],
 * });
 * const docs = parseToolDocs(`
 * ## search_gmail
 * - Summary: Searches the mail.
 * - Parameters:
 *   - query (string, required)
 * `);
 * console.log(await checkToolDocs(docs, [search]));
 * // [ 'The parameter "from" of "search_gmail" is not described.' ]
 * ```
 */
export async function checkToolDocs(
  docs: readonly ToolDoc[],
  tools: Iterable<Tool<never>>,
): Promise<string[]> {
  const byName = new Map([...tools].map((tool) => [tool.name, tool]));
  const described = new Set(docs.map(({ tool }) => tool));
  const problems = [...byName.keys()]
    .filter((name) => !described.has(name))
    .map((name) => `"${name}" is not described.`);
  for (const doc of docs) {
    const tool = byName.get(doc.tool);
    if (tool === undefined) problems.push(`"${doc.tool}" is described, but is not a tool.`);
    else problems.push(...parameterProblems(doc, tool), ...(await exampleProblems(doc, tool)));
  }
  return problems;
}

function parameterProblems({ tool, parameters }: ToolDoc, { spec }: Tool<never>): string[] {
  const schema = fieldsOf(spec.input_schema);
  const properties = new Map(Object.entries(fieldsOf(schema.properties)));
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const described = new Set(parameters.map(({ name }) => name));
  const missing = [...properties.keys()].filter((name) => !described.has(name));
  return [
    ...missing.map((name) => `The parameter "${name}" of "${tool}" is not described.`),
    ...parameters.flatMap((one) => {
      const { name } = one;
      const property = properties.get(name);
      const whose = `The parameter "${name}" of "${tool}"`;
      if (property === undefined)
        return [`${whose} does not exist. The parameters are: ${listed(properties.keys())}.`];
      const { type } = fieldsOf(property);
      return [
        ...(one.required === required.has(name)
          ? []
          : [
              `${whose} is ${one.required ? "optional, but described as required" : "required, but not described as required"}.`,
            ]),
        ...(one.type === undefined || typeof type !== "string" || one.type === type
          ? []
          : [`${whose} is described as ${one.type}, but is of type ${type}.`]),
      ];
    }),
  ];
}

async function exampleProblems({ tool: name, examples }: ToolDoc, { input }: Tool<never>): Promise<string[]> {
  const checked = await Promise.all(examples.map(async (example) => await validate(input, example)));
  return checked.flatMap((one, at) =>
    one.ok ? [] : [`Example ${at + 1} of "${name}" is refused by the tool: ${listedProblems(one.problems)}.`],
  );
}
