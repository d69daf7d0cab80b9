import { expect, it } from "vitest";
import { KITS, type Kit } from "./baseline.ts";
import { scenariosOf } from "./kits.ts";

const page = new URL("../../../../docs/mcp-conformance.md", import.meta.url).pathname;

const SIDES = { client: "agent as a client", server: "served agent" } as const;

/** Returns a row of the page's first table, and the table of what fails. */
async function tablesOf(kit: Kit, side: keyof typeof SIDES): Promise<{ row: string; misses: string }> {
  const { tested, others } = await scenariosOf(kit, side);
  const { failing, before, short } = kit[side];
  const passing = tested.length - Object.keys(failing).length;
  expect(tested, "the baseline names scenarios that the kit has").toEqual(
    expect.arrayContaining([...Object.keys(failing), ...short]),
  );
  const rows = Object.entries(failing).map(([name, reason]) => `| \`${name}\` | ${reason} |`);
  const left = others.map((name) => `\`${name}\``).join(", ");
  const misses = [
    `### ${kit.title}: ${SIDES[side]}`,
    ["| does not pass | why |", "|---|---|", ...rows].join("\n"),
    ...(left === "" ? [] : [`Not run, because Pawl does not have these extensions: ${left}.`]),
  ];
  return {
    row: `| ${kit.title} | ${SIDES[side]} | ${before} | ${passing} of ${tested.length} |`,
    misses: misses.join("\n\n"),
  };
}

it("B10 F24 the page of the conformance kits says what the tests expect", async () => {
  const pairs = KITS.flatMap((kit) => [tablesOf(kit, "client"), tablesOf(kit, "server")]);
  const tables = await Promise.all(pairs);
  const text = `# MCP conformance

The [official conformance kits](https://github.com/modelcontextprotocol/conformance) of MCP run against
both sides of \`@pawl/mcp\`: an agent with the tools of the kit's server (\`mcpTools()\`), and
\`mcpHandler()\` in front of agents that stand for the kit's tools. A few scenarios are part of
\`npm test\`; \`PAWL_SOAK=1\` runs all. A scenario that does not do what this page says fails the tests,
also one that passes although it is listed below. \`vitest -u\` on \`page.test.ts\` beside the tests
writes the page.

| kit | side | passed on 2026-11-28 | passes |
|---|---|---|---|
${tables.map(({ row }) => row).join("\n")}

## What does not pass

${tables.map(({ misses }) => misses).join("\n\n")}
`;
  await expect(text).toMatchFileSnapshot(page);
});
