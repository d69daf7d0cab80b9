import type { Attack } from "../frame/attack.ts";
import { shownOnPage } from "../parts/shown-on-page.ts";

const calling = (name: string) => ({ text: "I look.", tools: [{ name, input: {} }] });

export const attack: Attack = {
  id: "page-crash-tool-name",
  title: "A call of a tool named like a member of each object breaks the playground's page",
  state: "held",
  guard: {
    file: "examples/playground/test/web/broken-parts.test.ts",
    title: "shows calls of tools whose names are inherited members of objects (%s)",
  },
  limits: { ms: 120_000 },
  attempt: () => shownOnPage({ constructor: calling("constructor"), toString: calling("toString") }),
};
