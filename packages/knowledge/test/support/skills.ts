/** A file of a skill, with these parts in place of harmless ones. */
export function skillText({
  head,
  goal = "A goal.\n\nIn two parts.",
  tools = "- `show_options`",
  guidance = "- Ask.\n- Listen.",
}: {
  head?: string;
  goal?: string;
  tools?: string;
  guidance?: string;
}): string {
  return [
    ...(head === undefined ? [] : ["---", head, "---"]),
    `# A title\n## Goal\n${goal}\n## When to use\nAt a crossroads.\n## Context needed\nValues.`,
    `## Tools\n${tools}\n## Constraints\nBe brief.\n\n## Guidance\n${guidance}\n`,
  ].join("\n");
}
