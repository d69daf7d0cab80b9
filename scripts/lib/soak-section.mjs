import { SOAKS, soakCommand } from "./soaks.mjs";

const HEAD = ["# Soak report", "", "Written by `npm run soak`, one section for each soak; do not edit.", ""];

/** Returns the sections of the report, by the file of their test. */
export function sectionsOf(report) {
  const [, ...sections] = report.split(/^(?=## )/m);
  return new Map(sections.map((text) => [/^## (.*)$/m.exec(text)[1], `${text.trimEnd()}\n`]));
}

/** Returns the report with this section instead of the one before it. */
export function withSection(report, name, section) {
  const sections = sectionsOf(report).set(name, section);
  const sorted = [...sections.keys()].sort().map((key) => sections.get(key));
  return `${[...HEAD, ...sorted].join("\n").trimEnd()}\n`;
}

/**
 * Writes the section of one soak.
 *
 * @param {string} name the test's file
 * @param {object} result what `vitest` returned
 * @param {{ code?: string, machine: string, notes: string[] }} run the code as {@link currentCode} names it
 */
export function soakSection(
  name,
  { passed, failed, skipped, report },
  { code, machine, notes },
  soaks = SOAKS,
) {
  return [
    `## ${name}`,
    "",
    `${machine}: ${passed} passed, ${failed} failed, ${skipped} skipped`,
    "",
    ...(failed > 0 ? [`${FAILED}: it proves nothing until it passes.`, ""] : []),
    `- Commit: ${code ?? "unknown"}`,
    `- Command: \`${soakCommand(name)}\``,
    pathsLine(soaks[name]),
    "",
    ...table(report),
    ...listed(notes),
  ].join("\n");
}

/** Returns what a soak reported: lines as a list, and rows of a table as they are. */
function listed(notes) {
  const isRow = (line) => line.startsWith("|");
  const rows = notes.filter(isRow);
  const items = notes.filter((line) => !isRow(line)).map((line) => `- ${line}`);
  return [items, rows].flatMap((lines) => (lines.length > 0 ? [...lines, ""] : []));
}

const FAILED = "**This soak failed**";

/** Checks whether a section is of a soak that failed. */
export const hasFailed = (section) => section.includes(FAILED);

/** Returns the commit that a section names, if it names one. */
export const commitOf = (section) => /^- Commit: ([0-9a-f]{7,40})\b/m.exec(section)?.[1];

/** Checks whether a section is of a commit with changes that nobody else has. */
export const hadChanges = (section) => /^- Commit: .* with uncommitted changes$/m.test(section);

/** Returns the line of a section that names the code that a soak speaks for. */
export const pathsLine = (paths) => `- Speaks for: ${paths.map((path) => `\`${path}\``).join(", ")}`;

function table(report) {
  if (!report) return ["It ended without results.", ""];
  const rows = report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(
      ({ fullName, status, duration = 0 }) => `| ${cell(fullName)} | ${status} | ${took(duration)} |`,
    ),
  );
  return ["| Test | Result | Time |", "| --- | --- | --- |", ...rows, ""];
}

const cell = (text) => text.replaceAll("|", "\\|");
const took = (ms) => (ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` : `${(ms / 60_000).toFixed(1)} min`);
