import { validate } from "@pawl/core";
import { untrustedSchema } from "@pawl/core/tools";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

async function accept(schema: object, value: object): Promise<string> {
  const result = await validate(untrustedSchema({ type: "object", ...schema } as never), value);
  return mustHold(result.ok, result.ok ? "taken" : result.problems.join("; "));
}

const text = { type: "string" };

export const attack: Attack = {
  id: "conformance-07",
  title: "A call of an MCP or remote tool is not sent, although the tool's own schema takes its input",
  state: "held",
  guard: {
    file: "packages/core/test/tools/untrusted-schema-bounds.test.ts",
    title: "accepts a value that the schema accepts by a pattern",
  },
  attempt: () =>
    brokenByAny({
      "patternProperties in allOf": () =>
        accept(
          {
            properties: { foo: text },
            allOf: [{ patternProperties: { "^bar": text } }],
            unevaluatedProperties: false,
          },
          { foo: "x", bar: "y" },
        ),
      "patternProperties in if": () =>
        accept({ if: { patternProperties: { foo: text } }, unevaluatedProperties: false }, { foo: "x" }),
      format: () => accept({ properties: { site: { ...text, format: "uri" } } }, { site: "example.com/a" }),
    }),
};
