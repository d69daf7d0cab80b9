import { jsonSchema, tool, validate } from "@pawl/core";
import { type Attack, brokenByAny } from "../frame/attack.ts";
import { mustHold } from "../parts/must-hold.ts";

const $defs = { text: { $dynamicAnchor: "text", type: "string" } };

/** Resolves to why `tool()` refuses a schema. */
function refusal(schema: object): string | undefined {
  const input = jsonSchema(schema as never);
  try {
    tool({ name: "t", description: "T.", input, execute: () => "ran" });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

export const attack: Attack = {
  id: "conformance-08",
  title: "tool() takes a schema with $dynamicRef, and does not evaluate it",
  state: "held",
  guard: {
    file: "packages/core/test/tools/untrusted-schema-bounds.test.ts",
    title: "name a keyword that is not evaluated",
  },
  attempt: () =>
    brokenByAny({
      $dynamicRef: async () => {
        const tags = { type: "array", items: { $dynamicRef: "#text" } };
        const tree = { type: "object", properties: { tags }, $defs };
        const refused = refusal(tree);
        if (refused !== undefined) return mustHold(refused.includes("$dynamicRef"), refused);
        const { ok } = await validate(jsonSchema(tree as never), { tags: [5] });
        return mustHold(!ok, "taken, and { tags: [5] } is valid");
      },
      "$ref to a $dynamicAnchor": async () => {
        const refused = refusal({ type: "object", properties: { tag: { $ref: "#text" } }, $defs });
        const isRight = refused === undefined || refused.includes("$dynamicAnchor");
        return mustHold(isRight, refused ?? "taken");
      },
    }),
};
